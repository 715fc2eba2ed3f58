"""Operations about how memories hang together: links, grounds and products made of them. Parameters, results and
declarations.

Owns no behaviour. Invariant: a link is told with both its ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.model.graph import EdgeKind
from palazzo.operations.declared import Operation, Scoped, told
from palazzo.operations.shared import A_MEMORY, Listing, OneMemoryParameters, StoredMemory

Direction = Literal["out", "in", "both"]


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


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link between two memories."""

    kind: str
    source: UUID
    target: UUID
    weight: float
    made_at: datetime


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why a memory is believed: in words, the happenings it came from, nearest first, and what it is linked with."""

    text: str
    clauses: tuple[ShownClause, ...]
    memory: StoredMemory
    origins: tuple[ShownOrigin, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelateParameters(Scoped):
    """Arguments of `relate`."""

    source: str = told("The memory the link starts from: its id or address.")
    target: str = told("The memory it leads to: its id or address.")
    kind: EdgeKind = told("What the link says.", "related_to")
    weight: float = told("How strong it is, from 0 to 1.", 1.0, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkParameters(Scoped):
    """Arguments of `walk`."""

    memory: str = told(A_MEMORY)
    direction: Direction = told("Follow links out, in or both ways.", "both")
    kinds: tuple[EdgeKind, ...] = told("Only links of these kinds.", ())
    depth: int = told("How many links away at most.", 2, low=1, high=20)
    limit: int = told("How many memories at most.", 100, low=1, high=1000)


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A memory a walk came to, and how many links away it is."""

    depth: int
    memory: StoredMemory


class Walked(Listing[Reached], frozen=True, kw_only=True):
    """The memories a walk came to, nearest first."""

    start: UUID
    listed: ClassVar[str] = "steps"
    steps: tuple[Reached, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathParameters(Scoped):
    """Arguments of `path`."""

    source: str = told("The memory to start from: its id or address.")
    target: str = told("The memory to arrive at: its id or address.")
    depth: int = told("How many links away at most.", 10, low=1, high=20)


class Pathway(Listing[StoredMemory], frozen=True, kw_only=True):
    """The shortest chain of links between two memories, both ends included; empty when there is none."""

    listed: ClassVar[str] = "memories"
    memories: tuple[StoredMemory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactParameters(Scoped):
    """Arguments of `impact`."""

    memory: str = told(A_MEMORY)
    depth: int = told("How many links away at most.", 10, low=1, high=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterParameters(Scoped):
    """Arguments of `register`."""

    name: str = told("The name of the product; registering it again makes its next revision.")
    place: str = told("Where it belongs.", blank=True)
    text: str = told("What it is, in a sentence.")
    made_from: tuple[str, ...] = told("What it was made from: ids or addresses of memories.", ())
    files: tuple[str, ...] = told("Its files, as paths or URLs; they stay where they are.", ())
    tags: tuple[str, ...] = told("Tags that point at this revision, such as approved.", ())


class ProductFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a product. `state` is unchanged, changed, missing or elsewhere; empty when it was not looked at."""

    name: str
    uri: str
    media_type: str
    size: int | None
    sha256: str | None
    state: str = ""


class ShownProduct(msgspec.Struct, frozen=True, kw_only=True):
    """A work product at one revision: what it is, its files, and what it was made from."""

    memory: StoredMemory
    files: tuple[ProductFile, ...]
    made_from: tuple[UUID, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductParameters(Scoped):
    """Arguments of `product`."""

    name: str = told("The name of the product.")
    place: str = told("Where it stands.", blank=True)
    tag: str = told("Which revision: the one this tag points at.", "approved")


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="why", arguments=OneMemoryParameters, result=Why, level=Level.read_public, where="memory", toolset="core",
        people="Show where a memory comes from and what it is linked with.",
        models="See where one memory comes from: who said it, when, in which conversation, and what it rests on.",
    ),
    Operation(
        name="relate", arguments=RelateParameters, result=Link, level=Level.write, where="memory", writes=True,
        idempotent=True, toolset="graph",
        people="Link two memories.",
        models="Say how two memories bear on each other: one depends on, is caused by, supports the other, and so on.",
    ),
    Operation(
        name="walk", arguments=WalkParameters, result=Walked, level=Level.read_public, where="memory", toolset="graph",
        people="Follow the links of a memory.",
        models="Follow the links of one memory to what it is connected with.",
    ),
    Operation(
        name="path", arguments=PathParameters, result=Pathway, level=Level.read_public, where="memory", toolset="graph",
        people="Show the shortest chain of links between two memories.",
        models="See how two memories are connected.",
    ),
    Operation(
        name="impact", arguments=ImpactParameters, result=Walked, level=Level.read_public, where="memory",
        toolset="graph",
        people="Show what rests on a memory.",
        models="See which memories would be shaken if this one turned out wrong.",
    ),
    Operation(
        name="register", arguments=RegisterParameters, result=ShownProduct, level=Level.write, where="place",
        writes=True, toolset="full",
        people="Register something that was made, with its files and what it was made from.",
        models="Register an output you made (a report, a design, a build) so that others find it; registering the same"
        " name again makes its next revision.",
    ),
    Operation(
        name="product", arguments=ProductParameters, result=ShownProduct, level=Level.read_public, where="reach",
        toolset="full",
        people="Find the revision of a product that a tag points at, such as the approved one.",
        models="Find the approved (or otherwise tagged) revision of something that was made.",
    ),
)  # fmt: skip
