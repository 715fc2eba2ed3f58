"""A value made on first use, once, by whichever thread comes first.

Knows nothing of what it holds. Invariant: `get` returns a fully made value or raises what the maker raised; a
failure is not remembered, so a part installed or repaired later is found. A lock taken by another thread at
the moment of a fork is not inherited: each process has its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Holds the result of `make`; with `per_process` a forked child makes its own.

    Plain data, read-only mappings and tokenizers live through a fork; thread pools and sockets do not.
    """

    __slots__ = ("_locks", "_made", "_make", "_per_process")

    def __init__(self, make: Callable[[], T], *, per_process: bool = False) -> None:
        self._make = make
        self._per_process = per_process
        self._made: tuple[int, T] | None = None
        self._locks: dict[int, threading.Lock] = {}

    def get(self) -> T:
        """The value, made now if it is not there yet."""
        made = self._made
        if made is not None and (not self._per_process or made[0] == os.getpid()):
            return made[1]
        pid = os.getpid()
        # setdefault on a dict is atomic, so two threads of a fresh child agree on one lock.
        with self._locks.setdefault(pid, threading.Lock()):
            made = self._made
            if made is None or (self._per_process and made[0] != pid):
                made = self._made = (pid, self._make())
            return made[1]

    @property
    def is_made(self) -> bool:
        """Whether a value is there, without making one."""
        return self._made is not None
