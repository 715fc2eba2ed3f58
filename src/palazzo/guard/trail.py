"""The audit trail's way to disk: denials at once, reads in a buffer that is written within a second.

Owns the buffer, its thread and the keyed hash of questions. Guarantees: a denial is on disk before its caller hears of
it; the line of a read is on disk a second later, when the palace is closed, or when LARGEST lines wait, whichever comes
first, so a killed process loses the lines of its last second of reads and of nothing else (a write has its line in its
own transaction). A buffer that cannot be written is kept and tried again; past MOST lines the oldest give way to one
line that says how many. Invariant: no content reaches a line.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from dataclasses import replace
from hashlib import blake2b

import msgspec

from palazzo.errors import PalazzoError, StorageError
from palazzo.model.fork_lock import ForkLock
from palazzo.store.api import AuditLine, Store

FLUSH_AFTER_S = 1.0
LARGEST = 512
MOST = 20_000


class Trail:
    """The audit trail of one open palace. Threads share it; a forked child begins with an empty buffer."""

    def __init__(self, store: Store, *, in_background: bool) -> None:
        self._store = store
        self._in_background = in_background
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lines: deque[AuditLine] = deque()
        self._limited: dict[tuple[str, str], tuple[AuditLine, int]] = {}
        self._lost = 0
        self._lock = ForkLock()
        self._timer: threading.Timer | None = None
        self._key: bytes | None = None

    @property
    def writable(self) -> bool:
        return not self._store.read_only

    def note(self, line: AuditLine) -> None:
        """Keeps the line of a read for the next flush."""
        if not self.writable:
            return
        self._check_fork()
        with self._lock:
            if line.decision == "limited":
                first, times = self._limited.get((line.subject, line.action), (line, 0))
                self._limited[line.subject, line.action] = (first, times + 1)
            else:
                self._lines.append(line)
            if len(self._lines) > MOST:
                self._lines.popleft()
                self._lost += 1
            due = len(self._lines) >= LARGEST
            if not due and self._in_background and self._timer is None:
                self._timer = threading.Timer(FLUSH_AFTER_S, self._from_timer)
                self._timer.daemon = True
                self._timer.start()
        if due:
            self._try_flush()

    def write(self, line: AuditLine) -> None:
        """Writes a line, and those that wait, before it returns."""
        if self.writable:
            self._check_fork()
            self.flush(line)

    def flush(self, *more: AuditLine) -> None:
        """Writes what waits.

        Raises: StorageError; the lines then wait on.
        """
        if os.getpid() != self._pid:
            self._check_fork()
        with self._lock:
            taken, limited, lost = list(self._lines), self._limited, self._lost
            self._lines.clear()
            self._limited, self._lost = {}, 0
        counted = [replace(line, detail=_json({"times": times})) for line, times in limited.values()]
        lines = [*taken, *counted, *more]
        if lost:
            lines.insert(0, _lost_lines(self._store.clock.now_us(), lost))
        if not lines:
            return
        try:
            self._store.audit.append(lines)
        except StorageError:
            with self._lock:
                self._lines.extendleft(reversed([*taken, *counted]))
                self._lost += lost
            raise

    def _try_flush(self) -> None:
        try:
            self.flush()
        except PalazzoError:
            return  # the lines wait; the next flush, or close, tells

    def _from_timer(self) -> None:
        with self._lock:
            self._timer = None
        self._try_flush()

    def query_hash(self, text: str) -> str:
        """A keyed hash of a question: alike questions can be told, their words cannot."""
        key = self.key()
        if key is None:
            return ""
        return blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=12).hexdigest()

    def key(self) -> bytes | None:
        """The palace's own secret for what is told or written down in other words; None where it cannot be made."""
        self._check_fork()
        if self._key is None:
            self._key = self._store.audit.key()
            if self._key is None and self.writable:
                self._key = self._store.audit.make_key()
        return self._key

    def close(self) -> None:
        """Writes what waits and stops the timer."""
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is not None and self._pid == os.getpid():
            timer.cancel()
        self.flush()

    def _check_fork(self) -> None:
        if os.getpid() != self._pid:
            self._reset()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _lost_lines(now_us: int, lost: int) -> AuditLine:
    return AuditLine(at_us=now_us, subject="operator", action="audit", decision="lost", detail=_json({"lines": lost}))
