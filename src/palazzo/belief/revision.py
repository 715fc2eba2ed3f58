"""Linear prioritised base revision: what stays when a new belief comes, or one has to go. Pure.

Owns the three operations over an epistemic state, a sequence of sentences from the most to the least entrenched, and
entrenchment itself, the strict total order that says which of two goes first. A rank compares, in this order: the
kind's criterion as a figure between 0 and 1, how many memories rest on the belief, since when it is held, and its name.
What is held is read greedily: a sentence is held unless those held above it refuse it. Knows no store and no clock.
Invariants: the result of `revise` holds the input and is consistent whenever the input is; `contract` only takes away,
and takes away nothing that could stay; both are functions of the state and of what the input means, not of how it is
written; two beliefs never rank alike; an arrangement, read greedily from the top, selects exactly the held beliefs, so
what was given up cannot come back by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from palazzo.belief.logic import FALSE, TRUE, Laws, Sentence, negation
from palazzo.model.kinds import Entrenchment


class Outcome(msgspec.Struct, frozen=True):
    """What an operation did to the held beliefs; `state` is the sequence afterwards."""

    held: tuple[Sentence, ...]
    dropped: tuple[Sentence, ...]
    reinstated: tuple[Sentence, ...]
    state: tuple[Sentence, ...]


def read(state: Sequence[Sentence], laws: Laws, given: Sentence = TRUE) -> tuple[Sentence, ...]:
    """The sentences of a state that are held, read greedily from the top, with `given` taken for granted."""
    kept: list[Sentence] = []
    for said in state:
        if said not in (given, TRUE) and laws.consistent(given, *kept, said):
            kept.append(said)
    return tuple(kept)


def expand(state: Sequence[Sentence], addition: Sentence) -> tuple[Sentence, ...]:
    """The sentences with one more, whether or not it fits."""
    return (*state, *(() if addition == TRUE or addition in state else (addition,)))


def revise(state: Sequence[Sentence], addition: Sentence, laws: Laws) -> Outcome:
    """Holds `addition` and gives up what conflicts with it, the least entrenched first, and no more.

    What had been given up for beliefs that now fall returns, if nothing else refuses it. A sentence that cannot
    be true, or cannot be false, changes nothing.
    """
    before = read(state, laws)
    if addition == TRUE or not laws.consistent(addition):
        return Outcome(before, (), (), tuple(state))
    kept = read(state, laws, addition)
    after = (addition, *kept)
    dropped = tuple(said for said in before if said not in after)
    reinstated = tuple(said for said in kept if said not in before)
    return Outcome(after, dropped, reinstated, _insert(state, addition, dropped))


def _insert(state: Sequence[Sentence], addition: Sentence, dropped: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """The state with the addition just above the most entrenched sentence it displaced, else where it was or last.

    Raising it no further keeps every other comparison as it was, which is what the postulates of iterated
    revision ask for.
    """
    given_up = set(dropped)
    place = next((n for n, said in enumerate(state) if said in given_up or said == addition), len(state))
    rest = [said for said in state if said != addition]
    return (*rest[:place], addition, *rest[place:])


def contract(state: Sequence[Sentence], unwanted: Sentence, laws: Laws) -> Outcome:
    """Holds a greatest part of the held beliefs, by their order, from which `unwanted` does not follow.

    What is always true cannot be given up: then nothing changes.
    """
    before = read(state, laws)
    opposite = negation(unwanted)
    if opposite == FALSE or not laws.consistent(opposite):
        return Outcome(before, (), (), tuple(state))
    kept = set(_least_loss(before, opposite, laws))
    after = tuple(said for said in before if said in kept)
    dropped = tuple(said for said in before if said not in kept)
    return Outcome(after, dropped, (), _blocked(state, kept, laws))


def _least_loss(held: Iterable[Sentence], opposite: Sentence, laws: Laws) -> list[Sentence]:
    kept: list[Sentence] = []
    for said in held:
        if laws.consistent(opposite, *kept, said):
            kept.append(said)
    return kept


def _blocked(state: Sequence[Sentence], kept: set[Sentence], laws: Laws) -> tuple[Sentence, ...]:
    """The state after a contraction: what is kept, and the shadows that what is kept still refuses."""
    after: list[Sentence] = []
    above: list[Sentence] = []
    for said in state:
        if said in kept:
            after.append(said)
            above.append(said)
        elif not laws.consistent(*above, said):
            after.append(said)
    return tuple(after)


HALF_YEAR_US = 180 * 86_400 * 1_000_000
"""After half a year what is entrenched by recency weighs as much as what one source supports."""

Rank = tuple[float, int, int, str]


class Grounds(msgspec.Struct, frozen=True, kw_only=True):
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


class HeldBelief(msgspec.Struct, frozen=True):
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
