"""Values and changes of the belief room: what was given up for what, audits of staleness and the words of their
caveat, claims with their sources, signals of behaviour and outcomes of use.

Knows no storage and no policy. Invariant: every change names its own outcome completely; who may make it was decided
before it was made.

Also owns trust: how far one recalled memory may be relied on, in four parts and one figure, each between 0 and 1
whatever goes in. Where the parts come from (recall, staleness, feedback) it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal
from uuid import UUID

import msgspec
from msgspec.structs import force_setattr

from palazzo.model.capability import View
from palazzo.model.kinds import ConflictMode
from palazzo.model.memory import Tier
from palazzo.model.scope import GLOBAL, Scope

Resolution = Literal["refresh", "confirm_stale", "dismiss", "reopen"]
RESOLUTIONS: tuple[Resolution, ...] = Resolution.__args__  # type: ignore[attr-defined]
ClaimStatus = Literal["candidate", "verified", "rejected", "deferred", "retracted"]
VERIFIED_TAG = "verified"
"""Set by a person's decision on a claim and by nothing else: whoever looks for it must be able to rely on a receipt."""
ClaimMode = Literal["observe", "diagnostic", "enforce"]
CLAIM_MODES: tuple[ClaimMode, ...] = ClaimMode.__args__  # type: ignore[attr-defined]
SourceKind = Literal["handoff", "summary", "file", "exchange", "tool_result", "url"]
SOURCE_KINDS: tuple[SourceKind, ...] = SourceKind.__args__  # type: ignore[attr-defined]
WHOLE = -1
"""The position that stands for all atoms of a revision together: a rule is one belief."""


class Stand(msgspec.Struct, frozen=True, gc=False):
    """Where one belief stands: an atom of a revision, or the whole of a rule's revision. No revision: the current."""

    memory_id: UUID
    position: int
    revision: int | None = None


class Displace(msgspec.Struct, frozen=True, gc=False):
    """Note that a belief was given up for another and may return when that one falls."""

    belief: Stand
    by: Stand


class Release(msgspec.Struct, frozen=True, gc=False):
    """Forget why a belief was given up: it is held again, or will not return by itself."""

    belief: Stand


class ExpectHeld(msgspec.Struct, frozen=True, gc=False):
    """Refuse the batch when other beliefs than these stand in some slots of a view: somebody else was faster.

    A stand is a revision's key and an atom's position. It changes nothing, so it leaves no event.
    """

    view: View
    slots: tuple[tuple[str, str], ...]
    stands: frozenset[tuple[int, int]]


