"""Operations about how memories hang together: links, grounds, products made of them, and the people and things they
speak of. Parameters, results and declarations.

Owns no behaviour. Invariant: a link is told with both its ends.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.model.graph import EdgeKind, EntityKind, LinkKind
from palazzo.operations.declared import Operation, Scoped, told, tool
from palazzo.operations.shared import (
    A_MEMORY,
    DEPRECATED_TOO,
    Listing,
    SeenMemoryParameters,
    ShownArtifact,
    StoredMemory,
)

Direction = Literal["out", "in", "both"]
OriginKind = Literal["file", "command", "app_activation", "tool", "message", "web", "conversation", "capture"]
AN_END = "its id or address; an address with ?r=2 or ?t=TAG means that revision alone."


class ShownClause(msgspec.Struct, frozen=True, kw_only=True):
    """One clause of an account, and what it speaks of: the id of a happening, or the address of a revision."""

    text: str
    about: str


class ShownOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """A happening behind a memory: what it was, when, how it bears on the memory and how many links away."""

    id: UUID
    kind: str
    at: datetime
    label: str
    author: str
    link: str
    depth: int
    metadata: dict[str, Any] = {}
    sha256: str = ""
    """Which content it had, where that was told."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link between two memories, or between single revisions of them: none means the memory as a whole."""

    kind: str
    source: UUID
    target: UUID
    weight: float
    made_at: datetime
    metadata: dict[str, Any] = {}
    """What was told of the link."""
    source_revision: int | None = None
    target_revision: int | None = None


class Unlinked(Link, frozen=True, kw_only=True):
    """A link that was taken away, as it was."""


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why a memory is believed: in words, the happenings it came from, nearest first, and what it is linked with."""

    text: str
    clauses: tuple[ShownClause, ...]
    memory: StoredMemory
    origins: tuple[ShownOrigin, ...]
    links: tuple[Link, ...]


class OriginAddParameters(Scoped):
    of: str = told("The memory that came of it, by id, address or name, or the id of a later origin it stands behind.")
    kind: OriginKind = told("What it was.")
    label: str = told("Its short name: the path of a file, a command line, the name of an app or tool, a URL.")
    link: LinkKind | None = told(
        "How it bears on what came of it: caused_by, context_for, triggered_by or mentioned_in; by its kind when left"
        " out.", None,
    )  # fmt: skip
    at: datetime | None = told("When it happened; now when left out.", None)
    author: str = told("Who did it; anyone but the operator names itself alone.", "")
    metadata: dict[str, Any] | None = told("JSON values to keep with it, such as line, exit_code or title.", None)
    sha256: str = told("The SHA-256 of its content, in hex; of a local file the operator names it is worked out.", "")


class OriginLinkParameters(Scoped):
    source: str = told("What came of it: a memory, or the id of the later origin.")
    target: str = told("The id of the earlier origin, as `why` tells it.")
    kind: LinkKind = told("How the earlier one bears on the later: such as triggered_by.", "context_for")


class RelateParameters(Scoped):
    source: str = told(f"The memory the link starts from: {AN_END}")
    target: str = told(f"The memory it leads to: {AN_END}")
    kind: EdgeKind = told("What the link says.", "related_to")
    weight: float | None = told(
        "How strong it is, from 0 to 1; a new link is 1, one that is there stays as strong as it is.", None,
        low=0, high=1,
    )  # fmt: skip
    metadata: dict[str, Any] | None = told(
        "JSON values to keep with the link, such as why it was drawn; {} empties what is kept, left out leaves it.",
        None,
    )


class UnrelateParameters(Scoped):
    source: str = told(f"The memory the link starts from: {AN_END}")
    target: str = told(f"The memory it leads to: {AN_END}")
    kind: EdgeKind = told("What the link says.", "related_to")


class WalkParameters(Scoped):
    memory: str = told(A_MEMORY)
    direction: Direction = told("Follow links out, in or both ways.", "both")
    kinds: tuple[EdgeKind, ...] = told("Only links of these kinds.", ())
    depth: int = told("How many links away at most.", 2, low=1, high=20)
    limit: int = told("How many memories at most.", 100, low=1, high=1000)
    include_deprecated: bool = told(DEPRECATED_TOO, False)


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A memory a walk came to, how many links away it is, and the link that led to it."""

    depth: int
    memory: StoredMemory
    link: Link | None = None


