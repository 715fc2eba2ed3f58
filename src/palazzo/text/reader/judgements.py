"""What the learned reader says: is a statement taken back, does a text answer a question, what kind of message is it.

Owns the meaning of the encoder's heads and turns logits into calibrated odds. Knows nothing of memories and decides
nothing: thresholds that were chosen with the weights come with them (`figure`), and whoever asks uses them. Invariant:
without weights every judgement is None, and `missing` says so; rules then judge alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from palazzo.text.reader.encoder import Pair, encoder, logits

if TYPE_CHECKING:
    from palazzo.text.reader.encoder import Floats

MessageKind = Literal["fact", "instruction", "request", "question", "chat", "forget", "correction"]
MESSAGE_KINDS: Final[tuple[MessageKind, ...]] = (
    "fact", "instruction", "request", "question", "chat", "forget", "correction",
)  # fmt: skip


class ChangeOdds(msgspec.Struct, frozen=True, gc=False):
    """What a newer statement does to an older one, as probabilities that sum to one."""

    replaces: float
    """It takes the older one back, wholly or in part."""
    holds: float
    same: float
    touches: float
    """It does not speak of it, but the older one may have changed with it."""


def missing() -> str:
    """What is not installed; empty when nothing is."""
    return "" if encoder() is not None else "the weights of the reader"


def figure(name: str, otherwise: float) -> float:
    """A threshold that was chosen with the weights."""
    of = encoder()
    return otherwise if of is None else of.figures.get(name, otherwise)


def change(pairs: Sequence[Pair]) -> list[ChangeOdds] | None:
    """For every (older, newer) pair what the newer statement does to the older one."""
    found = _odds("change", pairs)
    return None if found is None else [ChangeOdds(*row) for row in found.tolist()]


def answers(question: str, texts: Sequence[str]) -> list[float] | None:
    """How likely each text answers a question."""
    found = _odds("answers", [(question, text) for text in texts])
    return None if found is None else found[:, 0].tolist()


def kinds(texts: Sequence[str]) -> list[dict[MessageKind, float]] | None:
    """What kind of message each text is, with the odds of every kind."""
    found = _odds("kinds", [(text, "") for text in texts])
    return None if found is None else [dict(zip(MESSAGE_KINDS, row, strict=True)) for row in found.tolist()]


def _odds(head: str, pairs: Sequence[Pair]) -> Floats | None:
    import numpy as np

    of = encoder()
    if of is None:
        return None
    found = logits(of, head, pairs)
    found = found / np.float32(of.figures.get(f"{head}_temperature", 1.0))
    if found.shape[1] == 1:
        odds: Floats = np.float32(1) / (np.float32(1) + np.exp(-found))
        return odds
    spread: Floats = np.exp(found - found.max(axis=1, keepdims=True))
    spread /= spread.sum(axis=1, keepdims=True)
    return spread
