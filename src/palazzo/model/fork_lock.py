"""Locks that nobody else holds in a forked child.

A fork copies a lock as it stands, and a thread that held it is not there to let it go. Whoever forks takes all of these
first, so that what they guard is whole, and lets them go on both sides. Invariant: a child never waits for a thread of
its parent.
"""

from __future__ import annotations

import os
import threading
from types import TracebackType
from typing import Final
from weakref import WeakSet

PATIENCE_S: Final = 0.5
"""How long a fork waits for one of them; then the child gets that one anew, and what it guards as it stands."""


class ForkLock:
    """A lock for `with`. A thread that holds it may take it again."""

    __slots__ = ("__weakref__", "_lock", "_taken")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._taken = False
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        self._taken = self._lock.acquire(timeout=PATIENCE_S)

    def after_fork(self, *, in_child: bool) -> None:
        if self._taken:
            self._lock.release()
        elif in_child:
            self._lock = threading.RLock()
        self._taken = False


_locks: WeakSet[ForkLock] = WeakSet()
_held: list[ForkLock] = []


def _before() -> None:
    _held.extend(_locks)
    for lock in _held:
        lock.before_fork()


def _after(*, in_child: bool) -> None:
    while _held:
        _held.pop().after_fork(in_child=in_child)


REGISTERED: Final = hasattr(os, "register_at_fork")
if REGISTERED:
    os.register_at_fork(
        before=_before,
        after_in_parent=lambda: _after(in_child=False),
        after_in_child=lambda: _after(in_child=True),
    )
