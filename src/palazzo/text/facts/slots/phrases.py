"""What every frame of the slot finder shares: its words, the value a frame finds, and the noun phrases and values
around a verb.

Owns which attributes hold one value at a time, which words mean the same attribute, which phrases say that something
changed or that the speaker does not vouch for it; the reading of token ranges into owner, attribute and thing, and the
cutting of a value out of the words after a verb; and the one frame without a verb, an event with its time ("a call with
the director on April 21 at 3 PM"). Knows no particular slot. Invariants: nothing here looks outside the range it is
given; a time that offers a choice is the time of nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.text.facts.quantities import find_quantities
from palazzo.text.words.grammar import (
    ADJ,
    ADV,
    AUX,
    BASE,
    COORD,
    DET,
    GERUND,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PAST,
    POSS,
    PREP,
    PRON,
    PUNCT,
    SUBJ,
    SUBORD,
    THIRD,
    VERB,
    WH,
    Tokens,
)
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


class FoundSlot(msgspec.Struct, frozen=True):
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

    def at_verb(self, *, negated: bool) -> FoundSlot:
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
    for ending in ("'s", "’s", "."):
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


def is_liking(predicate: str) -> bool:
    """Whether a predicate is of a liking, and so names what is liked."""
    return predicate.startswith("likes ")


def canonical_predicate(predicate: str) -> str:
    """The attribute under its one name."""
    low = _SPACES.sub(" ", predicate.strip().lower())
    return canonical_attributes().get(low, low)


_OWN: Final = frozenset(("my", "our", "mine", "i", "me", "we", "i'm", "i've", "i'd", "i'll", "myself"))
_THING_PREPOSITIONS: Final = _PAGE.words("thing_prepositions")
_LEADING: Final = _PAGE.words("leading")
_VALUE_LEADS: Final = _PAGE.words("value_leads")
_VALUE_STOPS: Final = _PAGE.words("value_stops")
_LONGEST_VALUE: Final = 12
_LONGEST_PHRASE: Final = 40


class Phrase(msgspec.Struct, frozen=True):
    """`owner` may be empty; `attribute` is the head phrase, `thing` what it is an attribute of."""

    owner: str
    attribute: str
    thing: str
    first: int
    last: int


def owner_before(tokens: Tokens, at: int, floor: int) -> tuple[str, int]:
    """The owner that ends in the possessive token `at`, and where its words begin."""
    low = tokens.lower[at]
    if low in _OWN:
        return "the user", at
    if not low.endswith(("'s", "s'")):
        return low, at
    start = at
    bits, words = tokens.bits, tokens.words
    if words[at][0].isupper() or bits[at] & NAME:
        while start > floor and bits[start - 1] & NAME and words[start - 1][0].isupper():
            start -= 1
    else:
        while (
            start > floor and start > at - 3 and not bits[start - 1] & (DET | AUX | PUNCT | PREP | SUBJ | COORD | POSS)
        ):
            if bits[start - 1] & (BASE | GERUND | THIRD | PAST) and not bits[start - 1] & NOUNISH:
                break
            start -= 1
        if start > floor and bits[start - 1] & DET:
            start -= 1
    text = tokens.text[tokens.starts[start] : tokens.ends[at]]
    for ending in ("'s", "’s", "'", "’"):
        text = text.removesuffix(ending)
    return ("the user" if text.lower() == "the user" else text), start


def read_phrase(tokens: Tokens, first: int, last: int) -> Phrase | None:
    """Owner, attribute and thing of the noun phrase in the range, or None when it is no noun phrase."""
    bits, lower = tokens.bits, tokens.lower
    while first < last and (lower[first] in _LEADING or bits[first] & (PUNCT | COORD)) and not bits[first] & POSS:
        if lower[first] in ("the", "a") and first + 1 < last and bits[first + 1] & POSS:
            break
        first += 1
    if last - first < 1 or last - first > 16:
        return None
    owned_at = -1
    for at in range(first, last):
        bit = bits[at]
        if bit & (AUX | THIRD) and not bit & (NOUNISH | POSS):
            return None
        if bit & SUBJ and lower[at] != "that":
            return None
        if bit & POSS and at + 1 < last:
            owned_at = at
            if not lower[at].endswith("'s") or at + 2 < last:
                continue
    owner = ""
    start = first
    if owned_at >= 0:
        owner, _ = owner_before(tokens, owned_at, first)
        start = owned_at + 1
    split = last
    for at in range(start + 1, last):
        if bits[at] & PREP and lower[at] in _THING_PREPOSITIONS:
            split = at
            break
        if bits[at] & PREP or bits[at] & SUBORD:
            last = split = at
            break
    attribute = _words(tokens, start, split)
    thing = _words(tokens, split + 1, last) if split + 1 < last else ""
    return Phrase(owner, attribute, thing, first, last) if attribute else None


def _words(tokens: Tokens, first: int, last: int) -> str:
    kept = [
        tokens.lower[at].replace("_", " ")
        for at in range(first, last)
        if not tokens.bits[at] & PUNCT and tokens.lower[at] not in _LEADING
    ]
    return " ".join(" ".join(kept).split())


def phrase_before(tokens: Tokens, at: int, floor: int) -> tuple[int, int]:
    """Range of the noun phrase that ends right before `at`, auxiliaries and adverbs skipped; empty if none."""
    bits, lower = tokens.bits, tokens.lower
    floor = max(floor, at - _LONGEST_PHRASE)
    end = at
    while end > floor and (
        (bits[end - 1] & (AUX | ADV | NEG) and not bits[end - 1] & (SUBJ | DET))
        or (lower[end - 1] == "no" and end < at and lower[end] == "longer")
    ):
        end -= 1
    if end - 2 > floor and lower[end - 2 : end] == ("and", "others"):
        end -= 2
    if end > floor and lower[end - 1] in ("which", "that", "who"):
        end -= 1
        while end > floor and bits[end - 1] & PUNCT:
            end -= 1
    start = end
    while start > floor:
        bit = bits[start - 1]
        if (
            bit & (AUX | PUNCT | SUBORD | COORD | ADV)
            and not bit & (PREP | POSS | NAME | NUM)
            and lower[start - 1] != "-"
        ):
            break
        if bit & SUBJ:
            if start == end:
                start -= 1
            break
        if start < end and bits[start] & DET and not bit & (PREP | DET | POSS | NAME | ADV | COORD | AUX | GERUND):
            break  # "since the reorganisation | the user"
        if lower[start - 1] in ("to", "by", "from") and not (
            lower[start - 1] == "to" and start < end and bits[start] & NAME
        ):
            break
        if bit & (BASE | THIRD | GERUND | PAST) and not bit & (NOUNISH | NAME | POSS):
            modifies = bit & PAST and start < end and (bits[start] & PREP or start - 1 == floor)
            if bit & GERUND and start - 2 > floor and lower[start - 2] == "for":
                start -= 1
                continue  # "the fine for losing the card"
            noun = start - 1 > floor and bits[start - 2] & (DET | POSS | (0 if bit & GERUND else ADJ))
            if not modifies and not noun:
                break
        elif (
            bit & NOUNISH
            and bit & (BASE | GERUND | THIRD)
            and start < end
            and bits[start] & (DET | POSS)
            and start - 1 > floor
        ):
            break
        start -= 1
    while start < end and bits[start] & PREP:
        start += 1
    return start, end


def _opens_verb(tokens: Tokens, at: int) -> bool:
    bit = tokens.bits[at]
    if bit & (SUBJ | PRON | AUX) or (bit & (PAST | THIRD) and not bit & NOUNISH):
        return True
    following = tokens.bits[at + 1] if at + 1 < len(tokens.bits) else PUNCT
    return bit & (BASE | THIRD) != 0 and following & (PREP | DET | POSS | PRON) != 0


def read_value(tokens: Tokens, first: int, *, stop_at_to: bool = False) -> tuple[str, int, int]:
    """Text and token range of the value that begins at `first`."""
    bits, lower = tokens.bits, tokens.lower
    total = len(lower)
    while first < total and (lower[first] in _VALUE_LEADS or lower[first] in "\"'“‘*`:"):
        if (
            lower[first] in ("at", "on", "to")
            and first + 1 < total
            and bits[first + 1] & (PUNCT | BASE)
            and not bits[first + 1] & NOUNISH
        ):
            break
        first += 1
    end = first
    quoted = first > 0 and lower[first - 1] in "\"'“‘`"
    while end < total and end < first + _LONGEST_VALUE:
        low, bit = lower[end], bits[end]
        if quoted:
            if low in "\"'”’`":
                break
        elif bit & PUNCT:
            year = low == "," and end + 1 < total and len(lower[end + 1]) == 4 and lower[end + 1].isdigit()
            title = low == "." and end > first and lower[end - 1] in ("dr", "mr", "mrs", "ms", "prof", "st")
            if low not in "/-+&#@'’" and not title and not (year and end > first and bits[end - 1] & NUM):
                break
        elif (
            (end > first and (low in _VALUE_STOPS or (end + 1 < total and lower[end + 1] == ":")))
            or (end > first and (bit & (WH | SUBJ) or (bit & AUX and not bit & NAME)))
            or (end > first and bit & SUBORD and not bit & PREP)
            or (low == "to" and end > first and (stop_at_to or (end + 1 < total and bits[end + 1] & BASE)))
            or (low == "in" and end > first and end + 1 < total and bits[end + 1] & NUM)
            or (low in ("and", "or") and end + 1 < total and _opens_verb(tokens, end + 1))
        ):
            break
        end += 1
    while end > first and (
        bits[end - 1] & (PREP | COORD | DET) or lower[end - 1] in ("anymore", "instead", "now", "too")
    ):
        end -= 1
    if end <= first:
        return "", first, first
    text = tokens.text[tokens.starts[first] : tokens.ends[end - 1]].strip(" \"'“”‘’`*")
    return text, first, end


EVENTS: Final = _PAGE.words("events")
_EDGE: Final = DET | POSS | PREP | AUX | PUNCT | PAST | ADV | NUM


def bare_hour(tokens: Tokens, at: int) -> bool:
    """Whether a number without a unit is the hour of an event named before it: "the standup is at 9", "moved to 10"."""
    lower = tokens.lower
    if not (lower[at].isdigit() and int(lower[at]) <= 24 and at >= 2 and lower[at - 1] in ("at", "to", "from")):
        return False
    follows = at + 1 == len(lower) or bool(tokens.bits[at + 1] & (PUNCT | PREP | ADV))
    return follows and not EVENTS.isdisjoint(lower[max(0, at - 7) : at - 1])


def event_times(tokens: Tokens, floor: int) -> Iterator[FoundSlot]:
    """ "a call with the director on April 21 at 3 PM": the time of an event."""
    lower = tokens.lower
    if EVENTS.isdisjoint(lower):
        return
    quantities = [q for q in find_quantities(tokens) if q.unit in ("date", "clock")]
    done = -1
    for quantity in quantities:
        at = quantity.first
        if at <= done or at < 2 or lower[at - 1] not in ("on", "at", "for"):
            continue
        event = next((k for k in range(at - 2, max(floor, at - 10) - 1, -1) if lower[k] in EVENTS), -1)
        if event < 0 or any(_ends_event(tokens, k) for k in range(event + 1, at - 1)):
            continue
        start = event
        while start > floor and _names_event(tokens, start - 1, floor):
            start -= 1
        last = quantity.last
        for later in quantities:
            if later.first in (last + 1, last + 2) and lower[later.first - 1] in ("at", "on", ","):
                last = later.last
        done = last
        told_by = start - 1 - (lower[start - 1] in ("the", "my", "our", "a"))
        if told_by >= floor and lower[told_by] in ("before", "after", "until", "since", "during"):
            continue  # "coffee before the meeting at nine": the hour of the coffee
        if lower[last : last + 1] == ("or",):
            continue  # "on April 22 or 23" offers a choice
        about = " ".join(w for w in lower[start : at - 1] if w not in ("a", "the", "an"))
        value = tokens.text[tokens.starts[at] : tokens.ends[last - 1]]
        yield FoundSlot(about, "time", value, at, last, 0.75)


def _names_event(tokens: Tokens, at: int, floor: int) -> bool:
    """Whether a word belongs to the name of the event after it; "phone" does in "a phone call", not in "to phone"."""
    bit = tokens.bits[at]
    if bit & NAME or not bit & (_EDGE | BASE):
        return True
    noun = bit & BASE and bit & NOUNISH and not bit & _EDGE
    return bool(noun and at > floor and tokens.bits[at - 1] & (DET | POSS | ADJ | NUM))


def _ends_event(tokens: Tokens, at: int) -> bool:
    """Whether a word after the event says something of it, so that the time is no part of its name."""
    bit, low = tokens.bits[at], tokens.lower[at]
    return bool(bit & (AUX | PUNCT | GERUND)) or low == "to" or (bool(bit & VERB) and low.endswith("s"))
