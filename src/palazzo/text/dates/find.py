"""Dates, times, periods, durations and recurring expressions in prose, resolved against a reference.

Owns the public value and the entry point. Knows nothing of any clock: "now" is the reference the caller gives, and
results carry its zone. A text is never changed: what was found stands beside it. Invariants: spans lie inside the text,
in order, without overlap; where both sides are known begin < finish; one side is None for an open range ("since
March", "before 2010") and both are for a duration or a recurring expression. Any text is safe and the cost is linear in
its length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec.structs import replace

from palazzo.text.dates.calendar import CEILING, FLOOR, Expression
from palazzo.text.dates.grammar import scan
from palazzo.text.dates.lex import DateTokens, tokenize
from palazzo.text.dates.tense import comes_round, direction
from palazzo.text.dates.words import HOT, UNIT_SECONDS
from palazzo.text.words.language import glossary
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed

_WORDS = re.compile(r"[a-z]+|[0-9]")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = frozenset("0123456789")
_TRIGGERS = HOT | _DIGITS
_LINKS = frozenset({"and", "or", ",", "&", "on", "the"})
_LIMITS = frozenset({"by", "no"})
_MOVED = re.compile(rf"\b(?:{page('dates').listing('rescheduled')})\b[^,;.]{{0,40}}$", re.IGNORECASE)
_SIDES = re.compile(r"^from .+? (?:back |forward |on )?to (?P<new>.+)", re.IGNORECASE)
_NOT = re.compile(rf"(?:{page('dates').listing('given_up_by')}) (?:(?:on|at|in|the) )*$", re.IGNORECASE)
_OFF = re.compile(rf"(?:{page('dates').listing('said_to_be_off')})\b", re.IGNORECASE)
_GOING_ON = re.compile(page("dates").listing("going_on"), re.IGNORECASE)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY, _LONG_DAY = timedelta(days=1), timedelta(hours=25)  # the day on which clocks are set back
FOR_NOW = timedelta(days=30)
"""How long "at the moment" lasts."""
_FOR_NOW = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(page('dates').phrases('for_now'))))})\b")


class TimeSpan(msgspec.Struct, frozen=True, kw_only=True):
    """One expression found in a text, with its resolution and possibly a second reading."""

    start: int
    end: int
    text: str
    kind: Literal["date", "time", "datetime", "period", "duration", "recurring"]
    begin: datetime | None
    finish: datetime | None
    duration_s: int | None
    approximate: bool
    other: tuple[datetime, datetime] | None
    absolute: bool = False
    """Whether the reference played no part."""
    day: datetime | None = None
    """The one day it comes down to for what is due then: the last of "the end of May", the limit of "by Friday"."""
    loose: bool = False
    """Whether it names no day by itself: "two days later" in a story, "until nine" in the evening."""


Prefer = Literal["told", "past", "future"]
"""Which reading of "on Friday" to take: the one the clause around it speaks of, or always the last or the next."""


def find_dates(
    text: str, reference: datetime, *, prefer: Prefer = "told", day_first: bool = False
) -> tuple[TimeSpan, ...]:
    """Every time expression of the text, resolved; `prefer` decides between a past and a future reading."""
    if not _may_name_a_time(text):
        return ()
    tokens, expressions = _scanned(text, reference, day_first)
    spans = []
    round_until = -1  # where the last expression that comes round stopped: a list goes on with what is like it
    for i, found in expressions:
        start, end = tokens.starts[i], tokens.ends[found.stop - 1]
        listed = found.tensed and round_until >= 0 and _LINKS.issuperset(tokens.words[round_until:i])
        if prefer == "told" and (listed or comes_round(tokens, i, found)):
            step = UNIT_SECONDS[found.cycle.step if found.cycle else "week"]
            found = Expression(stop=found.stop, kind="recurring", duration_s=step)  # noqa: PLW2901
        round_until = found.stop if found.kind == "recurring" else -1
        begin, finish, other = _readings(found, reference, _ahead(tokens, i, found, prefer))
        spans.append(
            TimeSpan(
                start=start,
                end=end,
                text=text[start:end],
                kind=found.kind,
                begin=begin,
                finish=finish,
                duration_s=found.duration_s,
                approximate=found.approximate,
                other=other,
                absolute=found.absolute,
                day=_limit(tokens, i, finish),
                loose=found.loose or (prefer == "told" and _is_length(tokens, i, found)),
            )
        )
    return tuple(spans)


def dates_meant(text: str, reference: datetime) -> tuple[TimeSpan, ...]:
    """The time expressions of a text but for those it gives up: "not Monday but Friday", "moved from the 3rd to the
    5th", "Tuesday's off, he can do Thursday"; all of them where nothing else is left."""
    found = find_dates(text, reference)
    for span in found:
        moved = _SIDES.search(span.text) if _MOVED.search(text[: span.start]) else None
        if moved is not None:
            new = moved.start("new")
            return find_dates(text[: span.start] + "to".ljust(new) + text[span.start + new :], reference)
    left = [
        span
        for span in found
        if not _NOT.search(text[: span.start]) and not _OFF.match(text[span.end :].replace("’", "'"))
    ]
    return _going_on(text, tuple(left) or found)


