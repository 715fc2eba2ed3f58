"""The spool: what shells kept while no daemon ran, taken in later.

Owns where it is, how large it may grow and its lock; `surfaces/shell/send.py`, which loads nothing, writes it with the
same name and bound. It stands in the runtime folder, in memory where the system has such a place. Invariant: what was
taken is gone from it, and what is broken in it is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from palazzo.files import raw_files
from palazzo.files.forks import FileLock

FILE: Final = "spool"
LOCK: Final = "spool.lock"


def take(runtime: Path) -> list[dict[str, Any]]:
    """Everything in the spool, which is gone afterwards."""
    path = runtime / FILE
    if not path.is_file():
        return []
    with FileLock(runtime / LOCK).held():
        found = list(_events(raw_files.content(path)))
        path.unlink()
    return found


def drop(runtime: Path) -> None:
    """Removes the spool unread."""
    (runtime / FILE).unlink(missing_ok=True)


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue  # a process that was killed while it wrote
        if isinstance(found, dict):
            yield found
