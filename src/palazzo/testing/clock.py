"""A clock that stands still until it is told to move.

Owns one number. Invariant: two calls of `now_us` without a move in between give the same answer.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import ClassVar

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class FixedClock:
    """Implements the Clock port with a time that only the test changes; safe to share between threads."""

    # A Monday at noon: no day, week or month is near its end.
    START: ClassVar[datetime] = datetime(2025, 6, 16, 12, 0, tzinfo=UTC)
    START_US: ClassVar[int] = (START - _EPOCH) // _MICROSECOND

    def __init__(self, start: datetime | int | None = None) -> None:
        """Stand at `start`, an aware datetime or microseconds since 1970, else at `START`."""
        self._lock = threading.Lock()
        self._now_us = _microseconds(self.START if start is None else start)

    def now_us(self) -> int:
        """Microseconds since 1970-01-01 UTC."""
        return self._now_us

    def now(self) -> datetime:
        """The same moment as an aware datetime."""
        return _EPOCH + timedelta(microseconds=self._now_us)

    def advance(
        self,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        microseconds: int = 0,
    ) -> int:
        """Move by this much, backwards if negative, and return the new time in microseconds."""
        step = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds, microseconds=microseconds)
        with self._lock:
            self._now_us += step // _MICROSECOND
            return self._now_us

    def set(self, moment: datetime | int) -> None:
        """Jump to this moment, an aware datetime or microseconds since 1970."""
        self._now_us = _microseconds(moment)


def _microseconds(moment: datetime | int) -> int:
    return moment if isinstance(moment, int) else (moment - _EPOCH) // _MICROSECOND
