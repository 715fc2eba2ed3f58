"""English dates, times, periods, durations and recurring expressions in prose, resolved against a reference.

Owns the public values, the two entry points, and the wording of a text with its dates written in: a relative day is
replaced ("yesterday" -> "on 2023-05-07"), everything else keeps its words and gains a bracket ("last week (2023-05-01
to 2023-05-07)"), and what is absolute, loosely anchored, a time, a length or a repetition is left alone, so that a
second pass changes nothing. Knows nothing of any clock: "now" is the reference the
caller gives, and results carry its zone. Invariants: spans lie inside the text, in order, without overlap;
where both sides are known begin < finish; one side is None for an open range ("since March", "before 2010")
and both are for a duration or a recurring expression. Any text is safe and the cost is linear in its
length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final, Literal

from palazzo.text.dates.calendar import CEILING, DAY, FLOOR, Expression, Range, add_months, midnight
from palazzo.text.dates.grammar import scan
from palazzo.text.dates.lex import DateTokens, tokenize
from palazzo.text.dates.words import FUTURE_CUES, HOT
from palazzo.text.words.lexicon import glossary, page
from palazzo.text.words.parsed import once, parsed

_PAGE: Final = page("dates")

_PREPOSITIONS = _PAGE.words("prepositions")
_LOOK_BACK = 24  # tokens of the same sentence searched for a sign of the future


@cache
def _wording(language: str) -> Mapping[str, str]:
    """The words between which dates are written."""
    return page("dates", language).listings("wording")


@cache
def _done(language: str) -> re.Pattern[str]:
    """A date in brackets, as it is written here."""
    leads = "|".join(f"{word} " for word in _wording(language).values())
    return re.compile(rf"(?:['’]s)?\s*\((?:{leads})?\d{{4}}")


def annotate(t: DateTokens, expressions: Iterable[tuple[int, Expression]]) -> str:
    """The text with its relative expressions made absolute."""
    pieces: list[str] = []
    done = 0
    written_before = _done(t.language)
    for i, found in expressions:
        start, end = t.starts[i], t.ends[found.stop - 1]
        try:
            written = _written(t, i, found)
        except OverflowError:  # at the edge of the calendar there is no day before or after to name
            continue
        if written is None or written_before.match(t.text, end) or written_before.search(t.text, start, end):
            continue
        pieces += (t.text[done:start], written)
        done = end
        if t.words[found.stop] == "'s" and written.endswith(")"):  # keep the possessive on its word
            done = t.ends[found.stop]
            pieces[-1] = written.replace(" (", "'s (", 1)
    return "".join((*pieces, t.text[done:]))


def _written(t: DateTokens, i: int, found: Expression) -> str | None:
    if found.main is None or found.absolute or found.loose or found.kind == "time":
        return None
    ahead = _looks_ahead(t, i)
    if t.words[i] == "in" and not ahead:
        return None  # "in three weeks" may be a length of time unless something lies ahead
    span = found.alt if found.tensed and found.alt and ahead else found.main
    words = t.text[t.starts[i] : t.ends[found.stop - 1]]
    if found.kind != "date" or found.cycle or words[:2].isdecimal():
        around = f"{_wording(t.language)['around']} " if found.approximate and found.kind == "date" else ""
        return f"{words} ({around}{_range(span, t.language)})"
    before = t.words[i - 1] if i else ""
    stated = _date(span[0])
    if t.words[found.stop] == "'s" or before in _PREPOSITIONS:
        return stated
    lead = _wording(t.language)["around" if found.approximate else "on"]
    if words[:1].isupper():
        lead = lead.capitalize()
    return f"{lead} {stated}"


def _looks_ahead(t: DateTokens, i: int) -> bool:
    """Whether the sentence, up to the expression, speaks of the future."""
    for k in range(i - 1, max(i - _LOOK_BACK, 0) - 1, -1):
        word = t.words[k]
        if word in (".", "!", "?", ";"):
            return False
        if word in FUTURE_CUES or word.endswith("'ll"):
            return True
    return False


def _date(moment: datetime) -> str:
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}"


def _range(span: Range, language: str) -> str:
    """A range in words: a year, a month, a day, a minute, or from one day to another."""
    begin, finish = span
    said = _wording(language)
    if begin == FLOOR:
        return f"{said['until']} {_date(finish if finish > midnight(finish) else finish - DAY)}"
    if finish == CEILING:
        return f"{said['from']} {_date(begin)}"
    if begin == midnight(begin).replace(day=1) and begin.year < 9999:
        if begin.month == 1 and finish == add_months(begin, 12):
            return f"{begin.year:04}"
        if finish == add_months(begin, 1):
            return f"{begin.year:04}-{begin.month:02}"
    last = finish - DAY if finish == midnight(finish) else finish
    if midnight(last) > midnight(begin):
        return f"{_date(begin)} {said['to']} {_date(last)}"
    if (finish - begin).total_seconds() <= 3600 and begin != midnight(begin):
        return f"{_date(begin)} {begin.hour:02}:{begin.minute:02}"
    return _date(begin)


_WORDS = re.compile(r"[a-z]+|[0-9]")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = frozenset("0123456789")
_TRIGGERS = HOT | _DIGITS


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
    found: Expression, reference: datetime, prefer: Literal["past", "future"]
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
