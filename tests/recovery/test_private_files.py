"""Whatever puts a file of a palace anywhere, it and the folders made for it are its owner's alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recovery.operations import TEXTS, told
from tests.recovery.test_conversions import run

from palazzo.files import raw_files
from palazzo.store.sqlite.palace import FILE


@pytest.fixture(autouse=True)
def wide_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def all_private(folder: Path) -> None:
    assert [f"{path.name} {path.stat().st_mode & 0o777:o}" for path in raw_files.readable_by_others(folder)] == []


def damaged(root: Path) -> None:
    path = root / "p" / FILE
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    "ways",
    [
        (("backup", "ROOT/p/kept/copy.db"), ("restore-backup", "ROOT/p/kept/copy.db")),
        (("backup", "ROOT/p/backups/copy.db"), damaged, ("recover",)),
        (damaged, ("recover",)),
        (
            lambda root: (root / "p" / FILE).unlink(),
            ("reindex", "--from-archive", "ROOT/p2"),
            lambda root: all_private(root / "p2"),
        ),
        (("upkeep",), ("rebuild",), ("setting-put", "stale_above", "0.7"), ("token", "create", "mcp:desk")),
        (("copy", "ROOT/p", "ROOT/p2/here"), lambda root: all_private(root / "p2")),
        (("export", "ROOT/p/out/a.jsonl"), ("import", "ROOT/p/out/a.jsonl")),
        (("export", "ROOT/p/out/a.db", "--format", "palace"), ("export", "ROOT/p/out/notes", "--format", "markdown")),
        (("rotate",),),
        (("decrypt",), ("encrypt",), ("audit", "anchor", "--file", "ROOT/p/anchors")),
    ],
    ids=lambda ways: " and ".join(way[0] for way in ways if isinstance(way, tuple)),
)
def test_every_file_that_a_command_writes_is_its_owners_alone(ways: tuple[object, ...], tmp_path: Path) -> None:
    told(encrypted=ways[0] in (("rotate",), ("decrypt",)))(tmp_path)
    for way in ways:
        if callable(way):
            way(tmp_path)
            continue
        assert isinstance(way, tuple)
        done = run(tmp_path, *(word.replace("ROOT", str(tmp_path)) for word in way))
        assert done.exit_code == 0, done.output
        all_private(tmp_path / "p")


def test_the_palace_a_backup_was_put_back_into_is_its_owners_alone(tmp_path: Path) -> None:
    told()(tmp_path)
    assert run(tmp_path, "backup", str(tmp_path / "copy.db")).exit_code == 0
    (tmp_path / "copy.db").chmod(0o644)  # as somebody else carried it here
    assert run(tmp_path, "restore-backup", str(tmp_path / "copy.db")).exit_code == 0
    assert (tmp_path / "p" / FILE).stat().st_mode & 0o777 == 0o600
    assert TEXTS[1] in run(tmp_path, "list").output
