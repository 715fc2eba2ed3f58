"""The pass that sums up: each day of a conversation, its weeks from the days, months from the weeks, years from those.

A summary is chosen sentences of its sources, kept beside them and linked to them; a language model may tell them more
shortly (opinion.py). Owns the periods and what is chosen. Invariants: a period is summed up when it is over; what says
the same of the same sources has the same id; an erasure takes every summary above what it takes, and the next run makes
them again from the rest; only turns and notes of one scope and one conversation meet in a summary.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from hashlib import blake2b
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.mind.consolidate import MADE_BY, dreamt, is_made, visible
from palazzo.mind.dream import AUTHOR, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.mind.opinion import Completing, told_shortly
from palazzo.mind.probes import read_newest
from palazzo.model.address import Place, slug
from palazzo.model.change import Attachments, Change, PlaceMemory, SetState
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.ids import id_made_from, time_of
from palazzo.model.memory import Detail, Memory, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.model.zone import local
from palazzo.store.api import Filter, Reading, Store, ToldTurn
from palazzo.text.meaning.topics import keywords
from palazzo.text.statements.tiers import make_tiers
from palazzo.text.words.lexicon import page
from palazzo.text.words.remembered import kept_in
from palazzo.text.words.tokens import word_terms

LEVELS: Final = ("day", "week", "month", "year")
LAST: Final = len(LEVELS) - 1
LINES: Final = (10, 14, 18, 22)
"""Sentences of a summary at most, by level."""
FEWEST: Final = 2
FEW_LINES: Final = 6
MOST: Final = 50_000
KEYWORDS: Final = 24
WEAK: Final = 0.05
"""The weight of the links to sources: so weak that nothing spreads from one turn of a day to all others. They are of
the summary as a whole: what was drawn from a turn is told by links of a revision, and a summary is no statement."""
NAMED: Final = 12
"""Sources a step names; the rest follow from its period."""
PLACE: Final = "summaries"
MARK: Final = "- "
KIND: Final = "digest"
"""A kind of their own: beside their sources in recall summaries cost answers, and they say nothing these do not say."""
_PAGE: Final = page("summaries")
_WEIGHTY: Final = re.compile(_PAGE.listing("weighty").replace("\n", ""), re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d")
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")


class Period(msgspec.Struct, frozen=True, order=True):
    """A day, week, month or year, by its first day."""

    level: int
    first: date

    @classmethod
    def of(cls, level: int, day: date) -> Period:
        """The period of a level that a day is in; a week belongs to the month of its Thursday."""
        if level == 1:
            return cls(1, day - timedelta(days=day.weekday()))
        return cls(level, (day, day, day.replace(day=1), day.replace(month=1, day=1))[level])

    @property
    def end(self) -> date:
        """The first day after it."""
        after = (self.first + timedelta(days=(1, 7, 32, 370)[self.level])).replace
        return (after(), after(), after(day=1), after(month=1, day=1))[self.level]

    def above(self) -> Period:
        """The period of the next level it counts to."""
        day = self.first + timedelta(days=3) if self.level == 1 else self.first
        return Period.of(self.level + 1, day)

    @property
    def words(self) -> str:
        month = f"{self.first:%B %Y}"
        day = f"{self.first.day} {month}"
        return (day, f"the week of {day}", month, f"{self.first.year}")[self.level]


class _Thread(msgspec.Struct, frozen=True, order=True):
    """A conversation of a scope, or what was noted there outside of any."""

    scope: str
    name: str

    def mark(self) -> str:
        """A word of our own for it: its name is somebody's."""
        return blake2b(f"{self.scope}\n{self.name}".encode(), digest_size=6).hexdigest()


class _Part(msgspec.Struct, frozen=True):
    """Something a summary is made from: a turn, a note, or a summary of the level below."""

    memory_id: UUID
    created_us: int
    scope: Scope
    period: Period
    lines: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """What a turn says itself: told where nothing that was drawn from its day is held any more."""
    key: int = 0
    """The revision that was read; 0 for a summary."""
    stands: bool = False
    """Whether it is the summary of its own period, which is not made anew."""


class _Built(msgspec.Struct, frozen=True):
    """A summary as it should be: of what it is made, and the one there is of its period."""

    thread: _Thread
    period: Period
    parts: Sequence[_Part]
    made: UUID
    lines: tuple[str, ...]
    held: Memory | None = None


_Days = dict[_Thread, dict[Period, list[_Part]]]
_Held = dict[_Thread, dict[Period, Memory]]
Rested = Callable[[Iterable[tuple[Period, list[_Part]]]], Iterable[tuple[Period, list[_Part]]]]