class Walked(Listing[Reached], frozen=True, kw_only=True):
    """The memories a walk came to, nearest first."""

    start: UUID
    steps: tuple[Reached, ...]


class PathParameters(Scoped):
    source: str = told("The memory to start from: its id or address.")
    target: str = told("The memory to arrive at: its id or address.")
    depth: int = told("How many links away at most.", 10, low=1, high=20)
    include_deprecated: bool = told(DEPRECATED_TOO, False)


class Pathway(Listing[StoredMemory], frozen=True, kw_only=True):
    """The shortest chain of links between two memories, both ends included; empty when there is none.

    `links` are the steps from each memory to the next.
    """

    memories: tuple[StoredMemory, ...]
    links: tuple[Link, ...] = ()


class ImpactParameters(Scoped):
    memory: str = told(A_MEMORY)
    depth: int = told("How many links away at most.", 10, low=1, high=20)
    include_deprecated: bool = told(DEPRECATED_TOO, False)


class RegisterParameters(Scoped):
    name: str = told("The name of the product; registering it again makes its next revision.")
    place: str = told("Where it belongs.", blank=True)
    text: str = told("What it is, in a sentence.")
    made_from: tuple[str, ...] = told("What it was made from: ids or addresses of memories.", ())
    files: tuple[str, ...] = told("Its files, as paths or URLs; they stay where they are.", ())
    tags: tuple[str, ...] = told("Tags that point at this revision, such as approved.", ())


class ShownProduct(msgspec.Struct, frozen=True, kw_only=True):
    """A work product at one revision: what it is, its files, and what it was made from."""

    memory: StoredMemory
    files: tuple[ShownArtifact, ...]
    made_from: tuple[UUID, ...]
    degraded: tuple[str, ...] = ()


class ProductParameters(Scoped):
    name: str = told("The name of the product.")
    place: str = told("Where it stands.", blank=True)
    tag: str = told("Which revision: the one this tag points at.", "approved")


class EntitiesParameters(Scoped):
    kind: EntityKind | None = told("Only people, organizations or another kind of thing.", None)
    words: str = told("Only those with these words in one of their names.", "")
    limit: int = told("How many at most.", 50, low=1, high=1000)


