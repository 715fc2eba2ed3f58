"""Numbers in a text together with what they count or measure.

Owns number words, units and the finding of the counted noun, so that two statements can be compared figure by figure;
and how often something is done, where a text says so ("never", "mostly", "80%").
Dates and clock times are read only as far as comparing two of them needs; resolving them is the date module's work.
Invariant: a version, an identifier or a year standing alone is never taken for a quantity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

import msgspec

from palazzo.text.dates.words import MONTHS, ORDINALS, TENS
from palazzo.text.words import grammar
from palazzo.text.words.grammar import ADJ, ADV, AUX, DET, GERUND, NAME, NUM, PAST, POSS, PUNCT, VERB, Tokens
from palazzo.text.words.lexicon import page
from palazzo.text.words.remembered import remembered

_PAGE: Final = page("quantities")

_FUNCTION: Final = ~(grammar.BASE | grammar.THIRD | grammar.NOUNISH | grammar.PARTICIPLE | GERUND | NAME | (1 << 23))
_NUMBER = re.compile(r"([$€£¥₹]?)\s?(\d[\d,]*(?:\.\d+)?)([a-zA-Z%°]*)(?:/(\w+))?$")
_WORDS: Final = {word: int(value) for word, value in _PAGE.labelled("numbers").items()}
_UNITS: Final = _PAGE.labelled("units")
# Units that measure time or money say little about what is measured; two such figures need more in common.
PLAIN_UNITS: Final = _PAGE.words("plain_units")
_SCALES: Final = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "million": 1e6, "thousand": 1e3, "billion": 1e9}


class Quantity(msgspec.Struct, frozen=True):
    """A figure, its unit or counted noun (stemmed), and the tokens it takes up."""

    value: float
    unit: str
    first: int
    last: int


@remembered(8192)
def stem(word: str) -> str:
    """A crude common form of a lower-case word: verb forms to their base, plurals to the singular."""
    if word.endswith("'s"):
        word = word[:-2]
    base = grammar.base_of(word)
    if base != word:
        return base
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return grammar.base_of(word[:-1])
    return word


def find_quantities(tokens: Tokens) -> list[Quantity]:
    """All quantities of a text in order."""
    found: list[Quantity] = []
    at = 0
    while at < len(tokens.lower):
        quantity = quantity_at(tokens, at)
        if quantity is not None:
            found.append(quantity)
        at = quantity.last if quantity is not None else at + 1
    return found


def quantity_at(tokens: Tokens, at: int) -> Quantity | None:
    """The quantity that begins at token `at`, if one does; looks only at the few tokens after it."""
    lower, bits = tokens.lower, tokens.bits
    word = lower[at]
    total = len(lower)
    if word in MONTHS and (word != "may" or tokens.words[at][0].isupper()):
        day, last = _day_at(lower, at + 1 + (lower[at + 1 : at + 2] == ("the",)))
        if 0 < day <= 31:
            if last + 1 < total and lower[last] == "," and lower[last + 1].isdigit() and len(lower[last + 1]) == 4:
                last += 2
            return Quantity(MONTHS[word] * 100 + day, "date", at, last)
    if word in ORDINALS or word.partition("-")[0] in TENS:
        day, last = _day_at(lower, at)
        month = last + (lower[last : last + 1] == ("of",))
        if day and month < total and lower[month] in MONTHS:
            return Quantity(MONTHS[lower[month]] * 100 + day, "date", at, month + 1)
    return _read(tokens, at) if bits[at] & NUM or word in _WORDS else None


def _day_at(lower: Sequence[str], at: int) -> tuple[int, int]:
    """The day of a month at `at`, in figures or in words, and where it ends: "3", "3rd", "third", "twenty-first"."""
    word = lower[at] if at < len(lower) else ""
    if word[:1].isdigit():
        return _leading_int(word), at + 1
    if word in ORDINALS:
        return ORDINALS[word], at + 1
    ten, _, rest = word.partition("-")
    if ten not in TENS:
        return 0, at + 1
    end = at + 1
    if not rest:
        end += lower[end : end + 1] == ("-",)
        rest, end = (lower[end], end + 1) if end < len(lower) else ("", end)
    return (TENS[ten] + ORDINALS[rest], end) if ORDINALS.get(rest, 10) < 10 else (0, at + 1)


def _leading_int(word: str) -> int:
    digits = ""
    for character in word:
        if not character.isdigit():
            break
        digits += character
    return int(digits) if 0 < len(digits) < 5 else 0


def _read(tokens: Tokens, at: int) -> Quantity | None:
    lower = tokens.lower
    total = len(lower)
    word = lower[at]
    if word in _WORDS:
        if word == "one" and not (at + 1 < total and lower[at + 1] in _UNITS):
            return None
        if word in ("once", "twice"):
            return Quantity(_WORDS[word], "time", at, at + 1)
        value, unit, per = float(_WORDS[word]), "", ""
    else:
        if ":" in word and word.replace(":", "").isdigit() and len(word) <= 5:
            return _clock(tokens, at)
        match = _NUMBER.match(word)
        if not match or word.count(".") > 1:
            return None
        value = float(match.group(2).replace(",", ""))
        unit = match.group(1) or match.group(3)
        per = match.group(4) or ""
        if match.group(1) and match.group(3) in _SCALES:
            value *= _SCALES[match.group(3)]
        elif unit in _SCALES and unit not in ("m", "b"):
            value, unit = value * _SCALES[unit], ""
        if unit in ("st", "nd", "rd", "th"):
            named = at + 1 + (lower[at + 1 : at + 2] == ("of",))
            month = lower[named] if named < total else ""
            return Quantity(MONTHS[month] * 100 + value, "date", at, named + 1) if month in MONTHS else None
        if per.isdigit():
            return None
    last = at + 1
    if unit in ("am", "pm"):
        return Quantity(_minutes(value, 0, unit), "clock", at, last)
    if unit and unit not in _UNITS and unit not in "$€£¥₹":
        return None
    following = lower[last] if last < total else ""
    if not unit and following in _SCALES and len(following) > 2:
        value *= _SCALES[following]
        last += 1
        following = lower[last] if last < total else ""
    if not unit and following in ("am", "pm", "a.m", "p.m"):
        return Quantity(_minutes(value, 0, following), "clock", at, last + 1)
    if not unit and following in MONTHS and value <= 31:
        return Quantity(MONTHS[following] * 100 + value, "date", at, last + 1)
    if unit:
        return Quantity(value, _UNITS.get(unit, unit), at, last)
    if following in _UNITS:
        return Quantity(value, _UNITS[following], at, last + 1)
    return _counted(tokens, at, last, value)


def _counted(tokens: Tokens, at: int, last: int, value: float) -> Quantity | None:
    """A count of something: the noun is the last word of the noun phrase after the number."""
    lower, bits = tokens.lower, tokens.bits
    end = last
    while end < len(lower) and end < last + 4:
        bit = bits[end]
        if "/" in lower[end] and not lower[end][0].isdigit():
            end += 1
            break
        if bit & PUNCT or bit & NUM or (bit & _FUNCTION and not bit & NAME) or bit & (AUX | ADV):
            break
        if bit & (PAST | GERUND) and not bit & grammar.NOUNISH:
            break
        end += 1
        if lower[end - 1].endswith("s") and not lower[end - 1].endswith(("ss", "us", "is", "'s")):
            break
    if end == last:
        return Quantity(value, "", at, last) if value < 1900 or value > 2100 else None
    head, _, per = lower[end - 1].partition("/")
    if not head[:1].isalpha():
        return None
    if not per and end + 1 < len(lower) and lower[end] in ("per", "a", "each", "every") and lower[end + 1] in _UNITS:
        per = lower[end + 1]
        end += 2
    return Quantity(value, stem(head) + (f" per {stem(per)}" if per else ""), at, end)


def _clock(tokens: Tokens, at: int) -> Quantity | None:
    hours, _, minutes = tokens.lower[at].partition(":")
    if not hours or not minutes or int(hours) > 24:
        return None
    following = tokens.lower[at + 1] if at + 1 < len(tokens.lower) else ""
    half = following if following in ("am", "pm", "a.m", "p.m") else ""
    return Quantity(_minutes(float(hours), int(minutes), half), "clock", at, at + (2 if half else 1))


def _minutes(hours: float, minutes: int, half: str) -> float:
    if half.startswith("p") and hours < 12:
        hours += 12
    elif half.startswith("a") and hours == 12:
        hours = 0
    return hours * 60 + minutes


_MEASURED: Final = re.compile(r"(\d+)([a-z]{1,2})")
_CODE: Final = re.compile(r"[a-z]{1,4}-?\d[\w-]*|\d+-[\w-]+")
"""A number as labels have it: "a12", "7731-2"."""


def numbered_things(tokens: Tokens) -> frozenset[tuple[str, str]]:
    """Things told apart by a number before the verb, each with its number: ("shelf", "1") of "Shelf 1 holds plums".

    A figure with its unit tells apart too, where another one is what is told: ("m", "100") of "Over 100m I need 14.2".
    """
    lower, bits = tokens.lower, tokens.bits
    found = set()
    figures = sum(word[:1].isdigit() for word in lower)
    for at in range(1, len(lower)):
        if bits[at] & AUX or (bits[at] & VERB and not bits[at] & NUM and not bits[at - 1] & (ADJ | DET | POSS)):
            break
        noun = lower[at - 1]
        lettered = len(lower[at]) == 1 and tokens.words[at].isupper() and lower[at] != "i"
        numbered = lettered or lower[at].isdigit() or _CODE.fullmatch(lower[at])
        if numbered and noun.isalpha() and not bits[at - 1] & _FUNCTION and noun not in MONTHS:
            found.add((noun, lower[at]))
        elif figures > 1 and (measured := _MEASURED.fullmatch(lower[at])):
            found.add((measured[2], measured[1]))
    return frozenset(found)


Direction = Literal["both", "less", "more"]
_FREQUENCIES: Final = page("frequencies")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_FREQUENCIES.pattern("patterns", name), re.IGNORECASE)


@cache
def _frequencies() -> tuple[tuple[re.Pattern[str], float, Direction], ...]:
    return tuple(
        (re.compile(rf"\b(?:{row['words']})\b", re.IGNORECASE), row["share"], row["untrue"])
        for row in _FREQUENCIES.rows("frequencies")
    )


def stated_frequency(text: str) -> tuple[float | None, Direction]:
    """The share a text states, and the deviation that would make it untrue; None where it states none."""
    if percent := _pattern("percent").search(text):
        return min(float(percent[1]) / 100, 1.0), "both"
    for pattern, share, untrue in _frequencies():
        if pattern.search(text):
            return share, untrue
    return None, "both"


def names_the_new_last(text: str) -> bool:
    """Whether of several things it is the last one that is done now: "from Python to Rust"."""
    changed = _pattern("changed").search(text)
    return changed is not None and changed[0].lower() == "to"
