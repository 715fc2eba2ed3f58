"""Functional facts stated by a proposition: subject, predicate, value, with what it says about change and certainty.

Owns the frames that turn "her deadline moved from May 1 to May 9" into (her, deadline, May 9, was May 1) and the
comparison of two slots and of their values (are two the same, does one only say the other more exactly?). All matches
are returned, never only the first. Pure text: which memory holds the other value is for the caller to find. Invariant:
`start` and `end` index the proposition text and enclose the value's words.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from palazzo.text.facts.quantities import find_quantities, stem
from palazzo.text.facts.slots import frames
from palazzo.text.facts.slots.phrases import canonical_attributes
from palazzo.text.words.grammar import COORD, DET, PREP, PUNCT
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed

_PAGE: Final = page("slots")

_EMPTY_WORDS: Final = _PAGE.words("empty_words")
_PERIODS: Final = _PAGE.words("periods")
"""What is paid or done by the month is often named without saying so; by the month and by the day are two things."""
_SELF: Final = frozenset(("the user", "user", "i", "me", "we", "my", "our", "myself", ""))


class SlotFact(msgspec.Struct, frozen=True, kw_only=True):
    """One attribute and its value; `confidence` is low when the text hedges."""

    subject: str
    predicate: str
    value: str
    functional: bool
    negated: bool
    confidence: float
    start: int
    end: int
    change_cue: bool
    old_value: str | None


@once
def find_slots(proposition_text: str) -> tuple[SlotFact, ...]:
    """Every slot fact of one proposition."""
    tokens = parsed(proposition_text).said
    mood = frames.read_mood(tokens)
    facts: list[SlotFact] = []
    seen: set[tuple[str, str, str]] = set()
    for found in frames.frames(tokens):
        key = (found.subject, found.predicate, found.value.lower())
        if key in seen or not found.value:
            continue
        seen.add(key)
        unsure = mood.hedges(found.last) or mood.intends(found.last)
        confidence = found.confidence * (0.35 if unsure else 1.0)
        facts.append(
            SlotFact(
                subject=found.subject,
                predicate=found.predicate,
                value=found.value,
                functional=found.functional and not mood.intends(found.last),
                negated=found.negated,
                confidence=round(confidence, 3),
                start=tokens.starts[found.first],
                end=tokens.ends[found.last - 1],
                change_cue=mood.changed or found.changed,
                old_value=found.value if found.negated and mood.changed and not found.old_value else found.old_value,
            )
        )
    return tuple(facts)


@once
def told_predicates(proposition_text: str) -> tuple[str, ...]:
    """The predicates of every slot fact of one proposition, each once; less work than the facts."""
    if not parsed(proposition_text).glossed and frames.states_nothing(proposition_text):
        return ()
    told = frames.stated(parsed(proposition_text).said)
    return tuple(dict.fromkeys(found.predicate for found in told if found.value))


def slot_match(a: SlotFact, b: SlotFact) -> float:
    """How surely two facts fill the same slot: 1 for the same words, less when one is named more broadly, 0 for no."""
    if not _same_owner(a.subject, b.subject):
        return _thing_match(a, b)
    left, right = _canonical(a.predicate), _canonical(b.predicate)
    if left == right:
        return 1.0
    match = _bag_match(_bag(left), _bag(right))
    return match if match == 1.0 or not a.predicate.startswith("tool for") else 0.0


def _thing_match(a: SlotFact, b: SlotFact) -> float:
    """Match of facts whose owner is named in different places ("the trip's budget", "the budget for the trip")."""
    if is_person(a.subject) and is_person(b.subject):
        return 0.0
    if a.predicate == b.predicate == "time" and _holder(a.subject) != _holder(b.subject):
        return 0.0
    left = _bag(a.subject) | _bag(_canonical(a.predicate))
    right = _bag(b.subject) | _bag(_canonical(b.predicate))
    if _head(a.predicate) != _head(b.predicate) or _other_things(a.subject, b.subject):
        return 0.0
    return _bag_match(left, right)


def _holder(thing: str) -> str:
    """Whose a thing is by name: "Mia's flight" is not mine, though mine is only called a flight."""
    name, mark, _ = thing.partition("'s ")
    return name if mark and is_person(name) and name.lower() not in _SELF else ""


def _other_things(a: str, b: str) -> bool:
    """Whether two things are called by different nouns ("the test of the job", "the job")."""
    left, right = _noun(a), _noun(b)
    return bool(left and right) and left != right


@once
def _noun(thing: str) -> str:
    named = re.split(r" (?:of|for|with|in|on|at|about|to) ", thing.lower(), maxsplit=1)[0].split()
    return stem(named[-1].strip(".,;:'\"()")) if named and named[-1] not in _EMPTY_WORDS else ""


def _bag_match(left: frozenset[str], right: frozenset[str]) -> float:
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    small, large = (left, right) if len(left) <= len(right) else (right, left)
    if not small <= large or any(word[0].isdigit() for word in large - small):
        return 0.0
    if large - small <= _PERIODS:
        return 0.9
    return 0.75 if len(small) > 1 else 0.5 if len(large) <= 2 else 0.0


def is_person(subject: str) -> bool:
    """Whether a subject reads as a person: the user, a pronoun, or capitalised names."""
    low = subject.lower()
    if low in _SELF or low in ("he", "she", "they", "the assistant", "you", "his", "her"):
        return bool(low)
    words = [word for word in subject.split() if word]
    return bool(words) and all(word[0].isupper() for word in words) and not any(c.isdigit() for c in subject)


def _same_owner(a: str, b: str) -> bool:
    left, right = a.lower(), b.lower()
    if left == right or (left in _SELF and right in _SELF):
        return True
    if is_person(a) and is_person(b):
        if left in _SELF or right in _SELF:
            return False
        first, second = left.split(), right.split()
        return first[0] == second[0] and (len(first) == 1 or len(second) == 1)
    return _bag(left) == _bag(right) and bool(_bag(left))


@once
def _canonical(predicate: str) -> str:
    low = predicate.lower().removeprefix("tool for ")
    return canonical_attributes().get(low, low)


@once
def _bag(phrase: str) -> frozenset[str]:
    words = phrase.lower().replace("-", " ").replace("_", " ").split()
    return frozenset(stem(word.strip(".,;:'\"()")) for word in words if word not in _EMPTY_WORDS)


def _head(predicate: str) -> str:
    words = _canonical(predicate).split()
    return stem(words[-1]) if words else ""


def things_overlap(a: str, b: str) -> bool:
    """Whether the names of two things share a word, or one has no name."""
    left, right = _bag(a), _bag(b)
    return not left or not right or not left.isdisjoint(right)


def other_owners(a: SlotFact, b: SlotFact) -> bool:
    """Whether two facts are surely of different owners: two people, or two things, neither named whole in the other."""
    people = is_person(a.subject) + is_person(b.subject)
    if people:
        return people == 2 and not _same_owner(a.subject, b.subject)
    left, right = _bag(a.subject), _bag(b.subject)
    if not left or not right:
        return False
    return not left <= right | _bag(b.predicate) and not right <= left | _bag(a.predicate)


@once
def _value_words(value: str) -> frozenset[str]:
    tokens = parsed(value).tokens
    words = []
    for quantity in find_quantities(tokens):
        words.append(f"{quantity.value:g}{quantity.unit if quantity.unit in ('clock', 'date', '%') else ''}")
    taken = {k for quantity in find_quantities(tokens) for k in range(quantity.first, quantity.last)}
    for at, (word, bit) in enumerate(zip(tokens.lower, tokens.bits, strict=True)):
        if at not in taken and not bit & (PUNCT | DET | PREP | COORD):
            version = len(word) > 1 and word[0] == "v" and word[1].isdigit()
            words.append(word[1:] if version else stem(word))
    return frozenset(words) or frozenset(tokens.lower)


def same_value(a: str, b: str) -> bool:
    """Whether two values say the same, in their words or in all their figures."""
    left, right = _value_words(a), _value_words(b)
    if left == right or _same_hour(a, b):
        return True
    figures_left = {w for w in left if w[0].isdigit()}
    figures_right = {w for w in right if w[0].isdigit()}
    return bool(figures_left) and figures_left == figures_right


def _same_hour(a: str, b: str) -> bool:
    """Whether one is an hour without its half of the day, and the other that hour: "9", "9 am"."""
    for bare, told in ((a, b), (b, a)):
        if bare.isdigit() and len(bare) <= 2:
            return _figures(told) in ({(60.0 * int(bare), "clock")}, {(60.0 * (int(bare) + 12), "clock")})
    return False


def leading_word(value: str) -> str:
    """The first word of a value."""
    words = value.lower().replace("'s", "").split()
    return words[0] if words else ""


def refines(a: str, b: str) -> bool:
    """Whether one value only says the other more exactly ("Berlin", "Berlin, Germany")."""
    left, right = _value_words(a), _value_words(b)
    return left <= right or right <= left


def same_moment(earlier: str, later: str) -> bool:
    """Whether the later one names the earlier day or hour again and adds to it ("May 4", "May 4 at 9 am")."""
    told, tells = _figures(earlier), _figures(later)
    return bool(told) and told <= tells and all(unit in ("date", "clock") for _, unit in told)


def _figures(value: str) -> frozenset[tuple[float, str]]:
    return frozenset((quantity.value, quantity.unit) for quantity in find_quantities(parsed(value).tokens))
