"""Watching: the adapters that look for themselves, each in a thread of its own while it is on.

Owns when one runs and what it is shown. Knows no adapter. Invariants: an adapter that is off, paused or cannot see
anything here does not run; one that fails is told of once and rests; what it tells passes the gate like everything
else.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast, get_args

from palazzo.capture.gate import Gate
from palazzo.capture.intake import RawIntake
from palazzo.errors import PalazzoError
from palazzo.model.raw_event import RawEvent, RawKind
from palazzo.ports import CaptureAdapter, Clock

BELIEVED_S: Final = 1.0
"""How long, within one look, the rules that were read are believed before they are read again."""
BROKEN: Final = (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, ImportError, PalazzoError)


class Eye:
    """What one adapter is given."""

    def __init__(self, name: str, intake: RawIntake, clock: Clock) -> None:
        self._name = name
        self._intake = intake
        self._clock = clock
        self._read_us = 0
        self._gate: Gate | None = None
        self.stopped = threading.Event()

    @property
    def _now(self) -> Gate:
        now_us = self._clock.now_us()
        if self._gate is None or now_us - self._read_us > BELIEVED_S * 1_000_000:
            self._gate, self._read_us = self._intake.gate(), now_us
        return self._gate

    @property
    def folders(self) -> tuple[str, ...]:
        return self._now.rules.folders

    def wait(self, seconds: float) -> bool:
        return self.stopped.wait(seconds)

    def is_open(self) -> bool:
        self._gate = None  # before a look the rules are read anew: after a pause nothing is looked at
        return not self.stopped.is_set() and self._now.is_open(self._name)

    def bars_app(self, app: str, title: str = "") -> bool:
        return self._now.bars_app(app, title)

    def bars_path(self, path: str) -> bool:
        return self._now.bars_path(path)

    def saw(self, kind: str, reference: str, metadata: Mapping[str, Any]) -> None:
        if kind not in get_args(RawKind) or not self.is_open():
            return
        event = RawEvent(
            kind=cast(RawKind, kind), source=self._name, reference=reference, at_us=self._clock.now_us(),
            metadata=dict(metadata),
        )  # fmt: skip
        self._intake.add([event], f"capture:{self._name}")


class Watchers:
    """The adapters of one palace that look for themselves."""

    def __init__(self, intake: RawIntake, clock: Clock, adapters: Sequence[CaptureAdapter]) -> None:
        self._intake = intake
        self._clock = clock
        self._adapters = adapters
        self._running: dict[str, tuple[threading.Thread, Eye]] = {}

    def settle(self) -> tuple[str, ...]:
        """Starts what is to run and stops what is not; the names of what runs."""
        gate = self._intake.gate()
        for one in self._adapters:
            if not gate.is_open(one.name):
                self._intake.said.pop(one.name, None)  # whoever switches it on again has it looked for again
            wanted = gate.is_open(one.name) and one.name not in self._intake.said
            thread, eye = self._running.get(one.name, (None, None))
            if thread is not None and not thread.is_alive():
                del self._running[one.name]
                thread = None
            if wanted and thread is None:
                if why := one.missing():
                    self._intake.said[one.name] = why
                    continue
                self._start(one)
            elif not wanted and eye is not None:
                eye.stopped.set()
        return tuple(self._running)

    def _start(self, adapter: CaptureAdapter) -> None:
        eye = Eye(adapter.name, self._intake, self._clock)

        def look() -> None:
            try:
                adapter.watch(eye)
            except BROKEN as error:
                self._intake.said[adapter.name] = str(error) or type(error).__name__

        thread = threading.Thread(target=look, name=f"palazzo-capture-{adapter.name}", daemon=True)
        self._running[adapter.name] = (thread, eye)
        thread.start()

    def close(self) -> None:
        """Stops every adapter and waits for it."""
        for _, eye in self._running.values():
            eye.stopped.set()
        for thread, _ in self._running.values():
            thread.join(5)
        self._running.clear()
