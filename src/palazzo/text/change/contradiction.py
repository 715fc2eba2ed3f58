"""Whether a newer statement takes back an older one, judged from the two texts alone by a table of certain rules.

Owns the table (another value of a slot that has one value, the denial or end of the very statement, another figure of
the same measured thing) and the scores. A score of `SUPERSEDES` or more means the newer statement should replace the
older one; a lower one means the two disagree but the newer one is hedged, which is for a person to settle. What is told
in other words is the learned reader's (`text/reader`); an explicit correction is read before (`corrections`). Knows
nothing about memories, times or storage. Statements that are merely alike, or that can both hold, yield None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from palazzo.text.change.beside import for_other_cases, of_how_it_was, of_other_times, read, shared_from
from palazzo.text.change.now import took_its_place
from palazzo.text.change.reading import FUNCTION, StatementReading, leading_names, speaker_words
from palazzo.text.facts.quantities import PLAIN_UNITS, Quantity, stem
from palazzo.text.facts.slots.find import (
    SlotFact,
    is_person,
    leading_word,
    other_owners,
    refines,
    same_moment,
    same_value,
    slot_match,
    things_overlap,
)
from palazzo.text.facts.slots.frames import read_mood
from palazzo.text.words.grammar import AUX, DET, NUM, PAST, PREP, VERB, Tokens
from palazzo.text.words.lexicon import page

_PAGE: Final = page("change")

SUPERSEDES: Final = 0.5
ELSEWHERE: Final = 0.9
"""How surely somebody who says where they live or work now is no longer where they said before."""
_FIGURES: Final = frozenset({"quantity", "slot"})

_CONSUMING: Final = _PAGE.words("consuming")
_RISE: Final = _PAGE.words("rise")
_STANDING: Final = _PAGE.words("standing")
_SHORT: Final = 6  # content words; in a longer statement the thing given up may stand in passing
_ATTAINING: Final = _PAGE.words("attaining")
_EXPERIENCE: Final = _PAGE.words("experience")
_POSSESSOR: Final = re.compile(r"([\w-]+)['\u2019]s\b")
_FAINT: Final = 0.2  # a match of slots below it is none
_LEAST_SHARED: Final = 2
_MOST_OF: Final = 0.6
_LEAST_SAID: Final = 3
_LONGEST_PART: Final = 4


class Contradiction(msgspec.Struct, frozen=True):
    """How strongly and on what ground two statements disagree; reason is slot, negation, quantity or cue."""

    score: float
    reason: str


Test = Callable[[StatementReading, StatementReading], bool]
Strength = Callable[[StatementReading, StatementReading], float]


class Rule(msgspec.Struct, frozen=True):
    """A certain rule: what both readings need to have, when it holds and how strongly, its score, and the ground."""

    name: str
    needs: Test
    when: Strength
    score: float
    reason: str


def contradicts(old: str, new: str) -> Contradiction | None:
    """The strongest disagreement of `new` with the older `old`, or None when both can hold."""
    if old == new:
        return None
    before, after = read(old), read(new)
    if of_how_it_was(before, after) or of_other_times(old, new):
        return None
    best: Contradiction | None = None
    for rule in RULES:
        score = round(rule.score * rule.when(before, after), 3) if rule.needs(before, after) else 0.0
        if score and (best is None or score > best.score):
            best = Contradiction(score, rule.reason)
    if best is None and took_its_place(old, new):
        return Contradiction(ELSEWHERE, "slot")
    if best and before.numbered and after.numbered and before.numbered != after.numbered:
        return None
    if best and best.reason in _FIGURES and for_other_cases(before, after):
        return None
    return best


def takes_up_again(old: str, new: str) -> bool:
    """Whether the newer statement tells that somebody does again what the older one says is over."""
    return not read(new).negated and _taken_up_again(read(old), read(new)) > 0


def _other_value(old: StatementReading, new: StatementReading) -> float:
    best = max((_slot_score(earlier, later) for earlier in old.slots for later in new.slots), default=0.0)
    return best if best > _FAINT else 0.0


def _slot_score(earlier: SlotFact, later: SlotFact) -> float:
    if _owned_by(earlier) != _owned_by(later):
        return 0.0  # "my shift" and "my brother's shift"
    confidence = min(earlier.confidence / 0.75, 1.0) * min(later.confidence / 0.75, 1.0)
    match = slot_match(earlier, later)
    if not (earlier.functional and later.functional):
        denied = later.negated and not earlier.negated and same_value(earlier.value, later.value)
        return 0.8 * match * confidence if denied else 0.0
    if match == 0.0:
        if earlier.predicate.startswith("likes ") and earlier.value == "like" and later.old_value:
            liked = earlier.predicate.removeprefix("likes ")
            return 0.7 * confidence if same_value(later.old_value, liked) and _owners_agree(earlier, later) else 0.0
        replaced = later.old_value and same_value(later.old_value, earlier.value) and not later.negated
        related = _owners_agree(earlier, later)
        return (
            0.7 * confidence
            if replaced and related and later.predicate.split()[0] in ("tool", earlier.predicate.split()[0])
            else 0.0
        )
    same = same_value(earlier.value, later.value)
    if earlier.negated != later.negated:
        return 0.8 * match * confidence if same and later.negated else 0.6 * match * confidence if same else 0.0
    if earlier.negated or same:
        return 0.0
    if refines(earlier.value, later.value) and (not later.change_cue or same_moment(earlier.value, later.value)):
        return 0.0
    if earlier.predicate.startswith("tool") and leading_word(earlier.value) == leading_word(later.value):
        return 0.0
    if later.old_value and same_value(later.old_value, earlier.value):
        match = max(match, 0.8)
    return (0.95 if later.change_cue else 0.85) * match * confidence


def _owned_by(fact: SlotFact) -> frozenset[str]:
    """Whose a thing is said to be by name, beside the user: the brother of "the user's brother's shift"."""
    return frozenset(_POSSESSOR.findall(fact.subject.lower())) - {"user"}


def _owners_agree(a: SlotFact, b: SlotFact) -> bool:
    """Whether a value can be of the same owner: two people by name, two things by a word they share."""
    if a.subject.lower() == b.subject.lower():
        return True
    people = is_person(a.subject) + is_person(b.subject)
    return people == 1 or (people == 0 and things_overlap(a.subject, b.subject))


def _other_figure(old: StatementReading, new: StatementReading) -> float:
    if _two_people(old, new):
        return 0.0
    best = 0.0
    for earlier in old.quantities:
        if any(q.unit == earlier.unit and q.value == earlier.value for q in new.quantities):
            continue
        for later in new.quantities:
            if (
                earlier.unit
                and later.value != earlier.value
                and _same_measure(new.tokens, earlier, later)
                and not _of_other_slots(old, new, earlier, later)
            ):
                best = max(best, _quantity_score(old, new, earlier, later))
    return best


def _of_other_slots(old: StatementReading, new: StatementReading, earlier: Quantity, later: Quantity) -> bool:
    """Whether each figure is told of somebody or something else; a day or hour, of another event."""
    told = [fact for fact in old.slots if _encloses(old.tokens, fact, earlier)]
    tells = [fact for fact in new.slots if _encloses(new.tokens, fact, later)]
    if not told or not tells:
        return False
    if earlier.unit in ("date", "clock"):
        return not any(slot_match(a, b) for a in told for b in tells)
    return all(other_owners(a, b) for a in told for b in tells)


def _encloses(tokens: Tokens, fact: SlotFact, quantity: Quantity) -> bool:
    return fact.start <= tokens.starts[quantity.first] and tokens.ends[quantity.last - 1] <= fact.end


def _two_people(old: StatementReading, new: StatementReading) -> bool:
    """Whether the statements open with different names: "Olga owns 12 boats", "Piet owns 3 boats"."""
    first, second = (leading_names(reading.tokens) for reading in (old, new))
    return bool(first and second) and not first & second


def _same_measure(tokens: Tokens, earlier: Quantity, later: Quantity) -> bool:
    """Whether two figures measure alike; "the guest list has reached 18" counts guests though the figure is bare."""
    if later.unit == earlier.unit:
        return True
    bare = not later.unit and earlier.unit not in PLAIN_UNITS
    return bare and _announced(tokens, later) and earlier.unit in _around(tokens, later)


def _quantity_score(old: StatementReading, new: StatementReading, earlier: Quantity, later: Quantity) -> float:
    if any(q.unit == later.unit and q.value == later.value for q in old.quantities):
        return 0.0
    if _took_part(new.tokens, later) or _took_part(old.tokens, earlier):
        return 0.0
    if _done(new.tokens, later) != _done(old.tokens, earlier) and not _announced(new.tokens, later):
        return 0.0
    if _aimed_at(old.tokens, earlier) != _aimed_at(new.tokens, later):
        return 0.0
    around_old = _around(old.tokens, earlier)
    around_new = _around(new.tokens, later)
    shared = (around_old & around_new) - {earlier.unit}
    announced = _announced(new.tokens, later)
    plain = earlier.unit in PLAIN_UNITS
    smaller = min(len(around_old - {earlier.unit}), len(around_new - {earlier.unit})) or 1
    share = len(shared) / smaller
    enough = (len(shared) >= 3 and share >= 0.4) or (len(shared) == 2 and share >= 0.6)
    if announced and (enough if plain else (len(shared) >= 1 and share >= 0.3)):
        return min(0.9, 0.55 + 0.1 * len(shared))
    if announced and not plain and len(shared) >= 2 and share >= 0.2:
        return 0.6
    if announced and not plain and smaller <= 1:
        return SUPERSEDES
    if not plain and len(shared) >= 2 and share >= 0.5:
        return 0.6
    if plain and len(shared) >= 3 and share >= 0.75:
        return 0.6
    return 0.0


def _around(tokens: Tokens, quantity: Quantity) -> frozenset[str]:
    """Content words of the same clause as a figure."""
    lower, bits = tokens.lower, tokens.bits
    start, end = quantity.first, quantity.last
    while start > 0 and quantity.first - start < 14 and lower[start - 1] not in ";.!?":
        start -= 1
    while end < len(lower) and end - quantity.last < 12 and lower[end] not in ";.!?":
        end += 1
    return frozenset(
        stem(lower[k])
        for k in range(start, end)
        if k != quantity.last - 1 and not bits[k] & (FUNCTION | NUM) and lower[k] not in _RISE
    ) - speaker_words(tokens)


def _aimed_at(tokens: Tokens, quantity: Quantity) -> bool:
    """Whether the figure is a target ("to reach 100%"), which an actual figure does not take back."""
    lower = tokens.lower
    if read_mood(tokens).intends(quantity.last):
        return True
    for at in range(max(0, quantity.first - 7), quantity.first):
        if lower[at] in ("goal", "target", "targeting", "aim", "aiming"):
            return True
        if lower[at] == "to" and at + 1 < len(lower) and lower[at + 1] in _ATTAINING:
            return True
    return False


def _took_part(tokens: Tokens, quantity: Quantity) -> bool:
    """Whether the figure opens a statement of what so many did: "six members of the team went sailing"."""
    if quantity.first > 1 or _announced(tokens, quantity):
        return False
    after = tokens.bits[quantity.last :]
    return any(bit & PAST for bit in after) and not any(bit & AUX for bit in after)


def _done(tokens: Tokens, quantity: Quantity) -> bool:
    """Whether somebody did so much once ("deleted 300 words"), which says nothing of how much there is."""
    if quantity.first < 2 or not tokens.bits[quantity.first - 1] & PAST:
        return False
    return not any(tokens.bits[at] & AUX for at in range(max(0, quantity.first - 4), quantity.first))


def _announced(tokens: Tokens, quantity: Quantity) -> bool:
    """Whether words right before the figure say that it is the new one."""
    return any(tokens.lower[k] in _RISE for k in range(max(0, quantity.first - 9), quantity.first))


def _denied(old: StatementReading, new: StatementReading) -> float:
    if old.asks or new.asks:
        return 0.0
    told, denying = (old, new) if new.negated else (new, old)
    for denied in denying.denied:
        if not _same_person(old, new):
            continue
        if denied == told.content and (len(denied) > 1 or denying.ends):
            return 0.8
        if denied <= told.content and denying.ends:
            return 0.7
        if len(denied) < 2:
            if denied & denying.names & told.names and len(told.content) <= 3:
                return 0.6
            continue
        shared = denied & told.content
        if shared == denied:
            return 0.75
        missing = denied - shared
        alike = missing <= _EXPERIENCE and told.content & _EXPERIENCE
        if len(shared) >= 2 and (alike or len(shared) / len(denied) >= 0.75):
            return 0.65
    return 0.0


def _same_person(old: StatementReading, new: StatementReading) -> bool:
    if old.tokens.lower[:2] == new.tokens.lower[:2] or old.tokens.lower[:1] == new.tokens.lower[:1]:
        return True
    return _speaks_as_group(old.tokens) and _speaks_as_group(new.tokens)


def _same_speaker(old: StatementReading, new: StatementReading) -> bool:
    """Whether both open with the same person or thing: an article alone opens statements of anything."""
    return _same_person(old, new) and (
        old.tokens.lower[:2] == new.tokens.lower[:2]
        or not old.tokens.bits[0] & DET
        or (_speaks_as_group(old.tokens) and _speaks_as_group(new.tokens))
    )


def _speaks_as_group(tokens: Tokens) -> bool:
    """Whether the statement is of those who speak: "we", the user, or the team they call theirs or the only one."""
    lower = tokens.lower
    return lower[:1] == ("we",) or (lower[:1] in (("the",), ("our",)) and lower[1:2] in (("team",), ("user",)))


def _said_to_be_over(old: StatementReading, new: StatementReading) -> float:
    """ "stopped X", "cancelled X", "no longer X", "switched from X" against an older X."""
    for fact in new.slots:
        if not fact.old_value or not fact.change_cue or fact.negated:
            continue
        changed = frozenset(stem(word) for word in fact.predicate.split())
        named = len(changed) > 1 and changed <= old.content  # "switched the mobile repo from yarn", "the mobile repo"
        if named or _same_speaker(old, new):
            if not is_person(fact.subject) and not things_overlap(fact.subject, old.text):
                continue
            given_up = frozenset(stem(word) for word in fact.old_value.lower().split())
            if given_up <= old.content and len(old.content) <= _SHORT and not old.announces:
                return 0.7 if named else 0.55
    for rest in new.ended:
        shared = rest & old.content
        enough = shared and (len(shared) >= 2 or len(rest) <= 2) and len(shared) / len(rest) >= _MOST_OF
        if enough and _same_person(old, new):
            return 0.7
    return 0.0


def _taken_up_again(old: StatementReading, new: StatementReading) -> float:
    """ "I drink two coffees a day", "I run again" against an older "gave up coffee", "stopped running"."""
    if new.ended or new.asks or not new.news.does or read_mood(new.tokens).intended:
        return 0.0
    for rest in old.ended:
        shared = rest & new.content
        does = bool(new.news.does & (_CONSUMING | rest)) or "again" in new.tokens.lower
        if shared and does and len(shared) >= _MOST_OF * len(rest) and _same_person(old, new):
            return 0.7
    return 0.0


def _same_but_a_part(old: StatementReading, new: StatementReading) -> float:
    """The same sentence with another part, where it says "now", or, of what stands, with another figure at its end."""
    earlier, later = old.frame, new.frame
    left = shared_from(earlier, later)
    right = min(shared_from(earlier[::-1], later[::-1]), len(earlier) - left, len(later) - left)
    before, after = (said[left : len(said) - right] for said in (earlier, later))
    if left < _LEAST_SHARED or not 0 < len(before) <= _LONGEST_PART or not 0 < len(after) <= _LONGEST_PART:
        return 0.0
    if _is(old, before[:1], PREP) or _is(new, after[:1], PREP):
        return 0.0  # "in Bergen", "on port 6000": they answer other questions
    if new.updates:
        own = frozenset(map(stem, (*earlier[:left], *earlier[len(earlier) - right :]))) & old.content
        enough = own and (left + right > _LEAST_SAID or len(own) > 1)
        return 1.0 if enough and not _is(new, (*before, *after), AUX) else 0.0
    figures = len(before) == len(after) == 1 and before[0].isdigit() and after[0].isdigit()
    stands = any(word in _STANDING or (bit & VERB and word.endswith("s")) for word, bit in _words(new.tokens))
    return 1.0 if figures and stands and not right and _named(old) else 0.0


def _is(reading: StatementReading, words: Sequence[str], bits: int) -> bool:
    """Whether one of these words of a statement is of a class: of a verb, say; then the subject differs too."""
    return any(word in words and bit & bits for word, bit in _words(reading.tokens))


def _named(reading: StatementReading) -> bool:
    """Whether the figure at the end is the name of a thing: "port 8080", not "at 9"."""
    word = reading.frame[-2]
    return stem(word) in reading.content and not any(w == word and b & VERB for w, b in _words(reading.tokens))


def _words(tokens: Tokens) -> zip[tuple[str, int]]:
    return zip(tokens.lower, tokens.bits, strict=True)


RULES: Final = (
    Rule("another value", lambda old, new: bool(new.slots and old.slots), _other_value, 1.0, "slot"),
    Rule(
        "another figure", lambda old, new: bool(old.negated == new.negated and new.quantities and old.quantities),
        _other_figure, 1.0, "quantity",
    ),
    Rule(
        "the same but a part", lambda old, new: old.negated == new.negated and not old.asks and not new.asks,
        _same_but_a_part, 0.75, "slot",
    ),
    Rule("denied", lambda old, new: old.negated != new.negated, _denied, 1.0, "negation"),
    Rule(
        "said to be over", lambda old, new: not old.negated and bool(new.ended or new.gives_up), _said_to_be_over, 1.0,
        "cue",
    ),
    Rule("taken up again", lambda old, new: bool(old.ended) and not new.negated, _taken_up_again, 1.0, "cue"),
)  # fmt: skip
