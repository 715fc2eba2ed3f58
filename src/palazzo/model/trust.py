"""Trust: how far one recalled memory may be relied on, in four parts and one figure.

Owns the two formulas and their weights (spec 04 Trust, spec 03 Explain). Does not know where the parts come
from: relevance is recall's, freshness staleness's, utility feedback's. Invariant: every figure lies between 0
and 1, whatever goes in.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

import msgspec
from msgspec.structs import force_setattr

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
