"""How much a text is worded as orders to its reader: a quick head over every passage, an encoder over doubtful ones.

Owns the order of the two. Knows nothing of rules, hidden letters or what a score leads to (`injection`). Nearly every
attack passes the head at its low threshold and most ordinary text stops there, so the encoder, thirty times as dear,
reads little: the worst passages each by itself, so that nothing around an attack hides it, and a short text as a whole,
so that sentences which mean something only together are seen together. Invariant: without the encoder's weights, and
in a script it never learned, the head judges alone at a threshold of its own; without either nobody judges, and
`missing` says so.
"""

from __future__ import annotations

import math
import re
from typing import Final

from palazzo.text.safety import injection_head, wording_encoder
from palazzo.text.safety.wording_encoder import Encoder

_READ_ALONE: Final = 3
"""Passages that the encoder reads by themselves at most, the worst first."""
_SHORT: Final = 4
"""Passages of a text that is also read as a whole."""
_UNREAD: Final = re.compile("[\u0530-\u1dff\uac00-\ud7af]")
"""Letters of scripts the encoder never learned."""


def missing() -> str:
    """What is not installed of the two; empty when nothing is."""
    if injection_head.head() is None:
        return "the weights of the head"
    return "" if wording_encoder.encoder() is not None else "the weights of the encoder"


def wordings(lowered: str) -> list[float]:
    """From 0 to 1 how a text in lower case is worded, then its worst other passage; empty without weights."""
    head = injection_head.head()
    if head is None:
        return []
    passages = injection_head.passages(lowered)
    sums = sorted(((injection_head.weighed(head, one), one) for one in passages), reverse=True)
    alone = [_score(one, head.flag_at, head.refuse_at) for one, _ in sums[:2]]
    of = wording_encoder.encoder()
    if of is None or not sums or 4 * len(_UNREAD.findall(sums[0][1])) > len(sums[0][1]):
        return alone
    doubtful = [(one, passage) for one, passage in sums[:_READ_ALONE] if one >= of.pass_at]
    if not doubtful:
        return []
    found = sorted((_both(of, one) for one in doubtful), reverse=True)
    order = sums[0][1].partition(": ")[2]
    if order.strip():  # a label before an order does not hide it
        found[0] = max(found[0], _both(of, (injection_head.weighed(head, order), order)))
    if 1 < len(passages) <= _SHORT:
        found[0] = max(found[0], _both(of, (sums[0][0], lowered)))
    return [_score(one, of.flag_at, of.refuse_at) for one in found[:2]]


def _both(of: Encoder, doubtful: tuple[float, str]) -> float:
    """What the head said of a passage and what the encoder says, together."""
    by_head, passage = doubtful
    most = wording_encoder.LONGEST - 2
    numbers, concepts = wording_encoder.cut(passage, of.vocabulary)
    return wording_encoder.weighed(of, numbers[:most], concepts[:most]) + of.head_weight * by_head


def _score(weighed: float, flag_at: float, refuse_at: float) -> float:
    """0.5 where the flag is, 0.9 where no harmless training text reaches; straight below, ever slower above."""
    if weighed < flag_at:
        return max(0.0, round(0.5 + 0.1 * (weighed - flag_at), 4))
    return round(1.0 - 0.5 * math.pow(0.2, (weighed - flag_at) / (refuse_at - flag_at)), 4)
