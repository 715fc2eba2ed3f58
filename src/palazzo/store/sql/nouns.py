"""The nouns of a Reading on SQLite: each method hands its reading to the function that asks the tables.

Owns nothing but the joint between the contract (store.api) and the modules of this engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from palazzo.model.message import Turn
from palazzo.model.scope import Scope
from palazzo.store.api.values import (
    Hits,
    KnownText,
    Seat,
    Space,
    Taken,
    TextSearch,
    VectorSearch,
)
from palazzo.store.index.vector import vectors
from palazzo.store.sql import journal, raw_events, snapshots
from palazzo.store.sql.belief import beliefs, claims, reviews
from palazzo.store.sql.erase import erasure, forgetting
from palazzo.store.sql.graph import edges, entities, profiles
from palazzo.store.sql.memory import intakes, known, lifecycle, memories, places, records, search, tags, turns
from palazzo.store.sql.reading import Delegated, Noun, NounOf, SqlReading


class SqlHeldAtoms(Noun):
    """The belief base: atoms of current revisions."""

    about = Delegated(beliefs.about)
    atoms_at = Delegated(beliefs.atoms_at)
    dependents = Delegated(beliefs.dependents)
    displaced_about = Delegated(beliefs.displaced_about)
    every = Delegated(beliefs.every)
    evidence = Delegated(beliefs.evidence)
    mentions_of = Delegated(beliefs.mentions_of)
    of_revisions = Delegated(beliefs.of_revisions)
    rivals = Delegated(beliefs.rivals)
    since = Delegated(beliefs.since)
    stands = Delegated(beliefs.stands)


class SqlClaimTable(Noun):
    """Claims and their receipts."""

    get = Delegated(claims.get)
    mode = Delegated(claims.mode)
    receipts_of = Delegated(claims.receipts_of)
    same_text = Delegated(claims.same_text)
    with_status = Delegated(claims.with_status)
    bounds = Delegated(claims.bounds)


class SqlReviews(Noun):
    """What was audited, doubted and answered."""

    doubts = Delegated(reviews.doubts)
    freshness_of = Delegated(reviews.freshness_of)
    last_answer_us = Delegated(reviews.last_answer_us)
    signals = Delegated(reviews.signal_window)


class SqlTrusts(Noun):
    """How far memories may be relied on."""

    figures = Delegated(beliefs.trust_figures)
    standings = Delegated(beliefs.trust_standings)


class SqlKnownTexts(Noun):
    """What intake compares a new text with."""

    conflicts = Delegated(known.conflicts)

    def nearest(self, asked: Sequence[tuple[tuple[str, ...], int]]) -> list[list[KnownText]]:
        return known.nearest(self._reading, self._reading.palace.text_cache, asked)

    of = Delegated(known.of)
    taken = Delegated(known.taken)
    titled = Delegated(known.titled)
    shortened = Delegated(known.shortened)
    disputed = Delegated(known.disputed)
    unread = Delegated(known.unread)
    with_slots = Delegated(known.with_slots)
    with_wording = Delegated(known.with_wording)


class SqlCorrections(Noun):
    """What was corrected in a context."""

    against = Delegated(lifecycle.corrections_against)


class SqlMemories(Noun):
    """Memories this reader may see."""

    get = Delegated(memories.get)
    at_address = Delegated(memories.at_address)
    by_keys = Delegated(memories.by_keys)
    with_sources = Delegated(known.with_sources)
    earlier = Delegated(memories.earlier)
    history = Delegated(memories.history)
    kinds_of = Delegated(memories.kinds_of)
    marks_of = Delegated(memories.marks_of)
    noted = Delegated(known.noted)
    uses_of = Delegated(memories.uses_of)
    standing = Delegated(memories.standing)
    procedures = Delegated(memories.procedures)
    stalest = Delegated(lifecycle.stalest)


class SqlArtifacts(Noun):
    """Pointers to content that stays where it is."""

    at = Delegated(memories.artifacts_at)
    of = Delegated(memories.artifacts_of)


class SqlEdges(Noun):
    """The graph between memories this reader may see."""

    of = Delegated(edges.of)
    walk = Delegated(edges.walk)
    path = Delegated(edges.path)
    impact = Delegated(edges.impact)
    between = Delegated(edges.between)
    origins = Delegated(edges.origins)
    drawn = Delegated(edges.drawn)
    spread = Delegated(edges.spread)


class SqlEntities(Noun):
    """People, things and their other names."""

    named = Delegated(entities.named)
    mentioning = Delegated(entities.mentioning)
    listed = Delegated(profiles.listed)
    mentioned_in = Delegated(entities.mentioned_in)
    profile = Delegated(profiles.profile)
    other_names = Delegated(entities.other_names)
    tied = Delegated(profiles.tied)
    beginning_with = Delegated(entities.beginning_with)
    without_alias = Delegated(entities.without_alias)


class SqlPlaces(Noun):
    """The tree of places."""

    children = Delegated(places.children)
    counted = Delegated(places.counted)
    kinds = Delegated(places.kinds)
    placed = Delegated(places.placed)
    standing = Delegated(places.standing)
    topics = Delegated(places.topics)
    facts = Delegated(beliefs.facts)
    trail = Delegated(places.trail)
    visits = Delegated(places.visits)


class SqlTags(Noun):
    """Where tags pointed, and when."""

    moves = Delegated(tags.moves)
    carried = Delegated(tags.carried)


class SqlAuthorship(Noun):
    """Whose word may instruct whom."""

    approved = Delegated(memories.approved_instructions)
    writers = Delegated(profiles.writers)

    def waiting(self, limit: int) -> list[int]:
        """Walks through every instruction and procedure, once for as long as the journal stays where it is."""
        asked = ("instructions", limit, self._reading.view.subject)
        return self._reading.tallied(asked, lambda: memories.waiting_instructions(self._reading, limit))


class SqlSources(Noun):
    """How memories came to be."""

    ancestry = Delegated(edges.ancestry)
    node = Delegated(edges.node)
    sources_of = Delegated(edges.sources_of)
    first_sources = Delegated(edges.first_sources)


class SqlTurns(Noun):
    """Turns of conversations."""

    in_thread = Delegated(turns.in_thread)
    latest = Delegated(turns.latest)
    speakers = Delegated(turns.speakers)
    told = Delegated(turns.told)
    windows = Delegated(turns.windows)


class SqlIntakes(Noun):
    """Accounts of what became of a message."""

    get = Delegated(intakes.get)
    of_memory = Delegated(intakes.of_memory)


class SqlRawEventView(Noun):
    """What was done on the machine, as far as this reader may see it."""

    newest = Delegated(raw_events.newest)


class SqlJournalView(Noun):
    """The journal as far as this reader may see it."""

    events_after = Delegated(journal.events_after)

    def last_seq(self) -> int:
        known = self._reading.position
        return known if known >= 0 else journal.last_seq(self._reading.connection)


class SqlMindsLeft(Noun):
    """What this reader left in mind."""

    left = Delegated(lifecycle.left_in_mind)
    seen = Delegated(lifecycle.seen_in_mind)
    kept_us = Delegated(lifecycle.kept_in_mind_us)


class SqlSearch(Noun):
    """The derived indexes, the view inside the search."""

    def text(self, wanted: TextSearch) -> Hits:
        return search.text(self._reading.palace, self._reading, wanted)

    def vector(self, wanted: VectorSearch) -> Hits:
        return search.vector(self._reading.palace, self._reading, wanted)

    def prepare(self) -> bool:
        columns = self._reading.hot
        more = columns.come(self._reading)
        if more and columns.begun:
            self._reading.palace.upkeep.read_on()
        return more

    count = Delegated(search.count)
    keys_where = Delegated(search.keys_where)
    newest = Delegated(search.newest)
    passing = Delegated(search.passing)
    walk = Delegated(search.walk)
    similarities = Delegated(search.similarities)

    def vectors_of(self, space: Space, revisions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        return vectors.vectors_of(self._reading.tables, space, revisions)

    def space(self, name: str = "") -> Space | None:
        return search.space_named(self._reading, name)

    def spaces(self) -> tuple[Space, ...]:
        return self._reading.held("spaces", lambda: vectors.spaces(self._reading.tables))

    def term_scores(self, terms: tuple[str, ...], keys: NDArray[np.int64]) -> NDArray[np.float32]:
        return search.term_scores(self._reading.palace, self._reading, terms, keys)

    def holding(self, terms: Sequence[str]) -> frozenset[str]:
        return search.holding(self._reading.palace, self._reading, terms)


class SqlRecords(Noun):
    """Whole memories for export and import."""

    count = Delegated(records.count)
    salvaged = Delegated(records.salvaged)

    def seat(self, scope: Scope, turn: Turn) -> Seat:
        return records.seat(self._reading.connection, scope, turn)

    def standing(self, ids: Iterable[UUID]) -> dict[UUID, Taken]:
        return records.standing(self._reading.connection, ids)

    records = Delegated(records.records)  # last: the name hides the module from what stands below it


class SqlSelecting(Noun):
    """What an erasure would take."""

    count = Delegated(erasure.count_selected)
    select = Delegated(erasure.select_memories)
    dreamt_from = Delegated(forgetting.dreamt_from)


class SqlCounts(Noun):
    """How much there is, as far as this reader may know."""

    by_scope = Delegated(search.by_scope)
    elsewhere = Delegated(search.elsewhere)
    within = Delegated(search.within)


class SqlPeople(Noun):
    """What is kept of a person."""

    def names_of(self, user: str) -> tuple[str, ...]:
        return forgetting.names_of(self._reading.connection, self._reading.cipher, user)

    theirs = Delegated(forgetting.theirs)
    naming = Delegated(forgetting.naming)


class SqlSnapshots(Noun):
    """Snapshots of workspaces this reader may see."""

    get = Delegated(snapshots.get)
    newest = Delegated(snapshots.newest)


class PalaceReading(SqlReading):
    """A reading with its nouns, as the rooms above know it."""

    __slots__ = ()

    memories = NounOf(SqlMemories)
    artifacts = NounOf(SqlArtifacts)
    edges = NounOf(SqlEdges)
    entities = NounOf(SqlEntities)
    places = NounOf(SqlPlaces)
    tags = NounOf(SqlTags)
    authors = NounOf(SqlAuthorship)
    provenance = NounOf(SqlSources)
    beliefs = NounOf(SqlHeldAtoms)
    claims = NounOf(SqlClaimTable)
    reviews = NounOf(SqlReviews)
    trusts = NounOf(SqlTrusts)
    turns = NounOf(SqlTurns)
    known = NounOf(SqlKnownTexts)
    intakes = NounOf(SqlIntakes)
    journal = NounOf(SqlJournalView)
    raw_events = NounOf(SqlRawEventView)
    minds = NounOf(SqlMindsLeft)
    corrections = NounOf(SqlCorrections)
    search = NounOf(SqlSearch)
    records = NounOf(SqlRecords)
    people = NounOf(SqlPeople)
    selection = NounOf(SqlSelecting)
    counts = NounOf(SqlCounts)
    snapshots = NounOf(SqlSnapshots)
