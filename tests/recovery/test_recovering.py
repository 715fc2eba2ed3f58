"""A palace looks after itself: copies by itself, a way back by one command, a word when somebody crashed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner

from palazzo import Memory
from palazzo.bootstrap import CRASHED
from palazzo.operations.care.spec import Health
from palazzo.store.sqlite.palace import FILE
from palazzo.surfaces.cli.commands import main
from palazzo.testing.clock import FixedClock

TOLD = ("The ferry to Anholt leaves at nine.", "The mill has nine windows.", "Ottilie keeps the key of the boathouse.")
SINCE = "The bridge at Lund is closed for repairs."


def shell(folder: Path, *arguments: str) -> tuple[int, Any]:
    made = CliRunner().invoke(main, ["--palace", str(folder), "--json", *arguments], env={"PALAZZO_EMBEDDER": "none"})
    return made.exit_code, json.loads(made.stdout) if made.stdout else made.stderr


def furnished(folder: Path) -> Path:
    """A palace with a backup, and something told since."""
    with Memory(folder, embedder="none") as memory:
        for text in TOLD:
            memory.remember(text)
        assert memory.run("backup")[0].counts == {"made": 1, "dropped": 0}
        memory.remember(SINCE)
    return folder


def texts(folder: Path) -> set[str]:
    with Memory(folder, embedder="none") as memory:
        assert memory.verify().clean
        return {one.text for one in memory.list(limit=100)}


def damage(path: Path) -> None:
    """Overwrites the middle of the file: pages of tables that nothing can make again."""
    size = path.stat().st_size
    with path.open("r+b") as handle:
        handle.seek(4096)
        handle.write(os.urandom(size - 8192))


def test_a_palace_copies_itself_once_a_day_and_keeps_the_newest_three(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path / "p", embedder="none", clock=clock, upkeep=False) as memory:
        memory.remember(TOLD[0])
        for _ in range(5):
            assert "backup" in {run.job for run in memory.run("due")}
            assert "backup" not in {run.job for run in memory.run("due")}
            clock.advance(hours=24)
    copies = sorted(path.name for path in (tmp_path / "p" / "backups").glob("*.db"))
    assert copies == [f"auto-202506{day}T120000.db" for day in (18, 19, 20)]


def test_without_an_interval_no_copy_is_made_and_how_many_are_kept_is_a_setting(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path / "p", embedder="none", clock=clock, backup_every_h=0) as memory:
        assert "backup" not in {run.job for run in memory.run("due")}
    with Memory(tmp_path / "p", embedder="none", clock=clock, backup_every_h=1, backup_keep=1) as memory:
        for _ in range(3):
            memory.run("due")
            clock.advance(hours=1)
    assert len(list((tmp_path / "p" / "backups").glob("auto-*.db"))) == 1


def test_a_backup_is_put_back_and_what_was_told_since_is_told_again(tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    code, told = shell(folder, "restore-backup")
    assert (code, told["state"], told["told_again"]) == (0, "whole", 1), told
    assert texts(folder) == {*TOLD, SINCE}
    assert Path(told["kept"]).is_file()


def test_nothing_is_put_back_while_somebody_has_the_palace_open_nor_from_what_is_no_palace(tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    with Memory(folder, embedder="none"):
        code, told = shell(folder, "restore-backup")
        assert code == 2
        assert "have this palace open" in told
    (tmp_path / "notes.db").write_bytes(b"no palace" * 1000)
    code, told = shell(folder, "restore-backup", str(tmp_path / "notes.db"))
    assert code == 2
    code, told = shell(folder, "restore-backup", str(tmp_path / "nothing.db"))
    assert code == 2
    assert texts(folder) == {*TOLD, SINCE}


def test_a_whole_palace_is_left_as_it_is(tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    code, told = shell(folder, "recover")
    assert (code, told) == (0, {"state": "whole", "steps": ["the palace is whole"], "kept": "", "told_again": 0})


def test_indexes_that_are_wrong_are_made_again(tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    connection = apsw.Connection(str(folder / FILE))
    connection.execute("DELETE FROM text_doc")
    connection.close()
    code, told = shell(folder, "recover")
    assert (code, told["steps"][-1], told["kept"]) == (0, "its indexes were made again, and it is whole", "")
    assert texts(folder) == {*TOLD, SINCE}


@pytest.mark.parametrize("left", ["damaged", "cut", "missing"])
def test_a_lost_file_is_brought_back_from_the_newest_backup_and_the_archive(left: str, tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    path = folder / FILE
    if left == "damaged":
        damage(path)
    elif left == "cut":
        os.truncate(path, 100)
    else:
        path.unlink()
    code, told = shell(folder, "recover")
    assert (code, told["state"], told["told_again"]) == (0, "whole", 1), told
    assert texts(folder) == {*TOLD, SINCE}


def test_without_a_whole_backup_the_archive_brings_back_what_was_told(tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    damage(folder / FILE)
    for copy in (folder / "backups").glob("*.db"):
        damage(copy)
    code, told = shell(folder, "recover")
    assert (code, told["state"]) == (0, "whole"), told
    assert texts(folder) == {*TOLD, SINCE}


def test_where_nothing_leads_back_it_says_so_and_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    folder = furnished(tmp_path / "p")
    damage(folder / FILE)
    before = (folder / FILE).read_bytes()
    for part in (*(folder / "backups").glob("*.db"), *(folder / "archive").glob("*")):
        part.unlink()
    code, told = shell(folder, "recover")
    assert (code, told["state"]) == (1, "lost")
    assert (folder / FILE).read_bytes() == before
    assert not (folder / ".recovering").exists()


def test_an_encrypted_palace_is_brought_back_with_its_key(tmp_path: Path) -> None:
    words = "seven lanterns on the pier"
    settings = {"PALAZZO_EMBEDDER": "none", "PALAZZO_PASSPHRASE": words}
    folder = tmp_path / "p"
    base = ["--palace", str(folder), "--json"]
    assert CliRunner().invoke(main, [*base, "init", "--encrypted"], env=settings).exit_code == 0
    with Memory(folder, embedder="none", passphrase=words) as memory:
        memory.remember(TOLD[0])
        memory.run("backup")
        memory.remember(SINCE)
    (folder / FILE).unlink()
    made = CliRunner().invoke(main, [*base, "recover"], env=settings)
    assert (made.exit_code, json.loads(made.stdout)["told_again"]) == (0, 1), made.output
    with Memory(folder, embedder="none", passphrase=words) as memory:
        assert {one.text for one in memory.list()} == {TOLD[0], SINCE}


KILLED = """
import os, signal, sys
from palazzo import Memory

