"""Which plan is over by a sentence that names it in other words, or tells what follows from its end.

Owns what a sentence is by itself, a plan or an end, and the weighing of one against every plan that stands: first
whether it ends anything at all, then which plan it is the end of, by the learned reader of plans alone. Knows nothing
of turns and moves nothing. Invariants: without weights nothing is weighed; what ends nothing leaves every plan alone;
two plans that it may be the end of alike are both in doubt, and neither is moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from palazzo.text.reader import plans as reader

ENDS: Final[tuple[reader.PlanMove, ...]] = ("done", "cancelled", "postponed", "handed")
OVER: Final = 0.4
"""Odds that a sentence ends something, below which no plan is weighed against it."""
MEANT: Final = 4.0
"""Log-odds that it ends the likeliest plan, with those that it ends anything, from which on it does."""
STANDS_OUT: Final = 1.0
"""By how much the log-odds of that plan must be above those of the next."""
PERHAPS: Final = 3.5
"""What those of a plan must be for it to be in doubt."""
ALIKE: Final = 0.4
"""How near to the likeliest a plan must be to be in doubt with it."""
ANSWERS: Final = 3.0
"""What is asked for beyond `MEANT` of a sentence that answers a question: it is of what was asked."""
PLAINLY: Final = 0.9
"""Odds that a sentence ends something which outweigh a rule that takes it for a plan."""
RULE: Final = 6.0
"""How many times as likely the word of a rule makes what it says."""
MOST: Final = 24
"""Plans that a sentence is weighed against, those that were told last."""


class Ended(NamedTuple):
    """The place of a plan among those that were weighed, what becomes of it, and whether that is sure."""

    at: int
    move: reader.PlanMove
    sure: bool


def opens(sentence: str, *, unread: float = 0.0) -> float:
    """Odds that a sentence by itself is a plan; without weights what is said to hold then."""
    alone = reader.moves([(sentence, "")])
    return unread if alone is None else alone[0]["open"]


def plainly_ends(sentence: str) -> bool:
    """Whether a sentence by itself ends something, whatever that is."""
    anything = reader.moves([(reader.ANYTHING, sentence)])
    return anything is not None and _over(anything[0]) >= PLAINLY


def ended(plans: Sequence[str], said: Sequence[str], least: float = OVER, *, answers: bool = False) -> list[Ended]:
    """What a sentence ends, told by itself or with the one before it; empty where it ends nothing that is planned."""
    anything = reader.moves([(reader.ANYTHING, one) for one in said])
    if anything is None or not plans or _over(anything[0]) < least:
        return []
    first = max(0, len(plans) - MOST)
    told = reader.moves([(plan, one) for plan in plans[first:] for one in said]) or []
    rows = (max(told[at : at + len(said)], key=_over) for at in range(0, len(told), len(said)))
    weighed = sorted(((-_log_odds(_over(row)), at, row) for at, row in enumerate(rows, first)), key=lambda one: one[:2])
    best, at, row = weighed[0]
    by_itself = _log_odds(_over(anything[0]))
    more = ANSWERS if answers else 0.0
    if by_itself - best >= MEANT + more and all(other - best >= STANDS_OUT + more / 2 for other, *_ in weighed[1:]):
        return [Ended(at, _move(row), sure=True)]
    near = [(at, _move(row)) for other, at, row in weighed if by_itself - other >= PERHAPS and other - best < ALIKE]
    return [Ended(at, move, sure=False) for at, move in near if move in ("done", "cancelled") and not answers]


def _over(row: dict[reader.PlanMove, float]) -> float:
    return sum(row[move] for move in ENDS)


def _move(row: dict[reader.PlanMove, float]) -> reader.PlanMove:
    return max(ENDS, key=row.__getitem__)


def _log_odds(odds: float) -> float:
    held = min(max(odds, 1e-4), 1 - 1e-4)
    return math.log(held / (1 - held))


def ruled_by(row: dict[reader.PlanMove, float], ruled: reader.PlanMove) -> dict[reader.PlanMove, float]:
    """What the reader says with the word of a rule: it tips the scales, and outweighs nothing that is sure."""
    whole = 1 + (RULE - 1) * row[ruled]
    return {move: odds * (RULE if move == ruled else 1) / whole for move, odds in row.items()}
