"""An engine over a fresh palace, with an embedder that counts words and a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo.archive import Archive
from palazzo.belief.conflicts import decide
from palazzo.engine import Engine
from palazzo.intake.pipeline import Parts, Pipeline
from palazzo.intake.values import IntakeResult, Policy
from palazzo.model.capability import View
from palazzo.model.memory import Memory
from palazzo.model.message import Message
from palazzo.model.scope import GLOBAL, Scope
from palazzo.ports import Completer, Embedder
from palazzo.spaces import Spaces
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store


class Palace:
    """A palace as the tests talk to it: every call comes two minutes after the last."""

    def __init__(
        self, store: SqliteStore, clock: FixedClock, embedder: Embedder | None, policy: Policy = Policy(),
        archive: Archive | None = None, completer: Completer | None = None,
    ) -> None:  # fmt: skip
        self.store = store
        self.clock = clock
        spaces = Spaces(store, embedder, embedder.name if embedder else "none", lambda _: None)
        self.engine = Engine(
            store,
            clock,
            spaces,
            lambda: Pipeline(store, clock, spaces, decide, Parts(policy=policy, archive=archive, completer=completer)),
        )

    def remember(self, *messages: str | Message) -> IntakeResult:
        self.clock.advance(minutes=2)
        return self.engine.remember_many(messages)

    def observe(self, *turns: str | Message) -> IntakeResult:
        self.clock.advance(minutes=2)
        return self.engine.observe([t if isinstance(t, Message) else Message(text=t, thread="talk") for t in turns])

    def memories(self, scope: Scope = GLOBAL, *, turns: bool = False, **view: object) -> list[Memory]:
        """Every current memory a reader of the scope sees, oldest first; verbatim turns only when asked for."""
        with self.store.reading(View(scope=scope, **view)) as reading:  # type: ignore[arg-type]
            keys = [key for (key,) in reading.connection.execute("SELECT id FROM revision ORDER BY id")]
            found = [memories.get(reading, m.id) for m in memories.by_keys(reading, keys).values()]
        return sorted((m for m in found if turns or m.kind != "exchange"), key=lambda m: (m.created_us, m.revision.key))

    def texts(self, scope: Scope = GLOBAL, *, turns: bool = False) -> list[str]:
        return [memory.text for memory in self.memories(scope, turns=turns)]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    with make_store(tmp_path / "palace", clock=clock) as made:
        yield made


@pytest.fixture
def palace(store: SqliteStore, clock: FixedClock) -> Palace:
    return Palace(store, clock, HashEmbedder(256))
