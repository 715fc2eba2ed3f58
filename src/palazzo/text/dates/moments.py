"""Grammar of a day together with its time: "tomorrow at 8", "tonight", "3pm on Friday", timestamps.

Owns how a time narrows a day, and reads what stands at a token as one unit (`core`): a day with its time, a
period, an amount away, or a time alone. Knows nothing of ranges between such units.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from palazzo.text.dates.calendar import DAY, Range, day_range, midnight, unit_range
from palazzo.text.dates.clock import clock, clock_range, day_part, narrowed
from palazzo.text.dates.days import day
from palazzo.text.dates.found import Clock, Found, with_clock
from palazzo.text.dates.lex import Tokens, step_at
from palazzo.text.dates.offsets import offset
from palazzo.text.dates.periods import period
from palazzo.text.dates.words import CLAUSE_LINKS, DAY_PARTS, MEALS, SMALL, STEPS

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


def core(t: Tokens, i: int) -> Found | None:
    """A day, with its time if one is said; a period; or a time alone."""
    key = ("core", i)
    if key not in t.memo:
        best: Found | None = None
        for reader in (_end_of_day, _timed_day, _part_of_day_word, day, period, offset, _day_after_clock):
            found = reader(t, i)
            if found and (best is None or found.stop > best.stop):
                best = found
        t.memo[key] = best
    result: Found | None = t.memo[key]
    return result


def _day_like(t: Tokens, i: int) -> tuple[Found, Clock | None] | None:
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


def _in_stepped_week(t: Tokens, found: Found) -> Found:
    """The week after a weekday and its part: "Wednesday evening next week"."""
    step = step_at(t, found.stop)
    if step is None or found.cycle is None or found.cycle.step != "week" or t.words[step.stop] != "week":
        return found
    week = unit_range("week", t.now, step.value)
    span = found.cycle.earliest(week[0])
    return replace(found, main=span, alt=None, tensed=False, cycle=None, stop=step.stop + 1)


def _spoken_part(t: Tokens, i: int) -> tuple[Found, Clock | None] | None:
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
    part = Clock(stop=stop, begin=begin, finish=finish, stretch=True, approximate=True)
    return Found(stop=stop, kind="date", main=day_range(today + DAY * step)), part


def _timed_day(t: Tokens, i: int) -> Found | None:
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


def _trailing_year(t: Tokens, found: Found, i: int) -> Found | None:
    """The year after the time: "Wed Oct 26 15:50:06 2016"."""
    word = t.words[i]
    if found.cycle is None or found.cycle.step != "year" or len(word) != 4 or not word.isdecimal():
        return None
    span = found.cycle.make(int(word)) if "1900" <= word < "2100" else None
    return replace(found, main=span, alt=None, tensed=False, cycle=None, absolute=True, stop=i + 1) if span else None


def _limited_day(t: Tokens, found: Found, part: Clock | None, i: int) -> Found | None:
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


def _timestamp(t: Tokens, found: Found) -> Found | None:
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


def _as_written(t: Tokens, i: int) -> int:
    """Seconds from midnight of a twenty-four-hour time."""
    parts = [t.words[i], t.words[i + 2], t.words[i + 4] if t.words[i + 3] == ":" else "0"]
    return int(parts[0]) % 24 * 3600 + int(parts[1]) * 60 + int(parts[2][:2])


def _zone(t: Tokens, i: int) -> tuple[int, int] | None:
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


def _end_of_day(t: Tokens, i: int) -> Found | None:
    """The end of the day, the end of tomorrow, EOD: its last second."""
    j = i + 1 if t.words[i] == "the" else i
    if t.words[j] == "eod":
        whole: Found | None = Found(stop=j + 1, kind="date", main=day_range(t.now))
    elif t.words[j] == "end" and t.words[j + 1] == "of":
        if t.words[j + 2 : j + 4] == ["the", "day"] or t.words[j + 2] == "day":
            stop = j + 4 if t.words[j + 2] == "the" else j + 3
            whole = Found(stop=stop, kind="date", main=day_range(t.now))
        else:
            whole = day(t, j + 2)
    else:
        return None
    if whole is None or whole.kind != "date":
        return None
    return replace(whole.mapped(lambda span: (span[1] - _SECOND, span[1])), kind="datetime", unit="second")


def _part_of_day_word(t: Tokens, i: int) -> Found | None:
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


def _day_after_clock(t: Tokens, i: int) -> Found | None:
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
    today = Found(stop=timed.stop, kind="date", main=day_range(t.now))
    found_time = with_clock(today, timed, timed.stop)
    if found_time and not timed.stretch:
        return replace(found_time, kind="time")
    return found_time
