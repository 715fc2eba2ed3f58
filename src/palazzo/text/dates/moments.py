"""Grammar of a day together with its time, and of moments an amount of time away: "tomorrow at 8", "3pm on Friday",
"two weeks ago", "the Friday before 9 June".

Owns how a time narrows a day, stepping from the reference or from another expression, and reads what stands at a token
as one unit (`core`): a day with its time, a period, an amount away, or a time alone. Knows nothing of ranges between
such units or of recurring events. Months and years, and counts like "a few", give an approximate day; hours and minutes
give an instant.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from palazzo.text.dates.calendar import (
    CEILING,
    DAY,
    DEGREES,
    FLOOR,
    WEEK,
    Expression,
    Kind,
    Range,
    TimeOfDay,
    day_range,
    midnight,
    on_weekday,
    unit_range,
    weekend_range,
    with_clock,
)
from palazzo.text.dates.clock import clock, clock_range, day_part, narrowed
from palazzo.text.dates.days import NEAR, counts_on, day
from palazzo.text.dates.lex import Amount, DateTokens, amount, cardinal, step_at, weekday_at
from palazzo.text.dates.periods import period
from palazzo.text.dates.words import (
    CLAUSE_LINKS,
    CLOCK_UNITS,
    DAY_PARTS,
    MEALS,
    SMALL,
    STEPS,
    UNIT_MONTHS,
    UNIT_SECONDS,
    UNITS,
    WEEKDAY_PLURALS,
)


def offset(t: DateTokens, i: int) -> Expression | None:
    """The longest expression at i that is an amount away from something."""
    return t.longest("offset", i, (_counted, _unit_beside, _weekdays_away, _weekday_then))


def _landing(many: Amount, moment: datetime) -> Range:
    """The instant or day an amount leads to."""
    if many.unit in CLOCK_UNITS:
        begin = moment.replace(microsecond=0)
        return begin, begin + _SECOND * UNIT_SECONDS[many.unit if many.unit != "hour" else "minute"]
    return day_range(moment)


def _from_now(t: DateTokens, many: Amount, sign: int, stop: int) -> Expression:
    instant = many.unit in CLOCK_UNITS
    return Expression(
        stop=stop,
        kind="datetime" if instant else "date",
        unit=many.unit,
        main=_landing(many, many.shift(t.now, sign)),
        approximate=many.approximate or (not instant and many.unit in UNIT_MONTHS),
    )


def _counted(t: DateTokens, i: int) -> Expression | None:
    """As in "two weeks ago", "in 3 days", "3 days from tomorrow", "less than a week before today"."""
    j, limit, rough = i, "", False
    word = t.words[i]
    if word in ("more", "less") and t.words[i + 1] == "than":
        j, limit = i + 2, word
    elif word in DEGREES or word == "over":
        j, rough = i + 1, True
    if t.words[j] in ("in", "within"):
        return _ahead(t, j)
    many = amount(t, j)
    if many is None or many.unit == "weekend":
        return None
    many = replace(many, approximate=True) if rough else many
    k, after = many.stop, t.words[many.stop]
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
    if after in ("before", "after", "from", "following", "prior", "past") or counts_on(t, i, k, many.unit):
        return _beside(t, many, limit, k - (after in NEAR))
    return None


def _ahead(t: DateTokens, i: int) -> Expression | None:
    """As in "in two weeks", "in exactly ten days", "within 5 days", "within the next 3 months"."""
    first = i + 1 + (t.words[i + 1] in DEGREES)
    step = step_at(t, first)
    under = t.words[first : first + 2] == ["less", "than"] or t.words[first] == "under"
    many = amount(t, step.stop if step and step.value > 0 else first + under * (1 + (t.words[first] == "less")))
    if many is None or (step and step.value <= 0):
        return None
    if t.words[i] == "in" and not under:
        if step or t.words[many.stop] in ("of", "or", "before", "ago") or many.unit == "night":
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
    return Expression(stop=stop, kind="period", main=(begin, many.shift(begin, 1)), approximate=many.approximate)


def _anchor(t: DateTokens, i: int) -> Expression | None:
    """What an amount may be counted from."""
    for found in (day(t, i), period(t, i)):
        if found and found.main:
            return found
    return None


def _coming(t: DateTokens, found: Expression | None) -> Expression | None:
    """A day that something is counted from onwards is the one to come: "a week from Saturday"."""
    if found is None or found.main is None or found.alt is None or found.main[0] >= midnight(t.now):
        return found
    return replace(found, main=found.alt, alt=None)


def _beside(t: DateTokens, many: Amount, limit: str, i: int) -> Expression | None:
    word = t.words[i]
    stop = i + 2 if word == "prior" else i + 1
    sign = -1 if word in ("before", "prior") else 1
    anchor = _coming(t, _anchor(t, stop)) if word in ("from", "on") else _anchor(t, stop)
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


_BESIDE = frozenset({"before", "after", "following", "preceding", "from"})


def _unit_beside(t: DateTokens, i: int) -> Expression | None:
    """The day after Christmas, the week before 9 June, the Friday before 15 July."""
    j = i + 1 if t.words[i] in ("the", "a") else i
    unit = UNITS.get(t.words[j])
    weekday = weekday_at(t, j)
    if (unit is None and weekday is None) or t.words[j + 1] not in _BESIDE:
        return None
    if t.words[j + 1] == "from" and t.words[i] != "a":
        return None
    forward = t.words[j + 1] in ("after", "following", "from")
    anchor = _coming(t, _anchor(t, j + 2)) if t.words[j + 1] == "from" else _anchor(t, j + 2)
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


def _weekdays_away(t: DateTokens, i: int) -> Expression | None:
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
        return Expression(stop=stop, kind="period", unit="weekend", main=span)
    if weekday is None:
        return None
    today = midnight(t.now)
    ahead = (weekday - today.weekday() - 1) % 7 + 1
    near = today + DAY * ahead if sign > 0 else today - DAY * ((today.weekday() - weekday - 1) % 7 + 1)
    return Expression(stop=stop, kind="date", main=day_range(near + WEEK * (sign * (count - 1))))


def _weekday_then(t: DateTokens, i: int) -> Expression | None:
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


_SECOND = timedelta(seconds=1)
# Words between a day and a time that bound it, and whether the time comes after.
_LIMITS: dict[str, tuple[tuple[tuple[str, ...], bool], ...]] = {
    "before": ((("before",), False),),
    "prior": ((("prior", "to"), False),),
    "earlier": ((("earlier", "than"), False),),
    "until": ((("until",), False),),
    "till": ((("till",), False),),
    "by": ((("by",), False),),
    "no": ((("no", "later", "than"), False), (("no", "earlier", "than"), True)),
    "after": ((("after",), True),),
    "later": ((("later", "than"), True),),
}


def core(t: DateTokens, i: int) -> Expression | None:
    """A day, with its time if one is said; a period; or a time alone."""
    return t.longest("core", i, (_end_of_day, _timed_day, _part_of_day_word, day, period, offset, _day_after_clock))


def _day_like(t: DateTokens, i: int) -> tuple[Expression, TimeOfDay | None] | None:
    """A day and the part of it that is named with it: "tonight", "last night", "Monday morning"."""
    spoken = _spoken_part(t, i)
    if spoken:
        return spoken
    found = day(t, i)
    away = offset(t, i)
    if away and away.kind == "date" and (found is None or away.stop > found.stop):
        found = away
    if found is None or found.kind != "date":
        return None
    stop = found.stop + 1 if t.words[found.stop] == "," else found.stop
    part = day_part(t, stop)
    if part is None and t.words[stop] == "in" and t.words[stop + 1] in DAY_PARTS:
        part = day_part(t, stop + 1)
    if part and t.words[part.stop - 1] not in MEALS and not t.words[part.stop - 1].endswith("s"):
        return _in_stepped_week(t, replace(found, stop=part.stop)), part
    return found, None


def _in_stepped_week(t: DateTokens, found: Expression) -> Expression:
    """The week after a weekday and its part: "Wednesday evening next week"."""
    step = step_at(t, found.stop)
    if step is None or found.cycle is None or found.cycle.step != "week" or t.words[step.stop] != "week":
        return found
    week = unit_range("week", t.now, step.value)
    span = found.cycle.earliest(week[0])
    return replace(found, main=span, alt=None, tensed=False, cycle=None, stop=step.stop + 1)


def _spoken_part(t: DateTokens, i: int) -> tuple[Expression, TimeOfDay | None] | None:
    """tonight, this morning, last night, late this evening."""
    j = i
    late = ""
    if t.words[j] in ("early", "late", "later", "earlier") and t.words[j + 1] in ("this", "tonight", "last"):
        late, j = t.words[j], j + 1
    word = t.words[j]
    today = midnight(t.now)
    if word in ("tonight", "tonite"):
        step, stop, name = 0, j + 1, "night"
    elif t.words[j : j + 4] == ["the", "night", "before", "last"]:
        step, stop, name = -2, j + 4, "night"
    elif word in STEPS and t.words[j + 1] in DAY_PARTS and t.words[j + 1] not in MEALS:
        step, stop, name = STEPS[word], j + 2, t.words[j + 1]
    else:
        return None
    begin, finish = (hour * 3600 for hour in DAY_PARTS[name])
    if late.startswith("early") or late == "earlier":
        finish = begin + 7200
    elif late.startswith("late"):
        begin = finish - 7200
    part = TimeOfDay(stop=stop, begin=begin, finish=finish, stretch=True, approximate=True)
    return Expression(stop=stop, kind="date", main=day_range(today + DAY * step)), part


def _timed_day(t: DateTokens, i: int) -> Expression | None:
    """A day, narrowed by the time that follows it."""
    pair = _day_like(t, i)
    if pair is None:
        return None
    found, part = pair
    stop = found.stop
    zoned = _timestamp(t, found)
    if zoned:
        return zoned
    j = stop
    if t.words[j] in (",", "-", ")") and not (t.words[j] == "-" and not t.glued(j)):
        j += 1
    if t.words[j] == "t" and t.glued(j) and t.words[j + 1].isdecimal():
        j += 1
    if t.words[j] == "(" and t.words[j + 2] == ")":
        j += 4 if t.words[j + 3] == "-" else 3
    lead = t.words[j]
    if lead in _LIMITS and (limited := _limited_day(t, found, part, j)):
        return limited
    hour = clock_range(t, j) or clock(t, j, bare=lead in ("at", "around", "@", "about") or lead in SMALL)
    if hour and (
        not hour.weak
        or hour.finish - hour.begin < 3600
        or lead in ("at", "around", "from", "between", "@", "about")
        or hour.stretch
    ):
        year = _trailing_year(t, found, hour.stop)
        if part:
            hour = narrowed(part, hour)
        return with_clock(year or found, hour, year.stop if year else hour.stop)
    if part is None and t.words[j] in ("in", "at", "around") and (later := day_part(t, j)):
        part, stop = later, later.stop
    return with_clock(found, part, stop) if part else found


def _trailing_year(t: DateTokens, found: Expression, i: int) -> Expression | None:
    """The year after the time: "Wed Oct 26 15:50:06 2016"."""
    word = t.words[i]
    if found.cycle is None or found.cycle.step != "year" or len(word) != 4 or not word.isdecimal():
        return None
    span = found.cycle.make(int(word)) if "1900" <= word < "2100" else None
    return replace(found, main=span, alt=None, tensed=False, cycle=None, absolute=True, stop=i + 1) if span else None


def _limited_day(t: DateTokens, found: Expression, part: TimeOfDay | None, i: int) -> Expression | None:
    """As in "today before 4pm", "Tuesday after 1pm"."""
    limits = _LIMITS[t.words[i]]
    limit = next((pair for pair in limits if t.words[i : i + len(pair[0])] == list(pair[0])), None)
    hour = clock(t, i + len(limit[0])) if limit else None
    if hour is None or hour.weak:
        return None
    if part:
        hour = narrowed(part, hour)
    if limit and limit[1]:
        stretch = replace(hour, finish=86400, stretch=True, twelve=False)
    else:
        stretch = replace(hour, begin=0, finish=hour.begin, stretch=True, twelve=False)
    return with_clock(found, stretch, hour.stop) if stretch.begin < stretch.finish else None


def _timestamp(t: DateTokens, found: Expression) -> Expression | None:
    """An ISO timestamp with its offset, moved into the reference's own zone."""
    j = found.stop
    if not found.absolute or t.words[j] != "t" or not t.glued(j) or not t.glued(j + 1):
        return None
    hour = clock(t, j + 1)
    if hour is None:
        return None
    moment = with_clock(found, replace(hour, twelve=False, begin=_as_written(t, j + 1), finish=0), hour.stop)
    if moment is None or moment.main is None:
        return None
    begin = moment.main[0]
    stop = hour.stop
    shift = _zone(t, stop)
    if shift:
        stop = shift[1]
        if t.zone_s is not None:
            begin += timedelta(seconds=t.zone_s - shift[0])
    grain = timedelta(seconds=hour.finish - hour.begin)
    return replace(moment, main=(begin, begin + grain), alt=None, tensed=False, stop=stop, kind="datetime")