def _going_on(text: str, found: tuple[TimeSpan, ...]) -> tuple[TimeSpan, ...]:
    """What begins with one expression and ends with the next is one stretch: "starts on Monday and runs until the 9th",
    "opens in May and closes in June"."""
    for at, (first, last) in enumerate(pairwise(found)):
        between = text[first.end : last.start].strip()
        if first.begin and last.finish and first.begin < last.finish and _GOING_ON.fullmatch(between):
            whole = replace(first, kind="period", end=last.end, text=text[first.start : last.end], finish=last.finish)
            return *found[:at], replace(whole, day=None, other=None), *found[at + 2 :]
    return found


def present_until(text: str, reference: datetime) -> datetime | None:
    """Until when a text about the present says that it holds: the end of "this week" or "until Friday"; after "at the
    moment" and the like a month. None where it does not say, and for what a past tense tells."""
    if _FOR_NOW.search(text.lower()):
        return reference + FOR_NOW
    if not _may_name_a_time(text):
        return None
    tokens, expressions = _scanned(text, reference, False)
    for i, found in expressions:
        if found.absolute or found.loose or found.main is None or found.kind == "recurring":
            continue
        begin, finish = found.alt if found.alt and _ahead(tokens, i, found, "told") else found.main
        if begin <= tokens.now < finish < CEILING and direction(tokens, i, found.stop) != "past":
            return finish.replace(tzinfo=reference.tzinfo)
    return None


def validity(
    spans: Sequence[TimeSpan], at_us: int, *, happened: bool, present: bool = False, lasting: bool = False
) -> tuple[int, int | None]:
    """Since when and until when a statement with these times holds.

    What is told in the present does not end with a time gone by, nor what lasts from then on with the week it begins
    in ("we're moving next week"). It begins on the day it names and, where it names a stretch, an end, or something
    that happens, ends with it; what comes round, lasts a while, or names a time of day alone holds from when it was
    said. A time counted from elsewhere in the story is none.
    """
    round_again = any(span.kind == "recurring" for span in spans)
    for span in spans:
        begin, finish = _us(span.begin), _last_us(span.finish)
        if span.kind in ("duration", "recurring", "time") or span.loose:
            continue
        if span.day is not None and not round_again:
            return _us(span.day) or at_us, finish if happened else None
        if begin is None:
            if finish is not None and finish > at_us:
                return at_us, finish
            continue
        if span.finish is None:
            return begin, None
        if round_again:
            continue
        lasts = span.finish - span.begin if span.begin else _DAY
        past = finish is not None and finish <= at_us
        if lasting and not past and span.kind == "period" and not _ENDED.search(span.text):
            return begin, None
        over = past and (present or lasts == 7 * _DAY)  # "I live in Leipzig now, we moved last week"
        told_range = span.kind == "period" and lasts > _LONG_DAY and not _is_unit(span) and not over
        return begin, finish if happened or told_range else None
    return at_us, None


