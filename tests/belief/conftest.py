"""Palaces for the belief tests: a fresh one per test, and one per module for generated cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import ENGINES, make_store

settings.register_profile("thorough", settings.get_profile("steady"), max_examples=1_000)
"""`make postulates`: the suite that is run before a release; every law with ten times the cases of an ordinary run."""


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(engine: str, tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    with make_store(tmp_path / "palace", engine, clock) as made:
        yield made
