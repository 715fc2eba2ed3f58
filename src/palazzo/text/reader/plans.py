"""What the learned reader says of work: does a sentence open a plan, and what does a later one do to it.

Owns the file of weights that was learned for plans (`training/plans`) and turns its logits into odds. Knows nothing of
threads and decides nothing. Invariants: without weights every judgement is None, and rules judge alone; what was said
of a pair is remembered until texts are forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from palazzo.text.reader.encoder import Pair, installed, logits
from palazzo.text.reader.weights import Encoder
from palazzo.text.words.lexicon import EVERY_LANGUAGE
from palazzo.text.words.remembered import kept_in

PlanMove = Literal["none", "open", "done", "cancelled", "postponed", "handed"]
SORTS: Final[tuple[PlanMove, ...]] = ("none", "open", "done", "cancelled", "postponed", "handed")
ANYTHING: Final = "Something was planned."
"""The plan beside which a sentence is read to see whether it ends any."""
WEIGHTS: Final = f"data/{EVERY_LANGUAGE}/plans.bin"
_REMEMBERED: Final = 8192
"""Pairs whose odds are kept: a thread is read again from its beginning each time."""


@cache
def _encoder() -> Encoder | None:
    return installed(WEIGHTS)


class _Read:
    """What was said of pairs lately."""

    def __init__(self) -> None:
        self.rows: dict[Pair, dict[PlanMove, float]] = {}
        kept_in(self)

    def forget(self) -> None:
        """Lets go of the pairs."""
        self.rows = {}


_read: Final = _Read()


def moves(pairs: Sequence[Pair]) -> list[dict[PlanMove, float]] | None:
    """For each (plan, sentence) what the sentence does to the plan; with an empty second, what the first opens."""
    of = _encoder()
    if of is None:
        return None
    unread = [pair for pair in dict.fromkeys(pairs) if pair not in _read.rows]
    if unread:
        import numpy as np

        if len(_read.rows) + len(unread) > _REMEMBERED:
            _read.forget()
            unread = list(dict.fromkeys(pairs))
        found = logits(of, "plans", unread) / np.float32(of.figures.get("plans_temperature", 1.0))
        odds = np.exp(found - found.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        for pair, row in zip(unread, odds.tolist(), strict=True):
            _read.rows[pair] = dict(zip(SORTS, row, strict=True))
    return [_read.rows[pair] for pair in pairs]