def _as_written(t: DateTokens, i: int) -> int:
    """Seconds from midnight of a twenty-four-hour time."""
    parts = [t.words[i], t.words[i + 2], t.words[i + 4] if t.words[i + 3] == ":" else "0"]
    return int(parts[0]) % 24 * 3600 + int(parts[1]) * 60 + int(parts[2][:2])


def _zone(t: DateTokens, i: int) -> tuple[int, int] | None:
    """Z or +hh:mm after a timestamp, in seconds."""
    if t.words[i] == "z" and t.glued(i):
        return 0, i + 1
    if t.words[i] not in ("+", "-") or not t.glued(i) or not t.words[i + 1].isdecimal():
        return None
    sign = 1 if t.words[i] == "+" else -1
    digits = t.words[i + 1]
    if len(digits) == 4:
        return sign * (int(digits[:2]) * 3600 + int(digits[2:]) * 60), i + 2
    if len(digits) != 2:
        return None
    minutes = t.words[i + 3] if t.words[i + 2] == ":" else ""
    if len(minutes) == 2 and minutes.isdecimal():
        return sign * (int(digits) * 3600 + int(minutes) * 60), i + 4
    return sign * int(digits) * 3600, i + 2


def _end_of_day(t: DateTokens, i: int) -> Expression | None:
    """The end of the day, the end of tomorrow, EOD: its last second."""
    j = i + 1 if t.words[i] == "the" else i
    if t.words[j] == "eod":
        whole: Expression | None = Expression(stop=j + 1, kind="date", main=day_range(t.now))
    elif t.words[j] == "end" and t.words[j + 1] == "of":
        if t.words[j + 2 : j + 4] == ["the", "day"] or t.words[j + 2] == "day":
            stop = j + 4 if t.words[j + 2] == "the" else j + 3
            whole = Expression(stop=stop, kind="date", main=day_range(t.now))
        else:
            whole = day(t, j + 2)
    else:
        return None
    if whole is None or whole.kind != "date":
        return None
    return replace(whole.mapped(lambda span: (span[1] - _SECOND, span[1])), kind="datetime", unit="second")


