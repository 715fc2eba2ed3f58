"""The top of the grammar: a day with its time, ranges between expressions, open ranges, and the scan of a
text.

Owns which expression wins where several fit (the longest) and where one may begin or end. Knows nothing of
`TimeSpan`. The scan moves forward only, every reader looks a bounded number of tokens ahead, and the days,
periods and offsets at a token are read once, so its cost is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Final

from palazzo.text.dates.calendar import Range, midnight
from palazzo.text.dates.days import bare_ordinal
from palazzo.text.dates.found import CEILING, FLOOR, Found, joined
from palazzo.text.dates.lex import Tokens, distances_to_hot
from palazzo.text.dates.moments import core
from palazzo.text.dates.periods import days_in_month
from palazzo.text.dates.repeats import duration, recurring
from palazzo.text.dates.words import (
    CLAUSE_LINKS,
    DAY_PARTS,
    DAY_WORDS,
    LEADS,
    LETTER_UNITS,
    MONTHS,
    STEPS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)
from palazzo.text.words.lexicon import page

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
_UNTIL = (
    ("until",),
    ("till",),
    ("til",),
    ("by",),
    ("no", "later", "than"),
    ("up", "to"),
    ("as", "late", "as"),
)
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


def scan(t: Tokens) -> Iterator[tuple[int, Found]]:
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


def _sound(found: Found) -> bool:
    """Whether every reading begins before it ends and says something."""
    readings = [span for span in (found.main, found.alt) if span]
    return all(begin < finish for begin, finish in readings) and (FLOOR, CEILING) not in readings


def _number_may_open(t: Tokens, i: int) -> bool:
    """Whether what stands beside a number leaves it any chance: most numbers count things."""
    if len(t.words[i]) in (4, 8) or t.words[i + 1] in _AFTER_NUMBER:
        return True
    return i > 0 and t.words[i - 1] in ("on", "the", "at", "by", "until", "till", "since", "around")


def _inside_word(t: Tokens, i: int) -> bool:
    """Whether a boundary before token i would cut through letters or digits."""
    if not 0 < i < t.count or not t.glued(i):
        return False
    before, after = t.words[i - 1][-1], t.words[i][0]
    return (before.isalnum() or before == "_") and after.isalnum()


def expression(t: Tokens, i: int) -> Found | None:
    """The longest expression at i."""
    best: Found | None = None
    for reader in (_bounded, _ranged, recurring, duration):
        try:
            found = reader(t, i)
        except (OverflowError, ValueError):  # beyond the calendar: not a date anybody can mean
            continue
        if found and (best is None or found.stop > best.stop):
            best = found
    return best


def _now(t: Tokens, i: int) -> Found | None:
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
    return Found(stop=stop, kind="datetime", unit="second", main=(begin, begin + _SECOND))


def _ranged(t: Tokens, i: int) -> Found | None:
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


def _same_day(first: Found, last: Found) -> Found:
    """A closing time on the day of the opening one: "between 2:00 tomorrow and 4:00"."""
    if first.main is None or last.main is None:
        return last
    base = midnight(first.main[0])
    begin = base + (last.main[0] - midnight(last.main[0]))
    if begin <= first.main[0] and last.alt:
        begin += timedelta(hours=12)
    return replace(last, main=(begin, begin + (last.main[1] - last.main[0])), alt=None)


def _joinable(first: Found, last: Found) -> bool:
    """Whether two expressions can be the ends of one range."""
    clocks = ("time", "datetime")
    if first.kind == "time" and last.kind in ("date", "period"):
        return False
    return not (last.kind == "time" and first.kind not in clocks)


def _suffixed(t: Tokens, found: Found) -> Found:
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


def _open(found: Found, stop: int, *, after: bool, whole: bool) -> Found:
    """The time from an expression on, or up to it; `whole` counts the expression itself in."""
    instant = found.kind in ("time", "datetime")

    def widen(span: Range) -> Range:
        if after:
            return (span[0] if whole or instant else span[1]), CEILING
        return FLOOR, (span[1] if whole and not instant else span[0])

    return replace(found.mapped(widen), kind="period", stop=stop)


def _bounded(t: Tokens, i: int) -> Found | None:
    """before, until, after, since and their like."""
    if t.words[i] == "to" and t.words[i + 1] == "date" and t.words[i + 2] in CLAUSE_LINKS:
        present = _now(t, i + 1)
        return _open(present, i + 2, after=False, whole=True) if present else None
    if t.words[i] not in _BOUND_HEADS:
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
