"""The vocabulary of English time expressions, as plain tables.

Owns which words name a month, weekday, unit, number, part of the day, season or holiday, and which words
make a sentence worth parsing at all. Knows nothing of grammar or of any reference date. Every key is lower
case, and multi-word names are tuples of tokens as `lex` cuts them (an apostrophe stays inside its
word).
"""

from __future__ import annotations

from typing import Final

from palazzo.text.words.lexicon import page

_PAGE: Final = page("dates")


def _numbered(entry: str) -> dict[str, int]:
    """Word to number, from a table of numbers and the words for each."""
    return {word: int(number) for word, number in _PAGE.labelled(entry).items()}


MONTHS: Final = _numbered("months")
# Words that are also verbs or nouns: they count as a month or weekday only with evidence around them.
DOUBTFUL_MONTHS: Final = _PAGE.words("doubtful_months")
MONTH_CUES: Final = _PAGE.words("month_cues")

WEEKDAYS: Final = _numbered("weekdays")
WEEKDAY_PLURALS: Final = {f"{name}s": number for name, number in WEEKDAYS.items() if name.endswith("day")}
DOUBTFUL_WEEKDAYS: Final = _PAGE.words("doubtful_weekdays")
WEEKDAY_CUES: Final = _PAGE.words("weekday_cues")

UNITS: Final = dict(_PAGE.labelled("units"))
# Accepted only when glued to their number: "3h", "10d".
LETTER_UNITS: Final = dict(_PAGE.labelled("letter_units"))
_DAY: Final = 86400
UNIT_SECONDS: Final = {
    "second": 1, "minute": 60, "hour": 3600, "day": _DAY, "night": _DAY, "business": _DAY, "weekend": 2 * _DAY,
    "week": 7 * _DAY, "fortnight": 14 * _DAY, "month": 30 * _DAY, "quarter": 90 * _DAY, "year": 365 * _DAY,
    "decade": 3650 * _DAY, "century": 36500 * _DAY,
}  # fmt: skip
UNIT_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
CLOCK_UNITS: Final = frozenset({"second", "minute", "hour"})

SMALL: Final = {word: value for value, word in enumerate(_PAGE.listing("small").split())}
TENS: Final = {word: value * 10 for value, word in enumerate(_PAGE.listing("tens").split(), start=2)}
ORDINALS: Final = _numbered("ordinals")
ORDINAL_SUFFIXES: Final = frozenset({"st", "nd", "rd", "th"})
DECADE_WORDS: Final = _numbered("decades")

# Steps from the current unit; "past" alone may also mean the rolling span that ends now.
STEPS: Final = _numbered("steps")
DAY_WORDS: Final = _numbered("day_words")
# Where a part begins and ends inside its whole, in words that mean an early, middle or late part.
FUZZ: Final = dict(_PAGE.labelled("fuzz"))

# Hours follow the published table of the Recognizers-Text project, so that results can be compared.
DAY_PARTS: Final[dict[str, tuple[int, int]]] = {
    word: (int(hours.partition("-")[0]), int(hours.partition("-")[2]))
    for word, hours in _PAGE.labelled("day_parts").items()
}
MEALS: Final = _PAGE.words("meals")

SEASONS: Final = _numbered("seasons")

ADVERB_PERIODS: Final = _numbered("adverb_periods")

# A holiday is (month, day), (month, weekday, nth) with -1 for the last, or ("easter", days after).
Holiday = tuple[int, int] | tuple[int, int, int] | tuple[str, int]


def _rule(written: str) -> Holiday:
    first, second, *third = written.split()
    if not first.isdecimal():
        return first, int(second)
    return (int(first), int(second), int(third[0])) if third else (int(first), int(second))


HOLIDAYS: Final[dict[tuple[str, ...], Holiday]] = {
    tuple(name.split()): _rule(rule) for rule, names in _PAGE.listings("holidays").items() for name in names.split(",")
}
HOLIDAY_HEADS: dict[str, tuple[tuple[str, ...], ...]] = {
    head: tuple(sorted((name for name in HOLIDAYS if name[0] == head), key=len, reverse=True))
    for head in {name[0] for name in HOLIDAYS}
}
# What may follow an expression that stands at the end of its clause.
CLAUSE_ENDS = _PAGE.words("clause_ends") | {""}
CLAUSE_LINKS = CLAUSE_ENDS | _PAGE.words("clause_links")
GREETINGS: Final = _PAGE.words("greetings")


def _slips(word: str) -> set[str]:
    """A word with a letter left out, doubled, or exchanged with the one behind it; the first and last one stay."""
    inner = range(1, len(word) - 1)
    return {
        *(word[:at] + word[at + 1 :] for at in inner),
        *(word[:at] + word[at] + word[at:] for at in inner),
        *(word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner[:-1]),
    } - {word}


_LONG_NAMES = [word for word in (*WEEKDAYS, *MONTHS, "tomorrow", "yesterday") if len(word) > 5]
SLIPS: Final[dict[str, str]] = {"tommorow": "tomorrow"} | {
    slip: word for word in _LONG_NAMES for slip in _slips(word) if slip not in (*WEEKDAYS, *MONTHS)
}
"""Names of days and months as they are written in a hurry: "satruday", "febuary"."""

_OPENERS = _PAGE.words("openers")
_ALSO_HOT = _PAGE.words("also_hot")
HOT: frozenset[str] = frozenset(
    {
        *MONTHS,
        *WEEKDAYS,
        *WEEKDAY_PLURALS,
        *(word for word in UNITS if len(word) > 1),
        *DAY_WORDS,
        *DECADE_WORDS,
        *SEASONS,
        *(word for word in DAY_PARTS if word not in MEALS),
        *ADVERB_PERIODS,
        *(name[0] for name in HOLIDAYS if len(name) == 1),
        *(ORDINALS.keys() - {"first", "second"}),
        *TENS,
        *SLIPS,
        *_ALSO_HOT,
    }
)
# Words an expression may open with when a hot word follows closely.
LEADS: frozenset[str] = _OPENERS | frozenset({*HOLIDAY_HEADS, *SMALL, *TENS, *ORDINALS})
# Words and signs that may stand between the opening word and the hot one.
CHAINED: frozenset[str] = LEADS | {part for name in HOLIDAYS for part in name} | _PAGE.words("chained")
