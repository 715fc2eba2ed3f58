"""Personal data that may be kept, and the security tier it asks for.

Owns the classes of personal data and their mapping to tiers:

    clear         nothing of the below
    sensitive     a way to reach or find somebody: email, phone, address, ip_address, location, birth_date
    confidential  an identity document (passport, driver_licence) or anything medical

Ways to reach somebody are known by their written forms, those of postal addresses for the larger European languages,
English-speaking countries, Japan and China. A street name alone is a place: a number stands with an address. A
telephone number is accepted by its own shape or because the words around it say so; dates, versions, amounts and
identifiers are not numbers to call.

What is medical is decided by a lexicon in two degrees: a plain term (metformin, leukaemia) counts by itself, a loaded
one that everyday talk also uses (depression, stroke) only in a clinical sentence. Colds, sprains, allergies and moods
are left alone on purpose: they are what people tell a memory to keep.

Names, employers, ages and opinions are what a memory is for and change no tier. Secrets are refused, not tiered: see
`secrets`. A finding carries the place and the class, never the value; an outline says what sort of thing a text is
about in words of our own, so that two texts with the same kind, classes and topics have the same outline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal

import msgspec

from palazzo.text.safety.secrets import Clean, same_length_lower
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, Patterns, page
from palazzo.text.words.marks import WordGroups

_CONTACT: Final = Patterns("personal", "contact")
_NAMED: Final = Patterns("personal", "named")

# Addresses of this machine, of nobody, of masks and of documentation say nothing about a person.
_IMPERSONAL = ("127.", "0.", "255.", "224.", "239.")


def find_mail_addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of e-mail addresses, international domains and address literals included."""
    position = text.find("@")
    while position >= 0:
        before = _CONTACT["mail_before"].search(text, max(0, position - 64), position)
        after = _CONTACT["mail_after"].match(text, position + 1) if before is not None else None
        if before is not None and after is not None:
            yield before.start(), after.end()
        position = text.find("@", position + 1)


def find_phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """The spans of telephone numbers."""
    for match in _CONTACT["phone"].finditer(text):
        value = match.group()
        digits = sum(map(str.isdecimal, value.partition("x")[0]))
        if 7 <= digits <= 15 and not _CONTACT["not_phone"].match(value) and _is_dialled(text, match):
            yield match.span()


def _is_dialled(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 40) : match.start()]
    lowered = before.lower()
    if _CONTACT["phone_before"].search(lowered) is not None:
        return True
    if _CONTACT["identifier_before"].search(lowered) is not None:
        return False
    value = match.group()
    if _CONTACT["thousands"].match(value) is not None:
        return False
    if _CONTACT["phone_shape"].fullmatch(value) is not None:
        return True
    return _CONTACT["phone_after"].match(text[match.end() : match.end() + 14].lower()) is not None


def find_network_addresses(text: str) -> Iterator[tuple[int, int]]:
    """The spans of IPv4, IPv6 and hardware addresses that can belong to somebody."""
    if text.count(".") >= 3:
        for match in _CONTACT["ipv4"].finditer(text):
            before = text[max(0, match.start() - 9) : match.start()]
            if not match.group().startswith(_IMPERSONAL) and "ersion" not in before:
                yield match.span()
    if text.count(":") >= 2 or text.count("-") >= 5:
        for match in _CONTACT["ipv6"].finditer(text):
            value = match.group()
            # Scope operators (`a::b`) and clock times look alike; an address has digits and more groups.
            if value.count(":") == 7 or ("::" in value and len(value) > 5 and any(map(str.isdecimal, value))):
                yield match.span()
        for match in _CONTACT["mac"].finditer(text):
            yield match.span()


def find_coordinates(text: str) -> Iterator[tuple[int, int]]:
    """The spans of latitude and longitude given to at least four decimals (about ten metres)."""
    for match in _CONTACT["coordinates"].finditer(text):
        yield match.span()


_POSTAL: Final = Patterns("addresses", "patterns", ENGLISH)
_LETTER_DIGIT = re.compile(r"[A-Z][0-9]")
_FIVE_DIGITS = re.compile(r"[0-9]{5}")

# A form is tried when one of these words (lower case, punctuation stripped) is in the text; forms without fixed
# words have their own test in `_worth_trying`.
_WORDS = {
    "english": frozenset(_POSTAL.part("english_types").lower().split("|")),
    **{name: frozenset(listed.split()) for name, listed in page("addresses").listings("words").items()},
}
_ATTACHED_WORD_ENDINGS = tuple(_POSTAL.part("attached_endings").replace("\\.", "").split("|"))
_PUNCTUATION = ".,;:!?()[]\"'>#"


