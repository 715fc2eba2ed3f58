"""What a statement says of change and of the past: who took over, who parted, what moved, what was and what is done.

Owns the reading of one statement's verbs. Knows nothing of a second statement. Invariant: never changed once read.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Final

from mnemon.text.facts.quantities import stem
from mnemon.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    COORD,
    DET,
    NEG,
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
)
from mnemon.text.words.lexicon import words
from mnemon.text.words.verbs import base_of

FUNCTION: Final = DET | POSS | SUBJ | PRON | PREP | COORD | SUBORD | WH | AUX | ADV | NEG | PUNCT
_ARRIVING: Final = words("move relocate start enter begin reach transfer advance switch promote upgrade join turn")
_PARTED: Final = frozenset({("broke", "up"), ("broken", "up"), ("split", "up"), ("got", "divorced")})
_PARTED_WORDS: Final = words("separated divorced")
_WAS: Final = words("was were")


class News:
    """The verbs of one statement, each question answered when it is first asked."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    @cached_property
    def moves(self) -> bool:
        """Whether it may tell of a change without naming what it changes."""
        return self.arrives or self.parted or bool(self.role_taken)

    @cached_property
    def arrives(self) -> bool:
        """Whether somebody or something comes to another place: "moved", "started"."""
        return any(
            bit & VERB and stem(w) in _ARRIVING for w, bit in zip(self._tokens.lower, self._tokens.bits, strict=True)
        )

    @cached_property
    def parted(self) -> bool:
        """Whether two people are together no more."""
        lower = self._tokens.lower
        return not _PARTED_WORDS.isdisjoint(lower) or any(pair in _PARTED for pair in pairwise(lower))

    @cached_property
    def role_taken(self) -> frozenset[str]:
        """The words of an office that somebody has from now on."""
        return _role_taken(self._tokens)

    @cached_property
    def was(self) -> bool:
        """Whether something is said to have been so: "was at 10"; not that something was done to it."""
        tokens = self._tokens
        return any(
            word in _WAS and not any(bit & PARTICIPLE for bit in tokens.bits[at + 1 : at + 3])
            for at, word in enumerate(tokens.lower)
        )

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
        """Verbs that tell what is: "closes", "I weigh"."""
        tokens = self._tokens
        return frozenset(
            base_of(word) for word, bit in zip(tokens.lower, tokens.bits, strict=True)
            if bit & (THIRD | BASE) and not bit & (PAST | AUX)
        )  # fmt: skip


def _role_taken(tokens: Tokens) -> frozenset[str]:
    """The words of the office that somebody has from now on."""
    lower = tokens.lower
    for at in range(1, len(lower) - 2):
        taken = (lower[at - 1], lower[at]) in (("took", "over"), ("taken", "over"), ("takes", "over"))
        if taken or lower[at] in ("replaced", "replaces", "succeeded", "succeeds"):
            named = lower.index("as", at) + 1 if "as" in lower[at:] else at + 1 if taken else 0
            return _phrase(tokens, named) if named else frozenset()
    return frozenset()


def _phrase(tokens: Tokens, start: int) -> frozenset[str]:
    found = []
    for word, bit in zip(tokens.lower[start : start + 6], tokens.bits[start : start + 6], strict=True):
        if word in ("from", "on", "in", "since", "as", "at") or bit & PUNCT:
            break
        if not bit & FUNCTION:
            found.append(stem(word))
    return frozenset(found)
