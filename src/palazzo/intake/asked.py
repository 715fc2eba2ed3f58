"""What a message asks of the memory itself: to forget what was said. Carried out before anything is drawn from it.

Owns the finding of what a request means: what was said just before, in the message, the call or the thread, and the
memories of the speaker's own scope that its words name, with the turns they came from. Decides nothing about how a
request is worded. Invariants: nothing is forgotten outside the speaker's scope and the writer's reach, no document and
nothing with a name of its own; a request becomes no memory; one that asks for all there is is not carried out here, and
the account says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import NotFound
from palazzo.intake.extract import atom_of
from palazzo.intake.known import matter_of, statement_of
from palazzo.intake.split import without
from palazzo.intake.values import TURN_KIND, Lost
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import Change, SetState
from palazzo.model.memory import Memory
from palazzo.model.message import Fate, Letter
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.facts.slots.phrases import canonical_subject
from palazzo.text.meaning.requests import ForgetRequest, find_request
from palazzo.text.safety.personal import classes_of
from palazzo.text.statements.propositions import split_propositions
from palazzo.text.words.parsed import parsed
from palazzo.text.words.sentences import sentence_spans

LOOKED_AT: Final = 400
"""How many of the newest memories a request is compared with; what is older is found by its words."""
NEAREST: Final = 32
SAME_STEM: Final = 4
ENOUGH: Final = 0.67
_ASKED: Final = "asked for in talk"
_UNKEPT: Final = "asked not to be kept"
_HEARD: Final = frozenset({"user", "other"})
WHOLE: Final = frozenset({"document", "asset", "bundle"})
"""Kinds that are kept whole and forgotten by name alone."""


class CarriedOut(msgspec.Struct, frozen=True):
    """Letters without what was asked for, the changes that carry it out, and the account of it."""

    letters: list[Letter]
    changes: list[Change]
    lost: list[Lost]
    withheld: set[int]
    """Numbers of the letters that their speaker asked not to keep: not in the archive either."""


def carry_out(letters: Sequence[Letter], store: Store, reach: tuple[PlaceGlob, ...]) -> CarriedOut:
    """Finds the requests of a batch and what they mean; letters that only ask leave nothing to keep."""
    heard = CarriedOut(list(letters), [], [], set())
    for number, letter in enumerate(letters):
        if letter.message.role not in _HEARD or letter.message.verbatim or letter.message.name or letter.wholly:
            continue
        for start, end, request in _requests(letter.text):
            _carry_out(number, (start, end, request), heard, (store, reach))
    return heard


def _requests(text: str) -> list[tuple[int, int, ForgetRequest]]:
    found = []
    for start, end, _ in sentence_spans(text, exact=False)[1]:
        request = find_request(text[start:end])
        if request is not None:
            found.append((start, start + request.reached, request))
    return found


def _carry_out(
    number: int, asked: tuple[int, int, ForgetRequest], heard: CarriedOut, palace: tuple[Store, tuple[PlaceGlob, ...]]
) -> None:
    start, end, request = asked
    letter = heard.letters[number]
    if request.aim == "all":
        _account(heard, number, (start, end), "offered: all of it is forgotten with `palazzo forget-user`, or `burn`")
        return
    if request.aim == "this" and _other_words(letter, start, end, ahead=request.ahead):
        _withhold(heard, number)
        return
    before = _before(number, request, heard)
    for earlier in before:
        _withhold(heard, earlier)
    store, reach = palace
    forgotten: tuple[UUID, ...] = ()
    if not (before and request.aim == "this"):
        with store.reading(View(scope=letter.message.scope, reach=reach)) as reading:
            forgotten = _last_said(letter, reading) if request.aim == "this" else _named(letter, request, reading)
    if not before and not forgotten and not request.certain:
        return
    heard.changes.extend(SetState(memory_id, "deleted", _ASKED) for memory_id in forgotten)
    heard.lost.extend(Lost(letter.number, _fate(start, end, "forgotten", _ASKED, memory_id)) for memory_id in forgotten)
    _account(heard, number, (start, end), "" if forgotten else _ASKED if before else "nothing of that is kept")


def _withhold(heard: CarriedOut, number: int) -> None:
    letter = heard.letters[number]
    heard.letters[number] = replace(letter, unread=((0, len(letter.text)),), unkept=True)
    heard.lost.append(Lost(letter.number, _fate(0, len(letter.text), "dropped", _UNKEPT)))
    heard.withheld.add(letter.number)


def _fate(start: int, end: int, outcome: str, reason: str, memory_id: UUID | None = None) -> Fate:
    return Fate(start=start, end=end, outcome=outcome, reason=reason, memory_id=memory_id)  # type: ignore[arg-type]


def _account(heard: CarriedOut, number: int, span: tuple[int, int], reason: str) -> None:
    """Takes a request out of what is read, and the letter's turn with it where nothing else is said."""
    letter = heard.letters[number]
    if reason:
        heard.lost.append(Lost(letter.number, _fate(*span, "dropped", reason)))
    unread = tuple(sorted({*letter.unread, span}))
    rest = without(letter.text, unread)
    only = not any(map(str.isalnum, rest)) or all(
        find_request(rest[start:end]) is not None for start, end, _ in sentence_spans(rest, exact=False)[1]
    )
    heard.letters[number] = replace(letter, unread=unread, unkept=letter.unkept or only)


