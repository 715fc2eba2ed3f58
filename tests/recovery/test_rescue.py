"""A palace whose file, key or archive was lost or cut: it is noticed, and the rest brings back what was told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.recovery.operations import OLD, ask, settings_of, told, whole
from tests.recovery.test_conversions import run

from palazzo.bootstrap import create_engine, open_engine, rebuild_from_archive
from palazzo.errors import CorruptPalace, InvalidInput, PalaceExists, PalaceMissing, WrongKey
from palazzo.store.sqlite.encryption import is_encrypted
from palazzo.store.sqlite.palace import FILE

KINDS = pytest.mark.parametrize(
    ("encrypted", "fields"), [(False, False), (True, False), (False, True)], ids=["plain", "encrypted", "fields"]
)


def rescued(folder: Path) -> None:
    """Makes the palace again in another folder and looks whether everything that was told is there."""
    rebuild_from_archive(settings_of(folder), folder / "again")
    with open_engine(settings_of(folder, palace=str(folder / "again"))) as engine:
        whole(engine)


@KINDS
def test_a_palace_without_its_file_is_made_again_from_key_and_archive(
    encrypted: bool, fields: bool, tmp_path: Path
) -> None:
    told(encrypted=encrypted, fields=fields)(tmp_path)
    for path in (tmp_path / "p").iterdir():
        if path.name not in ("key.json", "archive"):
            path.unlink()
    with pytest.raises(PalaceMissing, match="reindex --from-archive"):
        open_engine(settings_of(tmp_path))
    with pytest.raises(PalaceExists, match="reindex --from-archive"):
        create_engine(settings_of(tmp_path), encrypted=encrypted)
    if encrypted or fields:
        with pytest.raises(WrongKey):
            rebuild_from_archive(settings_of(tmp_path, "a guess"), tmp_path / "never")
    rescued(tmp_path)
    assert is_encrypted(tmp_path / "again" / FILE) is (encrypted or fields)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "p"]


@KINDS
@pytest.mark.parametrize("left", [0, 100, 5000, 0.5, -1])
def test_a_file_that_was_cut_off_is_named_and_made_again(
    encrypted: bool, fields: bool, left: float, tmp_path: Path
) -> None:
    told(encrypted=encrypted, fields=fields)(tmp_path)
    path = tmp_path / "p" / FILE
    size = path.stat().st_size
    keep = size - 4096 if left < 0 else int(size * left) if 0 < left < 1 else int(left)
    with path.open("r+b") as handle:
        handle.truncate(keep)
    for command in ("doctor", "verify", "list"):
        found = run(tmp_path, command)
        assert found.exit_code == 2
        error = json.loads(found.stderr.splitlines()[-1])
        assert error["error"] == "corrupt", error
        assert "palazzo reindex --from-archive" in error["hint"]
    with pytest.raises(CorruptPalace):
        open_engine(settings_of(tmp_path))
    rescued(tmp_path)
    assert path.stat().st_size == keep


def test_a_rescue_does_not_touch_a_folder_that_has_something_in_it(tmp_path: Path) -> None:
    told()(tmp_path)
    with pytest.raises(InvalidInput, match="new folder"):
        rebuild_from_archive(settings_of(tmp_path), tmp_path)


def test_an_archive_that_was_cut_or_lost_is_noticed(tmp_path: Path) -> None:
    told(encrypted=True)(tmp_path)
    assert run(tmp_path, "verify").exit_code == 0
    (day,) = (tmp_path / "p" / "archive").glob("*.jsonl")
    lines = day.read_bytes().splitlines(keepends=True)
    day.write_bytes(b"".join(lines[:2]))
    found = json.loads(run(tmp_path, "verify").stdout)
    assert found["problems"] == [
        f"archive: {len(lines) - 2} messages of {day.name} are missing; put the file back from a copy"
    ]
    day.unlink()
    found = run(tmp_path, "verify")
    assert found.exit_code == 1
    findings = json.loads(run(tmp_path, "doctor").stdout)["findings"]
    (gap,) = (finding for finding in findings if finding["check"] == "archive gaps")
    assert str(len(lines)) in gap["detail"]
    assert gap["advice"]


def test_a_copy_brought_back_without_its_archive_is_warned_of_and_sound(tmp_path: Path) -> None:
    told()(tmp_path)
    copy = tmp_path / "copy" / "p" / FILE
    with open_engine(settings_of(tmp_path)) as engine:
        ask(engine, "backup", target=str(copy))
    assert run(tmp_path / "copy", "verify", passphrase=OLD).exit_code == 0
    findings = json.loads(run(tmp_path / "copy", "doctor").stdout)["findings"]
    assert [finding["level"] for finding in findings if finding["check"] == "archive gaps"] == ["warning"]
