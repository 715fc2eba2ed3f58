"""The packets of the integration spine: records that may shape action, with their source and who may use them.

Owns the values only; consumers.py says who takes what, governor.py what may be done. Invariant: a packet grants
nothing. Having been seen, having succeeded, having been handed over, recalled, proposed or delivered is no authority.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

Lifecycle = Literal["candidate", "active", "verified", "expired", "retired"]
MutationPolicy = Literal["read_only", "lane_review", "operator"]
Consumer = Literal[
    "context_injection", "recall", "planning", "tool_execution", "promotion", "review", "approval",
]  # fmt: skip
CONSUMERS: tuple[Consumer, ...] = Consumer.__args__  # type: ignore[attr-defined]
Mode = Literal[
    "proceed", "proceed_with_verification", "ask_for_missing_authority", "require_approval", "defer_or_dry_run",
    "refuse_with_safe_alternative", "pause_recover",
]  # fmt: skip
MODES: tuple[Mode, ...] = Mode.__args__  # type: ignore[attr-defined]
"""From the least restrictive to the most."""
Lane = Literal["semantic", "current_state", "claim", "relational", "procedural", "safety", "context_eligibility"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What every packet carries. An empty `consumers` leaves it to the contracts; otherwise only those may use it."""

    source: str
    freshness: float = 1.0
    lifecycle: Lifecycle = "active"
    consumers: frozenset[Consumer] = frozenset()
    mutation: MutationPolicy = "read_only"
    receipts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRecord:
    """Something held to be so: a memory, as the spine looks at it. `injection` is from 0 to 1."""

    envelope: Envelope
    memory_id: UUID
    injection: float = 0.0
    flags: tuple[str, ...] = ()
    confidence: float = 1.0
    scope_matches: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsibilityLease:
    """Somebody answers for an objective, until a time, within bounds."""

    envelope: Envelope
    owner: str
    objective: str
    scope: str
    expires_us: int
    budget_calls: int = 0
    stops: tuple[str, ...] = ()

    def holds(self, now_us: int) -> bool:
        """Whether it is still in force; one that has run out is history."""
        return now_us < self.expires_us and self.envelope.lifecycle in ("active", "verified")


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernorDecision:
    """How an action may go on, why, and what has to be checked."""

    mode: Mode
    reasons: tuple[str, ...]
    checks: tuple[str, ...] = ()
    alternative: str = ""

    @property
    def may_act(self) -> bool:
        """Whether anything is done without asking somebody first."""
        return self.mode in ("proceed", "proceed_with_verification")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeEvent:
    """What an action did, as it was seen. Evidence of that one time, never a licence for the next."""

    envelope: Envelope
    intent: str
    decision: GovernorDecision
    effect: str
    verified: bool
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaturationCandidate:
    """Something that may become more than it is, once its lane's review says so."""

    envelope: Envelope
    lane: Lane
    evidence: tuple[UUID, ...] = ()
    low_risk: bool = False
    declared: bool = False
    reversible: bool = False
    notes: tuple[str, ...] = field(default=())