_ENDED = re.compile(r"\d|[–-]")
"""What a stretch has in it that says when it ends, and "next week" has not."""


def _is_unit(span: TimeSpan) -> bool:
    """Whether a period is a month, season, half or whole year: what begins in May need not end with it."""
    begin, finish = span.begin, span.finish
    if begin is None or finish is None or not begin.day == 1 == finish.day:
        return False
    months = 12 * (finish.year - begin.year) + finish.month - begin.month
    part = (months == 3 and begin.month % 3 != 2) or (months == 6 and begin.month % 6 == 1)
    return part or months == 1 or months % 12 == 0


def _last_us(moment_: datetime | None) -> int | None:
    """The last instant before a moment: the end of a day belongs to that day."""
    found = _us(moment_)
    return found if found is None else found - 1


def _us(moment_: datetime | None) -> int | None:
    found = -1 if moment_ is None else (moment_ - _EPOCH) // _MICROSECOND
    return found if found >= 0 else None


def _ahead(t: DateTokens, i: int, found: Expression, prefer: Prefer) -> bool:
    """Whether the future one of two readings is meant."""
    if not (found.tensed and found.main and found.alt):
        return False
    if prefer != "told":
        return prefer == "future"
    begun = found.main[0] <= t.now < found.alt[0] and found.main[1] == found.alt[1]  # "from the 20th until Christmas"
    if t.words[i] == "since" or (t.now < found.main[1] < CEILING and not begun):
        return False  # what is not over yet is no past reading
    looks = direction(t, i, found.stop)
    if looks == "past":
        return False
    if begun:
        return found.alt[0] - t.now < t.now - found.main[0]
    if looks == "nearer":
        return found.alt[0] - t.now < t.now - found.main[1]
    return True


def _limit(t: DateTokens, i: int, finish: datetime | None) -> datetime | None:
    """Midnight before the end of an expression that names a limit."""
    if finish is None or not (t.words[i] in _LIMITS or "end" in t.words[i : i + 2]):
        return None
    return (finish - timedelta(microseconds=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def _is_length(t: DateTokens, i: int, found: Expression) -> bool:
    """Whether "in three weeks" tells how long something took: nothing past lies ahead."""
    if found.tensed or found.absolute or found.main is None or t.words[i] != "in" or found.main[0] <= t.now:
        return False
    return direction(t, i, found.stop) == "past"


@once
def _may_name_a_time(text: str) -> bool:
    lower = text.lower()
    if not _TRIGGERS.isdisjoint(_WORDS.findall(lower)):
        return True
    listed = glossary("dates", parsed(text).language)
    return listed is not None and any(map(listed.knows, _LETTERS.findall(lower)))


def _scanned(text: str, reference: datetime, day_first: bool) -> tuple[DateTokens, tuple[tuple[int, Expression], ...]]:
    return _scan(text, reference, reference.utcoffset(), day_first)


@once
def _scan(
    text: str, reference: datetime, zone: timedelta | None, day_first: bool
) -> tuple[DateTokens, tuple[tuple[int, Expression], ...]]:
    """The words of a text and the expressions among them; equal moments may differ in their zone, so it is told."""
    now = reference.replace(tzinfo=None)
    tokens = tokenize(text, now, day_first=day_first, language=parsed(text).language)
    tokens.zone_s = None if zone is None else zone.total_seconds()
    return tokens, tuple(scan(tokens))


def _readings(
    found: Expression, reference: datetime, ahead: bool
) -> tuple[datetime | None, datetime | None, tuple[datetime, datetime] | None]:
    main, alt = (found.alt, found.main) if ahead else (found.main, found.alt)
    if main is None:
        return None, None, None
    zone = reference.tzinfo
    begin = None if main[0] == FLOOR else main[0].replace(tzinfo=zone)
    finish = None if main[1] == CEILING else main[1].replace(tzinfo=zone)
    if alt is None or alt == main or FLOOR in alt or CEILING in alt:
        return begin, finish, None
    return begin, finish, (alt[0].replace(tzinfo=zone), alt[1].replace(tzinfo=zone))
