"""The hooks in real shells, with a real daemon: what arrives, what never leaves the shell, and what waits meanwhile."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench.shells import RealShell, missing
from tests.surfaces.daemon import Running, as_operator, daemon, environment

from palazzo.bootstrap import create_engine, load_settings
from palazzo.bootstrap.parts import runtime_folder
from palazzo.surfaces.shell.command import hook
from palazzo.surfaces.shell.send import send

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


def own_calls(seen: Path, tmp_path: Path, kind: str) -> list[str]:
    """What the shell itself asked of the system in the last stretch between two marks; what carries earlier commands is
    another process, and fish has threads and a history of its own, whether or not there is a hook."""
    whole = seen.read_text(errors="replace").splitlines()
    own = whole[0].split()[0] + " "
    lines = [line for line in whole if line.startswith(own)]
    began, ended = (
        max(number for number, line in enumerate(lines) if f"{tmp_path}/{kind}-{mark}" in line)
        for mark in ("began", "ended")
    )
    others = ("CLONE_THREAD", "clone3 resumed", str(tmp_path / "home"), "/usr/share/fish")
    return [line for line in lines[began + 1 : ended] if not any(one in line for one in others)]


@pytest.mark.skipif(bool(missing("strace", "bash")), reason="strace is not installed")
@pytest.mark.parametrize("name", SHELLS)
def test_a_prompt_starts_no_process_and_a_paused_or_private_second_opens_no_file_and_sends_no_byte(
    name: str, palace: Path, tmp_path: Path
) -> None:
    seen, diary = tmp_path / "seen", tmp_path / "diary"
    diary.mkdir()
    watch = ["strace", "-f", "-qq", "-s", "200", "-o", str(seen), "-e", "trace=%file,%network,clone,clone3,fork,vfork"]
    as_operator(palace, "capture_private", what="path", pattern=str(diary))

    def between(kind: str, line: str) -> list[str]:
        for typed in (f"test -e {tmp_path}/{kind}-began", line, f"test -e {tmp_path}/{kind}-ended"):
            shell.run(typed)
        return own_calls(seen, tmp_path, kind)

    with RealShell(name, tmp_path / "home", hook(str(palace), name), before=watch) as shell:
        for _ in range(LOOKS):  # until what carries the commands, which is started once, has come up
            told = [line for line in between("open", "true") if re.search(r"execve|clone|fork|connect|socket", line)]
            if not told:
                break
            time.sleep(0.02)
        assert not told, "a prompt starts nothing and connects to nobody"
        as_operator(palace, "pause")
        paused = between("paused", "true quernstone")
        as_operator(palace, "resume")
        shell.run(f"cd {diary}")  # the rules are read anew once, for they changed
        shell.run("true")
        private = between("private", "true fennelworth")
    for stretch in (paused, private):
        looked = [line for line in stretch if str(runtime_folder(palace)) in line]
        assert looked  # whether a file is there, and nothing more
        assert not [line for line in looked if "stat" not in line and "access" not in line], looked
        assert not [line for line in stretch if re.search(r"socket|connect|send|execve|clone|fork", line)], stretch
        assert not [line for line in stretch if re.search(r" (open|openat|creat)\(", line)], stretch
    as_operator(palace, "run", job="capture")
    told = {one.reference for one in as_operator(palace, "raw_events")}
    assert not {"true quernstone", "true fennelworth"} & set(told)


@pytest.mark.skipif(bool(missing("bash")), reason="bash is not installed")
def test_neither_a_hung_daemon_nor_a_carrier_that_was_ended_nor_a_line_too_long_for_a_pipe_holds_the_prompt(
    palace: Path, tmp_path: Path
) -> None:
    spool = runtime_folder(palace) / "spool"
    with daemon(palace) as running, RealShell("bash", tmp_path / "home", hook(str(palace), "bash")) as shell:
        for number in range(LOOKS):
            shell.run(f"[[ $__palazzo_looped ]] && echo {number} > looped")
            if (tmp_path / "home" / "looped").exists():
                break
        shell.run("""history -s "true $(printf 'x%.0s' {1..100000})" """)
        shell.run("echo after-the-long")
        arrived(running, "echo after-the-long")
        shell.run("kill -9 $__palazzo_pid; wait $__palazzo_pid; __palazzo_pid=$$")
        shell.run("echo nobody reads this")  # written to a carrier that has ended, which is not noticed yet
        shell.run("__palazzo_pid=")
        shell.run("echo after-the-carrier")
        found = arrived(running, "echo after-the-carrier")
        running.process.send_signal(signal.SIGSTOP)
        try:
            for number in range(20):
                shell.run(f"echo {number}")  # each returns with the next prompt, and the daemon answers none
            for _ in range(LOOKS):
                if spool.exists() and b"echo 19" in spool.read_bytes():
                    break
                time.sleep(0.02)  # until the carrier has given up: the daemon has the first, and so has the spool
        finally:
            running.process.send_signal(signal.SIGCONT)
        arrived(running, "echo 0")
        asked(running, "run", job="capture")
        told = Counter(one.reference for one in arrived(running, "echo 19"))
    assert {told[f"echo {number}"] for number in range(20)} == {1}, "by the socket and by the spool, and kept once"
    assert not [one for one in found if "xxx" in one.reference]


@pytest.mark.skipif(bool(missing("bash", "git")), reason="bash or git is not installed")
def test_the_why_of_a_memory_is_told_from_real_hooks(palace: Path, tmp_path: Path, screen: dict[str, str]) -> None:
    site, program = tmp_path / "site", f"{sys.executable} -m palazzo --palace {palace}"
    site.mkdir()
    for adapter, more in (("git", {}), ("window", {}), ("files", {"folders": [str(site)]})):
        as_operator(palace, "capture_enable", adapter=adapter, **more)
    said = "I want this to feel calm: grey, with coral for accents only."
    env = {key: value for key, value in environment().items() if key in ("PYTHONPATH", "PALAZZO_EMBEDDER")}
    env |= {"GIT_CONFIG_GLOBAL": "/dev/null"}
    desktop = {name: screen[name] for name in ("DISPLAY", "I3SOCK")}
    editor = ["xterm", "-class", "Code", "-T", "explore.html", "-e", "sleep", "600"]
    with (
        subprocess.Popen(editor, env=screen, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as window,
        daemon(palace, **desktop) as running,
        RealShell("bash", tmp_path / "home", hook(str(palace), "bash"), env) as shell,
    ):
        arrived(running, "Code")
        for line in (
            f"cd {site}",
            "git init -q . && git config user.email ada@example.org && git config user.name Ada",
            f"{program} shell init git > .git/hooks/post-commit && chmod +x .git/hooks/post-commit",
            "touch explore.html hull.py && git add . && git commit -q -m 'Draw the hull'",
        ):
            shell.run(line)
        commits = [one for one in arrived(running, "Draw the hull") if one.kind == "commit"]
        for number in range(LOOKS):
            (site / "explore.html").write_text(f"<h1>hull {number}</h1>")
            if [one for one in asked(running, "raw_events") if one.reference == str(site / "explore.html")]:
                break
            time.sleep(0.1)  # the adapter looks in its own time
        shell.run(f"{program} remember 'The quay is dry.' --snapshot")
        (snapshot,) = asked(running, "snapshot_list").snapshots
        shell.run("git diff --stat")
        arrived(running, "git diff --stat")
        made = asked(running, "observe", turns=[{"role": "user", "content": said}], thread="design")
        why = asked(running, "why", memory=str(made.memories[0])).text
        window.terminate()
    assert snapshot.summary.endswith(f"in {site}"), "the folder of who asks, not that of the daemon"
    assert commits[0].metadata["languages"] == {"Python": 1}
    assert "right after the command `git diff --stat` was run" in why
    assert f"while the file {site / 'explore.html'} was being edited" in why
    assert "while Code was in front" in why
    assert "in the conversation design" in why
    assert said in why


def test_the_hooks_are_what_their_shells_can_read(palace: Path) -> None:
    for name, words in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
        if not missing(name):
            text = hook(str(palace), name)
            assert "@" not in text.replace("[@]", "")
            subprocess.run(words, input=text, text=True, check=True)


@pytest.mark.parametrize("answer", ["result", "fault", "none"])
def test_what_a_daemon_answers_with_an_error_is_not_taken(tmp_path: Path, answer: str) -> None:
    told = {"result": {"result": {"kept": 1}}, "fault": {"fault": {"code": "busy", "message": "later", "hint": ""}}}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                if answer in told:
                    frame = msgspec.msgpack.encode(told[answer])
                    connection.sendall(struct.pack(">I", len(frame)) + frame)

        serving = threading.Thread(target=serve)
        serving.start()
        taken = send(str(tmp_path / "s"), [{"kind": "command", "source": "shell", "reference": "ls", "metadata": {}}])
        serving.join()
    assert taken == (answer == "result")
