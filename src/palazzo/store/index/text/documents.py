"""The forward half of the text index: one small row per revision, and the counters of each partition.

Owns `text_doc` (permanent: the tail that is not yet in a segment, the source every segment is built from and
is verified against), `text_late` and `text_scope`. It knows terms only as 32-bit hashes (CRC-32 of the UTF-8
text; at a million words about one word in ten thousand shares its hash with another, which ranking does not
notice) and nothing of memories, readers or ranking.

Invariant: `text_scope.generation` grows with every change of a tail that is not an append of higher
revisions, so a cached tail of the same generation is a prefix of the present one. The tail is every row
above `applied`, and those in `text_late`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from struct import pack
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo import kernel
from palazzo.store.index.tables import Tables

LOOKED_UP = 1_000
"""Forward rows that are looked up at once when they are compared with what they should say."""
TABLES = (
    # One partition's counters: ranking statistics, where its tail begins, and the two numbers that caches compare.
    """CREATE TABLE IF NOT EXISTS text_scope(
        scope INTEGER PRIMARY KEY,
        docs INTEGER NOT NULL,          -- rows in text_doc
        length INTEGER NOT NULL,        -- sum of their lengths
        tail INTEGER NOT NULL,          -- rows not in a segment
        high INTEGER NOT NULL,          -- highest revision ever added
        applied INTEGER NOT NULL,       -- revisions above this one are in the tail
        generation INTEGER NOT NULL,    -- grows when the tail changes otherwise than by an append
        structure INTEGER NOT NULL      -- grows when the segments of the scope change
    ) STRICT""",
    # Only partitions due for a flush are in it, so an ordinary add never touches it. The constant is FLUSH_ROWS.
    "CREATE INDEX IF NOT EXISTS text_scope_due ON text_scope(tail) WHERE tail >= 4096",
    # Clustered by partition: a tail is one range scan, a foreign tenant's rows are never read.
    """CREATE TABLE IF NOT EXISTS text_doc(
        scope INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        length INTEGER NOT NULL,        -- terms, repetitions included, at most MAX_LENGTH
        terms BLOB NOT NULL,            -- uint32 hashes, repeated ones first; uint8 counts of those; uint16 how many
        PRIMARY KEY(scope, revision)
    ) STRICT, WITHOUT ROWID""",
    # Rows of the tail at or below `applied`: revisions added again or out of order. Nearly always empty.
    """CREATE TABLE IF NOT EXISTS text_late(
        scope INTEGER NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY(scope, revision)
    ) STRICT, WITHOUT ROWID""",
)

MAX_LENGTH = 0xFFFE
"""Longest length kept; one more marks an empty slot of a segment."""
MAX_COUNT = 255
MAX_REPEATED = 0xFFFF


class TextPartition(msgspec.Struct, frozen=True):
    """One row of `text_scope`."""

    partition: int
    docs: int
    length: int
    tail: int
    high: int
    applied: int
    generation: int
    structure: int


class Documents(msgspec.Struct, frozen=True):
    """Decoded forward rows, ascending by revision; `ends` bounds each one's part of `hashes` and `counts`."""

    revisions: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return 15 * len(self.revisions) + 5 * len(self.hashes)

    def followed_by(self, later: Documents) -> Documents:
        """These documents and then `later` ones."""
        start = self.ends[-1] if len(self.ends) else 0
        return Documents(
            np.concatenate((self.revisions, later.revisions)),
            np.concatenate((self.lengths, later.lengths)),
            np.concatenate((self.ends, later.ends + start)),
            np.concatenate((self.hashes, later.hashes)),
            np.concatenate((self.counts, later.counts)),
        )

    def ordinals(self) -> NDArray[np.uint32]:
        """For each hash the position of its document."""
        sizes = np.diff(self.ends, prepend=0)
        return np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)


def term_hash(term: str) -> int:
    """The 32-bit name of a term."""
    return crc32(term.encode("utf-8", "surrogatepass"))