def _other_words(letter: Letter, start: int, end: int, *, ahead: bool) -> bool:
    """Whether the message says something before its request, or after it where that is meant too."""
    before = [find_request(letter.text[s:e]) is None for s, e, _ in sentence_spans(letter.text[:start])[1]]
    after = letter.text[end:] if ahead else ""
    return any(before) or any(map(str.isalnum, after))


def _before(number: int, request: ForgetRequest, heard: CarriedOut) -> list[int]:
    """The letters of the same call that a request means: the one before it, or those whose words it names."""
    asking = heard.letters[number].message
    own = [
        at for at in range(number - 1, -1, -1)
        if heard.letters[at].message.scope == asking.scope and heard.letters[at].message.role in _HEARD
        and heard.letters[at].message.speaker == asking.speaker and not heard.letters[at].unkept
    ]  # fmt: skip
    if request.aim == "this":
        return own[:1]
    return [at for at in own if names(request, heard.letters[at].text)]


def _last_said(letter: Letter, reading: Reading) -> tuple[UUID, ...]:
    """The turn before this one by the same speaker in its thread, and what was drawn from it."""
    message = letter.message
    for key, speaker in reversed(reading.turns.latest(message.thread, 8)):
        if speaker in ((message.speaker,) if message.speaker else _HEARD):
            memory = reading.memories.by_keys([key]).get(key)
            if memory is not None and memory.scope == message.scope:
                return _with_kin((memory,), reading, drawn=True)
    return ()


def _named(letter: Letter, request: ForgetRequest, reading: Reading) -> tuple[UUID, ...]:
    """What the words of a request name among the speaker's own memories, and the turns that say it."""
    scope = letter.message.scope
    speaker = frozenset({"the user", canonical_subject(letter.message.speaker or "the user")})
    keys = dict.fromkeys(reading.search.newest(Filter(), LOOKED_AT))
    terms = tuple(dict.fromkeys(parsed(request.target).content_terms))
    if terms:
        (near,) = reading.known.nearest([(terms, NEAREST)])
        keys |= dict.fromkeys(known.key for known in near)
    found = [
        memory for memory in reading.memories.by_keys(list(keys)).values()
        if memory.scope == scope and memory.kind not in WHOLE and _says(request, memory, speaker)
    ]  # fmt: skip
    return _with_kin(found, reading, drawn=False)


def _says(request: ForgetRequest, memory: Memory, speaker: frozenset[str]) -> bool:
    """Whether a memory says what a request names; a turn where one of its statements does."""
    content = memory.revision.content
    if memory.kind == TURN_KIND:
        return any(_states(request, one.text, speaker) for one in split_propositions(content.text)[0])
    statement = statement_of(content.text, content.key_fact, memory.kind)
    return _states(request, statement, speaker, (content.text, *content.detail.topics, memory.kind))


def _states(request: ForgetRequest, statement: str, speaker: frozenset[str], beside: Iterable[str] = ()) -> bool:
    """The same for one statement; what fills a slot of somebody else's is not the speaker's: my parents' address."""
    slots = [atom_of(slot) for slot in find_slots(statement)]
    wanted = matter_of(request.target)
    meant = [atom for atom in slots if wanted & matter_of(atom.predicate)]
    if request.own and meant and not any(atom.subject in speaker for atom in meant):
        return False
    return names(request, statement, (*beside, *(atom.predicate for atom in slots)))


def names(request: ForgetRequest, text: str, beside: Iterable[str] = ()) -> bool:
    """Whether the words of a request name what a text says: all of them, or two of three where there are more."""
    wanted = matter_of(request.target)
    if not wanted:
        return False
    held = matter_of(text) | matter_of(" ".join((*beside, classes_of(text))))
    met = sum(any(_alike(term, other) for other in held) for term in wanted)
    return met == len(wanted) or (len(wanted) > 2 and met >= len(wanted) * ENOUGH)


def _alike(one: str, other: str) -> bool:
    """Whether two stems are of one word: "weigh" and "weight", "birth" and "birthday"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > SAME_STEM and long.startswith(short)


def _with_kin(found: Sequence[Memory], reading: Reading, *, drawn: bool) -> tuple[UUID, ...]:
    """Memories and the turns they came from; where `drawn`, also what was drawn from those turns."""
    chosen: dict[UUID, None] = dict.fromkeys(memory.id for memory in found)
    for memory in found:
        for intake in reading.intakes.of_memory(memory.id):
            for kin_id in dict.fromkeys(fate.memory_id for fate in intake.fates):
                if kin_id is None or kin_id in chosen:
                    continue
                try:
                    kin = reading.memories.get(kin_id)
                except NotFound:
                    continue
                if drawn or kin.kind == TURN_KIND:
                    chosen.setdefault(kin_id)
    return tuple(chosen)
