"""What nobody ever spoke of: a question most of which stands nowhere in a palace where much was told has no answer.

Owns which words of a question name what it is about and how much of it is missing. Knows no store: which words the
palace has is handed in. Invariants: a word that a hit says in other words, or whose other name is known, is not
missing; a small palace proves nothing by what it lacks, nor does talk among people.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from palazzo.files.blas_threads import one_blas_thread
from palazzo.recall.rank.known_words import KnownWords
from palazzo.recall.rank.relevance import Compared, likenesses, weights_of
from palazzo.recall.read.cue import Plan
from palazzo.text.meaning.answering import Word, reading, reads_as_english
from palazzo.text.words.tokens import terms, word_terms

Holding = Callable[[Sequence[str]], frozenset[str]]
"""Which of some terms stand in a palace."""
MANY: Final = 40
"""Candidates from which on a palace is large enough that what it lacks was not spoken of."""
MISSING: Final = 0.4
"""Share of a question, by the weight of its words, that is missing: chosen by hand on half of the questions of one
project."""
_ASKING: Final = frozenset({
    "ask", "tell", "told", "remind", "give", "list", "mention", "mentioned", "say", "said", "describe", "explain",
    "summarize", "summary", "provide", "show", "know", "remember", "specific", "exact", "exactly", "current",
    "currently", "now", "ever", "last", "vs", "etc", "e.g",
})  # fmt: skip
"""Words that ask for something and name nothing."""
_WHO_ASKS: Final = re.compile(
    r"\b(?:the|this|our)\s+(?:user|developer|customer|client|owner)(?:['’]s)?\b", re.IGNORECASE
)
_EITHER: Final = re.compile(r"([\w-]+) or ([\w-]+)", re.IGNORECASE)


def unheard(words: KnownWords, plan: Plan, candidates: int, holding: Holding, told: Sequence[Compared]) -> bool:
    """Whether most of what a question is about stands nowhere; `told` are the hits, `holding` says which terms do."""
    asked = reading(plan.words)
    if candidates < MANY or not words.at_hand or not told or not (asked.asks and asked.english):
        return False
    if any(one.speaker for one in told):  # people who talk imply more than they say
        return False
    cue = _WHO_ASKS.sub(" ", plan.words)
    about = [word for word in reading(cue).words if _names_something(word)]
    if not about:
        return False
    every = {word.text: word_terms(word.text) or (word.term,) for word in about}
    named = {plan.terms[row] for other in plan.other_names for row in other.rows}
    held = named | holding(tuple(dict.fromkeys(term for one in every.values() for term in one)))
    for pair in _EITHER.findall(cue):  # of two to choose from one is enough
        if not held.isdisjoint(terms(" ".join(pair))):
            held.update(terms(" ".join(pair)))
    gone = np.array([held.isdisjoint(every[word.text]) for word in about], np.bool_)
    weights = weights_of(words, about)
    if float((weights * gone).sum()) <= MISSING * float(weights.sum()):
        return False
    if not all(reads_as_english(one.text) for one in told):  # in another language it may be said all the same
        return False
    with one_blas_thread():
        near, _ = likenesses(words, about, [one.text for one in told])
    return float((weights * gone * (1 - near.max(axis=1))).sum()) > MISSING * float(weights.sum())


def _names_something(word: Word) -> bool:
    said = word.text.casefold()
    return not (word.small or said in _ASKING or any(sign.isdigit() for sign in said))
