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

from palazzo.model.address import Place, PlaceGlob
from palazzo.model.belief import ClaimMode, ClaimStatus, Standing
from palazzo.model.capability import View
from palazzo.model.change import Event
from palazzo.model.graph import Edge, MentionDraft
from palazzo.model.memory import Atom, Memory
from palazzo.model.message import Intake, Turn
from palazzo.model.raw_event import RawEvent, RawSelection
from palazzo.model.record import Record
from palazzo.model.scope import Scope
from palazzo.model.snapshot import Snapshot
from palazzo.store.api.graph import Artifacts, Authorship, Edges, Entities, Memories, Places, Sources, Tags
from palazzo.store.api.values import (
    MAX_ATOMS,
    AtomRow,
    AtomSlot,
    Bounds,
    Broken,
    ClaimReceipt,
    DisplacedRow,
    Doubt,
    Filter,
    Freshness,
    Hits,
    KnownText,
    Late,
    LeftInMind,
    Presence,
    Seat,
    Selection,
    Space,
    StoredClaim,
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

    def latest(self, thread: str, limit: int, before: int | None = None) -> list[tuple[int, str]]:
        """The newest visible turns of a thread, oldest first: revision, and who spoke, by name or else by role; of
        those that came before a revision, if one is given."""

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


class Snapshots(Protocol):
    """Snapshots of workspaces: at places this reader sees, or with memories it sees."""

    def get(self, digits: str) -> Snapshot:
        """One snapshot by its id, or by hexadecimal digits that its id alone begins or ends with.

        Raises: NotFound, Conflict when several are meant.
        """

    def newest(
        self, glob: PlaceGlob | None = None, memory_id: UUID | None = None, limit: int = 50
    ) -> tuple[Snapshot, ...]:
        """Snapshots at places or of one memory, newest first."""


class RawEventView(Protocol):
    """What was done on the machine, as far as this reader may see it."""

    def newest(self, wanted: RawSelection = RawSelection(), limit: int = 50) -> tuple[RawEvent, ...]:
        """The newest events that are wanted, newest first."""


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

    def prepare(self) -> bool:
        """To be called before candidates are ranked: an engine may bring to this moment what it keeps about them.

        Returns whether there is more to bring, which whoever is idle may do by further calls.
        """

    def spaces(self) -> tuple[Space, ...]:
        """Every space, oldest first, retired ones that are not swept yet included."""

    def term_scores(self, terms: tuple[str, ...], keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """What each distinct term (rows, in order) adds to the BM25 of each revision (columns, ascending)."""

    def holding(self, terms: Sequence[str]) -> frozenset[str]:
        """Which of these terms stand in a turn or a statement of this reader's scopes."""


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

    def dreamt_from(self, ids: Sequence[UUID]) -> tuple[UUID, ...]:
        """Ids of what dreams made from these memories, however many steps lie between, oldest first, whoever sees it:
        it has words of theirs.
        """


class Counts(Protocol):
    """How much there is, as far as this reader may know."""

    def by_scope(self) -> tuple[tuple[str, int], ...]:
        """The scopes this reader sees memories of, with how many, most first."""

    def elsewhere(self) -> bool:
        """Whether there are scopes this reader does not see."""

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
    def raw_events(self) -> RawEventView: ...
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
    @property
    def snapshots(self) -> Snapshots: ...

    def through_time(self) -> Reading:
        """The same reader over every revision, of memories out of belief too: for what is asked about the past."""

    def through(self, view: View) -> Reading:
        """The same moment through another view."""

    def until(self, late: Late) -> AbstractContextManager[None]:
        """Whatever is asked inside stops soon after it is too late.

        Raises: PartUnavailable.
        """


class HeldAtoms(Protocol):
    """The belief base: atoms of current revisions."""

    def about(self, slots: Iterable[AtomSlot], limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
        """Held atoms of these slots."""

    def atoms_at(self, key: int, position: int) -> tuple[Atom, ...]:
        """The atom at a stand, or all atoms of the revision for position -1."""

    def dependents(self, memory_id: UUID) -> int:
        """How many memories rest directly on this one."""

    def displaced_about(self, slots: Iterable[AtomSlot]) -> tuple[DisplacedRow, ...]:
        """Beliefs of these slots that were given up and may return; their memories may be deprecated meanwhile. A
        whole rule is returned with each of its atoms."""

    def every(self, limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
        """Every held atom of a reader, oldest revision first: for showing a whole base, never for deciding."""

    def evidence(self, memory_id: UUID, key: int) -> int:
        """How many sources a revision has: provenance nodes, memories it is derived from, memories that support it."""

    def mentions_of(self, key: int) -> tuple[MentionDraft, ...]:
        """The entities a revision names, ready to be carried to its successor."""

    def of_revisions(self, keys: Sequence[int]) -> tuple[AtomRow, ...]:
        """All atoms of visible current revisions, by key."""

    def rivals(self, memory: Memory, limit: int) -> tuple[int, ...]:
        """Keys of newer memories that could contradict one: of the same slot anywhere, or below its place with two
        of its entities. Newest first.
        """

    def since(self, row: AtomRow) -> int:
        """Since when an atom has stood in its memory without a break: the event time of the first revision of the
        run."""

    def stands(self, slots: Iterable[AtomSlot]) -> frozenset[tuple[int, int]]:
        """Where something is held about these slots: revision key and position."""


class ClaimTable(Protocol):
    """Claims and their receipts."""

    def get(self, claim_id: UUID) -> StoredClaim:
        """One claim.

        Raises: NotFound, also when it belongs to a scope or rests on a memory that this reader does not see.
        """

    def mode(self) -> ClaimMode:
        """What is done with claims: observe unless an operator chose otherwise."""

    def receipts_of(self, claim_id: UUID) -> tuple[ClaimReceipt, ...]:
        """Every decision about a claim, oldest first."""

    def same_text(self, text: str) -> tuple[StoredClaim, ...]:
        """Claims that say the same in the same words."""

    def with_status(self, status: ClaimStatus, limit: int = 200) -> tuple[StoredClaim, ...]:
        """Claims of a status, newest first."""

    def bounds(self, claim: StoredClaim) -> Bounds:
        """What the sources of a claim ask of what it becomes, whoever decides: they are read as they are, not as seen.

        Raises: Conflict when no one place and scope is as narrow as all of them.
        """


class Reviews(Protocol):
    """What was audited, doubted and answered."""

    def doubts(self, keys: Sequence[int]) -> dict[int, Doubt]:
        """The audits behind the caveats of flagged memories, by revision key.

        An audit of another revision says nothing about this one.
        """

    def freshness_of(self, memory_id: UUID) -> Freshness:
        """The counts behind a memory's freshness; zeros when nobody ever answered."""

    def last_answer_us(self) -> int | None:
        """When somebody last answered an audit of a memory this reader sees; None when nobody ever did."""

    def signals(self, first_day: int, last_day: int) -> dict[str, dict[str, int]]:
        """Counts by family and dimension over days, both included."""


class Trusts(Protocol):
    """How far memories may be relied on."""

    def figures(self, keys: Sequence[int]) -> dict[int, float]:
        """The trust in visible memories, by revision key: for ranking, which asks for nothing else."""

    def standings(self, keys: Sequence[int]) -> dict[int, Standing]:
        """How far visible memories may be relied on, by revision key."""


class KnownTexts(Protocol):
    """What intake compares a new text with."""

    def conflicts(self, limit: int = 100) -> tuple[Edge, ...]:
        """Open disagreements, newest first: contradicts edges whose ends this reader sees."""

    def nearest(self, asked: Sequence[tuple[tuple[str, ...], int]]) -> list[list[KnownText]]:
        """For each (terms, limit), what is known that shares most with the terms, best first, verbatim turns left out.

        A few more are asked for and then filtered: cheaper than a check inside the search, and enough, since what the
        reader does not see in its own scopes (superseded revisions, sealed places) is the exception.
        """

    def of(self, keys: Sequence[int]) -> list[KnownText]:
        """What these revisions say, in the same order; those that are not current or not seen are left out."""

    def taken(self, scope: Scope, addresses: Iterable[tuple[Place, str, str]]) -> set[tuple[Place, str, str]]:
        """Which (place, name, kind) are in use in a scope, by whatever memory."""

    def titled(self, title: str, place: Place | None = None) -> tuple[Memory, ...]:
        """Memories that are called so, in any words or by the name in their address, newest first; at one place if
        given."""

    def shortened(self, digits: str) -> tuple[Memory, ...]:
        """Memories whose id begins or ends with these hexadecimal digits, newest first, six at most."""

    def disputed(self, keys: Sequence[int], weight: float) -> dict[int, int]:
        """By key of a current revision, that of the newest visible memory it is in open conflict with, of at least
        this weight."""

    def unread(self, keys: Sequence[int]) -> frozenset[int]:
        """Those of these current revisions that no pass has yet read beside what they may change."""

    def with_slots(self, slots: Iterable[tuple[str, str]], limit: int = 8) -> dict[tuple[str, str], list[Memory]]:
        """Memories whose current revision states one of these (subject, predicate), newest first."""

    def with_wording(self, keys: Sequence[bytes]) -> dict[bytes, list[Memory]]:
        """Memories whose current text has one of these wording keys, oldest first."""


class Corrections(Protocol):
    """What was corrected in a context."""

    def against(self, keys: Sequence[int], space: str, since_us: int) -> list[tuple[int, NDArray[np.float32]]]:
        """Key and context of the corrections of these visible revisions since a moment.

        Most palaces have none, which the first statement finds out in microseconds.
        """
