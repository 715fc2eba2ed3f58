"""Grammar of single days: numeric and written dates, weekdays, "the 5th", holidays, "tomorrow".

Owns every way to name one day without an amount of time ("two days ago" is in `offsets`). Knows
nothing of times of day. A date that does not exist in the calendar is not an expression.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from palazzo.text.dates.calendar import (
    DAY,
    Expression,
    Range,
    add_months,
    calendar_day,
    cyclic,
    day_of_month,
    day_range,
    midnight,
    nearest_weekday,
    nth_weekday,
    on_weekday,
    unit_range,
    weekly,
    yearly,
)
from palazzo.text.dates.lex import (
    DateTokens,
    cardinal,
    full_year,
    month_at,
    ordinal,
    step_at,
    weekday_at,
    year_at,
)
from palazzo.text.dates.named import digit_groups, holiday, named_period, plain_period, year_reference
from palazzo.text.dates.words import CLAUSE_ENDS, DAY_WORDS, MONTHS, UNITS
from palazzo.text.words.lexicon import page

_PAGE: Final = page("dates")

_SEPARATORS = ("-", "/", ".")
_FRACTION_FREE = _PAGE.words("fraction_free")
_DAY_CUES = frozenset({"on", "the", "for", "by", "until", "till", "since", "before", "after", "from", "around", "to"})


def day(t: DateTokens, i: int) -> Expression | None:
    """The longest day expression at i."""
    return t.longest("day", i, (_worded, _written, _numeric, _weekday, _nth_weekday, holiday, _numbered))


def _fixed(span: Range, stop: int, *, absolute: bool = False) -> Expression:
    return Expression(stop=stop, kind="date", main=span, absolute=absolute)


def _dated(t: DateTokens, month: int, day_number: int, year: int | None, stop: int) -> Expression | None:
    """A month and day, of a known year or of the nearest ones."""
    if not 1 <= month <= 12 or not 1 <= day_number <= 31:
        return None
    if year is None:
        return cyclic(stop, "date", "day", yearly(lambda y: day_range(calendar_day(y, month, day_number))), t.now)
    try:
        return _fixed(day_range(calendar_day(year, month, day_number)), stop, absolute=True)
    except ValueError:
        return None


def _worded(t: DateTokens, i: int) -> Expression | None:
    """today, yesterday, the day after tomorrow, the next day, the other day."""
    word = t.words[i]
    today = midnight(t.now)
    if word in DAY_WORDS:
        return _fixed(day_range(today + DAY * DAY_WORDS[word]), i + 1)
    j = i + 1 if word == "the" else i
    word, after = t.words[j], t.words[j + 1]
    if word == "day" and after in ("after", "before") and t.words[j + 2] in ("tomorrow", "yesterday", "tmrw"):
        sign = 1 if after == "after" else -1
        return _fixed(day_range(today + DAY * (DAY_WORDS[t.words[j + 2]] + sign)), j + 3)
    if word in ("next", "following", "previous") and after == "day" and t.words[j + 2] != "of":
        found = _fixed(day_range(today + DAY * (-1 if word == "previous" else 1)), j + 2)
        return replace(found, approximate=True, loose=True)
    if word == "this" and after == "time" and (step := step_at(t, j + 2)) and t.words[step.stop] in UNITS:
        unit = t.words[step.stop]
        if unit in ("week", "month", "year") and step.value:
            months = {"month": 1, "year": 12}.get(unit, 0) * step.value
            moved = add_months(today, months) if months else today + 7 * DAY * step.value
            return replace(_fixed(day_range(moved), step.stop + 1), approximate=True)
    if word == "other" and after == "day" and j > i:
        return Expression(stop=j + 2, kind="period", main=(today - 7 * DAY, today), approximate=True)
    return None


def _day_number(t: DateTokens, i: int) -> tuple[int, int] | None:
    """A day of the month after or before a month's name, in any spelling."""
    at = ordinal(t, i)
    if at is None:
        at = cardinal(t, i)
        if at and (len(t.words[i]) > 2 and t.words[i].isdecimal()):
            return None
        if at and t.words[at[1]] in (":", "%") and t.glued(at[1]):
            return None
    elif t.words[at[1]] == "day" and t.words[at[1] + 1] in ("of", "in"):
        at = at[0], at[1] + 1
    return at if at and 1 <= at[0] <= 31 else None


