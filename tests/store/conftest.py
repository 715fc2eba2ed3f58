"""A palace on SQLite for tests that look at its tables, plain, encrypted and with sealed fields."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import FILES, make_store


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=FILES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(engine: str, tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    with make_store(tmp_path / "palace", engine, clock) as made:
        yield made
