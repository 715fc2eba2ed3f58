"""Noun phrases and values around a verb: who owns which attribute of which thing, and what it is said to be.

Owns the reading of token ranges into owner, attribute and thing, and the cutting of a value out of the words after a
verb. Knows no particular slot. Invariant: nothing here looks outside the range it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
    WH,
    Tokens,
)
from palazzo.text.words.lexicon import page

_PAGE: Final = page("slots")

_OWN: Final = frozenset(("my", "our", "mine", "i", "me", "we", "i'm", "i've", "i'd", "i'll", "myself"))
_THING_PREPOSITIONS: Final = _PAGE.words("thing_prepositions")
_LEADING: Final = _PAGE.words("leading")
_VALUE_LEADS: Final = _PAGE.words("value_leads")
_VALUE_STOPS: Final = _PAGE.words("value_stops")
_LONGEST_VALUE: Final = 12
_LONGEST_PHRASE: Final = 40


@dataclass(frozen=True, slots=True)
class Phrase:
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
    if end - 2 > floor and lower[end - 2 : end] == ["and", "others"]:
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
            or (end > first and (bit & (WH | SUBJ | AUX) or (bit & SUBORD and not bit & PREP)))
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
