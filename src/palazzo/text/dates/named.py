"""Grammar of periods by name, and of periods stepped from the reference: "2019", "Q3", "last week", "the next 3 days".

Owns the spelling of years, months, quarters, halves, seasons, decades, centuries and holidays, and what "last", "this",
"past" and "next" do to a unit, a month, a season or an amount; joins both as `plain_period`. Knows nothing of single
days or of times. Bare numbers count as years only where nothing around them says they are something else. The names of
holidays and their rules are a table in `words`; greetings ("Merry Christmas") are no dates, and lunar holidays are not
known.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from palazzo.text.dates.calendar import (
    DAY,
    Expression,
    Range,
    add_business_days,
    add_months,
    cyclic,
    holiday_range,
    midnight,
    months_range,
    unit_range,
    weekend_range,
    yearly,
    years_range,
)
from palazzo.text.dates.lex import (
    ARTICLES,
    Amount,
    DateTokens,
    Step,
    amount,
    full_year,
    month_at,
    ordinal,
    step_at,
    unit_at,
    year_at,
)
from palazzo.text.dates.words import (
    CLAUSE_ENDS,
    CLOCK_UNITS,
    DECADE_WORDS,
    GREETINGS,
    HOLIDAY_HEADS,
    HOLIDAYS,
    ORDINALS,
    SEASONS,
    STEPS,
    UNITS,
)
from palazzo.text.words.lexicon import page

_PAGE: Final = page("dates")

_YEAR_CUES = _PAGE.words("year_cues")
_WEAK_YEAR_CUES = _PAGE.words("weak_year_cues")  # too weak for a round number
_SEASON_CUES = _PAGE.words("season_cues")
_NOT_BEFORE_YEAR = _PAGE.words("not_before_year")


def named_period(t: DateTokens, i: int) -> Expression | None:
    """A year, month, quarter, season, decade or century by name."""
    word = t.words[i]
    month = month_at(t, i)
    if month:
        return _month(t, i, month)
    if word in SEASONS:
        return _season(t, i)
    if word in ("q", "h", "cy", "fy"):
        return _lettered(t, i)
    if word.isdecimal():
        return _from_digits(t, i)
    if word in DECADE_WORDS:
        cued = i > 0 and t.words[i - 1] in ("the", "early", "late", "mid", "in")
        return _short_decade(DECADE_WORDS[word], i + 1) if cued else None
    if word == "'" and len(t.words[i + 1]) == 2 and t.words[i + 1].isdecimal() and t.words[i + 2] in ("s", "'s"):
        return _short_decade(int(t.words[i + 1]), i + 3)
    if word in ("nineteen", "eighteen", "twenty") and t.words[i + 1] in DECADE_WORDS:
        century = {"nineteen": 1900, "eighteen": 1800, "twenty": 2000}[word]
        return _fixed("decade", years_range(century + DECADE_WORDS[t.words[i + 1]], 10), i + 2)
    if word == "two" and t.words[i + 1] == "thousands":
        return _fixed("decade", years_range(2000, 10), i + 2)
    if word == "twenty" and t.words[i + 1] == "-" and t.words[i + 2] == "tens":
        return _fixed("decade", years_range(2010, 10), i + 3)
    if word in ORDINALS:
        return _ordinal_quarter(t, i)
    spelled = year_at(t, i)
    if spelled and (i == 0 or t.words[i - 1] in _YEAR_CUES):
        return with_subperiod(t, fixed_year(*spelled))
    return None


def _fixed(unit: str, span: Range, stop: int, *, approximate: bool = False) -> Expression:
    return Expression(stop=stop, kind="period", unit=unit, main=span, absolute=True, approximate=approximate)


def fixed_year(year: int, stop: int) -> Expression:
    return _fixed("year", years_range(year), stop)


def year_reference(t: DateTokens, i: int) -> Expression | None:
    """A year after a narrower name: "2021", "of 2021", ", 2021", "this year", "of the year 2021"."""
    j = i + 1 if t.words[i] in ("of", "in", ",", "-", "/") else i
    at = year_at(t, j)
    if at:
        return fixed_year(*at)
    if t.words[j] in ("the", "year") and "year" in t.words[j : j + 2]:
        k = j + 1 if t.words[j] == "year" else j + 2
        at = year_at(t, k)
        if at:
            return fixed_year(*at)
    step = step_at(t, j)
    if step and t.words[step.stop] == "year":
        span = unit_range("year", t.now, step.value)
        return Expression(stop=step.stop + 1, kind="period", unit="year", main=span)
    return None


def _month(t: DateTokens, i: int, month: int) -> Expression | None:
    j = i + 1
    if t.words[j] == "." and t.glued(j):
        j += 1
    k = j + 1 if t.words[j] in (",", "-", "/", "of", "in") else j
    year = year_at(t, k)
    word = t.words[k]
    short = t.words[j] == "of" or (k == j and word > "31" and not t.glued(k + 1))
    if year is None and short and len(word) == 2 and word.isdecimal():
        year = full_year(int(word))[0], k + 1
    if year:
        return _fixed("month", months_range(year[0], month, 1), year[1])
    relative = year_reference(t, j) if t.words[j] in ("of", "this", "last", "next") else None
    if relative and relative.main:
        span = months_range(relative.main[0].year, month, 1)
        return Expression(stop=relative.stop, kind="period", unit="month", main=span)
    return cyclic(i + 1, "period", "month", yearly(lambda y: months_range(y, month, 1)), t.now)


def _season_range(first_month: int, year: int) -> Range:
    return months_range(year, first_month, 3)


def _season(t: DateTokens, i: int) -> Expression | None:
    first = SEASONS[t.words[i]]
    year = year_reference(t, i + 1)
    if year and year.main:
        span = _season_range(first, year.main[0].year)
        return replace(year, unit="season", main=span, approximate=True)
    before = t.words[i - 1] if i else ""
    if before == "the" and i > 1:
        before = t.words[i - 2]
    if before not in _SEASON_CUES and t.words[i + 1] not in CLAUSE_ENDS:
        return None
    if t.words[i] in ("spring", "fall") and before not in _SEASON_CUES:
        return None
    return cyclic(i + 1, "period", "season", yearly(lambda y: _season_range(first, y)), t.now, approximate=True)


def _lettered(t: DateTokens, i: int) -> Expression | None:
    """Q3, Q3 2016, CY18, FY2021."""
    digits = t.words[i + 1]
    if not digits.isdecimal() or not t.glued(i + 1):
        return None
    if t.words[i] == "q":
        return _quarter(t, int(digits), i + 2) if digits in ("1", "2", "3", "4") else None
    if t.words[i] == "h":
        half = year_reference(t, i + 2) if digits in ("1", "2") else None
        if half is None or half.main is None:
            return None
        return replace(half, unit="half", main=months_range(half.main[0].year, int(digits) * 6 - 5, 6))
    if len(digits) == 2:
        year = full_year(int(digits))[0]
    elif len(digits) == 4 and digits >= "1000":
        year = int(digits)
    else:
        return None
    return _fixed("year", years_range(year), i + 2, approximate=t.words[i] == "fy")


def _quarter(t: DateTokens, number: int, stop: int) -> Expression | None:
    year = year_reference(t, stop)
    if year and year.main:
        return replace(year, unit="quarter", main=months_range(year.main[0].year, number * 3 - 2, 3))
    return cyclic(stop, "period", "quarter", yearly(lambda y: months_range(y, number * 3 - 2, 3)), t.now)


def _ordinal_quarter(t: DateTokens, i: int) -> Expression | None:
    at = ordinal(t, i)
    if at is None:
        return None
    number, j = at
    if t.words[j] == "quarter" and number <= 4:
        return _quarter(t, number, j + 1)
    if t.words[j] == "century" and number <= 30:
        return _fixed("century", years_range(max(number * 100 - 100, 1), 100), j + 1)
    return None


def with_subperiod(t: DateTokens, year: Expression) -> Expression:
    """A year followed by its quarter, half or month: "2016 Q3", "2016-H2", "2016 the third quarter"."""
    if year.main is None:
        return year
    begin = year.main[0]
    j = year.stop
    if t.words[j] in ("-", "/", ",", "'s"):
        j += 1
    if t.words[j] == "the":
        j += 1
    word, digit = t.words[j], t.words[j + 1]
    if word == "q" and digit in ("1", "2", "3", "4") and t.glued(j + 1):
        span = months_range(begin.year, int(digit) * 3 - 2, 3)
        return replace(year, unit="quarter", main=span, stop=j + 2)
    if word == "h" and digit in ("1", "2") and t.glued(j + 1):
        return replace(year, unit="half", main=months_range(begin.year, int(digit) * 6 - 5, 6), stop=j + 2)
    nth = ordinal(t, j)
    if nth and t.words[nth[1]] == "quarter" and nth[0] <= 4:
        span = months_range(begin.year, nth[0] * 3 - 2, 3)
        return replace(year, unit="quarter", main=span, stop=nth[1] + 1)
    month = month_at(t, j)
    if month and not t.words[j + 1].isdecimal() and ordinal(t, j + 1) is None:
        return replace(year, unit="month", main=months_range(begin.year, month, 1), stop=j + 1)
    return year


def _from_digits(t: DateTokens, i: int) -> Expression | None:
    word, after = t.words[i], t.words[i + 1]
    if len(word) > 4 or (i and t.words[i - 1] in _NOT_BEFORE_YEAR and t.glued(i)):
        return None
    if after in ("s", "'s") and word[-1] == "0" and (t.glued(i + 1) or len(word) == 4):
        if len(word) == 4 and word >= "1000":
            return _fixed("decade", years_range(int(word), 10), i + 2)
        cued = i > 0 and t.words[i - 1] in ("the", "early", "late", "mid", "'", "in")
        return _short_decade(int(word), i + 2) if len(word) == 2 and cued else None
    if t.words[i + 1] in ORDINALS or after in ("st", "nd", "rd", "th"):
        return _ordinal_quarter(t, i)
    numeric = _numeric_month(t, i)
    if numeric:
        return numeric
    year = year_at(t, i)
    if year is None or digit_groups(t, i) > 2 or (digit_groups(t, i) == 2 and not _year_pair(t, i)):
        return None
    found = with_subperiod(t, fixed_year(*year))
    return found if found.unit != "year" or _is_year(t, i) else None


def _is_year(t: DateTokens, i: int) -> bool:
    """Whether a four-digit number reads as a year where it stands."""
    value = int(t.words[i])
    before, after = t.words[i - 1] if i else "", t.words[i + 1]
    if after in ("%", "°") or after in UNITS or (t.glued(i + 1) and after[:1].isalpha()):
        return False
    if i and t.glued(i) and (before == "." or before[:1].isalpha() or before == "_"):
        return False
    if value % 100 == 0 and before in _WEAK_YEAR_CUES:
        return False
    if before in _YEAR_CUES and (value < 2100 or before in ("in", "since", "year")):
        return value >= 1000 if value % 100 else 1400 <= value <= 2100
    return 1900 <= value <= t.now.year + 20 and value % 100 != 0


def digit_groups(t: DateTokens, i: int, separators: str = "-/.") -> int:
    """How many digit groups are chained to i by glued separators; telephone numbers have three."""
    groups, j = 1, i
    while (
        groups < 4 and t.words[j + 1] in separators and t.glued(j + 1) and t.words[j + 2].isdecimal() and t.glued(j + 2)
    ):
        groups, j = groups + 1, j + 2
    j = i
    while groups < 4 and j > 1 and t.words[j - 1] in separators and t.glued(j) and t.words[j - 2].isdecimal():
        if not t.glued(j - 1):
            break
        groups, j = groups + 1, j - 2
    return groups


def _year_pair(t: DateTokens, i: int) -> bool:
    """Whether the two chained numbers at i are both years: 2014-2018."""
    other = t.words[i + 2] if t.words[i + 1] == "-" and t.glued(i + 1) else t.words[i - 2]
    return len(other) == 4 and "1000" <= other < "3000"


def _numeric_month(t: DateTokens, i: int) -> Expression | None:
    """2015-3, 2016/11, 11/2016, 11 - 2016."""
    first, separator, second = t.words[i], t.words[i + 1], t.words[i + 2]
    if separator not in ("-", "/") or not second.isdecimal() or digit_groups(t, i) > 2:
        return None
    if t.words[i + 3] == separator and t.words[i + 4].isdecimal():
        return None
    if len(first) == 4 and len(second) <= 2:
        year, month = int(first), int(second)
    elif len(first) <= 2 and len(second) == 4:
        year, month = int(second), int(first)
    else:
        return None
    tight = t.glued(i + 1) or t.glued(i + 2) or len(first) + len(second) == 6
    if not tight or not 1 <= month <= 12 or not 1000 <= year <= 2999:
        return None
    return _fixed("month", months_range(year, month, 1), i + 3)


def _short_decade(number: int, stop: int) -> Expression | None:
    """As in "the 90s": two digits leave the century open; the last completed one comes first."""
    if number >= 1000:
        return _fixed("decade", years_range(number, 10), stop)
    if number % 10:
        return None
    centuries = (2000, 1900) if number <= 20 else (1900, 2000)
    main, alt = (years_range(century + number, 10) for century in centuries)
    return Expression(stop=stop, kind="period", unit="decade", main=main, alt=alt, absolute=True)


def holiday(t: DateTokens, i: int) -> Expression | None:
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
        found: Expression | None = replace(
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
        found = Expression(stop=stop + weekend, kind="date", main=span) if span else None
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


def plain_period(t: DateTokens, i: int) -> Expression | None:
    """A period named by itself or by a step from the reference."""
    j = i + 1 if t.words[i] in ARTICLES else i
    word = t.words[j]
    if word in STEPS:
        return stepped_period(t, j)
    if word in ("month", "year") and t.words[j + 1] == "of":
        inner = named_period(t, j + 2)
        if inner and inner.unit == word:
            return inner
    if word in ("year", "calendar", "fiscal"):
        at = year_at(t, j + 1 if word == "year" else j + 2)
        return fixed_year(at[0], at[1]) if at and (word == "year" or t.words[j + 1] == "year") else None
    return named_period(t, j)


def stepped_period(t: DateTokens, i: int) -> Expression | None:
    """As in "last week", "this past month", "the next 3 days", "last June", "next summer"."""
    step = step_at(t, i)
    if step is None:
        return None
    j = step.stop
    word = t.words[j]
    if word == "calendar":
        j, word = j + 1, t.words[j + 1]
    if word in ("work", "working", "business") and t.words[j + 1] == "week":
        return _stepped_unit(t, step, "workweek", j + 2)
    month = month_at(t, j)
    if month:
        return _stepped_cycle(t, step, "month", month, j + 1)
    if word in SEASONS:
        return _stepped_cycle(t, step, "season", SEASONS[word], j + 1)
    unit = UNITS.get(word)
    if unit and word.endswith("s") and step.value:  # "the coming days": some of them, not said how many
        few = amount(t, j, counted=False)
        return _rolling(t, step.value, few) if few else None
    if unit and unit != "night" and not (unit in CLOCK_UNITS and step.value == 0):
        found = _stepped_unit(t, step, "workweek" if word == "workweek" else unit, j + 1)
        return with_subperiod(t, found) if found and unit == "year" else found
    if step.value and (many := amount(t, j)):
        if t.words[many.stop] == "ago":
            many = amount(t, j, joined=False)
        return _rolling(t, step.value, many) if many else None
    return None


def _stepped_unit(t: DateTokens, step: Step, unit: str, stop: int) -> Expression | None:
    now = t.now
    today = midnight(now)
    calendar = unit_range(unit, now, step.value)
    if unit == "day":
        return None
    if unit == "weekend" and step.word.startswith("this ") and step.value:
        calendar = unit_range(unit, today, -1 if step.value < 0 and today.weekday() < 5 else 0)
    elif step.word in ("past", "this past") and unit in (
        "week",
        "month",
        "year",
        "quarter",
        "decade",
        "fortnight",
    ):
        sizes = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
        begin = add_months(today, -sizes[unit]) if unit in sizes else today - DAY * (7 if unit == "week" else 14)
        finish = now if now > begin else today
        return Expression(stop=stop, kind="period", unit=unit, main=(begin, finish), alt=calendar)
    return Expression(stop=stop, kind="period", unit=unit, main=calendar)


def _stepped_cycle(t: DateTokens, step: Step, unit: str, first_month: int, stop: int) -> Expression | None:
    """A named month or season: the nearest one that way; the stepped year's is the second reading."""
    length = 1 if unit == "month" else 3
    cycle = yearly(lambda y: months_range(y, first_month, length))
    this_month = midnight(t.now).replace(day=1)
    by_year = months_range(t.now.year + step.value, first_month, length)
    if step.value == 0:
        main: Range | None = by_year
        if first_month == 12 and length == 3 and t.now.month < 3:
            main = months_range(t.now.year - 1, 12, 3)
    elif step.value < 0:
        main = cycle.latest(add_months(this_month, -length), same=True)
    else:
        main = cycle.earliest(this_month, same=False)
    alt = by_year if main != by_year else None
    return Expression(stop=stop, kind="period", unit=unit, main=main, alt=alt, approximate=unit == "season")


