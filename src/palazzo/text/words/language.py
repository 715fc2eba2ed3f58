"""Which language a text is in, by its script and its most frequent small words.

Owns the judgement; the function words and telling letters of about thirty languages are data. Knows no translation.
A guess, not a verdict: "und" (undetermined) where nothing speaks for one language, as for numbers, code or names.
Invariant: any string gets a code of `LANGUAGES` or "und"; reading stops after a fixed length.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from palazzo.text.words import tokens
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, has_page, page

UNDETERMINED: Final = "und"
_MAX_READ: Final = 2000
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
def function_words(language: str) -> frozenset[str]:
    """The small words of a language; of English for one that has none here."""
    return frozenset(_FUNCTION_WORDS.get(language, _FUNCTION_WORDS[ENGLISH]).split())


def reading_language(text: str) -> str:
    """The language whose words a text is read with: its own where there is a folder of it, else English.

    It is decided more readily than `guess_language` decides: a statement of four words has one or two small ones.
    """
    text = text[:_MAX_READ].lower().replace("’", "'")
    found = _WHOLE_WORD.findall(text)
    if all(_own_words(language).isdisjoint(found) for language in _READ):
        guess = ENGLISH if text.isascii() else guess_language(text)
        return guess if guess in _READ else ENGLISH
    scores = {} if text.isascii() else _telling(text)
    for word in found:
        for code in (codes := _read_words().get(word, ())):
            scores[code] = scores.get(code, 0.0) + 1.0 / len(codes)
    most = max(scores.values())
    for language in _READ:
        if scores.get(language, 0.0) == most > scores.get(ENGLISH, 0.0) and not _own_words(language).isdisjoint(found):
            return language
    return ENGLISH


def guess_language(text: str) -> str:
    """The code of the language a text is most likely in, "und" where nothing tells."""
    text = text[:_MAX_READ].lower()
    if text.isascii():
        return _by_function_words(_WORD.findall(text), {}, LANGUAGES)
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


def _by_function_words(found: list[str], scores: dict[str, float], allowed: frozenset[str]) -> str:
    by_word = _by_word()
    for word in found:
        if word in by_word:
            codes = by_word[word]
            for code in codes:
                if code in allowed:
                    scores[code] = scores.get(code, 0.0) + 1.0 / len(codes)
    if not scores:
        return UNDETERMINED
    code = max(scores, key=lambda one: (scores[one], one == "en"))
    # One short word among many others proves nothing.
    return code if code in allowed and scores[code] * 12 >= len(found) else UNDETERMINED
