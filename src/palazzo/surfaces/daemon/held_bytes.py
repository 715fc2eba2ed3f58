"""How many bytes of requests a daemon holds at once, over all its doors.

Owns the count. A door charges bytes as they come and gives them back when the request is answered; what a client only
announces costs nothing. Invariant: never more is held than the limit; who does not fit is refused and not queued.
"""

from __future__ import annotations

import threading


class HeldBytes:
    """The count of one daemon. Threads and the event loop share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Charges so many bytes; False, and nothing is charged, when they do not fit."""
        with self._lock:
            if self._held + size > self._most:
                return False
            self._held += size
            return True

    def give(self, size: int) -> None:
        """Gives bytes back."""
        with self._lock:
            self._held -= size