class Summaries:
    """The pass over one palace."""

    name = "summaries"
    about = "Sum up each day of a conversation, and weeks, months and years from those."
    mode: PassMode = "on"
    touches = False

    def __init__(self, store: Store, zone: str, completer: Completing = lambda: None, most: int = MOST) -> None:
        """`most` memories are read in a run, the newest; of days before those what is held stands."""
        self._store = store
        self._zone = zone
        self._completer = completer
        self._most = most
        self._kept: tuple[date, Mapping[tuple[str, Period], _Built]] | None = None
        kept_in(self, store)

    def forget(self) -> None:
        """Lets go of the sentences it has read."""
        self._kept = None

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """The summaries that are due and not there, days before the weeks made of them."""
        today = local(turn.now_us, self._zone).date()
        self.forget()
        with self._store.reading(SEEN_ALL) as reading:
            every = self._every(reading, today, turn)
        due = [one for one in every.values() if one.held is None or one.held.id != one.made]
        return sorted((self._step(one) for one in due), key=lambda step: step.field)

    def _every(self, reading: Reading, today: date, turn: DreamTurn) -> Mapping[tuple[str, Period], _Built]:
        """Every summary there is or should be, with what it is made from; read once in a run."""
        if self._kept is not None and self._kept[0] == today:
            return self._kept[1]
        days, held = self._days(reading, today, turn)
        found = {
            (thread.mark(), one.period): replace(one, held=held.get(thread, {}).get(one.period))
            for thread, some in sorted(days.items())
            for one in _built(thread, some, today, lambda some: turn.each(self.name, some, 1))
        }
        self._kept = (today, found)
        return found

    def _days(self, reading: Reading, today: date, turn: DreamTurn) -> tuple[_Days, _Held]:
        """Everything that was said and noted before today, by conversation and day, and the summaries there are."""
        memories: dict[int, Memory] = {}
        turns: dict[int, ToldTurn] = {}
        drawn: dict[int, tuple[int, ...]] = {}
        turn.read.append(memories)
        for few in read_newest(reading, Filter(), self._most, lambda: turn.goes_on(self.name, len(memories), 0)):
            memories.update(few)
            turns |= reading.turns.told(list(few))
            drawn |= reading.edges.origins([key for key in few if key not in turns])
        days: _Days = defaultdict(lambda: defaultdict(list))
        for key, one in turn.each(self.name, sorted(memories.items())):
            origin = next((other for other in drawn.get(key, ()) if other in turns and other in memories), key)
            part = self._part(one, turns.get(key), memories[origin], today)
            if part is not None:
                thread = _Thread(str(one.scope), turns[origin].thread if origin in turns else "")
                days[thread][part.period].append(part)
        for some in days.values():
            for period, parts in some.items():
                if not any(one.lines for one in parts):
                    some[period] = [replace(one, lines=one.said) for one in parts]
        cut = min((one.created_us for one in memories.values()), default=0) if len(memories) >= self._most else None
        held = self._held(reading, turn)
        if cut is not None:
            _let_stand(days, held, local(cut, self._zone).date())
        return days, held

    def _part(self, one: Memory, turn: ToldTurn | None, origin: Memory, today: date) -> _Part | None:
        """What a memory gives to the summary of its day: a statement its words, a turn itself as a source."""
        if one.tier != "clear" or is_made(one) or one.kind in (KIND, "summary", "document", "section"):
            return None
        if turn is None and one.kind == "exchange":
            return None  # kept whole beside what was noted
        said_us = origin.revision.content.valid_from_us if origin is not one or turn is not None else None
        day = local(said_us or origin.created_us, self._zone).date()
        if day >= today:
            return None
        line = make_tiers(one.revision.content.stated).key_fact
        part = _Part(one.id, one.created_us, one.scope, Period.of(0, day), key=one.revision.key)
        if turn is None:
            return replace(part, lines=(line,))
        said = () if turn.role == "assistant" else (f"{turn.speaker}: {line}" if turn.speaker else line,)
        return replace(part, said=said)

    def _held(self, reading: Reading, turn: DreamTurn) -> _Held:
        found: _Held = defaultdict(dict)
        for one in turn.newest(self.name, reading, Filter(kinds=(KIND,)), MOST).values():
            told = one.revision.content.detail.metadata or {}
            period = Period(int(told["level"]), date.fromisoformat(str(told["first"])))
            found[_Thread(str(one.scope), str(told["thread"]))][period] = one
        return found

    def _step(self, one: _Built) -> DreamStep:
        period, some = one.period, one.parts
        below = LEVELS[period.level - 1] if period.level else "note"
        what = below if len(some) == 1 else f"{below}s" if period.level else "turns and notes"
        return DreamStep(
            of=self.name, does="sum up", about=tuple(part.memory_id for part in some[:NAMED]), made=(one.made,),
            why=f"{period.words}: {len(some)} {what}", hides=() if one.held is None else (one.held.id,),
            field=f"{period.level}:{period.first.isoformat()}:{one.thread.mark()}",
        )  # fmt: skip

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """The summary of a period, made of what there is of it now; what was there before is put away."""
        now_us = self._store.clock.now_us()
        today, turn = local(now_us, self._zone).date(), DreamTurn(limit=0, since_us=0, now_us=now_us)
        level, first, mark = step.field.split(":")
        period = Period(int(level), date.fromisoformat(first))
        with self._store.reading(SEEN_ALL) as reading:
            built = self._every(reading, today, turn).get((mark, period))
            if built is None or built.made != step.made[0]:
                return ()
            read = [one.key for one in built.parts if one.key]
            below = visible(reading, [one.memory_id for one in built.parts if not one.key])
            if len(reading.memories.kinds_of(read)) + len(below) < len(built.parts):
                return ()
            gone = [SetState(one.id, "deleted", f"made anew by {built.made}") for one in visible(reading, step.hides)]
        words = told_shortly(self._completer(), built.lines) or "\n".join(f"{MARK}{line}" for line in built.lines)
        return [_placed(built, words), *gone]


