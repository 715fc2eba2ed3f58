"""What the learned reader says: is a statement taken back, does a text answer a question, what kind of message is it.

Owns the meaning of the encoder's heads and turns logits into calibrated odds. Knows nothing of memories and decides
nothing: thresholds that were chosen with the weights come with them (`figure`), and whoever asks uses them. Invariants:
without weights every judgement is None, and `missing` says so; rules then judge alone; the pairs of a call are read
together, each once, and what was said of them is remembered until texts are forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from palazzo.text.reader.encoder import CHANGE, Pair, encoder, in_another_language, voiced
from palazzo.text.words.remembered import kept_in

if TYPE_CHECKING:
    from palazzo.text.reader.encoder import Floats
    from palazzo.text.reader.weights import Encoder

MessageKind = Literal["fact", "instruction", "request", "question", "chat", "forget", "correction"]
MESSAGE_KINDS: Final[tuple[MessageKind, ...]] = (
    "fact", "instruction", "request", "question", "chat", "forget", "correction",
)  # fmt: skip


OTHER_LANGUAGES: Final = "other_languages"
"""The figure that what replaces is lowered by in languages MiniLM did not read, where it is sure too soon."""
_REMEMBERED: Final = 8192
"""Pairs whose odds are kept: a thread of work is read again from its beginning each time."""


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
    """A threshold of a change that was chosen with the weights."""
    of = encoder()
    return otherwise if of is None else of.figures.get(name, otherwise)


def knows_word(word: str) -> bool:
    """Whether a word, in lower case, is one the weights have as a whole: a word as it is spelled, and no slip."""
    of = encoder()
    return of is not None and word in of.vocabulary


def change(pairs: Sequence[Pair]) -> list[ChangeOdds] | None:
    """For every (older, newer) pair what the newer statement does to the older one."""
    found = odds(CHANGE, pairs, encoder())
    return None if found is None else [ChangeOdds(*row) for row in found]


def answers(pairs: Sequence[Pair]) -> list[float] | None:
    """For every (question, text) how likely the text answers; of each question the first one, which is most likely to,
    is read by both readers."""
    first = {question: at for at, (question, _) in reversed([*enumerate(pairs)])}
    found = odds("answers", pairs, encoder(), closely=first.values())
    return None if found is None else [likely for likely, *_ in found]


def kinds(texts: Sequence[str]) -> list[dict[MessageKind, float]] | None:
    """What kind of message each text is, with the odds of every kind."""
    found = odds("kinds", [(text, "") for text in texts], encoder())
    return None if found is None else [dict(zip(MESSAGE_KINDS, row, strict=True)) for row in found]


class _Said:
    """What the heads said of pairs lately: a question that is asked again is not read twice."""

    def __init__(self) -> None:
        self.forget()
        kept_in(self)

    def forget(self) -> None:
        """Lets go of the pairs."""
        self.rows: dict[tuple[str, Pair], tuple[float, ...]] = {}


_said: Final = _Said()


def odds(
    head: str, pairs: Sequence[Pair], of: Encoder | None, *, closely: Collection[int] = ()
) -> list[tuple[float, ...]] | None:
    """What a head of an encoder says, a row for each pair, of those at `closely` by both readers; those that were not
    read lately are read in one go, for which the weights pass by once."""
    if of is None:
        return None
    asked = [(f"{head}, closely" if at in closely else head, pair) for at, pair in enumerate(pairs)]
    known = {one: row for one in asked if (row := _said.rows.get(one)) is not None}
    unread = [one for one in dict.fromkeys(asked) if one not in known]
    if unread:
        again = [at for at, (kept, _) in enumerate(unread) if kept != head]
        read = dict(zip(unread, _read(of, head, [pair for _, pair in unread], closely=again), strict=True))
        if len(_said.rows) + len(read) > _REMEMBERED:
            _said.forget()
        _said.rows.update(read)
        known |= read
    return [known[one] for one in asked]


def _read(of: Encoder, head: str, pairs: Sequence[Pair], *, closely: Sequence[int]) -> list[tuple[float, ...]]:
    import numpy as np

    found = voiced(of, head, pairs, closely=closely)
    found = found / np.float32(of.figures.get(f"{head}_temperature", 1.0))
    if head == CHANGE and (less := of.figures.get(OTHER_LANGUAGES, 0.0)):
        other = {text for text in {text for pair in pairs for text in pair} if in_another_language(of, text)}
        found[[not other.isdisjoint(pair) for pair in pairs], 0] -= np.float32(less)
    if found.shape[1] == 1:
        likely: Floats = np.float32(1) / (np.float32(1) + np.exp(-found))
    else:
        likely = np.exp(found - found.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
    return [tuple(row) for row in likely.tolist()]
