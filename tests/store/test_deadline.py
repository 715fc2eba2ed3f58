"""A search that is told it is too late stops between two pieces of work, and leaves nothing half done behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from palazzo.errors import PartUnavailable
from palazzo.model.capability import View
from palazzo.model.change import AddSpace, Attachments
from palazzo.model.graph import EdgeDraft, Node
from palazzo.store.api import PASSED, Filter, Spread, TextSearch, VectorSearch, never
from palazzo.store.index.tables import timely
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import search
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.tables import interrupting
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import make_store, place_memory

WORDS = ["heron", "lake", "boat", "harbour", "storm", "rope", "lamp", "keeper", "tide", "gull"]
ROWS = 400


class Looks:
    """Says that it is too late from a certain look at the time on, and counts the looks."""

    def __init__(self, after: int) -> None:
        self.after, self.count = after, 0

    def __call__(self) -> bool:
        self.count += 1
        return self.count > self.after


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    """A palace whose vectors lie in many blocks, and whose memories all hang on one."""
    monkeypatch.setattr(vector_blocks, "FLUSH_AT", 16)
    random = np.random.default_rng(7)
    with make_store(tmp_path / "palace") as made:
        made.commit([AddSpace("a", "a", 32)])
        hub = place_memory("The hub of it all.")
        made.commit([hub])
        for start in range(0, ROWS, 20):
            rows = [
                place_memory(
                    " ".join(WORDS) + f" {number}",
                    attachments=Attachments(
                        vectors={"a": random.normal(size=32).astype(np.float32)},
                        edges=(EdgeDraft("related_to", Node(hub.memory_id)),),
                    ),
                )
                for number in range(start, start + 20)
            ]
            made.commit(rows)
            made.upkeep.run()
        yield made


def by_vector(store: SqliteStore, late: Callable[[], bool]) -> int:
    wanted = VectorSearch(vector=np.ones(32, np.float32), space="a", late=late)
    with store.reading(View()) as reading:
        return len(search.vector(store, reading, wanted).keys)


def by_text(store: SqliteStore, late: Callable[[], bool]) -> int:
    with store.reading(View()) as reading:
        return len(search.text(store, reading, TextSearch(terms=tuple(WORDS), late=late)).keys)


@pytest.mark.parametrize("ask", [by_vector, by_text])
def test_a_search_stops_at_the_first_look_that_is_too_late(
    store: SqliteStore, ask: Callable[[SqliteStore, Callable[[], bool]], int]
) -> None:
    patient = Looks(1_000_000)
    found = ask(store, patient)
    assert found > 0
    assert patient.count > 5, "there is work between which to look"
    for after in (0, 1, patient.count // 2):
        hurried = Looks(after)
        with pytest.raises(PartUnavailable, match=PASSED):
            ask(store, hurried)
        assert hurried.count == after + 1
    assert ask(store, never) == found


def many_walks(reading: SqlReading, hub: int, how: Spread) -> None:
    """More than SQLite does between two looks at the time; one walk over 400 edges may be less."""
    for _ in range(50):
        edges.spread(reading, {hub: 1.0}, how)


def test_a_long_statement_is_interrupted_and_the_reading_goes_on(store: SqliteStore) -> None:
    how = Spread(hops=2, decay=0.6, prune=0.1)
    with store.reading(View()) as reading:
        (hub,) = search.text(store, reading, TextSearch(terms=("hub",))).keys.tolist()
        late = Looks(0)
        with pytest.raises(PartUnavailable, match=PASSED), interrupting(reading.connection, late):
            many_walks(reading, hub, how)
        assert late.count == 1
        assert len(edges.spread(reading, {hub: 1.0}, how)) == ROWS
        assert len(search.walk(reading, search.PlaceGlob.parse("work"), Filter(), 1000)) == ROWS + 1


def test_nothing_is_looked_at_where_there_is_no_deadline() -> None:
    pieces = [1, 2, 3]
    assert timely(pieces, never) is pieces
    assert list(timely(pieces, lambda: False)) == pieces
