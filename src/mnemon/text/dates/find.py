"""English dates, times, periods, durations and recurring expressions in prose, resolved against a reference.

Owns the public values and the two entry points. Knows nothing of any clock: "now" is the reference the
caller gives, and results carry its zone. Invariants: spans lie inside the text, in order, without overlap;
where both sides are known begin < finish; one side is None for an open range ("since March", "before 2010")
and both are for a duration or a recurring expression. Any text is safe and the cost is linear in its
length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from mnemon.text.dates.found import CEILING, FLOOR, Found
from mnemon.text.dates.grammar import scan
from mnemon.text.dates.inline import annotate
from mnemon.text.dates.lex import Tokens, tokenize
from mnemon.text.dates.words import HOT
from mnemon.text.words.remembered import remembered

_WORDS = re.compile(r"[a-z]+|[0-9]")
_DIGITS = frozenset("0123456789")
_TRIGGERS = HOT | _DIGITS
_TEXTS_REMEMBERED = 1024  # a statement is asked twice or three times for its dates
_LONGEST_TEXT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
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


def find_dates(
    text: str, reference: datetime, *, prefer: Literal["past", "future"] = "past", day_first: bool = False
) -> tuple[TimeSpan, ...]:
    """Every time expression of the text, resolved; `prefer` decides between a past and a future reading."""
    if not _may_name_a_time(text):
        return ()
    tokens, expressions = _scanned(text, reference, day_first)
    spans = []
    for i, found in expressions:
        start, end = tokens.starts[i], tokens.ends[found.stop - 1]
        begin, finish, other = _readings(found, reference, prefer)
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
            )
        )
    return tuple(spans)


def _may_name_a_time(text: str) -> bool:
    return _remembered(text) if len(text) <= _LONGEST_TEXT else _has_trigger(text)


def _has_trigger(text: str) -> bool:
    return not _TRIGGERS.isdisjoint(_WORDS.findall(text.lower()))


_remembered = remembered(_TEXTS_REMEMBERED)(_has_trigger)


def _scanned(text: str, reference: datetime, day_first: bool) -> tuple[Tokens, tuple[tuple[int, Found], ...]]:
    return (
        _kept(text, reference, reference.utcoffset(), day_first)
        if len(text) <= _LONGEST_TEXT
        else _scan(text, reference, reference.utcoffset(), day_first)
    )


def _scan(
    text: str, reference: datetime, zone: timedelta | None, day_first: bool
) -> tuple[Tokens, tuple[tuple[int, Found], ...]]:
    """The words of a text and the expressions among them; equal moments may differ in their zone, so it is told."""
    tokens = tokenize(text, reference.replace(tzinfo=None), day_first=day_first)
    tokens.zone_s = None if zone is None else zone.total_seconds()
    return tokens, tuple(scan(tokens))


_kept = remembered(_TEXTS_REMEMBERED)(_scan)


def _readings(
    found: Found, reference: datetime, prefer: Literal["past", "future"]
) -> tuple[datetime | None, datetime | None, tuple[datetime, datetime] | None]:
    main, alt = found.main, found.alt
    if main is None:
        return None, None, None
    if found.tensed and alt and prefer == "future":
        main, alt = alt, main
    zone = reference.tzinfo
    begin = None if main[0] == FLOOR else main[0].replace(tzinfo=zone)
    finish = None if main[1] == CEILING else main[1].replace(tzinfo=zone)
    if alt is None or alt == main or FLOOR in alt or CEILING in alt:
        return begin, finish, None
    return begin, finish, (alt[0].replace(tzinfo=zone), alt[1].replace(tzinfo=zone))


def resolve_inline(text: str, reference: datetime) -> str:
    """The text with expressions that depend on the reference replaced by, or followed by, absolute dates."""
    if not _may_name_a_time(text):
        return text
    return annotate(*_scanned(text, reference, False))
