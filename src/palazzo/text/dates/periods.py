"""Grammar of periods made from other periods or days: "early June", "the first week of May", "the rest of the
year".

Owns parts, counted weeks and months, weeks around a day, and the bare "the weekend". Knows nothing of times
of day. Every reader returns both readings of what it builds on.
"""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from palazzo.text.dates.calendar import (
    DAY,
    Cycle,
    Expression,
    Range,
    add_months,
    midnight,
    nth_weekday,
    nth_weeks,
    part_range,
    unit_range,
    week_range,
    weekend_range,
    years_range,
)
from palazzo.text.dates.days import day
from palazzo.text.dates.lex import DateTokens, amount, cardinal, month_at, ordinal
from palazzo.text.dates.named import named_period, plain_period, turned_amount, year_reference
from palazzo.text.dates.words import CLAUSE_ENDS, FUZZ, UNITS
from palazzo.text.words.lexicon import ENGLISH

_ARTICLES = frozenset({"the", "my", "our", "this", "current"})
_CURRENT = _ARTICLES | {"of"}  # "end of year"
_WHOLE_UNITS = frozenset({"week", "weekend", "month", "quarter", "year", "decade", "century"})
_LEAN = frozenset({"for", "during", "in", "over", "all", "this", "through", "throughout"})


def period(t: DateTokens, i: int) -> Expression | None:
    """The longest period at i."""
    return t.longest("period", i, _READERS)


def _whole(t: DateTokens, i: int) -> Expression | None:
    """A period that can be cut into parts: a plain one, or "the week" meaning the current one."""
    unit = UNITS.get(t.words[i + 1]) if t.words[i] in _CURRENT else None
    if unit in _WHOLE_UNITS and t.words[i] != "this" and unit:
        return Expression(stop=i + 2, kind="period", unit=unit, main=unit_range(unit, t.now, 0))
    return plain_period(t, i)


def _part(t: DateTokens, i: int) -> Expression | None:
    """Early, mid or late in a period: "early next week", "the end of May", "later this year", "mid-2021"."""
    j = i + 1 if t.words[i] == "the" else i
    part = FUZZ.get(t.words[j])
    if part is None:
        return None
    noun = t.words[j] in ("start", "end", "beginning", "middle")
    j += 1
    linked = t.words[j] in (("of",) if noun else ("-", "of", "in"))
    if linked:
        j += 1
    if t.words[j] == "part" and t.words[j + 1] == "of":
        j, linked = j + 2, True
    if t.words[j - 1] == "in" and t.words[j] not in _ARTICLES:
        return None
    if not linked and noun:
        return None
    whole = _whole(t, j - 1 if noun and t.words[j] in _WHOLE_UNITS else j) or _nth_unit(t, j)
    if whole is None or whole.main is None:
        return None
    now = midnight(t.now)
    spoken_end = whole.absolute and whole.unit == "year" and linked and part in ("early", "late")

    def cut(span: Range) -> Range:
        if spoken_end:
            third = add_months(span[0], 4 if part == "early" else 8)
            return (span[0], third) if part == "early" else (third, span[1])
        return part_range(span, whole.unit, part, now)

    # The readings are those of the whole: "the end of May" said on 10 May is this May's.
    found = replace(whole.mapped(cut), approximate=True)
    inner = whole.cycle
    if inner is None:
        return found

    def make(number: int) -> Range | None:
        span = inner.make(number)
        return cut(span) if span else None

    return replace(found, cycle=Cycle(inner.step, make))


def _nth_unit(t: DateTokens, i: int) -> Expression | None:
    """The first week of May, the last 3 days of June, the second half of 2021, the 9th month of next year."""
    j = i + 1 if t.words[i] == "the" else i
    at = (-1, j + 1) if t.words[j] in ("last", "final") else ordinal(t, j)
    if at is None or at[0] > 53:
        return None
    nth, j = at
    many = cardinal(t, j)
    count, j = many if many else (1, j)
    unit = "half" if t.words[j] == "half" else UNITS.get(t.words[j])
    if unit not in ("day", "week", "weekend", "month", "quarter", "half", "year") or not 1 <= count <= 60:
        return None
    j += 1
    if t.words[j] in ("of", "in"):
        j += 1
    elif t.words[j] not in ("this", "next", "last"):
        return None
    whole = _whole(t, j)
    if whole is None or whole.main is None or whole.unit == unit:
        return None
    spans = [_pick(span, unit, nth, count) for span in (whole.main, whole.alt) if span]
    kept = [span for span in spans if span]
    if not kept:
        return None
    return replace(
        whole,
        kind="period",
        unit=unit,
        main=kept[0],
        alt=kept[1] if len(kept) > 1 else None,
        tensed=whole.tensed and len(kept) > 1,
        cycle=None,
    )


