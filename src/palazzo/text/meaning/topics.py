"""What a text is about: topics of a closed set, and its own most telling words.

Owns the counting; the words of each topic are data. Knows nothing about a collection: a keyword is
telling by its form (a name, a number, a long or repeated word), not by how rare it is elsewhere.
Invariant: results are deterministic, without repeats, in order of weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.remembered import emptied_by
from palazzo.text.words.scripts import UNSPACED
from palazzo.text.words.tokens import STOP_WORDS, terms, word_terms

_PAGE: Final = page("topics")

__all__ = ["TOPICS", "keywords", "topics"]

_TOPICS: Final = _PAGE.listings("topics")
TOPICS: Final = tuple(_TOPICS)
_MAX_TOPICS: Final = 4
_MAX_READ: Final = 20_000
_WORD = re.compile(r"[^\W_]+(?:['’.+#-][^\W_]+)*(?:\+\+|#)?")
_POSSESSIVE = re.compile(r"['’]s?$")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_ORDER: Final = {topic: at for at, topic in enumerate(TOPICS)}
# Content words by the stop list, yet they tell nothing about what a text is about.
_EMPTY: Final = _PAGE.words("empty")
_SKIPPED: Final = STOP_WORDS | _EMPTY


@cache
def topics_by_term() -> dict[str, tuple[str, ...]]:
    """Term to the topics it speaks for; computed once, because stems need the stemmer."""
    found: dict[str, list[str]] = {}
    for topic, listing in _TOPICS.items():
        for word in listing.split():
            for term in terms(word)[-1:]:
                labels = found.setdefault(term, [])
                if topic not in labels:
                    labels.append(topic)
    return {term: tuple(labels) for term, labels in found.items()}


def topics(text: str) -> tuple[str, ...]:
    """The topics a text touches, strongest first, at most four."""
    by_term = topics_by_term()
    counts: dict[str, float] = {}
    for term in parsed(text[:_MAX_READ]).terms:
        if term in by_term:
            labels = by_term[term]
            for label in labels:
                counts[label] = counts.get(label, 0.0) + 1.0 / len(labels)
    if not counts:
        return ()
    strongest = max(counts.values())
    kept = [label for label, count in counts.items() if count * 4 >= strongest]
    return tuple(sorted(kept, key=lambda label: (-counts[label], _ORDER[label]))[:_MAX_TOPICS])


def keywords(text: str, limit: int = 8) -> tuple[str, ...]:
    """The most telling words of a text as written (lower case unless a name), at most `limit`."""
    weights: dict[str, float] = {}
    written: dict[str, tuple[str, bool]] = {}
    for word, named in _words(text[:_MAX_READ]):
        for term, weight in _telling[word]:
            weights[term] = weights.get(term, 0.0) + weight + named
            if named or term not in written:
                written[term] = (word, named)
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)[: max(0, limit)]
    return tuple(dict.fromkeys(_display(*written[term], term) for term in ranked))


def _words(text: str) -> Iterable[tuple[str, bool]]:
    """The words of a text that tell something, and whether each is written as a name."""
    if text.isascii() and text[1:] == text[1:].lower():
        return [(word, False) for word in _WORD.findall(text) if _telling[word]]
    return [
        (word, word[0].isupper() and _is_inside(text, match.start()))
        for match in _WORD.finditer(text)
        if _telling[word := match.group()]
    ]


class _Telling(dict[str, tuple[tuple[str, float], ...]]):
    """A word's terms that tell something, with their weight; filled as words are met, bounded as text is not."""

    def __missing__(self, word: str) -> tuple[tuple[str, float], ...]:
        weight = 1.0 + min(len(word), 10) / 20 + word[0].isdecimal()
        by_term = topics_by_term()
        found = tuple(
            (term, weight + 0.5 * (term in by_term))
            for term in (() if word in _SKIPPED else word_terms(word))
            if term not in _SKIPPED and len(term) > 1
        )
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        if len(word) <= _LONGEST_REMEMBERED:
            self[word] = found
        return found


_WORDS_REMEMBERED: Final = 40_000
_LONGEST_REMEMBERED: Final = 40
_telling = _Telling()
emptied_by(_telling.clear)


def _is_inside(text: str, start: int) -> bool:
    """Whether a word stands inside a sentence, where a capital means a name."""
    return start > 1 and text[start - 2] not in ".!?:\n"


def _display(word: str, named: bool, term: str) -> str:
    if not word.isascii() and _UNSPACED.search(word):
        return term
    bare = word if word.isalpha() else _POSSESSIVE.sub("", word)
    return bare if named else bare.lower()
