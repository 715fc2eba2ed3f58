"""The working store of one process: plain dictionaries under a lock.

Owns what a single process needs no other program for, and what the first process of a daemon keeps for its workers.
Invariants: threads share it and a fork finds it whole; each family of keys is bounded, and what was not used for
longest goes first; what has run out is not found.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from palazzo.model.fork_lock import ForkLock
from palazzo.text.words.remembered import kept_in

MOST_KEYS: Final = 10_000
"""Keys of one family."""
T = TypeVar("T")


class _Entry(NamedTuple):
    value: str | int | deque[int] | deque[str]
    until_s: float | None


class LocalWorking:
    """The working store of one process."""

    shared = False
    trouble = ""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = ForkLock()
        self._families: dict[str, OrderedDict[str, _Entry]] = {}
        kept_in(self)

    def get(self, key: str) -> str | None:
        with self._lock:
            found = self._found(key)
        return found if isinstance(found, str) else None

    def put(self, key: str, value: str, ttl_s: float) -> None:
        with self._lock:
            self._keep(key, value, ttl_s)

    def drop(self, prefix: str) -> int:
        with self._lock:
            gone = [
                (family, key)
                for family, kept in self._families.items()
                if family.startswith(prefix) or prefix.startswith(f"{family}:") or prefix == family
                for key in kept
                if key.startswith(prefix)
            ]
            lived = sum(self._found(key) is not None for _, key in gone)
            for family, key in gone:
                self._families[family].pop(key, None)
        return lived

    def take(self, key: str, most: int, window_us: int, now_us: int) -> int:
        with self._lock:
            found = self._found(key)
            window: deque[int] = found if isinstance(found, deque) else deque()  # type: ignore[assignment]
            while window and window[0] <= now_us - window_us:
                window.popleft()
            if len(window) >= most:
                return max(window[len(window) - most] + window_us - now_us, 1)
            window.append(now_us)
            self._keep(key, window, None)  # it goes by the clock of the palace, which is handed in
        return 0

    def count(self, key: str, most: int, ttl_s: float) -> bool:
        with self._lock:
            found = self._found(key)
            spent = found if isinstance(found, int) else 0
            if spent >= most:
                return False
            self._keep(key, spent + 1, ttl_s)
        return True

    def push(self, key: str, value: str, most: int, ttl_s: float) -> None:
        with self._lock:
            found = self._found(key)
            kept: deque[str] = found if isinstance(found, deque) else deque()  # type: ignore[assignment]
            kept.append(value)
            while len(kept) > most:
                kept.popleft()
            self._keep(key, kept, ttl_s)

    def listed(self, key: str) -> tuple[str, ...]:
        with self._lock:
            found = self._found(key)
            return tuple(found) if isinstance(found, deque) else ()  # type: ignore[arg-type]

    def forget(self) -> None:
        """Lets go of what was said."""
        self.drop("sessions:")

    def _found(self, key: str) -> str | int | deque[int] | deque[str] | None:
        family = self._families.get(key.partition(":")[0])
        entry = None if family is None else family.get(key)
        if family is None or entry is None:
            return None
        if entry.until_s is not None and entry.until_s <= self._clock():
            del family[key]
            return None
        family.move_to_end(key)
        return entry.value

    def _keep(self, key: str, value: str | int | deque[int] | deque[str], ttl_s: float | None) -> None:
        family = self._families.setdefault(key.partition(":")[0], OrderedDict())
        family[key] = _Entry(value, None if ttl_s is None else self._clock() + ttl_s)
        family.move_to_end(key)
        while len(family) > MOST_KEYS:
            family.popitem(last=False)
