"""Questions that say outright what their answer shows: a time or a figure, which a text has or has not.

Owns that test alone; how near a text comes to a question is judged elsewhere. Invariant: what it cannot tell for
certain (another language, another sort of answer) it leaves open.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from typing import Final

from palazzo.text.dates.find import find_dates
from palazzo.text.meaning.answering import Sort, gives, nouns_of_sorts, reading
from palazzo.text.words.grammar import base_of, third_person
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import word_terms

_ANY_DAY: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
_LASTING: Final = re.compile(r"\bhow (?:long|high|deep)\b(?! (?:is|are|was|were)\b)", re.IGNORECASE)
"""What asks for a time or a degree, and not for a length."""
_FIGURE: Final = re.compile(r"\d[\d.,]*[ -]?(?P<unit>[a-z]+)\b", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\b\d{1,2}(?::\d\d|(?:st|nd|rd|th)\b| ?[ap]m\b)|\b\d+ ?(?:%|percent\b)", re.IGNORECASE)
_WORDS: Final = re.compile(r"[a-z]+(?:-[a-z]+)?")
_WHAT_IS: Final = re.compile(
    r"^\W*(?:(?:and|so|hey|ok(?:ay)?|but)\W+)?what(?:[’']?s| is| are| was| were)\b(?!.*\bof\b)", re.IGNORECASE
)


@once
def asked_outright(question: str) -> Sort:
    """The sort that a question in English asks for in so many words, where an answer shows it: a time or a figure."""
    asked = reading(question)
    if not asked.asks or asked.polar or parsed(question).language != ENGLISH:
        return ""
    sort = asked.sort
    if sort == "other" and _WHAT_IS.match(question):  # "what's Dr. Lind's phone number?"
        last = base_of(question.rstrip(" ?!.").rpartition(" ")[2].casefold())
        sort = nouns_of_sorts().get((*word_terms(last), last)[0], sort)
    return sort if sort in ("time", "number") else ""


@once
def shows(text: str, sort: Sort) -> bool:
    """Whether a text has a figure or a time in it, days in short and with slips too: "Tue judo", "on mondys"."""
    return gives(text, sort) or _shown(sort).search(text) is not None or bool(find_dates(text, _ANY_DAY))


def lacks_what_is_asked(question: str, text: str) -> bool:
    """Whether a text has nothing of the sort that a question asks for outright, figures in another measure aside."""
    sort = asked_outright(question)
    if sort == "number" and (others := _other_units(question)):
        text = _CLOCK.sub(" ", _FIGURE.sub(lambda found: " " if found["unit"].casefold() in others else found[0], text))
    return bool(sort) and not shows(text, sort)


@once
def _other_units(question: str) -> frozenset[str]:
    """The units of all measures but the one a question asks for: how heavy it is tells no centimetre."""
    asked = set(map(base_of, _WORDS.findall(question.casefold())))
    own = [units for words, units in _measures() if words & asked]
    return frozenset().union(*(units for _, units in _measures())).difference(*own) if own else frozenset()


@once
def sides_asked(question: str) -> frozenset[tuple[int, int]]:
    """The sides of something that a question asks for: when a shop opens, and not when it closes."""
    if not reading(question).asks or reading(question).polar:
        return frozenset()
    return _sides_in(_LASTING.sub("", question))


def tells_other_side(asked: frozenset[tuple[int, int]], text: str) -> bool:
    """Whether a text tells only of the other side of what is asked for: when a shop closes for when it opens."""
    told = _sides_in(text)
    numbers = {number for number, _ in told}
    return any((number, side) not in told and number in numbers for number, side in asked)


@once
def _sides_in(text: str) -> frozenset[tuple[int, int]]:
    words = {base_of(word) for word in _WORDS.findall(parsed(text).gloss.casefold())}
    return frozenset(key for key, listed in _sides().items() if listed & words)


@cache
def _measures() -> list[tuple[frozenset[str], frozenset[str]]]:
    """What asks for each measure, and its units."""
    sides = [line.split(";") for line in page("asking", EVERY_LANGUAGE).listings("measures")["en"].strip().split("\n")]
    return [(frozenset(map(base_of, words.split())), frozenset(units.split())) for words, units in sides]


@cache
def _sides() -> dict[tuple[int, int], frozenset[str]]:
    """The words of each side of each line, as they stand and as the base of their verb."""
    lines = page("asking", EVERY_LANGUAGE).listings("sides")["en"].strip().split("\n")
    return {
        (number, side): frozenset(form for word in words.split() for form in (word, base_of(word), third_person(word)))
        for number, line in enumerate(lines)
        for side, words in enumerate(line.split(";"))
    }


@cache
def _shown(sort: Sort) -> re.Pattern[str]:
    return re.compile(page("asking", EVERY_LANGUAGE).pattern("patterns", f"shown_{sort}"), re.IGNORECASE)
