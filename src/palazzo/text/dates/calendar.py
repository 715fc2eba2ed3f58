"""Calendar arithmetic on naive datetimes: units, weeks, nth weekdays, movable feasts.

Owns what a week, quarter or decade is and how to step between them. Knows nothing of words or of text.
Weeks begin on Monday; a week belongs to the month or year that holds its Thursday. Ranges are (inclusive,
exclusive). Steps outside years 1-9999 raise OverflowError or ValueError, which the scanner turns into "no
expression here".
"""

from __future__ import annotations

from datetime import datetime, timedelta

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
