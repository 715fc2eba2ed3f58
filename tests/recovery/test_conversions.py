"""What people see of a conversion that was cut off: every command tells, and the same command finishes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.recovery.disk import Disk
from tests.recovery.operations import NEW, OLD, settings_of, told, whole
from tests.recovery.walk import in_a_child

from palazzo.adapters import key_file
from palazzo.bootstrap import encrypt_palace, interrupted, open_engine, rotate_palace
from palazzo.errors import PalaceBusy, WrongKey
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite import encryption
from palazzo.store.sqlite.connection import open_connection, raw_key
from palazzo.store.sqlite.palace import FILE
from palazzo.surfaces.cli.commands import main
from palazzo.testing.palace import TEST_KEY


def run(folder: Path, *arguments: str, passphrase: str = OLD) -> Any:
    environment = {"PALAZZO_PASSPHRASE": passphrase, "PALAZZO_EMBEDDER": "none", "PALAZZO_DAEMON": "0"}
    return CliRunner().invoke(main, ["--palace", str(folder / "p"), "--json", *arguments], env=environment)


def cut(*_: object) -> None:
    raise KeyboardInterrupt


def cut_off(work: Any, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Does something until it comes to a function that is never reached."""
    with monkeypatch.context() as patch:
        patch.setattr(at, cut)
        with pytest.raises(KeyboardInterrupt):
            work()


def test_every_command_tells_of_an_encryption_that_was_cut_off_until_it_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told()(tmp_path)
    cut_off(lambda: encrypt_palace(settings_of(tmp_path)), "palazzo.archive.Archive.convert", monkeypatch)
    for command in ("status", "list", "verify"):
        found = run(tmp_path, command)
        note = json.loads(found.stderr)
        assert note["note"] == "unfinished"
        assert note["hint"] == "run `palazzo encrypt` again"
    findings = json.loads(run(tmp_path, "doctor").stdout)["findings"]
    assert [f["advice"] for f in findings if f["check"] == "conversion"] == ["run `palazzo encrypt` again"]
    assert run(tmp_path, "encrypt").exit_code == 0
    assert run(tmp_path, "status").stderr == ""


def test_a_rotation_cut_off_before_its_one_step_opens_with_either_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(encrypted=True)(tmp_path)
    turn = settings_of(tmp_path, new_passphrase=NEW)
    cut_off(lambda: rotate_palace(turn), "palazzo.store.sqlite.encryption.convert", monkeypatch)
    for phrase in (OLD, NEW):
        with open_engine(settings_of(tmp_path, phrase)) as engine:
            whole(engine)
    with pytest.raises(WrongKey, match="interrupted"):
        open_engine(settings_of(tmp_path, "a guess"))
    rotate_palace(turn)
    assert interrupted(turn) == ""
    with open_engine(settings_of(tmp_path, NEW)) as engine:
        whole(engine)
    rotate_palace(turn)  # run once more, it finds its work done
    with pytest.raises(WrongKey):
        open_engine(settings_of(tmp_path, OLD))


def test_a_palace_in_use_is_refused_and_nothing_counts_as_begun(tmp_path: Path) -> None:
    told()(tmp_path)
    with open_engine(settings_of(tmp_path)) as engine:
        with pytest.raises(PalaceBusy):
            encrypt_palace(settings_of(tmp_path))
        whole(engine)
    assert interrupted(settings_of(tmp_path)) == ""
    assert key_file.read(tmp_path / "p") is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_conversion_in_place_that_an_earlier_release_left_half_done_is_undone(tmp_path: Path) -> None:
    told()(tmp_path)
    path = tmp_path / "p" / FILE

    def in_place(kill_at: int) -> None:
        disk = Disk(path.parent, kill_at=kill_at)
        disk.watch()
        connection = open_connection(path, OpenOptions())
        connection.pragma("journal_mode", "delete")
        connection.pragma("cipher", "chacha20")
        connection.pragma("rekey", raw_key(TEST_KEY))

    number = 40
    while not path.with_name(f"{FILE}-journal").exists() or not encryption.is_encrypted(path):
        assert in_a_child(partial(in_place, number)) != 0
        number += 40
    with open_engine(settings_of(tmp_path, "")) as engine:
        whole(engine)


@pytest.mark.parametrize(
    ("encrypted", "commands"), [(False, ["encrypt"]), (True, ["rotate", "decrypt"])], ids=["plain", "encrypted"]
)
def test_a_conversion_names_the_lines_of_the_archive_it_could_not_take_along(
    encrypted: bool, commands: list[str], tmp_path: Path
) -> None:
    told(encrypted=encrypted)(tmp_path)
    (day,) = (tmp_path / "p" / "archive").glob("*.jsonl")
    with day.open("ab") as handle:
        handle.write(b"neither sealed nor in clear\n")
    number = len(day.read_bytes().splitlines())
    for command in commands:
        found = run(tmp_path, command)
        result = json.loads(found.stdout)
        assert (found.exit_code, result["unreadable"]) == (1, [f"{day.name}, line {number}"])
        assert "palazzo burn --unreadable" in result["next"]
    with open_engine(settings_of(tmp_path)) as engine:
        whole(engine)


OPENING = """
import sys
from palazzo.bootstrap import load_settings, open_engine
from palazzo.errors import PalazzoError
try:
    open_engine(load_settings({"palace": sys.argv[1], "embedder": "none", "passphrase": sys.argv[2]})).close()
except PalazzoError as error:
    print(error.code)
"""


def has_open(pid: int, path: Path) -> bool:
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since
            if handle.readlink() == path:
                return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for the files of a process")
@pytest.mark.parametrize("before", ["plain", "encrypted"])
def test_whoever_waits_to_open_a_palace_that_gets_another_key_is_told_to_try_again(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(encrypted=before == "encrypted")(tmp_path)
    settings = settings_of(tmp_path, **({"new_passphrase": NEW} if before == "encrypted" else {}))
    link, waiting = os.link, []

    def link_when_somebody_waits(source: Any, target: Any) -> None:
        command = [sys.executable, "-c", OPENING, str(tmp_path / "p"), OLD]
        waiting.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        while not has_open(waiting[0].pid, source):
            assert waiting[0].poll() is None, "it did not wait"
        link(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", link_when_somebody_waits)
        encrypt_palace(settings) if before == "plain" else rotate_palace(settings)
    assert waiting[0].communicate()[0] == "busy\n"
    with open_engine(settings_of(tmp_path, OLD if before == "plain" else NEW)) as engine:
        whole(engine)
