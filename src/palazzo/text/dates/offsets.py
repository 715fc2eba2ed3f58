"""Grammar of moments an amount of time away: "two weeks ago", "in 3 days", "the Friday before 9 June".

Owns stepping from the reference or from another expression. Knows nothing of recurring events. Months and
years, and counts like "a few", give an approximate day; hours and minutes give an instant.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from palazzo.text.dates.calendar import DAY, WEEK, Range, day_range, midnight, unit_range, weekend_range
from palazzo.text.dates.days import day
from palazzo.text.dates.found import CEILING, FLOOR, Found, Kind, on_weekday
from palazzo.text.dates.lex import Amount, Tokens, amount, cardinal, step_at, weekday_at
from palazzo.text.dates.periods import period
from palazzo.text.dates.words import CLOCK_UNITS, UNIT_MONTHS, UNIT_SECONDS, UNITS, WEEKDAY_PLURALS

_SECOND = timedelta(seconds=1)


def offset(t: Tokens, i: int) -> Found | None:
    """The longest expression at i that is an amount away from something."""
    key = ("offset", i)
    if key not in t.memo:
        best: Found | None = None
        for reader in (_counted, _unit_beside, _weekdays_away, _weekday_then):
            found = reader(t, i)
            if found and (best is None or found.stop > best.stop):
                best = found
        t.memo[key] = best
    result: Found | None = t.memo[key]
    return result


def _landing(many: Amount, moment: datetime) -> Range:
    """The instant or day an amount leads to."""
    if many.unit in CLOCK_UNITS:
        begin = moment.replace(microsecond=0)
        return begin, begin + _SECOND * UNIT_SECONDS[many.unit if many.unit != "hour" else "minute"]
    return day_range(moment)


def _from_now(t: Tokens, many: Amount, sign: int, stop: int) -> Found:
    instant = many.unit in CLOCK_UNITS
    return Found(
        stop=stop,
        kind="datetime" if instant else "date",
        unit=many.unit,
        main=_landing(many, many.shift(t.now, sign)),
        approximate=many.approximate or (not instant and many.unit in UNIT_MONTHS),
    )


def _counted(t: Tokens, i: int) -> Found | None:
    """As in "two weeks ago", "in 3 days", "3 days from tomorrow", "less than a week before today"."""
    j, limit, rough = i, "", False
    word = t.words[i]
    if word in ("more", "less") and t.words[i + 1] == "than":
        j, limit = i + 2, word
    elif word in ("about", "around", "roughly", "approximately", "almost", "nearly", "over"):
        j, rough = i + 1, True
    if t.words[j] in ("in", "within"):
        return _ahead(t, j)
    many = amount(t, j)
    if many is None or many.unit == "weekend":
        return None
    many = replace(many, approximate=True) if rough else many
    k = many.stop
    after = t.words[k]
    if after == "ago" or (after in ("back", "prior", "earlier") and t.words[k + 1] not in ("to", "in")):
        stop = k + 2 if after == "ago" and t.words[k + 1] == "today" else k + 1
        found = replace(_from_now(t, many, -1, stop), loose=after != "ago")
        if limit == "more" and found.main:
            return replace(found, main=(FLOOR, found.main[0]), kind="period")
        if limit == "less" and found.main:
            return replace(found, main=(found.main[0], t.now + _SECOND), kind="period")
        return found
    if after in ("later", "hence"):
        return replace(_from_now(t, many, 1, k + 1), loose=after == "later")
    if after == "in" and t.words[k + 1 : k + 3] == ["the", "future"]:
        return _from_now(t, many, 1, k + 3)
    if after == "from" and t.words[k + 1] == "now":
        return _from_now(t, many, 1, k + 2)
    if after in ("before", "after", "from", "following", "prior", "past"):
        return _beside(t, many, limit, k)
    return None


def _ahead(t: Tokens, i: int) -> Found | None:
    """As in "in two weeks", "within 5 days", "within the next 3 months"."""
    step = step_at(t, i + 1)
    under = t.words[i + 1 : i + 3] == ["less", "than"] or t.words[i + 1] == "under"
    many = amount(t, step.stop if step and step.value > 0 else i + 1 + under * (1 + (t.words[i + 1] == "less")))
    if many is None or (step and step.value <= 0):
        return None
    if t.words[i] == "in" and not under:
        if step or t.words[many.stop] in ("of", "or", "before") or many.unit == "night":
            return None
        return _from_now(t, many, 1, many.stop)
    anchored = day(t, many.stop + 1) if t.words[many.stop] in ("of", "from", "after") else None
    if many.unit in CLOCK_UNITS:
        begin = t.now.replace(microsecond=0)
    elif anchored and anchored.main:
        begin = anchored.main[0]
    else:
        begin = midnight(t.now)
    stop = anchored.stop if anchored else many.stop
    return Found(stop=stop, kind="period", main=(begin, many.shift(begin, 1)), approximate=many.approximate)


def _anchor(t: Tokens, i: int) -> Found | None:
    """What an amount may be counted from."""
    for found in (day(t, i), period(t, i)):
        if found and found.main:
            return found
    return None


def _beside(t: Tokens, many: Amount, limit: str, i: int) -> Found | None:
    word = t.words[i]
    stop = i + 2 if word == "prior" else i + 1
    sign = 1 if word in ("after", "from", "following", "past") else -1
    anchor = _anchor(t, stop)
    if anchor is None or anchor.main is None or many.unit in CLOCK_UNITS:
        return None

    def move(span: Range) -> Range:
        target = many.shift(span[0], sign)
        if limit == "less":
            return (target, span[0]) if sign < 0 else (span[0], target)
        if limit == "more":
            return (FLOOR, target) if sign < 0 else (target, CEILING)
        return day_range(target)

    found = replace(anchor.mapped(move), kind="period" if limit else "date", unit="day")
    approximate = anchor.approximate or many.approximate
    return replace(found, approximate=approximate)


def _unit_beside(t: Tokens, i: int) -> Found | None:
    """The day after Christmas, the week before 9 June, the Friday before 15 July."""
    j = i + 1 if t.words[i] in ("the", "a") else i
    unit = UNITS.get(t.words[j])
    weekday = weekday_at(t, j)
    if (unit is None and weekday is None) or t.words[j + 1] not in (
        "before",
        "after",
        "following",
        "preceding",
        "from",
    ):
        return None
    if t.words[j + 1] == "from" and t.words[i] != "a":
        return None
    forward = t.words[j + 1] in ("after", "following", "from")
    anchor = _anchor(t, j + 2)
    if anchor is None or anchor.main is None or (anchor.approximate and t.words[j + 2] == "the"):
        return None

    def move(span: Range) -> Range:
        begin, finish = span
        if weekday is not None:
            if forward:
                return day_range(finish + DAY * ((weekday - finish.weekday()) % 7))
            return day_range(begin - DAY * ((begin.weekday() - weekday - 1) % 7 + 1))
        return _neighbour(unit or "day", span, anchor.unit, forward=forward)

    kind: Kind = "date" if weekday is not None or unit in ("day", "night") else "period"
    if unit == "week" and t.words[j + 1] == "from":
        return replace(anchor.mapped(lambda span: day_range(span[0] + WEEK)), kind="date")
    return replace(anchor.mapped(move), kind=kind, unit=unit or "day")


def _neighbour(unit: str, span: Range, anchor_unit: str, *, forward: bool) -> Range:
    begin, finish = span
    if unit in ("day", "night"):
        return day_range(finish if forward else begin - DAY)
    if unit == "weekend":
        near = weekend_range(finish if forward else begin - DAY)
        if forward:
            return near if near[0] >= finish else weekend_range(finish + WEEK)
        return near if near[1] <= begin else weekend_range(begin - WEEK)
    if unit in UNIT_MONTHS and anchor_unit in UNIT_MONTHS:
        return unit_range(unit, begin, 1 if forward else -1)
    days = {"week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}.get(unit, 1)
    return (finish, finish + DAY * days) if forward else (begin - DAY * days, begin)


def _weekdays_away(t: Tokens, i: int) -> Found | None:
    """As in "two Fridays ago", "three Mondays from now", "two weekends ago"."""
    many = cardinal(t, i) or ((1, i + 1) if t.words[i] in ("a", "couple") else None)
    if many is None or not 1 <= many[0] <= 60:
        return None
    count, j = many
    weekday = WEEKDAY_PLURALS.get(t.words[j], weekday_at(t, j))
    after = t.words[j + 1]
    sign = -1 if after == "ago" else 1 if after in ("later", "from") else 0
    stop = j + 3 if after == "from" and t.words[j + 2] == "now" else j + 2
    if not sign or (after == "from" and t.words[j + 2] != "now"):
        return None
    if t.words[j] in ("weekend", "weekends"):
        span = unit_range("weekend", t.now, sign * count)
        return Found(stop=stop, kind="period", unit="weekend", main=span)
    if weekday is None:
        return None
    today = midnight(t.now)
    ahead = (weekday - today.weekday() - 1) % 7 + 1
    near = today + DAY * ahead if sign > 0 else today - DAY * ((today.weekday() - weekday - 1) % 7 + 1)
    return Found(stop=stop, kind="date", main=day_range(near + WEEK * (sign * (count - 1))))


def _weekday_then(t: Tokens, i: int) -> Found | None:
    """As in "Monday two weeks from now": the weekday in the week the amount leads to."""
    weekday = weekday_at(t, i)
    if weekday is None:
        return None
    j = i + 2 if t.words[i + 1] == "," else i + 1
    target = _counted(t, j)
    if target is None or target.kind != "date" or target.main is None:
        return None
    monday = unit_range("week", target.main[0], 0)
    return replace(target, main=on_weekday(monday, weekday), alt=None, tensed=False, approximate=False)
