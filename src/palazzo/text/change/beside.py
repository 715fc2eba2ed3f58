"""Whether two statements can hold beside each other: they are of two things, of different cases, of what can be many,
or the newer one tells how it was.

Owns the tests by which something that looks like a change is none, judged from the two texts alone. Knows nothing of
how strongly two statements disagree (`contradiction`). Invariant: what announces a change holds beside nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import Final

from palazzo.text.change.reading import StatementReading, leading_names
from palazzo.text.dates.find import find_dates
from palazzo.text.words.grammar import AUX, DET, NAME, NUM, POSS, VERB, base_of
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once

_PAGE: Final = page("change")

_ADDITIVE: Final = _PAGE.words("additive")
_IN_CHARGE: Final = _PAGE.words("in_charge")
_HAS: Final = frozenset({"have", "own"})
_OF_WHAT: Final = frozenset({"to", "of"})
_STANDING: Final = _PAGE.words("standing")
_LEAST_APART: Final = 2
_LEAST_SHARED: Final = 2
_SAME_FRAME, _SAME_WORDS = 0.4, 0.5
"""Shares of the words that two statements have in common which say something of two things in the same words, and from
which on it does not matter whether they begin with different ones."""

_CLOCK: Final = frozenset({"time", "datetime"})
_CLOCKED: Final = re.compile(r"\d|\b(?:noon|midnight|o'clock|half past)\b")
_ANY_DAY: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
_LABEL: Final = re.compile(r"(?<!\S)(?=\S*[^\W\d])(?=\S*\d)[\w-]+(?!\S)")
_PERIOD: Final = re.compile(r"\b(this|next|last) (week|weekend|month|quarter|year|term|sprint|season)\b")

read = once(StatementReading)
"""The reading of a statement, shared by all who compare it."""


def of_other_cases(old: str, new: str) -> bool:
    """Whether two statements give figures of the same thing for different cases, so that both hold."""
    before, after = read(old), read(new)
    if after.announces or not for_other_cases(before, after):
        return False
    first, second = before.content - before.cases, after.content - after.cases
    return 2 * len(first & second) >= min(len(first), len(second))


def tells_how_it_was(old: str, new: str) -> bool:
    """Whether the newer statement is of the past of what the older one says is so."""
    return of_how_it_was(read(old), read(new))


def of_another_thing(old: str, new: str) -> bool:
    """Whether two statements say in the same words something of two things ("The barn holds 40 sheep", "The shed holds
    12 sheep": two parts differ, nothing is announced), of two by their numbers, or the older deed stays done."""
    before, after = read(old.rstrip(".")), read(new.rstrip("."))
    if of_another_number(old, new) or (before.done and not after.negated):
        return True
    if after.announces or after.updates or after.negated != before.negated:
        return False
    if _goes_on(before, after):
        return True
    first, second = before.tokens.lower, after.tokens.lower
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    shared = sum(end - start for kind, start, end, *_ in blocks if kind == "equal")
    apart = [start for kind, *_, start, _ in blocks if kind == "replace"]
    verb = next((at for at, bits in enumerate(after.tokens.bits) if bits & (VERB | AUX)), 0)
    longest = max(len(first), len(second))
    if len(apart) < _LEAST_APART or shared < _SAME_FRAME * longest:
        return False
    return apart[0] < verb or (shared >= _SAME_WORDS * longest and not after.gives_figure)


def of_another_number(old: str, new: str) -> bool:
    """Whether two statements are of two things by their numbers or labels: "chapter 3"; "box b42"."""
    before, after = read(old.rstrip(".")), read(new.rstrip("."))
    told, tells = _labels(before), _labels(after)
    if told and tells and told != tells:
        return True
    return bool(before.numbered and after.numbered and before.numbered != after.numbered)


def _labels(one: StatementReading) -> frozenset[str]:
    """What a statement is about by letters and digits: "A-17", "the 3rd floor"; not what it says of it."""
    verb = next((at for at, bits in enumerate(one.tokens.bits) if bits & (VERB | AUX) and not bits & NAME), 0)
    return frozenset(_LABEL.findall(" ".join(one.tokens.lower[:verb])))


def _goes_on(old: StatementReading, new: StatementReading) -> bool:
    """Whether the newer statement says of whom the older one ends with what that one says of another: "Ada leads Bo",
    "Bo leads Cleo"."""
    first, second = leading_names(old.tokens), leading_names(new.tokens)
    same_deed = not old.news.does.isdisjoint(new.news.does)
    return bool(second) and same_deed and second <= old.names - first


def of_other_times(old: str, new: str) -> bool:
    """Whether two statements tell of two weeks, months or years ("this week it's Ann", "next week it's Bo"), or of one
    deed at two times of day: "fed the hens at 7:10", "fed the hens at 18:45"."""
    told, tells = (dict(map(reversed, _PERIOD.findall(one.lower()))) for one in (old, new))
    if any(told[unit] != tells[unit] for unit in told.keys() & tells.keys()):
        return True
    if not (_CLOCKED.search(old) and _CLOCKED.search(new)):
        return False
    if not of_one_deed(old, new):
        return False
    first, second = ({span.text for span in find_dates(one, _ANY_DAY) if span.kind in _CLOCK} for one in (old, new))
    return bool(first and second) and first.isdisjoint(second)


def of_one_deed(old: str, new: str) -> bool:
    """Whether both tell that the same was done, and nothing announces a change: it was done twice."""
    return not read(old).news.did.isdisjoint(read(new).news.did) and not tells_of_change(new)


def tells_of_change(statement: str) -> bool:
    """Whether a statement says of itself that something is otherwise than it was."""
    told = read(statement)
    return bool(told.announces or told.updates or told.negated)


def adds_another(old: str, new: str) -> bool:
    """Whether the newer statement only adds to what can be many: "Nell collects maps", "Nell collects shells".

    Both begin alike, up to what somebody likes, speaks, reads, takes or has, and nothing is announced; figures and
    names of what one has are no additions.
    """
    before, after = read(old.rstrip(".")), read(new.rstrip("."))
    if after.announces or after.updates or after.negated != before.negated:
        return False
    if _has_more_in_charge(before, after):
        return True
    first, second = before.tokens.lower, after.tokens.lower
    alike = next((at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), 0)
    while alike and (before.tokens.bits[alike - 1] & (DET | POSS) or first[alike - 1] in _OF_WHAT):
        alike -= 1
    verb = first[alike - 1] if alike > 1 else ""
    verb = verb if verb in _ADDITIVE else base_of(verb)
    told = [*before.tokens.bits[alike:], *after.tokens.bits[alike:]]
    if verb not in _ADDITIVE or "only" in first or any(bit & NUM for bit in told) or after.gives_figure:
        return False
    return not (verb in _HAS and any(bit & NAME for bit in told))


def _has_more_in_charge(old: StatementReading, new: StatementReading) -> bool:
    """Whether both say what the same person is in charge of: "Ada runs two shops", "Ada manages Bo"."""
    both = old.tokens.lower[:1] == new.tokens.lower[:1]
    return both and not any(_IN_CHARGE.isdisjoint(reading.news.does) for reading in (old, new))


def says_alike(old: str, new: str) -> bool:
    """Whether the newer statement begins as the older one does and ends otherwise, without a figure and without a word
    that something changed: "Nell draws in ink", "Nell draws horses". It may be a change, or simply more."""
    before, after = read(old.rstrip(".")), read(new.rstrip("."))
    if after.announces or after.updates or after.negated or after.ends or after.gives_figure:
        return False
    return shared_from(before.tokens.lower, after.tokens.lower) >= _LEAST_SHARED


def for_other_cases(old: StatementReading, new: StatementReading) -> bool:
    """Whether two figures are given for different cases: "10 MB on the web", "50 MB via the phone"; "in staging", "in
    production". Each then names something with such a word that the other does not."""
    if not (old.gives_figure and new.gives_figure):
        return False
    first, second = old.cases, new.cases
    return bool(first - second) and bool(second - first)


def of_how_it_was(old: StatementReading, new: StatementReading) -> bool:
    """Whether the newer statement is of the past of what the older one says is so: "closes at 8", "closed at 5".

    Not one that announces a change, and not what was done to something: "was moved to Tuesday".
    """
    if new.announces or new.updates or new.negated:
        return False
    if new.news.was and not _STANDING.isdisjoint(old.tokens.lower):
        return True
    return not new.news.did.isdisjoint(old.news.does)


def shared_from(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


BOTH_SURELY_HOLD: Final = (of_other_cases, of_other_times, of_another_number)
"""Of these tests those that no odds of the reader outweigh."""
BOTH_HOLD: Final = (of_other_cases, of_another_thing, tells_how_it_was, adds_another, of_other_times)
"""The tests of two statements that can both hold."""
