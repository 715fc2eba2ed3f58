"""Changes told without naming what they change: a successor, a parting, the next floor, another figure and "now".

Owns the rules of contradiction for statements that share no slot: each compares two readings and says whether the newer
one takes the older one back, with the scores of `contradiction`. Owns too the signs of a change, cheap enough to be
looked for in every statement, which is given in lower case; the words are data. Knows nothing of memories.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final

from palazzo.text.change.reading import FUNCTION, StatementReading, leading_names
from palazzo.text.dates.words import MONTHS
from palazzo.text.facts.quantities import stem
from palazzo.text.words.grammar import BE, Tokens
from palazzo.text.words.lexicon import page

_PAGE: Final = page("change")

CERTAIN: Final = 0.8
LIKELY: Final = 0.75
_ORDINALS: Final = _PAGE.words("ordinals")
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th)")
_NUMBERS: Final = _PAGE.words("numbers")
_STANDING: Final = _PAGE.words("standing")
_SPEAKER: Final = _PAGE.words("speaker")
_TOGETHER: Final = _PAGE.words("together")


def by_succession(old: StatementReading, new: StatementReading) -> float:
    """ "Tom took over as project lead from Maria", "Tom replaced Maria as project lead" against "the lead is Maria"."""
    role = new.news.role_taken
    if not role or not role <= old.content or not any(bit & BE for bit in old.tokens.bits):
        return 0.0
    return CERTAIN if len(old.content - role) <= 2 and not old.names <= role | _opening_names(new) else 0.0


def _opening_names(reading: StatementReading) -> frozenset[str]:
    return reading.names & frozenset(map(stem, reading.tokens.lower[:3]))


def by_parting(old: StatementReading, new: StatementReading) -> float:
    """ "Sam and I broke up" against "I am dating Sam"."""
    if not new.news.parted or _TOGETHER.isdisjoint(old.content):
        return 0.0
    before, after = (reading.names | leading_names(reading.tokens) for reading in (old, new))
    of_speaker = not before and not _SPEAKER.isdisjoint(new.tokens.lower)
    return CERTAIN if before & after or of_speaker else 0.0


def by_ordinal(old: StatementReading, new: StatementReading) -> float:
    """ "started fourth grade" against "is in third grade", "moved to the fifth floor" against "on the third floor"."""
    if (not new.news.arrives and not new.updates) or _opening(old.tokens) != _opening(new.tokens):
        return 0.0
    if _STANDING.isdisjoint(old.tokens.lower) and old.news.did:
        return 0.0  # what was done once stays done: "finished chapter 3", "started chapter 4"
    before, after = _counted_off(old.tokens), _counted_off(new.tokens)
    return LIKELY if any(noun in after and after[noun] != number for noun, number in before.items()) else 0.0


def _opening(tokens: Tokens) -> list[str]:
    """The words a statement opens with, as far as they tell of whom it is: "the user's son"."""
    return tokens.lower[: 3 if tokens.lower[1:2] and tokens.lower[1].endswith("'s") else 2]


def _counted_off(tokens: Tokens) -> dict[str, str]:
    """Things told apart by their place in a row or a number: "the third floor", "4th grade", "room 204"."""
    numbered = {
        stem(word): following for (word, following), bit in zip(pairwise(tokens.lower), tokens.bits, strict=False)
        if following.isdigit() and word.isalpha() and not bit & FUNCTION and word not in MONTHS
    }  # fmt: skip
    return numbered | {
        stem(following): word for word, following in pairwise(tokens.lower)
        if following.isalpha() and (word in _ORDINALS or _ORDINAL.fullmatch(word))
    }  # fmt: skip


def by_figure(old: StatementReading, new: StatementReading) -> float:
    """The same sentence with one other figure and a word for "now": "I run 5 km a day", "I run 8 km a day now"."""
    if not new.updates or len(old.frame) != len(new.frame) or len(old.frame) < 4:
        return 0.0
    apart = [(a, b) for a, b in zip(old.frame, new.frame, strict=True) if a != b]
    return CERTAIN if len(apart) == 1 and all(word[:1].isdigit() or word in _NUMBERS for word in apart[0]) else 0.0


def by_age(old: StatementReading, new: StatementReading) -> float:
    """ "My son turned 8" against "My son is 7 years old"."""
    told = "old" in old.tokens.lower and any(quantity.unit == "year" for quantity in old.quantities)
    turned = any(fact.predicate == "age" for fact in new.slots)
    return CERTAIN if told and turned and _opening(old.tokens) == _opening(new.tokens) else 0.0


def by_holder(old: StatementReading, new: StatementReading) -> float:
    """ "Mrs. Koch is my landlord now" against "My landlord is Mr. Weber": the sentence turned round."""
    if not new.updates and not new.announces:
        return 0.0
    held, now = _copula(old), _copula(new)
    if held is None or now is None:
        return 0.0
    (office, holder), (successor, taken) = held, now
    return CERTAIN if office and office == taken and holder and successor and not holder & successor else 0.0


def _copula(reading: StatementReading) -> tuple[frozenset[str], frozenset[str]] | None:
    """The content words before and after "is"."""
    tokens = reading.tokens
    at = next((k for k, bit in enumerate(tokens.bits) if bit & BE), 0)
    if not at or tokens.lower[at] not in ("is", "are"):
        return None
    before, after = (
        frozenset(stem(word) for word, bit in zip(tokens.lower[part], tokens.bits[part], strict=True)
                  if not bit & FUNCTION and word not in ("user's", "user", "mr", "mrs", "ms", "dr"))
        for part in (slice(at), slice(at + 1, None))
    )  # fmt: skip
    return before, after


RULES: Final = (by_succession, by_parting, by_ordinal, by_age, by_holder)


_MIND_SIGNS: Final = _PAGE.in_order("mind_signs")


@cache
def _sign(name: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("signs", name))


def gives_figure(low: str) -> bool:
    """Whether a figure is given, in digits or in words."""
    return _sign("figure").search(low) is not None


def may_tell_change(low: str) -> bool:
    """Whether a word of change, of denial or of liking stands in it."""
    return _sign("change").search(low) is not None


def changes_mind(low: str) -> bool:
    """Whether an attitude is taken back, even where a change of mind is told as something that happened."""
    return any(sign in low for sign in _MIND_SIGNS) and _sign("changed_mind").search(low) is not None


def tells_end(low: str) -> bool:
    """Whether something that was so is said to be over, told as something that happened."""
    return _sign("over").search(low) is not None


def tells_now(low: str) -> bool:
    """Whether something is said to be so now, or again."""
    return _sign("since").search(low) is not None


def tells_habit(low: str) -> bool:
    """Whether it tells when something always is: no happening, though a day is named."""
    return _sign("habit").search(low) is not None
