"""The hooks in real shells, with a real daemon: what arrives, what never leaves the shell, and what waits meanwhile."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.shells import RealShell, missing
from tests.surfaces.daemon import Running, as_operator, daemon, environment

from palazzo.bootstrap import create_engine, load_settings
from palazzo.bootstrap.parts import runtime_folder
from palazzo.surfaces.shell.command import hook

LOOKS = 1500
SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(bool(missing(name)), reason=f"{name} is not installed"))
    for name in ("bash", "zsh", "fish")
]


@pytest.fixture
def palace(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "p"
    create_engine(load_settings({"palace": str(folder), "embedder": "none"})).close()
    as_operator(folder, "capture_enable", adapter="shell")
    yield folder
    shutil.rmtree(runtime_folder(folder), ignore_errors=True)


def asked(running: Running, name: str, **given: Any) -> Any:
    with running.by_socket() as connection:
        return connection.call(name, given)


def arrived(running: Running, wanted: str) -> list[Any]:
    """Raw events, oldest first, once this command is among them."""
    found: list[Any] = []
    for _ in range(LOOKS):
        found = list(asked(running, "raw_events"))
        if any(one.reference == wanted for one in found):
            return found[::-1]
        time.sleep(0.02)  # another process carries it
    raise AssertionError([one.reference for one in found])


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_tells_what_was_run_where_and_with_which_result_and_nothing_private(
    name: str, palace: Path, tmp_path: Path
) -> None:
    (tmp_path / "barge").mkdir()
    with daemon(palace) as running, RealShell(name, tmp_path / "home", hook(str(palace), name)) as shell:
        shell.run("echo one")
        shell.run("false")
        shell.run(" echo spaced")
        shell.run("pass show bank")
        shell.run(f"cd {tmp_path / 'barge'}")
        for line in ("echo one", "false", f"cd {tmp_path / 'barge'}"):
            arrived(running, line)
        asked(running, "capture_private", what="path", pattern=str(tmp_path / "barge"))
        shell.run("echo hidden")
        asked(running, "capture_private", what="path", pattern=str(tmp_path / "barge"), remove=True)
        asked(running, "pause")
        shell.run("echo paused")
        asked(running, "resume")
        shell.run("echo last")
        found = arrived(running, "echo last")
    told = {one.reference: one.metadata for one in found}
    assert set(told) - {"echo last"} <= {"echo one", "false", f"cd {tmp_path / 'barge'}"}
    assert told["false"]["exit_code"] == 1
    assert told["echo last"]["cwd"] == str(tmp_path / "barge")
    assert told["echo last"]["shell"] == name


@pytest.mark.parametrize("name", SHELLS)
def test_while_the_daemon_is_down_commands_wait_in_a_bounded_spool_and_are_taken_in_later(
    name: str, palace: Path, tmp_path: Path
) -> None:
    spool = runtime_folder(palace) / "spool"
    with RealShell(name, tmp_path / "home", hook(str(palace), name)) as shell:
        shell.run("echo one")
        shell.run("echo two")
        for _ in range(LOOKS):
            if spool.exists() and all(one in spool.read_bytes() for one in (b"echo one", b"echo two")):
                break
            time.sleep(0.02)  # another process carries it
    assert spool.stat().st_mode & 0o777 == 0o600
    as_operator(palace, "run", job="capture")
    assert not spool.exists()
    found = as_operator(palace, "raw_events")
    assert {one.reference for one in found} == {"echo one", "echo two"}


@pytest.mark.skipif(bool(missing("strace", "bash")), reason="strace is not installed")
@pytest.mark.parametrize("name", SHELLS)
def test_a_paused_or_private_second_opens_no_file_and_sends_no_byte(name: str, palace: Path, tmp_path: Path) -> None:
    seen, diary = tmp_path / "seen", tmp_path / "diary"
    diary.mkdir()
    watch = ["strace", "-f", "-qq", "-s", "200", "-o", str(seen), "-e", "trace=%file,%network,clone,clone3,fork,vfork"]
    as_operator(palace, "capture_private", what="path", pattern=str(diary))
    with RealShell(name, tmp_path / "home", hook(str(palace), name), before=watch) as shell:
        shell.run("true")
        as_operator(palace, "pause")
        shell.run(f"test -e {tmp_path}/paused-began")
        shell.run("true quernstone")
        shell.run(f"test -e {tmp_path}/paused-ended")
        as_operator(palace, "resume")
        shell.run(f"cd {diary}")  # the rules are read anew once, for they changed
        shell.run("true")
        shell.run(f"test -e {tmp_path}/private-began")
        shell.run("true fennelworth")
        shell.run(f"test -e {tmp_path}/private-ended")
    whole = seen.read_text(errors="replace").splitlines()
    own = whole[0].split()[0] + " "  # the shell itself: what carries earlier commands is another process
    lines = [line for line in whole if line.startswith(own)]
    for kind in ("paused", "private"):
        began, ended = (
            next(number for number, line in enumerate(lines) if f"{tmp_path}/{kind}-{mark}" in line)
            for mark in ("began", "ended")
        )
        # fish has threads and a history of its own, whether or not there is a hook
        others = ("CLONE_THREAD", "clone3 resumed", str(tmp_path / "home"), "/usr/share/fish")
        stretch = [line for line in lines[began + 1 : ended] if not any(one in line for one in others)]
        looked = [line for line in stretch if str(runtime_folder(palace)) in line]
        assert looked  # whether a file is there, and nothing more
        assert not [line for line in looked if "stat" not in line and "access" not in line], looked
        assert not [line for line in stretch if re.search(r"socket|connect|send|execve|clone|fork", line)], stretch
        assert not [line for line in stretch if re.search(r" (open|openat|creat)\(", line)], stretch
    as_operator(palace, "run", job="capture")
    told = {one.reference for one in as_operator(palace, "raw_events")}
    assert not {"true quernstone", "true fennelworth"} & told


@pytest.mark.skipif(bool(missing("bash", "git")), reason="bash or git is not installed")
def test_the_why_of_a_memory_is_told_from_real_hooks(palace: Path, tmp_path: Path) -> None:
    as_operator(palace, "capture_enable", adapter="git")
    site, program = tmp_path / "site", f"{sys.executable} -m palazzo --palace {palace}"
    said = "I want this to feel calm: grey, with coral for accents only."
    env = {key: value for key, value in environment().items() if key in ("PYTHONPATH", "PALAZZO_EMBEDDER")}
    env |= {"GIT_CONFIG_GLOBAL": "/dev/null"}
    site.mkdir()
    with (
        daemon(palace) as running,
        RealShell("bash", tmp_path / "home", hook(str(palace), "bash"), env) as shell,
    ):
        for line in (
            f"cd {site}",
            "git init -q . && git config user.email ada@example.org && git config user.name Ada",
            f"{program} shell init git > .git/hooks/post-commit && chmod +x .git/hooks/post-commit",
            "echo '<h1>hull</h1>' > explore.html && touch hull.py && git add . && git commit -q -m 'Draw the hull'",
            "git diff --stat",
        ):
            shell.run(line)
        arrived(running, "git diff --stat")
        commits = [one for one in arrived(running, "Draw the hull") if one.kind == "commit"]
        made = asked(running, "observe", turns=[{"role": "user", "content": said}], thread="design")
        why = asked(running, "why", memory=str(made.memories[0])).text
    assert commits[0].metadata["languages"] == {"Python": 1}
    assert "right after the command `git diff --stat` was run" in why
    assert "in the conversation design" in why
    assert said in why


@pytest.mark.skipif(bool(missing("bash")), reason="bash is not installed")
def test_a_hung_daemon_does_not_hold_the_prompt(palace: Path, tmp_path: Path) -> None:
    with daemon(palace) as running, RealShell("bash", tmp_path / "home", hook(str(palace), "bash")) as shell:
        shell.run("echo first")
        arrived(running, "echo first")
        running.process.send_signal(signal.SIGSTOP)
        try:
            for number in range(20):
                shell.run(f"echo {number}")  # each returns with the next prompt, and the daemon answers none
        finally:
            running.process.send_signal(signal.SIGCONT)
        arrived(running, "echo 0")


def test_the_hooks_are_what_their_shells_can_read(palace: Path) -> None:
    for name, words in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
        if not missing(name):
            text = hook(str(palace), name)
            assert "@" not in text.replace("[@]", "")
            subprocess.run(words, input=text, text=True, check=True)
