"""Disagreements that wait for a person: listing them, and settling one.

A disagreement is a contradicts edge between two memories that are both believed. Settling keeps one and takes the other
out of belief, or keeps both; nothing is deleted, and what was taken out can be put back. Invariant: only what the
reader sees on both sides is listed or settled.
"""

from __future__ import annotations

from uuid import UUID

import msgspec

from palazzo.errors import NotFound
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Change, Receipt, RemoveEdge, SetDeprecated
from palazzo.model.graph import Edge, Node
from palazzo.model.memory import Memory
from palazzo.store.api import Store


class Disagreement(msgspec.Struct, frozen=True, gc=False):
    """Two memories that cannot both hold; `newer` was taken in when `older` was believed."""

    newer: Memory
    older: Memory
    score: float
    since_us: int


def inbox(store: Store, view: View, limit: int = 100) -> tuple[Disagreement, ...]:
    """Open disagreements, newest first."""
    with store.reading(view) as reading:
        return tuple(
            Disagreement(
                reading.memories.get(edge.source.memory_id), reading.memories.get(edge.target.memory_id), edge.weight,
                edge.created_us,
            )
            for edge in reading.known.conflicts(limit)
        )  # fmt: skip


def settle(store: Store, view: View, kept: UUID, other: UUID | None = None, *, both: bool = False) -> Receipt:
    """Believes `kept` and no longer what it disagrees with (only `other`, if given); `both` keeps them side by side.

    Raises: NotFound when there is no such disagreement.
    """
    with store.reading(view) as reading:
        found = [edge for edge in reading.known.conflicts(10_000) if _concerns(edge, kept, other)]
    if not found:
        raise NotFound(f"no disagreement of memory {kept} is open")
    changes: list[Change] = []
    for edge in found:
        changes.append(RemoveEdge("contradicts", edge.source, edge.target))
        loser = edge.target if edge.source.memory_id == kept else edge.source
        if not both:
            changes.append(SetDeprecated(loser.memory_id, True, f"settled in favour of {kept}"))
            changes.append(AddEdge("supersedes", Node(kept), Node(loser.memory_id)))
    return store.commit(changes, subject=view.subject)


def _concerns(edge: Edge, kept: UUID, other: UUID | None) -> bool:
    ends = {edge.source.memory_id, edge.target.memory_id}
    return kept in ends and (other is None or other in ends)