def _part_of_day_word(t: DateTokens, i: int) -> Expression | None:
    """As in "earlier today", "later tomorrow", "early Wednesday": half of the day."""
    word = t.words[i]
    if word not in ("early", "earlier", "late", "later", "mid"):
        return None
    j = i + 1
    if t.words[j] == "in":
        j += 1
    if t.words[j : j + 2] == ["the", "day"]:
        j += 3 if t.words[j + 2] in ("on", ",") else 2
    elif t.words[j] in ("on", "-"):
        j += 1
    whole = day(t, j)
    if whole is None or whole.kind != "date":
        return None
    half = timedelta(hours=12)

    def cut(span: Range) -> Range:
        if word == "mid":
            return span[0] + timedelta(hours=10), span[0] + timedelta(hours=14)
        return (span[0], span[0] + half) if word.startswith("early") or word == "earlier" else (span[0] + half, span[1])

    return replace(whole.mapped(cut), kind="period", unit="hour", approximate=True)


def _day_after_clock(t: DateTokens, i: int) -> Expression | None:
    """A time, with the day that follows it: "3pm today", "from 5 to 6pm on April 22", "in the evening"."""
    lead = t.words[i]
    hour = clock_range(t, i) or clock(t, i, bare=lead in ("at", "around", "@"))
    part = None if hour else day_part(t, i)
    timed = hour or part
    if timed is None:
        return None
    j = timed.stop
    if t.words[j] in ("on", "of", ",", "for"):
        j += 1
    pair = _day_like(t, j)
    if pair and (not timed.weak or timed.stretch or lead in ("at", "around", "@")):
        found, named = pair
        if part and named is None and t.words[i] in ("in", "at") and t.words[timed.stop] not in ("on", "of", ","):
            pass
        if named and hour:
            timed = narrowed(named, timed)
        return with_clock(found, timed, found.stop)
    if timed.weak and not (lead in ("at", "around") and hour and t.words[timed.stop] in CLAUSE_LINKS):
        return None
    today = Expression(stop=timed.stop, kind="date", main=day_range(t.now))
    found_time = with_clock(today, timed, timed.stop)
    if found_time and not timed.stretch:
        return replace(found_time, kind="time")
    return found_time
