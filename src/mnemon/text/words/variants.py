"""Spellings and words that say the same, words that say nothing, and words that must never be lost.

Owns the small lexicons behind text-level duplicate checks, all in the form `tokens.terms` yields. Knows
nothing about vectors or thresholds. Invariant: `canonical` is idempotent, and a filler is never guarded.
"""

from __future__ import annotations

from typing import Final

from mnemon.text.words.lexicon import page

_PAGE: Final = page("similarity")

# Each line: the canonical term, then the terms it replaces. Only pairs that are safe in every context.
_SAME: Final = _PAGE.labelled("same")

# Leave the meaning as it is: articles, auxiliaries, softeners, interjections.
FREE: Final = _PAGE.words("free")
# Free only as the first words of a text: "right, I will" but not "turn right".
LEADING_FILLERS: Final = FREE | _PAGE.words("leading_fillers")
# A few words set off by a comma are an aside when one of these is among them and the rest are function words:
# "to tell the truth," "on a side note,". Hopes and doubts are no asides, they change what is stated.
DISCOURSE: Final = _PAGE.words("discourse")
# "Well, you know, ..." is filler; "I know Anna" and "the way home" are not, so these only count as phrases.
FILLER_PHRASES: Final = tuple(tuple(phrase.split()) for phrase in _PAGE.in_order("filler_phrases"))
# Filler only when set off by a comma: "no kidding, ..." but "I have no kids".
ASIDE_PHRASES: Final = frozenset((*FILLER_PHRASES, *(tuple(one.split()) for one in _PAGE.in_order("aside_phrases"))))

NEGATIONS: Final = _PAGE.words("negations")
QUANTIFIERS: Final = _PAGE.words("quantifiers")
MODALS: Final = _PAGE.words("modals")
# Added to a statement they turn it around.
REVERSALS: Final = _PAGE.words("reversals")
DIRECTIONS: Final = _PAGE.words("directions")
DAYS: Final = _PAGE.words("days")
PERSONS: Final = _PAGE.labelled("persons")


def canonical(term: str) -> str:
    """The term that stands for all its spelling variants; the term itself where there are none."""
    return _SAME.get(term, term)
