"""The proof loop: what says how a file, a process, a setting or a build is now is checked in the turn, or marked.

Owns which sentences are such claims and the words that mark one. Checks nothing itself: it is told what was checked.
Invariants: a claim whose gate was passed stands as it is; any other is followed by "not verified: <gate>"; a question,
an intention and a sentence that carries the mark already are none.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Final

import msgspec

from palazzo.text.meaning.plans import plan_signs, said_sentences
from palazzo.text.words.lexicon import page

MARK: Final = "not verified"
GATES: Final = ("file", "process", "config", "runtime")


class MutableClaim(msgspec.Struct, frozen=True):
    """A sentence that says how something is now, and what would have to be looked at."""

    sentence: str
    gate: str
    verified: bool


@cache
def _gates() -> dict[str, re.Pattern[str]]:
    listed = page("proof").table("gates")
    return {gate: re.compile(listed[gate]) for gate in GATES}


def obligations(message: str) -> tuple[str, ...]:
    """The gates that an answer to a message is likely to have to pass."""
    return tuple(gate for gate, pattern in _gates().items() if pattern.search(message))


def claims_in(text: str, checked: Collection[str] = ()) -> tuple[MutableClaim, ...]:
    """The claims of an answer about what can change, each with whether its gate was passed."""
    found = []
    for sentence in said_sentences(text):
        if sentence.rstrip().endswith("?") or MARK in sentence.lower():
            continue
        if any(sign.sort in ("open", "cancelled") for sign in plan_signs(sentence, "assistant")):
            continue
        gate = next((gate for gate, pattern in _gates().items() if pattern.search(sentence)), "")
        if gate:
            found.append(MutableClaim(sentence, gate, gate in checked))
    return tuple(found)


def marked(text: str, checked: Collection[str] = ()) -> str:
    """An answer in which every claim that was not checked says so."""
    for claim in claims_in(text, checked):
        if not claim.verified:
            text = text.replace(claim.sentence, f"{claim.sentence} ({MARK}: {claim.gate})", 1)
    return text


def block_for(message: str) -> str:
    """What a model is told before it answers; nothing where nothing can have changed."""
    found = obligations(message)
    if not found:
        return ""
    return f'Before you say how a {" or ".join(found)} is now, look at it in this turn, or say "{MARK}: {found[0]}".'
