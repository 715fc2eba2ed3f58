"""Cuts text into tokens and reads numbers, ordinals, years and amounts of time from them.

Owns token positions and the spelling of quantities. Knows nothing of the reference date. Every reader takes
a token index and returns the value with the index after it, or None; none looks more than a dozen tokens
ahead, so a scan is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import msgspec

from palazzo.text.dates.calendar import Expression, add_business_days, add_months
from palazzo.text.dates.words import (
    CHAINED,
    CLOCK_UNITS,
    DOUBTFUL_MONTHS,
    DOUBTFUL_WEEKDAYS,
    HOT,
    LETTER_UNITS,
    MONTH_CUES,
    MONTHS,
    ORDINAL_SUFFIXES,
    ORDINALS,
    SLIPS,
    SMALL,
    STEPS,
    TENS,
    UNIT_MONTHS,
    UNIT_SECONDS,
    UNITS,
    WEEKDAY_CUES,
    WEEKDAYS,
)
from palazzo.text.words.language import Glossary, glossary
from palazzo.text.words.lexicon import ENGLISH, page

_PAGE: Final = page("dates")

_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)*|'s\b|[^\w\s]|_")
_PAD = 16
ARTICLES = _PAGE.words("articles")
_AUXILIARIES = _PAGE.words("auxiliaries")
SENTENCE_ENDS = frozenset(".!?:;\"'([{*-–—•>")


@dataclass(slots=True)
class DateTokens:
    """The tokens of one text, lower-cased and padded with empty ones, and the settings of the scan."""

    text: str
    now: datetime
    day_first: bool = False
    unspaced: bool = False
    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    count: int = 0
    language: str = ENGLISH
    zone_s: float | None = None  # the reference's offset from UTC, when it has one
    memo: dict[tuple[str, int], Expression | None] = field(default_factory=dict)

    def longest(
        self, name: str, i: int, readers: Iterable[Callable[[DateTokens, int], Expression | None]]
    ) -> Expression | None:
        """The longest expression at i of several readers, the earlier one where two are as long; read once by name."""
        if (name, i) not in self.memo:
            best: Expression | None = None
            for reader in readers:
                found = reader(self, i)
                if found and (best is None or found.stop > best.stop):
                    best = found
            self.memo[name, i] = best
        return self.memo[name, i]

    def glued(self, i: int) -> bool:
        """Whether nothing separates token i from the one before it; in a script without spaces only figures are."""
        if i <= 0 or self.starts[i] != self.ends[i - 1]:
            return False
        return not self.unspaced or not (self.words[i].isalpha() or self.words[i - 1].isalpha())

    def capital(self, i: int) -> bool:
        """Whether token i is capitalised although no sentence begins there."""
        return i > 0 and self.words[i - 1] not in SENTENCE_ENDS and self.text[self.starts[i]].isupper()


def tokenize(text: str, now: datetime, *, day_first: bool = False, language: str = ENGLISH) -> DateTokens:
    """Cut the text into tokens; those of another language are said in English, and keep their places."""
    listed = glossary("dates", language)
    lower = text.lower()
    if len(lower) != len(text):  # a few capitals grow when lowered; positions must not move
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    lower = lower.replace("’", "'")
    tokens = DateTokens(text=text, now=now, day_first=day_first or listed is not None, language=language)
    words, starts, ends = tokens.words, tokens.starts, tokens.ends
    cut = _TOKEN
    if listed is not None and listed.runs is not None:
        tokens.unspaced = True
        cut = re.compile(rf"{listed.runs.pattern}|[0-9]+|\S")
    for match in cut.finditer(lower):
        words.append(match[0])
        starts.append(match.start())
        ends.append(match.end())
    if listed is not None:
        _say_in_english(tokens, listed)
    elif not SLIPS.keys().isdisjoint(words):
        tokens.words = [SLIPS.get(word, word) for word in words]
    _pad(tokens)
    if listed is not None:
        _set_in_order(tokens)
    return tokens


def _pad(tokens: DateTokens) -> None:
    tokens.count = len(tokens.words)
    beyond = len(tokens.text) + 1
    tokens.words.extend([""] * _PAD)
    tokens.starts.extend([beyond] * _PAD)
    tokens.ends.extend([beyond] * _PAD)


def _say_in_english(tokens: DateTokens, listed: Glossary) -> None:
    starts, ends = tokens.starts, tokens.ends
    said = listed.english(tokens.words)
    tokens.words = [one.word for one in said]
    tokens.starts = [starts[one.first] for one in said]
    tokens.ends = [ends[one.last - 1] for one in said]


def _set_in_order(tokens: DateTokens) -> None:
    """Puts words that other languages set elsewhere where English has them; each phrase keeps its whole place.

    The word that `ago_first` names stands before an amount of time, the hour that `half_to` counts down to is the next
    one, "last" and "next" may follow what they tell of, and a year may come first. A weekday behind the word that
    `habitual` names is one of many.
    """
    listed = page("dates", tokens.language)
    ago, half, habitual = listed.listing("ago_first"), listed.listing("half_to"), listed.listing("habitual")
    at = 0
    while at < tokens.count:
        word, after = tokens.words[at], tokens.words[at + 1]
        if word == ago and (many := amount(tokens, at + 1)) is not None:
            last = many.stop
            tokens.words[at:last] = [*tokens.words[at + 1 : last], "ago"]
            tokens.starts[at:last] = [tokens.starts[at], *tokens.starts[at + 2 : last], tokens.starts[last - 1]]
            tokens.ends[at:last] = [*tokens.ends[at + 1 : last], tokens.ends[last - 1]]
            at = last - 1
        elif word == half and (hour := SMALL.get(after, int(after) if after.isdecimal() else 0)) and hour <= 12:
            tokens.words[at + 1 : at + 2] = ["past", str((hour - 2) % 12 + 1)]
            tokens.starts.insert(at + 1, tokens.starts[at])
            tokens.ends.insert(at + 1, tokens.ends[at])
            tokens.count += 1
            at += 2
        elif after in ("last", "next") and (word in WEEKDAYS or word in UNITS or word in MONTHS):
            tokens.words[at : at + 2] = [after, word]
            at += 1
        elif len(word) == 4 and word.isdecimal() and after in MONTHS and tokens.words[at + 2].isdecimal():
            tokens.words[at : at + 3] = [tokens.words[at + 2], after, word]
            at += 2
        elif word == habitual and after in WEEKDAYS and not _dated_after(tokens, at + 2):
            tokens.words[at + 1] = f"{after}s"
        at += 1


def _dated_after(tokens: DateTokens, at: int) -> bool:
    """Whether what follows a weekday makes it one day."""
    return tokens.words[at].isdecimal() or tokens.words[at] in ("last", "next", *ORDINALS)


def distances_to_hot(tokens: DateTokens) -> list[int]:
    """For each token, how far the next hot word or number is (99 when another word stands between)."""
    result = [99] * tokens.count
    distance = 99
    words = tokens.words
    for i in range(tokens.count - 1, -1, -1):
        word = words[i]
        if word in HOT or word[0] in "0123456789":
            distance = 0
        elif distance < 99:
            distance = distance + 1 if word in CHAINED else 99
        result[i] = distance
    return result


def month_at(t: DateTokens, i: int) -> int:
    """The month named at i, or 0; words that are also verbs need a number, a cue or a capital."""
    word = t.words[i]
    month = MONTHS.get(word, 0)
    if not month or word not in DOUBTFUL_MONTHS:
        return month
    if t.language != ENGLISH:
        return month if word in ("march", "may") else 0  # said in English; an English abbreviation is another word
    before, after = t.words[i - 1] if i else "", t.words[i + 1]
    if before == "$":
        return 0
    numbered = after.isdecimal() or (after in ".-/," and t.words[i + 2].isdecimal())
    plain = t.capital(i) and word != "jan"  # which is also somebody's name
    if numbered or plain or (after != "second" and ordinal(t, i + 1)) or word == "apr":
        return month
    if before in ORDINAL_SUFFIXES or (before == "of" and word != "march"):
        return month
    if before.isdecimal() and len(before) <= 2 and not (t.glued(i - 1) and t.words[i - 2] in "-/.:"):
        return month
    if before == "to" or before in ("from", "between", "and", "-", "through", "this"):
        beside = t.words[i - 2] if i > 1 else ""
        listed = beside in MONTHS or (after in ("to", "and", "-", "through") and t.words[i + 2] in MONTHS)
        return month if listed or (before == "this" and (after == "" or after in ",.?!;)")) else 0
    return month if before in MONTH_CUES else 0


def weekday_at(t: DateTokens, i: int) -> int | None:
    """The weekday named at i; "sun", "sat", "wed" and "mon" need a cue, a number or a capital."""
    word = t.words[i]
    weekday = WEEKDAYS.get(word)
    if weekday is None or word not in DOUBTFUL_WEEKDAYS:
        return weekday
    if t.language != ENGLISH:
        return None
    before, after = t.words[i - 1] if i else "", t.words[i + 1]
    beyond = t.words[i + 2]
    if after.isdecimal() or after in MONTHS or t.capital(i):
        return weekday
    if after in (",", "-", "(") and (beyond in MONTHS or beyond.isdecimal()):
        return weekday
    if before in WEEKDAY_CUES or before in WEEKDAYS or after in ("morning", "evening", "afternoon", "night"):
        return weekday
    if after in ("-", "–", "to", ",") and (t.words[i + 2] in WEEKDAYS or t.words[i + 2].isdecimal()):
        return weekday
    return weekday if before in ("-", "–", "to", "and") and i > 1 and t.words[i - 2] in WEEKDAYS else None


def cardinal(t: DateTokens, i: int) -> tuple[int, int] | None:
    """A whole number below 100,000 in digits, or below 10,000 in words up to hundreds."""
    small = _below_hundred(t, i)
    if small is None or t.words[small[1]] != "hundred":
        return small
    value, j = small
    rest = _below_hundred(t, j + 2 if t.words[j + 1] == "and" else j + 1)
    return (value * 100 + rest[0], rest[1]) if rest and rest[0] < 100 else (value * 100, j + 1)


def _below_hundred(t: DateTokens, i: int) -> tuple[int, int] | None:
    word = t.words[i]
    if word.isdecimal():
        return (int(word), i + 1) if len(word) <= 5 else None
    value = SMALL.get(word)
    if value is None:
        tens = TENS.get(word)
        if tens is None:
            return None
        value, i = tens, i + 1
        j = i + 1 if t.words[i] == "-" else i
        unit = SMALL.get(t.words[j], 0)
        if 1 <= unit <= 9:
            value, i = value + unit, j + 1
    else:
        i += 1
    return value, i


def ordinal(t: DateTokens, i: int) -> tuple[int, int] | None:
    """An ordinal from 1st to 99th, in digits or words."""
    word = t.words[i]
    if word.isdecimal():
        if len(word) <= 2 and t.words[i + 1] in ORDINAL_SUFFIXES and t.glued(i + 1):
            return int(word), i + 2
        return None
    value = ORDINALS.get(word)
    if value is not None:
        return value, i + 1
    tens = TENS.get(word)
    if tens is not None:
        j = i + 2 if t.words[i + 1] == "-" else i + 1
        unit = ORDINALS.get(t.words[j], 0)
        if 1 <= unit <= 9:
            return tens + unit, j + 1
    return None


def year_words(t: DateTokens, i: int) -> tuple[int, int] | None:
    """A year spelled out: "nineteen eighty six", "two thousand and ten", "twenty twenty three"."""
    first = cardinal(t, i)
    if first is None or t.words[i].isdecimal():
        return None
    value, j = first
    if t.words[j] == "thousand" and 1 <= value <= 9:
        rest = cardinal(t, j + 2 if t.words[j + 1] == "and" else j + 1)
        if rest and rest[0] < 1000 and not t.words[rest[1] - 1].isdecimal():
            return value * 1000 + rest[0], rest[1]
        return value * 1000, j + 1
    if 1000 <= value <= 2199 and t.words[i + 1] == "hundred":
        return value, j
    if not 10 <= value <= 20 and not (value > 20 and t.words[i] == "twenty"):
        return None
    if value > 20:  # "twenty twenty" is read by cardinal as 20 only; "twenty one" is never a century
        return None
    if t.words[j] == "hundred":
        return value * 100, j + 1
    if t.words[j] in ("zero", "oh", "o"):
        digit = SMALL.get(t.words[j + 1], 0)
        return (value * 100 + digit, j + 2) if 1 <= digit <= 9 else None
    rest = cardinal(t, j)
    if rest and 10 <= rest[0] <= 99 and not t.words[j].isdecimal():
        return value * 100 + rest[0], rest[1]
    return None


def year_at(t: DateTokens, i: int) -> tuple[int, int] | None:
    """A year with four digits, with an apostrophe ('87), or in words."""
    word = t.words[i]
    if word.isdecimal():
        if len(word) == 4 and 1000 <= int(word) <= 2999 and not _in_longer_number(t, i):
            return int(word), i + 1
        return None
    if word == "'" and t.words[i + 1].isdecimal() and len(t.words[i + 1]) == 2 and t.glued(i + 1):
        return full_year(int(t.words[i + 1]))[0], i + 2
    return year_words(t, i)


def _in_longer_number(t: DateTokens, i: int) -> bool:
    """Whether the digits at i continue as a decimal, a clock or a fraction of something else."""
    after = t.words[i + 1]
    return after in (".", ",", ":", "%") and t.glued(i + 1) and t.words[i + 2].isdecimal() and t.glued(i + 2)


def full_year(two_digits: int) -> tuple[int, int | None]:
    """The year two digits stand for, and the other century's where people use both."""
    if two_digits < 30:
        return 2000 + two_digits, None
    if two_digits < 40:
        return 1900 + two_digits, 2000 + two_digits
    return 1900 + two_digits, None


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of time as spoken: "two weeks and a day"."""

    stop: int
    months: int = 0
    seconds: float = 0
    business_days: int = 0
    duration_s: int = 0
    unit: str = "day"
    count: float = 1
    approximate: bool = False
    bare: bool = False  # the number was only "a", "an" or missing

    def shift(self, moment: datetime, sign: int) -> datetime:
        """The moment moved by this amount."""
        if self.business_days:
            return add_business_days(moment, self.business_days * sign)
        return add_months(moment, self.months * sign) + timedelta(seconds=self.seconds) * sign


def quantity(t: DateTokens, i: int) -> tuple[float, bool, int] | None:
    """How many: digits, words, "a", "half a", "a few", "a couple of"; with whether it is a rough figure."""
    word = t.words[i]
    if word in ("a", "an"):
        if t.words[i + 1] in ("few", "couple", "dozen", "half", "good", "solid", "½"):
            return quantity(t, i + 1)
        return 1, False, i + 1
    if word in ("few", "several", "some"):
        return 3, True, i + 1
    if word == "couple":
        return 2, True, i + 2 if t.words[i + 1] == "of" else i + 1
    if word == "dozen":
        return 12, True, i + 1
    if word in ("half", "½"):
        j = i + 1
        return 0.5, False, j + 1 if t.words[j] in ("a", "an") else j
    if word == "another":
        more = cardinal(t, i + 1)
        return (more[0], False, more[1]) if more else (1, False, i + 1)
    whole = cardinal(t, i)
    if whole is None:
        return None
    value, j = whole
    if t.words[j] == "." and t.glued(j) and t.words[j + 1].isdecimal() and t.glued(j + 1) and word.isdecimal():
        digits = t.words[j + 1][:6]
        return value + int(digits) / 10 ** len(digits), False, j + 2
    if t.words[j] == "½":
        return value + 0.5, False, j + 1
    if t.words[j] == "and" and t.words[j + 1] in ("half", "a") and "half" in t.words[j + 1 : j + 3]:
        return value + 0.5, False, j + 2 if t.words[j + 1] == "half" else j + 3
    return value, False, j


def unit_at(t: DateTokens, i: int) -> tuple[str, int] | None:
    """A unit of time at i, with "business days" read as one unit."""
    word = t.words[i]
    if word in ("business", "working", "work", "week") and t.words[i + 1] in ("day", "days"):
        return "business", i + 2
    if word in ("weekday", "weekdays", "workday", "workdays"):
        return "business", i + 1
    if word in ("full", "whole", "more", "consecutive", "straight", "calendar", "solid"):
        i += 1
        word = t.words[i]
    unit = UNITS.get(word)
    if unit is None:
        letter, figure = LETTER_UNITS.get(word), t.words[i - 1]
        glued = t.glued(i) and figure.isdecimal() and len(figure) <= 3
        flat = word == "d" and figure in ("2", "3")  # 2D and 3D are shapes
        return (letter, i + 1) if letter and glued and not flat else None
    return unit, i + 1


def _one_amount(t: DateTokens, i: int, *, counted: bool = True) -> Amount | None:
    many = quantity(t, i) if counted else (3.0, True, i)
    if many is None:
        return None
    count, approximate, j = many
    if t.words[j] == "-":
        j += 1
    found = unit_at(t, j)
    if found is None:
        return None
    unit, j = found
    if t.words[j] == "and" and "half" in t.words[j + 1 : j + 3] and t.words[j + 1] in ("a", "half"):
        count, j = count + 0.5, j + (2 if t.words[j + 1] == "half" else 3)
    if 1900 <= count < 2100 and unit in ("weekend", "quarter", "week"):
        return None  # a year before the word: "2021 weekend"
    months = count * UNIT_MONTHS.get(unit, 0)
    spare_s = (months - int(months)) * UNIT_SECONDS["month"] if months else count * UNIT_SECONDS[unit]
    if unit == "weekend":
        spare_s = count * UNIT_SECONDS["week"]
    whole_business = int(count) if unit == "business" else 0
    return Amount(
        stop=j,
        months=int(months),
        seconds=0 if whole_business else spare_s,
        business_days=whole_business,
        duration_s=int(count * UNIT_SECONDS[unit]),
        unit=unit,
        count=count,
        approximate=approximate,
        bare=t.words[i] in ("a", "an"),
    )


def amount(t: DateTokens, i: int, *, joined: bool = True, counted: bool = True) -> Amount | None:
    """A stretch of time at i; `joined` takes several parts ("1 month 2 days"), else not `counted` means a few."""
    total = _one_amount(t, i, counted=counted)
    if total is None or not joined or not counted:
        return total
    for _ in range(4):
        j = total.stop
        if t.words[j] in (",", "and"):
            j += 1
        if t.words[j] == "and":
            j += 1
        more = _one_amount(t, j) if total.stop < t.count and not total.business_days else None
        if more is None or more.unit == total.unit or (more.bare and t.words[j - 1] != "and"):
            break
        finer = min(total.unit, more.unit, key=lambda unit: UNIT_SECONDS[unit])
        total = Amount(
            stop=more.stop,
            months=total.months + more.months,
            seconds=total.seconds + more.seconds,
            duration_s=total.duration_s + more.duration_s,
            unit=finer if finer in CLOCK_UNITS else total.unit,
            count=2,
            approximate=total.approximate or more.approximate,
        )
    return total


class Step(msgspec.Struct, frozen=True):
    """A word that steps from the current unit: -1 last, 0 this, 1 next."""

    value: int
    word: str
    stop: int


def step_at(t: DateTokens, i: int) -> Step | None:
    """As in "last", "next", "this past", "the coming", ..."""
    word = t.words[i]
    if word in ARTICLES:
        i += 1
        word = t.words[i]
    value = STEPS.get(word)
    if value is None or (word == "last" and i and _is_verb(t.words[i - 1])):
        return None
    after = t.words[i + 1]
    if value == 0 and after in ("past", "last", "coming", "next"):
        return Step(STEPS[after], f"this {'past' if STEPS[after] < 0 else 'coming'}", i + 2)
    if word in ("last", "next") and after in ("past", "coming"):
        return Step(value, word, i + 2)
    return Step(value, word, i + 1)


def _is_verb(before: str) -> bool:
    """Whether the word before "last" makes it a verb: "will last two hours"."""
    return before in _AUXILIARIES or before.endswith(("n't", "'ll"))
