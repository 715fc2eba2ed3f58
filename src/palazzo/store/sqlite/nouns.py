"""The nouns of a Reading on SQLite: each method hands its reading to the function that asks the tables.

Owns nothing but the joint between the contract (store.api) and the modules of this engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from palazzo.model.address import Kref, Place, PlaceGlob
from palazzo.model.change import Event
from palazzo.model.graph import PROVENANCE_DEPTH, Edge, Entity, EntityKind, Source
from palazzo.model.memory import Artifact, Memory, Revision, TagMove
from palazzo.model.message import Intake, Turn
from palazzo.model.record import Record
from palazzo.model.scope import Scope
from palazzo.store.api.values import (
    Ancestor,
    Broken,
    Direction,
    Drawn,
    EdgeStep,
    EdgeWalk,
    Filter,
    FirstSource,
    Hits,
    LeftInMind,
    Marks,
    PlaceInfo,
    Presence,
    Seat,
    Selection,
    Space,
    Spread,
    Taken,
    TextSearch,
    ToldTurn,
    VectorSearch,
    Window,
)
from palazzo.store.index.vector import spaces, vectors
from palazzo.store.sqlite import counts, journal
from palazzo.store.sqlite.belief.nouns import (
    SqliteClaimTable,
    SqliteCorrections,
    SqliteHeldAtoms,
    SqliteKnownTexts,
    SqliteReviews,
    SqliteTrusts,
)
from palazzo.store.sqlite.erase import erasures, forgetting
from palazzo.store.sqlite.graph import edges, entities, provenance
from palazzo.store.sqlite.memory import (
    authors,
    in_mind,
    intakes,
    lifecycle,
    memories,
    places,
    records,
    search,
    tags,
    turns,
)
from palazzo.store.sqlite.reading import Noun, SqliteReading


class SqliteMemories(Noun):
    """Memories this reader may see."""

    def get(self, memory_id: UUID) -> Memory:
        return memories.get(self._reading, memory_id)

    def at_address(self, kref: Kref) -> Memory:
        return memories.at_address(self._reading, kref)

    def by_keys(self, keys: Sequence[int]) -> dict[int, Memory]:
        return memories.by_keys(self._reading, keys)

    def earlier(self, keys: Sequence[int]) -> list[tuple[int, Memory]]:
        return memories.earlier(self._reading, keys)

    def history(self, memory_id: UUID) -> tuple[Revision, ...]:
        return memories.history(self._reading, memory_id)

    def kinds_of(self, keys: Sequence[int]) -> dict[int, str]:
        return memories.kinds_of(self._reading, keys)

    def marks_of(self, keys: Sequence[int]) -> Marks:
        return memories.marks_of(self._reading, keys)

    def uses_of(self, keys: Sequence[int]) -> list[tuple[int, int]]:
        return memories.uses_of(self._reading, keys)

    def standing(self, limit: int, *, preferences: bool = False) -> list[int]:
        return memories.standing(self._reading, limit, preferences=preferences)

    def procedures(self, limit: int, among: Sequence[int]) -> list[int]:
        return memories.procedures(self._reading, limit, among)

    def stalest(self, limit: int = 5) -> tuple[tuple[UUID, float], ...]:
        return lifecycle.stalest(self._reading, limit)


class SqliteArtifacts(Noun):
    """Pointers to content that stays where it is."""

    def at(self, key: int) -> tuple[Artifact, ...]:
        return memories.artifacts_at(self._reading, key)

    def of(self, memory_id: UUID) -> tuple[Artifact, ...]:
        return memories.artifacts_of(self._reading, memory_id)


class SqliteEdges(Noun):
    """The graph between memories this reader may see."""

    def of(self, memory_id: UUID, direction: Direction = "both", limit: int = 200) -> tuple[Edge, ...]:
        return edges.of(self._reading, memory_id, direction, limit)

    def walk(self, start: UUID, walk: EdgeWalk) -> tuple[EdgeStep, ...]:
        return edges.walk(self._reading, start, walk)

    def path(self, start: UUID, goal: UUID, depth: int = 10) -> tuple[UUID, ...]:
        return edges.path(self._reading, start, goal, depth)

    def impact(self, start: UUID, depth: int = 10) -> tuple[EdgeStep, ...]:
        return edges.impact(self._reading, start, depth)

    def origins(self, keys: Sequence[int]) -> dict[int, tuple[int, ...]]:
        return edges.origins(self._reading, keys)

    def drawn(self, keys: Sequence[int], now_us: int) -> list[Drawn]:
        return edges.drawn(self._reading, keys, now_us)

    def spread(self, seeds: Mapping[int, float], how: Spread) -> dict[int, float]:
        return edges.spread(self._reading, seeds, how)


class SqliteEntities(Noun):
    """People, things and their other names."""

    def named(self, name: str, limit: int = 20) -> tuple[Entity, ...]:
        return entities.named(self._reading, name, limit)

    def mentioning(self, entity: UUID, limit: int = 200) -> tuple[int, ...]:
        return entities.mentioning(self._reading, entity, limit)

    def other_names(self, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return entities.other_names(self._reading, keys)

    def beginning_with(
        self, scope: Scope, letters: Iterable[str], kind: EntityKind, limit: int = 100
    ) -> tuple[str, ...]:
        return entities.beginning_with(self._reading, scope, letters, kind, limit)

    def without_alias(self, scope: Scope, names: Iterable[str]) -> list[str]:
        return entities.without_alias(self._reading, scope, names)


class SqlitePlaces(Noun):
    """The tree of places."""

    def children(self, place: Place, limit: int = 1000, *, empty: bool = True) -> tuple[PlaceInfo, ...]:
        return places.children(self._reading, place, limit, empty=empty)


class SqliteTags(Noun):
    """Where tags pointed, and when."""

    def moves(self, memory_id: UUID) -> tuple[TagMove, ...]:
        return tags.moves(self._reading, memory_id)


class SqliteAuthorship(Noun):
    """Whose word may instruct whom."""

    def approved(self, keys: Sequence[int]) -> frozenset[int]:
        return authors.approved(self._reading, keys)

    def waiting(self, limit: int) -> list[int]:
        return authors.waiting(self._reading, limit)


class SqliteSources(Noun):
    """How memories came to be."""

    def ancestry(self, memory_id: UUID, depth: int = PROVENANCE_DEPTH) -> tuple[Ancestor, ...]:
        return provenance.ancestry(self._reading, memory_id, depth)

    def sources_of(self, memory_id: UUID) -> tuple[Source, ...]:
        return provenance.sources_of(self._reading, memory_id)

    def first_sources(self, keys: Sequence[int]) -> dict[int, FirstSource]:
        return provenance.first_sources(self._reading, keys)


class SqliteTurns(Noun):
    """Turns of conversations."""

    def in_thread(self, keys: Sequence[int], thread: str) -> list[int]:
        return turns.in_thread(self._reading, keys, thread)

    def latest(self, thread: str, limit: int) -> list[tuple[int, str]]:
        return turns.latest(self._reading, thread, limit)

    def speakers(self, limit: int = 200) -> tuple[str, ...]:
        return turns.speakers(self._reading, limit)

    def told(self, keys: Sequence[int]) -> dict[int, ToldTurn]:
        return turns.told(self._reading, keys)

    def windows(self, keys: Sequence[int] | NDArray[np.int64], before: int, after: int) -> Window:
        return turns.windows(self._reading, keys, before, after)


class SqliteIntakes(Noun):
    """Accounts of what became of a message."""

    def get(self, intake_id: UUID) -> Intake:
        return intakes.get(self._reading, intake_id)

    def of_memory(self, memory_id: UUID, limit: int = 100) -> tuple[Intake, ...]:
        return intakes.of_memory(self._reading, memory_id, limit)


class SqliteJournalView(Noun):
    """The journal as far as this reader may see it."""

    def events_after(self, seq: int, limit: int = 1000) -> tuple[Event, ...]:
        return journal.events_after(self._reading, seq, limit)

    def last_seq(self) -> int:
        return journal.last_seq(self._reading.connection)


class SqliteMindsLeft(Noun):
    """What this reader left in mind."""

    def left(self) -> LeftInMind | None:
        return in_mind.left(self._reading)

    def seen(self, held: Sequence[Presence], at_us: int) -> LeftInMind:
        return in_mind.seen(self._reading, held, at_us)

    def kept_us(self) -> int:
        return in_mind.kept_us(self._reading)


class SqliteSearch(Noun):
    """The derived indexes, the view inside the search."""

    def text(self, wanted: TextSearch) -> Hits:
        return search.text(self._reading.palace, self._reading, wanted)

    def vector(self, wanted: VectorSearch) -> Hits:
        return search.vector(self._reading.palace, self._reading, wanted)

    def count(self, wanted: Filter, *, exact: bool) -> int | None:
        return search.count(self._reading, wanted, exact=exact)

    def keys_where(self, wanted: Filter, limit: int) -> NDArray[np.int64]:
        return search.keys_where(self._reading, wanted, limit)

    def newest(self, wanted: Filter, limit: int, before: int | None = None) -> list[int]:
        return search.newest(self._reading, wanted, limit, before)

    def passing(self, keys: NDArray[np.int64], wanted: Filter) -> NDArray[np.bool_]:
        return search.passing(self._reading, keys, wanted)

    def walk(self, glob: PlaceGlob, wanted: Filter, limit: int) -> NDArray[np.int64]:
        return search.walk(self._reading, glob, wanted, limit)

    def similarities(
        self,
        space: Space,
        vector: NDArray[np.float32],
        keys: NDArray[np.int64],
        scored: Mapping[int, float] = MappingProxyType({}),
    ) -> NDArray[np.float32]:
        return search.similarities(self._reading, space, vector, keys, scored)

    def vectors_of(self, space: Space, revisions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        return vectors.vectors_of(self._reading.tables, space, revisions)

    def space(self, name: str = "") -> Space | None:
        return spaces.space_named(self._reading.tables, name)

    def term_scores(self, terms: tuple[str, ...], keys: NDArray[np.int64]) -> NDArray[np.float32]:
        return search.term_scores(self._reading.palace, self._reading, terms, keys)


class SqliteRecords(Noun):
    """Whole memories for export and import."""

    def records(self, glob: PlaceGlob | None = None, user: str = "") -> Iterator[Record]:
        return records.records(self._reading, glob, user)

    def count(self, glob: PlaceGlob | None = None) -> int:
        return records.count(self._reading, glob)

    def salvaged(self) -> Iterator[Record | Broken]:
        return records.salvaged(self._reading)

    def seat(self, scope: Scope, turn: Turn) -> Seat:
        return records.seat(self._reading.connection, scope, turn)

    def standing(self, ids: Iterable[UUID]) -> dict[UUID, Taken]:
        return records.standing(self._reading.connection, ids)


class SqliteSelecting(Noun):
    """What an erasure would take."""

    def count(self, wanted: Selection) -> int:
        return erasures.count_selected(self._reading, wanted)

    def select(self, wanted: Selection) -> tuple[UUID, ...]:
        return erasures.select_memories(self._reading, wanted)


class SqliteCounts(Noun):
    """How much there is, as far as this reader may know."""

    def within(self) -> dict[str, Any]:
        return counts.within(self._reading)


class SqlitePeople(Noun):
    """What is kept of a person."""

    def names_of(self, user: str) -> tuple[str, ...]:
        return forgetting.names_of(self._reading.connection, self._reading.cipher, user)

    def theirs(self, user: str) -> tuple[UUID, ...]:
        return forgetting.theirs(self._reading, user)

    def naming(self, names: Iterable[str]) -> tuple[UUID, ...]:
        return forgetting.naming(self._reading, names)


class PalaceReading(SqliteReading):
    """A reading with its nouns, as the rooms above know it."""

    __slots__ = ()

    @property
    def memories(self) -> SqliteMemories:
        return SqliteMemories(self)

    @property
    def artifacts(self) -> SqliteArtifacts:
        return SqliteArtifacts(self)

    @property
    def edges(self) -> SqliteEdges:
        return SqliteEdges(self)

    @property
    def entities(self) -> SqliteEntities:
        return SqliteEntities(self)

    @property
    def places(self) -> SqlitePlaces:
        return SqlitePlaces(self)

    @property
    def tags(self) -> SqliteTags:
        return SqliteTags(self)

    @property
    def authors(self) -> SqliteAuthorship:
        return SqliteAuthorship(self)

    @property
    def provenance(self) -> SqliteSources:
        return SqliteSources(self)

    @property
    def beliefs(self) -> SqliteHeldAtoms:
        return SqliteHeldAtoms(self)

    @property
    def claims(self) -> SqliteClaimTable:
        return SqliteClaimTable(self)

    @property
    def reviews(self) -> SqliteReviews:
        return SqliteReviews(self)

    @property
    def trusts(self) -> SqliteTrusts:
        return SqliteTrusts(self)

    @property
    def turns(self) -> SqliteTurns:
        return SqliteTurns(self)

    @property
    def known(self) -> SqliteKnownTexts:
        return SqliteKnownTexts(self)

    @property
    def intakes(self) -> SqliteIntakes:
        return SqliteIntakes(self)

    @property
    def journal(self) -> SqliteJournalView:
        return SqliteJournalView(self)

    @property
    def minds(self) -> SqliteMindsLeft:
        return SqliteMindsLeft(self)

    @property
    def corrections(self) -> SqliteCorrections:
        return SqliteCorrections(self)

    @property
    def search(self) -> SqliteSearch:
        return SqliteSearch(self)

    @property
    def records(self) -> SqliteRecords:
        return SqliteRecords(self)

    @property
    def people(self) -> SqlitePeople:
        return SqlitePeople(self)

    @property
    def selection(self) -> SqliteSelecting:
        return SqliteSelecting(self)

    @property
    def counts(self) -> SqliteCounts:
        return SqliteCounts(self)
