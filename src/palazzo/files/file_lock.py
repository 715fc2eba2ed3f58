"""A lock between processes and threads that is a file: whoever holds it is alone with what it stands for.

Owns the file and nothing else; it is empty, private and never removed, for a lock whose file is replaced locks nobody
out. Invariants: the system lets go of the lock when its holder ends, however that happens; threads of one process wait
for each other like processes do, because each opens the file anew.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileLock:
    """The lock of one file. Not reentrant: a thread that holds it and asks again waits for itself."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Waits until nobody else holds the lock, and holds it.

        Raises: OSError when the file cannot be made.
        """
        handle = self._opened()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def tried(self) -> Iterator[bool]:
        """Holds the lock if nobody else does; says whether.

        Raises: OSError when the file cannot be made.
        """
        handle = self._opened()
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(handle)

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(self._path, flags, 0o600)
        except FileNotFoundError:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._path, flags, 0o600)
