"""The frame of an event with a time: "a call with the director on April 21 at 3 PM".

Owns which words are events and how far the name of one reaches. Knows no verb: a moved event is a change, which the
verb frames read. Invariant: a time that offers a choice is the time of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from palazzo.text.facts.quantities import find_quantities
from palazzo.text.facts.slots.tables import Found
from palazzo.text.words.grammar import (
    ADJ,
    ADV,
    AUX,
    BASE,
    DET,
    GERUND,
    NAME,
    NOUNISH,
    NUM,
    PAST,
    POSS,
    PREP,
    PUNCT,
    VERB,
    Tokens,
)
from palazzo.text.words.lexicon import page

_PAGE: Final = page("slots")

_EVENTS: Final = _PAGE.words("events")
_EDGE: Final = DET | POSS | PREP | AUX | PUNCT | PAST | ADV | NUM


def bare_hour(tokens: Tokens, at: int) -> bool:
    """Whether a number without a unit is the hour of an event named before it: "the standup is at 9", "moved to 10"."""
    lower = tokens.lower
    if not (lower[at].isdigit() and int(lower[at]) <= 24 and at >= 2 and lower[at - 1] in ("at", "to", "from")):
        return False
    follows = at + 1 == len(lower) or bool(tokens.bits[at + 1] & (PUNCT | PREP | ADV))
    return follows and not _EVENTS.isdisjoint(lower[max(0, at - 7) : at - 1])


def event_times(tokens: Tokens, floor: int) -> Iterator[Found]:
    """ "a call with the director on April 21 at 3 PM": the time of an event."""
    lower = tokens.lower
    if _EVENTS.isdisjoint(lower):
        return
    quantities = [q for q in find_quantities(tokens) if q.unit in ("date", "clock")]
    done = -1
    for quantity in quantities:
        at = quantity.first
        if at <= done or at < 2 or lower[at - 1] not in ("on", "at", "for"):
            continue
        event = next((k for k in range(at - 2, max(floor, at - 10) - 1, -1) if lower[k] in _EVENTS), -1)
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
        if lower[last : last + 1] == ["or"]:
            continue  # "on April 22 or 23" offers a choice
        about = " ".join(w for w in lower[start : at - 1] if w not in ("a", "the", "an"))
        value = tokens.text[tokens.starts[at] : tokens.ends[last - 1]]
        yield Found(about, "time", value, at, last, 0.75)


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
