"""Files that others name: found without guessing, read only if they are regular, never longer than asked for.

Owns the way from a path somebody wrote down to bytes. Knows nothing of what they mean. Invariant: reading never waits
for anybody: a pipe, a socket or a device is not opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mnemon.errors import InvalidInput


def named(text: str, field: str = "file") -> Path:
    """The path somebody wrote, as a path or a file URL, with the home it may begin with.

    Raises: InvalidInput for a home nobody has.
    """
    path = unquote(urlsplit(text).path) if text.startswith("file:") else text
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInput(
            f"there is no home {path.split('/', 1)[0]}", field=field, hint="write the path from /"
        ) from error


def start_of(path: Path, most: int) -> bytes | None:
    """The first bytes of a regular file; None when there is none, it is no regular file or may not be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        # Not blocking, and looked at again: what the name stands for may have been exchanged meanwhile.
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    with os.fdopen(handle, "rb") as file:
        try:
            return file.read(most) if stat.S_ISREG(os.fstat(handle).st_mode) else None
        except OSError:
            return None
