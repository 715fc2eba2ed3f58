"""The machine's clock tells microseconds since 1970."""

from __future__ import annotations

import time

import pytest

from palazzo.adapters.system_clock import SystemClock
from palazzo.ports import Clock


def test_the_clock_tells_the_machines_time_in_whole_microseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_750_000_000_123_456_999)
    clock: Clock = SystemClock()
    assert clock.now_us() == 1_750_000_000_123_456
