"""What ties memories together: edges, the entities and relations that texts name, and where a memory came from.

Owns the one vocabulary of typed, directed, weighted links and says which kinds may never form a cycle.

Acyclic kinds fall into families. Inside a family a cycle is refused even across kinds, because walks such as
`impact` follow the family as a whole; across families a circle is legitimate (a schema is derived from episodes
that are instances of it). A node of provenance points only at nodes that are not
newer than itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

import msgspec

from palazzo.model.scope import Scope

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
    frozenset({"contains"}),
)
IMPACT_KINDS: tuple[EdgeKind, ...] = ("depends_on", "derived_from", "inferred_from", "created_from")


def family_of(kind: EdgeKind) -> frozenset[EdgeKind]:
    """The kinds that together may not form a cycle with `kind`; empty when cycles are allowed."""
    return next((family for family in ACYCLIC_FAMILIES if kind in family), frozenset())


class Node(msgspec.Struct, frozen=True, gc=False, order=True):
    """One end of an edge: a memory as a whole, or one of its revisions."""

    memory_id: UUID
    revision: int | None = None


class Edge(msgspec.Struct, frozen=True, gc=False):
    """`metadata` are JSON values told of the link; None where nobody told any."""

    kind: EdgeKind
    source: Node
    target: Node
    weight: float = 1.0
    created_us: int = 0
    metadata: Mapping[str, Any] | None = None


class EdgeDraft(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An edge from the memory being written. `own_revision` ties it to the new revision, not the whole memory."""

    kind: EdgeKind
    target: Node
    weight: float = 1.0
    own_revision: bool = True


EntityKind = Literal[
    "person", "organization", "location", "technology", "project", "file", "service", "concept", "event", "other"
]  # fmt: skip
ENTITY_KINDS: tuple[EntityKind, ...] = EntityKind.__args__  # type: ignore[attr-defined]


class MentionDraft(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An entity as a text names it: `name` canonical, `text` as written, `known_as` the name it already has if any."""

    name: str
    kind: EntityKind
    text: str = ""
    known_as: str = ""


class RelationDraft(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A triple between two named entities."""

    subject: str
    predicate: str
    object: str
    confidence: float = 1.0


class Entity(msgspec.Struct, frozen=True, gc=False):
    id: UUID
    name: str
    kind: EntityKind
    scope: Scope
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    first_us: int = 0
    """When the oldest memory that mentions it was made, and when the newest words were; 0 where nobody counted."""
    last_us: int = 0


OFTEN = 5
"""How often a relation is stated until saying it again makes it no stronger."""
RECENT_US = 90 * 86_400_000_000
"""After this long without being stated a relation counts half as recent."""


class Relation(msgspec.Struct, frozen=True, gc=False):
    subject: str
    predicate: str
    object: str
    count: int
    last_us: int
    confidence: float
    outward: bool = True
    """Whether the entity it was asked of is its subject."""

    def strength(self, now_us: int) -> float:
        """From 0 to 1: four tenths how often it was stated, three how lately, three how surely."""
        recency = float(0.5 ** (max(0, now_us - self.last_us) / RECENT_US))
        return 0.4 * min(1.0, self.count / OFTEN) + 0.3 * recency + 0.3 * min(1.0, self.confidence)


class Profile(msgspec.Struct, frozen=True, gc=False):
    """All that is known of an entity: itself, what was joined with it, its relations, and who mentions it by key."""

    entity: Entity
    joined: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    keys: tuple[int, ...]


NodeKind = Literal[
    "conversation", "file", "command", "app_activation", "message", "capture", "tool", "web", "import", "inference",
    "dream",
]  # fmt: skip
NODE_KINDS: tuple[NodeKind, ...] = NodeKind.__args__  # type: ignore[attr-defined]
LinkKind = Literal["caused_by", "context_for", "triggered_by", "mentioned_in"]
LINK_KINDS: tuple[LinkKind, ...] = LinkKind.__args__  # type: ignore[attr-defined]
PROVENANCE_DEPTH = 5
CLAIMED = "claimed"
"""The stage of a source that anyone but the operator named: it is shown, and counts for nothing."""


class ProvenanceNode(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Something that happened. `label` is a short name for people: a file path, a command, a conversation id.

    `metadata` are JSON values told of it, `sha256` says which content it had.
    """

    id: UUID
    kind: NodeKind
    at_us: int
    label: str = ""
    author: str = ""
    metadata: Mapping[str, Any] | None = None
    sha256: str = ""


class ProvenanceEdge(msgspec.Struct, frozen=True, gc=False):
    kind: LinkKind
    source: UUID
    target: UUID


class Source(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Where a revision came from: the node, the character span of its text, and the stage that made it."""

    node: ProvenanceNode
    kind: LinkKind = "mentioned_in"
    start: int | None = None
    end: int | None = None
    stage: str = "remember"
