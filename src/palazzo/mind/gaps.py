"""The pass that finds gaps: what is usually known of a thing and is not, what contradicts itself, what is old and used.

Each becomes a question that an agent may ask the user, at most two in a session and each once a week. Owns which
questions are open and when they may be asked again. Invariants: a gap keeps ids and the name of a field, its words are
made for the reader who may see its memories; a gap closes when its answer is there, and nobody closes one without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.errors import Conflict, NotFound
from palazzo.mind.consolidate import visible
from palazzo.mind.dream import AUTHOR, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.model.capability import AddPacket, MovePacket, Packet, PacketState, View
from palazzo.model.change import Change
from palazzo.model.graph import EntityKind
from palazzo.model.ids import id_made_from, new_id
from palazzo.model.memory import Memory
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.words.lexicon import page

GapSort = Literal["missing", "contradiction", "stale"]
DAY_US: Final = 86_400_000_000
WEEK_US: Final = 7 * DAY_US
OLD_US: Final = 90 * DAY_US
OFTEN: Final = 5
"""Sessions in which a memory was used from which on it is worth asking whether it still holds."""
IN_A_SESSION: Final = 2
MOST_OPEN: Final = 50
ENTITIES: Final = 200
READ_OF_ONE: Final = 40
_PAGE: Final = page("gaps")


class GapTold(msgspec.Struct, frozen=True):
    """What is kept of a gap."""

    sort: GapSort
    memories: tuple[UUID, ...]
    field: str = ""
    session: str = ""


class OpenGap(msgspec.Struct, frozen=True, kw_only=True):
    """A gap as a reader sees it: its question in words, what it is about, whether and until when it rests."""

    id: UUID
    sort: GapSort
    question: str
    memories: tuple[UUID, ...]
    state: PacketState
    again_us: int | None = None


class Gaps:
    """The pass over one palace, and the questions it left."""

    name = "gaps"
    about = "Find what is missing, contradicts itself or may be out of date, and keep a question for each."
    mode: PassMode = "on"
    touches = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """Gaps that are not asked about yet; what was answered meanwhile is closed."""
        known = {_key(told) for _, told in self._every()}
        open_now = sum(1 for packet, _ in self._every() if packet.state in ("open", "asked"))
        found: list[DreamStep] = []
        with self._store.reading(SEEN_ALL) as reading:
            for packet, told in self._every():
                if packet.state in ("open", "asked") and not self._holds(reading, told):
                    found.append(
                        DreamStep(
                            of=self.name, does="close", about=told.memories, why="it was answered", field=str(packet.id)
                        )
                    )
            for told in self._found(reading, turn):
                if _key(told) not in known and open_now < MOST_OPEN:
                    known.add(_key(told))
                    open_now += 1
                    found.append(_step(told))
        return found

    def _found(self, reading: Reading, turn: DreamTurn) -> Iterator[GapTold]:
        for edge in turn.each(self.name, reading.known.conflicts(20), 1):
            ends = tuple(sorted((edge.source.memory_id, edge.target.memory_id)))
            told = GapTold("contradiction", ends)
            if self._holds(reading, told):
                yield told
        for one in _often_used(reading, turn):
            if self._holds(reading, told := GapTold("stale", (one.id,))):
                yield told
        yield from _missing(reading, turn)

    def _holds(self, reading: Reading, told: GapTold) -> bool:
        """Whether the gap is still there."""
        found = visible(reading, told.memories)
        if len(found) < len(told.memories):
            return False
        if told.sort == "contradiction":
            return any(
                {edge.source.memory_id, edge.target.memory_id} == set(told.memories) and edge.kind == "contradicts"
                for edge in reading.edges.of(told.memories[0])
            )
        if told.sort == "stale":
            return self._store.clock.now_us() - _told_us(reading, found[0]) > OLD_US
        named = _named(reading, found[0], told.field)
        return named is not None and not _answered(reading, *named)

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """A question kept, or one that was answered closed."""
        if step.does == "close":
            found = self._store.guarding.packet(UUID(step.field))
            return [MovePacket(found.id, "closed", found.state)] if found.state in ("open", "asked") else []
        with self._store.reading(SEEN_ALL) as reading:
            about = visible(reading, step.about)
        if len(about) < len(step.about):
            return ()
        sort = sort_of(step.does)
        if sort is None:
            return ()
        told = GapTold(sort, step.about, step.field)
        made = id_made_from(about[0].created_us, msgspec.json.encode(told))
        if any(packet.id == made for packet, _ in self._every()):
            return ()
        scope = max((one.scope for one in about), key=lambda one: len(one.levels))
        text = msgspec.json.encode(told).decode()
        return [
            AddPacket(Packet(id=made, kind="gap", subject=AUTHOR + self.name, state="open", told=text, scope=scope))
        ]

    def _packets(self) -> tuple[Packet, ...]:
        return self._store.guarding.packets("gap", limit=2_000)

    def _every(self) -> list[tuple[Packet, GapTold]]:
        """The gaps there ever were; that one was asked is no gap."""
        kept = (one for one in self._packets() if one.state != "recorded")
        return [(one, msgspec.json.decode(one.told, type=GapTold)) for one in kept]

    def open(self, view: View, limit: int = 20, *, all_states: bool = False) -> tuple[OpenGap, ...]:
        """The questions a reader may ask, oldest gap first; what was asked within a week rests."""
        now_us = self._store.clock.now_us()
        found: list[OpenGap] = []
        with self._store.reading(view) as reading:
            for packet, told in sorted(self._every(), key=lambda pair: (_RANK[pair[1].sort], pair[0].id)):
                rests = packet.state == "asked" and (packet.until_us or 0) > now_us
                if not all_states and (packet.state not in ("open", "asked") or rests):
                    continue
                question = question_of(reading, told, now_us)
                if question:
                    found.append(
                        OpenGap(
                            id=packet.id, sort=told.sort, question=question, memories=told.memories,
                            state=packet.state, again_us=packet.until_us if rests else None,
                        )
                    )  # fmt: skip
                    if len(found) >= limit:
                        break
        return tuple(found)

    def ask(self, gap_id: UUID, session: str, view: View, subject: str) -> OpenGap:
        """Notes that a question is asked now, in this session.

        Raises: NotFound, Conflict when it was asked within a week or two were asked in this session.
        """
        now_us = self._store.clock.now_us()
        found = next((one for one in self.open(view, 1000) if one.id == gap_id), None)
        if found is None:
            seen = any(one.id == gap_id for one in self.open(view, 1000, all_states=True))
            if seen:
                raise Conflict("it was asked already", hint="a question rests for a week")
            raise NotFound(f"no gap {gap_id}", hint="see `palazzo gaps`")
        if not self.left(session):
            raise Conflict("two questions were asked in this session", hint="wait for the next one")
        packet = self._store.guarding.packet(gap_id)
        told = GapTold(found.sort, (), str(gap_id), _digest(session))
        asked = Packet(
            id=new_id(now_us), kind="gap", subject=subject, state="recorded", scope=packet.scope,
            told=msgspec.json.encode(told).decode(),
        )  # fmt: skip
        moved = MovePacket(gap_id, "asked", packet.state, now_us + WEEK_US)
        self._store.commit([moved, AddPacket(asked)], subject=subject)
        return found

    def left(self, session: str) -> int:
        """How many questions may still be asked in a session."""
        found = (msgspec.json.decode(one.told, type=GapTold) for one in self._packets() if one.state == "recorded")
        asked = sum(1 for one in found if session and one.session == _digest(session))
        return max(0, IN_A_SESSION - asked)

    def mute(self, gap_id: UUID, view: View, subject: str) -> None:
        """Never asks it again.

        Raises: NotFound.
        """
        if not any(one.id == gap_id for one in self.open(view, 1000, all_states=True)):
            raise NotFound(f"no gap {gap_id}", hint="see `palazzo gaps`")
        packet = self._store.guarding.packet(gap_id)
        self._store.commit([MovePacket(gap_id, "muted", packet.state)], subject=subject)


_RANK: Final[dict[GapSort, int]] = {"contradiction": 0, "stale": 1, "missing": 2}


def _digest(session: str) -> str:
    """A session by a word of our own: its name is somebody's."""
    return blake2b(session.encode(), digest_size=8).hexdigest() if session else ""


