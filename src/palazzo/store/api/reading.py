"""What can be read of a palace, by noun: one moment of it, seen through one View.

Every method answers for the reader of the view alone: what lies out of its scope or reach, is sealed, superseded or
gone is not found, and a search never returns it, whatever an index holds. A revision is named by its key, a number that
means something to the engine that gave it and to nobody else. Raises, beside what a method names: StorageError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import Event
from palazzo.model.message import Intake, Turn
from palazzo.model.record import Record
from palazzo.model.scope import Scope
from palazzo.store.api.belief import ClaimTable, Corrections, HeldAtoms, KnownTexts, Reviews, Trusts
from palazzo.store.api.graph import Artifacts, Authorship, Edges, Entities, Memories, Places, Sources, Tags
from palazzo.store.api.values import (
    Broken,
    Filter,
    Hits,
    Late,
    LeftInMind,
    Presence,
    Seat,
    Selection,
    Space,
    Taken,
    TextSearch,
    ToldTurn,
    VectorSearch,
    Window,
)


class Turns(Protocol):
    """Turns of conversations."""

    def in_thread(self, keys: Sequence[int], thread: str) -> list[int]:
        """Which of these revisions are turns of a thread."""

    def latest(self, thread: str, limit: int) -> list[tuple[int, str]]:
        """The newest visible turns of a thread, oldest first: revision, and who spoke, by name or else by role."""

    def speakers(self, limit: int = 200) -> tuple[str, ...]:
        """The names of those who spoke in conversations this reader may see, most recent sessions first."""

    def told(self, keys: Sequence[int]) -> dict[int, ToldTurn]:
        """Thread, session and speaker of those of these visible revisions that are turns."""

    def windows(self, keys: Sequence[int] | NDArray[np.int64], before: int, after: int) -> Window:
        """The visible turns within a few positions of those of these revisions, themselves included."""


class Intakes(Protocol):
    """Accounts of what became of a message."""

    def get(self, intake_id: UUID) -> Intake:
        """One account by its id.

        Raises: NotFound, also when it is of a scope this reader does not see.
        """

    def of_memory(self, memory_id: UUID, limit: int = 100) -> tuple[Intake, ...]:
        """The accounts of every message a visible memory was made from, oldest first."""


class JournalView(Protocol):
    """The journal as far as this reader may see it."""

    def events_after(self, seq: int, limit: int = 1000) -> tuple[Event, ...]:
        """Events newer than `seq`, oldest first, about memories this reader may see (or about no memory).

        An edge is told of only to those who see both its ends.
        """

    def last_seq(self) -> int:
        """The number of the newest event; 0 in an empty palace."""


class MindsLeft(Protocol):
    """What this reader left in mind."""

    def left(self) -> LeftInMind | None:
        """What this reader left in mind; None if nothing was kept."""

    def seen(self, held: Sequence[Presence], at_us: int) -> LeftInMind:
        """Those of these memories that this reader sees, as they are now."""

    def kept_us(self) -> int:
        """When this reader's mind was kept last; 0 for never."""


