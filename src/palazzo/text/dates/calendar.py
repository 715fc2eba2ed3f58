"""Calendar arithmetic on naive datetimes, and the expression with its readings that the grammar hands upward.

Owns what a week, quarter or decade is and how to step between them; the difference between a fixed range, a range that
comes round (every year, month or week) and an open one; and how readings are chosen and joined. Knows nothing of words
or of text. Weeks begin on Monday; a week belongs to the month or year that holds its Thursday. Ranges are (inclusive,
exclusive) and keep begin < finish; FLOOR and CEILING stand for an open side until the scanner turns them into None.
Steps outside years 1-9999 raise OverflowError or ValueError, which the scanner turns into "no expression here".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from palazzo.text.dates.words import HOLIDAYS, UNIT_MONTHS, Holiday

Range = tuple[datetime, datetime]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


def calendar_day(year: int, month: int, day: int) -> datetime:
    """Midnight of a day, without a zone: the scanner attaches the reference's.

    Raises: ValueError when there is no such day.
    """
    return datetime(year, month, day)  # noqa: DTZ001


def midnight(moment: datetime) -> datetime:
    """The beginning of the moment's day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_range(day: datetime) -> Range:
    """The whole day that holds the moment."""
    begin = midnight(day)
    return begin, begin + DAY


def add_months(moment: datetime, months: int) -> datetime:
    """The same day some months away, or the last day of a shorter month."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        raise OverflowError(f"year {year} is out of range")
    return moment.replace(year=year, month=month + 1, day=min(moment.day, month_days(year, month + 1)))


def month_days(year: int, month: int) -> int:
    """How many days the month has."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def months_range(year: int, month: int, count: int) -> Range:
    """A run of whole months."""
    begin = calendar_day(year, month, 1)
    return begin, add_months(begin, count)


def years_range(year: int, count: int = 1) -> Range:
    """A run of whole years."""
    return months_range(year, 1, 12 * count)


def week_range(day: datetime) -> Range:
    """The Monday-to-Sunday week that holds the day."""
    begin = midnight(day) - DAY * day.weekday()
    return begin, begin + WEEK


def weekend_range(day: datetime) -> Range:
    """Saturday and Sunday of the week that holds the day."""
    begin, finish = week_range(day)
    return begin + 5 * DAY, finish


