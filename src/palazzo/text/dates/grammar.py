"""The top of the grammar: a day with its time, ranges between expressions, open ranges, lengths and repetition,
and the scan of a text.

Owns which expression wins where several fit (the longest) and where one may begin or end. Knows nothing of
`TimeSpan`. The scan moves forward only, every reader looks a bounded number of tokens ahead, and the days,
periods and offsets at a token are read once, so its cost is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from palazzo.text.dates.calendar import CEILING, FLOOR, Expression, Range, joined, midnight
from palazzo.text.dates.clock import clock, clock_range, day_part
from palazzo.text.dates.days import bare_ordinal
from palazzo.text.dates.lex import (
    DateTokens,
    amount,
    cardinal,
    distances_to_hot,
    month_at,
    ordinal,
    quantity,
    unit_at,
    weekday_at,
)
from palazzo.text.dates.moments import core
from palazzo.text.dates.periods import days_in_month
from palazzo.text.dates.words import (
    ADVERB_PERIODS,
    CLAUSE_LINKS,
    DAY_PARTS,
    DAY_WORDS,
    HOLIDAY_HEADS,
    LEADS,
    LETTER_UNITS,
    MEALS,
    MONTHS,
    SEASONS,
    STEPS,
    UNIT_SECONDS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)
from palazzo.text.words.lexicon import page

_EVERY = frozenset({"every", "each"})
_WEEK = UNIT_SECONDS["week"]
_WHOLE = frozenset({"all", "full", "whole", "entire"})


def duration(t: DateTokens, i: int) -> Expression | None:
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
    return Expression(
        stop=many.stop,
        kind="duration",
        unit=many.unit,
        duration_s=many.duration_s,
        approximate=approximate or many.approximate,
    )


def _whole_unit(t: DateTokens, i: int) -> Expression | None:
    j = i + 1
    if t.words[j] in ("the", "-"):
        j += 1
    unit = t.words[j]
    if unit not in ("hour", "day", "night", "week", "weekend", "month", "quarter", "year"):
        return None
    return Expression(stop=j + 1, kind="duration", unit=unit, duration_s=UNIT_SECONDS[unit])


def recurring(t: DateTokens, i: int) -> Expression | None:
    """An event that comes round, with its time of day if one is said."""
    found = _every(t, i) or _adverb(t, i) or _plural(t, i) or _times_per(t, i) or _day_of_every(t, i)
    if found is None:
        return _timed_every(t, i)
    after = t.words[found.stop]
    timed = clock_range(t, found.stop) or clock(t, found.stop, bare=after in ("at", "around"))
    if timed is None or (timed.weak and after not in ("at", "around", "from", "between")):
        timed = day_part(t, found.stop)
    return replace(found, stop=timed.stop) if timed else found


def _come_round(stop: int, interval_s: float) -> Expression:
    return Expression(stop=stop, kind="recurring", duration_s=int(interval_s))


def _every(t: DateTokens, i: int) -> Expression | None:
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


def _adverb(t: DateTokens, i: int) -> Expression | None:
    """daily, weekly, bi-monthly, semi-annually."""
    word = t.words[i]
    if word in ADVERB_PERIODS:
        return _come_round(i + 1, ADVERB_PERIODS[word])
    if word in ("bi", "semi") and t.words[i + 1] == "-" and t.words[i + 2] in ADVERB_PERIODS:
        factor = 2.0 if word == "bi" else 0.5
        return _come_round(i + 3, factor * ADVERB_PERIODS[t.words[i + 2]])
    return None


def _plural(t: DateTokens, i: int) -> Expression | None:
    """on Mondays, Friday mornings, weekends, weekdays, all weekends."""
    j = i + 1 if t.words[i] in ("all", "most", "on") else i
    word = t.words[j]
    days = j
    while weekday_at(t, days) is not None or t.words[days] in WEEKDAY_PLURALS:
        days += 1
        many = t.words[days] in ("mornings", "afternoons", "evenings", "nights")
        if many or any(day in WEEKDAY_PLURALS for day in t.words[j:days]):
            return _come_round(_listed_days(t, days + many), _WEEK)
        if t.words[days] not in ("and", ",", "or", "&"):
            break
        days += 2 if t.words[days + 1] in ("and", "on", "the") else 1
    if word in ("weekends", "weekdays"):
        before = t.words[j - 1] if j else ""
        if before in ("on", "most", "all", "during", "") or t.words[j + 1] in ("at", ".", ",", ""):
            counted = j > 0 and cardinal(t, j - 1) is not None
            return None if counted else _come_round(j + 1, _WEEK)
    return None


def _listed_days(t: DateTokens, i: int) -> int:
    """Where a list of weekdays ends that goes on at i: ", Thursdays and on Fridays"."""
    while t.words[i] in ("and", ",", "or", "&"):
        day = i + 2 if t.words[i + 1] in ("and", "on", "the") else i + 1
        if t.words[day] not in WEEKDAY_PLURALS and weekday_at(t, day) is None:
            break
        i = day + 1
    return i


def _times_per(t: DateTokens, i: int) -> Expression | None:
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


def _day_of_every(t: DateTokens, i: int) -> Expression | None:
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


def _timed_every(t: DateTokens, i: int) -> Expression | None:
    """As in "3pm each day", "at 7 every Tuesday"."""
    timed = clock(t, i, bare=t.words[i] == "at")
    if timed is None:
        return None
    return _every(t, timed.stop) or (_adverb(t, timed.stop) if not timed.weak else None)


_PAGE: Final = page("dates")

_SECOND = timedelta(seconds=1)
_REACH = 6  # tokens between the opening word and the first hot one
_TO = frozenset(["to", "-", "–", "—", "until", "till", "til", "through", "thru", "~"])
_AFTER_NUMBER = frozenset(
    {
        *_PAGE.words("after_bare_number"),
        *MONTHS,
        *UNITS,
        *LETTER_UNITS,
        *STEPS,
        *DAY_PARTS,
        *DAY_WORDS,
        *WEEKDAYS,
        *WEEKDAY_PLURALS,
    }
)
_ROUGHLY = frozenset({"around", "about", "approximately", "roughly", "circa"})
_BEFORE = (("before",), ("prior", "to"), ("earlier", "than"))
_LASTING = _PAGE.words("lasting")
_UNTIL = (
    ("until",),
    ("through",),
    ("thru",),
    ("till",),
    ("til",),
    ("by",),
    ("no", "later", "than"),
    ("up", "to"),
    ("as", "late", "as"),
)
_THROUGH = frozenset({"through", "thru"})
_AFTER = (("after",), ("later", "than"))
_SINCE = (
    ("since",),
    ("starting", "from"),
    ("starting", "on"),
    ("starting",),
    ("beginning", "on"),
    ("beginning",),
    ("commencing",),
    ("as", "early", "as"),
    ("as", "of"),
)
_BOUND_HEADS = frozenset(name[0] for group in (_BEFORE, _UNTIL, _AFTER, _SINCE) for name in group)


def scan(t: DateTokens) -> Iterator[tuple[int, Expression]]:
    """Every expression of the text, in order, without overlap."""
    near = distances_to_hot(t)
    i = 0
    while i < t.count:
        word = t.words[i]
        if word[0] in "0123456789":
            likely = _number_may_open(t, i)
        else:
            likely = near[i] == 0 or (near[i] <= _REACH and word in LEADS)
        if likely and not _inside_word(t, i):
            found = expression(t, i)
            if found and _sound(found) and not _inside_word(t, found.stop):
                yield i, found
                i = found.stop
                continue
        i += 1


def _sound(found: Expression) -> bool:
    """Whether every reading begins before it ends and says something."""
    readings = [span for span in (found.main, found.alt) if span]
    return all(begin < finish for begin, finish in readings) and (FLOOR, CEILING) not in readings


def _number_may_open(t: DateTokens, i: int) -> bool:
    """Whether what stands beside a number leaves it any chance: most numbers count things."""
    if len(t.words[i]) in (4, 8) or t.words[i + 1] in _AFTER_NUMBER:
        return True
    return i > 0 and t.words[i - 1] in ("on", "the", "at", "by", "until", "till", "since", "around")


def _inside_word(t: DateTokens, i: int) -> bool:
    """Whether a boundary before token i would cut through letters or digits."""
    if not 0 < i < t.count or not t.glued(i):
        return False
    before, after = t.words[i - 1][-1], t.words[i][0]
    return (before.isalnum() or before == "_") and after.isalnum()


def expression(t: DateTokens, i: int) -> Expression | None:
    """The longest expression at i."""
    best: Expression | None = None
    for reader in (_bounded, _ranged, recurring, duration):
        try:
            found = reader(t, i)
        except (OverflowError, ValueError):  # beyond the calendar: not a date anybody can mean
            continue
        if found and (best is None or found.stop > best.stop):
            best = found
    return best


def _now(t: DateTokens, i: int) -> Expression | None:
    """The present moment as one end of a range."""
    words = t.words[i : i + 2]
    if words[0] in ("now", "present"):
        stop = i + 1
    elif words in (["right", "now"], ["the", "present"], ["current", "date"]):
        stop = i + 2
    elif words[0] == "date" and i and t.words[i - 1] == "to":
        stop = i + 1
    else:
        return None
    begin = t.now.replace(microsecond=0)
    return Expression(stop=stop, kind="datetime", unit="second", main=(begin, begin + _SECOND))


def _ranged(t: DateTokens, i: int) -> Expression | None:
    """One expression, or two joined by "to", a dash, or "between ... and"."""
    word = t.words[i]
    between, opened = word == "between", word in ("between", "from")
    if word in _ROUGHLY:
        inner = core(t, i) or core(t, i + 1)
        return replace(inner, approximate=True) if inner else None
    j = i + 1 if opened else i
    whole = (days_in_month(t, i) or core(t, i)) if opened else None
    first = core(t, j) or (_now(t, j) if opened else None)
    if first is None:
        return whole
    k = first.stop
    separator = t.words[k]
    if separator in _TO or (between and separator == "and"):
        last = core(t, k + 1) or _now(t, k + 1)
        if last is None and first.kind == "date":
            last = bare_ordinal(t, k + 1)
        if last and last.kind == "time" and first.kind == "datetime":
            last = _same_day(first, last)
        if last and _joinable(first, last):
            range_found = joined(first, last, last.stop)
            if range_found and (whole is None or range_found.stop > whole.stop):
                return range_found
    if opened and whole is None:
        if word == "from" and t.words[k] in ("on", "onwards", "onward", "forward") and first.main:
            return _open(first, k + 1, after=True, whole=True)
        return None
    return whole if whole and whole.stop >= first.stop else _suffixed(t, first)


def _same_day(first: Expression, last: Expression) -> Expression:
    """A closing time on the day of the opening one: "between 2:00 tomorrow and 4:00"."""
    if first.main is None or last.main is None:
        return last
    base = midnight(first.main[0])
    begin = base + (last.main[0] - midnight(last.main[0]))
    if begin <= first.main[0] and last.alt:
        begin += timedelta(hours=12)
    return replace(last, main=(begin, begin + (last.main[1] - last.main[0])), alt=None)


def _joinable(first: Expression, last: Expression) -> bool:
    """Whether two expressions can be the ends of one range."""
    clocks = ("time", "datetime")
    if first.kind == "time" and last.kind in ("date", "period"):
        return False
    return not (last.kind == "time" and first.kind not in clocks)


def _suffixed(t: DateTokens, found: Expression) -> Expression:
    """As in "3 pm or later", "2010 onwards", "Friday or earlier"."""
    j = found.stop
    link, word = t.words[j], t.words[j + 1]
    ends = word == "after" and t.words[j + 2] in CLAUSE_LINKS
    if link in ("or", "and") and (ends or word in ("later", "onwards", "onward")):
        return _open(found, j + 2, after=True, whole=True)
    if t.words[j] in ("onwards", "onward"):
        return _open(found, j + 1, after=True, whole=True)
    if t.words[j] == "or" and t.words[j + 1] in ("earlier", "before", "sooner"):
        return _open(found, j + 2, after=False, whole=True)
    return found


def _open(found: Expression, stop: int, *, after: bool, whole: bool) -> Expression:
    """The time from an expression on, or up to it; `whole` counts the expression itself in."""
    instant = found.kind in ("time", "datetime")

    def widen(span: Range) -> Range:
        if after:
            return (span[0] if whole or instant else span[1]), CEILING
        return FLOOR, (span[1] if whole and not instant else span[0])

    # Up to a time of day is no end of what is told: a shop that is open until nine is open tomorrow.
    return replace(found.mapped(widen), kind="period", stop=stop, loose=found.loose or found.kind == "time")


def _bounded(t: DateTokens, i: int) -> Expression | None:
    """before, until, after, since and their like."""
    if t.words[i] == "to" and t.words[i + 1] == "date" and t.words[i + 2] in CLAUSE_LINKS:
        present = _now(t, i + 1)
        return _open(present, i + 2, after=False, whole=True) if present else None
    if t.words[i] not in _BOUND_HEADS or (t.words[i] in _THROUGH and (not i or t.words[i - 1] not in _LASTING)):
        return None
    for group, after, whole in (
        (_BEFORE, False, False),
        (_UNTIL, False, True),
        (_AFTER, True, False),
        (_SINCE, True, True),
    ):
        for name in group:
            if all(t.words[i + k] == part for k, part in enumerate(name)):
                j = i + len(name)
                j += t.words[j] in _ROUGHLY
                inner = core(t, j) or (_now(t, j) if group is not _AFTER else None)
                if inner and inner.main:
                    at_end = "end" in t.words[j : j + 2]
                    return _open(inner, inner.stop, after=after, whole=whole or (at_end and not after))
    return None
