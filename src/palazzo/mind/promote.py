"""The pass for a project that is over: what proved good in it is for everybody from then on.

It does nothing until somebody names a project that is completed. Owns what is worth keeping beyond a project.
Invariants: nothing of an agent, a channel or a user, nothing guarded and nothing that came from elsewhere leaves its
scope; what is made says what it comes from and goes with it, and its source is put away behind it, so nobody reads a
thing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from palazzo.mind.consolidate import MADE_BY, dreamt, is_made, vectors_of, visible
from palazzo.mind.dream import SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.model.change import Attachments, Change, PlaceMemory, SetState
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.ids import id_made_from
from palazzo.model.memory import Memory
from palazzo.model.retention import retention
from palazzo.model.scope import GLOBAL
from palazzo.store.api import Filter, Store

MOST: Final = 100
STRONG: Final = 0.6
"""What must be left of a memory for it to be worth keeping beyond its project."""
LOOKED_AT: Final = 20_000


class Promote:
    """The pass over one palace."""

    name = "promote"
    about = "Let everybody have what proved good in a project that is completed."
    mode: PassMode = "off"
    touches = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """What of the completed project is still strong, the most important first."""
        if not turn.completed:
            return ()
        kinds = tuple(one for one in self._store.kinds.in_layers(("semantic", "procedural")) if one != "digest")
        with self._store.reading(SEEN_ALL) as reading:
            read = turn.newest(self.name, reading, Filter(kinds=kinds), LOOKED_AT)
        found = sorted(self._strong(read.values(), turn), key=lambda pair: (-pair[1], pair[0].id))
        return [
            DreamStep(
                of=self.name, does="promote", about=(one.id,), hides=(one.id,), made=(_made_id(one),),
                figure=round(weight, 3), why="the project is completed, and it still holds", field=turn.completed,
            )
            for one, weight in found[:MOST]
        ]  # fmt: skip

    def _strong(self, read: Iterable[Memory], turn: DreamTurn) -> Iterator[tuple[Memory, float]]:
        for one in turn.each(self.name, read):
            content = one.revision.content
            left = retention(
                kind=self._store.kinds.get(one.kind), durability=None, age_us=turn.now_us - one.accessed_us,
                sessions=one.sessions, arousal=content.affect.arousal,
            )  # fmt: skip
            if _travels(one, turn.completed) and left > STRONG:
                yield one, content.importance

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """The memory for everybody, and its source put away behind it."""
        with self._store.reading(SEEN_ALL) as reading:
            found = visible(reading, step.about)
            if not found or not _travels(found[0], step.field) or visible(reading, step.made):
                return ()
            source, made = found[0], step.made[0]
            content = source.revision.content
            placed = PlaceMemory(
                memory_id=made, place=source.place, name="", kind=source.kind, scope=GLOBAL, pinned=source.pinned,
                content=replace(content, detail=replace(content.detail, metadata={MADE_BY: self.name})),
                attachments=Attachments(
                    edges=(EdgeDraft("derived_from", Node(source.id)),), vectors=vectors_of(reading, source),
                    mentions=tuple(reading.beliefs.mentions_of(source.revision.key)),
                    sources=dreamt(made, source.created_us, self.name),
                ),
            )  # fmt: skip
        return [placed, SetState(source.id, "archived", f"said by {made}")]


def _travels(memory: Memory, project: str) -> bool:
    """Whether a memory is of a project as a whole, or a squad of it, and may be read by everybody."""
    shared = not memory.scope.is_private and not memory.scope.get("agent")
    return shared and memory.tier == "clear" and not is_made(memory) and memory.scope.get("project") == project


def _made_id(source: Memory) -> UUID:
    return id_made_from(source.created_us, b"promote" + source.id.bytes)
