"""What the readers say of work: does a sentence open a plan, and what does a later one do to it.

Owns the meaning of what they were taught of plans (`training/plans`). Knows nothing of threads and decides nothing.
Invariants: without weights every judgement is None, and rules judge alone; what was said of a pair is remembered until
texts are forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from palazzo.text.reader.encoder import Pair, encoder
from palazzo.text.reader.judgements import odds

PlanMove = Literal["none", "open", "done", "cancelled", "postponed", "handed"]
SORTS: Final[tuple[PlanMove, ...]] = ("none", "open", "done", "cancelled", "postponed", "handed")
ANYTHING: Final = "Something was planned."
"""The plan beside which a sentence is read to see whether it ends any."""


def moves(pairs: Sequence[Pair]) -> list[dict[PlanMove, float]] | None:
    """For each (plan, sentence) what the sentence does to the plan; with an empty second, what the first opens."""
    found = odds("plans", pairs, encoder())
    return None if found is None else [dict(zip(SORTS, row, strict=True)) for row in found]
