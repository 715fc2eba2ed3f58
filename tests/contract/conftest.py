"""The contract suite runs unchanged over every engine named in palazzo.testing.palace.ENGINES."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo.store.api import Store
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import ENGINES, make_palace
from palazzo.testing.postgres import NoServer


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(engine: str, tmp_path: Path, clock: FixedClock) -> Iterator[Store]:
    try:
        made = make_palace(tmp_path / "palace", engine, clock)
    except NoServer as missing:
        pytest.skip(str(missing))
    with made:
        yield made
