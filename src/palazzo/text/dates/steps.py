"""Grammar of periods stepped from the reference: "last week", "this past month", "the next 3 days".

Owns what "last", "this", "past" and "next" do to a unit, a month, a season or an amount, and joins them
with the named periods as `plain_period`. Knows nothing of single days or of times.
"""

from __future__ import annotations

from dataclasses import replace

from palazzo.text.dates.calendar import (
    DAY,
    Range,
    add_business_days,
    add_months,
    midnight,
    months_range,
    unit_range,
)
from palazzo.text.dates.found import Found, yearly
from palazzo.text.dates.lex import ARTICLES, Amount, Step, Tokens, amount, month_at, step_at, unit_at, year_at
from palazzo.text.dates.named import fixed_year, named_period, with_subperiod
from palazzo.text.dates.words import CLOCK_UNITS, SEASONS, STEPS, UNITS


def plain_period(t: Tokens, i: int) -> Found | None:
    """A period named by itself or by a step from the reference."""
    j = i + 1 if t.words[i] in ARTICLES else i
    word = t.words[j]
    if word in STEPS:
        return stepped_period(t, j)
    if word in ("month", "year") and t.words[j + 1] == "of":
        inner = named_period(t, j + 2)
        if inner and inner.unit == word:
            return inner
    if word in ("year", "calendar", "fiscal"):
        at = year_at(t, j + 1 if word == "year" else j + 2)
        return fixed_year(at[0], at[1]) if at and (word == "year" or t.words[j + 1] == "year") else None
    return named_period(t, j)


def stepped_period(t: Tokens, i: int) -> Found | None:
    """As in "last week", "this past month", "the next 3 days", "last June", "next summer"."""
    step = step_at(t, i)
    if step is None:
        return None
    j = step.stop
    word = t.words[j]
    if word == "calendar":
        j, word = j + 1, t.words[j + 1]
    if word in ("work", "working", "business") and t.words[j + 1] == "week":
        return _stepped_unit(t, step, "workweek", j + 2)
    month = month_at(t, j)
    if month:
        return _stepped_cycle(t, step, "month", month, j + 1)
    if word in SEASONS:
        return _stepped_cycle(t, step, "season", SEASONS[word], j + 1)
    unit = UNITS.get(word)
    if unit and word.endswith("s") and step.value:  # "the coming days": some of them, not said how many
        few = amount(t, j, counted=False)
        return _rolling(t, step.value, few) if few else None
    if unit and unit != "night" and not (unit in CLOCK_UNITS and step.value == 0):
        found = _stepped_unit(t, step, "workweek" if word == "workweek" else unit, j + 1)
        return with_subperiod(t, found) if found and unit == "year" else found
    if step.value and (many := amount(t, j)):
        if t.words[many.stop] == "ago":
            many = amount(t, j, joined=False)
        return _rolling(t, step.value, many) if many else None
    return None


def _stepped_unit(t: Tokens, step: Step, unit: str, stop: int) -> Found | None:
    now = t.now
    today = midnight(now)
    calendar = unit_range(unit, now, step.value)
    if unit == "day":
        return None
    if unit == "weekend" and step.word.startswith("this ") and step.value:
        calendar = unit_range(unit, today, -1 if step.value < 0 and today.weekday() < 5 else 0)
    elif step.word in ("past", "this past") and unit in (
        "week",
        "month",
        "year",
        "quarter",
        "decade",
        "fortnight",
    ):
        sizes = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
        begin = add_months(today, -sizes[unit]) if unit in sizes else today - DAY * (7 if unit == "week" else 14)
        finish = now if now > begin else today
        return Found(stop=stop, kind="period", unit=unit, main=(begin, finish), alt=calendar)
    return Found(stop=stop, kind="period", unit=unit, main=calendar)


def _stepped_cycle(t: Tokens, step: Step, unit: str, first_month: int, stop: int) -> Found | None:
    """A named month or season: the nearest one that way; the stepped year's is the second reading."""
    length = 1 if unit == "month" else 3
    cycle = yearly(lambda y: months_range(y, first_month, length))
    this_month = midnight(t.now).replace(day=1)
    by_year = months_range(t.now.year + step.value, first_month, length)
    if step.value == 0:
        main: Range | None = by_year
        if first_month == 12 and length == 3 and t.now.month < 3:
            main = months_range(t.now.year - 1, 12, 3)
    elif step.value < 0:
        main = cycle.latest(add_months(this_month, -length), same=True)
    else:
        main = cycle.earliest(this_month, same=False)
    alt = by_year if main != by_year else None
    return Found(stop=stop, kind="period", unit=unit, main=main, alt=alt, approximate=unit == "season")


def _rolling(t: Tokens, sign: int, many: Amount) -> Found | None:
    now, today = t.now, midnight(t.now)
    count = max(int(many.count), 1)
    if many.unit in CLOCK_UNITS:
        begin, finish = sorted((now.replace(microsecond=0), many.shift(now.replace(microsecond=0), sign)))
    elif many.unit in ("quarter", "decade", "century", "weekend") and many.count == count:
        near, far = unit_range(many.unit, now, sign), unit_range(many.unit, now, sign * count)
        begin, finish = min(near[0], far[0]), max(near[1], far[1])
    elif sign < 0:
        begin, finish = midnight(many.shift(today, -1)), now
    elif many.business_days:
        begin = add_business_days(today, 1)
        finish = add_business_days(today, many.business_days) + DAY
    else:
        begin = today + DAY
        finish = midnight(many.shift(begin, 1))
    if not begin < finish:
        return None
    return Found(stop=many.stop, kind="period", unit="day", main=(begin, finish), approximate=many.approximate)


def turned_amount(t: Tokens, i: int) -> Found | None:
    """As in "5 upcoming years", "the 3 last minutes": the number before the step."""
    if not t.words[i].isdecimal() and t.words[i] not in ("two", "three", "four", "five", "six", "ten", "few"):
        return None
    sign = STEPS.get(t.words[i + 1], 0)
    unit = unit_at(t, i + 2)
    if not sign or unit is None or not t.words[unit[1] - 1].endswith("s"):
        return None
    # The amount is read as if the step were not there.
    words = t.words[i : i + 1] + t.words[i + 2 : unit[1]]
    inner = Tokens(text=t.text, now=t.now, words=[*words, *[""] * 16], starts=[0] * 24, ends=[0] * 24, count=len(words))
    many = amount(inner, 0, joined=False)
    found = _rolling(t, sign, many) if many else None
    return replace(found, stop=unit[1]) if found else None