def encode(terms: Sequence[str]) -> tuple[int, bytes]:
    """Length and blob of a document's terms."""
    quick = kernel.part("packed_terms")
    if quick is not None and (packed := quick(terms)) is not None:
        return len(terms), packed
    try:
        hashes = list(map(crc32, map(str.encode, terms)))
    except UnicodeEncodeError:  # a lone surrogate; the plain encoder is three times faster for everything else
        hashes = list(map(term_hash, terms))
    length, size = len(hashes), len(set(hashes))
    if size == length:
        return min(length, MAX_LENGTH), pack(f"<{size}IH", *hashes, 0)
    counts = Counter(hashes)
    often = [(key, min(count, MAX_COUNT)) for key, count in counts.items() if count > 1]
    repeated = dict(often[:MAX_REPEATED])  # in a text of so many words the others may as well count once
    once = (key for key in counts if key not in repeated)
    blob = pack(f"<{size}I{len(repeated)}BH", *repeated, *once, *repeated.values(), len(repeated))
    return min(length, MAX_LENGTH), blob


def decode(rows: Sequence[tuple[int, int, bytes]]) -> Documents:
    """Documents from (revision, length, terms) rows."""
    blobs = [row[2] for row in rows]
    repeated = [int.from_bytes(blob[-2:], "little") for blob in blobs]
    cuts = [len(blob) - 2 - many for blob, many in zip(blobs, repeated, strict=True)]
    sizes = np.array(cuts, np.int64) // 4
    ends = np.cumsum(sizes)
    counts = np.ones(int(ends[-1]) if len(blobs) else 0, np.uint8)
    of_repeated = np.array(repeated, np.int64)
    told = b"".join([blob[cut:-2] for blob, cut in zip(blobs, cuts, strict=True)])
    within = np.arange(len(told)) - np.repeat(np.cumsum(of_repeated) - of_repeated, of_repeated)
    counts[np.repeat(ends - sizes, of_repeated) + within] = np.frombuffer(told, np.uint8)
    return Documents(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.uint16),
        ends,
        np.frombuffer(b"".join([blob[:cut] for blob, cut in zip(blobs, cuts, strict=True)]), "<u4"),
        counts,
    )


def read_partition(tables: Tables, partition: int) -> TextPartition | None:
    """The counters of a partition, or None when nothing was ever added to it."""
    row = tables.row(
        "SELECT scope,docs,length,tail,high,applied,generation,structure FROM text_scope WHERE scope=?",
        (partition,),
    )
    return None if row is None else TextPartition(*row)


_EACH = """SELECT w.id, (SELECT length FROM text_doc WHERE scope=? AND revision=w.id),
    (SELECT terms FROM text_doc WHERE scope=? AND revision=w.id) FROM wanted w"""
"""Each key is sought by itself: joined to a table that it knows nothing of yet, a planner may compare all with all."""
_COUNTED = """INSERT INTO text_scope(scope,docs,length,tail,high,applied,generation,structure)
    VALUES (?,?,?,?,?,0,0,0) ON CONFLICT (scope) DO UPDATE SET docs = text_scope.docs + excluded.docs,
    length = text_scope.length + excluded.length, tail = text_scope.tail + excluded.tail, high = excluded.high"""


