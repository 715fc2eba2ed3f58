from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scripted_models import FailingEmbedder

from palazzo.engine import Engine
from palazzo.errors import PartUnavailable
from palazzo.model.message import Message
from palazzo.ports import Embedder
from palazzo.spaces import Spaces
from palazzo.store.index.vector import vectors
from palazzo.store.sql.tables import SqlTables
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store

OLD, NEW = HashEmbedder(dimensions=32), HashEmbedder(dimensions=48)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with make_store(tmp_path / "p") as made:
        yield made


def engine(store: SqliteStore, embedder: Embedder | None, *others: Embedder) -> Engine:
    by_source = {other.name: other for other in others}
    spaces = Spaces(store, embedder, embedder.name if embedder else "none", by_source.get)
    return Engine(store, FixedClock(), spaces)


def states(store: SqliteStore) -> dict[str, str]:
    with store.database.read() as connection:
        return {space.name: space.state for space in vectors.spaces(SqlTables(connection))}


def found_by_vector(made: Engine, cue: str) -> list[str]:
    return [hit.text for hit in made.recall(cue).hits if any(s.name == "vector" for s in hit.signals)]


def test_what_was_stored_without_an_embedder_gets_its_vector_later(store: SqliteStore) -> None:
    kept = engine(store, None).remember_many([Message(text="storks over the river")])
    assert "no embedder" in kept.degraded[0]
    later = engine(store, OLD)
    assert [hit.text for hit in later.recall("storks").hits] == ["storks over the river"]
    assert later.spaces.backfill() == 1
    assert found_by_vector(later, "storks river") == ["storks over the river"]


def test_a_failing_embedder_fails_no_write_and_no_search(store: SqliteStore) -> None:
    broken = engine(store, FailingEmbedder())
    kept = broken.remember_many([Message(text="kept all the same")])
    assert kept.degraded
    assert [hit.text for hit in broken.recall("kept").hits] == ["kept all the same"]
    with pytest.raises(PartUnavailable):
        broken.spaces.backfill()


def test_a_new_model_fills_beside_the_old_one_and_takes_over_without_a_gap(store: SqliteStore) -> None:
    engine(store, OLD).remember_many([Message(text=f"memory number {n} about storks") for n in range(600)])
    moving = engine(store, NEW, OLD)
    moving.remember_many([Message(text="written while moving")])
    assert states(store) == {OLD.name: "active", NEW.name: "filling"}
    assert "written while moving" in found_by_vector(moving, "written while moving")
    seen: list[tuple[int, int]] = []

    def watch(done: int, total: int) -> bool:
        seen.append((done, total))
        assert states(store)[OLD.name] == "active"
        assert found_by_vector(moving, "memory number 7 about storks")
        return True

    assert moving.spaces.backfill(watch) == 600
    assert seen[-1] == (600, 600)
    assert states(store) == {OLD.name: "filling", NEW.name: "active"}
    assert "written while moving" in found_by_vector(moving, "written while moving")
    assert moving.spaces.backfill() == 0


def test_going_back_to_the_old_model_fills_only_what_it_missed(store: SqliteStore) -> None:
    engine(store, OLD).remember_many([Message(text="one")])
    engine(store, NEW, OLD).spaces.backfill()
    engine(store, NEW, OLD).remember_many([Message(text="two")])
    assert engine(store, OLD, NEW).spaces.backfill() == 1
    assert states(store)[OLD.name] == "active"


def test_when_the_old_embedder_is_gone_the_filling_space_and_text_answer(store: SqliteStore) -> None:
    engine(store, OLD).remember_many([Message(text="storks over the river")])
    moved = engine(store, NEW)
    moved.remember_many([Message(text="herons on the roof")])
    assert [hit.text for hit in moved.recall("storks").hits[:1]] == ["storks over the river"]
    assert found_by_vector(moved, "herons roof") == ["herons on the roof"]
