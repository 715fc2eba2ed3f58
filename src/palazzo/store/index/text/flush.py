"""Moving documents about in the text index: tails into segments, small segments into larger ones, removed revisions out
of everything.

Owns the policy (when, and how much at once), the two halves of a step (`plan_flush` reads and computes in a read
snapshot, `apply_flush` writes the finished bytes in the caller's short write transaction, after checking that what
was read is still so) and the order of a removal: the forward row says which terms a revision has, so only the rows of
those terms are rewritten. It knows nothing of queries or of who may erase what. Invariants: each document is in
exactly one of its partition's tail and visible segments; after `remove` neither the forward rows, the late list, any
segment's arrays and lists, nor the counters know the revision, and segments that a rebuild is still preparing are
dropped with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.tables import Tables
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.documents import Documents, TextPartition
from palazzo.store.index.text.segments import Header, SegmentDraft

FLUSH_ROWS = 4096


class FlushPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """A tail of `rows` becomes a segment, `fan_in` segments of one size class become one, none exceeds `largest`.

    The default for `largest` keeps the write transaction near 100 ms (15 MB, encrypted). A segment with more than
    `empty_share` of its slots empty is written again without them.
    """

    rows: int = FLUSH_ROWS
    fan_in: int = 4
    largest: int = 163_840
    empty_share: float = 0.25


class TextFlush(msgspec.Struct, frozen=True):
    """A segment to write, and what it replaces: segments, or the front of a tail."""

    row: TextPartition
    replaced: tuple[Header, ...]
    draft: SegmentDraft


class TextState(msgspec.Struct, frozen=True):
    """A partition's documents: `tail` of them (the lag) are not in segments, which hold those up to `applied`."""

    partition: int
    docs: int
    tail: int
    segments: int
    applied: int
    unfinished: int
    """Segments that a rebuild is preparing, or left behind when it was interrupted."""


def pending(tables: Tables) -> list[tuple[int, int]]:
    """Scopes whose tail is due, with its rows, longest first."""
    # By text_scope_due, which SQLite recognises by the constant.
    rows: Any = tables.rows(f"SELECT scope, tail FROM text_scope WHERE tail >= {FLUSH_ROWS} ORDER BY tail DESC")
    return list(rows)


def unmerged(tables: Tables, fan_in: int = FlushPolicy().fan_in) -> list[int]:
    """Scopes with enough segments that a merge may be due, such as an interrupted pass leaves behind."""
    rows: Any = tables.rows(
        "SELECT scope FROM text_segment WHERE visible=1 GROUP BY scope HAVING count(*) >= ?", (fan_in,)
    )
    return [partition for (partition,) in rows]


def state(tables: Tables) -> list[TextState]:
    """One entry per partition that has or had documents."""
    return [
        TextState(*row)
        for row in tables.rows(
            "SELECT scope, docs, tail,"
            " (SELECT count(*) FROM text_segment g WHERE g.scope=s.scope AND visible=1), applied,"
            " (SELECT count(*) FROM text_segment g WHERE g.scope=s.scope AND visible=0)"
            " FROM text_scope s ORDER BY scope"
        )
    ]


def plan_flush(
    tables: Tables,
    partition: int,
    policy: FlushPolicy = FlushPolicy(),
) -> TextFlush | None:
    """The next step for a partition, or None when there is nothing to do; apply it and ask again."""
    with tables.moment():
        row = text_documents.read_partition(tables, partition)
        if row is None:
            return None
        if row.tail >= policy.rows:
            documents = text_documents.read_tail(tables, row, -1, policy.largest)
            if not len(documents.revisions):
                return None  # the counter is wrong, which verify says
            return TextFlush(row, (), text_segments.draft_of_documents(documents))
        group = _due(text_segments.headers_of(tables, partition), policy)
        if not group:
            return None
        return TextFlush(row, group, text_segments.draft_of_segments(tables, group))


def _due(headers: tuple[Header, ...], policy: FlushPolicy) -> tuple[Header, ...]:
    classes: dict[int, list[Header]] = {}
    for header in headers:
        if header.docs < header.slots * (1 - policy.empty_share):
            return (header,)
        size_class, size = 0, header.docs
        while size >= policy.rows * policy.fan_in:
            size //= policy.fan_in
            size_class += 1
        classes.setdefault(size_class, []).append(header)
    for members in classes.values():
        group: list[Header] = []
        docs = 0
        for header in members:
            if len(group) < policy.fan_in and docs + header.docs <= policy.largest:
                group.append(header)
                docs += header.docs
        # Fewer will do when a further one would not fit.
        if len(group) == policy.fan_in or (len(group) > 1 and docs > policy.largest * 0.75):
            return tuple(group)
    return ()


