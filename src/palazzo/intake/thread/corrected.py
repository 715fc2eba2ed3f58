"""What was said before, in the message, the call or the thread: put right by a correction, meant by a pronoun.

Owns the finding of the sentence that a correction puts right, and of the memories that were drawn from it. How a
correction is worded and what the corrected sentence is, is the text room's. Invariants: only what the same speaker said
in the same scope is put right; where no sentence fits, a correction is read like any other sentence; what was wrong
stays in the history of its memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import filterfalse, islice
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import NotFound
from palazzo.intake.known import matter_of
from palazzo.intake.values import TURN_KIND
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import Change, SetDeprecated
from palazzo.model.memory import Memory
from palazzo.model.message import Letter
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.change.corrections import Correction, corrected, corrected_within, find_correction
from palazzo.text.meaning.instructions import material_in
from palazzo.text.statements.phrased import names_somebody, opens_with_it, opens_with_pronoun
from palazzo.text.statements.propositions import split_propositions
from palazzo.text.words.parsed import parsed

TURNS: Final = 12
"""How many turns of a thread a correction looks back."""
VALUE_TURNS: Final = 4
"""How many of them for a value alone, which says less about what it belongs to."""
REMINDED: Final = 3
"""How many sentences back a pronoun may find the one it stands for."""
SAME: Final = {True: 0.5, False: 0.7}
"""How much two statements must share for one to put the other right, where it says so and where it only sounds so."""
SHORT: Final = 2
"""Statements of so few words may share a single one: "born in 1978"."""
_DASH: Final = re.compile(r"\s+[-–—]+\s+|;\s")
HEARD: Final = frozenset({"user", "other"})


class Uttered(msgspec.Struct, frozen=True):
    """A sentence that was said before: in a letter of the call, or in a turn that is kept."""

    text: str
    start: int
    end: int
    letter: int | None = None
    turn: Memory | None = None


def put_right(
    letters: Sequence[Letter], store: Store, reach: tuple[PlaceGlob, ...]
) -> tuple[list[Letter], list[Change]]:
    """Letters with what is to be read in place of their corrections, and what is taken out of belief besides."""
    made, changes = list(letters), list[Change]()
    for number, letter in enumerate(letters):
        message = letter.message
        given = not message.speaker and letter.manner == "observe" and material_in(letter.text)
        if message.role not in HEARD or message.verbatim or message.name or letter.unkept or letter.wholly or given:
            continue
        for start, end, text in _within(letter):
            made[number] = replace(made[number], instead=(*made[number].instead, (start, end, text, ())))
        for start, end, correction in _corrections(made[number]):
            with store.reading(View(scope=message.scope, reach=reach)) as reading:
                found = _found(number, (start, end, correction), made, reading)
                if found is None:
                    continue
                said, text = found
                replaces: tuple[UUID, ...] = ()
                if said.turn is not None:
                    replaces = drawn_from(said, reading)
                    if said.turn.kind == TURN_KIND and len(parsed(said.turn.revision.content.text).spans[1]) == 1:
                        changes.append(SetDeprecated(said.turn.id, True, "corrected"))
            if said.letter is not None:
                _strike(made, said)
            now = made[number]
            made[number] = replace(now, instead=(*now.instead, (start, end, text, replaces)))
    return made, changes


def remind(letters: Sequence[Letter], store: Store, reach: tuple[PlaceGlob, ...]) -> list[Letter]:
    """Letters to an assistant that open with a pronoun, with what the same speaker said just before."""
    made = list(letters)
    for number, letter in enumerate(letters):
        message = letter.message
        if message.speaker or message.role not in HEARD or letter.unkept or not opens_with_pronoun(letter.text):
            continue
        with store.reading(View(scope=message.scope, reach=reach)) as reading:
            said = [one.text for one in islice(said_before(number, 0, letters, reading, REMINDED), REMINDED)]
        meant = filterfalse(opens_with_it, said) if opens_with_it(letter.text) else filter(names_somebody, said)
        made[number] = replace(letter, before=next(meant, ""))
    return made


def _within(letter: Letter) -> list[tuple[int, int, str]]:
    """The sentences of a message that put themselves right, as they are meant."""
    spans = [(start, end) for start, end, kind in parsed(letter.text).spans[1] if kind != "question"]
    return [(*span, text) for span in spans if (text := corrected_within(letter.text[slice(*span)])) is not None]


def _corrections(letter: Letter) -> list[tuple[int, int, Correction]]:
    done, people = {one[:2] for one in letter.instead}, bool(letter.message.speaker)
    spans = [span for span in parsed(letter.text).spans[1] if span[2] != "question" and span[:2] not in done]
    found = [(start, *_first_correction(letter.text[start:end], people)) for start, end, _ in spans]
    return [(start, start + length, one) for start, length, one in found if one is not None]


def _first_correction(sentence: str, people: bool) -> tuple[int, Correction | None]:
    """The correction that a sentence is, or opens with before a dash, and its length: "not Monday, Tuesday - I am"."""
    found, joint = find_correction(sentence, among_people=people), _DASH.search(sentence)
    if found is not None or joint is None:
        return len(sentence), found
    opening = find_correction(sentence[: joint.start()], among_people=people)
    return joint.start(), opening if opening is not None and opening.old else None


def _found(
    number: int, said: tuple[int, int, Correction], letters: Sequence[Letter], reading: Reading
) -> tuple[Uttered, str] | None:
    """The sentence that is put right and what it is now; none where none fits."""
    start, end, correction = said
    before = said_before(number, start, letters, reading, VALUE_TURNS if correction.new else TURNS)
    if correction.new:
        if correction.loose:
            before = islice(before, 0 if correction.ordered and _answered(letters[number], letters, reading) else 1)
        for earlier in before:
            text = corrected(earlier.text, correction)
            if text is not None and text != earlier.text:
                return earlier, text
        return None
    text = letters[number].text[start + correction.body : end]
    told = correction.told or bool(correction.old)
    fitting = [(shared, one) for one in before if (shared := _shared(one.text, text, correction.old)) >= SAME[told]]
    if not fitting:
        return None
    best = max(shared for shared, _ in fitting)
    return next(one for shared, one in fitting if shared == best), text[:1].upper() + text[1:]


def first_kept(letters: Sequence[Letter]) -> int | None:
    """Before which revision a batch was said that was kept first: what came after it is in the thread by now."""
    return next((letter.kept[1] for letter in letters if letter.kept is not None), None)


def _answered(letter: Letter, letters: Sequence[Letter], reading: Reading) -> bool:
    """Whether somebody else spoke last, so that an order may be about what they wrote."""
    latest = reading.turns.latest(letter.message.thread, 1, first_kept(letters))
    return bool(latest) and latest[-1][1] not in ((letter.message.speaker,) if letter.message.speaker else HEARD)


def _shared(old: str, new: str, value: str) -> float:
    """How much of the smaller of two statements both say; nothing where they are about different things."""
    one, other = matter_of(old), matter_of(new)
    if one == other or not one or not other or (value and not matter_of(value) & one):
        return 0.0
    both = len(one & other)
    shared = both / min(len(one), len(other)) if both > 1 or len(one) <= len(other) <= SHORT else 0.0
    if shared < min(SAME.values()):  # reading who it is about costs far more than counting words
        return 0.0
    subjects = [kept[0].subject.lower() for kept, _ in map(split_propositions, (old, new)) if kept]
    return 0.0 if len(subjects) == 2 and all(subjects) and subjects[0] != subjects[1] else shared


def said_before(number: int, start: int, letters: Sequence[Letter], reading: Reading, turns: int) -> Iterator[Uttered]:
    """What the speaker said before, newest first: in the message, and in so many turns of the call and the thread."""
    letter = letters[number]
    message = letter.message
    for at in range(number, -1, -1):
        earlier = letters[at]
        if earlier.unkept or earlier.message.scope != message.scope or earlier.message.speaker != message.speaker:
            continue
        if earlier.message.role in HEARD:
            if at < number and (turns := turns - 1) < 0:
                return
            limit = start if at == number else len(earlier.text)
            closed = {span[:2] for span in (*earlier.barred, *earlier.unread, *earlier.instead)}
            for first, last, kind in reversed(parsed(earlier.text[:limit]).spans[1]):
                if kind != "question" and (first, last) not in closed:
                    yield Uttered(earlier.text[first:last], first, last, letter=at)
    kept = letter.manner == "remember"
    if kept:  # what somebody asks to be kept belongs to no talk: what was kept before it is meant
        before = first_kept(letters)
        newest = reading.search.newest(Filter(), turns) if turns else ()
        keys = [key for key in newest if before is None or key < before]
    else:
        latest = reading.turns.latest(message.thread, 2 * turns, first_kept(letters)) if turns else ()
        spoke = (message.speaker,) if message.speaker else HEARD
        keys = [key for key, speaker in reversed(latest) if speaker in spoke][:turns]
    held = reading.memories.by_keys(keys)
    for key in keys:
        turn = held.get(key)
        if turn is not None and turn.scope == message.scope and (turn.kind == TURN_KIND) != kept:
            text = turn.revision.content.text
            for first, last, kind in reversed(parsed(text).spans[1]):
                if kind != "question":
                    yield Uttered(text[first:last], first, last, turn=turn)


def drawn_from(said: Uttered, reading: Reading) -> tuple[UUID, ...]:
    """The memories that were drawn from a sentence of a turn and still stand."""
    turn = said.turn
    found: dict[UUID, None] = {}
    for intake in reading.intakes.of_memory(turn.id) if turn is not None else ():
        for fate in intake.fates:
            if fate.memory_id is None or not (fate.start < said.end and said.start < fate.end):
                continue
            try:
                if reading.memories.get(fate.memory_id).kind != TURN_KIND:
                    found.setdefault(fate.memory_id)
            except NotFound:
                continue
    return tuple(found)


def _strike(letters: list[Letter], said: Uttered) -> None:
    """Nothing is drawn from what was wrong, and the turn is kept without it; the archive has it word for word."""
    if said.letter is None:
        return
    letter = letters[said.letter]
    unread = tuple(sorted({*letter.unread, (said.start, said.end)}))
    only = len(parsed(letter.text).spans[1]) == 1
    letters[said.letter] = replace(letter, unread=unread, unkept=only)
