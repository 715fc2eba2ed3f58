"""What the words of a language are in English, for whoever judges a text by rules and models that read English.

Owns the lookup of words and phrases in the `words` and `phrases` of a page. It is no translation of a text: what is not
listed stays as it is written, and what is kept is always the text itself. Knows nothing of what the words mean.
Invariant: every word given is said, left as it is, or listed as one that says nothing in English.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from palazzo.model.fork_lock import ForkLock
from palazzo.text.words.lexicon import ENGLISH, has_page, page
from palazzo.text.words.tokens import STOP_WORDS, fold

if TYPE_CHECKING:
    from collections.abc import Callable

_STEMMED: Final = 5
"""Letters of a word from which on its stem tells which it is."""
_SHORTEST_STEM: Final = 4
_COMPOUNDED: Final = 3
"""Letters of the parts of a compound."""
_SILENT: Final = "@"
"""What a word is in English that says nothing there: "se", "ne"."""
_lock = ForkLock()
_stemmers: dict[str, Callable[[str], str]] = {}


def stem_of(word: str, algorithm: str) -> str:
    """The stem of a folded word. Stemmers are not thread-safe, hence the lock."""
    with _lock:
        if algorithm not in _stemmers:
            import Stemmer

            _stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0).stemWord
        return _stemmers[algorithm](word)


class Said(NamedTuple):
    """A word in English, and the words it stands for; `read` where it is listed, and not left as it was written."""

    word: str
    first: int
    last: int
    read: bool = True


class Glossary:
    """The words and phrases of one page of a language, and what they are in English.

    A word is found as it is written, without its accents, and where the page names a stemmer by its stem.
    """

    __slots__ = ("_links", "_phrases", "_stems", "_words", "capitals_name", "runs", "stemmer")

    def __init__(
        self,
        words: Mapping[str, str],
        phrases: Mapping[tuple[str, ...], tuple[str, ...]],
        stemmer: str = "",
        *,
        capitals_name: bool = True,
        links: Sequence[str] = (),
        unspaced: bool = False,
    ) -> None:
        self.stemmer = stemmer
        self._links = tuple(links)
        longest = sorted(map(re.escape, words), key=len, reverse=True)
        self.runs = re.compile("|".join(longest)) if unspaced else None
        """The words of a language that writes no spaces, the longest first."""
        self.capitals_name = capitals_name
        self._words = {**{fold(word): english for word, english in reversed(list(words.items()))}, **words}
        self._phrases: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        spelled = {tuple(map(fold, phrase)): phrases[phrase] for phrase in phrases} | dict(phrases)
        for phrase in sorted(spelled, key=len, reverse=True):
            self._phrases.setdefault(phrase[0], []).append((phrase, spelled[phrase]))
        self._stems: dict[str, str] = {}
        if stemmer:
            for word, english in words.items():
                stem = stem_of(fold(word), stemmer) if len(word) >= _STEMMED and english not in STOP_WORDS else ""
                if len(stem) >= _SHORTEST_STEM:
                    self._stems.setdefault(stem, english)

    def knows(self, word: str) -> bool:
        """Whether a word, or one in a run of them, has another in English."""
        if self.runs is not None:
            return self.runs.search(word) is not None
        return word in self._words or word in self._phrases

    def parts(self, word: str) -> tuple[str, ...]:
        """A word, or the two that an apostrophe joins where the first of them is listed: "l'anno"."""
        opening, sign, rest = word.partition("'")
        joined = bool(sign and rest) and not self.knows(word) and opening + sign in self._words
        return (opening + sign, rest) if joined else (word,)

    def english(self, words: Sequence[str], names: Container[int] = ()) -> list[Said]:
        """The given words in English; what is not listed, or is a name by its place, stays as it is."""
        found: list[Said] = []
        at = 0
        while at < len(words):
            size, said = self._phrase(words, at)
            if not size:
                size = 1
                one = None if at in names else self._word(words[at])
                if one is None:
                    found.append(Said(words[at], at, at + 1, False))
                    at += 1
                    continue
                said = tuple(one.split("_"))
            if len(said) == size:
                found += [Said(word, at + step, at + step + 1) for step, word in enumerate(said) if word != _SILENT]
            else:
                found += [Said(word, at, at + size) for word in said if word != _SILENT]
            at += size
        return found

    def _phrase(self, words: Sequence[str], at: int) -> tuple[int, tuple[str, ...]]:
        for opening in dict.fromkeys((words[at], fold(words[at]))):
            for phrase, english in self._phrases.get(opening, ()):
                given = tuple(words[at : at + len(phrase)])
                if given == phrase or tuple(map(fold, given)) == phrase:
                    return len(phrase), english
        return 0, ()

    def _word(self, word: str) -> str | None:
        found = self._words.get(word)
        if found is None:
            found = self._words.get(folded := fold(word))
            if found is None and self._stems and len(word) >= _STEMMED:
                found = self._stems.get(stem_of(folded, self.stemmer)) or self._compound(folded)
        return found

    def _compound(self, word: str) -> str | None:
        """Two listed words written as one, with or without a sound between them: "Hausschlüssel", "Lieblingsfarbe"."""
        for cut in range(len(word) - _COMPOUNDED, _COMPOUNDED - 1, -1) if self._links else ():
            head, tail = word[:cut], self._words.get(word[cut:])
            if tail is None or tail in STOP_WORDS:
                continue
            for link in self._links:
                first = self._words.get(head.removesuffix(link)) if head.endswith(link) else None
                if first is not None and first not in STOP_WORDS and len(head) - len(link) >= _COMPOUNDED:
                    return f"{first}_{tail}"
        return None


@cache
def glossary(name: str, language: str) -> Glossary | None:
    """The glossary of a page; none in English, and none where the language has no such page."""
    if language == ENGLISH or not has_page(name, language):
        return None
    listed = page(name, language)
    found = Glossary(listed.labelled("words"), {})
    phrases = {
        tuple(part for word in phrase.split() for part in found.parts(word)): tuple(english.split())
        for english, listing in listed.listings("phrases").items()
        for phrase in listing.split(",")
    }
    stemmer = listed.listing("stemmer") if listed.has("stemmer") else ""
    named = not listed.has("capitals") or listed.listing("capitals") != "nouns"
    # The first link is none: two words that stand side by side.
    links = ("", *listed.listing("links").split()) if listed.has("links") else ()
    unspaced = listed.has("unspaced") and bool(listed.listing("unspaced"))
    return Glossary(listed.labelled("words"), phrases, stemmer, capitals_name=named, links=links, unspaced=unspaced)