def sort_of(does: str) -> GapSort | None:
    """The sort of gap that a step is about; None for a step that asks nothing."""
    return next((sort for sort in _RANK if sort == does), None)


_WHY: Final[dict[GapSort, str]] = {
    "missing": "it is not known", "contradiction": "two notes disagree", "stale": "it is old and often used",
}  # fmt: skip


def _step(told: GapTold) -> DreamStep:
    return DreamStep(of=Gaps.name, does=told.sort, about=told.memories, why=_WHY[told.sort], field=told.field)


def _key(told: GapTold) -> tuple[str, tuple[UUID, ...], str]:
    """What makes two gaps one; of something missing the thing counts, and not which memory speaks of it."""
    return told.sort, told.memories, told.field


def _often_used(reading: Reading, turn: DreamTurn) -> list[Memory]:
    read = turn.newest(Gaps.name, reading, Filter(), 5_000).values()
    found = [
        one for one in read
        if one.tier == "clear" and one.kind != "exchange"
        and one.sessions >= OFTEN and turn.now_us - one.revision.created_us > OLD_US
    ]  # fmt: skip
    return sorted(found, key=lambda one: one.id)


def _told_us(reading: Reading, memory: Memory) -> int:
    """When a memory was told last: revised, said again in the same words, or a person said that it still holds."""
    again = max((one.node.at_us for one in reading.provenance.sources_of(memory.id)), default=0)
    return max(memory.revision.created_us, again, reading.reviews.freshness_of(memory.id).answered_us or 0)


