"""Whose it is that was told: where people talk with each other, one's own words are no answer about the other.

Owns how a sentence is given to one of those who talk ("I", "my" to who says it, "you" to who is spoken to), and how far
what has the words of a question is of the one it asks about. Knows no store and no relevance. Invariant: a cue that
names nobody who speaks, or several of them, is left to the other tests.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from palazzo.files.blas_threads import one_blas_thread
from palazzo.recall.rank.known_words import Floats, KnownWords
from palazzo.recall.rank.relevance import Compared, likenesses
from palazzo.text.meaning.answering import reading
from palazzo.text.words.parsed import parsed

ANOTHERS: Final = -0.3
"""Below it what has the words of a question is another's: chosen by hand on three of five conversations."""
_OWN: Final = re.compile(r"\b(?:i|my|me|mine|myself|we|our|ours|us)\b", re.IGNORECASE)
_YOURS: Final = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")
_SHARP: Final = 3
"""Power of a sentence's nearness that it counts by: those that have most of the question decide."""
_BOTH, _NEITHER = 0.5, 0.3
"""How far a sentence is its speaker's that says both "I" and "you", and one that says neither."""


def anothers(words: KnownWords, cue: str, named: Sequence[str], told: Sequence[Compared]) -> bool:
    """Whether what these texts say in the words of a cue is said of others than the one speaker it names."""
    if len(named) != 1 or not words.at_hand or not any(one.speaker for one in told):
        return False
    (about,) = named
    asked = [word for word in reading(cue).words if not word.small and word.text.casefold() not in about.split()]
    others = {name for one in told for name in one.speaker.casefold().split()}.difference(about.split())
    sentences = [
        (sentence.text, _spoken(sentence.text, one.speaker.casefold() == about) if one.speaker else
         _noted(sentence.text, about, others))
        for one in told for sentence in parsed(one.text).sentences
    ]  # fmt: skip
    if not asked or not sentences:
        return False
    with one_blas_thread():
        near, weights = likenesses(words, asked, [text for text, _ in sentences])
    return (
        _theirs(
            weights @ near / max(float(weights.sum()), 1e-6), np.array([share for _, share in sentences], np.float32)
        )
        < ANOTHERS
    )


def _spoken(sentence: str, by_them: bool) -> float:
    """How far a sentence is of the one who is asked about (1) or of another (-1); `by_them`: it is their own word."""
    own, yours = _OWN.search(sentence) is not None, _YOURS.search(sentence) is not None
    share = (_BOTH if own else -1.0) if yours else 1.0 if own else _NEITHER
    return share if by_them else -share


def _noted(sentence: str, about: str, others: Collection[str]) -> float:
    """The same of a statement drawn from what was said, which names whom it is of first."""
    for word in _WORD.findall(sentence.casefold()):
        if word in others or word in about.split():
            return -1.0 if word in others else 1.0
    return 0.0


def _theirs(near: Floats, of_them: Floats) -> float:
    """Whose the sentences with most of the question are, and how much more of it the one's best sentence has than the
    other's."""
    sharp = near**_SHARP
    best, others = (float(near[side].max(initial=0.0)) for side in (of_them > 0, of_them < 0))
    return float(sharp @ of_them) / max(float(sharp.sum()), 1e-6) + best - others
