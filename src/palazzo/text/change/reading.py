"""What the rules of contradiction need to know of one statement, each part worked out when a rule first asks for it.

Owns the reading: what its verbs tell of the past, what is denied, what is said to be over, figures, frames and content
words. Knows nothing of a second statement. Invariant: a
reading is never changed, so it is shared by every comparison of the same statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from palazzo.text.facts.quantities import Quantity, find_quantities, numbered_things, stem
from palazzo.text.facts.slots.find import SlotFact, find_slots
from palazzo.text.facts.slots.frames import read_mood
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    COORD,
    DET,
    NAME,
    NEG,
    NUM,
    PARTICIPLE,
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
    base_of,
)
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed

_PAGE: Final = page("change")

FUNCTION: Final = DET | POSS | SUBJ | PRON | PREP | COORD | SUBORD | WH | AUX | ADV | NEG | PUNCT
_WAS: Final = _PAGE.words("was")
_TIMES: Final = _PAGE.words("times")
_DONE: Final = _PAGE.words("done")
"""Deeds that stay done whatever follows them."""


class News:
    """The verbs of one statement, each question answered when it is first asked."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    @cached_property
    def was(self) -> bool:
        """Whether something is said to have been so: "was at 10"; not that something was done to it, nor in passing."""
        tokens = self._tokens
        at = next((at for at, bit in enumerate(tokens.bits) if bit & (VERB | AUX)), None)
        return at is not None and tokens.lower[at] in _WAS and not any(
            bit & PARTICIPLE for bit in tokens.bits[at + 1 : at + 3]
        )  # fmt: skip

    @cached_property
    def did(self) -> frozenset[str]:
        """Verbs that tell what was: "closed", "ran"; not "has closed", "was closed"."""
        tokens = self._tokens
        return frozenset(
            base_of(word) for at, (word, bit) in enumerate(zip(tokens.lower, tokens.bits, strict=True))
            if bit & PAST and not bit & (BASE | AUX) and not (at and tokens.bits[at - 1] & (AUX | DET | POSS))
        )  # fmt: skip

    @cached_property
    def does(self) -> frozenset[str]:
        """Verbs that tell what is: "closes", "I weigh"; not "the team"."""
        tokens = self._tokens
        return frozenset(
            base_of(word) for at, (word, bit) in enumerate(zip(tokens.lower, tokens.bits, strict=True))
            if bit & (THIRD | BASE) and not bit & (PAST | AUX) and not (at and tokens.bits[at - 1] & (DET | POSS))
        )  # fmt: skip


def _cases(tokens: Tokens) -> frozenset[str]:
    found: set[str] = set()
    inside: set[str] | None = None
    for word, bit in zip(tokens.lower, tokens.bits, strict=True):
        if bit & PREP:
            found |= inside or set()
            inside = set()
        elif inside is None:
            continue
        elif bit & (NUM | WH) or word[:1].isdigit() or word.removesuffix("s") in _TIMES:
            inside = None  # a time or a figure is what is told, not what it is told of
        elif bit & (PUNCT | COORD | SUBORD | AUX | SUBJ) or (inside and bit & THIRD):
            found |= inside
            inside = None
        elif not bit & (DET | POSS | ADV | NEG):
            inside.add(stem(word))
    return frozenset(found | (inside or set()))