def _missing(reading: Reading, turn: DreamTurn) -> Iterator[GapTold]:
    """Fields that nothing answers, of the things that are spoken of most."""
    for row in turn.each(Gaps.name, _PAGE.rows("fields"), 1):
        kind: EntityKind = row["kind"]
        for entity in turn.each(Gaps.name, reading.entities.listed(kind, limit=ENTITIES), 1):
            keys = reading.entities.mentioning(entity.id, READ_OF_ONE)
            about = [one for one in reading.memories.by_keys(list(keys)).values() if one.tier == "clear"]
            told = [one for one in about if one.kind != "exchange"]
            if told and not _answers(row["answered"], entity.name, about):
                first = min(told, key=lambda one: one.id)
                yield GapTold("missing", (first.id,), f"{kind}.{row['field']}.{_place_of(reading, first, entity.name)}")


def _place_of(reading: Reading, memory: Memory, name: str) -> int:
    """Which of the things a memory mentions this is: a name would be content."""
    named = [one.known_as or one.name for one in reading.entities.mentioned_in(memory.revision.key)]
    return named.index(name) if name in named else 0


def _named(reading: Reading, memory: Memory, field: str) -> tuple[str, str, str] | None:
    """Kind, field and name of what is missing, read from the memory that speaks of it."""
    kind, wanted, place = field.split(".")
    named = reading.entities.mentioned_in(memory.revision.key)
    if int(place) >= len(named):
        return None
    return kind, wanted, named[int(place)].known_as or named[int(place)].name


def _answered(reading: Reading, kind: str, field: str, name: str) -> bool:
    row = next((row for row in _PAGE.rows("fields") if row["kind"] == kind and row["field"] == field), None)
    if row is None:
        return True
    for entity in reading.entities.named(name):
        keys = list(reading.entities.mentioning(entity.id, READ_OF_ONE))
        if _answers(row["answered"], name, list(reading.memories.by_keys(keys).values())):
            return True
    return False


def _answers(pattern: str, name: str, about: Sequence[Memory]) -> bool:
    wanted = re.compile(pattern.replace("{name}", re.escape(name)), re.IGNORECASE)
    return any(wanted.search(one.text) for one in about)


def question_of(reading: Reading, told: GapTold, now_us: int) -> str:
    """A gap in words, for a reader who sees what it is about; empty for anybody else."""
    found = visible(reading, told.memories)
    if len(found) < len(told.memories):
        return ""
    if told.sort == "missing":
        named = _named(reading, found[0], told.field)
        rows = (row for row in _PAGE.rows("fields") if named and (row["kind"], row["field"]) == named[:2])
        row = next(rows, None)
        return row["question"].replace("{name}", named[2]) if row and named else ""
    said = [f"\u201c{one.text.strip()}\u201d" for one in sorted(found, key=lambda one: one.id)]
    months = max(1, round((now_us - found[0].revision.created_us) / (30 * DAY_US)))
    text = _PAGE.listing("contradiction" if told.sort == "contradiction" else "stale")
    return text.replace("{said}", said[0]).replace("{other}", said[-1]).replace("{months}", str(months))