class Axes(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How stale a memory looks on each axis, 0 to 1."""

    semantic: float = 0.0
    temporal: float = 0.0
    behavioral: float = 0.0


class RecordAudit(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Keep one staleness audit with its evidence, and when to look again."""

    memory_id: UUID
    axes: Axes
    severity: float
    evidence: str
    next_us: int


class ResolveAudit(msgspec.Struct, frozen=True, gc=False):
    """A person's answer to a flagged memory; the posterior over its freshness moves by it, and back by `reopen`, which
    takes the last answer back."""

    memory_id: UUID
    resolution: Resolution
    next_us: int


class Claimed(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A source handle: what sort of thing, its reference, and the words it carried when it was read."""

    kind: SourceKind
    reference: str
    excerpt: str = ""


class AddClaim(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Record a candidate claim. It is inspectable and believed by nobody."""

    claim_id: UUID
    text: str
    kind: str
    sources: tuple[Claimed, ...]
    recheck_days: float
    scope: Scope = GLOBAL
    tier: Tier = "clear"


class DecideClaim(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Move a claim to a status with a receipt of what was confirmed; `memory_id` is what it became, if anything."""

    claim_id: UUID
    receipt_id: UUID
    status: ClaimStatus
    expected: ClaimStatus
    source_state: str
    text_hash: bytes
    memory_id: UUID | None = None


class SetClaimMode(msgspec.Struct, frozen=True, gc=False):
    mode: ClaimMode


class BehaviourSignal(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """So many events of one dimension (python) of a family (language) on one day (days since 1970)."""

    family: str
    dimension: str
    day: int
    count: int = 1


class AddSignals(msgspec.Struct, frozen=True, gc=False):
    signals: tuple[BehaviourSignal, ...]
    scope: Scope = GLOBAL


class RecordOutcome(msgspec.Struct, frozen=True, gc=False):
    """A memory was relied on, and that went well or badly."""

    memory_id: UUID
    success: bool


BeliefChange = (
    Displace | Release | ExpectHeld | RecordAudit | ResolveAudit | AddClaim | DecideClaim
    | SetClaimMode | AddSignals | RecordOutcome
)  # fmt: skip


AUDITOR = "mind:audits"
"""Who audits what nobody asked about."""
FLAGGED_ABOVE = 0.7
IMPLIED = 0.75
"""How stale a memory looks that may have changed with another: flagged, and below what is contradicted outright."""
LOOK_AGAIN_US = 30 * 86_400_000_000
"""When such a memory is looked at again if nobody answers."""
QUOTED = 120


def caveat(axes: Axes, evidence: Mapping[str, object], newer: str = "") -> str:
    """The line shown beside a flagged memory; `newer` is what the memory that contradicts it says, if it is seen."""
    if "contradicted_by" in evidence and axes.semantic >= axes.behavioral:
        words = " ".join(newer.split())
        short = words if len(words) <= QUOTED else words[: QUOTED - 3].rstrip() + "..."
        return f'may have changed: a newer memory says "{short}"' if short else "may have changed: it is contradicted"
    if "rests_on" in evidence and axes.semantic >= axes.behavioral:
        return "may have changed: something it rests on is no longer believed"
    if "family" in evidence and axes.behavioral > 0:
        return (
            f"may have changed: {evidence['dimension']} was {evidence['count']} of the last {evidence['total']}"
            f" {evidence['family']} events, against {float(str(evidence['asserted'])):.0%} asserted"
        )
    if "until" in evidence:
        return f"may have changed: it was said of a time that ended on {evidence['until']}"
    return f"may have changed: it is {float(str(evidence.get('age_days', 0))):.0f} days old"


Act = Literal["ask", "keep_both", "keep_existing", "keep_as_past", "merge", "replace"]
"""Both wait for a person, both are believed, the older one stays, the newer one is history, one memory says both, the
newer one takes the place of the older."""


class Incumbent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The side that is believed: the mode of its kind, when it was said, and whether a wider scope holds it."""

    usual: ConflictMode
    stated_us: int = 0
    wider: bool = False


class Newcomer(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The side that is new. `sure`: it plainly disagrees. `one_value`: only one of the two can hold, whatever their
    kinds. `over`: it says that something ended. `announced`: it says that something changed. `fits`: both sides go into
    one memory."""

    said_us: int = 0
    sure: bool = True
    one_value: bool = False
    over: bool = False
    announced: bool = False
    fits: bool = True


class Settlement(msgspec.Struct, frozen=True, gc=False):
    """What is done, by which mode, and why in a few words."""

    act: Act
    mode: ConflictMode
    why: str


Decide = Callable[[Incumbent, Newcomer, ConflictMode | None], Settlement]
"""Decides between two statements; the mode is the one asked for, None for that of the kind."""


RELEVANCE_WEIGHT = 0.35
ACCURACY_WEIGHT = 0.25
FRESHNESS_WEIGHT = 0.20
UTILITY_WEIGHT = 0.20

CONFIRM_BELOW = 0.8
"""Below this confidence an agent is told to confirm first."""

IMPORTED_AT_MOST = 0.5
"""The most confidence that comes with a file: nobody here has said it."""


def _unit(value: float) -> float:
    # The first comparison sends NaN to zero, so an undefined part never lends trust.
    return min(value, 1.0) if value > 0 else 0.0


class Evidence(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is known about how a memory was learnt and how it has served."""

    sources: int = 1
    """Independent sources in all; each after the first counts."""
    said_by_person: bool = False
    replaced_contradiction: bool = False
    successes: int = 0
    failures: int = 0


def accuracy(evidence: Evidence) -> float:
    """How likely the memory is right, from its evidence."""
    # In hundredths, so that sums such as 0.5 + 0.1 + 0.2 meet the 0.8 of CONFIRM_BELOW exactly.
    hundredths = (
        50
        + 10 * max(evidence.sources - 1, 0)
        + 30 * evidence.said_by_person
        - 20 * evidence.replaced_contradiction
        + 5 * max(evidence.successes, 0)
        - 10 * max(evidence.failures, 0)
    )
    return min(max(hundredths, 0), 100) / 100


def needs_confirmation(confidence: float) -> bool:
    """Whether an agent should confirm before it acts on this."""
    return not confidence >= CONFIRM_BELOW


class Trust(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The four parts of trust in one result, each brought into 0..1 on the way in."""

    relevance: float
    accuracy: float
    freshness: float
    utility: float

    def __post_init__(self) -> None:
        if 0 <= self.relevance <= 1 and 0 <= self.accuracy <= 1 and 0 <= self.freshness <= 1 and 0 <= self.utility <= 1:
            return
        for part in ("relevance", "accuracy", "freshness", "utility"):
            force_setattr(self, part, _unit(getattr(self, part)))

    @property
    def score(self) -> float:
        """The weighted sum of the parts."""
        total = (
            RELEVANCE_WEIGHT * self.relevance
            + ACCURACY_WEIGHT * self.accuracy
            + FRESHNESS_WEIGHT * self.freshness
            + UTILITY_WEIGHT * self.utility
        )
        return min(total, 1.0)


MACHINES = frozenset({"agent", "assistant", "mcp", "kit", "tool", "model", "system", "dream", "shell", "import"})
"""What stands before the colon of an author that is no person."""


def said_by_person(authors: Iterable[str]) -> bool:
    """Whether one of these authors is a person."""
    return any(author.split(":")[0].lower() not in MACHINES for author in authors if author)


class Standing(msgspec.Struct, frozen=True, gc=False):
    """How far a memory may be relied on: its own accuracy, that of its weakest ground, and which memory that is."""

    own: float
    trust: float
    weakest: UUID

    @property
    def confirm_first(self) -> bool:
        """Whether an agent should confirm before it acts on this."""
        return needs_confirmation(self.trust)
