"""Questions that say outright what their answer shows: a time or a figure, which a text has or has not.

Owns that test alone; how near a text comes to a question is judged elsewhere. Invariant: what it cannot tell for
certain (another language, another sort of answer) it leaves open.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from typing import Final

from palazzo.text.dates.find import find_dates
from palazzo.text.meaning.answering import Sort, gives, nouns_of_sorts, reading
from palazzo.text.words.grammar import base_of
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import word_terms

_ANY_DAY: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
_WHAT_IS: Final = re.compile(
    r"^\W*(?:(?:and|so|hey|ok(?:ay)?|but)\W+)?what(?:[’']?s| is| are| was| were)\b(?!.*\bof\b)", re.IGNORECASE
)


@once
def asked_outright(question: str) -> Sort:
    """The sort that a question in English asks for in so many words, where an answer shows it: a time or a figure."""
    asked = reading(question)
    if not asked.asks or asked.polar or parsed(question).language != ENGLISH:
        return ""
    sort = asked.sort
    if sort == "other" and _WHAT_IS.match(question):  # "what's Dr. Lind's phone number?"
        last = base_of(question.rstrip(" ?!.").rpartition(" ")[2].casefold())
        sort = nouns_of_sorts().get((*word_terms(last), last)[0], sort)
    return sort if sort in ("time", "number") else ""


@once
def shows(text: str, sort: Sort) -> bool:
    """Whether a text has a figure or a time in it, days in short and with slips too: "Tue judo", "on mondys"."""
    return gives(text, sort) or _shown(sort).search(text) is not None or bool(find_dates(text, _ANY_DAY))


@cache
def _shown(sort: Sort) -> re.Pattern[str]:
    return re.compile(page("asking", EVERY_LANGUAGE).pattern("patterns", f"shown_{sort}"), re.IGNORECASE)
