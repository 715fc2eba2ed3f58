"""Moving tails into segments and small segments into larger ones.

Owns the policy (when, and how much at once) and the two halves of a step: `plan_flush` reads and computes in
a read snapshot, `apply_flush` writes the finished bytes in the caller's short write transaction, after
checking that what was read is still so. It knows nothing of queries. Invariant: each document is in exactly
one of its scope's tail and visible segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palazzo.store.index.tables import Tables
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.documents import ScopeRow
from palazzo.store.index.text.segments import Draft, Header

FLUSH_ROWS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushPolicy:
    """A tail of `rows` becomes a segment, `fan_in` segments of one size class become one, none exceeds `largest`.

    The default for `largest` keeps the write transaction near 100 ms (15 MB, encrypted). A segment with more than
    `empty_share` of its slots empty is written again without them.
    """

    rows: int = FLUSH_ROWS
    fan_in: int = 4
    largest: int = 163_840
    empty_share: float = 0.25


@dataclass(frozen=True, slots=True)
class FlushPlan:
    """A segment to write, and what it replaces: segments, or the front of a tail."""

    row: ScopeRow
    replaced: tuple[Header, ...]
    draft: Draft


@dataclass(frozen=True, slots=True)
class TextState:
    """A scope's documents: `tail` of them (the lag) are not in segments, which hold those up to `applied`."""

    scope: int
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
    return [scope for (scope,) in rows]


def state(tables: Tables) -> list[TextState]:
    """One entry per scope that has or had documents."""
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
    scope: int,
    policy: FlushPolicy = FlushPolicy(),
) -> FlushPlan | None:
    """The next step for a scope, or None when there is nothing to do; apply it and ask again."""
    with tables.moment():
        row = text_documents.read_scope(tables, scope)
        if row is None:
            return None
        if row.tail >= policy.rows:
            documents = text_documents.read_tail(tables, row, -1, policy.largest)
            if not len(documents.revisions):
                return None  # the counter is wrong, which verify says
            return FlushPlan(row, (), text_segments.draft_of_documents(documents))
        group = _due(text_segments.headers_of(tables, scope), policy)
        if not group:
            return None
        return FlushPlan(row, group, text_segments.draft_of_segments(tables, group))


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


def apply_flush(tables: Tables, plan: FlushPlan) -> bool:
    """Write a plan inside the caller's write transaction; False, nothing written, when the scope changed under it."""
    now = text_documents.read_scope(tables, plan.row.scope)
    if now is None:
        return False
    if plan.replaced:
        present = set(text_segments.headers_of(tables, now.scope))
        if not present.issuperset(plan.replaced):
            return False
        for header in plan.replaced:
            text_segments.delete(tables, header.id)
        _insert(tables, now.scope, plan.draft)
        tables.change("UPDATE text_scope SET structure=structure+1 WHERE scope=?", (now.scope,))
        return True
    if now.generation != plan.row.generation:
        return False
    moved = len(plan.draft.revisions)
    highest = int(plan.draft.revisions[-1])
    _insert(tables, now.scope, plan.draft)
    tables.change("DELETE FROM text_late WHERE scope=? AND revision<=?", (now.scope, highest))
    tables.change(
        "UPDATE text_scope SET tail=tail-?, applied=?, generation=generation+1, structure=structure+1 WHERE scope=?",
        (moved, max(now.applied, highest), now.scope),
    )
    return True


def _insert(tables: Tables, scope: int, draft: Draft) -> None:
    if len(draft.revisions):
        text_segments.insert(tables, scope, draft, visible=True)
