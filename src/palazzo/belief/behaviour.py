"""Behaviour: what a text asserts about how often something is done, and whether what is done still fits. Pure.

Owns the binomial test; the words for frequencies are the text room's. Knows no store. A deviation counts only in the
direction that makes the assertion untrue, and only when it is material: with enough events every small drift is
significant, and a habit that moved from 80 to 75 in a hundred is still that habit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from palazzo.text.facts.quantities import Direction, names_the_new_last, stated_frequency

LEAST_EVENTS = 20
"""Fewer events in the window say nothing about a habit."""
MATERIAL = 0.15
"""A share that moved by less is the same habit."""
LONGEST_SUM = 20_000


@dataclass(frozen=True, slots=True)
class Habit:
    """A habit: which dimension of which family, how often, and which deviation would make it untrue."""

    family: str
    dimension: str
    frequency: float
    direction: Direction


@dataclass(frozen=True, slots=True)
class Observed:
    """What was done in the window: events of the dimension, and of its whole family."""

    count: int
    total: int

    @property
    def share(self) -> float:
        return self.count / self.total if self.total else 0.0


def asserted(text: str, signals: Mapping[str, Mapping[str, int]]) -> tuple[Habit, Observed] | None:
    """The habit a text asserts among the dimensions that are measured; None when it asserts none of them.

    The last dimension named counts when the text says that it changed ("from Python to Rust").
    """
    named = [
        (match.start(), family, dimension)
        for family, counts in signals.items()
        for dimension in counts
        if (match := re.search(rf"(?<![\w+#]){re.escape(dimension)}(?![\w+#])", text, re.IGNORECASE))
    ]
    if not named:
        return None
    _, family, dimension = max(named) if names_the_new_last(text) else min(named)
    frequency, direction = stated_frequency(text)
    if frequency is None:
        return None
    counts = signals[family]
    return Habit(family, dimension, frequency, direction), Observed(counts[dimension], sum(counts.values()))


def severity(habit: Habit, seen: Observed) -> float:
    """1 - 2 min(P(K<=k), P(K>=k)), where the deviation speaks against the habit and is material; else 0."""
    if seen.total < LEAST_EVENTS or abs(seen.share - habit.frequency) < min(MATERIAL, habit.frequency or MATERIAL):
        return 0.0
    if habit.direction == "less" and seen.share > habit.frequency:
        return 0.0
    if habit.direction == "more" and seen.share < habit.frequency:
        return 0.0
    return two_sided(seen.count, seen.total, habit.frequency)


def two_sided(count: int, total: int, frequency: float) -> float:
    """The two-sided binomial severity of seeing `count` of `total` when `frequency` is asserted, 0 to 1."""
    if total <= 0:
        return 0.0
    lower, upper = _tails(count, total, min(max(frequency, 0.0), 1.0))
    return min(max(1.0 - 2.0 * min(lower, upper), 0.0), 1.0)


def _tails(count: int, total: int, frequency: float) -> tuple[float, float]:
    """P(K <= count) and P(K >= count)."""
    if frequency <= 0.0:
        return 1.0, 1.0 if count == 0 else 0.0
    if frequency >= 1.0:
        return (1.0 if count == total else 0.0), 1.0
    if total > LONGEST_SUM:
        return _normal_tails(count, total, frequency)
    lower = math.fsum(_mass(k, total, frequency) for k in range(count + 1))
    upper = math.fsum(_mass(k, total, frequency) for k in range(count, total + 1))
    return min(lower, 1.0), min(upper, 1.0)


def _mass(k: int, total: int, frequency: float) -> float:
    log = (
        math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1)
        + k * math.log(frequency) + (total - k) * math.log1p(-frequency)
    )  # fmt: skip
    return math.exp(log)


def _normal_tails(count: int, total: int, frequency: float) -> tuple[float, float]:
    """With continuity correction; beyond the longest sum the error is far below any threshold."""
    spread = math.sqrt(total * frequency * (1 - frequency))
    lower = 0.5 * math.erfc(-(count + 0.5 - total * frequency) / spread / math.sqrt(2))
    upper = 0.5 * math.erfc((count - 0.5 - total * frequency) / spread / math.sqrt(2))
    return lower, upper
