"""How a text feels: valence from -1 to 1 and intensity from 0 to 1, from its words and signs alone.

Owns the reading: lexicon words, flipped by a negation before them, scaled by intensifiers; emoji; emphasis
(capitals, exclamation marks, stretched words); urgency and correction. Knows nothing about what caused the
feeling. Invariant: both figures stay in range for any string, and a text without a marker reads as (0, 0).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from palazzo.model.memory import Affect
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import terms

__all__ = ["Affect", "read_affect"]

_PAGE: Final = page("affect")


def _weighted(entry: str) -> dict[str, float]:
    """Word to figure; the first figure a word is listed under counts."""
    return {word: float(figure) for word, figure in _PAGE.labelled(entry).items()}


_EMOTICONS: Final = _weighted("emoticons")
# Two terms that feel other than each of them: "passed away", "can't wait".
_PAIRS: Final[Mapping[tuple[str, ...], float]] = {
    tuple(pair.split()): float(valence)
    for valence, pairs in _PAGE.listings("pairs").items()
    for pair in pairs.split(",")
}
_PAIR_STARTS: Final = frozenset(first for first, _ in _PAIRS)
_INTENSIFIERS: Final = _weighted("intensifiers")
_NEGATIONS: Final = _PAGE.words("negations")
# Right before a word it negates it; further off it is an answer: "no, that is wrong".
_NEAR_NEGATION: Final = "no"
_URGENCY: Final = _PAGE.words("urgency")
_CORRECTION: Final = _PAGE.words("correction")
_SHOUT = re.compile(r"\b[A-Z]{3,}\b")
_STRETCHED: Final = tuple(letter * 3 for letter in "aehilmnosuy")
_EMOTICON = re.compile(r"(?<!\w)(?:>?:'?-?[()/dDpP]|<3|</3|;\)|[xX]D|\^\^)(?!\w)")
_NEGATION_REACH: Final = 3
_MAX_TERMS: Final = 2000  # a document's mood is in its opening; the rest would only cost time


@cache
def _valences() -> dict[str, float]:
    """Term to valence; computed once, because stems need the stemmer."""
    found: dict[str, float] = {}
    for valence, listing in _PAGE.listings("valence").items():
        for word in listing.split():
            for term in terms(word)[:1]:
                found.setdefault(term, float(valence))
    for sign, valence in _PAGE.labelled("emoji").items():
        found.setdefault(sign.rstrip("\ufe0f"), float(valence))
    found.pop(_NEAR_NEGATION, None)
    return found


def read_affect(text: str) -> Affect:
    """The feeling a text expresses."""
    found = parsed(text).terms[:_MAX_TERMS]
    scores = _scores(found)
    if ":" in text or "<3" in text or ";)" in text or "XD" in text or "^^" in text:
        scores += [_EMOTICONS.get(sign.lower(), 0.0) for sign in _EMOTICON.findall(text[:10_000])]
    urgent = not _URGENCY.isdisjoint(found)
    if not scores and not urgent:
        return Affect()
    valence = _blend(scores)
    strength = max(map(abs, scores), default=0.0)
    emphasis = _emphasis(text[:10_000]) if scores else 0.0
    corrected = len(_CORRECTION.intersection(found)) > 1
    intensity = min(1.0, strength * (0.6 + emphasis) + 0.25 * urgent + 0.1 * corrected)
    if corrected or (urgent and not scores):
        valence = min(valence, valence - 0.15)
    return Affect(round(max(-1.0, min(1.0, valence)), 3), round(intensity, 3))


def _scores(found: Sequence[str]) -> list[float]:
    """Signed valence of each feeling word after negation and intensifiers."""
    scores: list[float] = []
    skipped = -1
    for at, alone in _marked(found):
        if at == skipped:
            continue
        valence = alone
        pair = _PAIRS.get((found[at], found[at + 1])) if at + 1 < len(found) else None
        if pair is not None:
            valence, skipped = pair, at + 1
        before = found[max(0, at - _NEGATION_REACH) : at]
        for word in before[-2:]:
            valence *= _INTENSIFIERS.get(word, 1.0)
        if not _NEGATIONS.isdisjoint(before) or before[-1:] == (_NEAR_NEGATION,):
            # "not great" is mildly bad, "not bad" is mildly good: negation turns and weakens.
            valence *= -0.5
        if valence:
            scores.append(valence)
    return scores


def _marked(found: Sequence[str]) -> list[tuple[int, float]]:
    """Positions of feeling words and of words that may begin a pair."""
    valences, starts = _valences(), _PAIR_STARTS
    return [(at, valences.get(term, 0.0)) for at, term in enumerate(found) if term in valences or term in starts]


def _blend(scores: list[float]) -> float:
    """Mean of the scores, the strong ones counting more: one death outweighs two nice days."""
    weight = sum(map(abs, scores))
    return sum(score * abs(score) for score in scores) / weight if weight else 0.0


def _emphasis(text: str) -> float:
    """0 to 0.4 from exclamation marks, shouted and stretched words."""
    value = min(0.2, 0.1 * text.count("!"))
    if text.isupper():
        value += 0.2 if len(text) > 10 else 0.0
    elif _SHOUT.search(text):
        value += 0.1
    lower = text.lower()
    if any(three in lower for three in _STRETCHED):
        value += 0.1
    return min(0.4, value)
