"""Writes absolute dates into a text in place of, or after, the expressions that depend on the reference.

Owns the wording: a relative day is replaced ("yesterday" -> "on 2023-05-07"), everything else keeps its words and
gains a bracket ("last week (2023-05-01 to 2023-05-07)"). Knows nothing of how expressions are found. What is
already absolute, loosely anchored, or only a time, a length or a repetition is left alone, so a second pass
changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from mnemon.text.dates.calendar import DAY, Range, add_months, midnight
from mnemon.text.dates.found import CEILING, FLOOR, Found
from mnemon.text.dates.lex import Tokens
from mnemon.text.dates.words import FUTURE_CUES, word_set

_PREPOSITIONS = word_set("on by since until till before after from of for to between than at about around")
_DONE = re.compile(r"(?:['’]s)?\s*\((?:around |from |until )?\d{4}")
_LOOK_BACK = 24  # tokens of the same sentence searched for a sign of the future


def annotate(t: Tokens, expressions: Iterable[tuple[int, Found]]) -> str:
    """The text with its relative expressions made absolute."""
    pieces: list[str] = []
    done = 0
    for i, found in expressions:
        start, end = t.starts[i], t.ends[found.stop - 1]
        try:
            written = _written(t, i, found)
        except OverflowError:  # at the edge of the calendar there is no day before or after to name
            continue
        if written is None or _DONE.match(t.text, end) or _DONE.search(t.text, start, end):
            continue
        pieces += (t.text[done:start], written)
        done = end
        if t.words[found.stop] == "'s" and written.endswith(")"):  # keep the possessive on its word
            done = t.ends[found.stop]
            pieces[-1] = written.replace(" (", "'s (", 1)
    return "".join((*pieces, t.text[done:]))


def _written(t: Tokens, i: int, found: Found) -> str | None:
    if found.main is None or found.absolute or found.loose or found.kind == "time":
        return None
    ahead = _looks_ahead(t, i)
    if t.words[i] == "in" and not ahead:
        return None  # "in three weeks" may be a length of time unless something lies ahead
    span = found.alt if found.tensed and found.alt and ahead else found.main
    words = t.text[t.starts[i] : t.ends[found.stop - 1]]
    if found.kind != "date" or found.cycle or words[:2].isdecimal():
        return f"{words} ({'around ' if found.approximate and found.kind == 'date' else ''}{_range(span)})"
    before = t.words[i - 1] if i else ""
    stated = _date(span[0])
    if t.words[found.stop] == "'s" or before in _PREPOSITIONS:
        return stated
    lead = "around" if found.approximate else "on"
    if words[:1].isupper():
        lead = lead.capitalize()
    return f"{lead} {stated}"


def _looks_ahead(t: Tokens, i: int) -> bool:
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


def _range(span: Range) -> str:
    """A range in words: a year, a month, a day, a minute, or from one day to another."""
    begin, finish = span
    if begin == FLOOR:
        return f"until {_date(finish)}" if finish > midnight(finish) else f"until {_date(finish - DAY)}"
    if finish == CEILING:
        return f"from {_date(begin)}"
    if begin == midnight(begin).replace(day=1) and begin.year < 9999:
        if begin.month == 1 and finish == add_months(begin, 12):
            return f"{begin.year:04}"
        if finish == add_months(begin, 1):
            return f"{begin.year:04}-{begin.month:02}"
    last = finish - DAY if finish == midnight(finish) else finish
    if midnight(last) > midnight(begin):
        return f"{_date(begin)} to {_date(last)}"
    if (finish - begin).total_seconds() <= 3600 and begin != midnight(begin):
        return f"{_date(begin)} {begin.hour:02}:{begin.minute:02}"
    return _date(begin)