def _year_after(t: DateTokens, i: int, *, dashed: bool = False) -> tuple[int | None, int]:
    """The year that completes a written date, if one follows."""
    j = i + 1 if t.words[i] in (",", "of", "in", "-", "/") or (t.words[i] == "." and t.glued(i)) else i
    if t.words[j] == "," and j > i:
        j += 1
    at = year_at(t, j)
    if at:
        return at
    if t.words[i] == "of" and t.words[j].isdecimal() and len(t.words[j]) == 2:
        return full_year(int(t.words[j]))[0], j + 1
    if dashed and t.words[i] in ("-", "/") and t.glued(j) and t.words[j].isdecimal() and len(t.words[j]) == 2:
        return full_year(int(t.words[j]))[0], j + 1
    if t.words[j] in ("this", "last", "next", "the"):
        found = year_reference(t, j)
        if found and found.main:
            return found.main[0].year, found.stop
    return None, i


def _written(t: DateTokens, i: int) -> Expression | None:
    """Dates with the month in letters, in any order: "May 5, 2021", "the 5th of May", "2019-Sep-01"."""
    j = i + 1 if t.words[i] == "the" else i
    month = month_at(t, j)
    if month:
        return _month_first(t, j, month)
    word = t.words[j]
    if word.isdecimal() and len(word) == 4 and t.words[j + 1] in ("-", "/") and t.words[j + 2] in MONTHS:
        if t.words[j + 3] in ("-", "/") and (at := _day_number(t, j + 4)):
            return _dated(t, MONTHS[t.words[j + 2]], at[0], int(word), at[1])
        return None
    if word.isdecimal() and len(word) == 4 and t.words[j + 1] in ("-", "/") and t.words[j + 4] in MONTHS:
        at = _day_number(t, j + 2)
        return _dated(t, MONTHS[t.words[j + 4]], at[0], int(word), j + 5) if at and at[1] == j + 3 else None
    at = _day_number(t, j)
    if at is None or (j and (t.words[j - 1] in ("$", "£", "€") or (t.words[j - 1] == "." and t.glued(j)))):
        return None
    number, k = at
    if t.words[k] in ("of", "-", "/", "."):
        if t.words[k] == "of" and t.words[k + 1] in ("the", "this", "last", "next", "previous", "current"):
            return _day_of_period(t, number, k + 1)
        k += 1
    elif t.words[k] in ("this", "last", "next", "of"):
        return _day_of_period(t, number, k)
    if t.words[k].isdecimal() and len(t.words[k]) == 4 and t.words[k + 2] in MONTHS:
        return _dated(t, MONTHS[t.words[k + 2]], number, int(t.words[k]), k + 3)
    month = MONTHS.get(t.words[k], 0)
    if not month or (t.words[k] in ("may", "march") and not month_at(t, k)):
        return None
    k += 1
    if t.words[k] == "." and t.glued(k) and t.words[k + 1].isdecimal():
        k += 1
    year, stop = _year_after(t, k, dashed=t.words[at[1]] in ("-", "/"))
    return _dated(t, month, number, year, stop)


def _month_first(t: DateTokens, i: int, month: int) -> Expression | None:
    j = i + 1
    if t.words[j] == "." and t.glued(j):
        j += 1
    dashed = t.words[j] in ("-", "/")
    if dashed or t.words[j] == ",":
        if t.words[j + 1].isdecimal() and len(t.words[j + 1]) == 4 and t.words[j + 2] == t.words[j] != ",":
            at = _day_number(t, j + 3)
            return _dated(t, month, at[0], int(t.words[j + 1]), at[1]) if at else None
        j += 1
    if t.words[j] == "the":
        j += 1
    at = _day_number(t, j)
    if at is None:
        return None
    number, j = at
    if t.words[j] == "s" and t.glued(j):
        return None
    year, stop = _year_after(t, j, dashed=dashed)
    return _dated(t, month, number, year, stop)


def _day_of_period(t: DateTokens, number: int, i: int) -> Expression | None:
    """As in "the 21st of this month", "the 31st day of the month"."""
    if t.words[i] == "the" and t.words[i + 1] == "month":
        step, stop = 0, i + 2
    else:
        found = step_at(t, i)
        if found is None or t.words[found.stop] != "month":
            return None
        step, stop = found.value, found.stop + 1
    begin, _ = unit_range("month", t.now, step)
    try:
        return _fixed(day_range(begin.replace(day=number)), stop)
    except ValueError:
        return None


