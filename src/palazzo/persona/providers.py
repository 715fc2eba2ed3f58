"""What is added to a context by those who are asked for it, by priority and within a budget of time.

Owns the order, the deadline and the measure. Who provides what is handed in. Invariants: the lowest number comes first;
a provider that is late or fails is left out and named, and costs nobody more than the budget; nothing that was provided
is kept, of a call only how long it took.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from palazzo.model.scope import GLOBAL, Scope

BEFORE_MS: Final = 150
"""What may pass before a turn."""
AFTER_MS: Final = 250
"""What may pass after it."""
TURNS: Final = ("turn_start", "turn_end")
"""What clients wait for beside providers."""
MEASURED: Final = 200
SECTIONS: Final = ("identity", "today", "roster", "schemas", "skills")


class ForTurn(msgspec.Struct, frozen=True):
    """What lines are wanted for: a message, and the thread and scope it is said in."""

    message: str
    thread: str = ""
    scope: Scope = GLOBAL


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """One who adds lines: its place in the order, the section its lines go to, and how it is asked."""

    name: str
    priority: int
    section: str
    ask: Callable[[ForTurn], str]
    quick: bool = False
    """Whether it is our own and needs no thread: it reads what is at hand."""


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """How long something took lately, against what it may."""

    name: str
    priority: int
    section: str
    budget_ms: int
    calls: int
    p50_ms: float
    p95_ms: float
    max_ms: float
    late: int
    failed: int


class _Measure:
    def __init__(self) -> None:
        self.took_ms: deque[float] = deque(maxlen=MEASURED)
        self.late = 0
        self.failed = 0


class Assembly:
    """The providers of one palace, and how long each takes."""

    def __init__(self, providers: Iterable[Provider], broken: tuple[type[Exception], ...] = ()) -> None:
        """`broken` are the errors of a provider that is gone without."""
        self._providers = tuple(sorted(providers, key=lambda one: one.priority))
        self._broken = broken
        self._measures: dict[str, _Measure] = {}

    def __call__(self, turn: ForTurn) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
        """The text of each section for a turn, and who gave none and why."""
        known = [one for one in self._providers if one.section in SECTIONS]
        failed = [
            (one.name, f"its section is none of {', '.join(SECTIONS)}") for one in self._providers if one not in known
        ]
        asked = [_Asked(one, turn, self._broken) for one in known]
        until = time.monotonic() + BEFORE_MS / 1000
        texts: dict[str, str] = {}
        for one in asked:
            if one.thread is not None:
                one.thread.join(max(0.0, until - time.monotonic()))
            measure = self._measures.setdefault(one.provider.name, _Measure())
            if one.thread is not None and one.thread.is_alive():
                measure.late += 1
                failed.append((one.provider.name, f"late: not done in {BEFORE_MS} ms"))
                continue
            measure.took_ms.append(one.took_ms)
            if one.trouble:
                measure.failed += 1
                failed.append((one.provider.name, one.trouble))
            elif one.text:
                section = one.provider.section
                texts[section] = "\n".join(filter(None, (texts.get(section), one.text)))
        return texts, tuple(failed)

    def note(self, name: str, took_ms: float) -> None:
        """Counts something else that a client waits for: what is done before or after a turn."""
        self._measures.setdefault(name, _Measure()).took_ms.append(took_ms)

    def report(self) -> tuple[Took, ...]:
        """Everyone who is asked, in their order, and then what else is counted."""
        known = {one.name: one for one in self._providers}
        names = dict.fromkeys((*known, *TURNS, *self._measures))
        return tuple(self._took(name, known.get(name)) for name in names)

    def _took(self, name: str, provider: Provider | None) -> Took:
        measure = self._measures.get(name, _Measure())
        ordered = sorted(measure.took_ms)

        def at(share: float) -> float:
            return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2) if ordered else 0.0

        return Took(
            name=name, priority=provider.priority if provider else 0, section=provider.section if provider else "",
            budget_ms=AFTER_MS if name == "turn_end" else BEFORE_MS, calls=len(ordered) + measure.late, p50_ms=at(0.5),
            p95_ms=at(0.95), max_ms=at(1.0), late=measure.late, failed=measure.failed,
        )  # fmt: skip


class _Asked:
    """One provider while it is asked, on a thread that nobody waits for longer than there is time."""

    def __init__(self, provider: Provider, turn: ForTurn, broken: tuple[type[Exception], ...]) -> None:
        self.provider = provider
        self.text = ""
        self.trouble = ""
        self.took_ms = 0.0
        self._turn = turn
        self._broken = broken
        self.thread: threading.Thread | None = None
        if provider.quick:
            self._run()
            return
        self.thread = threading.Thread(target=self._run, name=f"provider {provider.name}", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        began = time.perf_counter()
        try:
            self.text = self.provider.ask(self._turn).strip()
        except self._broken as error:
            self.trouble = type(error).__name__
        self.took_ms = (time.perf_counter() - began) * 1000
