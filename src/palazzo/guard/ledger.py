"""The ledger of the integration spine: who answers for what, what came of actions, and what may become more.

Owns the packets that are kept: responsibility leases, outcome events and maturation candidates, and how each moves on.
Decides nothing about memories: an accepted candidate still goes the way of its lane. Invariants: nobody gives himself
authority, so a lease asked for by anyone but a person waits for one; a lease that has run out is history; what somebody
else answers for is told to the operator alone.
"""

from __future__ import annotations

from typing import Final, Literal, TypeVar
from uuid import UUID

import msgspec

from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.guard.spine import Envelope, Lane, Lifecycle, MaturationCandidate, ResponsibilityLease
from palazzo.model.capability import AddPacket, MovePacket, Packet, PacketKind, PacketState
from palazzo.model.ids import new_id
from palazzo.model.memory import OWNER
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Store

Failure = Literal["none", "tool", "authority", "evidence", "safety", "other"]
Told = TypeVar("Told", bound=msgspec.Struct)
MOST_COUNTED: Final = 10_000
"""Outcomes of a subject that are looked at for what a lease cost; no budget is larger."""
APPLIED_BY: Final[dict[str, str]] = {
    "semantic": "remember or revise", "current_state": "update", "claim": "propose, then decide",
    "relational": "relate", "procedural": "remember with the kind procedure", "safety": "plan rule, then apply",
    "context_eligibility": "tag with standing",
}  # fmt: skip
"""The way of each lane: an accepted candidate is applied by these operations and by nothing else."""


class LeaseTold(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody answers for: the objective, its bounds, how many actions it may cost, and when to stop."""

    objective: str
    within: str = ""
    budget: int = 0
    stop_when: str = ""
    notify: str = ""


class OutcomeTold(msgspec.Struct, frozen=True, kw_only=True):
    """What was meant, on which authority, what was seen, how that was checked, and what is left to fear."""

    intent: str
    effect: str
    authority: str = ""
    verified: str = ""
    failure: Failure = "none"
    risk: str = ""


class MaturationTold(msgspec.Struct, frozen=True, kw_only=True):
    """What would become more than it is, in which lane, on which evidence, and how its later effect is looked at."""

    lane: Lane
    what: str
    evidence: tuple[UUID, ...] = ()
    reversible: bool = False
    later: str = ""


class Ledger:
    """The packets of one palace, for one subject."""

    def __init__(self, store: Store, subject: str, scope: Scope = GLOBAL) -> None:
        self._store = store
        self._subject = subject
        self._scope = scope

    @property
    def _person(self) -> bool:
        return self._subject == OWNER

    def ask(self, told: LeaseTold, owner: str, until_us: int) -> Packet:
        """A lease: in force at once when a person gives it, otherwise asked for, and for oneself.

        Raises: InvalidInput.
        """
        if until_us <= self._store.clock.now_us():
            raise InvalidInput("a lease ends in the future", field="minutes")
        state: PacketState = "active" if self._person else "asked"
        return self._add("lease", (owner if self._person else "") or self._subject, state, told, until_us)

    def record(self, told: OutcomeTold) -> Packet:
        """Keeps what came of an action. It is evidence of its time, and no authority for the next."""
        return self._add("outcome", self._subject, "recorded", told)

    def propose(self, told: MaturationTold) -> Packet:
        """Keeps something that may become more than it is.

        Raises: InvalidInput without evidence.
        """
        if not told.evidence:
            raise InvalidInput("a candidate names what speaks for it", field="evidence")
        return self._add("maturation", self._subject, "candidate", told)

    def move(self, packet_id: UUID, kind: PacketKind, state: PacketState) -> Packet:
        """Moves a packet on.

        Raises: NotFound, Conflict when it cannot go there any more, VersionConflict.
        """
        found = self.get(packet_id, kind)
        waits: dict[PacketState, tuple[PacketState, ...]] = {
            "active": ("asked",), "refused": ("asked",), "ended": ("asked", "active"), "accepted": ("candidate",),
            "rejected": ("candidate",),
        }  # fmt: skip
        if found.state not in waits[state]:
            raise Conflict(f"it is {found.state}", hint="only what waits is moved on")
        self._store.commit([MovePacket(packet_id, state, found.state)], subject=self._subject)
        return self._store.guarding.packet(packet_id)

    def get(self, packet_id: UUID, kind: PacketKind) -> Packet:
        """Raises: NotFound, also for what is somebody else's."""
        found = self._store.guarding.packet(packet_id)
        if found.kind != kind or not (self._person or found.subject == self._subject):
            raise NotFound(f"no {kind} {packet_id}")
        return found

    def every(self, kind: PacketKind, limit: int = 200) -> tuple[Packet, ...]:
        """The packets of a kind that the subject may see, the last changed first."""
        return self._store.guarding.packets(kind, "" if self._person else self._subject, limit)

    def spent(self, lease: Packet) -> int:
        """How many actions were told to have been done under a lease that has a budget."""
        if not told_of(lease, LeaseTold).budget:
            return 0
        kept = self._store.guarding.packets("outcome", lease.subject, MOST_COUNTED)
        return sum(told_of(one, OutcomeTold).authority == str(lease.id) for one in kept)

    def lease(self, packet: Packet) -> ResponsibilityLease:
        """A lease as the governor looks at it."""
        told = told_of(packet, LeaseTold)
        lifecycle: Lifecycle = "retired"
        if packet.state in ("active", "asked"):
            lifecycle = "active" if packet.state == "active" else "candidate"
        return ResponsibilityLease(
            envelope=Envelope(source=packet.subject, lifecycle=lifecycle, receipts=(str(packet.id),)),
            owner=packet.subject, objective=told.objective, scope=told.within, expires_us=packet.until_us or 0,
            spent=0 < told.budget <= self.spent(packet),
        )  # fmt: skip

    def _add(
        self, kind: PacketKind, subject: str, state: PacketState, told: msgspec.Struct, until_us: int | None = None
    ) -> Packet:
        made = Packet(
            id=new_id(self._store.clock.now_us()), kind=kind, subject=subject, state=state, scope=self._scope,
            told=msgspec.json.encode(told).decode(), until_us=until_us,
        )  # fmt: skip
        self._store.commit([AddPacket(made)], subject=self._subject)
        return self._store.guarding.packet(made.id)


def told_of(packet: Packet, shape: type[Told]) -> Told:
    """What is kept of a packet."""
    return msgspec.json.decode(packet.told, type=shape)


def candidate_of(packet: Packet) -> MaturationCandidate:
    """A candidate as the governor looks at it: nobody declared it, so it carries nobody by itself."""
    told = told_of(packet, MaturationTold)
    return MaturationCandidate(
        envelope=Envelope(source=packet.subject, lifecycle="candidate", receipts=(str(packet.id),)), lane=told.lane,
        evidence=told.evidence, reversible=told.reversible,
    )  # fmt: skip
