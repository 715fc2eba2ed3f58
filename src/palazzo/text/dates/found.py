"""What the grammar hands upward: an expression with its readings, and how readings are chosen and joined.

Owns the difference between a fixed range, a range that comes round (every year, month or week) and an open
one. Knows nothing of words. FLOOR and CEILING stand for an open side until the scanner turns them into
None; every range keeps begin < finish.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from palazzo.text.dates.calendar import DAY, WEEK, Range, day_range, midnight

Kind = Literal["date", "time", "datetime", "period", "duration", "recurring"]

FLOOR = datetime.min  # noqa: DTZ901  (naive on purpose: a marker, never a moment)
CEILING = datetime.max  # noqa: DTZ901
_REACH = 40  # cycles looked through: enough for 29 February and for a weekday on a given day of the month


@dataclass(frozen=True, slots=True)
class Cycle:
    """A range that comes round: `make` gives the one of a year, a month or a week, by running number."""

    step: Literal["year", "month", "week"]
    make: Callable[[int], Range | None]

    def _number(self, moment: datetime) -> int:
        if self.step == "year":
            return moment.year
        if self.step == "month":
            return moment.year * 12 + moment.month - 1
        return (moment.toordinal() - 1) // 7

    def latest(self, limit: datetime, *, same: bool = True) -> Range | None:
        """The last one that begins before the limit, or at it when `same`."""
        number = self._number(limit)
        for k in range(number, number - _REACH, -1):
            made = self._make(k)
            if made and (made[0] < limit or (same and made[0] == limit)):
                return made
        return None

    def earliest(self, limit: datetime, *, same: bool = True) -> Range | None:
        """The first one that begins after the limit, or at it when `same`."""
        number = self._number(limit)
        for k in range(number, number + _REACH):
            made = self._make(k)
            if made and (made[0] > limit or (same and made[0] == limit)):
                return made
        return None

    def _make(self, number: int) -> Range | None:
        try:
            return self.make(number)
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One expression: where it stops, what it is, its reading and possibly a second one."""

    stop: int
    kind: Kind
    unit: str = "day"
    main: Range | None = None
    alt: Range | None = None
    tensed: bool = False  # main is the past reading and alt the future one
    cycle: Cycle | None = None
    duration_s: int | None = None
    approximate: bool = False
    absolute: bool = False  # the reference plays no part
    loose: bool = False  # likely counted from something else in the story: "two days later", "the week"

    def mapped(self, change: Callable[[Range], Range]) -> Found:
        """The same expression with both readings changed; it no longer comes round."""
        return replace(
            self,
            main=change(self.main) if self.main else None,
            alt=change(self.alt) if self.alt else None,
            cycle=None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A time of day, or a stretch of one, in seconds from midnight."""

    stop: int
    begin: int
    finish: int
    twelve: bool = False  # the other half of the day is as good a reading
    stretch: bool = False
    approximate: bool = False
    weak: bool = False  # only bare numbers: needs a date beside it


def cyclic(stop: int, kind: Kind, unit: str, cycle: Cycle, now: datetime, *, approximate: bool = False) -> Found | None:
    """An expression without its year, month or week: the nearest past and the next future one."""
    today = midnight(now)
    past = cycle.latest(today, same=cycle.step != "week")
    future = cycle.earliest(today, same=cycle.step == "week")
    if past is None and future is None:
        return None
    return Found(
        stop=stop,
        kind=kind,
        unit=unit,
        main=past or future,
        alt=future if past else None,
        tensed=past is not None and future is not None,
        cycle=cycle,
        approximate=approximate,
    )


def yearly(make: Callable[[int], Range | None]) -> Cycle:
    """Comes round every year."""
    return Cycle("year", make)


def day_of_month(day: int, weekday: int | None = None) -> Cycle:
    """Comes round every month that has the day, or has it on the weekday."""

    def make(number: int) -> Range | None:
        moment = datetime(number // 12, number % 12 + 1, day)  # noqa: DTZ001
        return day_range(moment) if weekday is None or moment.weekday() == weekday else None

    return Cycle("month", make)


def weekly(weekday: int) -> Cycle:
    """Comes round every week."""

    def make(number: int) -> Range:
        return day_range(datetime.fromordinal(number * 7 + 1 + weekday))

    return Cycle("week", make)


def joined(first: Found, last: Found, stop: int) -> Found | None:
    """The range from one expression through the end of another; the known one fixes the other's year."""
    if first.main is None or last.main is None:
        return None
    readings: list[Range] = []
    if first.cycle and last.cycle:
        for start in (first.main, first.alt):
            end = last.cycle.earliest(start[0]) if start else None
            if start and end:
                readings.append((start[0], end[1]))
    elif first.cycle:
        start = first.cycle.latest(last.main[0])
        if start:
            readings.append((start[0], last.main[1]))
    elif last.cycle:
        end = last.cycle.earliest(first.main[0])
        if end:
            readings.append((first.main[0], end[1]))
    else:
        for start in (first.main, first.alt):
            readings += [(start[0], end[1]) for end in (last.main, last.alt) if start and end]
    if last.kind in ("time", "datetime"):
        readings = [(begin, end - (last.main[1] - last.main[0])) for begin, end in readings]
    readings = [reading for reading in readings if reading[0] < reading[1]]
    if not readings:
        return None
    return Found(
        stop=stop,
        kind="period",
        unit=last.unit,
        main=readings[0],
        alt=readings[1] if len(readings) > 1 else None,
        tensed=len(readings) > 1,
        approximate=first.approximate or last.approximate,
        absolute=first.absolute and last.absolute,
    )


def with_clock(day: Found, clock: Clock, stop: int) -> Found | None:
    """The day narrowed to a time; a second reading is the other day, else the other half of the day."""
    if day.main is None:
        return None
    begin, finish = timedelta(seconds=clock.begin), timedelta(seconds=clock.finish)
    half = timedelta(hours=12 if clock.begin < 43200 else -12)
    base = midnight(day.main[0])
    main = base + begin, base + finish
    alt: Range | None = None
    tensed = False
    if day.alt:
        other = midnight(day.alt[0])
        alt, tensed = (other + begin, other + finish), day.tensed
    elif clock.twelve:
        alt = main[0] + half, main[1] + half
    return Found(
        stop=stop,
        kind="period" if clock.stretch else "datetime",
        unit="hour",
        main=main,
        alt=alt,
        tensed=tensed,
        approximate=day.approximate or clock.approximate,
        absolute=day.absolute,
    )


def on_weekday(within: Range, weekday: int) -> Range:
    """The weekday inside the Monday-to-Sunday week that begins the range."""
    return day_range(within[0] + DAY * weekday)


def nearest_weekday(weekday: int, now: datetime, step: int) -> tuple[Range, Range | None]:
    """As in "last Friday": the nearest past one, or next week's; the other way to count is kept."""
    today = midnight(now)
    monday = today - DAY * today.weekday()
    by_week = day_range(monday + WEEK * step + DAY * weekday)
    if step == 0:
        return by_week, None
    if step < 0:
        nearest = day_range(today - DAY * ((today.weekday() - weekday - 1) % 7 + 1))
        return nearest, (by_week if by_week != nearest else None)
    nearest = day_range(today + DAY * ((weekday - today.weekday() - 1) % 7 + 1))
    return by_week, (nearest if by_week != nearest else None)
