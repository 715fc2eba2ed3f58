"""Two names that a text says are one: "also known as", "short for", "are the same person".

Owns the phrases and what may stand on either side of them. Knows nothing about stored entities and judges no likeness:
only what is said in so many words is read. Invariant: every pattern works within a bounded window around the
word that calls for it, so reading a text is linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from mnemon.text.facts import entity_cues
from mnemon.text.words import gazetteer
from mnemon.text.words.lexicon import labelled

EQUATING: Final = labelled(
    {
        "known": "known aka k",
        "short": "short nickname abbreviation acronym name alias",
        "stands": "stands",
        "nicknamed": "nicknamed abbreviated",
        "goes": "goes",
        "same": "same",
    }
)
"""The words in one of which every such phrase has its middle, with the phrase."""
_WINDOW: Final = 100
_UPPER: Final = r"A-ZÀ-ÞŁŚŽČŠ"
_NAME: Final = rf"(?:[{_UPPER}][\w’'&+#-]*(?: (?:(?:of|de|van|von) )?[{_UPPER}0-9][\w’'&+#-]*){{0,4}}|[a-z0-9][\w+#-]*)"
_QUOTED: Final = r"[\"“'‘]?"
_THE: Final = r"(?:the )?"
_THINGS: Final = (
    "person|thing|one|company|firm|place|project|tool|product|service|system|program|man|woman|team|library"
)


class Equated(NamedTuple):
    """Two names of one thing, and where that is said."""

    name: str
    other: str
    start: int
    end: int


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], ...]]:
    a, b = rf"\b(?P<a>{_NAME})['’\"”]?", rf"{_QUOTED}{_THE}(?P<b>{_NAME})"
    known = "(?:also|better|otherwise) known as"
    names = r"(?:nickname|short (?:form|name)|abbreviation|acronym|alias|other name|another name)"
    found = {
        "known": (rf"{a},? ?\(?(?:(?:who|which) )?(?:is |was )?(?:{known}|aka|a\.k\.a\.?) {b}",),
        "short": (rf"{a}(?: is|['’]s)? (?:just )?(?:short for|(?:an? |the |our |my )?{names} (?:for|of)) {b}",),
        "stands": (rf"{a} stands for {b}",),
        "nicknamed": (rf"{a}(?: is|,)? (?:nicknamed|abbreviated(?: as| to)?) {b}",),
        "goes": (rf"{a} goes by (?:the name )?{b}(?=$|[\s.,;:!)\"”’'])",),
        "same": (
            rf"{a} is the same (?:{_THINGS}) as {b}",
            rf"{a} and {b}['’\"”]? are (?:really )?(?:one and )?the same(?: (?:{_THINGS}))?(?=$|[.,;:!)])",
        ),
    }  # fmt: skip
    return {word: tuple(map(re.compile, phrases)) for word, phrases in found.items()}


def equated(text: str, at: int, word: str) -> Iterator[Equated]:
    """The pairs of names equated by the phrase around a word of `EQUATING` at a position."""
    for pattern in _patterns()[EQUATING[word]]:
        for match in pattern.finditer(text, _word_start(text, at), at + _WINDOW):
            if not match.end("a") <= at <= match.end():
                continue
            name, other = _clean(match["a"]), _clean(match["b"])
            if _is_name(name) and _is_name(other) and name.casefold() != other.casefold():
                yield Equated(name, other, match.start(), match.end())


def _word_start(text: str, at: int) -> int:
    """Where the window before a position begins: not in the middle of a word."""
    start = max(0, at - _WINDOW)
    while 0 < start < at and text[start - 1].isalnum():
        start += 1
    return start


def _clean(name: str) -> str:
    while " " in name and name.partition(" ")[0].lower() in entity_cues.PLAIN:
        name = name.partition(" ")[2]
    return re.sub(r"['’]s?$", "", name.strip(" ,.;:!?-"))


def _is_name(name: str) -> bool:
    """Whether it names something: a capital, a figure or a known name, and no common word."""
    lower = name.lower()
    if not name or lower in entity_cues.PLAIN or lower in entity_cues.CALENDAR or name.isdigit():
        return False
    return name[0].isupper() or any(sign.isdigit() for sign in name) or gazetteer.is_name(lower)
