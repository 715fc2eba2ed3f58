"""Segments of the text index: posting lists as blobs, built and merged with numpy.

Owns `text_segment` and `text_posting`. A segment numbers its documents 0, 1, 2, ... (slots) in ascending
order of revision; a posting is one uint32, slot << 8 | count, so a list sorts by slot. Lists are packed in
hash order into rows of about 8 KB, a list larger than that alone in its row: building is one sort, a lookup
one seek, a flush writes few, new, adjacent pages (one row per term and segment would touch a page per term:
15 KB of log per document). It knows nothing of partitions' counters, tails or ranking.

Invariant: what (id, generation) names never changes, so caches keep it without asking. Taking documents out
bumps the generation; their slot stays, with length EMPTY and the revision of the slot before (0 in front).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.errors import CorruptPalace
from palazzo.store.index.tables import Tables, identity
from palazzo.store.index.text.documents import MAX_LENGTH, Documents

TABLES = (
    # The documents of a segment. Ids are never used twice. Blobs come last: headers are read without them.
    """CREATE TABLE IF NOT EXISTS text_segment(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        scope INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        visible INTEGER NOT NULL,       -- 0 while a rebuild is preparing it
        slots INTEGER NOT NULL,
        docs INTEGER NOT NULL,          -- slots that are not empty
        shortest INTEGER NOT NULL,      -- no document is shorter
        low INTEGER NOT NULL,           -- lowest and highest revision
        high INTEGER NOT NULL,
        revisions BLOB NOT NULL,        -- int64 per slot, ascending
        lengths BLOB NOT NULL           -- uint16 per slot
    ) STRICT""",
    # A query asks for the segments of each of its partitions.
    "CREATE INDEX IF NOT EXISTS text_segment_scope ON text_segment(scope)",
    # id = segment << 32 | first term of the row: a term's row is the last one not above it, one seek by rowid.
    """CREATE TABLE IF NOT EXISTS text_posting(
        id INTEGER PRIMARY KEY,
        terms BLOB NOT NULL,            -- ascending uint32 hashes
        counts BLOB NOT NULL,           -- for each term uint32: postings, highest count << 24
        body BLOB NOT NULL              -- their postings, one list after the other
    ) STRICT""",
)

EMPTY = MAX_LENGTH + 1
_HINT = "the text index can be made again: `palazzo rebuild`"
ROW_BYTES = 8192
_LARGE_BYTES = 2 * ROW_BYTES  # a body above this holds one list only and is left unread until it is needed

PostingRow = tuple[int, bytes, bytes, bytes]


class Header(msgspec.Struct, frozen=True):
    """A segment without its arrays."""

    id: int
    generation: int
    slots: int
    docs: int
    shortest: int
    low: int
    high: int


class SegmentDraft(msgspec.Struct, frozen=True):
    """A segment ready to be written: nothing is left to compute inside the write transaction."""

    revisions: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    rows: list[PostingRow]


class Postings(msgspec.Struct, frozen=True):
    """One term in one segment: how many documents, its highest count, and its list unless that is still unread."""

    count: int
    peak: int
    packed: NDArray[np.uint32] | None


def draft_of_documents(documents: Documents) -> SegmentDraft:
    """A segment of these documents."""
    keys = documents.hashes.astype(np.uint64) << np.uint64(32)
    keys |= documents.ordinals().astype(np.uint64) << np.uint64(8)
    keys |= documents.counts
    keys.sort()
    return SegmentDraft(documents.revisions, documents.lengths, _pack(keys))


def draft_of_segments(tables: Tables, headers: Sequence[Header]) -> SegmentDraft:
    """One segment with the documents of several, without their empty slots."""
    arrays = [read_arrays(tables, header.id) for header in headers]
    revisions = np.concatenate([pair[0] for pair in arrays])
    lengths = np.concatenate([pair[1] for pair in arrays])
    kept = np.flatnonzero(lengths != EMPTY)
    order = kept[np.argsort(revisions[kept], kind="stable")]
    slot_of = np.zeros(len(revisions), np.uint64)
    slot_of[order] = np.arange(len(order), dtype=np.uint64)
    parts = []
    base = 0
    for header in headers:
        terms, packed = read_all(tables, header.id)
        keys = terms.astype(np.uint64) << np.uint64(32)
        keys |= slot_of[(packed >> np.uint32(8)).astype(np.intp) + base] << np.uint64(8)
        keys |= packed & np.uint32(0xFF)
        parts.append(keys)
        base += header.slots
    merged = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    merged.sort()
    return SegmentDraft(revisions[order], lengths[order], _pack(merged))


def _pack(keys: NDArray[np.uint64]) -> list[PostingRow]:
    """Rows for sorted keys (term << 32 | posting), with the first term where the id will be."""
    if not len(keys):
        return []
    all_terms = (keys >> np.uint64(32)).astype("<u4")
    body = keys.astype("<u4")  # keeps the low half
    starts = np.flatnonzero(np.concatenate(([True], all_terms[1:] != all_terms[:-1])))
    sizes = np.diff(starts, append=len(keys))
    peaks = np.maximum.reduceat(body & np.uint32(0xFF), starts)
    terms = all_terms[starts]
    counts = (sizes.astype("<u4") | peaks << np.uint32(24)).astype("<u4")
    group = starts * 4 // ROW_BYTES
    large = sizes * 4 >= ROW_BYTES
    opens = np.concatenate(([True], (group[1:] != group[:-1]) | large[1:] | large[:-1]))
    firsts = np.flatnonzero(opens).tolist()
    rows = []
    for first, after in zip(firsts, [*firsts[1:], len(terms)], strict=True):
        end = starts[after] if after < len(terms) else len(keys)
        rows.append(
            (
                int(terms[first]),
                terms[first:after].tobytes(),
                counts[first:after].tobytes(),
                body[starts[first] : end].tobytes(),
            )
        )
    return rows


def insert(tables: Tables, partition: int, draft: SegmentDraft, *, visible: bool) -> int:
    """Write a segment of at least one document and return its id."""
    slots = len(draft.revisions)
    row = tables.row(
        "INSERT INTO text_segment(scope,generation,visible,slots,docs,shortest,low,high,revisions,lengths)"
        " VALUES(?,0,?,?,?,?,?,?,?,?) RETURNING id",
        (
            partition,
            int(visible),
            slots,
            slots,
            int(draft.lengths.min()),
            int(draft.revisions[0]),
            int(draft.revisions[-1]),
            draft.revisions.tobytes(),
            draft.lengths.tobytes(),
        ),
    )
    segment = identity(row)
    tables.change_many(
        "INSERT INTO text_posting(id,terms,counts,body) VALUES(?,?,?,?)",
        ((segment << 32 | first, terms, counts, body) for first, terms, counts, body in draft.rows),
    )
    return segment


def delete(tables: Tables, segment: int) -> None:
    """Drop a segment and its lists."""
    tables.change("DELETE FROM text_posting WHERE id BETWEEN ? AND ?", _id_range(segment))
    tables.change("DELETE FROM text_segment WHERE id=?", (segment,))


def headers_of(tables: Tables, partition: int, *, visible: bool = True) -> tuple[Header, ...]:
    """The segments of a partition in order of id, by text_segment_scope."""
    return tuple(
        Header(*row)
        for row in tables.rows(
            "SELECT id,generation,slots,docs,shortest,low,high FROM text_segment"
            " WHERE scope=? AND visible=? ORDER BY id",
            (partition, int(visible)),
        )
    )


def read_arrays(tables: Tables, segment: int) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """Revisions and lengths by slot.

    Raises: CorruptPalace when the segment is not there or not whole.
    """
    row: Any = tables.row("SELECT revisions, lengths, slots FROM text_segment WHERE id=?", (segment,))
    if row is None:
        raise CorruptPalace(f"segment {segment} of the text index is missing", hint=_HINT)
    revisions, lengths, slots = row
    if len(revisions) != 8 * slots or len(lengths) != 2 * slots:
        raise CorruptPalace(f"segment {segment} of the text index has arrays of other sizes", hint=_HINT)
    return np.frombuffer(revisions, "<i8"), np.frombuffer(lengths, "<u2")


def find(tables: Tables, wanted: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Postings]:
    """The postings of a term in a segment, for each such pair that has any; a large list comes unread.

    One statement for all of them, with two seeks in text_posting for each: which row, and that row. Which rows is
    settled first, for a planner that compared rows with the answer of a question would read them all.
    """
    asked = np.array([segment << 32 | term for segment, term in wanted], np.int64)
    rows = tables.rows_of(
        asked,
        """SELECT w.id, p.terms, p.counts, CASE WHEN length(p.body) <= ? THEN p.body END
           FROM (WITH placed(id, place) AS MATERIALIZED (
                     SELECT w.id, (SELECT max(id) FROM text_posting WHERE id BETWEEN w.id >> 32 << 32 AND w.id)
                     FROM wanted w
                 ) SELECT id, place FROM placed) w CROSS JOIN text_posting p
           WHERE p.id = w.place""",
        (_LARGE_BYTES,),
    )
    found: dict[tuple[int, int], Postings] = {}
    for key, terms, counts, body in rows:
        postings = _postings(key & 0xFFFFFFFF, terms, counts, body)
        if postings is not None:
            found[key >> 32, key & 0xFFFFFFFF] = postings
    return found


def _postings(term: int, row_terms: bytes, row_counts: bytes, body: bytes | None) -> Postings | None:
    terms = np.frombuffer(row_terms, "<u4")
    place = int(terms.searchsorted(np.uint32(term)))
    if place == len(terms) or terms[place] != term:
        return None
    counts = np.frombuffer(row_counts, "<u4")
    count = int(counts[place])
    peak, count = count >> 24, count & 0xFFFFFF
    if body is None:
        return Postings(count, peak, None)
    start = 4 * int((counts[:place] & np.uint32(0xFFFFFF)).sum())
    return Postings(count, peak, np.frombuffer(body[start : start + 4 * count], "<u4"))


def read_large(tables: Tables, segment: int, term: int) -> NDArray[np.uint32]:
    """The list that `find` left unread: alone in its row, whose id it gives.

    Raises: CorruptPalace when it is not there.
    """
    row: Any = tables.row("SELECT body FROM text_posting WHERE id=?", (segment << 32 | term,))
    if row is None:
        raise CorruptPalace(f"a list in segment {segment} of the text index is missing", hint=_HINT)
    return np.frombuffer(row[0], "<u4")


def read_all(tables: Tables, segment: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Every posting of a segment with its term."""
    terms, counts, bodies = [], [], []
    for row in tables.rows(
        "SELECT terms, counts, body FROM text_posting WHERE id BETWEEN ? AND ? ORDER BY id",
        _id_range(segment),
    ):
        terms.append(row[0])
        counts.append(row[1])
        bodies.append(row[2])
    sizes = np.frombuffer(b"".join(counts), "<u4") & np.uint32(0xFFFFFF)
    return np.repeat(np.frombuffer(b"".join(terms), "<u4"), sizes), np.frombuffer(b"".join(bodies), "<u4")


