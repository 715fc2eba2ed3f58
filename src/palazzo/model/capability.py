"""Who may do and see what: the level a subject's grants give it, the View every read takes, tokens, locks and plans.

Owns the levels, the grant and the rule by which several grants of one subject make one level. Does not know who asks,
whether a place is sealed, in a vault or a vault session is open; those are checked where the connection is known.
Invariants: without a grant there is nothing; what a grant of none covers is denied whatever else is granted; elsewhere
the narrower of two grants decides, and where neither is narrower the lower one; a View shows by default only
what may be believed: current revisions of live, not deprecated memories, owned by the reader's scope path, outside
sealed and vault places; no value carries a secret in clear, a token is known by the hash of its text.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.model.address import ROOT, Place, PlaceGlob
from palazzo.model.memory import State
from palazzo.model.scope import GLOBAL, Scope

DAY_US = 86_400_000_000
VAULT = Place(("vault",))
_EVERYWHERE = PlaceGlob(ROOT, "subtree")

OPERATOR = "operator"
"""Who owns the palace: the subject of its own programs and commands."""
DEFAULT = "default"
"""Who gave what a subject has while nobody decided about it."""
HARD_LOCKED: frozenset[str] = frozenset({"banking", "health", "password-manager"})
"""Kinds of kit that stay at none whatever is granted."""


class Level(IntEnum):
    """What a subject may do, each level more than the last."""

    none = 0
    anchor = 1
    metadata = 2
    read_public = 3
    read_all = 4
    write = 5
    forget = 6


class Grant(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One subject may reach one level in one set of places, from `start_us` until `expires_us` (None: on)."""

    subject: str
    subject_kind: str
    level: Level
    glob: PlaceGlob
    start_us: int
    expires_us: int | None
    granted_by: str

    def __post_init__(self) -> None:
        if not self.subject or not self.subject_kind:
            raise InvalidInput("a grant names a subject and its kind", field="subject")
        # A grant is for places. Read without its slice it would be wider than the person meant.
        if self.glob.slice is not None:
            raise InvalidInput("a grant is for places, not for a slice of time", field="glob")
        if self.expires_us is not None and self.expires_us <= self.start_us:
            raise InvalidInput("a grant expires after it starts", field="expires_us")

    def in_force(self, at_us: int) -> bool:
        """Whether it holds at this time."""
        return self.start_us <= at_us and (self.expires_us is None or at_us < self.expires_us)

    def limits(self, other: Grant) -> bool:
        """Whether this grant takes back what the other gives, where both reach."""
        if self.level >= other.level:
            return False
        narrower = self.glob.covers(other.glob) and self.glob != other.glob
        return self.level is Level.none or not narrower


def is_hard_locked(subject_kind: str) -> bool:
    """Whether kits of this kind are locked, however the kind is written (`kit:Password_Manager` is one)."""
    plain = subject_kind.casefold().replace("_", "-").replace(" ", "-")
    return plain.removeprefix("kit:").removesuffix("-kit") in HARD_LOCKED


def reach_of(grants: Iterable[Grant], level: Level, among: Iterable[Grant]) -> tuple[PlaceGlob, ...]:
    """Where some of a subject's grants give a level, without what those among all of them that limit them take back."""
    below = [grant for grant in among if grant.level < level]
    found = (
        replace(grant.glob, without=tuple(low.glob for low in below if low.limits(grant)))
        for grant in grants
        if grant.level >= level
    )
    return tuple(
        dict.fromkeys(
            glob for glob in found if not any(out.covers(replace(glob, without=())) for out in glob.without)
        )
    )  # fmt: skip


def level_at(grants: Iterable[Grant], place: Place, among: Iterable[Grant]) -> Level:
    """The level that some of a subject's grants give at a place, among all of them."""
    here = [grant for grant in among if grant.glob.matches(place)]
    giving = [grant for grant in grants if grant.glob.matches(place)]
    reached = (
        level
        for level in {grant.level for grant in here if grant.level > Level.none}
        if any(
            grant.level >= level and not any(low.level < level and low.limits(grant) for low in here)
            for grant in giving
        )
    )
    return max(reached, default=Level.none)