_SOLD: Final = _PAGE.words("sold")
"""Verbs that end what somebody has, if it is named: "sold the Toyota", not "sold 20 tickets"."""
_BREAKING: Final = _PAGE.words("breaking")
_SWAPPED: Final = _PAGE.words("swapped")
"""Verbs that end what somebody has, if something by name takes its place: "traded the Golf in for a Tesla"."""
_SWAPPING: Final = _PAGE.words("swapping")
_PAUSES: Final = re.compile(
    r"\bfor (?:an?|one|two|three|a few|some|\d+) (?:day|week|month|while|moment|bit|hour|minute)s?\b"
)
_ENDED: Final = _PAGE.words("ended")
_OPINION: Final = _PAGE.words("opinion")
_ONCE: Final = _PAGE.words("once")
_UPDATING: Final = _PAGE.words("updating")
_NOW: Final = re.compile(r"\b(?:these days|from now on|as of (?:now|today)|at present|any more)\b", re.IGNORECASE)
_PREFACE: Final = re.compile(
    r"^(?:as )?(?:it )?turns out,? (?:that )?|^(?:update|correction|fyi|by the way|btw|heads up)[,:] ", re.IGNORECASE
)
_NEUTRAL: Final = _PAGE.words("neutral")
_MOST: Final = 32  # facts and figures compared of one statement; a proposition has a handful, a pasted text thousands