def terms_of(tables: Tables, segment: int) -> NDArray[np.uint32]:
    """Every term of a segment, ascending."""
    rows = tables.rows("SELECT terms FROM text_posting WHERE id BETWEEN ? AND ? ORDER BY id", _id_range(segment))
    return np.frombuffer(b"".join(terms for (terms,) in rows), "<u4")


def _id_range(segment: int) -> tuple[int, int]:
    return segment << 32, segment << 32 | 0xFFFFFFFF


def take_out(
    tables: Tables,
    header: Header,
    slots: NDArray[np.int64],
    terms: NDArray[np.uint32],
    owners: NDArray[np.int64],
) -> None:
    """Erase the documents in `slots` from a segment; `terms` are theirs, each in the slot given by `owners`."""
    revisions, lengths = (array.copy() for array in read_arrays(tables, header.id))
    lengths[slots] = EMPTY
    living = np.maximum.accumulate(np.where(lengths == EMPTY, -1, np.arange(len(lengths))))
    revisions = np.where(living < 0, 0, revisions[np.maximum(living, 0)])
    if np.all(lengths == EMPTY):
        delete(tables, header.id)
        return
    tables.change(
        "UPDATE text_segment SET generation=generation+1, docs=?, low=?, high=?, revisions=?, lengths=? WHERE id=?",
        (
            int((lengths != EMPTY).sum()),
            int(revisions[revisions > 0][0]),
            int(revisions[-1]),
            revisions.tobytes(),
            lengths.tobytes(),
            header.id,
        ),
    )
    erased = np.sort(terms.astype(np.uint64) << np.uint64(24) | owners.astype(np.uint64))
    start = 0
    while start < len(erased):
        start = _erase_in_row(tables, header.id, erased, start)


