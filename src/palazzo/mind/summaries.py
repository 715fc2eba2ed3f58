"""The pass that sums up: each day of a conversation, its weeks from the days, months from the weeks, years from those.

A summary is chosen sentences of its sources, kept beside them and linked to them; a language model may tell them more
shortly (opinion.py). Owns the periods and what is chosen. Invariants: a period is summed up when it is over; what says
the same of the same sources has the same id; an erasure takes every summary above what it takes, and the next run makes
them again from the rest; only turns and notes of one scope and one conversation meet in a summary.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from hashlib import blake2b
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.mind.consolidate import MADE_BY, dreamt, is_made, visible
from palazzo.mind.dream import AUTHOR, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.mind.opinion import Completing, told_shortly
from palazzo.model.address import Place, slug
from palazzo.model.change import Attachments, Change, PlaceMemory, SetState
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.ids import id_made_from
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

    def within(self, period: Period) -> bool:
        """Whether it counts to a period of its own level or one above."""
        own = self
        while own.level < period.level:
            own = own.above()
        return own == period

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
    lines: tuple[str, ...]
    said: tuple[str, ...] = ()
    """What a turn says itself: told where nothing that was drawn from its day is held any more."""


class Summaries:
    """The pass over one palace."""

    name = "summaries"
    about = "Sum up each day of a conversation, and weeks, months and years from those."
    mode: PassMode = "on"
    touches = False

    def __init__(self, store: Store, zone: str, completer: Completing = lambda: None) -> None:
        self._store = store
        self._zone = zone
        self._completer = completer
        self._kept: tuple[date, dict[_Thread, dict[Period, list[_Part]]]] | None = None
        kept_in(self, store)

    def forget(self) -> None:
        """Lets go of the sentences it has read."""
        self._kept = None

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """The summaries that are due and not there, days before the weeks made of them."""
        today = local(turn.now_us, self._zone).date()
        self.forget()
        with self._store.reading(SEEN_ALL) as reading:
            groups = self._days(reading, today, turn)
            held = {(thread, period): one for thread, period, one in self._held(reading)}
        steps: list[DreamStep] = []
        for thread in sorted(groups):
            steps += self._thread(thread, groups[thread], held, today, turn)
        return sorted(steps, key=lambda step: step.field)

    def _days(self, reading: Reading, today: date, turn: DreamTurn) -> dict[_Thread, dict[Period, list[_Part]]]:
        """Everything that was said and noted before today, by conversation and day; read once in a run."""
        if self._kept is not None and self._kept[0] == today:
            return self._kept[1]
        keys = reading.search.newest(Filter(), MOST)
        turns = reading.turns.told(keys)
        drawn = reading.edges.origins([key for key in keys if key not in turns])
        memories = turn.memories(self.name, reading, keys)
        found: dict[_Thread, dict[Period, list[_Part]]] = defaultdict(lambda: defaultdict(list))
        for key, one in turn.each(self.name, sorted(memories.items())):
            origin = next((other for other in drawn.get(key, ()) if other in turns and other in memories), key)
            part = self._part(one, turns.get(key), memories[origin], today)
            if part is not None:
                thread = _Thread(str(one.scope), turns[origin].thread if origin in turns else "")
                found[thread][part.period].append(part)
        for days in found.values():
            for period, some in days.items():
                if not any(one.lines for one in some):
                    days[period] = [replace(one, lines=one.said) for one in some]
        self._kept = (today, found)
        return found

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
        if turn is None:
            return _Part(one.id, one.created_us, one.scope, Period.of(0, day), (line,))
        said = () if turn.role == "assistant" else (f"{turn.speaker}: {line}" if turn.speaker else line,)
        return _Part(one.id, one.created_us, one.scope, Period.of(0, day), (), said)

    def _held(self, reading: Reading) -> Iterable[tuple[_Thread, Period, Memory]]:
        """The summaries there are."""
        keys = reading.search.newest(Filter(kinds=(KIND,)), MOST)
        for one in reading.memories.by_keys(keys).values():
            told = one.revision.content.detail.metadata or {}
            period = Period(int(told["level"]), date.fromisoformat(str(told["first"])))
            yield _Thread(str(one.scope), str(told["thread"])), period, one

    def _thread(
        self, thread: _Thread, days: dict[Period, list[_Part]], held: dict[tuple[_Thread, Period], Memory],
        today: date, turn: DreamTurn,
    ) -> Iterable[DreamStep]:  # fmt: skip
        """The steps of one conversation, level by level; a summary stands in for its days in what is made of it."""
        parts: dict[Period, list[_Part]] = days
        for level in range(len(LEVELS)):
            above: dict[Period, list[_Part]] = defaultdict(list)
            for period, some in turn.each(self.name, sorted(parts.items()), 1):
                if _passes_on(period, some, today):
                    above[period.above() if level < 3 else period] += some
                    continue
                made = _made_id(thread, period, some)
                before = held.get((thread, period))
                if before is None or before.id != made:
                    yield self._step(thread, period, some, made, before)
                first = some[0]
                stand_in = _Part(made, first.created_us, first.scope, period, _chosen(some, level))
                if level < 3:
                    above[period.above()].append(stand_in)
            parts = above

    def _step(
        self, thread: _Thread, period: Period, some: Sequence[_Part], made: UUID, before: Memory | None
    ) -> DreamStep:
        below = LEVELS[period.level - 1] if period.level else "note"
        what = below if len(some) == 1 else f"{below}s" if period.level else "turns and notes"
        return DreamStep(
            of=self.name, does="sum up", about=tuple(one.memory_id for one in some[:NAMED]), made=(made,),
            why=f"{period.words}: {len(some)} {what}", hides=() if before is None else (before.id,),
            field=f"{period.level}:{period.first.isoformat()}:{thread.mark()}",
        )  # fmt: skip

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """The summary of a period, made of what there is of it now; what was there before is put away."""
        now_us = self._store.clock.now_us()
        today, turn = local(now_us, self._zone).date(), DreamTurn(limit=0, since_us=0, now_us=now_us)
        level, first, mark = step.field.split(":")
        period = Period(int(level), date.fromisoformat(first))
        with self._store.reading(SEEN_ALL) as reading:
            days = self._days(reading, today, turn)
            thread = next((one for one in days if one.mark() == mark), None)
            if thread is None:
                return ()
            some = self._parts(reading, thread, period, days[thread], today)
            made = _made_id(thread, period, some) if some else None
            if made is None or made != step.made[0]:
                return ()
            gone = [SetState(one.id, "deleted", f"made anew by {made}") for one in visible(reading, step.hides)]
        lines = _chosen(some, period.level)
        told = told_shortly(self._completer(), lines) or "\n".join(f"- {line}" for line in lines)
        return [_placed(thread, period, some, made, told), *gone]

    def _parts(
        self, reading: Reading, thread: _Thread, period: Period, days: dict[Period, list[_Part]], today: date
    ) -> list[_Part]:
        """What a period of a conversation is made from."""
        wanted: list[_Part] = []
        parts = {one: some for one, some in days.items() if one.within(period)}
        for level in range(period.level + 1):
            above: dict[Period, list[_Part]] = defaultdict(list)
            for one, some in sorted(parts.items()):
                if one == period:
                    wanted = some
                if _passes_on(one, some, today):
                    above[one.above() if level < 3 else one] += some
                elif level < 3:
                    made = _made_id(thread, one, some)
                    above[one.above()].append(_Part(made, some[0].created_us, some[0].scope, one, _chosen(some, level)))
            parts = above
        there = {one.id for one in visible(reading, [part.memory_id for part in wanted])}
        return wanted if all(part.memory_id in there for part in wanted) else []


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


def _placed(thread: _Thread, period: Period, some: Sequence[_Part], made: UUID, told: str) -> PlaceMemory:
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
