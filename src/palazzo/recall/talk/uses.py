"""Which memories were read, and what was found in their texts: noted in passing, written later.

Owns what waits and its timer. A read notes ids and goes on; they are written a minute later in a thread of their own,
when many wait, or when the palace is closed, so a crash loses the last minute of them and nothing else. What is counted
feeds decay, the utility in trust, trails, and whatever replays what was used; what was found need not be looked for
again. Knows no texts. Invariants: no read waits
for a writer because of it; a palace that is only read counts nothing; a forked child begins with nothing waiting.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Final
from uuid import UUID

from palazzo.errors import PalazzoError, StorageError
from palazzo.model.fork_lock import ForkLock
from palazzo.store.api import Look, Store, Use

WRITTEN_AFTER_S: Final = 60.0
"""A write makes every reader of the file read its pages anew, so there is not one for each read."""
MANY: Final = 2_000
WAIT_S: Final = 0.02
"""For a writer; whoever is in the way longer is not waited for, and the uses wait on."""


class Uses:
    """Memories of one palace that were read since the last writing. Threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._waiting: dict[tuple[UUID, str], int] = {}
        self._looks: dict[int, Look] = {}
        self._timer: threading.Timer | None = None
        self._lock = ForkLock()

    def note(self, read: Iterable[UUID], at_us: int, subject: str = "operator") -> None:
        """Notes that somebody read memories."""
        self._put(dict.fromkeys(((memory_id, subject) for memory_id in read), at_us), {})

    def found(self, looks: Iterable[Look]) -> None:
        """Notes what was found in texts that somebody is shown."""
        self._put({}, {look.key: look for look in looks})

    def _put(self, uses: dict[tuple[UUID, str], int], looks: dict[int, Look]) -> None:
        if self._store.read_only:
            return
        if os.getpid() != self._pid:
            self._begin()
        with self._lock:
            self._waiting.update(uses)
            self._looks.update(looks)
            waiting = len(self._waiting) + len(self._looks)
            if not waiting or self._timer is not None:
                return
            many = waiting >= MANY
            if self._store.in_background:
                self._timer = threading.Timer(0.0 if many else WRITTEN_AFTER_S, self._from_timer)
                self._timer.daemon = True
                self._timer.start()
                return
        if many:
            self.flush()

    def flush(self) -> None:
        """Writes what waits; what cannot be written waits on, as long as there is room for it."""
        if os.getpid() != self._pid:
            self._begin()
        with self._lock:
            taken, self._waiting = self._waiting, {}
            looks, self._looks = self._looks, {}
        if not taken and not looks:
            return
        try:
            uses = [Use(memory_id, at_us, subject) for (memory_id, subject), at_us in taken.items()]
            self._store.keep_uses(uses, list(looks.values()), WAIT_S)
        except StorageError:
            with self._lock:
                if len(self._waiting) + len(self._looks) < MANY:
                    self._waiting, self._looks = {**taken, **self._waiting}, {**looks, **self._looks}

    def close(self) -> None:
        """Writes what waits, and lets the timer go."""
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        self.flush()

    def _from_timer(self) -> None:
        with self._lock:
            self._timer = None
        with suppress(PalazzoError):  # closed meanwhile: close has written
            self.flush()
