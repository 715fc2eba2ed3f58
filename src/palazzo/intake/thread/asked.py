"""What a message asks of the memory itself: to forget what was said. Carried out before anything is drawn from it.

Owns the finding of what a request means: what was said just before, in the message, the call or the thread, and the
memories of the speaker's own scope that its words name, with the turns they came from. Decides nothing about how a
request is worded. Invariants: nothing is forgotten outside the speaker's scope and the writer's reach, no document and
nothing with a name of its own; a request becomes no memory; one that asks for all there is is not carried out here, and
the account says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import NotFound
from palazzo.intake.extract import atom_of
from palazzo.intake.known import matter_of, statement_of
from palazzo.intake.split import without
from palazzo.intake.thread.corrected import REMINDED, said_before
from palazzo.intake.values import TURN_KIND, Lost
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import Change, SetState
from palazzo.model.memory import Atom, Memory
from palazzo.model.message import Fate, Letter
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.change.corrections import find_correction
from palazzo.text.change.parts import without_a_part
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.facts.slots.phrases import canonical_predicate, canonical_subject
from palazzo.text.meaning.answering import reading as reading_of
from palazzo.text.meaning.instructions import material_in
from palazzo.text.meaning.requests import (
    ForgetRequest,
    find_request,
    marks_in,
    points_back,
    regretted,
    same_matter,
    subject_for,
)
from palazzo.text.safety.personal import classes_of
from palazzo.text.statements.propositions import split_propositions
from palazzo.text.words.parsed import parsed
from palazzo.text.words.sentences import sentence_spans

LOOKED_AT: Final = 400
"""How many of the newest memories a request is compared with; what is older is found by its words."""
NEAREST: Final = 32
SAME_STEM: Final = 4
ENOUGH: Final = 2 / 3
TOLD_AGAIN: Final = (2, 0.6)
"""Words of a memory, and the share of them, that must stand before a request to forget "it" for it to be meant."""
_FIGURE: Final = re.compile(r"\d")
_ASKED: Final = "asked for in talk"
_UNKEPT: Final = "asked not to be kept"
_HEARD: Final = frozenset({"user", "other"})
WHOLE: Final = frozenset({"document", "asset", "bundle"})
"""Kinds that are kept whole and forgotten by name alone."""
PLAN_KIND: Final = "task"


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
        for start, end, request in asks(letter):
            _carry_out(number, (start, end, request), heard, (store, reach))
    return heard


def asks(letter: Letter) -> list[tuple[int, int, ForgetRequest]]:
    """What a letter asks of the memory itself, with where that stands; one that is kept was heard before."""
    message = letter.message
    if message.role not in _HEARD or message.verbatim or message.name or letter.wholly or letter.kept is not None:
        return []
    given = () if message.speaker else material_in(letter.text)
    return [one for one in _requests(letter.text) if not any(start <= one[0] < end for start, end in given)]


def _requests(text: str) -> list[tuple[int, int, ForgetRequest]]:
    """The requests of a message with where each stands; one to forget "it" right behind what it means names that."""
    found: list[tuple[int, int, ForgetRequest]] = []
    before = 0, 0
    spots = marks_in(text)
    for start, end, _ in parsed(text).spans[1] if spots else ():
        if not any(start <= spot < end for spot in spots):
            before = start, end
            continue
        named = any(one.aim == "words" for *_, one in found)
        target = regretted(text[slice(*before)])
        request = find_request(text[start:end], idle=bool(target))
        if request is not None and request.aim == "this" and find_correction(text[start:end]) is not None:
            request = None  # "scratch that, it's the fifth" says what holds instead
        if request is not None and request.aim == "this" and target:
            request = request._replace(aim="words", target=target, own=False, broad=True)
            found.append((before[0], start + request.reached, request))
        elif request is not None and not (named and request.aim == "this"):
            found.append((start + request.opened, start + request.reached, request))
        before = start, end
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
        back = points_back(letter.text)
        if request.told or back:
            with palace[0].reading(View(scope=letter.message.scope, reach=palace[1])) as reading:
                meant = _last_said(letter, reading) if back else _told_again(letter, request.told, reading)
                _forget(heard, number, (start, end), meant)
        return
    if request.aim == "words" and (subject := subject_for(request.target)):
        request = request._replace(target=_whom(subject, (number, start), heard, palace) or request.target)
        for first, last, _ in parsed(letter.text[:start]).spans[1] if request.broad else ():
            if names(request, letter.text[first:last]):
                _account(heard, number, (first, last), _UNKEPT)
    before = _before(number, request, heard)
    for earlier in before:
        _withhold(heard, earlier)
    store, reach = palace
    forgotten: tuple[UUID, ...] = ()
    if not (before and request.aim == "this"):
        with store.reading(View(scope=letter.message.scope, reach=reach)) as reading:
            if request.aim == "this":
                forgotten = _last_said(letter, reading)
            else:
                named = _named(letter, request, reading)
                if request.plainly and named and all(_plans_more(request, memory, letter.at_us) for memory in named):
                    return  # "forget about the podcast" of three plans: one is given up, and the others stand
                if things := _different(request, named):
                    _account(heard, number, (start, end), f"offered: {things} different memories fit; say which")
                    return
                forgotten = _with_kin(named, reading, drawn=False)
    if not before and not forgotten and not request.certain:
        return
    _forget(heard, number, (start, end), forgotten)
    _account(heard, number, (start, end), "" if forgotten else _ASKED if before else "nothing of that is kept")


def _whom(subject: str, place: tuple[int, int], heard: CarriedOut, palace: tuple[Store, tuple[PlaceGlob, ...]]) -> str:
    """Whom a pronoun in a request stands for: the one whom the last sentences of the speaker name; empty if nobody."""
    number, start = place
    with palace[0].reading(View(scope=heard.letters[number].message.scope, reach=palace[1])) as reading:
        said = [one.text for one in islice(said_before(number, start, heard.letters, reading, REMINDED), REMINDED)]
    for text in said:
        kept, _ = split_propositions(f"{text.rstrip(' .!?')}. {subject} is meant.")
        if kept and kept[-1].subject and subject_for(kept[-1].subject) != subject:
            return kept[-1].subject.removeprefix("the user's ")
    return ""


def _forget(heard: CarriedOut, number: int, span: tuple[int, int], forgotten: Sequence[UUID]) -> None:
    letter = heard.letters[number]
    heard.changes.extend(SetState(memory_id, "deleted", _ASKED) for memory_id in forgotten)
    heard.lost.extend(Lost(letter.number, _fate(*span, "forgotten", _ASKED, memory_id)) for memory_id in forgotten)


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
        find_request(rest[start:end]) is not None for start, end, _ in parsed(rest).spans[1]
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


def _named(letter: Letter, request: ForgetRequest, reading: Reading) -> list[Memory]:
    """What the words of a request name among the speaker's own memories.

    Where some of it is called exactly that, only that is meant: "my address" is not the address of the office.
    """
    speaker = frozenset({"the user", canonical_subject(letter.message.speaker or "the user")})
    found = [memory for memory in _own(letter, request.target, reading) if _says(request, memory, speaker)]
    whole = [memory for memory in found if not request.broad and _has_all(request, memory)]
    found = whole or found
    wanted = matter_of(canonical_predicate(request.target)) | matter_of(request.target)
    exact = [memory for memory in found if any(_is_called(wanted, slot) for slot in _slots_of(memory))]
    return exact if request.own and exact else found


def _has_all(request: ForgetRequest, memory: Memory) -> bool:
    """Whether a memory has every word by which something is named: "my son's favourite show" is not my favourite."""
    held = matter_of(memory.revision.content.text)
    return all(any(_alike(term, other) for other in held) for term in matter_of(request.target))


def _own(letter: Letter, words: str, reading: Reading) -> list[Memory]:
    """The memories of the speaker's own scope that these words may mean: the newest, and those with such words."""
    keys = dict.fromkeys(reading.search.newest(Filter(), LOOKED_AT))
    terms = tuple(dict.fromkeys(parsed(words).content_terms))
    if terms:
        (near,) = reading.known.nearest([(terms, NEAREST)])
        keys |= dict.fromkeys(known.key for known in near)
    loaded = reading.memories.by_keys(list(keys)).values()
    return [memory for memory in loaded if memory.scope == letter.message.scope and memory.kind not in WHOLE]


