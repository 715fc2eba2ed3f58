"""Linear prioritised base revision: what stays when a new belief comes, or one has to go. Pure.

Owns the three operations over an epistemic state, a sequence of sentences from the most to the least entrenched.
What is held is read greedily: a sentence is held unless those held above it refuse it. Knows no store. Invariants: the
result of `revise` holds the input and is consistent whenever the input is; `contract` only takes away, and takes away
nothing that could stay; both are functions of the state and of what the input means, not of how it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palazzo.belief.logic import FALSE, TRUE, Laws, Sentence, negation


@dataclass(frozen=True, slots=True)
class Outcome:
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
