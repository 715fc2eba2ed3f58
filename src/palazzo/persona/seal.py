"""Metabolism, contemplation and crystallisation: how what happens in talk may, slowly, change who an agent is; and what
is measured beside it: standing and dynamics.

Owns the signs at a turn's end, the inquiries that come of them with their three passes, the gates before an identity
file may change, the figures of standing and the surprise of a turn. All of it is off until somebody switches it on, is
no evidence for anything that is believed, and is in no recall. Invariants: a pass comes no sooner than its hour; what
goes against a principle of SOUL.md does not pass; the last gate is a person; no figure keeps a word of what was said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Final, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace

from palazzo.errors import Conflict
from palazzo.model.slip import Slip
from palazzo.persona.proof import claims_in
from palazzo.persona.slips import ScopedSlips, told_of
from palazzo.persona.work import SaidTurn
from palazzo.text.meaning.plans import matter_terms, said_sentences
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed

T = TypeVar("T", bound=msgspec.Struct)
HOUR_US: Final = 3_600_000_000
UNSETTLED: Final = 0.4
"""Entropy above which an exchange becomes a candidate, and anchors are worth reading."""
PASSES_US: Final = (0, 4 * HOUR_US, 20 * HOUR_US)
RIPE_US: Final = 24 * HOUR_US
DIMENSIONS: Final = ("grounding", "self", "word", "brand")
MIDDLE: Final = 5.0
STEP: Final = 0.25
TRAIL: Final = 5
LATENT: Final = 64
RATE: Final = 0.05


class Metabolised(msgspec.Struct, frozen=True, kw_only=True):
    """The signs of an exchange, each from 0 to 1, and what they come to."""

    loop: float = 0.0
    confabulation: float = 0.0
    tension: float = 0.0
    coherence: float = 0.0
    surprise: float = 0.0

    @property
    def entropy(self) -> float:
        """How unsettled it was, from 0 to 1."""
        weighed = (
            0.3 * self.loop + 0.25 * self.confabulation + 0.5 * self.tension + 0.45 * self.coherence
            + 0.15 * self.surprise
        )  # fmt: skip
        return round(min(1.0, weighed), 3)


class InquiryTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of an inquiry: the figures, how often it came, and what each pass found, in our own words."""

    thread: str
    sort: str
    entropy: float
    count: int = 1
    passes: tuple[str, ...] = ()
    begun_us: int = 0


class StandingTold(msgspec.Struct, frozen=True, kw_only=True):
    """Four figures from 0 to 10, and the last signs that moved each: names of patterns, no words."""

    figures: dict[str, float] = {}
    trail: dict[str, tuple[str, ...]] = {}
    turns: int = 0


