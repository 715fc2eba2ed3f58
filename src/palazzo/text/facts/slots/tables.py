"""What every frame of the slot finder shares: its words, the value a frame finds, who is a person and what is a job.

Owns which attributes hold one value at a time, which words mean the same attribute, which phrases say that something
changed or that the speaker does not vouch for it, and `Found`, the step between the frames and `SlotFact`. Knows no
frame.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from palazzo.text.words.grammar import NAME, SUBJ, Tokens
from palazzo.text.words.lexicon import page

_PAGE: Final = page("slots")


def _pairs(entry: str) -> frozenset[tuple[str, str]]:
    """Phrases of two words."""
    return frozenset((first, second) for first, second in map(str.split, _PAGE.in_order(entry)))


# Attributes of which a thing or a person has several at once, so a second value does not replace the first.
MANY_VALUED: Final = _PAGE.words("many_valued")

# Words that are the whole of a noun phrase in front of a value ("deadline of April 5").
ATTRIBUTE_NOUNS: Final = _PAGE.words("attribute_nouns")

# Nouns that a number after them tells apart: "version 2.4", "floor 3". The noun is the attribute, the number its value.
NUMBERED: Final = _PAGE.words("numbered")

# verb (any form, by base) -> slot of the subject; value follows one of the prepositions
PLACE_VERBS: Final = dict.fromkeys(_PAGE.words("place_verbs"), "city")
CHANGE_VERBS: Final = _PAGE.words("change_verbs")
TOOL_VERBS: Final = _PAGE.words("tool_verbs")
LIKING_VERBS: Final = dict.fromkeys(_PAGE.words("liking"), 1) | dict.fromkeys(_PAGE.words("disliking"), -1)
OWNING_VERBS: Final = _PAGE.words("owning_verbs")
RATE_VERBS: Final = _PAGE.words("rate_verbs")

DIETS: Final = _PAGE.words("diets")
RELATIONSHIPS: Final = _PAGE.words("relationships")
STATUSES: Final = _PAGE.words("statuses")
ROLE_ENDINGS: Final = ("er", "or", "ist", "ian", "eer", "ant", "man", "woman", "ess", "ee", "ic")
ROLES: Final = _PAGE.words("roles")
NO_ROLES: Final = _PAGE.words("no_roles")

CHANGE_CUES: Final = _PAGE.words("change_cues")
CHANGE_PHRASES: Final = _pairs("change_phrases")
# The speaker does not vouch for it at all, or says it must not count.
DISOWNED: Final = _PAGE.words("disowned")
DISOWNING_PHRASES: Final = _pairs("disowning_phrases")
# Words that weaken only what comes after them.
UNSURE: Final = _PAGE.words("unsure")
UNSURE_PHRASES: Final = _pairs("unsure_phrases")
# What follows, up to the next comma, is meant to be and is not yet.
INTENDING: Final = _PAGE.words("intending")
INTENDING_PHRASES: Final = _pairs("intending_phrases") | {(verb, "to") for verb in _PAGE.words("intending_verbs")}


@cache
def canonical_attributes() -> dict[str, str]:
    """Attribute phrase to canonical name."""
    return {
        " ".join(phrase.split()): name
        for name, listing in _PAGE.listings("attributes").items()
        for phrase in listing.split(",")
    }


TELLING_VERBS: Final = frozenset((*LIKING_VERBS, *TOOL_VERBS, *OWNING_VERBS, *RATE_VERBS, *CHANGE_VERBS)) | _PAGE.words(
    "telling_verbs"
)
"""Verbs that can state a slot; any other need not be looked at."""


_PRONOUNS = {
    "i": "the user",
    "we": "the user",
    "he": "he",
    "she": "she",
    "they": "they",
    "it": "",
    "you": "the assistant",
}


@dataclass(frozen=True, slots=True)
class Found:
    """One slot as a frame read it; `first` and `last` are the tokens of the value."""

    subject: str
    predicate: str
    value: str
    first: int
    last: int
    confidence: float
    functional: bool = True
    negated: bool = False
    changed: bool = False
    old_value: str | None = None

    def at_verb(self, *, negated: bool) -> Found:
        """The same fact under a verb that may be negated."""
        return replace(self, negated=True) if negated else self


def subject_text(tokens: Tokens, first: int, last: int) -> str:
    """The subject in the range as it would be called: pronouns resolved to the user, clitics cut."""
    low = tokens.lower[last - 1]
    if tokens.bits[last - 1] & SUBJ and last - first == 1:
        return _PRONOUNS.get(low.partition("'")[0], "")
    text = tokens.text[tokens.starts[first] : tokens.ends[last - 1]]
    if tokens.lower[first] in ("my", "our"):
        text = "the user's" + text[len(tokens.words[first]) :]
    for ending in ("'s", "’s"):
        text = text.removesuffix(ending)
    lowered = text.lower()
    return "the user" if lowered in ("the user", "the user and others") else text


def person_of(subject: str) -> bool:
    """Whether the subject of a verb reads as one person."""
    if subject in ("the user", "he", "she", "the assistant"):
        return True
    words = subject.split()
    if any(word in ("with", "of", "for", "in", "at", "on", "about") for word in words):
        return False
    return 0 < len(words) <= 4 and words[-1][:1].isupper() and (words[0][:1].isupper() or words[0] == "the")


def is_role(tokens: Tokens, first: int, last: int) -> bool:
    """Whether the words name what a person does for a living."""
    for at in range(first, min(last, first + 6)):
        low = tokens.lower[at]
        if low in ("of", "at", "for", "in", "with", "who"):
            break
        if low in ROLES:
            return True
        if len(low) > 4 and low.endswith(ROLE_ENDINGS) and low not in NO_ROLES and not tokens.bits[at] & NAME:
            ends_phrase = at + 1 >= last or tokens.lower[at + 1] in ("of", "at", "for", "in", "and", "with", ",")
            if ends_phrase:
                return True
    return False


_SPACES = re.compile(r"[\s_]+")
_ARTICLE = re.compile(r"^(?:the|a|an) (?=\S)")
_ONESELF: Final = frozenset({"i", "me", "we", "my", "our", "myself", "user", "the user", "the user and others", ""})


def canonical_subject(subject: str) -> str:
    """Lower case, single spaces; whoever says "I" is the user."""
    low = _SPACES.sub(" ", subject.strip().lower())
    if low in _ONESELF:
        return "the user"
    return low if low == "the user" or low.startswith("the user ") else _ARTICLE.sub("", low)


def canonical_predicate(predicate: str) -> str:
    """The attribute under its one name."""
    low = _SPACES.sub(" ", predicate.strip().lower())
    return canonical_attributes().get(low, low)