def _rolling(t: DateTokens, sign: int, many: Amount) -> Expression | None:
    now, today = t.now, midnight(t.now)
    count = max(int(many.count), 1)
    if many.unit in CLOCK_UNITS:
        begin, finish = sorted((now.replace(microsecond=0), many.shift(now.replace(microsecond=0), sign)))
    elif many.unit in ("quarter", "decade", "century", "weekend") and many.count == count:
        near, far = unit_range(many.unit, now, sign), unit_range(many.unit, now, sign * count)
        begin, finish = min(near[0], far[0]), max(near[1], far[1])
    elif sign < 0:
        begin, finish = midnight(many.shift(today, -1)), now
    elif many.business_days:
        begin = add_business_days(today, 1)
        finish = add_business_days(today, many.business_days) + DAY
    else:
        begin = today + DAY
        finish = midnight(many.shift(begin, 1))
    if not begin < finish:
        return None
    return Expression(stop=many.stop, kind="period", unit="day", main=(begin, finish), approximate=many.approximate)


def turned_amount(t: DateTokens, i: int) -> Expression | None:
    """As in "5 upcoming years", "the 3 last minutes": the number before the step."""
    if not t.words[i].isdecimal() and t.words[i] not in ("two", "three", "four", "five", "six", "ten", "few"):
        return None
    sign = STEPS.get(t.words[i + 1], 0)
    unit = unit_at(t, i + 2)
    if not sign or unit is None or not t.words[unit[1] - 1].endswith("s"):
        return None
    # The amount is read as if the step were not there.
    words = t.words[i : i + 1] + t.words[i + 2 : unit[1]]
    inner = DateTokens(
        text=t.text, now=t.now, words=[*words, *[""] * 16], starts=[0] * 24, ends=[0] * 24, count=len(words)
    )
    many = amount(inner, 0, joined=False)
    found = _rolling(t, sign, many) if many else None
    return replace(found, stop=unit[1]) if found else None