def _pick(span: Range, unit: str, nth: int, count: int) -> Range | None:
    begin, finish = span
    if unit == "week":
        return nth_weeks(span, nth, count)
    if unit == "weekend":
        saturday = nth_weekday(span, 5, nth)
        return (saturday, saturday + 2 * DAY) if saturday else None
    if unit == "half":
        middle = begin + timedelta(days=(finish - begin).days // 2)
        if (finish - begin).days > 80:
            middle = add_months(begin, round((finish - begin).days / 30.44 / 2))
        return (begin, middle) if nth == 1 else (middle, finish)
    if unit == "day":
        return (finish - DAY * count, finish) if nth < 0 else (begin + DAY * (nth - 1), begin + DAY * (nth - 1 + count))
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    made = (
        (add_months(finish, -size * count), finish)
        if nth < 0
        else (add_months(begin, size * (nth - 1)), add_months(begin, size * (nth - 1 + count)))
    )
    return made if begin <= made[0] and made[1] <= finish else None


def _numbered_week(t: DateTokens, i: int) -> Expression | None:
    """As in "week 31", "week 3 of 2027": weeks numbered from the one that holds the year's first Thursday."""
    j = i + 1 if t.words[i] == "the" else i
    if t.words[j] != "week" or not t.words[j + 1].isdecimal() or len(t.words[j + 1]) > 2:
        return None
    number = int(t.words[j + 1])
    if not 1 <= number <= 53:
        return None
    year = year_reference(t, j + 2)
    base = year.main if year and year.main else years_range(t.now.year)
    span = nth_weeks(base, number)
    if span is None:
        return None
    return Expression(
        stop=year.stop if year else j + 2,
        kind="period",
        unit="week",
        main=span,
        absolute=bool(year and year.absolute),
    )


def _week_of_day(t: DateTokens, i: int) -> Expression | None:
    """The week of 5 May, the week beginning Monday, the weekend of the 8th, 2 weeks starting May 20th."""
    j = i + 1 if t.words[i] == "the" else i
    unit = t.words[j] if t.words[j] in ("week", "weekend", "month") else ""
    if t.words[j : j + 3] == ["w", "/", "c"] and (inner := day(t, j + 3)):
        return replace(inner.mapped(lambda span: week_range(span[0])), kind="period", unit="week")
    starts = ("starting", "beginning", "commencing", "from")
    k = j + 1
    if unit and t.words[k] in ("of", *starts):
        k += 2 if t.words[k + 1] in ("on", "from") else 1
        inner = day(t, k)
        if inner and inner.main:
            around = {
                "week": lambda span: week_range(span[0]),
                "weekend": lambda span: weekend_range(span[0]),
                "month": lambda span: unit_range("month", span[0], 0),
            }[unit]
            return replace(inner.mapped(around), kind="period", unit=unit)
    many = amount(t, i) if t.words[i].isdecimal() or j == i else None
    if many and t.words[many.stop] in starts and t.words[many.stop] != "from":
        k = many.stop + (2 if t.words[many.stop + 1] in ("on", "from") else 1)
        inner = day(t, k)
        if inner and inner.main:
            return replace(inner.mapped(lambda span: (span[0], many.shift(span[0], 1))), kind="period")
    return None


def _beyond(t: DateTokens, i: int) -> Expression | None:
    """The week after next, the month before last."""
    j = i + 1 if t.words[i] == "the" else i
    unit = UNITS.get(t.words[j])
    if unit not in _WHOLE_UNITS or unit is None or t.words[j + 1] not in ("after", "before"):
        return None
    k = j + 3 if t.words[j + 2] == "the" else j + 2
    after = t.words[j + 1] == "after"
    if t.words[k] != ("next" if after else "last") or t.words[k + 1] in UNITS:
        return None
    return Expression(stop=k + 1, kind="period", unit=unit, main=unit_range(unit, t.now, 2 if after else -2))


def _rest(t: DateTokens, i: int) -> Expression | None:
    """The rest of the week, the remainder of this year."""
    j = i + 1 if t.words[i] == "the" else i
    if t.words[j] not in ("rest", "remainder"):
        return None
    j += 2 if t.words[j + 1] == "of" else 1
    if t.words[j] in _ARTICLES:
        j += 1
    unit = UNITS.get(t.words[j])
    if unit not in ("day", "week", "month", "quarter", "year", "decade", "weekend") or unit is None:
        return None
    begin, finish = unit_range(unit, t.now, 0)
    return Expression(stop=j + 1, kind="period", unit=unit, main=(max(begin, midnight(t.now)), finish))


def _bare_unit(t: DateTokens, i: int) -> Expression | None:
    """As in "the weekend", and "the week" or "the year" where the clause ends: the current one."""
    if t.words[i] not in ("the", "my", "same", "that"):
        return None
    unit = t.words[i + 1]
    before = t.words[i - 1] if i else ""
    if unit == "weekend" and t.words[i] in ("the", "my"):
        this = unit_range("weekend", t.now, 0)
        begun = t.now.weekday() >= 5
        if begun:
            return Expression(stop=i + 2, kind="period", unit=unit, main=this)
        last = unit_range("weekend", t.now, -1)
        return Expression(stop=i + 2, kind="period", unit=unit, main=last, alt=this, tensed=True)
    leaning = before in _LEAN or before == "" or unit == "fortnight" or t.words[i] == "my"
    if not leaning or t.words[i] not in ("the", "my") or t.words[i + 2] not in CLAUSE_ENDS:
        return None
    if unit not in ("week", "month", "year", "quarter", "fortnight"):
        return None
    span = unit_range(unit, t.now, 0)
    return Expression(stop=i + 2, kind="period", unit=unit, main=span, approximate=True, loose=True)


def _marks(t: DateTokens, i: int) -> Expression | None:
    """EOM, EOY: the late part of the month or year."""
    unit = {"eom": "month", "eoy": "year"}.get(t.words[i])
    if unit is None:
        return None
    span = part_range(unit_range(unit, t.now, 0), unit, "late", t.now)
    return Expression(stop=i + 1, kind="period", unit=unit, main=span, approximate=True)


def days_in_month(t: DateTokens, i: int) -> Expression | None:
    """A run of days in one month: "4 to 22 of May", "from 3 until 12 September 2021", "4-22 this month"."""
    j = i + 1 if t.words[i] in ("from", "between") else i
    if t.words[j] == "the":
        j += 1
    first = ordinal(t, j) or cardinal(t, j)
    if first and t.words[first[1]] == "." and t.language != ENGLISH:  # the point of an ordinal
        first = first[0], first[1] + 1
    if first is None or t.words[first[1]] not in ("to", "-", "–", "until", "till", "through", "thru", "and"):
        return None
    if t.words[first[1]] == "and" and t.words[i] != "between":
        return None
    k = first[1] + 1
    inner = day(t, k)
    if month_at(t, k):
        number = inner.main[0].day if inner and inner.main and inner.kind == "date" else 0
        if inner is None or t.words[i] not in ("from", "between") or first[0] >= number:
            return None
        gap = DAY * (number - first[0])
        return replace(inner.mapped(lambda span: (span[0] - gap, span[1])), kind="period", unit="day")
    last = ordinal(t, k + 1 if t.words[k] == "the" else k) or cardinal(t, k)
    if last is None or not 1 <= first[0] < last[0] <= 31:
        return None
    if inner is None:
        stop = last[1] + 1 if t.words[last[1]] in ("of", "in") else last[1]
        whole = named_period(t, stop) or plain_period(t, stop)
        if whole is None or whole.unit != "month" or whole.main is None:
            return None
        inner = replace(whole.mapped(lambda span: (span[0] + DAY * (last[0] - 1), span[0] + DAY * last[0])))
    if inner.kind not in ("date", "period") or inner.stop <= last[1] or inner.main is None:
        return None
    gap = DAY * (last[0] - first[0])
    if inner.main[0].day != last[0]:
        return None
    return replace(inner.mapped(lambda span: (span[0] - gap, span[1])), kind="period", unit="day")


_READERS = (
    plain_period,
    _part,
    _nth_unit,
    _bare_unit,
    _week_of_day,
    _numbered_week,
    _beyond,
    _rest,
    turned_amount,
    _marks,
    days_in_month,
)
