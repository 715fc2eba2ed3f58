"""The fixed clock moves only when told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from palazzo.ports import Clock
from palazzo.testing.clock import FixedClock


def test_the_clock_stands_still() -> None:
    clock: Clock = FixedClock()
    assert {clock.now_us() for _ in range(100)} == {FixedClock.START_US}


def test_microseconds_and_datetime_tell_the_same_moment() -> None:
    clock = FixedClock()
    assert clock.now() == FixedClock.START == datetime.fromtimestamp(clock.now_us() / 1e6, tz=UTC)


def test_the_clock_starts_where_it_is_told() -> None:
    moment = datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert FixedClock(moment).now() == FixedClock(FixedClock(moment).now_us()).now() == moment


@given(st.integers(-(10**14), 10**14), st.integers(-(10**14), 10**14))
def test_steps_add_up_to_the_microsecond(first: int, second: int) -> None:
    clock = FixedClock()
    clock.advance(microseconds=first)
    assert clock.advance(microseconds=second) == FixedClock.START_US + first + second == clock.now_us()


def test_steps_of_several_units_are_one_step() -> None:
    clock = FixedClock()
    clock.advance(days=1, hours=2, minutes=3, seconds=4.5)
    assert clock.now() - FixedClock.START == timedelta(days=1, hours=2, minutes=3, seconds=4.5)


def test_the_clock_can_be_set() -> None:
    clock = FixedClock()
    clock.set(datetime(2030, 1, 1, tzinfo=UTC))
    assert clock.now().year == 2030
    clock.set(0)
    assert clock.now() == datetime(1970, 1, 1, tzinfo=UTC)