memory = Memory(sys.argv[1], embedder="none")
memory.remember("The ferry leaves at noon.")
os.kill(os.getpid(), signal.SIGKILL)
"""


def crashes(folder: Path) -> int:
    with Memory(folder, embedder="none") as memory:
        return len(memory.audit_list(action=CRASHED))


def test_the_audit_trail_says_that_somebody_ended_without_closing_the_palace(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with Memory(folder, embedder="none") as memory:
        memory.remember(TOLD[0])
    assert crashes(folder) == 0
    made = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False, timeout=120)
    assert made.returncode == -signal.SIGKILL
    assert [crashes(folder) for _ in range(2)] == [1, 1]
    with Memory(folder, embedder="none") as memory, Memory(folder, embedder="none") as beside:
        beside.remember(TOLD[1])
        assert len(memory.audit_list(action=CRASHED)) == 1
        assert memory.verify().clean


def about_time(words: tuple[str, ...]) -> list[str]:
    """What does not depend on the machine."""
    return [word.partition(";")[0] for word in words if "overdue" in word or "last backup" in word]


def test_health_is_told_in_words_and_names_what_is_late(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path / "p", clock=clock, upkeep=False) as memory:
        memory.remember(TOLD[0])
        memory.recall("When does the ferry leave?")
        memory.run("due")
        found = memory.health()
        assert (about_time(found.words), found.layers, found.recalls) == ([], {"semantic": 1}, 1)
        clock.advance(days=8)
        found = memory.health()
        assert found.level != "good"
        late, old = about_time(found.words)
        assert set(late.partition(": ")[2].split(", ")) >= {"upkeep", "backfill", "settle", "audits", "sweep", "backup"}
        assert old == "the last backup is 8 days old"
        assert about_time(memory.run("health")[0].notes) == about_time(found.words)
        level = found.level
        memory.grant("agent:x", "metadata")
    with Memory(tmp_path / "p", clock=clock, subject="agent:x") as agent:
        assert agent.health() == Health(level=level)
