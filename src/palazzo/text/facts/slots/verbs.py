"""Frames that a verb opens: living, working, using, liking, owning, changing.

Owns one reader per group of verbs. Knows nothing about the copula frames. Invariant: a frame answers only when the
words after the verb have the shape it expects; anything else yields nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from palazzo.text.facts.quantities import Quantity, quantity_at
from palazzo.text.facts.slots.phrases import (
    LIKING_VERBS,
    NUMBERED,
    OWNING_VERBS,
    RATE_VERBS,
    RELATIONSHIPS,
    TELLING_VERBS,
    TOOL_VERBS,
    FoundSlot,
    bare_hour,
    is_role,
    person_of,
    phrase_before,
    read_value,
    subject_text,
)
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    BE,
    DET,
    DO,
    GERUND,
    HAVE,
    MODAL,
    NAME,
    NEG,
    NOUNISH,
    PARTICIPLE,
    PAST,
    PREP,
    PUNCT,
    SUBJ,
    Tokens,
    base_of,
)
from palazzo.text.words.lexicon import page

_PAGE: Final = page("slots")

_MONTHS: Final = _PAGE.words("months")
_BOUNDS: Final = {
    "end": "end time", "expire": "end time", "close": "end time", "finish": "end time", "start": "start time",
    "begin": "start time", "open": "start time", "leave": "start time",
}  # fmt: skip
_EMPLOYED: Final = {"work": ("at", "for"), "start": ("at",), "hire": ("at", "by"), "employ": ("at", "by")}
"""What stands before an employer; who works or starts with something uses it."""
_RATES: Final = {"cost": "price", "earn": "income", "charge": "price", "weigh": "weight", "last": "duration"}
_PETS: Final = _PAGE.words("pets")


def verb_frames(tokens: Tokens, at: int, floor: int, base: str) -> Iterator[FoundSlot]:
    """Slots stated by the verb at `at`, whose base form is `base`."""
    if base not in TELLING_VERBS and base not in _BOUNDS:
        return
    negated = _negated(tokens, at)
    if base in LIKING_VERBS:
        yield from _liking(tokens, at, floor, base, negated=negated)
    elif base in ("live", "reside"):
        yield from _living(tokens, at, floor, negated=negated)
    elif base in ("work", "join", "hire", "employ", "leave", "quit", "start"):
        yield from _working(tokens, at, floor, base, negated=negated)
    elif base == "report":
        yield from _reporting(tokens, at, floor, negated=negated)
    elif base == "get":
        yield from _getting(tokens, at, floor)
    elif base in ("become", "promote"):
        yield from _becoming(tokens, at, floor)
    elif base in ("date", "break", "split", "separate"):
        yield from _pairing(tokens, at, floor)
    elif base in TOOL_VERBS:
        yield from _using(tokens, at, floor, negated=negated)
    elif base in OWNING_VERBS or base in RATE_VERBS or base in ("turn", "drive", "bear", "marry"):
        yield from _having(tokens, at, floor, base, negated=negated)
    if base in _BOUNDS:
        yield from _bounded(tokens, at, floor, base)


def persona(tokens: Tokens, floor: int, at: int) -> str:
    """The name in front of a profile heading in the first person ("Anna Lee Films I like: ..."), or nothing."""
    if at - floor < 2 or not all(tokens.bits[k] & NAME for k in range(floor, at - 1)):
        return ""
    return tokens.text[tokens.starts[floor] : tokens.ends[at - 2]]


def is_month(word: str) -> bool:
    """Whether a word can begin a date."""
    return word in _MONTHS


def measured(tokens: Tokens, first: int) -> str:
    """Predicate that a figure at `first` implies: a time, a price, or the unit it is given in."""
    at = first + 1 if tokens.bits[first] & PREP and first + 1 < len(tokens.lower) else first
    quantity = quantity_at(tokens, at)
    if quantity is not None:
        if quantity.unit in ("clock", "date") or (not quantity.unit and bare_hour(tokens, at)):
            return "time"
        return "price" if quantity.unit in "$€£¥₹" and quantity.unit else f"figure in {quantity.unit or 'number'}"
    return "time" if is_month(tokens.lower[first]) else ""


def _negated(tokens: Tokens, at: int) -> bool:
    for here in range(max(0, at - 4), at):
        if tokens.bits[here] & NEG and not tokens.bits[here] & DET:
            return True
        if tokens.lower[here] == "no" and here + 1 < at and tokens.lower[here + 1] == "longer":
            return True
    if at and tokens.lower[at - 1] in ("or", "nor"):  # "has never deployed the app or used Docker"
        return any(tokens.lower[here] in ("never", "not") for here in range(max(0, at - 14), at))
    return at >= 2 and tokens.lower[at - 2 : at] == ("used", "to")


def subject_before(tokens: Tokens, at: int, floor: int) -> str:
    first, last = phrase_before(tokens, at, floor)
    if last <= first:
        return clause_subject(tokens, at, floor)
    return subject_text(tokens, first, last) or clause_subject(tokens, at, floor)


def clause_subject(tokens: Tokens, at: int, floor: int) -> str:
    """The person at the head of the clause, when the verb is an infinitive or stands after a conjunction."""
    lower, bits = tokens.lower, tokens.bits
    if (floor < len(lower) and lower[floor] in ("i", "we")) or lower[floor : floor + 2] == ("the", "user"):
        return "the user"
    end = floor
    while end < at and bits[end] & NAME:
        end += 1
    return tokens.text[tokens.starts[floor] : tokens.ends[end - 1]].removesuffix("'s") if end > floor else ""


def _is_past(tokens: Tokens, at: int) -> bool:
    """A plain past form, not "has lived" nor "is based"."""
    if not tokens.bits[at] & PAST or tokens.bits[at] & BASE:
        return False
    return not any(tokens.bits[k] & (HAVE | BE) for k in range(max(0, at - 3), at))


def _bounded(tokens: Tokens, at: int, floor: int, base: str) -> Iterator[FoundSlot]:
    """ "the lease ends in March", "the shop opens at 9 am"."""
    lower = tokens.lower
    if at + 2 >= len(lower) or lower[at + 1] not in ("in", "on", "at", "by"):
        return
    value, first, last = read_value(tokens, at + 2)
    whose = subject_before(tokens, at, floor)
    subject = owned_thing(whose)
    if value and subject and not person_of(whose) and measured(tokens, first) == "time":
        yield FoundSlot(subject, _BOUNDS[base], value, first, last, 0.8)


def _living(tokens: Tokens, at: int, floor: int, *, negated: bool) -> Iterator[FoundSlot]:
    lower = tokens.lower
    then = at + 1
    while then < len(lower) and tokens.bits[then] & ADV:
        then += 1
    if then + 1 >= len(lower) or lower[then] not in ("in", "at", "near"):
        return
    value, first, last = read_value(tokens, then + 1)
    past = _is_past(tokens, at)
    yield FoundSlot(
        subject_before(tokens, at, floor), "former city" if past else "city", value, first, last, 0.85,
        functional=not past, negated=negated, changed=negated,
    )  # fmt: skip


def _working(tokens: Tokens, at: int, floor: int, base: str, *, negated: bool) -> Iterator[FoundSlot]:
    lower, bits = tokens.lower, tokens.bits
    total = len(lower)
    subject = subject_before(tokens, at, floor)
    past = _is_past(tokens, at) and base == "work"
    for here in range(at + 1, min(total - 1, at + 7)):
        if bits[here] & PUNCT or bits[here] & AUX:
            break
        if lower[here] == "as" and base in ("work", "start", "hire", "employ"):
            value, first, last = read_value(tokens, here + 1)
            if is_role(tokens, first, last):
                yield FoundSlot(subject, "role", value, first, last, 0.8, functional=not past, negated=negated)
        if lower[here] in _EMPLOYED.get(base, ()) and bits[here + 1] & NAME:
            value, first, last = read_value(tokens, here + 1)
            predicate = "former employer" if past else "employer"
            yield FoundSlot(subject, predicate, value, first, last, 0.8, functional=not past, negated=negated)
    if base in ("join", "leave", "quit") and at + 1 < total and bits[at + 1] & NAME and not bits[at + 1] & DET:
        value, first, last = read_value(tokens, at + 1)
        yield FoundSlot(subject, "employer", value, first, last, 0.6, negated=base != "join", changed=True)


def _reporting(tokens: Tokens, at: int, floor: int, *, negated: bool) -> Iterator[FoundSlot]:
    """ "reports to Petra": whose manager that is."""
    if at + 2 < len(tokens.lower) and tokens.lower[at + 1] == "to" and tokens.bits[at + 2] & NAME:
        value, first, last = read_value(tokens, at + 2)
        yield FoundSlot(subject_before(tokens, at, floor), "manager", value, first, last, 0.85, negated=negated)


def numbered(tokens: Tokens, at: int) -> bool:
    """Whether "version 2.4" or the like begins at `at`."""
    return at + 1 < len(tokens.lower) and tokens.lower[at] in NUMBERED and tokens.lower[at + 1][:1].isdigit()


def _getting(tokens: Tokens, at: int, floor: int) -> Iterator[FoundSlot]:
    """ "got engaged to Ann", "we got divorced"."""
    lower = tokens.lower
    told = lower[at + 1] if at + 1 < len(lower) else ""
    if told not in RELATIONSHIPS:
        return
    subject = subject_before(tokens, at, floor)
    yield FoundSlot(subject, "relationship status", told, at + 1, at + 2, 0.85, changed=True)
    if lower[at + 2 : at + 3] == ("to",) and at + 3 < len(lower):
        value, first, last = read_value(tokens, at + 3)
        yield FoundSlot(subject, "partner", value, first, last, 0.8)


def _pairing(tokens: Tokens, at: int, floor: int) -> Iterator[FoundSlot]:
    """ "is dating Ann", "Ann and the user broke up", "we separated"."""
    lower = tokens.lower
    head = lower[floor:at]
    own = "we" in head or any(pair == ("the", "user") for pair in pairwise(head))
    subject = "the user" if own else subject_before(tokens, at, floor)
    if base_of(lower[at]) == "date":
        whom = at + 1 < len(lower) and (
            tokens.bits[at + 1] & NAME or lower[at + 1] in ("a", "an", "someone", "somebody")
        )
        if tokens.bits[at] & GERUND and whom:
            value, first, last = read_value(tokens, at + 1)
            yield FoundSlot(subject, "relationship status", "dating", at, at + 1, 0.8)
            yield FoundSlot(subject, "partner", value, first, last, 0.8)
    elif (lower[at + 1 : at + 2] == ("up",) and not (at + 2 < len(lower) and tokens.bits[at + 2] & DET)) or (
        lower[at] == "separated" and own
    ):
        yield FoundSlot(subject, "relationship status", "separated", at, at + 1, 0.85, changed=True)
        yield FoundSlot(subject, "partner", "nobody", at, at + 1, 0.8, changed=True)


def _becoming(tokens: Tokens, at: int, floor: int) -> Iterator[FoundSlot]:
    lower = tokens.lower
    start = at + 1
    if start < len(lower) and lower[start] == "to":
        start += 1
    elif lower[at].startswith("promot"):
        return
    value, first, last = read_value(tokens, start)
    if value and (is_role(tokens, first, last) or tokens.lower[at].startswith("promot")):
        yield FoundSlot(subject_before(tokens, at, floor), "role", value, first, last, 0.85, changed=True)


def _using(tokens: Tokens, at: int, floor: int, *, negated: bool) -> Iterator[FoundSlot]:
    lower, bits = tokens.lower, tokens.bits
    if bits[at] & PARTICIPLE and at + 1 < len(lower) and lower[at + 1] == "to":
        return
    if at == 0 and lower[at].endswith("s"):
        return  # "Deploys happen on Fridays": a plural in front, not a verb without its subject
    value, first, last = read_value(tokens, at + 1)
    if not value or last - first > 6:
        return
    subject = subject_before(tokens, at, floor) or "the user"
    if last < len(lower) and lower[last] in ("for", "as"):
        purpose, _, _ = read_value(tokens, last + 1)
        if purpose:
            yield FoundSlot(subject, f"tool for {purpose.lower()}", value, first, last, 0.8, negated=negated)
            return
    if any(bits[k] & NAME for k in range(first, last)):
        yield FoundSlot(subject, f"uses {value.lower()}", "yes", first, last, 0.6, functional=True, negated=negated)


def _liking(tokens: Tokens, at: int, floor: int, base: str, *, negated: bool) -> Iterator[FoundSlot]:
    lower, bits = tokens.lower, tokens.bits
    if at + 1 < len(lower) and lower[at + 1] == ":":
        return
    if base == "like" and (at == floor or (bits[at] & BASE and _not_a_verb(tokens, at))):
        return
    if bits[at] & PARTICIPLE and at and bits[at - 1] & (BE | PREP | DET):
        return
    value, first, last = read_value(tokens, at + 1, stop_at_to=False)
    if not value:
        return
    subject = persona(tokens, floor, at - 1) if lower[at - 1] == "i" else ""
    subject = subject or subject_before(tokens, at, floor) or "the user"
    liking = LIKING_VERBS[base] * (-1 if negated else 1)
    word = "like" if liking > 0 else "dislike"
    yield FoundSlot(subject, f"likes {object_of(value)}", word, first, last, 0.75)
    if base == "prefer" and last < len(lower) and lower[last] in ("over", "to", "rather", "than"):
        other, _, _ = read_value(tokens, last + 1)
        if other:
            pair = " and ".join(sorted((object_of(value), object_of(other))))
            yield FoundSlot(subject, f"choice between {pair}", value, first, last, 0.8)


def _not_a_verb(tokens: Tokens, at: int) -> bool:
    """Whether "like" compares rather than likes: a liking has its subject or an auxiliary right before it."""
    before = tokens.bits[at - 1]
    if before & (BE | PUNCT | PREP | DET):
        return tokens.lower[at - 1] != "to"
    return not before & (SUBJ | MODAL | DO | ADV | NEG | NAME) and tokens.lower[at - 1] != "user"


def object_of(value: str) -> str:
    low = value.lower()
    for lead in ("to ", "the ", "a ", "an ", "my ", "our "):
        low = low.removeprefix(lead)
    return low


def _having(tokens: Tokens, at: int, floor: int, base: str, *, negated: bool) -> Iterator[FoundSlot]:
    lower, bits = tokens.lower, tokens.bits
    total = len(lower)
    if at + 1 >= total or (base == "have" and bits[at + 1] & (PARTICIPLE | PAST) and not bits[at + 1] & NOUNISH):
        return
    if base == "bear":
        if lower[at] == "born" and lower[at + 1] in ("on", "in"):
            value, first, last = read_value(tokens, at + 2)
            yield FoundSlot(
                subject_before(tokens, at, floor),
                "birthday" if lower[at + 1] == "on" else "born in",
                value,
                first,
                last,
                0.85,
            )
        return
    subject = subject_before(tokens, at, floor)
    if base == "drive" and bits[at + 1] & DET:
        value, first, last = read_value(tokens, at + 2)
        if value and bits[first] & NAME and not _is_past(tokens, at):
            yield FoundSlot(subject, "car", value, first, last, 0.8, negated=negated)
        return
    if base == "marry":
        if bits[at + 1] & NAME and not bits[at] & BE:
            value, first, last = read_value(tokens, at + 1)
            yield FoundSlot(subject, "partner", value, first, last, 0.8)
        return
    start = at + 1
    while start < total and (bits[start] & ADV or lower[start] in ("a", "total", "of", "around", "about", "over")):
        start += 1
    counted = quantity_at(tokens, start) if start < total else None
    if counted is not None:
        # A figure of a thing that could not be read ("the laptop that Anna uses costs") is no figure of the speaker's.
        if subject or all(bits[here] & ADV for here in range(floor, at)):
            yield from _counted(tokens, subject, base, counted, negated=negated)
    elif base == "have" and start + 2 < total:
        yield from _named_pet(tokens, subject, start)
        yield from _new_holder(tokens, subject, start)


def _counted(tokens: Tokens, subject: str, base: str, counted: Quantity, *, negated: bool) -> Iterator[FoundSlot]:
    value = tokens.text[tokens.starts[counted.first] : tokens.ends[counted.last - 1]]
    if base == "turn":
        if counted.unit in ("", "year") and 0 < counted.value < 120:
            yield FoundSlot(
                subject, "age", tokens.words[counted.first], counted.first, counted.last, 0.85, changed=True
            )
    elif base in RATE_VERBS:
        yield FoundSlot(subject, _RATES.get(base, base), value, counted.first, counted.last, 0.8, negated=negated)
    elif counted.unit:
        figure = tokens.words[counted.first]
        noun = tokens.lower[counted.last - 1]
        if counted.last + 1 < len(tokens.lower) and tokens.lower[counted.last] in ("in", "at", "on", "for"):
            where, _, _ = read_value(tokens, counted.last + 1)
            noun = f"{noun} in {where.lower()}" if where else noun
        yield FoundSlot(subject, f"number of {noun}", figure, counted.first, counted.last, 0.75, negated=negated)


def _named_pet(tokens: Tokens, subject: str, start: int) -> Iterator[FoundSlot]:
    lower = tokens.lower
    for here in range(start, min(start + 4, len(lower) - 2)):
        if lower[here] in _PETS and lower[here + 1] in ("named", "called"):
            value, first, last = read_value(tokens, here + 2)
            yield FoundSlot(subject, f"{lower[here]} name", value, first, last, 0.8, functional=False)


def _new_holder(tokens: Tokens, subject: str, start: int) -> Iterator[FoundSlot]:
    """ "has a new manager, Petra": somebody else in the same place."""
    lower, bits = tokens.lower, tokens.bits
    if lower[start] != "new":
        return
    for here in range(start + 1, min(start + 4, len(lower) - 2)):
        if lower[here + 1] in (",", "named", "called") and bits[here + 2] & NAME:
            value, first, last = read_value(tokens, here + 2)
            place = " ".join(lower[start + 1 : here + 1])
            yield FoundSlot(subject, place, value, first, last, 0.8, changed=True)
            return


def owned_thing(subject: str) -> str:
    """A thing of the user without its owner, since everything unowned is the user's too."""
    low = subject.lower()
    for lead in ("the user's ", "my ", "our ", "the "):
        low = low.removeprefix(lead)
    return low
