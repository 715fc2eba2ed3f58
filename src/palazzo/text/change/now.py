"""Whether a newer statement says where somebody lives, works or studies now, where the older one says another place.

Owns that one comparison for languages in which no slots are read; the words are data. Knows nothing of memories.
Invariants: any two texts are safe; without a word for "now" in the newer one nothing is taken back by it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import UNSPACED, fold

_PAGE: Final = page("now", EVERY_LANGUAGE)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SIGNS: Final = re.compile(f"[{UNSPACED}]")
_CLAUSE: Final = re.compile(r"[,;:.!?，。；！？、]+")
_TOPIC: Final = "は"
_LEAST: Final = 2
"""Signs that two statements without spaces share at their beginning, where they name different places."""


@cache
def _now(language: str) -> frozenset[str]:
    return frozenset(fold(_PAGE.listings("now").get(language, "")).split())


@cache
def _doing(language: str) -> tuple[str, ...]:
    return tuple(_PAGE.listings("one_place").get(language, "").split())


def took_its_place(older: str, newer: str) -> bool:
    """Whether the newer statement says that somebody is elsewhere now than the older one says."""
    language = parsed(newer).language
    if language == ENGLISH or parsed(older).language != language:
        return False
    if _SIGNS.search(newer) is not None:
        return _signs_moved(older, newer, language)
    before, after = _place_of(older), _place_of(newer)
    if not before or not after or not _says_now(newer, language):
        return False
    return before[0] == after[0] and before[1:] != after[1:]


def _says_now(text: str, language: str) -> bool:
    return not _now(language).isdisjoint(_WORD.findall(fold(text)))


@once
def _place_of(text: str) -> tuple[str, ...]:
    """What the speaker does, and the words behind it, of the first clause that says so."""
    for clause in _CLAUSE.split(parsed(text).gloss):
        words = [word for word in _WORD.findall(clause.casefold()) if word not in _now(ENGLISH)]
        for at, word in enumerate(words[1:], start=1):
            if words[at - 1] == "i" and word in _doing(ENGLISH):
                return (word, *words[at + 1 :])
    return ()


def _signs_moved(older: str, newer: str, language: str) -> bool:
    for said in _CLAUSE.split(newer):
        told = next((word for word in sorted(_now(language), key=len, reverse=True) if word in said), "")
        doing = next((word for word in _doing(language) if word in said), "")
        if not told or not doing:
            continue
        after = said.replace(told, "", 1).strip()
        for before in map(str.strip, _CLAUSE.split(older)):
            if before and before != after and doing in before and _same_frame(before, after, doing):
                return True
    return False


def _same_frame(before: str, after: str, doing: str) -> bool:
    """Whether both say the same up to the place, or from it on, of one whom neither names."""
    opening, other_opening = before.partition(doing)[0], after.partition(doing)[0]
    rest, other_rest = before.partition(doing)[2], after.partition(doing)[2]
    if opening == other_opening:
        return bool(rest and other_rest) and rest != other_rest
    if rest != other_rest or _TOPIC in opening + other_opening:
        return False
    return opening[:_LEAST] == other_opening[:_LEAST] or opening[-1:] == other_opening[-1:] != ""