def _told_again(letter: Letter, told: str, reading: Reading) -> tuple[UUID, ...]:
    """What is kept already of that which the words before a request say: most of what a memory says."""
    said = matter_of(told)

    def again(memory: Memory) -> bool:
        held = matter_of(memory.revision.content.text)
        met = sum(any(_alike(term, other) for other in said) for term in held)
        return met >= TOLD_AGAIN[0] and met >= TOLD_AGAIN[1] * len(held)

    return _with_kin([memory for memory in _own(letter, told, reading) if again(memory)], reading, drawn=False)


def _plans_more(request: ForgetRequest, memory: Memory, now_us: int) -> bool:
    """Whether a memory, or the turn it is in, tells of plans of which a request names one."""
    content, wanted = memory.revision.content, matter_of(request.target)
    if memory.kind not in (TURN_KIND, PLAN_KIND) and (content.valid_from_us or 0) <= now_us:
        return False
    return any(not wanted & matter_of(text) for text in without_a_part(content.text))


def _slots_of(memory: Memory) -> list[Atom]:
    content = memory.revision.content
    return list(content.atoms) or [atom_of(slot) for slot in find_slots(content.text)]


def _is_called(wanted: frozenset[str], atom: Atom) -> bool:
    return bool(called := matter_of(atom.predicate)) and called <= wanted