def _built(thread: _Thread, days: Mapping[Period, list[_Part]], today: date, rested: Rested) -> Iterator[_Built]:
    """The summaries of a conversation with what each is made from, level by level; one stands in for its period in what
    is made of it."""
    parts: dict[int, dict[Period, list[_Part]]] = {level: defaultdict(list) for level in range(len(LEVELS))}
    for period, some in days.items():
        parts[period.level][period] = [*some]
    for level in range(len(LEVELS)):
        for period, some in rested(sorted(parts[level].items())):
            above = parts[level + 1][period.above()] if level < LAST else []
            standing = [one for one in some if one.stands]
            if standing or _passes_on(period, some, today):
                above += [replace(one, stands=False) for one in standing] or some
                continue
            made, lines = _made_id(thread, period, some), _chosen(some, level)
            yield _Built(thread, period, some, made, lines)
            above.append(_Part(made, time_of(made), some[0].scope, period, lines))


def _let_stand(days: _Days, held: _Held, cut: date) -> None:
    """Puts what is held of periods that began by a day in the place of what was read of them, which is but a part."""
    for thread, some in [(one, days[one]) for one in {*days, *held}]:
        for period in [one for one in some if one.first <= cut]:
            del some[period]
        for period, one in held.get(thread, {}).items():
            if period.first <= cut:
                lines = tuple(line.removeprefix(MARK) for line in one.text.splitlines()[1:])
                some[period] = [_Part(one.id, time_of(one.id), one.scope, period, lines, stands=True)]


def _passes_on(period: Period, some: Sequence[_Part], today: date) -> bool:
    """Whether a period has no summary of its own: it is not over, or there is too little to say of it."""
    said = sum(1 for one in some if one.lines)
    few = said < FEWEST if period.level else not said or len(some) < FEWEST  # a turn and what was drawn from it are two
    return period.end > today or few


def _made_id(thread: _Thread, period: Period, some: Sequence[_Part]) -> UUID:
    seed = b"".join(sorted(one.memory_id.bytes for one in some))
    told = f"{thread.mark()} {period.level} {period.first}".encode()
    return id_made_from(max(one.created_us for one in some), b"summary" + told + seed)


def _chosen(some: Sequence[_Part], level: int) -> tuple[str, ...]:
    """The lines that tell most, in the order they were said; each once."""
    lines = list(dict.fromkeys(line for one in some for line in one.lines))
    most = LINES[level] if level else min(LINES[0], max(FEW_LINES, len(lines) // 4))
    if len(lines) <= most:
        return tuple(lines)
    common = Counter(word for line in lines for word in set(word_terms(line)))
    telling = set(keywords(" ".join(lines))[:KEYWORDS])
    order = sorted(range(len(lines)), key=lambda at: (-_telling(lines[at], telling, common, len(lines)), at))
    return tuple(lines[at] for at in sorted(order[:most]))


def _telling(line: str, telling: set[str], common: Counter[str], count: int) -> float:
    """How much a line tells: what was decided or is due, figures, names, and what the period is about."""
    words = set(word_terms(line))
    rare = sum(1 for word in words if common[word] <= max(1, count // 50))
    return (
        2.0 * bool(_WEIGHTY.search(line)) + 1.0 * bool(_NUMBER.search(line)) + 0.7 * min(3, len(_NAME.findall(line)))
        + 0.3 * min(5, len(words & telling)) + 0.1 * min(6, rare) - 1.5 * line.rstrip().endswith("?")
        - 1.0 * (len(words) < 4)
    )  # fmt: skip


def _placed(built: _Built, told: str) -> PlaceMemory:
    thread, period, some, made = built.thread, built.period, built.parts, built.made
    about = f"{period.words[0].upper()}{period.words[1:]}" + (f", {thread.name}" if thread.name else "")
    text = f"{about}:\n{told}"
    at_us = max(one.created_us for one in some)
    place = (PLACE, slug(thread.name) or "notes") if thread.name else (PLACE, "notes")
    return PlaceMemory(
        memory_id=made, place=Place(place), name=f"{LEVELS[period.level]}-{period.first.isoformat()}-{made.hex[-6:]}",
        kind=KIND, scope=some[0].scope,
        content=RevisionDraft(
            text=text, author=AUTHOR + Summaries.name, importance=0.3, confidence=0.9,
            detail=Detail(metadata={
                MADE_BY: Summaries.name, "level": period.level, "first": period.first.isoformat(),
                "thread": thread.name,
            }),
        ),
        attachments=Attachments(
            edges=tuple(EdgeDraft("derived_from", Node(one.memory_id), WEAK, own_revision=False) for one in some),
            sources=dreamt(made, at_us, Summaries.name),
        ),
    )  # fmt: skip