def _numeric(t: DateTokens, i: int) -> Expression | None:
    """2023-05-07, 5/7/2023, 7.5.2023, 20230507, 4/22."""
    first = t.words[i]
    j = i
    if first in ("this", "next", "last") and t.words[i + 2] == "/":
        j, first = i + 1, t.words[i + 1]
    if not first.isdecimal() or (j and t.glued(j) and t.words[j - 1] in ("$", "£", "€", "+", ":")):
        return None
    if len(first) == 8 and "1" <= first[0] <= "2":
        return _dated(t, int(first[4:6]), int(first[6:]), int(first[:4]), j + 1)
    if len(first) > 4 or len(first) == 3:
        return None
    separator, second = t.words[j + 1], t.words[j + 2]
    if not second.isdecimal() or len(second) > 2:
        return _spaced(t, j)
    if separator not in _SEPARATORS:
        return _spaced(t, j)
    third = t.words[j + 4]
    chained = t.words[j + 3] == separator or (t.words[j + 3] == "," and separator == "/" and t.glued(j + 4))
    if chained and third.isdecimal() and len(third) in (1, 2, 4) and digit_groups(t, j, separator) <= 3:
        return _three_numbers(t, (first, second, third), separator, j + 5)
    if digit_groups(t, j, separator) != 2 or len(first) > 2 or not (t.glued(j + 1) and t.glued(j + 2)):
        return None
    before = t.words[j - 1] if j else ""
    if separator != "/" and before != "on" and not (separator == "." and j and weekday_at(t, j - 1) is not None):
        return None
    if t.words[j + 3] in ("%", "cup", "cups", "of") or (t.glued(j + 3) and t.words[j + 3][:1].isalpha()):
        return None
    if len(first) == len(second) == 1 and first < second and before not in _FRACTION_FREE:
        return None  # more likely a fraction
    month, number = _order(t, int(first), int(second))
    year = year_at(t, j + 4) if t.words[j + 3] == "," and separator == "/" else None
    if year:
        return _dated(t, month, number, *year)
    found = _dated(t, month, number, None, j + 3)
    if found and j > i and found.main and found.alt:
        return replace(found, main=found.alt, alt=found.main, tensed=False) if t.words[i] == "next" else found
    return found


def _spaced(t: DateTokens, i: int) -> Expression | None:
    """2016 10 16, with nothing but spaces."""
    year, month, number = t.words[i : i + 3]
    if len(year) == 4 and month.isdecimal() and number.isdecimal() and len(month) == len(number) == 2:
        return _dated(t, int(month), int(number), int(year), i + 3) if "1000" <= year < "3000" else None
    return None


def _order(t: DateTokens, first: int, second: int) -> tuple[int, int]:
    """Month and day: month first unless asked otherwise or impossible."""
    day_first = (t.day_first and second <= 12) or first > 12
    return (second, first) if day_first else (first, second)


def _three_numbers(t: DateTokens, parts: tuple[str, str, str], separator: str, stop: int) -> Expression | None:
    first, second, third = parts
    if len(first) == 4:
        if len(third) == 4 or not "1000" <= first < "3000":
            return None
        return _dated(t, int(second), int(third), int(first), stop)
    if len(third) == 1 or (separator == "." and len(third) == 2 and len(first) + len(second) < 4):
        return None
    month, number = _order(t, int(first), int(second))
    if separator == "." and int(second) <= 12:
        month, number = int(second), int(first)  # dotted dates are written day first everywhere
    if len(third) == 4:
        return _dated(t, month, number, int(third), stop) if "1000" <= third < "3000" else None
    year, other = full_year(int(third))
    found = _dated(t, month, number, year, stop)
    if found and other:
        second_reading = _dated(t, month, number, other, stop)
        return replace(found, alt=second_reading.main) if second_reading else found
    return found


