"""Grammar of durations and of events that come round: "for three weeks", "every other Friday", "twice a
month".

Owns lengths of time and their repetition, neither of which lies anywhere on the calendar. Knows nothing of
the reference date.
"""

from __future__ import annotations

from dataclasses import replace

from palazzo.text.dates.clock import clock, clock_range, day_part
from palazzo.text.dates.found import Found
from palazzo.text.dates.lex import Tokens, amount, cardinal, month_at, ordinal, quantity, unit_at, weekday_at
from palazzo.text.dates.words import (
    ADVERB_PERIODS,
    DAY_PARTS,
    HOLIDAY_HEADS,
    MEALS,
    SEASONS,
    UNIT_SECONDS,
    UNITS,
    WEEKDAY_PLURALS,
)

_EVERY = frozenset({"every", "each"})
_WEEK = UNIT_SECONDS["week"]
_WHOLE = frozenset({"all", "full", "whole", "entire"})


def duration(t: Tokens, i: int) -> Found | None:
    """A length of time: "three weeks", "an hour and a half", "all day", "more than 2 hours"."""
    j = i
    approximate = False
    if t.words[j] in ("more", "less") and t.words[j + 1] == "than":
        j, approximate = j + 2, True
    elif t.words[j] in ("about", "around", "over", "under", "almost", "nearly", "roughly", "at"):
        j, approximate = j + 1, True
    if t.words[j] in _WHOLE:
        return _whole_unit(t, j)
    if t.words[j] == "the" and t.words[j + 1] in ("whole", "entire", "full"):
        return _whole_unit(t, j + 1)
    many = amount(t, j)
    if many is None or (t.words[j] == "some" and t.words[many.stop - 1] in ("day", "time", "year")):
        return None
    aged = t.words[many.stop] == "old" or t.words[many.stop : many.stop + 2] == ["-", "old"]
    if aged or (many.bare and many.unit == "second"):
        return None
    return Found(
        stop=many.stop,
        kind="duration",
        unit=many.unit,
        duration_s=many.duration_s,
        approximate=approximate or many.approximate,
    )


def _whole_unit(t: Tokens, i: int) -> Found | None:
    j = i + 1
    if t.words[j] in ("the", "-"):
        j += 1
    unit = t.words[j]
    if unit not in ("hour", "day", "night", "week", "weekend", "month", "quarter", "year"):
        return None
    return Found(stop=j + 1, kind="duration", unit=unit, duration_s=UNIT_SECONDS[unit])


def recurring(t: Tokens, i: int) -> Found | None:
    """An event that comes round, with its time of day if one is said."""
    found = _every(t, i) or _adverb(t, i) or _plural(t, i) or _times_per(t, i) or _day_of_every(t, i)
    if found is None:
        return _timed_every(t, i)
    after = t.words[found.stop]
    timed = clock_range(t, found.stop) or clock(t, found.stop, bare=after in ("at", "around"))
    if timed is None or (timed.weak and after not in ("at", "around", "from", "between")):
        timed = day_part(t, found.stop)
    return replace(found, stop=timed.stop) if timed else found


def _come_round(stop: int, interval_s: float) -> Found:
    return Found(stop=stop, kind="recurring", duration_s=int(interval_s))


