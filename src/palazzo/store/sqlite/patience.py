"""How SQLite waits for a lock that another process holds. Knows nothing of who holds it, or why."""

from __future__ import annotations

import random
import time
from collections.abc import Callable


def patient(wait_s: float) -> Callable[[int], bool]:
    """A busy handler that retries with short, jittered naps: SQLite's own table of sleeps is slow and unfair."""

    def handler(tries: int) -> bool:
        nap = min(0.0005 * (tries + 1), 0.005) * (0.5 + random.random())
        time.sleep(nap)
        return tries * 0.003 < wait_s

    return handler
