"""Checking the segments of the text index against its forward rows, and making them again.

Owns `verify` and `rebuild`. The forward rows are the truth here; whether those fit the remembered text is
asked by passing the truth to `verify`. Invariant of a rebuild: new segments stay invisible until one short
transaction swaps them for the old, so readers always have a complete index, an interrupted rebuild leaves
the old one in place, and leftovers are named by `verify`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import CorruptPalace
from palazzo.store.index.tables import EVERY, Tables, number
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.documents import Documents, TextPartition
from palazzo.store.index.text.flush import FLUSH_ROWS, FlushPolicy
from palazzo.store.index.text.segments import EMPTY, Header

_NAMED = 20  # differences named for each segment; the rest are counted
_ATTEMPTS = 5
_NO_SEGMENT = "id >> 32 NOT IN (SELECT id FROM text_segment)"


def verify(tables: Tables, truth: Iterable[tuple[int, int, Sequence[str]]] | None = None) -> list[str]:
    """Names every difference between counters, segments and forward rows.

    With `truth`, all (partition, revision, terms) there should be, also those between it and the forward rows.
    """
    with tables.moment():
        differences = [] if truth is None else _compare_with_truth(tables, truth)
        known = [partition for (partition,) in tables.rows("SELECT scope FROM text_scope ORDER BY scope")]
        stray = tables.rows(
            "SELECT scope FROM text_doc UNION SELECT scope FROM text_segment UNION SELECT scope FROM text_late"
            " EXCEPT SELECT scope FROM text_scope"
        )
        differences += [f"partition {partition}: rows without counters" for (partition,) in stray]
        for partition in known:
            row = text_documents.read_partition(tables, partition)
            if row is not None:
                differences += _verify_partition(tables, row)
        orphans = number(tables, f"SELECT count(*) FROM text_posting WHERE {_NO_SEGMENT}")
        if orphans:
            differences.append(f"{orphans} posting rows without a segment")
        return differences


def _compare_with_truth(tables: Tables, truth: Iterable[tuple[int, int, Sequence[str]]]) -> list[str]:
    differences = []
    seen = 0
    for partition, revision, terms in truth:
        row = tables.row("SELECT length, terms FROM text_doc WHERE scope=? AND revision=?", (partition, revision))
        seen += row is not None
        if row is None:
            differences.append(f"partition {partition}: revision {revision} is missing")
        elif row != text_documents.encode(terms):
            differences.append(f"partition {partition}: revision {revision} has other terms")
    extra = number(tables, "SELECT count(*) FROM text_doc") - seen
    if extra:
        differences.append(f"{extra} indexed revisions should not be there")
    return differences


def _verify_partition(tables: Tables, row: TextPartition) -> list[str]:
    name = f"partition {row.partition}"
    differences = []
    docs, length, _ = _counted(tables, row.partition, -1)
    if (docs, length) != (row.docs, row.length):
        differences.append(f"{name}: counters say {row.docs} documents of {row.length} terms, found {docs} of {length}")
    tail = len(text_documents.read_tail(tables, row, -1, EVERY).revisions)
    if tail != row.tail:
        differences.append(f"{name}: counters say a tail of {row.tail}, found {tail}")
    in_segments = np.empty(0, np.int64)
    for header in text_segments.headers_of(tables, row.partition):
        revisions, found = _verify_segment(tables, row.partition, header)
        differences += found
        in_segments = np.concatenate((in_segments, revisions))
    differences += _named(f"{name}: revisions in two segments", _repeated(in_segments))
    settled = _settled_revisions(tables, row)
    if not np.array_equal(settled, np.sort(in_segments)):
        differences += _named(f"{name}: revisions in no segment", np.setdiff1d(settled, in_segments))
        differences += _named(f"{name}: revisions in a segment only", np.setdiff1d(in_segments, settled))
    return differences


def _settled_revisions(tables: Tables, row: TextPartition) -> NDArray[np.int64]:
    rows = tables.rows(
        "SELECT revision FROM text_doc WHERE scope=? AND revision<=?"
        " EXCEPT SELECT revision FROM text_late WHERE scope=?",
        (row.partition, row.applied, row.partition),
    )
    return np.array([revision for (revision,) in rows], np.int64)


def _verify_segment(tables: Tables, partition: int, header: Header) -> tuple[NDArray[np.int64], list[str]]:
    """The revisions a segment holds, and where its arrays and lists differ from the forward rows."""
    name = f"partition {partition}, segment {header.id}"
    try:
        revisions, lengths = text_segments.read_arrays(tables, header.id)
    except CorruptPalace as error:
        return np.empty(0, np.int64), [f"{name}: {error.message}"]
    slots = np.flatnonzero(lengths != EMPTY)
    differences = []
    if len(slots) != header.docs:
        differences.append(f"{name}: counts {header.docs} documents, has {len(slots)}")
    documents = text_documents.decode(sorted(text_documents.read_some(tables, partition, revisions[slots])))
    there = np.isin(revisions[slots], documents.revisions)
    places = slots[there]
    if len(places) == len(documents.revisions):
        wrong = documents.lengths != lengths[places]
        differences += _named(f"{name}: revisions of another length", documents.revisions[wrong])
        expected = np.sort(_keys(documents, places))
        terms, packed = text_segments.read_all(tables, header.id)
        found = terms.astype(np.uint64) << np.uint64(32) | packed
        found = found[np.isin(packed >> np.uint32(8), places)] if not there.all() else found
        if np.any(found[1:] <= found[:-1]):
            differences.append(f"{name}: lists out of order")
        if np.array_equal(expected, found):  # the set operations below take ten seconds on a large segment
            return revisions[slots], differences
        for words, keys in (
            ("lists lack entries of revisions", np.setdiff1d(expected, found)),
            ("lists have extra entries of revisions", np.setdiff1d(found, expected)),
        ):
            owners = np.unique((keys & np.uint64(0xFFFFFFFF)) >> np.uint64(8)).astype(np.int64)
            differences += _named(f"{name}: {words}", revisions[np.minimum(owners, header.slots - 1)])
    return revisions[slots], differences


def _keys(documents: Documents, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    keys = documents.hashes.astype(np.uint64) << np.uint64(32)
    keys |= places[documents.ordinals()].astype(np.uint64) << np.uint64(8)
    keys |= documents.counts
    return keys


def _repeated(revisions: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(revisions)
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])


def _named(what: str, revisions: NDArray[np.int64]) -> list[str]:
    if not len(revisions):
        return []
    listed = ", ".join(str(revision) for revision in revisions[:_NAMED].tolist())
    more = f" and {len(revisions) - _NAMED} more" if len(revisions) > _NAMED else ""
    return [f"{what}: {listed}{more}"]


def rebuild(tables: Tables, progress: Callable[[int, int], None] | None = None) -> None:
    """Make every segment again from the forward rows, in transactions of its own.

    `progress` is told the documents done and the total. Beside others it tries a few times; a partition that keeps
    changing is then made in one transaction, for which writers wait.
    """
    total = number(tables, "SELECT count(*) FROM text_doc")
    done = 0

    def report(docs: int) -> None:
        if progress is not None:
            progress(done + docs, total)

    with tables.whole():
        tables.change(f"DELETE FROM text_posting WHERE {_NO_SEGMENT}")
    partitions = list(tables.rows("SELECT scope FROM text_doc UNION SELECT scope FROM text_scope ORDER BY 1"))
    for row in partitions:
        partition: Any = row[0]
        for _ in range(_ATTEMPTS):
            docs = _rebuild_partition(tables, partition, report)
            if docs is not None:
                break
        else:
            with tables.whole():
                docs = _rebuild_partition(tables, partition, report) or 0
        done += docs
    report(0)


def _rebuild_partition(tables: Tables, partition: int, report: Callable[[int], object]) -> int | None:
    """Documents rebuilt, or None when the partition changed meanwhile and the old segments stay.

    Hidden segments of another rebuild are left to it until this one is complete: who is first wins, and the other, or
    nobody if it was cut off, finds that the structure has changed.
    """
    with tables.whole():
        tables.change(
            "INSERT INTO text_scope(scope,docs,length,tail,high,applied,generation,structure)"
            " VALUES(?,0,0,0,0,0,0,0) ON CONFLICT DO NOTHING",
            (partition,),
        )
        before = text_documents.read_partition(tables, partition)
    docs = length = applied = 0
    made: list[int] = []
    while True:
        rows = text_documents.read_rows(tables, partition, applied, FlushPolicy().largest)
        if len(rows) < FLUSH_ROWS:
            break
        documents = text_documents.decode(rows)
        draft = text_segments.draft_of_documents(documents)
        with tables.whole():
            made.append(text_segments.insert(tables, partition, draft, visible=False))
        docs += len(rows)
        length += int(documents.lengths.sum())
        applied = int(documents.revisions[-1])
        report(docs)
    with tables.whole():
        now = text_documents.read_partition(tables, partition)
        if before is None or now is None or (now.generation, now.structure) != (before.generation, before.structure):
            for segment in made:
                text_segments.delete(tables, segment)
            return None
        for visible in (True, False):
            for header in text_segments.headers_of(tables, partition, visible=visible):
                if header.id not in made:
                    text_segments.delete(tables, header.id)
        tables.change("UPDATE text_segment SET visible=1 WHERE scope=?", (partition,))
        tables.change("DELETE FROM text_late WHERE scope=?", (partition,))
        tail, tail_length, high = _counted(tables, partition, applied)
        tables.change(
            "UPDATE text_scope SET docs=?, length=?, tail=?, high=?, applied=?, generation=generation+1,"
            " structure=structure+1 WHERE scope=?",
            (docs + tail, length + tail_length, tail, max(now.high, applied, high), applied, partition),
        )
    return docs + tail


def _counted(tables: Tables, partition: int, after: int) -> tuple[int, int, int]:
    """The forward rows above revision `after`: how many, their lengths together, the highest revision (0 of none)."""
    found = tables.row(
        "SELECT count(*), coalesce(sum(length), 0), coalesce(max(revision), 0) FROM text_doc"
        " WHERE scope=? AND revision>?",
        (partition, after),
    )
    rows, length, highest = map(int, found or (0, 0, 0))
    return rows, length, highest
