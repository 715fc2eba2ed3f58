"""Entrenchment: the strict total order that says which belief goes first when two cannot both stay.

Owns the rank of one belief and the arrangement of a whole epistemic state. A rank compares, in this order: the
kind's criterion as a figure between 0 and 1, how many memories rest on the belief, since when it is held, and its name.
Knows no store and no clock. Invariants: two beliefs never rank alike; an arrangement, read greedily from the top,
selects exactly the held beliefs, so what was given up cannot come back by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from palazzo.belief.logic import Laws, Sentence
from palazzo.model.kinds import Entrenchment

HALF_YEAR_US = 180 * 86_400 * 1_000_000
"""After half a year what is entrenched by recency weighs as much as what one source supports."""

Rank = tuple[float, int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What is known about how firmly one belief stands."""

    criterion: Entrenchment
    evidence: int = 1
    confidence: float = 1.0
    since_us: int = 0
    dependents: int = 0
    name: str = ""


def rank_of(grounds: Grounds, now_us: int) -> Rank:
    """The rank of a belief; the higher one stays."""
    if grounds.criterion == "evidence":
        figure = 1.0 - 0.5 ** max(grounds.evidence, 1)
    elif grounds.criterion == "confidence":
        figure = min(max(grounds.confidence, 0.0), 1.0)
    else:
        figure = 0.5 ** (max(now_us - grounds.since_us, 0) / HALF_YEAR_US)
    return figure, grounds.dependents, grounds.since_us, grounds.name


@dataclass(frozen=True, slots=True)
class HeldBelief:
    """A belief that is held, with its rank."""

    sentence: Sentence
    rank: Rank


@dataclass(frozen=True, slots=True)
class Shadow:
    """A belief given up for others (`by`) that may return when they fall."""

    sentence: Sentence
    rank: Rank
    by: frozenset[Sentence] = field(default_factory=frozenset)


def arrange(held: Sequence[HeldBelief], shadows: Sequence[Shadow], laws: Laws) -> tuple[Sentence, ...]:
    """The state as one sequence, most entrenched first, whose greedy reading is exactly `held`.

    A held belief stands at least as high as what it displaced (it won against it). A shadow stands at its own
    rank, or lower if the held beliefs above it would not refuse it there; one that nothing refuses any more is
    left out: its return would be a new belief nobody stated.
    """
    present = {one.sentence for one in held}
    absent = {one.sentence: one for one in shadows if one.sentence not in present}
    alive = _alive(present, absent)
    order: list[tuple[tuple[Rank, int], Sentence]] = []
    depth: dict[Sentence, int] = {}
    raised: dict[Sentence, Rank] = {}

    def lift(said: Sentence, own: Rank, seen: frozenset[Sentence]) -> tuple[Rank, int]:
        if said in raised:
            return raised[said], depth[said]
        best, steps = own, 0
        for shadow in alive.values():
            if said in shadow.by and shadow.sentence not in seen:
                rank, below = lift(shadow.sentence, shadow.rank, seen | {said})
                if rank >= best:
                    best, steps = rank, max(steps, below + 1) if rank == best else below + 1
        raised[said], depth[said] = best, steps
        return best, steps

    standing = [(one.sentence, one.rank) for one in held] + [(one.sentence, one.rank) for one in alive.values()]
    for said, own in standing:
        order.append((lift(said, own, frozenset({said})), said))
    order.sort(key=lambda entry: entry[0], reverse=True)
    return _settled([said for _, said in order], present, laws)


def _alive(present: set[Sentence], absent: dict[Sentence, Shadow]) -> dict[Sentence, Shadow]:
    """Shadows whose displacer is held, or is itself such a shadow."""
    alive: dict[Sentence, Shadow] = {}
    while True:
        known = present | alive.keys()
        more = {said: one for said, one in absent.items() if said not in alive and one.by & known}
        if not more:
            return alive
        alive |= more


def _settled(order: Sequence[Sentence], present: set[Sentence], laws: Laws) -> tuple[Sentence, ...]:
    """Lets each shadow sink until the held beliefs above it refuse it."""
    placed: list[Sentence] = []
    above: list[Sentence] = []
    waiting: list[Sentence] = []
    for said in order:
        if said in present:
            placed.append(said)
            above.append(said)
            waiting = _refuse(waiting, placed, above, laws)
        else:
            waiting = _refuse([*waiting, said], placed, above, laws)
    return tuple(placed)


def _refuse(waiting: list[Sentence], placed: list[Sentence], above: list[Sentence], laws: Laws) -> list[Sentence]:
    """Places the waiting shadows that are refused by now; the others wait on."""
    still: list[Sentence] = []
    for said in waiting:
        if laws.consistent(*above, said):
            still.append(said)
        else:
            placed.append(said)
    return still
