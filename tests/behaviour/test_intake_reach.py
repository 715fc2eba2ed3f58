"""What a subject stores can replace only what it may write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo.bootstrap import create_engine, load_settings
from palazzo.engine import Engine
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.store.sql.memory import memories


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with create_engine(load_settings({"palace": str(tmp_path / "p"), "embedder": "none"})) as made:
        yield made


@pytest.mark.parametrize(("glob", "replaced"), [("**", True), ("life.**", True), ("work.**", False)])
def test_a_newer_value_supersedes_only_within_the_writers_reach(engine: Engine, glob: str, replaced: bool) -> None:
    first = engine.remember(Message(text="My favourite colour is blue.", place="life.preferences"))
    newer = Message(text="My favourite colour is black.")
    engine.remember(newer, subject="mcp:client", reach=(PlaceGlob.parse(glob),))
    with engine.store.reading(View()) as reading:
        assert ("black" in memories.get(reading, first.memory_ids[0]).text) is replaced
