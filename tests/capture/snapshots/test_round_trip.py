"""A workspace of tmux, an editor and a branch is taken, cleared away, brought back and compared, with the programs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.capture.snapshots.conftest import Desk, looked_for, needed

from palazzo import Memory
from palazzo.errors import NotFound, NotPermitted


def differing(memory: Memory, snapshot: str, desk: Desk) -> list[tuple[str, str, str]]:
    found = memory.snapshot_diff(snapshot, cwd=str(desk.folder))
    return [(one.where, one.before, one.after) for one in found]


def panes(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [pane for one in state["tmux"]["sessions"] for window in one["windows"] for pane in window["panes"]]


def test_a_workspace_of_tmux_and_neovim_comes_back_as_it_was(desk: Desk, memory: Memory) -> None:
    needed("nvim")
    desk.set_up()
    taken = memory.snapshot_save(place="work.desk", cwd=str(desk.folder))
    assert taken.left_out == ()
    state = memory.snapshot_show(str(taken.id)).state
    files = [[str(desk.folder / "plan.txt"), 42], [str(desk.folder / "notes.txt"), 7]]
    assert panes(state)[0]["editor"]["files"] == files
    assert state["git"]["branch"] == "harbour"
    assert differing(memory, str(taken.id), desk) == []
    desk.clear()
    dry = memory.snapshot_restore(str(taken.id), cwd=str(desk.folder))
    assert dry.dry_run
    assert [one.outcome for one in dry if one.what.startswith("tmux")] == ["would"]
    assert subprocess.run(["tmux", "ls"], capture_output=True, check=False).returncode, "a dry run does nothing"
    done = memory.snapshot_restore(str(taken.id), yes=True, cwd=str(desk.folder))
    (tmux,) = (one for one in done if one.what.startswith("tmux"))
    assert (tmux.step, tmux.outcome) == ("terminals", "done")
    assert "tail ran in watch: it is not started again" in tmux.told
    expected = [("tmux.sessions.work.windows.watch.panes.0.program", "tail", "")]
    looked_for(lambda: differing(memory, str(taken.id), desk) == expected)


def test_a_workspace_with_vim_comes_back_with_the_files_it_was_started_with(desk: Desk, memory: Memory) -> None:
    needed("vim")
    desk.set_up("vim")
    taken = memory.snapshot_save(cwd=str(desk.folder))
    (editor,) = (one["editor"] for one in panes(memory.snapshot_show(str(taken.id)).state) if "editor" in one)
    assert editor["files"] == [[str(desk.folder / "plan.txt"), 42]]
    desk.clear()
    memory.snapshot_restore(str(taken.id), yes=True, cwd=str(desk.folder))
    gone = [("tmux.sessions.work.windows.watch.panes.0.program", "tail", "")]
    looked_for(lambda: differing(memory, str(taken.id), desk) == gone)


def test_a_file_that_was_moved_is_told_of_and_the_others_are_opened(desk: Desk, memory: Memory) -> None:
    needed("nvim")
    desk.set_up()
    taken = str(memory.snapshot_save(cwd=str(desk.folder)).id)
    desk.clear()
    (desk.folder / "plan.txt").rename(desk.folder / "plan-of-may.txt")
    (desk.folder / "logs").rmdir()
    done = memory.snapshot_restore(taken, yes=True, cwd=str(desk.folder))
    (tmux,) = (one for one in done if one.what.startswith("tmux"))
    assert tmux.outcome == "done"
    assert f"{desk.folder / 'plan.txt'} is no longer there: not opened, 1 other files are" in tmux.told
    logs = desk.folder / "logs"
    assert f"the folder {logs} is no longer there: edit begins in {desk.folder}" in tmux.told
    notes = f"tmux.sessions.work.windows.edit.panes.0.editor.files.{desk.folder / 'notes.txt'}"
    looked_for(lambda: notes not in [where for where, *_ in differing(memory, taken, desk)])


def test_a_session_that_is_there_is_left_as_it_is(desk: Desk, memory: Memory) -> None:
    desk.tmux("new-session", "-d", "-s", "work", "-n", "edit", "-c", str(desk.folder))
    taken = str(memory.snapshot_save(cwd=str(desk.folder)).id)
    desk.tmux("new-window", "-d", "-t", "work:", "-n", "mine")
    before = desk.tmux("list-panes", "-a", "-F", "#{pane_pid}")
    done = memory.snapshot_restore(taken, yes=True, cwd=str(desk.folder))
    assert {one.outcome for one in done} == {"already"}
    assert desk.tmux("list-panes", "-a", "-F", "#{pane_pid}") == before


def test_what_is_started_does_not_inherit_the_secrets_of_the_palace(
    desk: Desk, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.tmux("new-session", "-d", "-s", "work", "-n", "edit", "-c", str(desk.folder))
    taken = str(memory.snapshot_save(cwd=str(desk.folder)).id)
    desk.clear()
    monkeypatch.setenv("PALAZZO_PASSPHRASE", "seven lanterns")
    memory.snapshot_restore(taken, yes=True, cwd=str(desk.folder))
    assert "seven lanterns" not in desk.tmux("show-environment", "-g")


def test_a_branch_is_never_switched_and_the_way_back_is_told(desk: Desk, memory: Memory) -> None:
    taken = str(memory.snapshot_save(cwd=str(desk.folder)).id)
    subprocess.run(["git", "-C", str(desk.folder), "checkout", "-q", "-b", "other"], check=True)
    done = memory.snapshot_restore(taken, yes=True, cwd=str(desk.folder))
    (git,) = (one for one in done if one.what.startswith("the branch"))
    assert (git.outcome, git.told) == (
        "left", (f"it is on other now; to go back: git -C {desk.folder} switch harbour",),
    )  # fmt: skip
    assert (desk.folder / ".git" / "HEAD").read_text().strip() == "ref: refs/heads/other"


def test_a_snapshot_of_a_real_workspace_is_a_few_kilobytes_at_most(desk: Desk, memory: Memory) -> None:
    for session in range(12):
        desk.tmux("new-session", "-d", "-s", f"session-{session}", "-c", str(desk.folder / "logs"))
        desk.tmux("new-window", "-d", "-t", f"session-{session}:", "-n", "x" * 200, "-c", str(desk.folder))
    taken = memory.snapshot_save(cwd=str(desk.folder))
    assert 2_000 < taken.bytes <= 5_000
    assert any(told.startswith("tmux.sessions") for told in taken.left_out), "what did not fit is told"


def test_while_capture_is_paused_nothing_is_looked_at(
    desk: Desk, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pause()
    with monkeypatch.context() as watched:
        watched.setattr("subprocess.run", lambda *_, **__: pytest.fail("something was asked"))
        watched.setattr("os.scandir", lambda *_: pytest.fail("something was looked at"))
        with pytest.raises(NotPermitted, match="paused"):
            memory.snapshot_save(cwd=str(desk.folder))
        kept = memory.remember("The pump is loud.", snapshot=True)
    assert kept.snapshot is None
    assert any("paused" in told for told in kept.degraded)
    assert list(memory.snapshot_list()) == []


LOOKING = """
import os, sys
from palazzo import Memory
from palazzo.errors import NotPermitted
palace, folder, base = sys.argv[1:]
def mark(name): os.path.exists(f"{base}/{name}")
with Memory(palace, embedder="none", upkeep=False) as memory:
    assert "git" in memory.snapshot_save(cwd=folder).parts
    memory.capture_private("path", pattern=folder)
    memory.capture_private("app", pattern="tmux")
    mark("private-began")
    assert not {"git", "folder", "tmux"} & set(memory.snapshot_save(cwd=folder).parts)
    mark("private-ended")
    memory.pause()
    mark("paused-began")
    try:
        memory.snapshot_save(cwd=folder)
    except NotPermitted:
        pass
    assert memory.remember("The pump is loud.", snapshot=True).snapshot is None
    mark("paused-ended")
