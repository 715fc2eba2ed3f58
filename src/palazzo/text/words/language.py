"""Which language a text is in, and what its words are in English, for rules and models that read English.

Owns the judgement, by script and the most frequent small words, and the lookup of words and phrases in the `words` and
`phrases` of a page; all of them are data. A guess, not a verdict: "und" (undetermined) where nothing speaks for one
language. The lookup is no translation: what is not listed stays as it is written, and what is kept is always the text
itself. Invariants: any string gets a code of `LANGUAGES` or "und", and reading stops after a fixed length; every word
given is said, left as it is, or listed as one that says nothing in English.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from palazzo import kernel
from palazzo.model.fork_lock import ForkLock
from palazzo.text.words import tokens
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, has_page, page
from palazzo.text.words.remembered import emptied_by, remembered
from palazzo.text.words.tokens import STOP_WORDS, fold

if TYPE_CHECKING:
    from collections.abc import Callable

_STEMMED: Final = 5
"""Letters of a word from which on its stem tells which it is."""
_SHORTEST_STEM: Final = 4
_COMPOUNDED: Final = 3
"""Letters of the parts of a compound."""
_MOST_MET: Final = 8_192
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

    __slots__ = ("_links", "_met", "_phrases", "_stems", "_words", "capitals_name", "runs", "stemmer")

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
        self._met: dict[str, tuple[bool, tuple[str, ...] | None]] = {}
        """Words of texts that were looked up: whether a phrase may begin with one, and what it is by itself."""
        emptied_by(self._met.clear)
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
            opens, said = self._met.get(words[at]) or self._meet(words[at])
            size, phrase = self._phrase(words, at) if opens else (0, ())
            if size:
                said = phrase
            elif said is None or at in names:
                found.append(Said(words[at], at, at + 1, False))
                at += 1
                continue
            else:
                size = 1
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

    def _meet(self, word: str) -> tuple[bool, tuple[str, ...] | None]:
        opens = word in self._phrases or fold(word) in self._phrases
        one = self._looked_up(word)
        if len(self._met) >= _MOST_MET:
            self._met.clear()
        found = self._met[word] = (opens, None if one is None else tuple(one.split("_")))
        return found

    def _looked_up(self, word: str) -> str | None:
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


UNDETERMINED: Final = "und"
_MAX_READ: Final = 2000
_SPARSE: Final = 12
"""One word of a language among more others than so many proves nothing."""
_PAGE: Final = page("languages", EVERY_LANGUAGE)
_FUNCTION_WORDS: Final = _PAGE.listings("function_words")
_LETTERS: Final[tuple[tuple[str, str], ...]] = (
    ("ko", "\uac00-\ud7a3\u1100-\u11ff"),
    ("th", "\u0e01-\u0e4e"),
    ("he", "\u05d0-\u05ea"),
    ("el", "\u0370-\u03ff\u1f00-\u1fff"),
    ("ka", "\u10a0-\u10ff"),
    ("hy", "\u0530-\u058f"),
    ("bn", "\u0980-\u09ff"),
    ("ta", "\u0b80-\u0bff"),
    ("te", "\u0c00-\u0c7f"),
)
# Letters that only one of the languages of a script uses.
_TELLING: Final = _PAGE.labelled("telling")
_ALPHABETS: Final[dict[str, frozenset[str]]] = {
    "cyrillic": frozenset({"ru", "uk", "bg", "sr"}),
    "arabic": frozenset({"ar", "fa", "ur"}),
    "devanagari": frozenset({"hi", "mr"}),
}
_USUAL: Final = {"cyrillic": "ru", "arabic": "ar", "devanagari": "hi"}
LANGUAGES: Final = frozenset({*_FUNCTION_WORDS, "zh", "ja", *(code for code, _ in _LETTERS)})
_READ: Final = tuple(code for code in _PAGE.listings("read") if code != ENGLISH)
_WHOLE_WORD = re.compile(r"(?<![\w|])[^\W\d_]+(?:['’][^\W\d_]+)*(?!\w)")
_VOWEL_SIGNS = re.compile("[\u0900-\u0dff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# The same in small plain letters; where nothing joins letters to a sign that is none, they are the whole words too.
_PLAIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
_JOINS = re.compile(r"[0-9_|]")


@remembered(16)
def plain_words(text: str) -> tuple[str, ...] | None:
    """The words of a short text in plain letters, which are made small; None of any other, and where letters are joined
    to signs that are none. One text is asked for them by several readers in turn."""
    if len(text) > _MAX_READ:
        return None
    if (quick := kernel.part("plain_words")) is not None:
        return quick(text)  # type: ignore[no-any-return]
    if not text.isascii() or _JOINS.search(text) is not None:
        return None
    return tuple(_PLAIN_WORD.findall(text.lower()))


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for code, listing in _FUNCTION_WORDS.items():
        for word in listing.split():
            if code not in found.setdefault(word, []):
                found[word].append(code)
    return {word: tuple(codes) for word, codes in found.items()}


@cache
def _script_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    listed = [
        ("kana", tokens.KANA),
        ("han", tokens.HAN),
        ("cyrillic", "\u0400-\u052f"),
        ("arabic", "\u0620-\u06ff"),
        ("devanagari", "\u0900-\u097f"),
        *_LETTERS,
    ]
    return tuple((name, re.compile(f"[{ranges}]")) for name, ranges in listed)


@cache
def _read_words() -> dict[str, tuple[str, ...]]:
    """Word to languages, with the further words of those that have a folder, and their glossaries, without accents too.

    A word that English writes as well speaks for no other language.
    """
    found = {word: list(codes) for word, codes in _by_word().items()}
    for code, listing in _PAGE.listings("read").items():
        words = listing.split()
        if code == ENGLISH:
            words += _english()
        elif has_page("grammar", code):
            glossed = page("grammar", code)
            told = [*glossed.labelled("words"), *_WORD.findall(" ".join(glossed.listings("phrases").values()))]
            shared = set(_PAGE.listings("also_english")[code].split()) | _english()
            words += [
                word for one in (*words, *told) for word in (one, tokens.fold(one))
                if word not in shared and word.replace("'", "").isalpha()
            ]  # fmt: skip
        for word in words:
            if code not in found.setdefault(word, []):
                found[word].append(code)
    return {word: tuple(codes) for word, codes in found.items()}


@cache
def _english() -> frozenset[str]:
    """Words of English: those that glossaries say others in, and those listed as written in other languages too."""
    said = (
        word for code in _READ if has_page("grammar", code)
        for label in page("grammar", code).listings("words") for word in label.split("_")
    )  # fmt: skip
    return frozenset((*said, *_FUNCTION_WORDS[ENGLISH].split(), *_PAGE.listings("also_english")[ENGLISH].split()))


@cache
def _own_words(language: str) -> frozenset[str]:
    """The words of a language that English does not write too."""
    shared = _PAGE.listings("also_english")[language].split()
    return frozenset(word for word, codes in _read_words().items() if language in codes) - frozenset(shared)


@cache
def _others_words() -> frozenset[str]:
    """The words that only languages other than English write: one look tells that a text has none of them."""
    return frozenset().union(*map(_own_words, _READ))


@cache
def function_words(language: str) -> frozenset[str]:
    """The small words of a language; of English for one that has none here."""
    return frozenset(_FUNCTION_WORDS.get(language, _FUNCTION_WORDS[ENGLISH]).split())


def reading_language(text: str) -> str:
    """The language whose words a text is read with: its own where there is a folder of it, else English.

    It is decided more readily than `guess_language` decides: a statement of four words has one or two small ones.
    """
    found: Sequence[str] | None = plain_words(text)
    if found is None:
        text = text[:_MAX_READ].lower().replace("’", "'")
        found = _WHOLE_WORD.findall(text)
    plain = text.isascii()
    if _others_words().isdisjoint(found):
        guess = ENGLISH if plain else guess_language(text)
        return guess if guess in _READ else ENGLISH
    read = _read_words()
    listed = list(filter(read.__contains__, found))
    if plain and len(listed) * _SPARSE < len(found) > _SPARSE:  # whatever they speak for, they are too few
        return ENGLISH
    scores = {} if plain else _telling(text)
    for word in listed:
        codes = read[word]
        for code in codes:
            scores[code] = scores.get(code, 0.0) + 1.0 / len(codes)
    most = max(scores.values())
    if most * _SPARSE < len(found) > _SPARSE:
        return ENGLISH
    for language in _READ:
        if scores.get(language, 0.0) == most > scores.get(ENGLISH, 0.0) and not _own_words(language).isdisjoint(found):
            return language
    return ENGLISH


def guess_language(text: str) -> str:
    """The code of the language a text is most likely in, "und" where nothing tells."""
    found = plain_words(text)
    if found is not None:
        return _by_function_words(found, {}, LANGUAGES)
    text = text[:_MAX_READ].lower()
    if text.isascii():
        return _by_function_words(_PLAIN_WORD.findall(text), {}, LANGUAGES)
    counts = {name: len(pattern.findall(text)) for name, pattern in _script_patterns()}
    name = max(counts, key=lambda one: counts[one])
    letters = sum(map(str.isalpha, text))
    if counts["kana"] and counts["kana"] + counts["han"] >= max(counts.values()):
        return "ja"
    if counts[name] * 2 < letters or not counts[name]:
        return _by_function_words(_words(text), _telling(text), LANGUAGES)
    if name == "han":
        return "zh"
    if name in _ALPHABETS:
        guess = _by_function_words(_words(text), _telling(text), _ALPHABETS[name])
        return _USUAL[name] if guess == UNDETERMINED else guess
    return name


def _words(text: str) -> list[str]:
    plain = text.replace("’", "'")
    # Vowel signs are no letters to the pattern, so the words of Devanagari are cut at blanks.
    return plain.split() if _VOWEL_SIGNS.search(plain) else _WORD.findall(plain)


def _telling(text: str) -> dict[str, float]:
    scores: dict[str, float] = {}
    for letter, code in _TELLING.items():
        if letter in text:
            scores[code] = scores.get(code, 0.0) + 1.5
    return scores


def _by_function_words(found: Sequence[str], scores: dict[str, float], allowed: frozenset[str]) -> str:
    by_word = _by_word()
    for word in filter(by_word.__contains__, found):
        codes = by_word[word]
        for code in codes:
            if code in allowed:
                scores[code] = scores.get(code, 0.0) + 1.0 / len(codes)
    if not scores:
        return UNDETERMINED
    code = max(scores, key=lambda one: (scores[one], one == "en"))
    return code if code in allowed and scores[code] * _SPARSE >= len(found) else UNDETERMINED
