"""The bus: agents publish memories, others subscribe, and each gets what it asked for once, in the order it was told.

A publication names memories; a receiver that sees one already is told of it, any other gets a copy of its own that says
from whom it comes and goes with its source. Owns who gets what, the clock of a memory and what counts as a conflict.
Knows nothing of permission: what is published was readable by its publisher, and a copy stands in the receiver's own
scope. Invariants: nobody receives its own; what was delivered once is delivered once, however often a delivery was
cut off; nothing that is guarded or private travels; of two edits that did not know of each other both are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotFound
from palazzo.mind.consolidate import MADE_BY, dreamt, is_made
from palazzo.mind.dream import SEEN_ALL
from palazzo.model.capability import AddPacket, MovePacket, Packet, View
from palazzo.model.change import AddEdge, AddRevision, Attachments, Change, Event, PlaceMemory
from palazzo.model.graph import EdgeDraft, MentionDraft, Node
from palazzo.model.ids import id_made_from, new_id
from palazzo.model.memory import Memory, Revision
from palazzo.model.scope import Scope
from palazzo.store.api import Store

Visibility = Literal["project", "squad", "targeted", "global"]
FROM: Final = "bus"
"""Key of the metadata that says whom a copy comes from, with which clock."""
SURER: Final = 0.1
"""By how much a memory must be surer than another to hold against a newer one."""
AGENT: Final = "agent:"
RAW: Final = frozenset({"exchange", "digest"})
"""What is kept whole beside what was drawn from it."""
MOST: Final = 10_000
TAIL: Final = 1_000
Clock = Mapping[str, int]
"""How many edits of each agent a memory has seen."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a publication."""

    memories: tuple[UUID, ...] = ()
    topics: tuple[str, ...] = ()
    visibility: Visibility = "project"
    to: tuple[str, ...] = ()
    importance: float = 0.5
    scope: str = ""


