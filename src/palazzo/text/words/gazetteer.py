"""Names that are known without context, and the words that say what kind of thing a name beside them is.

Owns the lists that entity finding, cues and duplicate checks share: given names, places, technologies, organizations,
services, events; endings ("... University"), words before ("in", "met"), words after ("said", "project"), and
capitalised words that name nothing. Knows nothing about sentences. Entries are folded (lower case, no Latin
diacritics). Invariant: a name that is also an everyday word is in `AMBIGUOUS`, and only counts where it is written with
a capital inside a sentence.
"""

from __future__ import annotations

from typing import Final

from palazzo.text.words.lexicon import page

_PAGE: Final = page("gazetteer")
_BESIDE: Final = page("entities")

FIRST_NAMES: Final = _PAGE.words("first_names")
COUNTRIES: Final = _PAGE.phrases("countries")
CITIES: Final = _PAGE.phrases("cities")
TECHNOLOGIES: Final = _PAGE.phrases("technologies")
ORGANIZATIONS: Final = _PAGE.phrases("organizations")
SERVICES: Final = _PAGE.phrases("services")
EVENTS: Final = _PAGE.phrases("events")
# Everyday words that are also names; a capital inside a sentence decides.
AMBIGUOUS: Final = _PAGE.phrases("ambiguous")

# The last word of a name, by kind.
ENDINGS: Final = _BESIDE.labelled("endings")
STARTS: Final = _BESIDE.labelled("starts")
HONORIFICS: Final = _BESIDE.words("honorifics")
KIN: Final = _BESIDE.words("kin")
PERSON_BEFORE: Final = KIN | _BESIDE.words("person_before")
PERSON_AFTER: Final = _BESIDE.words("person_after")
LOCATION_BEFORE: Final = _BESIDE.words("location_before")
MOTION: Final = _BESIDE.words("motion")
SPEECH: Final = _BESIDE.words("speech")
WORK: Final = _BESIDE.words("work")
COMPANY: Final = _BESIDE.words("company")
ORGANIZATION_BEFORE: Final = _BESIDE.words("organization_before")
TECHNOLOGY_BEFORE: Final = _BESIDE.words("technology_before")
PROJECT_NEAR: Final = _BESIDE.words("project_near")
CONCEPTS: Final = _BESIDE.words("concepts")
ROLES: Final = _BESIDE.words("roles")
# Capitalised only because a sentence starts, or for emphasis.
PLAIN: Final = _BESIDE.words("plain")
CALENDAR: Final = _BESIDE.words("calendar")
# Written in capitals without being a name.
LOUD: Final = _BESIDE.words("loud")


def _kinds() -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, names in (
        ("technology", TECHNOLOGIES),
        ("service", SERVICES),
        ("organization", ORGANIZATIONS),
        ("event", EVENTS),
        ("location", COUNTRIES | CITIES),
    ):
        for name in names:
            found.setdefault(name, kind)
    return found


KINDS: Final[dict[str, str]] = _kinds()


def _lower_names() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in KINDS:
        if name not in AMBIGUOUS and not name.startswith("the "):
            found.setdefault(name.split(" ", 1)[0], []).append(name)
    return {word: tuple(sorted(names, key=len, reverse=True)) for word, names in found.items()}


# Names safe to recognise in lower case, longest first, by first word: one look-up rules most words out.
LOWER_NAMES: Final[dict[str, tuple[str, ...]]] = _lower_names()
_LONGEST: Final = 4


def is_name(word: str) -> bool:
    """Whether a folded word is a known name and no everyday word."""
    return (word in FIRST_NAMES or word in KINDS) and word not in AMBIGUOUS


def longest_match(folded: list[str], at: int) -> int:
    """How many words from `at` on make a known unambiguous name; 0 for none."""
    for size in range(min(_LONGEST, len(folded) - at), 0, -1):
        name = " ".join(folded[at : at + size])
        if name in KINDS and name not in AMBIGUOUS:
            return size
    return 0