class KnownEntity(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody or something that memories speak of: its names, how many mention it, since when and until when."""

    id: UUID
    name: str
    kind: str
    names: tuple[str, ...]
    scope: str
    mentions: int
    first_seen: datetime | None
    last_seen: datetime | None


class EntityList(Listing[KnownEntity], frozen=True, kw_only=True):
    """People and things that memories speak of, most mentioned first."""

    entities: tuple[KnownEntity, ...]


class EntityParameters(Scoped):
    name: str = told("A name of the person or thing, in any of its writings.")
    limit: int = told("How many memories and relations at most.", 50, low=1, high=1000)


class ShownRelation(msgspec.Struct, frozen=True, kw_only=True):
    """How an entity stands to another, read from its side: `relation` is what it is to `other`.

    `stated` is the relation as memories state it; `strength` is from 0 to 1 by how often, how lately and how surely.
    """

    relation: str
    other: str
    stated: str
    strength: float
    count: int
    last_at: datetime
    confidence: float


class DatedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory and the time it is about."""

    at: datetime
    memory: StoredMemory


class EntityProfile(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of somebody or something: relations, strongest first, and what memories say of it by the time
    they are about, oldest first. `joined` are entities that were merged into it and can be split off again."""

    entity: KnownEntity
    joined: tuple[KnownEntity, ...]
    relations: tuple[ShownRelation, ...]
    timeline: tuple[DatedMemory, ...]


class MergeEntitiesParameters(Scoped):
    name: str = told("The name it is known by afterwards.")
    other: str = told("The other name of the same person or thing.")


class SplitEntityParameters(Scoped):
    name: str = told("The name that means somebody or something else.")


class BundleParameters(Scoped):
    name: str = told("The name of the bundle; it is made on first use.")
    place: str = told("Where it belongs.", blank=True)
    text: str = told("What it holds together, in a sentence; as before when left out.", "")
    add: tuple[str, ...] = told("Memories to put into it: ids or addresses.", ())
    remove: tuple[str, ...] = told("Memories to take out of it: ids or addresses.", ())


class ShownMember(msgspec.Struct, frozen=True, kw_only=True):
    """A memory of a bundle, and since when it is in it."""

    memory: StoredMemory
    since: datetime


class Bundled(Listing[ShownMember], frozen=True, kw_only=True):
    """A bundle and what it holds, oldest member first, as far as the caller sees it."""

    bundle: StoredMemory
    members: tuple[ShownMember, ...]
    degraded: tuple[str, ...] = ()


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "why", SeenMemoryParameters, Why, Level.read_public, "memory", toolset="core",
        people="Show where a memory comes from and what it is linked with.",
        models="See where one memory comes from: who said it, when, in which conversation, and what it rests on.",
    ),
    Operation(
        "origin_add", OriginAddParameters, ShownOrigin, Level.write, "memory", writes=True, toolset="graph",
        people="Tell what a memory came of: a file, a command, an app, a tool, a message or a web page.",
        models="Tell what a memory came of (the file you read, the command that ran, the tool or page that said so), so"
        " that `why` can name it.",
    ),
    Operation(
        "origin_link", OriginLinkParameters, ShownOrigin, Level.write, "memory", writes=True, idempotent=True,
        toolset="graph",
        people="Tell how an earlier origin bears on a later one, or on a memory.",
        models="Tell that one happening behind a memory stood behind another: caused it, triggered it, was around it.",
    ),
    Operation(
        "relate", RelateParameters, Link, Level.write, "memory", writes=True, idempotent=True, toolset="graph",
        people="Link two memories.",
        models="Say how two memories bear on each other: one depends on, is caused by, supports the other, and so on.",
    ),
    Operation(
        "unrelate", UnrelateParameters, Unlinked, Level.write, "memory", writes=True, toolset="graph",
        people="Take a link between two memories away.",
        models="Take back a link between two memories that is wrong.",
    ),
    Operation(
        "walk", WalkParameters, Walked, Level.read_public, "memory", toolset="graph",
        people="Follow the links of a memory.",
        models="Follow the links of one memory to what it is connected with.",
    ),
    Operation(
        "path", PathParameters, Pathway, Level.read_public, "memory", toolset="graph",
        people="Show the shortest chain of links between two memories.",
        models="See how two memories are connected.",
    ),
    Operation(
        "impact", ImpactParameters, Walked, Level.read_public, "memory", toolset="graph",
        people="Show what rests on a memory.",
        models="See which memories would be shaken if this one turned out wrong.",
    ),
    Operation(
        "register", RegisterParameters, ShownProduct, Level.write, "place", writes=True, toolset="full",
        people="Register something that was made, with its files and what it was made from.",
        models="Register an output you made (a report, a design, a build) so that others find it; registering the same"
        " name again makes its next revision.",
    ),
    tool(
        "product", ProductParameters, ShownProduct, Level.read_public,
        people="Find the revision of a product that a tag points at, such as the approved one.",
        models="Find the approved (or otherwise tagged) revision of something that was made.",
    ),
    Operation(
        "entities", EntitiesParameters, EntityList, Level.read_public, "reach", toolset="graph",
        people="List the people and things that memories speak of, most mentioned first.",
        models="See which people, projects, places and things are known, and by which names.",
    ),
    Operation(
        "entity", EntityParameters, EntityProfile, Level.read_public, "reach", toolset="graph",
        people="Show what is known of a person or thing: names, relations both ways, and its timeline.",
        models="Get everything known about one person or thing: names, relations to others, what happened when.",
    ),
    Operation(
        "merge_entities", MergeEntitiesParameters, EntityProfile, Level.write, "palace", writes=True, toolset="graph",
        people="Take two names for the same person or thing; split_entity undoes it.",
        models="Say that two names mean the same person or thing. It can be undone with split_entity.",
    ),
    Operation(
        "split_entity", SplitEntityParameters, EntityProfile, Level.write, "palace", writes=True, toolset="graph",
        people="Tell a name apart from the person or thing it was taken for; merge_entities undoes it.",
        models="Say that a name was wrongly taken for somebody or something else. merge_entities undoes it.",
    ),
    Operation(
        "bundle", BundleParameters, Bundled, Level.write, "place", writes=True, idempotent=True, toolset="full",
        people="Group memories under a name, add to the group or take out of it.",
        models="Keep memories together under a name (a trip, a release, a case), add to such a bundle or take out of"
        " it.",
    ),
    Operation(
        "members", SeenMemoryParameters, Bundled, Level.read_public, "memory", toolset="full",
        people="Show what a bundle holds.",
        models="See which memories a bundle holds together.",
    ),
)  # fmt: skip
