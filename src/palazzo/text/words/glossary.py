"""The words of a language, said in the words that the readers of this room know.

Owns the translation of words and short phrases by the tables `words` and `phrases` of a page: English on the left, the
words of the language on the right. It is no translation of a text: only the small words, figures and cues that the
grammar of dates and slots reads are replaced, and every other word stays as it is. Knows no meaning.
Invariant: what is said stands for a stretch of the given words, in order, without a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from palazzo.text.words.lexicon import ENGLISH, has_page, page


class Said(NamedTuple):
    """A word in English, and the words it stands for."""

    word: str
    first: int
    last: int


class Glossary:
    """The words and phrases of one page of a language, and what they are in English."""

    __slots__ = ("_phrases", "_words")

    def __init__(self, words: dict[str, str], phrases: dict[tuple[str, ...], tuple[str, ...]]) -> None:
        self._words = words
        self._phrases: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        for phrase in sorted(phrases, key=len, reverse=True):
            self._phrases.setdefault(phrase[0], []).append((phrase, phrases[phrase]))

    def knows(self, word: str) -> bool:
        """Whether a word has another in English."""
        return word in self._words or word in self._phrases

    def english(self, words: Sequence[str]) -> list[Said]:
        """The given words in English; what is not listed stays as it is."""
        found: list[Said] = []
        at = 0
        while at < len(words):
            size = 1
            said: tuple[str, ...] = (self._words.get(words[at], words[at]),)
            for phrase, english in self._phrases.get(words[at], ()):
                if tuple(words[at : at + len(phrase)]) == phrase:
                    size, said = len(phrase), english
                    break
            if len(said) == size:
                found += [Said(word, at + step, at + step + 1) for step, word in enumerate(said)]
            else:
                found += [Said(word, at, at + size) for word in said]
            at += size
        return found


@cache
def glossary(name: str, language: str) -> Glossary | None:
    """The glossary of a page; none in English, and none where the language has no such page."""
    if language == ENGLISH or not has_page(name, language):
        return None
    listed = page(name, language)
    phrases = {
        tuple(phrase.split()): tuple(english.split())
        for english, listing in listed.listings("phrases").items()
        for phrase in listing.split(",")
    }
    return Glossary(dict(listed.labelled("words")), phrases)
