"""Edges: the one vocabulary of typed, directed, weighted links, and which kinds may never form a cycle.

Acyclic kinds fall into families. Inside a family a cycle is refused even across kinds, because walks such as
`impact` follow the family as a whole; across families a circle is legitimate (a schema is derived from episodes
that are instances of it).
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

import msgspec

EdgeKind = Literal[
    "depends_on", "derived_from", "supersedes", "referenced", "contains", "created_from", "mentions", "similar_to",
    "caused_by", "contradicts", "supports", "related_to", "instance_of", "inferred_from",
]  # fmt: skip
EDGE_KINDS: tuple[EdgeKind, ...] = EdgeKind.__args__  # type: ignore[attr-defined]

ACYCLIC_FAMILIES: tuple[frozenset[EdgeKind], ...] = (
    frozenset({"depends_on", "derived_from", "created_from", "inferred_from"}),
    frozenset({"supersedes"}),
    frozenset({"caused_by"}),
    frozenset({"instance_of"}),
)
IMPACT_KINDS: tuple[EdgeKind, ...] = ("depends_on", "derived_from", "inferred_from")


def family_of(kind: EdgeKind) -> frozenset[EdgeKind]:
    """The kinds that together may not form a cycle with `kind`; empty when cycles are allowed."""
    return next((family for family in ACYCLIC_FAMILIES if kind in family), frozenset())


class Node(msgspec.Struct, frozen=True, gc=False, order=True):
    """One end of an edge: a memory as a whole, or one of its revisions."""

    memory_id: UUID
    revision: int | None = None


class Edge(msgspec.Struct, frozen=True, gc=False):
    kind: EdgeKind
    source: Node
    target: Node
    weight: float = 1.0
    created_us: int = 0


class EdgeDraft(msgspec.Struct, frozen=True, gc=False):
    """An edge from the memory being written. `own_revision` ties it to the new revision, not the whole memory."""

    kind: EdgeKind
    target: Node
    weight: float = 1.0
    own_revision: bool = True
