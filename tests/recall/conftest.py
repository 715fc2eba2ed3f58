"""A palace with an embedder that hashes words, and short ways to fill it and to ask it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from palazzo.model.capability import View
from palazzo.model.change import Attachments, PlaceMemory
from palazzo.model.message import Turn
from palazzo.ports import Embedder
from palazzo.recall.answer.reply import Reply
from palazzo.recall.read.cue import Cue
from palazzo.recall.recall import Recall
from palazzo.spaces import Spaces
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store, place_memory

DAY_US = 86_400_000_000


class Room:
    """One palace and its recall."""

    def __init__(self, store: SqliteStore, clock: FixedClock, embedder: Embedder | None) -> None:
        self.store = store
        self.clock = clock
        self.spaces = Spaces(store, embedder, "test", lambda _: None)
        self.recall = Recall(store, clock, self.spaces)

    def keep(self, text: str, **given: Any) -> PlaceMemory:
        """Keeps one memory; `turn` puts it into a conversation."""
        turn: Turn | None = given.pop("turn", None)
        embedded = self.spaces.embed([text])
        attachments = Attachments(vectors={space: rows[0] for space, rows in embedded.by_space.items()}, turn=turn)
        change = place_memory(text, attachments=attachments, **given)
        self.store.commit([change])
        return change

    def talk(self, session: str, turns: Sequence[tuple[str, str]], at_us: int = FixedClock.START_US) -> None:
        """Keeps the turns of a session, (speaker, text) each."""
        for speaker, text in turns:
            role = "assistant" if speaker == "assistant" else "user"
            self.keep(
                text, kind="exchange", place="talks", valid_from_us=at_us,
                turn=Turn("thread", session, speaker=speaker, role=role),
            )  # fmt: skip

    def ask(self, text: str, view: View = View(), **given: Any) -> Reply:
        return self.recall.recall(Cue(text=text, **given), view)

    def texts(self, text: str, view: View = View(), **given: Any) -> list[str]:
        return [hit.text for hit in self.ask(text, view, **given).hits]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    with make_store(tmp_path / "palace", "sqlite", clock) as made:
        yield made


@pytest.fixture
def room(store: SqliteStore, clock: FixedClock) -> Room:
    return Room(store, clock, HashEmbedder())