def find_addresses(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """The spans of postal addresses; the text is expected to hold a digit."""
    present = {word.strip(_PUNCTUATION) for word in lowered.split()}
    for name in _POSTAL.names():
        if not _worth_trying(name, text, present):
            continue
        for match in _POSTAL[name].finditer(text):
            if name == "leading" and not any(map(str.isdecimal, match.group())):
                continue
            yield match.span({"unit": "unit", "told": "place"}.get(name, 0))


def _worth_trying(name: str, text: str, present: set[str]) -> bool:
    known = _WORDS.get(name)
    if known is not None:
        return not known.isdisjoint(present) or (name == "told" and "住所" in text)
    if name == "attached":
        return any(word.endswith(_ATTACHED_WORD_ENDINGS) for word in present)
    if name == "lettered_code":
        return _LETTER_DIGIT.search(text) is not None
    if name == "state_code":
        return _FIVE_DIGITS.search(text) is not None
    return not text.isascii()


_PAGE: Final = page("medical")

DIAGNOSES = _PAGE.words("diagnoses")

MEDICINES = _PAGE.words("medicines")

PROCEDURES = _PAGE.words("procedures")

LOADED = _PAGE.words("loaded")

CONDITIONS = _PAGE.words("conditions")


_MEDICAL: Final = Patterns("medical", "patterns", ENGLISH)
_LONE_WORDS = DIAGNOSES | MEDICINES | PROCEDURES
_LOADED_WORDS = LOADED | CONDITIONS | _PAGE.words("loaded_words")

# Words without which no clinical sentence is written; looked for before any pattern runs.
_CLINICAL_MARKS = _PAGE.in_order("clinical_marks")


@cache
def _medical_marks() -> WordGroups:
    return WordGroups(_LONE_WORDS | _LOADED_WORDS, _CLINICAL_MARKS)


def find_medical(lowered: str) -> Iterator[tuple[int, int]]:
    """The spans of medical statements in a lower-case text."""
    marked = _medical_marks().within(lowered)
    present = set(_MEDICAL["word"].findall(lowered)) if marked & 1 else set()
    for word in present & _LONE_WORDS:
        start = lowered.find(word)
        yield start, start + len(word)
    if present & _LOADED_WORDS:
        for match in _MEDICAL["loaded"].finditer(lowered):
            yield match.span()
    if marked & 2:
        for match in _MEDICAL["frame"].finditer(lowered):
            yield match.span()
    if not lowered.isascii():
        for match in _MEDICAL["foreign"].finditer(lowered):
            yield match.span()


Tier = Literal["clear", "sensitive", "confidential"]

CONFIDENTIAL_REASONS = frozenset({"passport", "driver_licence", "medical"})

_NAMED_NUMBERS = frozenset({"birth_date", "passport", "driver_licence", "ip_address", "location"})

_DIGIT = re.compile(r"[0-9０-９]")
_SIX_DIGITS = re.compile(r"[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){5}")

_FORMS: Final = page("personal", EVERY_LANGUAGE)
_MARKS = {name: tuple(listed.split()) for name, listed in _FORMS.listings("marks").items()}


class PersonalData(msgspec.Struct, frozen=True):
    """Where personal data stands and which class it has; the value itself is not kept."""

    start: int
    end: int
    reason: str


def find_personal(text: str) -> tuple[PersonalData, ...]:
    """Every piece of personal data in the text, in order of place."""
    return _clean.look(text, _personal_in)


def _personal_in(text: str) -> tuple[PersonalData, ...]:
    lowered = same_length_lower(text)
    found: list[tuple[int, int, str]] = []
    if "@" in text:
        found.extend((start, end, "email") for start, end in find_mail_addresses(text))
    if _DIGIT.search(text):
        found.extend(_numbered(text, lowered))
    elif "::" in text or ":" in text:
        found.extend((start, end, "ip_address") for start, end in find_network_addresses(text))
    found.extend((start, end, "medical") for start, end in find_medical(lowered))
    return tuple(_in_order(found)) if found else ()


_clean: Final = Clean[PersonalData]()


def _numbered(text: str, lowered: str) -> list[tuple[int, int, str]]:
    """What cannot be written without a digit."""
    found: list[tuple[int, int, str]] = []
    for name, marks in _MARKS.items():
        if any(map(lowered.__contains__, marks)):
            for match in _NAMED[name].finditer(lowered):
                start, end = match.span("value") if match["value"] else match.span()
                found.append((start, end, name))
    found.extend((start, end, "ip_address") for start, end in find_network_addresses(text))
    if _SIX_DIGITS.search(text):
        found.extend((start, end, "location") for start, end in find_coordinates(text))
        found.extend((start, end, "phone") for start, end in find_phone_numbers(text))
    found.extend((start, end, "address") for start, end in find_addresses(text, lowered))
    return found


def _in_order(found: list[tuple[int, int, str]]) -> Iterator[PersonalData]:
    """Sorted by place; readings of one class do not overlap, and a number with a name is not also a telephone."""
    reached: dict[str, int] = {}
    named_until = 0
    for start, end, reason in sorted(found, key=lambda item: (item[0], item[2] == "phone", -item[1])):
        if start < reached.get(reason, 0) or (reason == "phone" and start < named_until):
            continue
        reached[reason] = end
        if reason in _NAMED_NUMBERS:
            named_until = end
        yield PersonalData(start, end, reason)


def tier_of(text: str) -> Tier:
    """The security tier the text asks for; the table stands in the module's docstring."""
    reasons = {item.reason for item in find_personal(text)}
    if reasons & CONFIDENTIAL_REASONS:
        return "confidential"
    return "sensitive" if reasons else "clear"


_CLASSES: Final = _FORMS.listings("classes")


def classes_of(text: str) -> str:
    """What the personal data of a text is called, as words."""
    return " ".join(_CLASSES.get(reason, reason) for reason in dict.fromkeys(i.reason for i in find_personal(text)))


def outline(text: str, kind: str, topics: Sequence[str] = ()) -> str:
    """The kind, the classes of personal data and the topics of a text, as words to search by."""
    return " ".join(filter(None, (kind, classes_of(text), *topics)))