class Search(Protocol):
    """The derived indexes, the view inside the search."""

    def text(self, wanted: TextSearch) -> Hits:
        """BM25 over what this reader may see, with that reader's own statistics.

        Raises: PartUnavailable when the search says that it is too late.
        """

    def vector(self, wanted: VectorSearch) -> Hits:
        """Nearest neighbours among what this reader may see; empty when the space does not exist.

        Raises: PartUnavailable when the search says that it is too late.
        """

    def count(self, wanted: Filter, *, exact: bool) -> int | None:
        """How many visible revisions pass a filter; None where that would take long, unless it must be `exact`."""

    def keys_where(self, wanted: Filter, limit: int) -> NDArray[np.int64]:
        """Keys of visible revisions that pass a filter, in ascending order, at most `limit`."""

    def newest(self, wanted: Filter, limit: int, before: int | None = None) -> list[int]:
        """Keys of visible revisions that pass a filter and are older than `before`, newest first, at most `limit`."""

    def passing(self, keys: NDArray[np.int64], wanted: Filter) -> NDArray[np.bool_]:
        """Which of these revisions are visible and pass a filter."""

    def walk(self, glob: PlaceGlob, wanted: Filter, limit: int) -> NDArray[np.int64]:
        """Keys of visible revisions in the places of a glob that pass a filter.

        The highest places first, in each what is most important, then the newest. Uses the unique index on path and
        memory_address.
        """

    def similarities(
        self,
        space: Space,
        vector: NDArray[np.float32],
        keys: NDArray[np.int64],
        scored: Mapping[int, float] = MappingProxyType({}),
    ) -> NDArray[np.float32]:
        """The exact similarity of each of these revisions; those whose vectors are turned are compared with a turned
        one.

        Raises: InvalidInput.
        """

    def vectors_of(self, space: Space, revisions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The vectors of those revisions that have one, with the revisions found, in ascending order."""

    def space(self, name: str = "") -> Space | None:
        """The space of this name, or the active one for an empty name; None when there is none or it is retired."""

    def term_scores(self, terms: tuple[str, ...], keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """What each distinct term (rows, in order) adds to the BM25 of each revision (columns, ascending)."""


class Records(Protocol):
    """Whole memories for export and import."""

    def records(self, glob: PlaceGlob | None = None, user: str = "") -> Iterator[Record]:
        """Every visible memory, oldest first; only those of a user when one is named."""

    def count(self, glob: PlaceGlob | None = None) -> int:
        """How many memories an export has."""

    def salvaged(self) -> Iterator[Record | Broken]:
        """Every memory of a file nobody vouches for; rows that are not as ours are become a Broken, not an error."""

    def seat(self, scope: Scope, turn: Turn) -> Seat:
        """Whether a turn may stand where it stood."""

    def standing(self, ids: Iterable[UUID]) -> dict[UUID, Taken]:
        """Which of these ids are taken, by whatever memory."""


class Selecting(Protocol):
    """What an erasure would take."""

    def count(self, wanted: Selection) -> int:
        """How many visible memories are wanted."""

    def select(self, wanted: Selection) -> tuple[UUID, ...]:
        """Ids of visible memories that are wanted, oldest first."""


class Counts(Protocol):
    """How much there is, as far as this reader may know."""

    def within(self) -> dict[str, Any]:
        """The same figures as far as one reader may know of them: nothing of what lies outside its view is counted."""


class People(Protocol):
    """What is kept of a person, as far as an erasure needs it."""

    def names_of(self, user: str) -> tuple[str, ...]:
        """The names a user is known by: their own, and those of the entity of that name."""

    def theirs(self, user: str) -> tuple[UUID, ...]:
        """Memories of a user: of their scopes, said or written by them, or drawn from what they said."""

    def naming(self, names: Iterable[str]) -> tuple[UUID, ...]:
        """Memories that say one of these names."""


class Reading(Protocol):
    """One moment of a palace through one View; all its nouns show the same moment."""

    @property
    def view(self) -> View: ...

    @property
    def memories(self) -> Memories: ...
    @property
    def artifacts(self) -> Artifacts: ...
    @property
    def edges(self) -> Edges: ...
    @property
    def entities(self) -> Entities: ...
    @property
    def places(self) -> Places: ...
    @property
    def tags(self) -> Tags: ...
    @property
    def authors(self) -> Authorship: ...
    @property
    def provenance(self) -> Sources: ...
    @property
    def beliefs(self) -> HeldAtoms: ...
    @property
    def claims(self) -> ClaimTable: ...
    @property
    def reviews(self) -> Reviews: ...
    @property
    def trusts(self) -> Trusts: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def known(self) -> KnownTexts: ...
    @property
    def intakes(self) -> Intakes: ...
    @property
    def journal(self) -> JournalView: ...
    @property
    def minds(self) -> MindsLeft: ...
    @property
    def corrections(self) -> Corrections: ...
    @property
    def search(self) -> Search: ...
    @property
    def records(self) -> Records: ...
    @property
    def people(self) -> People: ...
    @property
    def selection(self) -> Selecting: ...
    @property
    def counts(self) -> Counts: ...

    def through_time(self) -> Reading:
        """The same reader over every revision, of memories out of belief too: for what is asked about the past."""

    def through(self, view: View) -> Reading:
        """The same moment through another view."""

    def until(self, late: Late) -> AbstractContextManager[None]:
        """Whatever is asked inside stops soon after it is too late.

        Raises: PartUnavailable.
        """
