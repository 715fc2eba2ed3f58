"""Folders only their owner can enter, each level of them, whatever the umask says.

Owns nothing but the making. Invariant: a folder that was there keeps its mode; one that is made has 0700 before
anything is in it.
"""

from __future__ import annotations

from pathlib import Path

PRIVATE = 0o700


def make_private(folder: Path) -> None:
    """Makes a folder with those above it, as far as they are missing.

    Raises: OSError.
    """
    missing = []
    above = folder
    while not above.exists():
        missing.append(above)
        above = above.parent
    for one in reversed(missing):
        one.mkdir(mode=PRIVATE, exist_ok=True)
        one.chmod(PRIVATE)  # a umask may have taken the owner's own rights, too