class Subscribed(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a subscription; empty fields want all."""

    topics: tuple[str, ...] = ()
    min_importance: float = 0.0
    sources: tuple[str, ...] = ()
    rate: int = 100
    since: int = 0


class Conflicting(msgspec.Struct, frozen=True, kw_only=True):
    """Two edits that did not know of each other: both are kept, and one of them holds for now."""

    memory: UUID
    other: UUID
    holds: UUID
    why: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What a receiver got: the memories as they stand in its own scope, in the order they were published."""

    memories: tuple[UUID, ...] = ()
    sources: tuple[str, ...] = ()
    conflicts: tuple[Conflicting, ...] = ()
    refused: tuple[str, ...] = ()
    more: bool = False


class Bus:
    """The bus of one palace."""

    def __init__(self, store: Store, scan: Callable[[str], str], above: float = 0.0) -> None:
        """`scan` says why a text must not travel, empty when it may; what agents keep in a project and is more
        important than `above` is published by itself, nothing for 0."""
        self._store = store
        self._above = above
        self._scan = scan

    def publish(self, memories: Sequence[Memory], told: Published, subject: str) -> Packet:
        """Tells others of memories.

        Raises: InvalidInput for what is guarded, or private and for everybody.
        """
        if not memories:
            raise InvalidInput("say what to publish", field="memories")
        if any(one.tier != "clear" for one in memories):
            raise InvalidInput("what is guarded does not travel", field="memories")
        if told.visibility == "global" and any(one.scope.is_private for one in memories):
            raise InvalidInput("what is of a channel or a user is not for everybody", field="visibility")
        if told.visibility == "targeted" and not told.to:
            raise InvalidInput("say whom it is for", field="to")
        own = {topic for one in memories for topic in one.revision.content.detail.topics}
        topics = told.topics or tuple(sorted(own))
        whole = replace(
            told, memories=tuple(one.id for one in memories), topics=topics,
            importance=max(one.revision.content.importance for one in memories), scope=str(memories[0].scope),
        )  # fmt: skip
        return self._add("publication", whole, subject)

    def subscribe(self, told: Subscribed, subject: str) -> Packet:
        """Wants what comes from now on."""
        return self._add("subscription", replace(told, since=self._store.journal.last_seq()), subject)

    def _add(self, kind: Literal["publication", "subscription"], told: msgspec.Struct, subject: str) -> Packet:
        made = Packet(
            id=new_id(self._store.clock.now_us()), kind=kind, subject=subject, state="active",
            told=msgspec.json.encode(told).decode(),
        )  # fmt: skip
        self._store.commit([AddPacket(made)], subject=subject)
        return made

    def unsubscribe(self, packet_id: UUID, subject: str) -> None:
        """Raises: NotFound, also for somebody else's."""
        found = next((one for one, _ in self.subscriptions(subject) if one.id == packet_id), None)
        if found is None:
            raise NotFound(f"no subscription {packet_id}", hint="see `palazzo subscriptions`")
        self._store.commit([MovePacket(packet_id, "ended", "active")], subject=subject)

    def subscriptions(self, subject: str) -> list[tuple[Packet, Subscribed]]:
        """What a subject wants, oldest first."""
        found = self._store.guarding.packets("subscription", subject, MOST)
        active = [one for one in found if one.state == "active"]
        return [(one, msgspec.json.decode(one.told, type=Subscribed)) for one in sorted(active, key=lambda one: one.id)]

    def deliver(self, view: View, limit: int = 100) -> Delivery:
        """Gives a receiver what was published for it since the last time."""
        wanted = self.subscriptions(view.subject)
        if not wanted:
            return Delivery()
        name = f"bus:{blake2b(view.subject.encode(), digest_size=8).hexdigest()}"
        cursor = max(self._store.journal.cursor(name), min(told.since for _, told in wanted))
        rate = min(limit, max(told.rate for _, told in wanted))
        made = Delivery()
        last, taken, end = cursor, 0, self._store.journal.last_seq()
        for seq, sender, told in self._published(cursor, view.subject):
            if isinstance(told, Conflicting):
                made, last = replace(made, conflicts=(*made.conflicts, told)), seq
                continue
            if taken + len(told.memories) > rate and taken:
                return self._ended(replace(made, more=True), name, last)
            last = seq
            asked_for = any(seq > one.since and _wants(one, sender, told) for _, one in wanted)
            if sender != view.subject and _for(view, told) and asked_for:
                made = self._received(made, sender, told, view)
                taken += len(told.memories)
        return self._ended(made, name, max(last, end))

    def _ended(self, made: Delivery, name: str, last: int) -> Delivery:
        self._store.journal.move_cursor(name, last, self._store.clock.now_us())
        return made

    def _published(self, after: int, own: str) -> Iterator[tuple[int, str, Published | Conflicting]]:
        """What was published after an event and what of somebody's own was contradicted, by whom, in the order of the
        journal."""
        while events := self._store.journal.tail(after, TAIL):
            for event in events:
                after = event.seq
                if event.kind == "packet_added" and event.detail.get("kind") == "publication":
                    with suppress(NotFound):
                        found = self._store.guarding.packet(UUID(event.detail["packet"]))
                        yield event.seq, found.subject, msgspec.json.decode(found.told, type=Published)
                elif self._above and event.kind == "memory_placed" and event.subject.startswith(AGENT):
                    kept = self._kept(event)
                    if kept is not None:
                        yield event.seq, event.subject, kept
                elif event.kind == "edge_added" and event.detail.get("kind") == "contradicts" and event.subject != own:
                    clash = self._clashed(event, own)
                    if clash is not None:
                        yield event.seq, event.subject, clash

    def _clashed(self, event: Event, own: str) -> Conflicting | None:
        """That a receiver holds something else than what it got, for whoever told it that; else nothing."""
        with self._store.reading(SEEN_ALL) as reading, suppress(NotFound):
            got = reading.memories.get(event.memory_id) if event.memory_id is not None else None
            told = (got.revision.content.detail.metadata or {}).get(FROM) if got is not None else None
            if isinstance(told, dict) and told.get("by") == own:
                source = reading.memories.get(UUID(told["from"]))
                held = reading.memories.get(UUID(event.detail["target"]))
                holds, why = _holding(source, held)
                return Conflicting(memory=source.id, other=held.id, holds=source.id if holds else held.id, why=why)
        return None

    def _kept(self, event: Event) -> Published | None:
        """What an agent kept, as a publication to its project, where it is important enough; else nothing."""
        with self._store.reading(SEEN_ALL) as reading:
            try:
                memory = reading.memories.get(event.memory_id) if event.memory_id is not None else None
            except NotFound:
                return None
        if memory is None or memory.tier != "clear" or memory.scope.is_private or memory.kind in RAW or is_made(memory):
            return None
        content = memory.revision.content
        if content.importance <= self._above or not memory.scope.get("project"):
            return None
        return Published(
            memories=(memory.id,), topics=content.detail.topics, importance=content.importance, scope=str(memory.scope)
        )

    def _received(self, made: Delivery, sender: str, told: Published, view: View) -> Delivery:
        """One publication taken in: a copy for each memory the receiver does not see, in one commit."""
        changes: list[Change] = []
        ids, conflicts, refused = [], [], []
        with self._store.reading(SEEN_ALL) as reading, self._store.reading(view) as own:
            for memory_id in told.memories:
                try:
                    source = reading.memories.get(memory_id)
                except NotFound:
                    refused.append(f"{memory_id}: it is gone")
                    continue
                if why := self._scan(source.text):
                    refused.append(f"{memory_id}: {why}")
                    continue
                with suppress(NotFound):
                    ids.append(own.memories.get(memory_id).id)
                    continue
                copy, named = _copy_id(source, view), reading.beliefs.mentions_of(source.revision.key)
                try:
                    held = own.memories.get(copy)
                except NotFound:
                    clock = clock_of(reading.memories.history(source.id))
                    changes.append(_copy(source, copy, sender, view.scope, clock, named))
                    ids.append(copy)
                    continue
                history = reading.memories.history(source.id), own.memories.history(copy)
                step, clash = _again(source, held, sender, history, named)
                changes += step
                ids.append(clash.other if clash is not None else copy)
                conflicts += [clash] if clash is not None else []
        if changes:
            self._store.commit(changes, subject=view.subject)
        return Delivery(
            memories=(*made.memories, *ids), sources=(*made.sources, *(sender for _ in ids)),
            conflicts=(*made.conflicts, *conflicts), refused=(*made.refused, *refused),
        )  # fmt: skip


def _for(view: View, told: Published) -> bool:
    """Whether a publication is for whoever reads with this view."""
    if told.visibility == "targeted":
        return view.subject in told.to
    if told.visibility == "global":
        return True
    source = Scope.parse(told.scope)
    levels = ("project",) if told.visibility == "project" else ("project", "squad")
    return all(source.get(level) == view.scope.get(level) for level in levels)


def _wants(wanted: Subscribed, sender: str, told: Published) -> bool:
    return (
        told.importance >= wanted.min_importance
        and (not wanted.topics or not set(wanted.topics).isdisjoint(told.topics))
        and (not wanted.sources or sender in wanted.sources)
    )  # fmt: skip


def clock_of(history: Sequence[Revision]) -> Clock:
    """How many edits of each agent a memory has seen: those it came with, and those made since."""
    found: Counter[str] = Counter()
    came_with: object = None
    for revision in history:
        told = (revision.content.detail.metadata or {}).get(FROM)
        clock = told.get("clock") if isinstance(told, dict) else None
        if clock is not None and clock != came_with:
            came_with = clock
            found = Counter({str(name): int(count) for name, count in clock.items()})
        else:  # an edit keeps what its sender put beside the text
            found[revision.content.author or "operator"] += 1
    return dict(found)


def concurrent(one: Clock, other: Clock) -> bool:
    """Whether neither of two states knew of the other."""
    names = {*one, *other}
    ahead = any(one.get(name, 0) > other.get(name, 0) for name in names)
    behind = any(one.get(name, 0) < other.get(name, 0) for name in names)
    return ahead and behind


def _copy_id(source: Memory, view: View) -> UUID:
    return id_made_from(source.created_us, b"bus" + source.id.bytes + str(view.scope).encode() + view.subject.encode())


def _copy(
    source: Memory, copy: UUID, sender: str, scope: Scope, clock: Clock, named: Sequence[MentionDraft]
) -> PlaceMemory:  # fmt: skip
    """A memory in the scope of whoever gets it, with the trust of whoever told it and the names of what it is about."""
    content = source.revision.content
    told = {MADE_BY: FROM, FROM: {"from": str(source.id), "by": sender, "clock": dict(clock)}}
    return PlaceMemory(
        memory_id=copy, place=source.place, name="", kind=source.kind, scope=scope,
        content=replace(content, author=content.author or sender, detail=replace(content.detail, metadata=told)),
        attachments=Attachments(
            edges=(EdgeDraft("derived_from", Node(source.id)),), sources=dreamt(copy, source.created_us, FROM),
            mentions=tuple(named),
        ),
    )  # fmt: skip


def _again(
    source: Memory, held: Memory, sender: str, histories: tuple[Sequence[Revision], Sequence[Revision]],
    named: Sequence[MentionDraft],
) -> tuple[list[Change], Conflicting | None]:  # fmt: skip
    """A memory published again: the copy follows it, unless both were edited without knowing of each other."""
    there, here = (clock_of(one) for one in histories)
    if all(count <= here.get(name, 0) for name, count in there.items()):
        return [], None
    content = source.revision.content
    marked = {MADE_BY: FROM, FROM: {"from": str(source.id), "by": sender, "clock": dict(there)}}
    if not concurrent(there, here):
        changed = replace(content, detail=replace(content.detail, metadata=marked))
        return [AddRevision(memory_id=held.id, content=changed, attachments=Attachments(mentions=tuple(named)))], None
    seed = b"bus" + source.id.bytes + held.id.bytes + source.revision.number.to_bytes(4)
    other = id_made_from(source.revision.created_us, seed)
    placed = _copy(source, other, sender, held.scope, there, named)
    theirs, why = _holding(source, held)
    clash = Conflicting(memory=held.id, other=other, holds=other if theirs else held.id, why=why)
    return [placed, AddEdge("contradicts", Node(other), Node(held.id))], clash


def _holding(source: Memory, held: Memory) -> tuple[bool, str]:
    """Whether what is told holds against what its receiver has, and why the one that holds does."""
    difference = source.revision.content.confidence - held.revision.content.confidence
    if abs(difference) > SURER:
        return difference > 0, "it is surer"
    return source.revision.created_us >= held.revision.created_us, "it is newer"
