"""The numbers of forgotten scopes: what another process remembers of a person is never taken for the next one's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from palazzo.guard.erasure import Erasure
from palazzo.model.capability import View
from palazzo.model.change import AddSpace, Attachments
from palazzo.model.scope import Scope
from palazzo.store.api import TextSearch, VectorSearch
from palazzo.store.sql.memory import memories, search
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for, place_memory
from palazzo.text.words.tokens import terms


def of(user: str) -> Scope:
    return Scope((("user", user),))


def told(store: SqliteStore, user: str, count: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)
    store.commit([
        place_memory(f"{user} keeps bees, hive {n}", scope=of(user), attachments=Attachments(vectors={"a": vectors[n]}))
        for n in range(count)
    ])  # fmt: skip


def found(store: SqliteStore, user: str) -> tuple[list[str], int]:
    """The texts a search for bees brings, and how many of those nearest to a vector can be read."""
    with store.reading(View(scope=of(user))) as reading:
        hits = search.text(store, reading, TextSearch(terms=tuple(terms("bees")), limit=50))
        near = search.vector(store, reading, VectorSearch(vector=np.ones(8, np.float32), limit=50))
        texts = sorted(m.text for m in memories.by_keys(reading, hits.keys.tolist()).values())
        assert len(texts) == len(hits.keys), "a hit that is no memory"
        return texts, len(memories.by_keys(reading, near.keys.tolist()))


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    """The same palace, open twice."""
    with (
        make_store(tmp_path / "p") as one,
        SqliteStore.open(tmp_path / "p", FixedClock(), options_for("sqlite")) as other,
    ):
        one.commit([AddSpace("a", "m", 8)])
        yield one, other


@pytest.mark.parametrize("count", [1, 3, 5, 9])
def test_the_next_person_is_not_taken_for_one_who_was_forgotten(
    both: tuple[SqliteStore, SqliteStore], count: int
) -> None:
    one, other = both
    told(one, "tove", 5, seed=1)
    assert len(found(other, "tove")[0]) == 5
    Erasure(one, None).forget_user("tove", "operator")
    told(one, "mikkel", count, seed=2)
    for store in (other, one):
        assert found(store, "mikkel") == (sorted(f"mikkel keeps bees, hive {n}" for n in range(count)), count)
    assert care.verify(other) == []
