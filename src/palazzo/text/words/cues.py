"""Phrases that hint at something, matched against a text in one pass over its terms; and names that are known without
context.

Owns the notation of cue phrases and their matching: words are compared as terms, forms of "be" are one word, the
speaker ("I", "my", "the user", a given name, the name a text opens with) is one word, `*` stands for up to three words,
and `^` ties a phrase to the beginning. Owns the lists that entity finding, cues and duplicate checks share: given
names, places, technologies, organizations, services, events, the words that say what kind of thing a name beside them
is, and capitalised words that name nothing; entries are folded. Knows nothing about what the labels mean. Invariants:
matching is linear in the number of terms for a given table; a name that is also an everyday word is in `AMBIGUOUS`, and
only counts where it is written with a capital inside a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final

import msgspec

from palazzo.text.words.lexicon import ENGLISH, Page, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import terms

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


SPEAKER: Final = "i"
# A capitalised opening is a name when a second capital, a possessive or a verb of the third person follows.
_OPENING_NAME = re.compile(
    r"[A-Z][\w-]+(?: [A-Z][\w-]+(?=(?:['’]s)? [a-z])|(?=['’]s [a-z])|(?= (?:(?:also|really|often|always|never|just) )?"
    r"(?:is|was|has|had|will|would|does|did|can|could|[a-z]{2,}(?:[a-rt-z]s|ed))\b))"
)
_GAP: Final = "*"
_START: Final = "^"
_PAYLOAD: Final = ""
_MAX_GAP: Final = 3
_MAX_TERMS: Final = 400


class CueHit(msgspec.Struct, frozen=True, gc=False):
    """A cue that matched: its label, its weight, the phrase as it was written in the table, and where it began."""

    label: str
    weight: float
    phrase: str
    at: int


@cache
def _lemmas(language: str) -> dict[str, str]:
    """One word for many; a given name stands for a speaker, as propositions name theirs."""
    names = FIRST_NAMES - AMBIGUOUS
    listed = page("kinds", language).labelled("lemmas")
    by_word = {term: lemma for word, lemma in listed.items() for term in terms(word)}
    return {term: SPEAKER for name in names for term in terms(name)} | by_word


@once
def cue_terms(text: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Terms of a text in the form cues are written: one word for the speaker, one for forms of be."""
    opening = _OPENING_NAME.match(text) if language == ENGLISH else None
    if opening:
        first = opening.group().partition(" ")[0].lower()
        if first not in PLAIN and not first.endswith(("ing", "ly", "n't", "ed")):
            text = "I" + text[opening.end() :]
    lemma = _lemmas(language)
    found = [lemma.get(term, term) for term in parsed(text).terms[:_MAX_TERMS]]
    if "user" in found:
        for at in range(len(found) - 1, 0, -1):
            if found[at] == "user" and found[at - 1] == "the":
                found[at - 1 : at + 1] = [SPEAKER]
    return tuple(found)


Cues = Mapping[str, Iterable[tuple[float, str]]]


def listed_cues(listed: Page, entry: str) -> Cues:
    """The cues of a page: for each label its phrases by their weight."""
    return {
        label: [(float(weight), listing) for weight, listing in groups.items()]
        for label, groups in listed.table(entry).items()
    }


class CueTable:
    """Cue phrases as one tree; built once per table."""

    __slots__ = ("_language", "_tree")

    def __init__(self, cues: Cues, language: str = ENGLISH) -> None:
        self._tree: dict[str, Any] = {}
        self._language = language
        for label, groups in cues.items():
            for weight, listing in groups:
                for phrase in listing.split(","):
                    self._add(" ".join(phrase.split()), label, weight)

    def _add(self, phrase: str, label: str, weight: float) -> None:
        if not phrase:
            return
        node = self._tree
        for word in phrase.split(" "):
            for part in (word,) if word in (_GAP, _START) else cue_terms(word, self._language):
                node = node.setdefault(part, {})
        known = node.setdefault(_PAYLOAD, [])
        if all(label != other for other, _, _ in known):
            known.append((label, weight, phrase))

    def hits(self, found: Sequence[str]) -> list[CueHit]:
        """Every cue that occurs in these cue terms, in order of position."""
        matched: list[CueHit] = []
        tree = self._tree
        opening = tree.get(_START)
        if opening is not None:
            self._walk(opening, found, 0, 0, matched)
        for at, (term, follows) in enumerate(pairwise((*found, _PAYLOAD))):  # what ends a text is followed by no term
            node = tree.get(term)
            if node is not None and (follows in node or _PAYLOAD in node or _GAP in node):
                self._walk(node, found, at + 1, at, matched)
        return matched

    def _walk(self, node: dict[str, Any], found: Sequence[str], at: int, origin: int, matched: list[CueHit]) -> None:
        for label, weight, phrase in node.get(_PAYLOAD, ()):
            matched.append(CueHit(label, weight, phrase, origin))
        if at >= len(found):
            return
        follow = node.get(found[at])
        if follow is not None:
            self._walk(follow, found, at + 1, origin, matched)
        gap = node.get(_GAP)
        if gap is not None:
            for step in range(at, min(at + _MAX_GAP + 1, len(found))):
                follow = gap.get(found[step])
                if follow is not None:
                    self._walk(follow, found, step + 1, origin, matched)
                    return
