"""The vocabulary of English time expressions, as plain tables.

Owns which words name a month, weekday, unit, number, part of the day, season or holiday, and which words
make a sentence worth parsing at all. Knows nothing of grammar or of any reference date. Every key is lower
case, and multi-word names are tuples of tokens as `lex` cuts them (an apostrophe stays inside its
word).
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(text.split())


MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb febr",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
# Words that are also verbs or nouns: they count as a month or weekday only with evidence around them.
DOUBTFUL_MONTHS = frozenset({"may", "march", "mar", "jan", "dec", "apr"})
MONTH_CUES = word_set("in of last next since until till during early late mid by before after every each for to")

WEEKDAYS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tues tue",
            "wednesday weds wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
WEEKDAY_PLURALS: dict[str, int] = {f"{name}s": number for name, number in WEEKDAYS.items() if name.endswith("day")}
DOUBTFUL_WEEKDAYS = frozenset({"sun", "sat", "wed", "mon"})
WEEKDAY_CUES = frozenset({"last", "next", "on", "every", "each", "by", "until", "till"})

UNITS: dict[str, str] = {
    word: unit
    for unit, words in {
        "second": "second seconds sec secs",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs h",
        "day": "day days",
        "night": "night nights",
        "weekend": "weekend weekends",
        "week": "week weeks wk wks workweek workweeks",
        "fortnight": "fortnight fortnights",
        "month": "month months mth mths",
        "quarter": "quarter quarters",
        "year": "year years yr yrs",
        "decade": "decade decades",
        "century": "century centuries",
    }.items()
    for word in words.split()
}
# Accepted only when glued to their number: "3h", "10d".
LETTER_UNITS: dict[str, str] = {
    "h": "hour",
    "d": "day",
    "w": "week",
    "y": "year",
    "s": "second",
}
UNIT_SECONDS: dict[str, int] = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "night": 86400,
    "business": 86400,
    "weekend": 2 * 86400,
    "week": 7 * 86400,
    "fortnight": 14 * 86400,
    "month": 30 * 86400,
    "quarter": 90 * 86400,
    "year": 365 * 86400,
    "decade": 3650 * 86400,
    "century": 36500 * 86400,
}
UNIT_MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
CLOCK_UNITS = frozenset({"second", "minute", "hour"})

SMALL: dict[str, int] = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
TENS: dict[str, int] = {
    word: value * 10
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
ORDINALS: dict[str, int] = {
    **{
        word: value
        for value, word in enumerate(
            [
                "first",
                "second",
                "third",
                "fourth",
                "fifth",
                "sixth",
                "seventh",
                "eighth",
                "ninth",
                "tenth",
                "eleventh",
                "twelfth",
                "thirteenth",
                "fourteenth",
                "fifteenth",
                "sixteenth",
                "seventeenth",
                "eighteenth",
                "nineteenth",
                "twentieth",
            ],
            start=1,
        )
    },
    "thirtieth": 30,
}
ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
DECADE_WORDS: dict[str, int] = {
    "noughties": 2000,
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}

# Steps from the current unit; "past" alone may also mean the rolling span that ends now.
STEPS: dict[str, int] = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "prior": -1,
    "preceding": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "upcoming": 1,
    "following": 1,
    "subsequent": 1,
}
DAY_WORDS: dict[str, int] = {
    "today": 0,
    "yesterday": -1,
    "yday": -1,
    "tomorrow": 1,
    "tomorow": 1,
    "tommorow": 1,
    "tommorrow": 1,
    "tmr": 1,
    "tmrw": 1,
    "tomo": 1,
}
# Where a part begins and ends inside its whole, in words that mean an early, middle or late part.
FUZZ: dict[str, str] = {
    "early": "early",
    "earlier": "earlier",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "later": "later",
    "end": "late",
}

# Hours follow the published table of the Recognizers-Text project, so that results can be compared.
DAY_PARTS: dict[str, tuple[int, int]] = {
    "morning": (8, 12),
    "mornings": (8, 12),
    "afternoon": (12, 16),
    "afternoons": (12, 16),
    "evening": (16, 20),
    "evenings": (16, 20),
    "night": (20, 24),
    "nights": (20, 24),
    "nighttime": (0, 8),
    "daytime": (8, 18),
    "lunchtime": (11, 13),
    "dinnertime": (16, 20),
    "breakfast": (8, 12),
    "lunch": (11, 13),
    "dinner": (16, 20),
}
MEALS = frozenset({"breakfast", "lunch", "dinner"})

SEASONS: dict[str, int] = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
DOUBTFUL_SEASONS = frozenset({"spring", "fall"})

ADVERB_PERIODS: dict[str, int] = {
    "hourly": 3600,
    "daily": 86400,
    "nightly": 86400,
    "weekly": 7 * 86400,
    "biweekly": 14 * 86400,
    "fortnightly": 14 * 86400,
    "monthly": 30 * 86400,
    "bimonthly": 60 * 86400,
    "quarterly": 90 * 86400,
    "semiannual": 182 * 86400,
    "semiannually": 182 * 86400,
    "yearly": 365 * 86400,
    "annual": 365 * 86400,
    "annually": 365 * 86400,
    "biannual": 182 * 86400,
    "biannually": 182 * 86400,
    "everyday": 86400,
}

# A holiday is (month, day), (month, weekday, nth) with -1 for the last, or ("easter", days after).
Holiday = tuple[int, int] | tuple[int, int, int] | tuple[str, int]
HOLIDAYS: dict[tuple[str, ...], Holiday] = {
    ("christmas",): (12, 25),
    ("christmas", "day"): (12, 25),
    ("christmas", "eve"): (12, 24),
    ("xmas",): (12, 25),
    ("xmas", "day"): (12, 25),
    ("xmas", "eve"): (12, 24),
    ("boxing", "day"): (12, 26),
    ("new", "year"): (1, 1),
    ("new", "years"): (1, 1),
    ("new", "year", "'s"): (1, 1),
    ("new", "year", "day"): (1, 1),
    ("new", "years", "day"): (1, 1),
    ("new", "year", "'s", "day"): (1, 1),
    ("new", "year", "eve"): (12, 31),
    ("new", "years", "eve"): (12, 31),
    ("new", "year", "'s", "eve"): (12, 31),
    ("valentine", "'s", "day"): (2, 14),
    ("valentines", "day"): (2, 14),
    ("valentine", "'s"): (2, 14),
    ("valentine", "day"): (2, 14),
    ("groundhog", "day"): (2, 2),
    ("saint", "patrick"): (3, 17),
    ("saint", "patrick", "'s", "day"): (3, 17),
    ("st", "patrick", "'s", "day"): (3, 17),
    ("st", "patricks", "day"): (3, 17),
    ("april", "fools"): (4, 1),
    ("april", "fool", "'s", "day"): (4, 1),
    ("april", "fools", "day"): (4, 1),
    ("earth", "day"): (4, 22),
    ("may", "day"): (5, 1),
    ("cinco", "de", "mayo"): (5, 5),
    ("juneteenth",): (6, 19),
    ("independence", "day"): (7, 4),
    ("halloween",): (10, 31),
    ("guy", "fawkes"): (11, 5),
    ("veterans", "day"): (11, 11),
    ("veteran", "'s", "day"): (11, 11),
    ("remembrance", "day"): (11, 11),
    ("women", "'s", "day"): (3, 8),
    ("martin", "luther", "king", "day"): (1, 0, 3),
    ("mlk", "day"): (1, 0, 3),
    ("presidents", "day"): (2, 0, 3),
    ("president", "'s", "day"): (2, 0, 3),
    ("mother", "'s", "day"): (5, 6, 2),
    ("mothers", "day"): (5, 6, 2),
    ("memorial", "day"): (5, 0, -1),
    ("father", "'s", "day"): (6, 6, 3),
    ("fathers", "day"): (6, 6, 3),
    ("labor", "day"): (9, 0, 1),
    ("labour", "day"): (9, 0, 1),
    ("columbus", "day"): (10, 0, 2),
    ("thanksgiving",): (11, 3, 4),
    ("thanksgiving", "day"): (11, 3, 4),
    ("easter",): ("easter", 0),
    ("easter", "sunday"): ("easter", 0),
    ("easter", "monday"): ("easter", 1),
    ("good", "friday"): ("easter", -2),
    ("palm", "sunday"): ("easter", -7),
    ("ash", "wednesday"): ("easter", -46),
    ("mardi", "gras"): ("easter", -47),
    ("black", "friday"): ("thanksgiving", 1),
    ("cyber", "monday"): ("thanksgiving", 4),
}
HOLIDAY_HEADS: dict[str, tuple[tuple[str, ...], ...]] = {
    head: tuple(sorted((name for name in HOLIDAYS if name[0] == head), key=len, reverse=True))
    for head in {name[0] for name in HOLIDAYS}
}
# What may follow an expression that stands at the end of its clause.
CLAUSE_ENDS = word_set(". , ! ? ; : ( )") | {""}
CLAUSE_LINKS = CLAUSE_ENDS | word_set("and or for on with if but")
GREETINGS = frozenset({"happy", "merry", "good"})

FUTURE_CUES = word_set(
    "will won't shall gonna going plan plans planning planned upcoming hope hoping expect soon can could "
    "should might let lets remind schedule tomorrow next"
)

_OPENERS = word_set(
    "the a an in on at from between since until till til by before after around about approximately "
    "roughly every each rest within during last next this past previous prior coming upcoming current "
    "following early earlier late later mid middle beginning start starting end first couple few several "
    "some another half all whole full more less once twice any no as up remainder entire my our these "
    "other to preceding subsequent q h w cy fy bi semi quarter same"
)
_ALSO_HOT = word_set(
    "tonight tonite noon midday midnight now ago eod eom eoy clock o'clock weekday "
    "weekdays date past thousand thousands nineteen eighteen pm am valentine valentines patrick patricks fool "
    "fools mayo gras fawkes"
)
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
        *_ALSO_HOT,
    }
)
# Words an expression may open with when a hot word follows closely.
LEADS: frozenset[str] = _OPENERS | frozenset({*HOLIDAY_HEADS, *SMALL, *TENS, *ORDINALS})
# Words and signs that may stand between the opening word and the hot one.
CHAINED: frozenset[str] = (
    LEADS
    | {part for name in HOLIDAYS for part in name}
    | word_set("of than and part single time good solid dozen hundred work working business calendar fiscal final")
    | word_set("c x times per present right breakfast lunch dinner commencing ' 's - – / . , ( ½ very")
)
