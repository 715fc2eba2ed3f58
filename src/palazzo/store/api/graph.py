"""Memories and the graph between them, as one reader may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from palazzo.model.address import Kref, Place, PlaceGlob
from palazzo.model.graph import (
    PROVENANCE_DEPTH,
    Edge,
    EdgeKind,
    Entity,
    EntityKind,
    MentionDraft,
    Profile,
    ProvenanceNode,
    Source,
)
from palazzo.model.memory import Artifact, Memory, Revision, TagMove
from palazzo.model.scope import Scope
from palazzo.store.api.values import (
    MAX_ATOMS,
    Ancestor,
    AtomRow,
    Breadcrumb,
    Direction,
    Drawn,
    EdgeStep,
    EdgeWalk,
    FirstSource,
    MapPoint,
    Marks,
    Noted,
    PlaceInfo,
    Spread,
    TrailPart,
)


class Memories(Protocol):
    """Memories this reader may see."""

    def get(self, memory_id: UUID) -> Memory:
        """One memory by id, with its atoms.

        Raises: NotFound, also when it exists but this reader may not see it.
        """

    def at_address(self, kref: Kref) -> Memory:
        """The memory a kref names, at the revision, tag or time it asks for.

        Raises: NotFound.
        """

    def with_sources(self, keys: Sequence[int]) -> tuple[dict[int, Memory], dict[int, FirstSource]]:
        """The visible ones among these revisions by key, without atoms, and the earliest source of each that has one:
        what a page of hits shows, in one read."""

    def by_keys(self, keys: Sequence[int]) -> dict[int, Memory]:
        """Memories by revision key, only those this reader may see as current. The way from index hits to content."""

    def earlier(self, keys: Sequence[int]) -> list[tuple[int, Memory]]:
        """For current revisions, by key, what their memories said before and what they superseded, newest first."""

    def history(self, memory_id: UUID) -> tuple[Revision, ...]:
        """Every revision of a memory this reader may see, oldest first."""

    def kinds_of(self, keys: Sequence[int]) -> dict[int, str]:
        """The kind of each of these visible revisions, by key."""

    def marks_of(self, keys: Sequence[int]) -> Marks:
        """The marks of the visible ones among these revisions, in their order."""

    def noted(self, keys: Sequence[int], marks: Marks | None = None) -> Noted:
        """What is noted of the texts of the visible ones among these revisions, in their order; out of their marks, if
        these were read."""

    def uses_of(self, keys: Sequence[int]) -> list[tuple[int, int]]:
        """When each of these visible revisions' memories was last used and in how many sessions, in their order."""

    def standing(self, limit: int, *, preferences: bool = False) -> list[int]:
        """Keys of the newest visible standing instructions, and preferences if asked for.

        Instructions are those that act on the reader: its own, the owner's and what the operator approved. A taste that
        another told is one, unless it came with an import.
        """

    def procedures(self, limit: int, among: Sequence[int]) -> list[int]:
        """Keys of the newest visible procedures, and of those among these revisions, ascending.

        What another wrote or an import brought is no way of doing things here until the operator approved it.
        """

    def stalest(self, limit: int = 5) -> tuple[tuple[UUID, float], ...]:
        """Visible memories flagged as stale, most severe first."""


class Artifacts(Protocol):
    """Pointers to content that stays where it is."""

    def at(self, key: int) -> tuple[Artifact, ...]:
        """The artifacts of a revision that this reader was shown."""

    def of(self, memory_id: UUID) -> tuple[Artifact, ...]:
        """The artifacts of a memory's current revision."""


