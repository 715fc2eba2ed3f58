"""Palazzo through its library: turns are observed, questions recalled; a hit stands for the turn it was made from.

Which turn that is, the account of each message says; after reopening a hit stands for its own text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import ClassVar, Literal
from uuid import UUID

from bench.peers.system import Ask, Item, Opened
from palazzo import Memory, __version__

PAGE = 200


class PalazzoMemory:
    """A palace with its settings as installed."""

    keeps = "text and vectors"
    version = __version__
    preset: ClassVar[Literal["fast", "balanced", "deep"]] = "balanced"

    def __init__(self, opened: Opened) -> None:
        self._memory = Memory(opened.folder / "palace", embedder=opened.embedder.name)
        self._item_of: dict[UUID, str] = {}

    def add(self, items: Sequence[Item]) -> None:
        for session, group in groupby(items, key=lambda item: item.session):
            part = list(group)
            if part[0].asked_for:
                kept = self._memory.remember_many([_note(item) for item in part])
            else:
                kept = self._memory.observe([_turn(item) for item in part], thread="bench", session=session)
            for item, account in zip(part, kept.accounts, strict=True):
                for fate in account.fates:
                    if fate.memory is not None and (fate.outcome == "superseded" or fate.memory not in self._item_of):
                        self._item_of[fate.memory] = item.id

    def add_one(self, item: Item) -> None:
        self.add([item])

    def settle(self) -> None:
        self._memory.engine.store.upkeep.run()

    def holds(self, items: Sequence[Item]) -> set[str]:
        kept, cursor = set(), ""
        while True:
            page = self._memory.list(limit=PAGE, cursor=cursor)
            kept |= {one.text for one in page}
            if not page.next_cursor:
                return {item.id for item in items if item.text in kept}
            cursor = page.next_cursor

    def search(self, ask: Ask, limit: int) -> list[str]:
        hits = self._memory.recall(ask.text, limit=limit, preset=self.preset, speaker=ask.speaker)
        found = [self._item_of.get(hit.memory.id, hit.text) for hit in hits]
        return list(dict.fromkeys(found))[:limit]

    def close(self) -> None:
        self._memory.close()


class PalazzoFast(PalazzoMemory):
    preset = "fast"


class PalazzoDeep(PalazzoMemory):
    preset = "deep"


class PalazzoVerbatim(PalazzoMemory):
    """Each item remembered word for word as one memory, nothing drawn from it: the work the peers do."""

    def add(self, items: Sequence[Item]) -> None:
        kept = self._memory.remember_many([_note(item) | {"verbatim": True} for item in items])
        self._item_of.update(
            (fate.memory, item.id)
            for item, account in zip(items, kept.accounts, strict=True)
            for fate in account.fates
            if fate.memory is not None
        )


def _note(item: Item) -> dict[str, object]:
    return {"text": item.text} | ({"at": _moment(item)} if item.at_us else {})


def _moment(item: Item) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=item.at_us)


def _turn(item: Item) -> dict[str, object]:
    turn: dict[str, object] = {"content": item.text, "role": item.role}
    if item.role != "assistant" and item.speaker != item.role:
        turn["speaker"] = item.speaker
    if item.at_us:
        turn["at"] = _moment(item)
    return turn
