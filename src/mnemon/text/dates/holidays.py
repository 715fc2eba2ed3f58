"""Grammar of holidays: "Christmas", "last Easter", "Thanksgiving 2021", "Halloween weekend".

Owns how a holiday's name is completed by a year, a step or a weekend. The names and their rules are a table in
`dates_words`; greetings ("Merry Christmas") are no dates. Lunar holidays are not known.
"""

from __future__ import annotations

from dataclasses import replace

from mnemon.text.dates.calendar import DAY, Range, holiday_range, midnight, weekend_range
from mnemon.text.dates.found import Found, cyclic, yearly
from mnemon.text.dates.lex import Tokens, step_at
from mnemon.text.dates.named import year_reference
from mnemon.text.dates.words import GREETINGS, HOLIDAY_HEADS, HOLIDAYS


def holiday(t: Tokens, i: int) -> Found | None:
    """Christmas, last Easter, Thanksgiving 2021, Halloween weekend."""
    step = step_at(t, i)
    j = step.stop if step else i + 1 if t.words[i] == "the" else i
    names = HOLIDAY_HEADS.get(t.words[j])
    if not names or (j and t.words[j - 1] in GREETINGS):
        return None
    name = next((n for n in names if all(t.words[j + k] == part for k, part in enumerate(n))), None)
    if name is None:
        return None
    rule = HOLIDAYS[name]
    stop = j + len(name)
    weekend = t.words[stop] == "weekend"
    cycle = yearly(lambda y: holiday_range(rule, y))
    year = None if step else year_reference(t, stop + weekend)
    if year and year.main:
        found: Found | None = replace(
            year, kind="date", unit="day", main=holiday_range(rule, year.main[0].year), approximate=False
        )
    elif step is None:
        found = cyclic(stop + weekend, "date", "day", cycle, t.now)
    else:
        today = midnight(t.now)
        if step.value == 0:
            span: Range | None = holiday_range(rule, t.now.year)
        else:
            span = cycle.latest(today, same=False) if step.value < 0 else cycle.earliest(today, same=False)
        found = Found(stop=stop + weekend, kind="date", main=span) if span else None
    if found and not weekend and t.words[found.stop] == "weekend":
        weekend, found = True, replace(found, stop=found.stop + 1)
    if found and weekend:
        return replace(found.mapped(_around_weekend), kind="period", unit="weekend")
    return found


def _around_weekend(span: Range) -> Range:
    """The weekend a holiday belongs to: its own week's, or the one it lengthens from Monday."""
    if span[0].weekday() == 0:
        return weekend_range(span[0] - DAY)[0], span[1]
    begin, finish = weekend_range(span[0])
    return min(begin, span[0]) if span[0].weekday() == 4 else begin, finish
