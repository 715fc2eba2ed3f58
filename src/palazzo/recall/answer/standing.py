"""What holds before anything is asked: who the user is, the standing instructions that apply to a message, and what
memory has for whoever asks for all that is going on.

Owns the choice of them. A name, pronouns and how somebody wants to be spoken to apply to every message; instructions on
the manner of answers apply to every message that is answered; a conditional one applies where its condition fits. Who
may instruct whom is decided in the store's query. Invariants: what has ended is not chosen, and of several languages to
answer in only the newest; an instruction of which nobody can tell whether its condition fits is shown, since its own
words say when it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.model.kinds import GIVEN, HAPPENED, KINDS
from palazzo.model.memory import ACTING, Memory, by_another
from palazzo.model.scope import Scope
from palazzo.model.zone import local, microseconds
from palazzo.recall.read.presets import FLOW
from palazzo.store.api import Filter, Reading
from palazzo.text.meaning.limits import limit_terms, limits_of, matters_of
from palazzo.text.meaning.message import condition_of, says_manner, says_who, sets_language, shares_a_word, telling
from palazzo.text.meaning.topics import topics

READ: Final = 200
"""Of each sort, the newest that are looked at."""
MOST_WHO: Final = 5
MOST_RULES: Final = 8
MOST_LIMITS: Final = 4
FITS: Final = 0.15
"""Cosine of a condition's word to a message's: on pairs of everyday words (code and function, recipe and flour) those
that belong together mostly lie above it, and those that do not below."""
WORDS_READ: Final = 40
SECOND_US: Final = 1_000_000
IDENTITY: Final = "identity"

Vector = NDArray[np.float32]
Near = Callable[[str], Vector | None]
"""The vector of a word; None where there is none or it would have to be waited for."""


Drawn = Literal["today", "roster", "schemas", "skills"]
"""Sections of a context that memory can fill."""


class StandingFacts(msgspec.Struct, frozen=True, gc=False):
    """Who the user is, and how to deal with them, newest first."""

    who: tuple[Memory, ...] = ()
    rules: tuple[Memory, ...] = ()


def standing_of(reading: Reading, now_us: int) -> StandingFacts:
    """Every identity statement of the reader's own side, and every instruction that acts on the reader."""
    ruling = reading.memories.standing(READ)
    being = reading.search.newest(Filter(kinds=(IDENTITY,)), READ)
    loaded = reading.memories.by_keys([*ruling, *being])
    subject = reading.view.subject
    rules = [loaded[key] for key in ruling if key in loaded and _holds(loaded[key], now_us)]
    who = [
        loaded[key] for key in being
        if key in loaded and _holds(loaded[key], now_us) and not by_another(loaded[key], subject)
    ]  # fmt: skip
    return StandingFacts(_newest(who), _newest(rules))


def limits_known(reading: Reading, now_us: int) -> tuple[Memory, ...]:
    """What is known that somebody cannot have or do, as the reader's own side tells it, newest first."""
    (near,) = reading.known.nearest([(limit_terms(), READ)])
    loaded = reading.memories.by_keys([one.key for one in near if one.kind not in GIVEN and limits_of(one.text)])
    subject = reading.view.subject
    lasts = [one for one in loaded.values() if one.kind in HAPPENED or _holds(one, now_us)]
    return _newest([one for one in lasts if not by_another(one, subject)])


def _holds(memory: Memory, now_us: int) -> bool:
    until = memory.revision.content.valid_to_us
    return until is None or until > now_us


def _newest(found: Sequence[Memory]) -> tuple[Memory, ...]:
    once = {memory.text: memory for memory in sorted(found, key=_since)}
    return tuple(sorted(once.values(), key=_since, reverse=True))


def _since(memory: Memory) -> tuple[int, int]:
    since_us = memory.revision.content.valid_from_us or memory.created_us
    return since_us // SECOND_US, memory.revision.key  # a moment that a text names is rounded to its second


def applying(standing: StandingFacts, message: str, near: Near, *, small_talk: bool, work: bool) -> StandingFacts:
    """What of it applies to a message; to one that asks for work, what a person is like applies as well."""
    named = [memory for memory in (*standing.rules, *standing.who) if says_who(memory.text)]
    who = [*named, *(memory for memory in standing.who if work and not says_who(memory.text))]
    rules = [memory for memory in standing.rules if not says_who(memory.text)]
    tongue = next((memory for memory in rules if sets_language(memory.text)), None)
    rules = [memory for memory in rules if memory is tongue or not sets_language(memory.text)]
    if small_talk:
        rules = [memory for memory in rules if says_manner(memory.text) and not condition_of(memory.text)]
    else:
        rules = [memory for memory in rules if _fits(condition_of(memory.text), message, near)]
    return StandingFacts(tuple(who[:MOST_WHO]), tuple(rules[:MOST_RULES]))


def bounding(limits: Sequence[Memory], message: str) -> list[Memory]:
    """The limits that count in what a message is about."""
    matters = matters_of(message)
    return [memory for memory in limits if limits_of(memory.text) & matters][:MOST_LIMITS]


def _fits(condition: str, message: str, near: Near) -> bool:
    """Whether a message is what a condition speaks of: by its words, its topic, or what its words mean."""
    if not condition:
        return True
    wanted = telling(condition)
    if shares_a_word(wanted, message) or set(topics(condition)) & set(topics(message)):
        return True
    asked, told = (
        [vector for word in words[:WORDS_READ] if (vector := near(word)) is not None]
        for words in (wanted, telling(message))
    )
    if not asked or not told:
        return not asked
    return float((np.array(asked) @ np.array(told).T).max()) >= FITS


DRAWN = 12
"""Memories of a section that is drawn from memory: its share of a context has no room for more."""
DAY_US = 86_400_000_000


def writers_here(reading: Reading) -> tuple[str, ...]:
    """Who else wrote what this reader sees lately, the busiest first, and how much."""
    own = ("", reading.view.subject)
    return tuple(
        f"{author}: {count} {'memory' if count == 1 else 'memories'}"
        for author, count in reading.authors.writers(DRAWN)
        if author not in own
    )


def drawn_for(reading: Reading, section: Drawn, now_us: int, zone: str) -> tuple[Memory, ...]:
    """What memory has for a section of a context: what is about today, ways of doing things, or patterns."""
    if section == "skills":
        keys = reading.memories.procedures(DRAWN, ())[::-1]
    elif section == "schemas":
        keys = reading.search.newest(Filter(kinds=("schema",)), DRAWN)
    else:
        midnight = local(now_us, zone).replace(hour=0, minute=0, second=0, microsecond=0)
        kinds = tuple(kind for kind in KINDS if kind not in GIVEN and kind not in ACTING)
        begin = microseconds(midnight)
        keys = reading.search.newest(Filter(kinds=kinds, valid_after_us=begin, valid_before_us=begin + DAY_US), DRAWN)
    loaded = reading.memories.by_keys(keys)
    return tuple(loaded[key] for key in keys if key in loaded)


def given_in(reading: Reading, scope: Scope) -> tuple[Memory, ...]:
    """What the nodes of a flow gave, the newest first, where the scope is a flow's project."""
    project = scope.get("project") or ""
    if not project.startswith(f"{FLOW}:"):
        return ()
    keys = reading.search.newest(Filter(metadata=((FLOW, project.removeprefix(f"{FLOW}:")),)), DRAWN)
    loaded = reading.memories.by_keys(keys)
    return tuple(loaded[key] for key in keys if key in loaded)
