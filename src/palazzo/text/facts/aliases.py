"""When two names mean one thing.

Owns the key under which a name is looked up, the rules by which a shorter form stands for a longer one, and the phrases
that say so outright ("also known as", "short for", "are the same person"). Knows no stored entities: it compares two
strings, or reads what a text says in so many words. Invariant: a pattern works within a bounded window around the word
that calls for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.words import cues, tokens
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once
from palazzo.text.words.remembered import remembered

_PAGE: Final = page("aliases")

EQUATING: Final = _PAGE.labelled("equating")
"""The words in one of which every such phrase has its middle, with the phrase."""
_WINDOW: Final = 100
_UPPER: Final = r"A-ZÀ-ÞŁŚŽČŠ"
_NAME: Final = rf"(?:[{_UPPER}][\w’'&+#-]*(?: (?:(?:of|de|van|von) )?[{_UPPER}0-9][\w’'&+#-]*){{0,4}}|[a-z0-9][\w+#-]*)"
_GIVEN: Final = rf"[{_UPPER}][\w’'-]+"
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
        "call": (rf"\b(?:call|calls|called|nickname) (?P<a>{_GIVEN}) {b}(?=$|[.,;:!)])",),
        "goes": (rf"{a}(?:,? (?:who|she|he|they|but|and))* goes by (?:the name )?{b}(?=$|[\s.,;:!)\"”’'])",),
        "same": (
            rf"{a} is the same (?:{_THINGS}) as {b}",
            rf"{a} and {b}['’\"”]? are (?:really )?(?:one and )?the same(?: (?:{_THINGS}))?(?=$|[.,;:!)])",
        ),
    }  # fmt: skip
    return {word: tuple(map(re.compile, phrases)) for word, phrases in found.items()}


@cache
def _introductions() -> tuple[re.Pattern[str], ...]:
    called = rf"{_QUOTED}(?P<b>{_GIVEN}(?: {_GIVEN})?)"
    speaker = "[Tt]he user"
    end = r"(?=$|[\s.,;:!)\"”’'])"
    naming = "(?:name|nickname|first name|full name|real name|given name)"
    by = "(?:goes by|is called|is named|is known as|answers to)"
    found = (
        rf"\b{speaker}['’]s {naming}(?: is|:) {called}{end}",
        rf"\b{speaker} (?:usually |mostly |now )?{by} (?:the name )?{called}{end}",
        rf"\b{speaker} (?:wants|prefers|would like|likes) to be called {called}{end}",
        rf"\b(?:calls?|called|nicknamed?|knows?) {speaker} (?:as )?{called}{end}",
        rf"^{speaker} is (?P<a>{_GIVEN}), (?:but|and|though|or) .{{0,40}}\b(?:says?|uses?) {called}{end}",
    )
    return tuple(map(re.compile, found))


_INTRODUCED = re.compile(rf"^[Tt]he user is (?P<b>{_GIVEN})(?=$|[.,!])")


@once
def own_names(statement: str) -> tuple[str, ...]:
    """How the user says they are called, by any of their names; nobody is called by where they come from."""
    found: dict[str, None] = {}
    for pattern in _introductions():
        for match in pattern.finditer(statement[: _MAX_NAME * 2]):
            found |= dict.fromkeys(match.groupdict().values())
    introduced = _INTRODUCED.match(statement)
    if introduced is not None and not _tells_origin(introduced["b"]):
        found.setdefault(introduced["b"])
    return tuple(name for name in found if _is_name(name))


def _tells_origin(word: str) -> bool:
    low = word.lower()
    return low not in cues.FIRST_NAMES and (low in _ORIGINS or low.endswith(_ORIGIN_ENDINGS))


def equated(text: str, at: int, word: str) -> Iterator[Equated]:
    """The pairs of names equated by the phrase around a word of `EQUATING` at a position."""
    for pattern in _patterns()[EQUATING[word]]:
        for match in pattern.finditer(text, _word_start(text, at), at + _WINDOW):
            if not (match.end("a") <= at <= match.end() or match.start() == at):
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
    while " " in name and name.partition(" ")[0].lower() in cues.PLAIN:
        name = name.partition(" ")[2]
    return re.sub(r"['’]s?$", "", name.strip(" ,.;:!?-"))


def _is_name(name: str) -> bool:
    """Whether it names something: a capital, a figure or a known name, and no common word."""
    lower = name.lower()
    if not name or lower in cues.PLAIN or lower in cues.CALENDAR or name.isdigit():
        return False
    return name[0].isupper() or any(sign.isdigit() for sign in name) or cues.is_name(lower)


_ORIGINS: Final = _PAGE.words("origins")
_ORIGIN_ENDINGS: Final = _PAGE.in_order("origin_endings")
_CORPORATE: Final = _PAGE.words("corporate")
_TITLES: Final = _PAGE.words("titles")
_POSSESSIVE = re.compile(r"['’]s?$")
_OUTER: Final = " \"'.,;:!?()[]@#"
_MAX_NAME: Final = 200  # nothing longer is a name
_SEPARATOR = re.compile(r"[\s.,_]+")
_CLASS_WORDS: Final = _PAGE.words("class_words")
_LONG_WORD: Final = 6
_SHORT_FORMS: Final = _PAGE.listings("short_forms")


@remembered(8192)
def alias_key(name: str) -> str:
    """The form under which a name is looked up: folded, no article, title, possessive or company form."""
    key = name[:_MAX_NAME]
    for _ in range(_MAX_NAME):  # taking one layer off can bare the next: "the 'Acme Inc.'"
        shorter = _shortened(tokens.fold(key))
        if shorter == key:
            break
        key = shorter
    return key


def _shortened(folded: str) -> str:
    bare = _POSSESSIVE.sub("", " ".join(folded.split()).strip(_OUTER))
    parts = [part for part in _SEPARATOR.split(bare) if part]
    while len(parts) > 1 and (parts[0] == "the" or parts[0] in _TITLES):
        parts.pop(0)
    while len(parts) > 1 and parts[-1] in _CORPORATE:
        parts.pop()
    return " ".join(parts)


def other_spelling(a: str, b: str, *, person: bool) -> bool:
    """Whether two names may be spellings of one: the condition without which no likeness in meaning joins them.

    Every figure is equal. Of people the family names are equal and the first names agree: an initial, a short form, or
    one letter amiss where not both are known first names ("Jane Lang" is not "John Lang"). Of other things the words
    are the same in the same order, apart from words of their class ("Northwind", "Northwind team") and one letter in a
    word of six or more.
    """
    left, right = alias_key(a).split(" "), alias_key(b).split(" ")
    if person:
        if len(left) < 2 or len(right) < 2 or left[-1] != right[-1]:
            return False
        given, other = left[0], right[0]
        both_known = given in cues.FIRST_NAMES and other in cues.FIRST_NAMES
        return _same_given(given, other) or (
            not both_known and given[0] == other[0] and _one_letter_apart(given, other)
        )
    plain_left, plain_right = ([word for word in part if word not in _CLASS_WORDS] for part in (left, right))
    if not plain_left or len(plain_left) != len(plain_right):
        return False
    return all(
        x == y
        or (len(x) >= _LONG_WORD and len(y) >= _LONG_WORD and x.isalpha() and y.isalpha() and _one_letter_apart(x, y))
        for x, y in zip(plain_left, plain_right, strict=True)
    )


def has_other_spellings(name: str, *, person: bool) -> bool:
    """Whether `other_spelling` can hold of a name at all: of people only with a family name, of other things only with
    a word that is not one of their class."""
    words = alias_key(name).split(" ")
    return len(words) > 1 if person else not _CLASS_WORDS.issuperset(words)


def first_letters(name: str) -> tuple[str, ...]:
    """The letters another writing of a name can begin with: its own, and those of the forms of its first word."""
    key = alias_key(name) or name
    first = key.split(" ")[0]
    forms = (*_SHORT_FORMS.get(first, "").split(), *(short for short in _SHORT_FORMS if _is_short_form(short, first)))
    return tuple(dict.fromkeys((key[:1], *(form[0] for form in forms))))


def _one_letter_apart(a: str, b: str) -> bool:
    """Whether one letter was left out, put in, changed, or two neighbours swapped."""
    if a == b:
        return True
    if abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    left, right = a[start:], b[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or (left[:2] == right[:2][::-1] and left[2:] == right[2:])
    return left[1:] == right or left == right[1:]


def _is_short_form(a: str, b: str) -> bool:
    return b in _SHORT_FORMS.get(a, "").split() or a in _SHORT_FORMS.get(b, "").split()


def _same_given(a: str, b: str) -> bool:
    if a == b or _is_short_form(a, b):
        return True
    return (len(a) == 1 or len(b) == 1) and a[0] == b[0]
