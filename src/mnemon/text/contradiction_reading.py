"""What the rules of contradiction need to know of one statement, each part worked out when a rule first asks for it.

Owns the reading: what is denied, what is said to be over, figures, versions, frames and content words. Knows nothing of
a second statement. Invariant: a reading is never changed, so it is shared by every comparison of the same statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from mnemon.text.antonyms import opposites
from mnemon.text.grammar import (
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
    tokenize,
)
from mnemon.text.lexicon import words
from mnemon.text.quantities import Quantity, find_quantities, numbered_things, stem
from mnemon.text.slot_frames import read_mood
from mnemon.text.slots import SlotFact, find_slots
from mnemon.text.verbs import base_of

FUNCTION: Final = DET | POSS | SUBJ | PRON | PREP | COORD | SUBORD | WH | AUX | ADV | NEG | PUNCT
_ENDED: Final = words("stop quit cancel abandon discontinue cease reconsider rethink")
_OPINION: Final = words("stance view views opinion mind position attitude decision")
_WAS: Final = words("was were")
_UPDATING: Final = words("now currently instead nowadays actually anymore")
_NEUTRAL: Final = words("from on just also already still really")
_MOST: Final = 32  # facts and figures compared of one statement; a proposition has a handful, a pasted text thousands


class Reading:
    """What the rules need to know of one statement; each part is worked out when a rule first asks for it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens = tokenize(text)
        self.negated = any(denies(tokens, at) for at, bit in enumerate(tokens.bits) if bit & NEG)
        self.asks = ":" in tokens.lower and "asked" in tokens.lower[:5]
        self.updates = not _UPDATING.isdisjoint(tokens.lower)

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
    def opposites(self) -> frozenset[str]:
        return opposites(self.content)

    @cached_property
    def gives_up(self) -> bool:
        return any(fact.old_value and fact.change_cue for fact in self.slots)

    @cached_property
    def ends_in_figure(self) -> bool:
        return bool(self.frame) and self.frame[-1].isdigit()

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
    def auxiliaries(self) -> frozenset[str]:
        return frozenset(w for w, b in zip(self.tokens.lower, self.tokens.bits, strict=True) if b & AUX)

    @cached_property
    def was(self) -> bool:
        """Whether something is said to have been so: "was at 10"; not that something was done to it."""
        tokens = self.tokens
        return any(
            word in _WAS and not any(bit & PARTICIPLE for bit in tokens.bits[at + 1 : at + 3])
            for at, word in enumerate(tokens.lower)
        )

    @cached_property
    def did(self) -> frozenset[str]:
        """Verbs that tell what was: "closed", "ran"; not "has closed", "was closed"."""
        tokens = self.tokens
        return frozenset(
            base_of(word) for at, (word, bit) in enumerate(zip(tokens.lower, tokens.bits, strict=True))
            if bit & PAST and not bit & (BASE | AUX) and not (at and tokens.bits[at - 1] & (AUX | DET | POSS))
        )  # fmt: skip

    @cached_property
    def does(self) -> frozenset[str]:
        """Verbs that tell what is: "closes", "I weigh"."""
        tokens = self.tokens
        return frozenset(
            base_of(word) for word, bit in zip(tokens.lower, tokens.bits, strict=True)
            if bit & (THIRD | BASE) and not bit & (PAST | AUX)
        )  # fmt: skip

    @cached_property
    def versions(self) -> tuple[tuple[str, str], ...]:
        return _versions(self.tokens)

    @cached_property
    def numbered(self) -> frozenset[tuple[str, str]]:
        return numbered_things(self.tokens)

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
        if word in ("or", "nor", ",") or bit & PUNCT or word in ("but", "so", "because", "and"):
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


def _versions(tokens: Tokens) -> tuple[tuple[str, str], ...]:
    """Names directly followed by a dotted number."""
    return tuple(
        (stem(tokens.lower[at - 1]), tokens.lower[at].removeprefix("v"))
        for at in range(1, len(tokens.lower))
        if "." in tokens.lower[at] and tokens.lower[at].removeprefix("v")[:1].isdigit() and tokens.bits[at - 1] & NAME
    )


def _ended(tokens: Tokens) -> Iterator[frozenset[str]]:
    """Content words of each thing that a statement says is over."""
    lower = tokens.lower
    for at, (word, bit) in enumerate(zip(lower, tokens.bits, strict=True)):
        ended = (bit & VERB and stem(word) in _ENDED) or (word == "longer" and at and lower[at - 1] == "no")
        if not ended:
            continue
        if any(denies(tokens, k) and lower[k] != "no" for k in range(max(0, at - 3), at)):
            continue
        yield _ended_thing(tokens, at + 1)


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