def _weekday(t: DateTokens, i: int) -> Expression | None:
    """Friday, last Friday, Friday the 13th, Friday next week, next week on Friday, Friday 5 May, Friday week."""
    if after := _week_after_next(t, i):
        k = after + (t.words[after] == ",")
        k += t.words[k] == "on"
        k += t.words[k] == "the"
        weekday = weekday_at(t, k)
        return None if weekday is None else _fixed(on_weekday(unit_range("week", t.now, 2), weekday), k + 1)
    step = step_at(t, i) if t.words[i] not in ("my", "our") else None
    j = step.stop if step else i + 1 if t.words[i] == "the" else i
    if step and t.words[j] == "week":
        k = j + 2 if t.words[j + 1] in ("on", ",", "'s") else j + 1
        weekday = weekday_at(t, k)
        if weekday is None:
            return None
        return _fixed(on_weekday(unit_range("week", t.now, step.value), weekday), k + 1)
    weekday = weekday_at(t, j)
    if weekday is None:
        return None
    j += 1
    k = j + 1 if t.words[j] in (",", "(", "-", ".") else j
    for reader in (_written, _numeric):
        written = reader(t, k)
        if written:
            closing = t.words[written.stop] == ")" and t.words[j] == "("
            return replace(written, stop=written.stop + closing)
    if step is None:
        numbered = _weekday_number(t, weekday, j)
        if numbered:
            return numbered
        later = step_at(t, j + 1 if t.words[j] in ("of", ",", "in") else j)
        if later and t.words[later.stop] == "week" and later.word not in ("the", "past"):
            return _fixed(on_weekday(unit_range("week", t.now, later.value), weekday), later.stop + 1)
        if after := _week_after_next(t, j + 1 if t.words[j] in ("of", ",", "in") else j):
            return _fixed(on_weekday(unit_range("week", t.now, 2), weekday), after)
        further = t.words[j : j + 2] == ["after", "next"] and t.words[j + 2] not in UNITS  # "the Friday after next"
        if further or (t.words[j] in _WEEKS and not t.words[j + 1].isdecimal()):
            near = weekly(weekday).earliest(midnight(t.now), same=False)
            days, stop = (7, j + 2) if further else (_WEEKS[t.words[j]], j + 1)
            return _fixed(day_range(near[0] + DAY * days), stop) if near else None
        return cyclic(j, "date", "day", weekly(weekday), t.now)
    if step.word == "this past":
        return _fixed(nearest_weekday(weekday, t.now, -1)[0], j)
    if step.word in ("this coming", "coming", "upcoming"):
        near = weekly(weekday).earliest(midnight(t.now), same=False)
        return _fixed(near, j) if near else None
    main, alt = nearest_weekday(weekday, t.now, step.value)
    return Expression(stop=j, kind="date", main=main, alt=alt)


_WEEKS: Final = {"week": 7, "fortnight": 14}
"""Behind a weekday: "Saturday week" is the one after the coming Saturday."""


def _week_after_next(t: DateTokens, i: int) -> int:
    """Where "the week after next" ends; 0 where it does not stand."""
    i += t.words[i] == "the"
    return i + 3 if t.words[i : i + 3] == ["week", "after", "next"] else 0


_OFTEN: Final = frozenset({"once", "twice", "times", "days", "hours", "nights", "day", "hour", "night", "for"})
"""Before a number of weeks that says how often or how long: "twice a week on Friday" is no day."""


NEAR: Final = frozenset({"today", "tomorrow"})
"""Days that weeks are counted on from without a word between."""
_GONE: Final = frozenset({"been", "had", "gone"})


def counts_on(t: DateTokens, i: int, k: int, unit: str) -> bool:
    """Whether weeks from i on are counted on from the weekday after k, or from the day at k: "a week on Saturday", "a
    fortnight today", and not "it's been two weeks today"."""
    if t.words[k] in NEAR:
        return unit in _WEEKS and t.words[k + 1] != "since" and _GONE.isdisjoint(t.words[max(0, i - 4) : i])
    return t.words[k] == "on" and unit in _WEEKS and weekday_at(t, k + 1) is not None and t.words[i - 1] not in _OFTEN


def _weekday_number(t: DateTokens, weekday: int, i: int) -> Expression | None:
    """The day of the month after a weekday: "Friday the 13th", "Tue 13th", "Monday 21"."""
    j = i + 1 if t.words[i] == "the" else i
    at = ordinal(t, j)
    if at is None:
        word = t.words[j]
        after = t.words[j + 1]
        if not word.isdecimal() or len(word) != 2 or word < "13" or after in (":", "-", "am", "pm", ".", "/"):
            return None
        if after in UNITS:
            return None
        at = int(word), j + 1
    if not 1 <= at[0] <= 31:
        return None
    cycle = day_of_month(at[0], weekday)
    this_month = cycle.earliest(midnight(t.now).replace(day=1))
    if this_month and this_month[0].month == t.now.month and this_month[0].year == t.now.year:
        return _fixed(this_month, at[1])
    return cyclic(at[1], "date", "day", cycle, t.now)


