"""The machine's clock, behind the Clock port. The only place that asks the system for the wall-clock time."""

from __future__ import annotations

import time


class SystemClock:
    """Tells the machine's time; steps when the machine's clock is set."""

    def now_us(self) -> int:
        """Microseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1000