def _every(t: Tokens, i: int) -> Found | None:
    """every day, each Monday, every other week, every 3 months, every second Friday, every morning."""
    if t.words[i] not in _EVERY and not (t.words[i] == "any" and t.words[i + 1] == "year"):
        return None
    j = i + 1
    factor = 1.0
    if t.words[j] in ("single", "other"):
        factor, j = (2.0 if t.words[j] == "other" else 1.0), j + 1
    elif (nth := ordinal(t, j)) and nth[0] > 1:
        if weekday_at(t, nth[1]) is None and t.words[nth[1]] not in UNITS:
            return None
        factor, j = float(nth[0]), nth[1]
    elif (counted := quantity(t, j)) and t.words[j] not in ("a", "an", "half") and counted[0] < 1000:
        factor, j = counted[0], counted[2]
    unit = unit_at(t, j)
    if unit:
        return _come_round(unit[1], factor * UNIT_SECONDS[unit[0]])
    word = t.words[j]
    if weekday_at(t, j) is not None or word in WEEKDAY_PLURALS or word in ("weekend", "weekends"):
        j += 1
        if t.words[j] in DAY_PARTS and t.words[j] not in MEALS:
            j += 1
        return _come_round(j, factor * _WEEK)
    if word in DAY_PARTS and word not in MEALS:
        return _come_round(j + 1, factor * UNIT_SECONDS["day"])
    if word in SEASONS or month_at(t, j):
        return _come_round(j + 1, factor * UNIT_SECONDS["year"])
    for name in HOLIDAY_HEADS.get(word, ()):
        if all(t.words[j + k] == part for k, part in enumerate(name)):
            return _come_round(j + len(name), factor * UNIT_SECONDS["year"])
    return None


def _adverb(t: Tokens, i: int) -> Found | None:
    """daily, weekly, bi-monthly, semi-annually."""
    word = t.words[i]
    if word in ADVERB_PERIODS:
        return _come_round(i + 1, ADVERB_PERIODS[word])
    if word in ("bi", "semi") and t.words[i + 1] == "-" and t.words[i + 2] in ADVERB_PERIODS:
        factor = 2.0 if word == "bi" else 0.5
        return _come_round(i + 3, factor * ADVERB_PERIODS[t.words[i + 2]])
    return None


def _plural(t: Tokens, i: int) -> Found | None:
    """on Mondays, Friday mornings, weekends, weekdays, all weekends."""
    j = i + 1 if t.words[i] in ("all", "most", "on") else i
    word = t.words[j]
    if word in WEEKDAY_PLURALS:
        j += 1
        while t.words[j] in ("and", ",") and t.words[j + 1] in WEEKDAY_PLURALS:
            j += 2
        return _come_round(j, _WEEK)
    if weekday_at(t, j) is not None and t.words[j + 1] in ("mornings", "afternoons", "evenings", "nights"):
        return _come_round(j + 2, _WEEK)
    if word in ("weekends", "weekdays"):
        before = t.words[j - 1] if j else ""
        if before in ("on", "most", "all", "during", "") or t.words[j + 1] in ("at", ".", ",", ""):
            counted = j > 0 and cardinal(t, j - 1) is not None
            return None if counted else _come_round(j + 1, _WEEK)
    return None


def _times_per(t: Tokens, i: int) -> Found | None:
    """once a week, twice per month, three times a year, 3x a week."""
    j = i
    times = {"once": 1, "twice": 2, "thrice": 3}.get(t.words[i], 0)
    if times:
        j = i + 1
    else:
        many = quantity(t, i)
        if many is None or t.words[many[2]] not in ("times", "x", "time") or many[0] < 1:
            return None
        times, j = int(many[0]), many[2] + 1
    if t.words[j] not in ("a", "an", "per", "each", "every"):
        return None
    unit = unit_at(t, j + 1)
    return _come_round(unit[1], UNIT_SECONDS[unit[0]] / times) if unit else None


def _day_of_every(t: Tokens, i: int) -> Found | None:
    """As in "the 19th of every month", "the first Monday of each month"."""
    j = i + 1 if t.words[i] == "the" else i
    at = (-1, j + 1) if t.words[j] == "last" else ordinal(t, j)
    if at is None:
        return None
    j = at[1]
    if weekday_at(t, j) is not None or t.words[j] in UNITS:
        j += 1
    if t.words[j] not in ("of", "in") or t.words[j + 1] not in _EVERY:
        return None
    return _every(t, j + 1)


def _timed_every(t: Tokens, i: int) -> Found | None:
    """As in "3pm each day", "at 7 every Tuesday"."""
    timed = clock(t, i, bare=t.words[i] == "at")
    if timed is None:
        return None
    return _every(t, timed.stop) or (_adverb(t, timed.stop) if not timed.weak else None)