def _erase_in_row(tables: Tables, segment: int, erased: NDArray[np.uint64], start: int) -> int:
    """Erase (term << 24 | slot) pairs from the row with the one at `start`; returns the first pair beyond it."""
    term = int(erased[start]) >> 24
    row = tables.row(
        "SELECT id, terms, counts, body FROM text_posting WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        (segment << 32, segment << 32 | term),
    )
    after = int(erased.searchsorted(np.uint64((term + 1) << 24)))
    if row is None:
        return after
    terms = np.frombuffer(row[1], "<u4")
    counts = np.frombuffer(row[2], "<u4")
    packed = np.frombuffer(row[3], "<u4")
    after = max(after, int(erased.searchsorted(np.uint64((int(terms[-1]) + 1) << 24))))
    entry = np.repeat(np.arange(len(terms)), counts & np.uint32(0xFFFFFF))
    pairs = terms[entry].astype(np.uint64) << np.uint64(24) | packed >> np.uint32(8)
    keep = ~np.isin(pairs, erased[start:after])
    sizes = np.bincount(entry[keep], minlength=len(terms)).astype(np.uint32)
    living = sizes > 0
    if not living.any():
        tables.change("DELETE FROM text_posting WHERE id=?", (row[0],))
        return after
    new_counts = (counts & np.uint32(0xFF000000) | sizes)[living].astype("<u4")
    new_id = segment << 32 | int(terms[living][0])
    # The id names the row's first term, so it changes when that one is gone.
    tables.change(
        "UPDATE text_posting SET id=?, terms=?, counts=?, body=? WHERE id=?",
        (new_id, terms[living].tobytes(), new_counts.tobytes(), packed[keep].tobytes(), row[0]),
    )
    return after
