"""What is done to an open file by its number, alike on every system: locking it, reading and writing at a position.

Owns the differences between systems, which nothing else here knows: Windows has neither `fcntl` nor reading at a
position, and turns line ends unless it is told not to. Invariant: the system lets go of a lock when its holder ends,
however that happens.
"""

from __future__ import annotations

import os
import sys
from typing import Final

AS_BYTES: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""How a file is opened whose bytes are meant, by this process alone."""


def lock(handle: int, *, wait: bool) -> bool:
    """Locks a file against everybody else until it is closed; whether it did, which only waiting makes sure.

    Raises: OSError.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, 0, os.SEEK_SET)
            while True:
                try:
                    msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                    return True
                except OSError:  # it waits ten seconds at most
                    if not wait:
                        return False
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
    except BlockingIOError:
        return False


def read_at(handle: int, count: int, place: int) -> bytes:
    """So many bytes from a place on.

    Raises: OSError.
    """
    os.lseek(handle, place, os.SEEK_SET)
    return os.read(handle, count)


def write_at(handle: int, data: bytes, place: int) -> None:
    """Writes over what stands at a place. The file must not be open for appending.

    Raises: OSError.
    """
    os.lseek(handle, place, os.SEEK_SET)
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