class DefaultGrant(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a subject has before anyone decided about it; `subject` None means every subject of the kind."""

    subject_kind: str
    subject: str | None
    level: Level
    glob: PlaceGlob
    days: int | None = None


DEFAULT_GRANTS: tuple[DefaultGrant, ...] = (
    # The person whose palace it is; the vault still asks for its passphrase.
    DefaultGrant(subject_kind="operator", subject="operator", level=Level.forget, glob=_EVERYWHERE),
    DefaultGrant(subject_kind="operator", subject="operator", level=Level.forget, glob=PlaceGlob(VAULT, "subtree")),
    DefaultGrant(subject_kind="agent", subject="agent:primary", level=Level.write, glob=_EVERYWHERE),
    DefaultGrant(subject_kind="shell", subject=None, level=Level.write, glob=PlaceGlob(Place(("work",)), "subtree")),
    DefaultGrant(subject_kind="shell", subject=None, level=Level.write, glob=PlaceGlob(Place(("forest",)), "subtree")),
    DefaultGrant(subject_kind="mcp", subject=None, level=Level.anchor, glob=_EVERYWHERE, days=30),
    # Runs that something on the network set off: they read, and write nothing until somebody decides otherwise.
    DefaultGrant(subject_kind="webhook", subject=None, level=Level.read_public, glob=_EVERYWHERE),
    DefaultGrant(subject_kind="workflow", subject=None, level=Level.read_public, glob=_EVERYWHERE),
)


def default_grants(subject: str, kind: str, now_us: int) -> tuple[Grant, ...]:
    """The grants a subject has on first sight; none for an unknown or a hard-locked one."""
    if is_hard_locked(kind):
        return ()
    return tuple(
        Grant(
            subject=subject,
            subject_kind=kind,
            level=default.level,
            glob=default.glob,
            start_us=now_us,
            expires_us=None if default.days is None else now_us + default.days * DAY_US,
            granted_by=DEFAULT,
        )
        for default in DEFAULT_GRANTS
        if default.subject_kind == kind and default.subject in (None, subject)
    )


CAPTURE_PAUSED = "capture_paused"
"""The policy under which no capture source may bring anything in."""
PlanState = Literal["planned", "applied", "rolled_back"]


class Token(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A bearer token as the palace knows it: whose it is and in whose scope it works, never its text."""

    id: UUID
    subject: str
    label: str = ""
    scope: Scope = GLOBAL
    created_us: int = 0
    expires_us: int | None = None
    revoked_us: int | None = None

    def holds(self, at_us: int) -> bool:
        """Whether it is neither revoked nor expired at this time."""
        return self.revoked_us is None and (self.expires_us is None or at_us < self.expires_us)


class AddToken(msgspec.Struct, frozen=True, gc=False):
    token: Token
    digest: bytes


class RevokeToken(msgspec.Struct, frozen=True, gc=False):
    token_id: UUID


class MeetSubject(msgspec.Struct, frozen=True, gc=False):
    """A subject was seen for the first time; what its kind is given by default runs from here."""

    subject: str


class SetLock(msgspec.Struct, frozen=True, gc=False):
    """Lift the hard lock of one subject, or lock it, whatever it is called; None takes either back."""

    subject: str
    lifted: bool | None


class SetPolicy(msgspec.Struct, frozen=True, gc=False):
    """A rule of the palace that is stronger than the settings of a process; None takes it away."""

    name: str
    value: str | None


class OperatorPlan(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A change only a person makes: what is wanted, what was there before, and how far it has come."""

    id: UUID
    kind: str
    wanted: str
    before: str
    state: PlanState = "planned"
    subject: str = ""
    made_us: int = 0
    changed_us: int = 0


class AddPlan(msgspec.Struct, frozen=True, gc=False):
    plan: OperatorPlan


class MovePlan(msgspec.Struct, frozen=True, gc=False):
    """Move a plan on; `expected` is the state the person saw, `before` what stood there when it was applied."""

    plan_id: UUID
    state: PlanState
    expected: PlanState
    before: str | None = None


PacketKind = Literal["lease", "outcome", "maturation", "dream", "gap", "publication", "subscription"]
PacketState = Literal[
    "asked", "active", "refused", "ended", "recorded", "candidate", "accepted", "rejected", "made", "proposed",
    "rolled_back", "undone", "open", "closed", "muted",
]  # fmt: skip
OF_THE_MIND: tuple[PacketKind, ...] = ("dream", "gap")
"""Packets that carry ids, figures and words of our own only."""


class Packet(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the integration spine keeps: somebody answers for something, something came of an action, something may
    become more than it is, a dream did something, a question is open. `told` is what is kept of it, as JSON, in clear.
    """

    id: UUID
    kind: PacketKind
    subject: str
    state: PacketState
    told: str
    scope: Scope = GLOBAL
    until_us: int | None = None
    made_us: int = 0
    changed_us: int = 0


class AddPacket(msgspec.Struct, frozen=True, gc=False):
    packet: Packet


class MovePacket(msgspec.Struct, frozen=True, gc=False):
    """Move a packet on; `expected` is the state whoever moves it saw."""

    packet_id: UUID
    state: PacketState
    expected: PacketState
    until_us: int | None = None


class DropPacket(msgspec.Struct, frozen=True, gc=False):
    """Let a packet go that nobody will ask for."""

    packet_id: UUID


GuardChange = (
    AddToken
    | RevokeToken
    | MeetSubject
    | SetLock
    | SetPolicy
    | AddPlan
    | MovePlan
    | AddPacket
    | MovePacket
    | DropPacket
)


EVERYWHERE: tuple[PlaceGlob, ...] = (PlaceGlob(place=Place(()), reach="subtree", slice=None),)


class View(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What one reader may see. `reach` are the globs its capability covers; `sealed_reach` those with read_all."""

    subject: str = "operator"
    scope: Scope = GLOBAL
    orchestrator: bool = False
    reach: tuple[PlaceGlob, ...] = EVERYWHERE
    sealed_reach: tuple[PlaceGlob, ...] = ()
    unlocked: tuple[PlaceGlob, ...] = ()
    as_of_us: int | None = None
    tag: str = "current"
    """The tag whose revisions are seen; a memory that does not carry it is not."""
    states: tuple[State, ...] = ("active", "stale")
    include_deprecated: bool = False
    all_scopes: bool = False