def unit_range(unit: str, moment: datetime, step: int) -> Range:
    """The calendar unit that holds the moment, moved by `step` units."""
    if unit in UNIT_MONTHS:
        size = UNIT_MONTHS[unit]
        index = moment.year * 12 + moment.month - 1
        first = (index // size + step) * size
        return months_range(first // 12, first % 12 + 1, size)
    if unit == "week":
        return week_range(moment + WEEK * step)
    if unit == "workweek":
        begin, _ = week_range(moment + WEEK * step)
        return begin, begin + 5 * DAY
    if unit == "weekend":
        return weekend_range(moment + WEEK * step)
    if unit == "fortnight":
        begin, _ = week_range(moment + 2 * WEEK * step)
        return begin, begin + 2 * WEEK
    if unit in ("hour", "minute", "second"):
        size_of = {
            "hour": timedelta(hours=1),
            "minute": timedelta(minutes=1),
            "second": timedelta(seconds=1),
        }[unit]
        begin = moment.replace(microsecond=0)
        return (begin, begin + size_of) if step >= 0 else (begin - size_of, begin)
    return day_range(moment + DAY * step)


def nth_weekday(within: Range, weekday: int, nth: int) -> datetime | None:
    """The nth such weekday inside the range (-1 for the last), if there is one."""
    begin, finish = within
    if nth < 0:
        last = finish - DAY
        day = last - DAY * ((last.weekday() - weekday) % 7)
    else:
        day = begin + DAY * ((weekday - begin.weekday()) % 7) + WEEK * (nth - 1)
    return day if begin <= day < finish else None


def nth_weeks(within: Range, nth: int, count: int = 1) -> Range | None:
    """`count` weeks from the nth whose Thursday is inside the range; -1 counts from the end."""
    thursday = nth_weekday(within, 3, nth)
    if thursday is None:
        return None
    begin, finish = week_range(thursday)
    if nth < 0:
        return finish - WEEK * count, finish
    return begin, begin + WEEK * count


def add_business_days(day: datetime, count: int) -> datetime:
    """The day some working days away; whole weeks are stepped over at once."""
    sign = 1 if count >= 0 else -1
    weeks, left = divmod(abs(count), 5)
    result = day + WEEK * (weeks * sign)
    while left or result.weekday() > 4:
        result += DAY * sign
        if result.weekday() < 5 and left:
            left -= 1
    return result


def easter(year: int) -> datetime:
    """Western Easter Sunday, by the anonymous Gregorian algorithm."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return calendar_day(year, month, day + 1)


def holiday_range(name: Holiday, year: int) -> Range:
    """The day a holiday falls on in the year."""
    if len(name) == 3:
        month, weekday, nth = name
        day = nth_weekday(months_range(year, month, 1), weekday, nth)
        if day is None:
            raise ValueError("no such weekday")
        return day_range(day)
    first, second = name
    if isinstance(first, int):
        return day_range(calendar_day(year, first, second))
    base = easter(year) if first == "easter" else holiday_range(HOLIDAYS["thanksgiving",], year)[0]
    return day_range(base + DAY * second)


def part_range(whole: Range, unit: str, part: str, now: datetime) -> Range:
    """The early, middle or late part of a unit; "earlier" and "later" also stop or start at now."""
    begin, finish = whole
    early = mid_end = late = finish
    mid = begin
    if unit in ("week", "workweek"):
        early, mid, mid_end, late = begin + 3 * DAY, begin + DAY, begin + 5 * DAY, begin + 3 * DAY
    elif unit == "month":
        early, mid, mid_end, late = begin + 15 * DAY, begin + 9 * DAY, begin + 20 * DAY, begin + 15 * DAY
    elif unit in ("year", "decade", "century"):
        months = {"year": 12, "decade": 120, "century": 1200}[unit]
        early = late = add_months(begin, months // 2)
        mid, mid_end = add_months(begin, months // 3), add_months(begin, months * 2 // 3)
    elif unit in ("quarter", "season"):
        early, mid, mid_end, late = (add_months(begin, n) for n in (1, 1, 2, 2))
    else:
        half = (finish - begin) / 2
        early = late = begin + half
        mid, mid_end = begin + half / 2, finish - half / 2
    if part in ("early", "earlier"):
        return begin, min(early, max(now, begin + DAY)) if part == "earlier" else early
    if part == "mid":
        return mid, mid_end
    return (max(late, min(now, finish - DAY)) if part == "later" else late), finish


Kind = Literal["date", "time", "datetime", "period", "duration", "recurring"]

FLOOR = datetime.min  # noqa: DTZ901  (naive on purpose: a marker, never a moment)
CEILING = datetime.max  # noqa: DTZ901
_REACH = 40  # cycles looked through: enough for 29 February and for a weekday on a given day of the month

DEGREES: Final = frozenset({
    "about", "almost", "approximately", "around", "exactly", "just", "nearly", "only", "precisely", "roughly",
})  # fmt: skip
"""Words before a count that leave what it counts as it is."""


class Cycle(msgspec.Struct, frozen=True):
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


class Expression(msgspec.Struct, frozen=True, kw_only=True):
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
    loose: bool = False  # no day by itself: counted from something in the story ("two days later"), or up to an hour

    def mapped(self, change: Callable[[Range], Range]) -> Expression:
        """The same expression with both readings changed; it no longer comes round."""
        return replace(
            self,
            main=change(self.main) if self.main else None,
            alt=change(self.alt) if self.alt else None,
            cycle=None,
        )


class TimeOfDay(msgspec.Struct, frozen=True, kw_only=True):
    """A time of day, or a stretch of one, in seconds from midnight."""

    stop: int
    begin: int
    finish: int
    twelve: bool = False  # the other half of the day is as good a reading
    stretch: bool = False
    approximate: bool = False
    weak: bool = False  # only bare numbers: needs a date beside it


def cyclic(
    stop: int, kind: Kind, unit: str, cycle: Cycle, now: datetime, *, approximate: bool = False
) -> Expression | None:
    """An expression without its year, month or week: the nearest past and the next future one."""
    today = midnight(now)
    past = cycle.latest(today, same=cycle.step != "week")
    future = cycle.earliest(today, same=cycle.step == "week")
    if past is None and future is None:
        return None
    return Expression(
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


def joined(first: Expression, last: Expression, stop: int) -> Expression | None:
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
    return Expression(
        stop=stop,
        kind="period",
        unit=last.unit,
        main=readings[0],
        alt=readings[1] if len(readings) > 1 else None,
        tensed=len(readings) > 1,
        approximate=first.approximate or last.approximate,
        absolute=first.absolute and last.absolute,
    )


def with_clock(day: Expression, clock: TimeOfDay, stop: int) -> Expression | None:
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
    return Expression(
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
