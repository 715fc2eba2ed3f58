"""What an export leaves on the disk: private at every level, and no piece of one that failed or was killed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from palazzo.engine import Engine
from palazzo.errors import DiskFull
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sqlite import backup
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    clock = FixedClock()
    store = make_store(tmp_path / "palace", clock=clock, durable=False)
    with Engine(store, clock, Spaces(store, None, "none", lambda _: None)) as made:
        yield made


@pytest.mark.parametrize("umask", [0o000, 0o022])
@pytest.mark.parametrize("form", ["markdown", "bundle", "palace"])
def test_an_export_is_private_at_every_level_whatever_the_umask(
    form: str, umask: int, engine: Engine, tmp_path: Path
) -> None:
    call(engine, Caller(), "remember", {"text": "The sluice key hangs in the boathouse.", "place": "river.locks"})
    target = tmp_path / "out" / "deeper" / ("copy.db" if form == "palace" else "copy")
    before = os.umask(umask)
    try:
        call(engine, Caller(), "export", {"to": str(target), "format": form})
    finally:
        os.umask(before)
    made = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert [str(path) for path in made if path.stat().st_mode & 0o077] == []
    assert [path for path in made if ".part" in path.name] == []


def test_what_a_killed_export_left_goes_with_the_next_one(engine: Engine, tmp_path: Path) -> None:
    call(engine, Caller(), "remember", {"text": "The sluice key hangs in the boathouse."})
    target = tmp_path / "out" / "all.jsonl"
    target.parent.mkdir()
    (target.parent / ".all.jsonl.0badcafe.part").write_text("the sluice key")
    (target.parent / ".other.jsonl.0badcafe.part").write_text("somebody else's")
    call(engine, Caller(), "export", {"to": str(target)})
    assert sorted(path.name for path in target.parent.iterdir()) == [".other.jsonl.0badcafe.part", "all.jsonl"]


def test_a_backup_that_fails_leaves_no_copy(engine: Engine, tmp_path: Path) -> None:
    def broken(_done: int, _total: int) -> None:
        raise DiskFull("no space left")

    with pytest.raises(DiskFull):
        backup.backup(engine.store.database, tmp_path / "out" / "copy.db", broken)
    assert list((tmp_path / "out").iterdir()) == []
