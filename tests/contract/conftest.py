"""The contract suite runs unchanged over every engine named in palazzo.testing.palace.ENGINES.

Sealed texts on a server are the sealing of a file and the tables of a server, which each run whole; of both together
those parts run that bind, compare or open a sealed text, and all of them with --every-engine (`make postgres`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo.store.api import Store
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import ENGINES, make_palace
from palazzo.testing.postgres import NoServer

SEALED_ON_A_SERVER = {"test_beliefs", "test_known", "test_memories", "test_slips", "test_writing_together"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what sealing on a server does not touch."""
    if config.getoption("--every-engine"):
        return
    left = [
        item for item in items
        if "[postgres-sealed" in item.name and item.path.parent == Path(__file__).parent
        and item.path.stem not in SEALED_ON_A_SERVER
    ]  # fmt: skip
    gone = set(left)
    items[:] = [item for item in items if item not in gone]
    config.hook.pytest_deselected(items=left)


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
