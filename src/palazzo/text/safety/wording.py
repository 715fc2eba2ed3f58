"""How much texts are worded as orders to their reader: a quick head over every passage, an encoder over doubtful ones.

Owns the order of the two, what the encoder is given of a passage (the concepts of its words beside their pieces) and
what of its states is weighed. Refuses to know the arithmetic (`reader.encoder`), rules, hidden letters, what a score
leads to (`injection`) and how the weights were learned (`training/injection` makes the file with this same cutting).
Nearly every attack passes the head at its low threshold and most ordinary text stops there, so the encoder, thirty
times as dear, reads little: the worst passages each by itself, so that nothing around an attack hides it, and a short
text as a whole, so that sentences which mean something only together are seen together. What several texts give it is
read in one table. Invariants: what stands beside a text changes nothing of its score; no text stays here; without the
encoder's weights, and in a script it never learned, the head judges alone at a threshold of its own; without either
nobody judges, and `missing` says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from palazzo.text.reader.encoder import CLOSING, LONGEST, OPENING, installed, parts_of, pieces, read_alone
from palazzo.text.reader.weights import Encoder
from palazzo.text.safety import injection_head
from palazzo.text.safety.injection_head import Head, concept_of_word, folded, lexicon
from palazzo.text.words.lexicon import EVERY_LANGUAGE

WEIGHTS: Final = f"data/{EVERY_LANGUAGE}/injection_encoder.bin"

_READ_ALONE: Final = 3
"""Passages that the encoder reads by themselves at most, the worst first."""
_SHORT: Final = 4
"""Passages of a text that is also read as a whole."""
_NEAR: Final = 10.0
"""How far below the flag a passage may stay for the text to be read as a whole, and without a label, as well."""
_TOGETHER: Final = 2048
"""Pieces that are read in one table: enough to use the weights well, few enough to stay near the processor."""
_UNREAD: Final = re.compile("[\u0530-\u1dff\uac00-\ud7af]")
"""Letters of scripts the encoder never learned."""
Doubtful = tuple[float, str]
"""What the head said of a passage, and the passage."""


@cache
def encoder() -> Encoder | None:
    """The encoder of this package; nothing where its file is missing or was made for another lexicon."""
    return fitting(installed(WEIGHTS))


def fitting(of: Encoder | None) -> Encoder | None:
    """The encoder where its marks mean the concepts of this lexicon."""
    return of if of is not None and of.concepts == lexicon().names else None


def missing() -> str:
    """What is not installed of the two; empty when nothing is."""
    if injection_head.head() is None:
        return "the weights of the head"
    return "" if encoder() is not None else "the weights of the encoder"


def cut(passage: str, vocabulary: Mapping[str, int]) -> tuple[list[int], list[int]]:
    """Numbers of the pieces of a passage in lower case, and for each piece the concepts of its word."""
    numbers: list[int] = []
    concepts: list[int] = []
    for part in parts_of(passage):
        found = pieces(part, vocabulary, folded)
        numbers += found
        concepts += [concept_of_word(part)] * len(found)
    return numbers[: LONGEST - 2], concepts[: LONGEST - 2]


def wordings(lowered: Sequence[str]) -> list[list[float]]:
    """From 0 to 1 how each text in lower case is worded, then its worst other passage; empty without weights."""
    head, of = injection_head.head(), encoder()
    if head is None:
        return [[] for _ in lowered]
    alone = (head.flag_at, head.refuse_at)
    both = alone if of is None else (of.figures["flag_at"], of.figures["refuse_at"])
    return [[_score(one, *(both if read else alone)) for one in worst[:2]] for worst, read in sums(head, of, lowered)]


def sums(head: Head, of: Encoder | None, lowered: Sequence[str]) -> list[tuple[list[float], bool]]:
    """What is said of the passages of each text, the worst first, and whether the encoder was to have its word."""
    by_head = [_by_head(head, one) for one in lowered]
    if of is None:
        return [([one for one, _ in some], False) for some in by_head]
    doubtful = [[] if _unread(some) else _doubtful(of, some) for some in by_head]
    said = weighed(of, [one for some in doubtful for one in some])
    worst = [sorted((next(said) for _ in some), reverse=True) for some in doubtful]
    near = of.figures["flag_at"] - _NEAR
    beside = [
        _beside(head, text, some) if found and found[0] >= near else []
        for text, some, found in zip(lowered, by_head, worst, strict=True)
    ]
    said = weighed(of, [one for some in beside for one in some])
    for found, some in zip(worst, beside, strict=True):
        found[:1] = [max(found[0], *(next(said) for _ in some))] if some else found[:1]
    return [
        ([one for one, _ in some], False) if _unread(some) else (found, True)
        for some, found in zip(by_head, worst, strict=True)
    ]


def _by_head(head: Head, lowered: str) -> list[Doubtful]:
    """What the head says of the passages of a text, the worst first."""
    return sorted(injection_head.weighed_passages(head, lowered), reverse=True)


def _unread(sums: Sequence[Doubtful]) -> bool:
    """Whether the worst passage is in a script the encoder never learned."""
    return bool(sums) and 4 * len(_UNREAD.findall(sums[0][1])) > len(sums[0][1])


def _doubtful(of: Encoder, sums: Sequence[Doubtful]) -> list[Doubtful]:
    """The passages of a text that the encoder reads by themselves."""
    return [one for one in sums[:_READ_ALONE] if one[0] >= of.figures["pass_at"]]


def _beside(head: Head, lowered: str, sums: Sequence[Doubtful]) -> list[Doubtful]:
    """What is read as well where a passage by itself comes near an attack, and may be more of one."""
    found: list[Doubtful] = []
    order = sums[0][1].partition(": ")[2]
    if order.strip():  # a label before an order does not hide it
        found.append((injection_head.weighed(head, order), order))
    if 1 < len(sums) <= _SHORT:
        found.append((sums[0][0], lowered))
    return found


def weighed(of: Encoder, doubtful: Sequence[Doubtful]) -> Iterator[float]:
    """What the head said of each passage and what the encoder says, together: higher is more of an order."""
    weights, offset = of.heads["wording"]
    rows: list[int] = []
    masks: list[int] = []
    spans: list[tuple[int, int]] = []
    begun = 0
    for at, (_, passage) in enumerate(doubtful, 1):
        numbers, concepts = cut(passage, of.vocabulary)
        spans.append((len(rows), len(rows) + len(numbers) + 2))
        rows += [OPENING, *numbers, CLOSING]
        masks += [0, *concepts, 0]
        if len(rows) >= _TOGETHER or at == len(doubtful):
            said = (read_alone(of, rows, masks, spans) @ weights + offset)[:, 0].tolist()
            for (by_head, _), by_encoder in zip(doubtful[begun:at], said, strict=True):
                yield by_encoder + of.figures["head_weight"] * by_head
            begun, rows, masks, spans = at, [], [], []


def _score(weighed: float, flag_at: float, refuse_at: float) -> float:
    """0.5 where the flag is, 0.9 where no harmless training text reaches; straight below, ever slower above."""
    if weighed < flag_at:
        return max(0.0, round(0.5 + 0.1 * (weighed - flag_at), 4))
    return round(1.0 - 0.5 * math.pow(0.2, (weighed - flag_at) / (refuse_at - flag_at)), 4)
