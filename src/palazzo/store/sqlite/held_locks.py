"""How SQLite waits for a lock of another process, and whether this process still holds the locks that SQLite believes
it holds.

A lock goes when any part of the process closes the file outside SQLite: another library, a plugin, a careless `open`.
Nothing tells SQLite; the next visitor then takes the log for abandoned and removes it, and what is written afterwards
goes into a file without a name. Owns the two signs of that: the log is another file than the one the writer opened (one
`stat` around every commit), and the system no longer shows our locks (asked at most once a second, where it shows any).
Invariant: a commit is acknowledged only while the log it went into is the palace's.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import apsw

from palazzo.errors import LocksLost

HANDLES: Final = Path("/proc/self/fdinfo")
"""Where Linux says, for each open handle of this process, which locks were taken through it."""
CHECK_EVERY_S: Final = 1.0
_TRIES: Final = 3
_SHARED: Final = 0x4000_0002
"""The first byte of those in palace.db that whoever has it open locks for reading."""
_IN_USE: Final = 128
"""The byte of the shared memory that whoever has the log open locks for reading."""

_MARKS: Final = range(123, 128)
"""Bytes of the shared memory of which every reading locks one: it stands for the moment that is read."""
LIST: Final = Path("/proc/locks")
"""Where Linux lists the locks of all processes."""

_seen: set[tuple[int, int, int, Path]] = set()
"""Process, device, number and path of the files whose locks have been seen: only of those can they be seen to be
missing. The number alone would not do: a new file may get that of one that was deleted."""


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _locks(file: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The first and last byte of every lock this process has on a file."""
    for handle in HANDLES.iterdir():
        with suppress(OSError):  # other threads close handles meanwhile
            found = os.fstat(int(handle.name))
            if (found.st_dev, found.st_ino) == file:
                for line in handle.read_text("ascii").splitlines():
                    if line.startswith("lock:") and "POSIX" in line:
                        first, last = line.split()[-2:]
                        yield int(first), sys.maxsize if last == "EOF" else int(last)


def _locked(path: Path, byte: int) -> bool:
    file = _identity(path)
    return file is not None and any(first <= byte <= last for first, last in _locks(file))


def _listed(path: Path, byte: int) -> bool:
    """Whether the list of all locks has one of this process: slower to ask, and no handle is missed."""
    file = _identity(path)
    if file is None or not LIST.exists():
        return False
    lines = [line.split() for line in LIST.read_text("ascii").splitlines()]
    return any(
        int(line[6]) <= byte <= (sys.maxsize if line[7] == "EOF" else int(line[7])) for line in lines
        if len(line) == 8 and line[4] == str(os.getpid()) and line[5].rpartition(":")[2] == str(file[1])
    )  # fmt: skip


def state(path: Path) -> Literal["held", "lost", "unknown"]:
    """Whether the locks of a palace file are there, asked while this process has a transaction on it."""
    identity, shared = _identity(path), path.with_name(path.name + "-shm")
    if identity is None or not HANDLES.is_dir():
        return "unknown"
    key = (os.getpid(), *identity, path)
    for seen in (*(_locked,) * _TRIES, _listed):  # a handle that another thread has just opened may be missed
        if seen(path, _SHARED) and (not shared.exists() or seen(shared, _IN_USE)):
            _seen.add(key)
            return "held"
    return "lost" if key in _seen else "unknown"


def readers(path: Path) -> tuple[int, ...]:
    """Processes that have a reading under way, as far as the system tells; an advice, for it changes meanwhile."""
    shared = _identity(path.with_name(path.name + "-shm"))
    if shared is None or not LIST.exists():
        return ()
    lines = [line.split() for line in LIST.read_text("ascii").splitlines()]
    found = {
        int(line[4]) for line in lines
        if len(line) == 8 and line[3] == "READ" and line[5].rpartition(":")[2] == str(shared[1])
        and int(line[6]) in _MARKS
    }  # fmt: skip
    return tuple(sorted(found))


def users(path: Path) -> tuple[int, ...]:
    """Processes that have the log of a palace open, as far as the system tells."""
    shared = _identity(path.with_name(path.name + "-shm"))
    if shared is None or not LIST.exists():
        return ()
    lines = [line.split() for line in LIST.read_text("ascii").splitlines()]
    found = {
        int(line[4]) for line in lines
        if len(line) == 8 and line[5].rpartition(":")[2] == str(shared[1]) and int(line[6]) == _IN_USE
    }  # fmt: skip
    return tuple(sorted(found))


def left_open(path: Path) -> int:
    """How many bytes of log stand beside a palace that nobody has open: whoever had it ended without closing it."""
    try:
        size = path.with_name(path.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0
    return 0 if not LIST.exists() or users(path) else size


class Watch:
    """Watches over the commits of one connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log_path = path.with_name(path.name + "-wal")
        self._log = _identity(self._log_path)
        self._checked_s = float("-inf")
        self._lost: LocksLost | None = None

    @property
    def lost(self) -> bool:
        """Whether the locks were once found missing; then no connection to this file may move the log any more."""
        return self._lost is not None

    def usable(self) -> None:
        """Raises: LocksLost once they were found missing: until everything is closed SQLite asks for none again."""
        if self._lost is not None:
            raise LocksLost(self._lost.message)

    def begun(self) -> None:
        """Inside a transaction, before anything is written.

        Raises: LocksLost.
        """
        if self._log is None:
            self._log = _identity(self._log_path)
        self._same_log("nothing was written")
        now_s = time.monotonic()
        if now_s - self._checked_s >= CHECK_EVERY_S:
            self._checked_s = now_s
            if state(self._path) == "lost":
                self._lose("this process has lost its locks on the palace; nothing was written")

    def committed(self) -> None:
        """After a commit, before anybody is told of it.

        Raises: LocksLost.
        """
        self._same_log("this write may not have been kept")

    def _same_log(self, outcome: str) -> None:
        self.usable()
        if self._log is not None and self._log != _identity(self._log_path):
            self._lose(f"the log of the palace was removed while this process had it open; {outcome}")

    def _lose(self, message: str) -> None:
        self._lost = LocksLost(message)
        raise self._lost


def let_go(connection: apsw.Connection, watch: Watch) -> None:
    """Closes a connection; without locks it must not move a log that may belong to nobody into the file."""
    if watch.lost:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.close(True)


def patient(wait_s: float) -> Callable[[int], bool]:
    """A busy handler that retries with short, jittered naps: SQLite's own table of sleeps is slow and unfair."""

    def handler(tries: int) -> bool:
        nap = min(0.0005 * (tries + 1), 0.005) * (0.5 + random.random())
        time.sleep(nap)
        return tries * 0.003 < wait_s

    return handler