def _different(request: ForgetRequest, found: Sequence[Memory]) -> int:
    """How many different things fit where one is meant; 0 where all is of one.

    They are different where each tells, beside what the request says and they have in common, something of its own
    that is no figure, and they fill different slots.
    """
    stated = {memory.revision.content.text: memory for memory in found if memory.kind != TURN_KIND}
    if request.broad or len(stated) < 2:
        return 0
    slots = {(atom.subject, atom.predicate) for memory in stated.values() for atom in _slots_of(memory)[:1]}
    if len(slots) == 1:
        return 0
    wanted = matter_of(request.target)
    each = [
        {term for term in matter_of(text) if not any(_alike(term, one) for one in wanted) and not _FIGURE.search(term)}
        for text in stated
    ]
    shared = set.intersection(*each)
    return len(each) if all(one - shared for one in each) else 0


def _says(request: ForgetRequest, memory: Memory, speaker: frozenset[str]) -> bool:
    """Whether a memory says what a request names; a turn where one of its statements does."""
    content = memory.revision.content
    if request.released and not reading_of(content.text).own:
        return False
    if memory.kind == TURN_KIND:
        return any(_states(request, one.text, speaker) for one in split_propositions(content.text)[0])
    statement = statement_of(content.text, content.key_fact, memory.kind)
    return _states(request, statement, speaker, (content.text, *content.detail.topics, memory.kind))


def _states(request: ForgetRequest, statement: str, speaker: frozenset[str], beside: Iterable[str] = ()) -> bool:
    """The same for one statement; what fills a slot of somebody else's is not the speaker's: my parents' address."""
    slots = [atom_of(slot) for slot in find_slots(statement)]
    wanted = matter_of(request.target) | matter_of(canonical_predicate(request.target))
    meant = [atom for atom in slots if wanted & matter_of(atom.predicate)]
    if request.own and meant and not any(atom.subject in speaker or _within(atom.subject, wanted) for atom in meant):
        return False
    return names(request, statement, (*beside, *(atom.predicate for atom in slots)))


def _within(subject: str, wanted: frozenset[str]) -> bool:
    """Whether a request names whose it is: "my son's school"."""
    return bool(of := matter_of(subject)) and of <= wanted


def names(request: ForgetRequest, text: str, beside: Iterable[str] = ()) -> bool:
    """Whether the words of a request name what a text says: all of them, or two of three where there are more."""
    wanted = matter_of(request.target)
    if not wanted:
        return False
    held = matter_of(text) | matter_of(" ".join((*beside, classes_of(text))))
    met = sum(any(_alike(term, other) for other in held) or same_matter(term, text) for term in wanted)
    canonical = matter_of(canonical_predicate(request.target))
    if canonical != wanted and canonical and canonical <= held:
        return True
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