class DynamicsTold(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the predictor of a thread, and the surprise of its last turns: frozen, and learned."""

    weights: tuple[float, ...] = ()
    last: tuple[float, ...] = ()
    surprise: tuple[tuple[float, float], ...] = ()
    updates: int = 0


class _Signs(NamedTuple):
    confabulation: re.Pattern[str]
    challenged: re.Pattern[str]
    corrected: re.Pattern[str]
    never: re.Pattern[str]
    loop: float
    patterns: tuple[tuple[str, str, float, re.Pattern[str]], ...]


@cache
def _signs() -> _Signs:
    listed = page("standing")

    def pattern(entry: str) -> re.Pattern[str]:
        return re.compile(listed.listing(entry), re.IGNORECASE)

    rows = tuple(
        (row["name"], row["dimension"], float(row["weight"]), re.compile(row["words"], re.IGNORECASE))
        for row in listed.rows("patterns")
    )
    return _Signs(
        pattern("confabulation"), pattern("challenged"), pattern("corrected"), pattern("never"),
        float(listed.listing("loop")), rows,
    )  # fmt: skip


def principles_in(soul: str | None) -> tuple[str, ...]:
    """The principles of SOUL.md: its list entries."""
    lines = (line.strip() for line in (soul or "").splitlines())
    return tuple(line[2:].strip() for line in lines if line.startswith(("- ", "* ")) and line[2:].strip())


def against(text: str, principles: Sequence[str]) -> str:
    """The principle a text goes against: it says what one forbids, or forbids what one says; empty for none."""
    never = _signs().never
    for principle in principles:
        held, forbids = matter_terms(never.sub("", principle)), never.search(principle) is not None
        for sentence in said_sentences(text):
            said = matter_terms(never.sub("", sentence))
            if held and len(held & said) >= math.ceil(0.7 * len(held)) and forbids != bool(never.search(sentence)):
                return principle
    return ""


def metabolised(turns: Sequence[SaidTurn], principles: Sequence[str] = (), surprise: float = 0.0) -> Metabolised:
    """The signs of the last exchange of a conversation."""
    signs = _signs()
    answers = [turn.text for turn in turns if turn.role == "assistant"]
    asked = next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
    answer = answers[-1] if answers else ""
    words = [frozenset(parsed(text).content_terms) for text in answers[-4:]]
    same = max((_jaccard(words[-1], one) for one in words[:-1]), default=0.0) if words else 0.0
    unchecked = len(claims_in(answer)) + 2 * len(signs.confabulation.findall(answer))
    challenged = bool(signs.challenged.search(asked)) + 0.6 * bool(signs.corrected.search(asked))
    return Metabolised(
        loop=round(same, 3) if same >= signs.loop else 0.0, confabulation=min(1.0, unchecked / 4),
        tension=1.0 if principles and against(answer, principles) else 0.0, coherence=min(1.0, challenged),
        surprise=surprise,
    )  # fmt: skip


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def sort_of(found: Metabolised) -> str:
    """What kind of inquiry it is."""
    if found.coherence:
        return "identity challenge"
    return "contradiction" if found.tension else "novel insight" if found.surprise > found.loop else "loop"


class Growth(ScopedSlips):
    """What one scope has of all this."""

    hint = "`palazzo inquiries` lists them"

    def wonder(self, thread: str, found: Metabolised) -> Slip | None:
        """Keeps an unsettled exchange as a candidate; one of a sort in a thread is kept once, and counted."""
        if found.entropy <= UNSETTLED:
            return None
        sort = sort_of(found)
        name = f"inq_{blake2b(f'{thread}/{sort}'.encode(), digest_size=8).hexdigest()}"
        known = self._get("inquiry", name)
        if known is not None:
            told = told_of(known, InquiryTold)
            told = replace(told, count=told.count + 1, entropy=max(told.entropy, found.entropy))
            return self._put("inquiry", name, known.state, told, known)
        told = InquiryTold(thread=thread, sort=sort, entropy=found.entropy, begun_us=self._store.clock.now_us())
        return self._put("inquiry", name, "candidate", told, None)

    def contemplate(self, name: str, evidence: str) -> Slip:
        """The next pass of an inquiry: what is uncertain, how it relates, what it suggests.

        Raises: NotFound, Conflict before its hour or after the last.
        """
        known = self._known("inquiry", name)
        told = told_of(known, InquiryTold)
        number = len(told.passes)
        if number >= len(PASSES_US):
            raise Conflict("it has had its three passes", hint="crystallise it, or let it be")
        left_us = told.begun_us + PASSES_US[number] - self._store.clock.now_us()
        if left_us > 0:
            raise Conflict(f"pass {number + 1} comes in {left_us / HOUR_US:.1f} hours", hint="it is not to be hurried")
        after = ("candidate", "relating", "grown")[number]
        return self._put("inquiry", name, after, replace(told, passes=(*told.passes, evidence)), known)

    def crystallise(self, name: str, text: str, principles: Sequence[str]) -> Slip:
        """The first two gates: it is old enough, and goes against no principle. The third is a person.

        Raises: NotFound, Conflict at the gate that stops it.
        """
        known = self._known("inquiry", name)
        told = told_of(known, InquiryTold)
        if self._store.clock.now_us() - told.begun_us < RIPE_US or len(told.passes) < len(PASSES_US):
            raise Conflict("gate 1, time: it has not ripened", hint="three passes, and a day")
        if stopped := against(text, principles):
            raise Conflict(f"gate 2, alignment: it goes against {stopped!r}", hint="the principles come first")
        return self._put("inquiry", name, "waiting for a person", told, known)

    def inquiries(self, limit: int) -> tuple[Slip, ...]:
        """The inquiries, the last changed first."""
        return self._newest("inquiry", limit)

    def assess(self, person: str, text: str) -> Slip:
        """Moves the standing of a person by the signs of what they said."""
        known = self._get("standing", person)
        told = told_of(known, StandingTold) if known else StandingTold(figures=dict.fromkeys(DIMENSIONS, MIDDLE))
        figures, trail = dict(told.figures), dict(told.trail)
        for name, dimension, weight, words in _signs().patterns:
            if words.search(text):
                figures[dimension] = round(min(10.0, max(0.0, figures.get(dimension, MIDDLE) + STEP * weight)), 2)
                sign = f"{'+' if weight > 0 else '-'} {name}"
                trail[dimension] = (*trail.get(dimension, ()), sign)[-TRAIL:]
        return self._put("standing", person, "assessed", replace(
            told, figures=figures, trail=trail, turns=told.turns + 1
        ), known)  # fmt: skip

    def standing(self, person: str) -> StandingTold:
        """Where a person stands, as far as was assessed."""
        return self._told("standing", person, StandingTold())

    def move(self, thread: str, features: Sequence[float]) -> tuple[float, float]:
        """Takes in the features of a turn; how far they were from what was predicted, frozen and learned."""
        known = self._get("dynamics", thread)
        told = told_of(known, DynamicsTold) if known else DynamicsTold()
        now = _latent(features)
        weights = np.array(told.weights or np.ones(LATENT))
        before = np.array(told.last) if told.last else now
        predicted = weights * before
        frozen, learned = (round(float(np.linalg.norm(now - one)), 4) for one in (before, predicted))
        weights = weights + RATE * (now - predicted) * before
        made = DynamicsTold(
            weights=tuple(round(float(one), 6) for one in weights), last=tuple(round(float(one), 6) for one in now),
            surprise=(*told.surprise, (frozen, learned))[-50:], updates=told.updates + 1,
        )  # fmt: skip
        self._put("dynamics", thread, "learning", made, known)
        return frozen, learned

    def dynamics(self, thread: str) -> DynamicsTold:
        """What is known of how a thread moves."""
        return self._told("dynamics", thread, DynamicsTold())


def features_of(found: Metabolised, turns: Sequence[SaidTurn]) -> tuple[float, ...]:
    """A turn as figures: its signs, and how long and how far apart its texts are."""
    last = turns[-1] if turns else SaidTurn("user", "")
    before = turns[-2] if len(turns) > 1 else last
    words = len(parsed(last.text).terms)
    return (
        found.loop, found.confabulation, found.tension, found.coherence, min(1.0, words / 200),
        _jaccard(frozenset(parsed(last.text).content_terms), frozenset(parsed(before.text).content_terms)),
        1.0 if last.text.rstrip().endswith("?") else 0.0,
    )  # fmt: skip


@cache
def _projection() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.random.default_rng(64).normal(size=(LATENT, 8)) / math.sqrt(8)


def _latent(features: Sequence[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    given = np.zeros(8)
    given[: len(features)] = features[:8]
    given[7] = 1.0
    return np.tanh(_projection() @ given)