def add(tables: Tables, rows: Iterable[tuple[int, int, Sequence[str]]], *, fresh: bool = False) -> None:
    """Index (partition, revision, terms) rows inside the caller's write transaction. Where all are `fresh`, above every
    other, nothing has to be asked for.

    Raises: the engine's own error when a revision is already indexed in its partition.
    """
    records = []
    by_partition: dict[int, list[int]] = {}
    lengths: dict[int, int] = {}
    for partition, revision, terms in rows:
        length, blob = encode(terms)
        records.append((partition, revision, length, blob))
        by_partition.setdefault(partition, []).append(revision)
        lengths[partition] = lengths.get(partition, 0) + length
    tables.change_many("INSERT INTO text_doc(scope,revision,length,terms) VALUES(?,?,?,?)", records)
    if fresh:
        tables.change_many(_COUNTED, [
            (partition, len(revisions), lengths[partition], len(revisions), max(revisions))
            for partition, revisions in by_partition.items()
        ])  # fmt: skip
        return
    for partition, revisions in by_partition.items():
        low, high = min(revisions), max(revisions)
        before = tables.row(
            "UPDATE text_scope SET docs=docs+?, length=length+?, tail=tail+?,"
            " generation=CASE WHEN high<? THEN generation ELSE generation+1 END,"
            " high=CASE WHEN high<? THEN ? ELSE high END WHERE scope=? RETURNING applied",
            (len(revisions), lengths[partition], len(revisions), low, high, high, partition),
        )
        if before is None:
            tables.change(
                "INSERT INTO text_scope(scope,docs,length,tail,high,applied,generation,structure)"
                " VALUES(?,?,?,?,?,0,0,0)",
                (partition, len(revisions), lengths[partition], len(revisions), high),
            )
        elif low <= before[0]:
            late = [(partition, revision) for revision in revisions if revision <= before[0]]
            tables.change_many("INSERT INTO text_late(scope,revision) VALUES(?,?)", late)


def _those_there(tables: Tables, partition: int, revisions: NDArray[np.int64]) -> Iterator[Any]:
    """Revision, length and terms of the forward rows that are there of these. Uses the primary key of text_doc."""
    return (row for row in tables.rows_of(revisions, _EACH, (partition, partition)) if row[1] is not None)


def beside(
    tables: Tables, truth: Iterable[tuple[int, int, Sequence[str]]]
) -> Iterator[tuple[int, int, Sequence[str], tuple[int, bytes] | None]]:
    """Each (partition, revision, terms) with length and terms of its forward row, None where there is none.

    Uses the primary key of text_doc, for many revisions of a partition at once.
    """
    rest = iter(truth)
    while part := list(islice(rest, LOOKED_UP)):
        found: dict[tuple[int, int], tuple[int, bytes]] = {}
        for partition in {partition for partition, _, _ in part}:
            keys = np.array([revision for own, revision, _ in part if own == partition], np.int64)
            found.update({(partition, row[0]): row[1:] for row in _those_there(tables, partition, keys)})
        for partition, revision, terms in part:
            yield partition, revision, terms, found.get((partition, revision))


def read_tail(tables: Tables, row: TextPartition, after: int, limit: int) -> Documents:
    """At most `limit` documents of the tail above revision `after`, in ascending order."""
    found: Any = []
    if after < row.applied:
        # Primary keys of text_late and text_doc: a range of the one, a point of the other.
        found = list(
            tables.rows(
                "SELECT d.revision, d.length, d.terms FROM text_late l CROSS JOIN text_doc d"
                " WHERE d.scope=l.scope AND d.revision=l.revision AND l.scope=? AND l.revision>?"
                " ORDER BY l.revision LIMIT ?",
                (row.partition, after, limit),
            )
        )
    found += read_rows(tables, row.partition, max(after, row.applied), limit - len(found))
    return decode(found)


def read_rows(tables: Tables, partition: int, after: int, limit: int) -> list[tuple[int, int, bytes]]:
    """At most `limit` (revision, length, terms) rows of a partition above revision `after`, ascending."""
    rows: Any = tables.rows(
        "SELECT revision, length, terms FROM text_doc WHERE scope=? AND revision>? ORDER BY revision LIMIT ?",
        (partition, after, limit),
    )
    return list(rows)


def read_some(tables: Tables, partition: int, revisions: NDArray[np.int64]) -> list[tuple[int, int, bytes]]:
    """Those (revision, length, terms) rows of the given revisions that the partition has, in any order."""
    if not len(revisions):
        return []
    return list(_those_there(tables, partition, revisions))