class Edges(Protocol):
    """The graph between memories this reader may see."""

    def of(self, memory_id: UUID, direction: Direction = "both", limit: int = 200) -> tuple[Edge, ...]:
        """The edges of a memory whose other end this reader may see."""

    def walk(self, start: UUID, walk: EdgeWalk) -> tuple[EdgeStep, ...]:
        """Breadth-first from a memory; every step passes the reader's filter before it is walked on from."""

    def path(self, start: UUID, goal: UUID, depth: int = 10) -> tuple[EdgeStep, ...]:
        """The shortest chain of memories between two along edges in either direction, both ends included; empty when
        there is none."""

    def impact(self, start: UUID, depth: int = 10) -> tuple[EdgeStep, ...]:
        """What rests on a memory, through depends_on, derived_from, inferred_from and created_from."""

    def between(self, keys: Collection[int], limit: int) -> tuple[tuple[int, int, EdgeKind], ...]:
        """The newest edges whose ends are both among these memories, by their numbers: source, target, kind."""

    def origins(self, keys: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """For revisions made out of other memories, the keys of those (their current revisions), oldest edge first.

        An edge of another revision of the same memory does not count.
        """

    def drawn(self, keys: Sequence[int], now_us: int) -> list[Drawn]:
        """What was ever drawn from these revisions in the scopes and places of this reader, and what became of it.

        What its memory says more fully since is told as revised: whoever asks compares the texts.
        """

    def spread(self, seeds: Mapping[int, float], how: Spread) -> dict[int, float]:
        """Activation of revisions (by key) reached from seed revisions along edges either way; the strongest path
        counts.

        Seeds themselves are left out.
        """


class Entities(Protocol):
    """People, things and their other names."""

    def named(self, name: str, limit: int = 20) -> tuple[Entity, ...]:
        """The entities this reader sees under a name or alias, each as the one it was merged into."""

    def mentioning(self, entity: UUID, limit: int = 200) -> tuple[int, ...]:
        """Keys of visible revisions that mention an entity or what was merged into it, newest first."""

    def listed(self, kind: EntityKind | None = None, words: str = "", limit: int = 100) -> tuple[Entity, ...]:
        """The entities that memories of this reader mention, most mentioned first, with what it sees of each.

        Of one kind, or with `words` in one of their names, if that is asked for.
        """

    def mentioned_in(self, key: int) -> tuple[MentionDraft, ...]:
        """What a revision that this reader was shown mentions, as its words name it."""

    def profile(self, name: str, limit: int = 200) -> Profile | None:
        """What this reader knows of whatever has this name; None when no memory it sees speaks of it.

        A relation is told while the memory that stated it last is seen and believed.
        """

    def other_names(self, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """By key, the other names of what this reader knows under these keys (normalised names); most have none.

        Names a memory this reader sees said to be the same come first, then other writings of something such a memory
        mentions.
        """

    def tied(self, name: str, predicate: str, limit: int = 8) -> tuple[tuple[str, str], ...]:
        """Names of what is tied to somebody by a relation, each with the text of the memory that says so, newest first.

        Only memories that this reader sees and that are believed count; where none is, those that once were: who
        somebody is stays so when what else was said of them is over.
        """

    def beginning_with(
        self, scope: Scope, letters: Iterable[str], kind: EntityKind, limit: int = 100
    ) -> tuple[str, ...]:
        """Names of a scope's entities of one kind that begin with one of the letters."""

    def without_alias(self, scope: Scope, names: Iterable[str]) -> list[str]:
        """Those of the names that no entity of a scope has, in order."""


class Places(Protocol):
    """The tree of places."""

    def children(self, place: Place, limit: int = 1000, *, empty: bool = True) -> tuple[PlaceInfo, ...]:
        """The places directly below, with counts of what this reader sees in them.

        A place is named by whoever first put something there: without `empty` it is told only to those who see a
        memory in it or below it, so that no name of somebody else's reaches them.
        """

    def counted(self, glob: PlaceGlob | None = None) -> tuple[PlaceInfo, ...]:
        """Every place in which this reader sees a memory, with how many and when the newest came."""

    def kinds(self, glob: PlaceGlob | None = None) -> tuple[tuple[str, int], ...]:
        """The kinds of what this reader sees there, with how many, most first."""

    def placed(self, edges: Sequence[int], glob: PlaceGlob | None = None) -> tuple[tuple[Place, int, int], ...]:
        """How many visible memories came, by place and span: the n-th span is from the n-th moment to the next."""

    def standing(self, limit: int, glob: PlaceGlob | None = None) -> tuple[MapPoint, ...]:
        """Where the newest visible memories stand, oldest first, without what they say."""

    def topics(self, limit: int, among: int, glob: PlaceGlob | None = None) -> tuple[tuple[str, int], ...]:
        """The topics of the newest visible memories, at most so many of them, with how many have each, most first."""

    def facts(
        self, glob: PlaceGlob | None = None, about: str = "", attribute: str = "", limit: int = MAX_ATOMS
    ) -> tuple[AtomRow, ...]:
        """Held atoms of a place, with these words in subject or value, of this predicate; oldest revision first."""

    def visits(self, part: TrailPart) -> int:
        """How many visits that are; as many as the limit of the part are counted at most."""

    def trail(self, part: TrailPart) -> tuple[Breadcrumb, ...]:
        """The newest visits this reader may know of: to places in its reach, to memories it sees."""


class Tags(Protocol):
    """Where tags pointed, and when."""

    def moves(self, memory_id: UUID) -> tuple[TagMove, ...]:
        """Every move of every tag of a memory this reader may see, oldest first."""

    def carried(self, limit: int) -> tuple[tuple[str, int, int], ...]:
        """The tags that visible memories carry now, how many of them and since when last, most first; not current."""


class Authorship(Protocol):
    """Whose word may instruct whom."""

    def approved(self, keys: Sequence[int]) -> frozenset[int]:
        """Those of these revisions that the operator approved."""

    def waiting(self, limit: int) -> list[int]:
        """Keys of the newest instructions and procedures of others that nobody approved."""

    def writers(self, limit: int) -> tuple[tuple[str, int], ...]:
        """Who wrote the newest memories this reader sees, and how many of them each, the busiest first."""


class Sources(Protocol):
    """How memories came to be."""

    def ancestry(self, memory_id: UUID, depth: int = PROVENANCE_DEPTH) -> tuple[Ancestor, ...]:
        """The happenings behind a memory, nearest first, at most `depth` links away."""

    def node(self, origin: UUID) -> ProvenanceNode:
        """One happening, if something this reader sees came from it, directly or through others.

        Raises: NotFound.
        """

    def sources_of(self, memory_id: UUID) -> tuple[Source, ...]:
        """What the visible revision of a memory was made from, with spans."""

    def first_sources(self, keys: Sequence[int]) -> dict[int, FirstSource]:
        """The earliest source of each of these visible revisions."""
