"""What is held true and what was said against it, as one reader may see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from palazzo.model.address import Place
from palazzo.model.belief import ClaimMode, ClaimStatus
from palazzo.model.graph import Edge, MentionDraft
from palazzo.model.memory import Atom, Memory
from palazzo.model.scope import Scope
from palazzo.model.trust import Standing
from palazzo.store.api.values import (
    MAX_ATOMS,
    AtomRow,
    AtomSlot,
    Bounds,
    ClaimReceipt,
    DisplacedRow,
    Doubt,
    Freshness,
    KnownText,
    StoredClaim,
)


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