def _nth_weekday(t: DateTokens, i: int) -> Expression | None:
    """The first Friday of next month, the last Monday of May, the last day of June, the third Tuesday."""
    j = i + 1 if t.words[i] == "the" else i
    at = (-1, j + 1) if t.words[j] == "last" else ordinal(t, j)
    if at is None or at[0] > 31:
        return None
    nth, j = at
    weekday = weekday_at(t, j)
    if weekday is None and t.words[j] != "day":
        return None
    j += 1
    if t.words[j] in ("of", "in"):
        whole = named_period(t, j + 1) or plain_period(t, j + 1)
        if whole is None and t.words[j + 1 : j + 3] == ["the", "month"]:
            whole = Expression(stop=j + 3, kind="period", unit="month", main=unit_range("month", t.now, 0))
        if whole is None or whole.unit not in ("month", "year", "quarter"):
            return None
        if weekday is not None:
            return _inside(whole, lambda span: nth_weekday(span, weekday, nth))
        return _inside(whole, lambda span: span[1] - DAY if nth < 0 else span[0] + DAY * (nth - 1))
    if weekday is None or nth < 0 or nth > 5:
        return None
    chosen = nth_weekday(unit_range("month", t.now, 0), weekday, nth)
    return _fixed(day_range(chosen), j) if chosen else None


def _inside(whole: Expression, pick: Callable[[Range], datetime | None]) -> Expression | None:
    """The day picked in each reading of the whole."""
    days = [pick(span) if span else None for span in (whole.main, whole.alt)]
    ranges = [day_range(found) for found, span in zip(days, (whole.main, whole.alt), strict=True) if found and span]
    if not ranges:
        return None
    return replace(
        whole,
        kind="date",
        unit="day",
        main=ranges[0],
        alt=ranges[1] if len(ranges) > 1 else None,
        tensed=whole.tensed and len(ranges) > 1,
        cycle=None,
    )


def _numbered(t: DateTokens, i: int) -> Expression | None:
    """As in "the 5th", "on 15", "the twenty second": a day of the month with nothing else."""
    article = t.words[i] == "the"
    j = i + 1 if article else i
    before = t.words[i - 1] if i else ""
    at = ordinal(t, j)
    if at is None:
        word = t.words[j]
        at = cardinal(t, j) if word.isdecimal() else None
        if at is None or len(word) > 2 or not (before == "on" or (article and before in _DAY_CUES)):
            return None
        if i and "\n" in t.text[t.ends[i - 1] : t.starts[i]]:
            return None  # the number of a list item
        if t.words[j + 1][:1].isalpha() and t.words[j + 1] not in (
            "at",
            "from",
            "and",
            "to",
            "between",
            "or",
        ):
            return None
        if t.glued(j + 1) and t.words[j + 1] in (":", "/", "-", "%", ".") and t.words[j + 2].isdecimal():
            return None
    elif not (
        (article and (before in _DAY_CUES or t.words[j].isdecimal()))
        or before in ("on", "by", "until", "till", "since")
    ):
        return None
    number, stop = at
    after = t.words[stop]
    if not 1 <= number <= 31 or (after[:1].isalpha() and after not in _AFTER_NUMBER):
        return None
    if after in ("-", "%") and t.glued(stop):
        return None
    if not t.words[j].isdecimal() and number < 4 and after not in CLAUSE_ENDS:
        return None  # "the first", "the second" name things more often than days
    return cyclic(stop, "date", "day", day_of_month(number), t.now)


_AFTER_NUMBER = _PAGE.words("after_number")


def bare_ordinal(t: DateTokens, i: int) -> Expression | None:
    """A day of the month that closes a range of days: "April 9th through 17th", "... to the third"."""
    j = i + 1 if t.words[i] == "the" else i
    at = ordinal(t, j) or (cardinal(t, j) if t.words[j].isdecimal() and len(t.words[j]) <= 2 else None)
    if at is None or not 1 <= at[0] <= 31 or t.words[at[1]] in UNITS:
        return None
    return cyclic(at[1], "date", "day", day_of_month(at[0]), t.now)