def apply_flush(tables: Tables, plan: TextFlush) -> bool:
    """Write a plan inside the caller's write transaction; False, nothing written, when its partition changed."""
    now = text_documents.read_partition(tables, plan.row.partition)
    if now is None:
        return False
    if plan.replaced:
        present = set(text_segments.headers_of(tables, now.partition))
        if not present.issuperset(plan.replaced):
            return False
        for header in plan.replaced:
            text_segments.delete(tables, header.id)
        _insert(tables, now.partition, plan.draft)
        tables.change("UPDATE text_scope SET structure=structure+1 WHERE scope=?", (now.partition,))
        return True
    if now.generation != plan.row.generation:
        return False
    moved = len(plan.draft.revisions)
    highest = int(plan.draft.revisions[-1])
    _insert(tables, now.partition, plan.draft)
    tables.change("DELETE FROM text_late WHERE scope=? AND revision<=?", (now.partition, highest))
    tables.change(
        "UPDATE text_scope SET tail=tail-?, applied=?, generation=generation+1, structure=structure+1 WHERE scope=?",
        (moved, max(now.applied, highest), now.partition),
    )
    return True


def _insert(tables: Tables, partition: int, draft: SegmentDraft) -> None:
    if len(draft.revisions):
        text_segments.insert(tables, partition, draft, visible=True)


# -- removal ---------------------------------------------------------------------------------------


def remove(tables: Tables, rows: Iterable[tuple[int, int]]) -> None:
    """Take (partition, revision) rows out inside the caller's write transaction; those not indexed are passed over."""
    by_partition: dict[int, list[int]] = {}
    for partition, revision in rows:
        by_partition.setdefault(partition, []).append(revision)
    for partition, revisions in by_partition.items():
        row = text_documents.read_partition(tables, partition)
        if row is None:
            continue
        found = text_documents.read_some(tables, partition, np.unique(np.array(revisions, np.int64)))
        if found:
            _remove_from_partition(tables, row, text_documents.decode(sorted(found)))


def _remove_from_partition(tables: Tables, row: TextPartition, documents: Documents) -> None:
    late_rows: Any = tables.rows("SELECT revision FROM text_late WHERE scope=?", (row.partition,))
    late = np.isin(documents.revisions, [revision for (revision,) in late_rows])
    in_tail = late | (documents.revisions > row.applied)
    keys = [(row.partition, revision) for revision in documents.revisions.tolist()]
    tables.change_many("DELETE FROM text_doc WHERE scope=? AND revision=?", keys)
    if late.any():
        tables.change_many("DELETE FROM text_late WHERE scope=? AND revision=?", keys)
    if not in_tail.all():
        _remove_from_segments(tables, row.partition, documents, np.flatnonzero(~in_tail))
    for header in text_segments.headers_of(tables, row.partition, visible=False):
        text_segments.delete(tables, header.id)
    # The generation moves even when the tail did not: a rebuild under way must notice.
    tables.change(
        "UPDATE text_scope SET docs=docs-?, length=length-?, tail=tail-?, generation=generation+1,"
        " structure=structure+? WHERE scope=?",
        (len(keys), int(documents.lengths.sum()), int(in_tail.sum()), int(not in_tail.all()), row.partition),
    )


def _remove_from_segments(tables: Tables, partition: int, documents: Documents, settled: NDArray[np.int64]) -> None:
    owners = documents.ordinals()
    for header in text_segments.headers_of(tables, partition):
        reached = (documents.revisions >= header.low) & (documents.revisions <= header.high)
        if not reached[settled].any():
            continue
        revisions, _ = text_segments.read_arrays(tables, header.id)
        slots = np.minimum(revisions.searchsorted(documents.revisions), header.slots - 1)
        here = np.zeros(len(documents.revisions), np.bool_)
        here[settled] = revisions[slots[settled]] == documents.revisions[settled]
        if here.any():
            mine = here[owners]
            text_segments.take_out(tables, header, slots[here], documents.hashes[mine], slots[owners[mine]])
