"""The pass that counts what is done: raw events become signals of behaviour in windows of a day.

Owns the four families: language_use (languages of a commit), tool_use (programs run), app_focus (minutes in front) and
keyword_freq (words of commands). Programs and apps that stand for one another have a family of their own
(`tool_use.editor`), for the share of one among all commands says nothing of a preference. Knows nothing of beliefs: it
hands counts on. Invariants: it reads from a cursor and counts each event once; a run does a bounded amount of work.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Final

from palazzo.model.belief import BehaviourSignal
from palazzo.model.raw_event import RawEvent
from palazzo.model.retention import DAY_US
from palazzo.model.scope import Scope
from palazzo.store.api import Store
from palazzo.text.safety.secrets import find_secrets
from palazzo.text.words.lexicon import EVERY_LANGUAGE, Page, page

CURSOR: Final = "counting"
STEP: Final = 1_000
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z-]{2,23}(?![\w/.=@:-])")
_BEFORE: Final = re.compile(r"^(?:\s*(?:sudo|env|time|nohup|command|\w+=\S*)\s+)+")
Told = Callable[[Sequence[BehaviourSignal], Scope], int]
"""Keeps counts of one scope, holds them against what is believed, and says how much of that was flagged."""


def _words() -> Page:
    return page("capture", EVERY_LANGUAGE)


@cache
def _languages() -> Mapping[str, str]:
    return _words().labelled("languages")


def language_of(path: str) -> str:
    """The language a file is written in, by its ending; empty for anything else."""
    return _languages().get(PurePosixPath(path).suffix.removeprefix(".").lower(), "")


def program_of(command: str) -> str:
    """The program a command runs, without its folder and what stands before it."""
    plain = _BEFORE.sub("", command).strip().split()
    return PurePosixPath(plain[0]).name[:40] if plain else ""


def counted(event: RawEvent) -> Iterator[tuple[str, str, int]]:
    """What one event counts for: family, dimension, how often."""
    told: Mapping[str, Any] = event.metadata
    if event.kind == "commit":
        for language in told.get("languages", {}):
            yield "language_use", str(language), 1
    elif event.kind == "command":
        program = program_of(event.reference)
        if program.isascii() and program:
            yield from ((family, program, 1) for family in _families("tool_use", "tools", program))
        plain = _words().words("plain_words")
        found = {word.lower() for word in _WORD.findall(event.reference)} - plain - {program.lower()}
        yield from (("keyword_freq", word, 1) for word in sorted(found)[:12])
    elif event.kind == "app_activation":
        minutes = round(float(told.get("seconds", 0)) / 60)
        app = event.reference.lower()
        if minutes:
            yield from ((family, app, minutes) for family in _families("app_focus", "apps", app))


def _families(family: str, entry: str, name: str) -> Iterator[str]:
    yield family
    group = _words().labelled(entry).get(name)
    if group is not None:
        yield f"{family}.{group}"


@cache
def _alternatives(family: str) -> tuple[str, ...]:
    """What might have been done instead: that none of it was says something, too."""
    if family == "language_use":
        return tuple(sorted(set(_words().listings("languages")) - _words().words("unsaid")))
    kind, _, group = family.partition(".")
    entry = {"tool_use": "tools", "app_focus": "apps"}.get(kind)
    return tuple(sorted(_words().listings(entry)[group].split())) if entry and group else ()


class Counting:
    """The pass over one palace."""

    def __init__(self, store: Store, told: Told) -> None:
        self._store = store
        self._told = told

    def run(self, limit: int) -> tuple[int, int, bool]:
        """Counts events that are new: how many, how much of what is believed was flagged, and whether more wait."""
        done = flagged = 0
        while done < limit:
            events = self._store.raw_events.after(self._store.journal.cursor(CURSOR), min(STEP, limit - done))
            if not events:
                return done, flagged, False
            for scope, signals in self._signals(events).items():
                flagged += self._told(signals, scope)
            self._store.journal.move_cursor(CURSOR, events[-1].number, self._store.clock.now_us())
            done += len(events)
        return done, flagged, True

    def _signals(self, events: Sequence[RawEvent]) -> dict[Scope, list[BehaviourSignal]]:
        counts: dict[Scope, Counter[tuple[str, int, str]]] = {}
        for event in events:
            day, scope = event.at_us // DAY_US, counts.setdefault(event.scope, Counter())
            for family, dimension, count in counted(event):
                scope[family, day, dimension] += count
        for scope in counts.values():
            for family, day in {(family, day) for family, day, _ in scope}:
                for other in _alternatives(family):
                    scope[family, day, other] += 0
        return {
            scope: [
                BehaviourSignal(family=family, day=day, dimension=dimension, count=count)
                for (family, day, dimension), count in sorted(found.items())
                if not find_secrets(dimension)
            ]
            for scope, found in counts.items()
            if found
        }
