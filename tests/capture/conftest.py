"""A palace with capture, and what shells see of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo.bootstrap import create_engine, load_settings
from palazzo.engine import Engine
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def engine(tmp_path: Path, clock: FixedClock) -> Iterator[Engine]:
    settings = load_settings({"palace": str(tmp_path / "p"), "embedder": "none", "upkeep": False})
    with create_engine(settings, clock=clock) as made:
        yield made
        if made.runtime is not None:
            shutil.rmtree(made.runtime, ignore_errors=True)