"""


def test_of_what_is_private_a_snapshot_opens_nothing_and_while_paused_nothing_at_all(
    desk: Desk, memory: Memory, tmp_path: Path
) -> None:
    needed("strace")
    memory.close()
    desk.tmux("new-session", "-d", "-s", "work", "-c", str(desk.folder))
    seen, palace = tmp_path / "seen", tmp_path / "palace"
    watch = ["strace", "-f", "-qq", "-s", "300", "-o", str(seen), "-e", "trace=%file,%network,%process"]
    words = [*watch, sys.executable, "-c", LOOKING, str(palace), str(desk.folder), str(tmp_path)]
    subprocess.run(words, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # noqa: TID251
    lines = seen.read_text(errors="replace").splitlines()

    def between(kind: str) -> list[str]:
        began, ended = (
            next(number for number, line in enumerate(lines) if f"{tmp_path}/{kind}-{mark}" in line)
            for mark in ("began", "ended")
        )
        return [line for line in lines[began + 1 : ended] if "ENOENT" not in line]

    opens = r" open(at)?\(| readlink(at)?\(| execve\("
    assert [line for line in lines if "tmux" in line and "execve" in line], "it was asked while it was not private"
    private = [line for line in between("private") if re.search(opens, line)]
    assert not [line for line in private if f"{desk.folder}/" in line or re.search(r"execve\(.*tmux", line)]
    paused = [line for line in between("paused") if "CLONE_THREAD" not in line]
    assert not [line for line in paused if re.search(r" (execve|socket|connect|sendto|clone3?|v?fork)\(", line)]
    others = re.compile(rf'{re.escape(str(desk.folder))}|"/proc(/[0-9]+[/"]|")')
    assert not [line for line in paused if re.search(opens, line) and others.search(line)]


def test_a_snapshot_is_kept_with_a_memory_and_goes_with_it(desk: Desk, memory: Memory) -> None:
    kept = memory.remember("We chose the dry dock.", place="work.projects", snapshot=True)
    (found,) = memory.snapshot_list(memory=str(kept.id))
    assert (found.id, found.memory, found.place) == (kept.snapshot, kept.id, "work.projects")
    memory.purge(str(kept.id))
    assert list(memory.snapshot_list()) == []
    assert memory.verify().clean


def test_an_agent_sees_what_would_be_done_and_waits_for_a_person(desk: Desk, memory: Memory, tmp_path: Path) -> None:
    desk.tmux("new-session", "-d", "-s", "work", "-c", str(desk.folder))
    taken = str(memory.snapshot_save(place="work.desk", cwd=str(desk.folder)).id)
    desk.clear()
    memory.grant("agent:cook", place="work.**", level="write")
    memory.grant("agent:guest", place="work.**", level="read_public")
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, subject="agent:cook") as cook:
        done = cook.snapshot_restore(taken, yes=True, cwd=str(desk.folder))
    assert (done.dry_run, done.mode) == (True, "require_approval")
    assert done.next.startswith("the operator does it: palazzo snapshot restore")
    assert subprocess.run(["tmux", "ls"], capture_output=True, check=False).returncode
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, subject="agent:guest") as guest:
        for look in (guest.snapshot_list, lambda: guest.snapshot_show(taken)):
            with pytest.raises(NotPermitted, match="read_all"):
                look()


def test_what_is_shared_has_neither_secrets_nor_the_home_folder(
    desk: Desk, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    named = desk.folder / secret
    named.mkdir()
    taken = memory.snapshot_save(cwd=str(named))
    assert secret not in json.dumps(memory.snapshot_show(str(taken.id)).state), "it is not even kept"
    plain = memory.snapshot_save(cwd=str(desk.folder))
    monkeypatch.setenv("HOME", str(desk.folder.parent))
    shared = memory.snapshot_share(str(plain.id))
    assert shared.state["folder"] == "~/project"
    assert shared.palazzo == "snapshot 1"


def test_a_dropped_snapshot_is_gone_from_the_palace_and_its_archive(desk: Desk, memory: Memory, tmp_path: Path) -> None:
    taken = str(memory.snapshot_save(cwd=str(desk.folder)).id)
    archive = tmp_path / "palace" / "archive"
    assert any(taken in file.read_text() for file in archive.glob("*.changes"))
    memory.snapshot_drop(taken)
    assert not any(taken in file.read_text() for file in archive.glob("*"))
    with pytest.raises(NotFound):
        memory.snapshot_show(taken)


def test_two_snapshots_are_compared_with_each_other(desk: Desk, memory: Memory) -> None:
    first = str(memory.snapshot_save(cwd=str(desk.folder)).id)
    second = str(memory.snapshot_save(cwd=str(desk.folder / "logs")).id)
    (found,) = memory.snapshot_diff(first, other=second)
    assert (found.where, found.before, found.after) == ("folder", str(desk.folder), str(desk.folder / "logs"))