class StatementReading:
    """What the rules need to know of one statement; each part is worked out when a rule first asks for it."""

    def __init__(self, text: str) -> None:
        text = _PREFACE.sub("", _NOW.sub("now", text))
        self.text = text
        self.tokens = tokens = parsed(text).said
        self.negated = any(denies(tokens, at) for at, bit in enumerate(tokens.bits) if bit & NEG)
        self.asks = ":" in tokens.lower and "asked" in tokens.lower[:5]
        self.updates = not _UPDATING.isdisjoint(tokens.lower)
        self.ends = "anymore" in tokens.lower or "longer" in tokens.lower
        """Whether something is said to be over by a word of its own."""

    @cached_property
    def slots(self) -> tuple[SlotFact, ...]:
        return find_slots(self.text)[:_MOST]

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return tuple(find_quantities(self.tokens))[:_MOST]

    @cached_property
    def content(self) -> frozenset[str]:
        tokens = self.tokens
        return frozenset(
            stem(word) for word, bit in zip(tokens.lower, tokens.bits, strict=True) if not bit & (FUNCTION | NUM)
        ) - speaker_words(tokens)

    @cached_property
    def gives_up(self) -> bool:
        return any(fact.old_value and fact.change_cue for fact in self.slots)

    @cached_property
    def denied(self) -> tuple[frozenset[str], ...]:
        return _denied(self.tokens)[:_MOST]

    @cached_property
    def ended(self) -> tuple[frozenset[str], ...]:
        return tuple(_ended(self.tokens))

    @cached_property
    def announces(self) -> bool:
        return read_mood(self.tokens).changed

    @cached_property
    def frame(self) -> tuple[str, ...]:
        return _frame(self.tokens)

    @cached_property
    def news(self) -> News:
        return News(self.tokens)

    @cached_property
    def done(self) -> bool:
        """Whether it tells a deed that stays done: "finished chapter 3", "won the cup"."""
        return not self.news.did.isdisjoint(_DONE)

    @cached_property
    def numbered(self) -> frozenset[tuple[str, str]]:
        return numbered_things(self.tokens)

    @cached_property
    def gives_figure(self) -> bool:
        return bool(self.quantities) or any(word[:1].isdigit() for word in self.tokens.lower)

    @cached_property
    def cases(self) -> frozenset[str]:
        """What a statement is said to hold for: the words after "in", "for", "of" and the like, times and figures
        aside."""
        return _cases(self.tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        named = (stem(w) for w, b in zip(self.tokens.lower, self.tokens.bits, strict=True) if b & NAME)
        return frozenset(named) & self.content


def _frame(tokens: Tokens) -> tuple[str, ...]:
    """The words of a statement in order without those that only say that it is new."""
    passed = _UPDATING | _NEUTRAL
    return tuple(
        word for word, bit in zip(tokens.lower, tokens.bits, strict=True) if not bit & PUNCT and word not in passed
    )


def speaker_words(tokens: Tokens) -> frozenset[str]:
    """Names of whom the statement is about: shared by everything said of them, so no sign of a shared topic."""
    return leading_names(tokens) | {"user", "assistant", "other"}


def leading_names(tokens: Tokens) -> frozenset[str]:
    at = 0
    while at < len(tokens.lower) and tokens.bits[at] & NAME:
        at += 1
    return frozenset(stem(word) for word in tokens.lower[:at])


def denies(tokens: Tokens, at: int) -> bool:
    """Whether the word negates the statement; "not sure" and "not only" do not."""
    if not tokens.bits[at] & NEG:
        return False
    following = tokens.lower[at + 1] if at + 1 < len(tokens.lower) else ""
    if tokens.lower[at] == "no" and following != "longer":
        return False
    return following not in ("sure", "certain", "only", "just", "even", "too", "entirely", "wait")


def _denied(tokens: Tokens) -> tuple[frozenset[str], ...]:
    """Content words of what is denied, one set per alternative ("never visited Rome or met Anna" gives two)."""
    found: list[frozenset[str]] = []
    current: set[str] = set()
    inside = False
    for at, (word, bit) in enumerate(zip(tokens.lower, tokens.bits, strict=True)):
        if bit & NEG and denies(tokens, at):
            inside = True
            continue
        if not inside:
            continue
        if word in ("or", "nor", ",") or bit & PUNCT or word in _BREAKING:
            if current:
                found.append(frozenset(current))
                current = set()
            inside = word in ("or", "nor", ",")
            continue
        if bit & PREP and len(current) >= 3:
            found.append(frozenset(current))
            current, inside = set(), False
        elif not bit & FUNCTION and word not in ("ever", "actually", "any", "longer", "before"):
            current.add(stem(word))
    if current:
        found.append(frozenset(current))
    return tuple(found)


def _ended(tokens: Tokens) -> Iterator[frozenset[str]]:
    """Content words of each thing that a statement says is over."""
    lower = tokens.lower
    for at, (word, bit) in enumerate(zip(lower, tokens.bits, strict=True)):
        before = lower[at - 1] if at else ""
        ended = (word == "longer" and before == "no") or (word == "up" and stem(before) == "give")
        ended = ended or (word == "of" and before == "instead" and not _tells_once(tokens, at))
        if not ended and not (bit & VERB and stem(word) in _ENDED) and not _gives_away(tokens, at):
            continue
        if any(denies(tokens, k) and lower[k] != "no" for k in range(max(0, at - 3), at)):
            continue
        if not _PAUSES.search(" ".join(lower[at:])):
            yield _ended_thing(tokens, at + 1)


def _tells_once(tokens: Tokens, at: int) -> bool:
    """Whether what stands before `at` tells of one occasion: "had tea instead of coffee"."""
    return any(bit & PAST for bit in tokens.bits[:at]) or not _ONCE.isdisjoint(tokens.lower[:at])


def _gives_away(tokens: Tokens, at: int) -> bool:
    """Whether somebody parts with a thing they had: "sold the Toyota", not "sold 20 tickets"."""
    bits, verb = tokens.bits, stem(tokens.lower[at])
    if not bits[at] & VERB or at + 1 >= len(bits):
        return False
    if verb in _SWAPPED:
        return any(bit & NAME for bit in bits[at + 1 : at + 3]) and not _SWAPPING.isdisjoint(tokens.lower[at + 2 :])
    return verb in _SOLD and bits[at + 1] & (DET | POSS) != 0


def _ended_thing(tokens: Tokens, first: int) -> frozenset[str]:
    """Content words of what a verb of ending ends; a second preposition closes the phrase."""
    found: set[str] = set()
    for at in range(first, min(first + 10, len(tokens.lower))):
        bit, word = tokens.bits[at], tokens.lower[at]
        if bit & (PUNCT | SUBORD | COORD) and not bit & PREP:
            break
        if bit & PREP and found and word not in ("of", "on", "to"):
            break
        if not bit & FUNCTION and word not in _OPINION:
            found.add(stem(word))
    return frozenset(found)
