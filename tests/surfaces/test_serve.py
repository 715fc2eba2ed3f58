"""The daemon as a process: it starts once, says only what it should, and ends without leaving work undone."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.surfaces.daemon import PATIENCE_S, as_operator, daemon, socket_of, token_for

from palazzo import Memory
from palazzo.errors import InvalidInput, NotFound, NotPermitted, PartUnavailable
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.http.messages import Door, check_bind
from palazzo.surfaces.socket.client import Daemon
from palazzo.surfaces.wire import Fault, fault, raise_fault


def shell(folder: Path, *arguments: str, **more: str) -> Result:
    """A command in this process: starting an interpreter for each would be most of the test's time."""
    environment = {"PALAZZO_EMBEDDER": "none", **more}
    return CliRunner().invoke(main, ["--palace", str(folder), "--json", *arguments], env=environment)


def test_running_requests_are_finished_and_the_palace_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    answers: list[int] = []
    with daemon(folder) as running:
        key = token_for(folder, "operator")
        notes = [f"Drawer {n} of the long cupboard holds part {n * n}." for n in range(200)]

        def keep() -> None:
            answers.append(running.post("remember_many", {"notes": notes}, key)[0])

        working = threading.Thread(target=keep)
        working.start()
        deadline = time.monotonic() + PATIENCE_S
        while not any(line.get("event") == "call" for line in running.logged) and time.monotonic() < deadline:
            with running.by_socket() as client:
                client.call("status", {})
        assert running.stop(signal.SIGINT) == 0
        working.join(PATIENCE_S)
    assert answers == [200]
    assert not socket_of(folder).exists()
    assert not (folder / "palace.db-wal").exists()
    assert running.logged[-1]["event"] == "stopped"
    with Memory(folder, embedder="none") as memory:
        assert memory.list(limit=1).total >= len(notes)
        assert memory.verify().clean


def test_open_streams_do_not_hold_the_daemon_back(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder) as running, running.by_socket() as idle:
        connection = running.connect()
        key = token_for(folder, "operator")
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {key}"})
        reply = connection.getresponse()
        assert idle.call("status", {}).memories == 0
        assert running.stop() == 0
        told = reply.read()  # ends, with no more than the place to go on from
        connection.close()
    assert b"data:" not in told


def test_a_palace_has_one_daemon_and_the_next_takes_over_from_a_dead_one(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder) as running:
        second = shell(folder, "serve", "--port", "0")
        assert (second.exit_code, json.loads(second.stderr)["error"]) == (2, "busy")
        running.process.kill()
        running.process.wait()
        assert socket_of(folder).exists()
        assert json.loads(shell(folder, "status").stdout)["memories"] == 0
    with daemon(folder) as running, running.by_socket() as client:
        assert client.call("status", {}).memories == 0


def test_commands_use_the_daemon_and_answer_alike_with_and_without_it(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder) as running:
        shell(folder, "remember", "The Heron server listens on port 8080.", "--place", "work", "--name", "heron")
        calls: tuple[tuple[str, ...], ...] = (
            ("get", "work/heron.fact"), ("list",), ("get", "work/nothing.fact"), ("recall", "x", "--limit", "0"),
            ("status",), ("places",), ("frobnicate",), ("get", "that"),
        )  # fmt: skip
        for arguments in calls:
            through, direct = shell(folder, *arguments), shell(folder, *arguments, PALAZZO_DAEMON="no")
            assert (through.exit_code, through.stderr) == (direct.exit_code, direct.stderr)
            if through.stdout:
                told, alone = json.loads(through.stdout), json.loads(direct.stdout)
                assert {**told, "bytes": 0} == {**alone, "bytes": 0}
    by_socket = [line["operation"] for line in running.logged if line.get("surface") == "socket"]
    assert by_socket == ["remember", "get", "list", "get", "recall", "status", "places", "get"]
    assert all(line["subject"] == "operator" for line in running.logged if "subject" in line)


def test_the_log_and_the_files_are_for_the_owner_and_without_content(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder) as running:
        key = token_for(folder, "agent:guest", "write")
        running.post("remember", {"text": "The password of the mill is a wheel.", "place": "mill"}, key)
        running.post("recall", {"cue": "mill wheel"}, key)
        running.post("recall", {"cue": "mill wheel", "place": "..mill"}, key)
        assert [oct(path.stat().st_mode & 0o777) for path in (running.socket, folder / "serve.lock")] == ["0o600"] * 2
    told = json.dumps(running.logged)
    assert len([line for line in running.logged if line["event"] != "audits"]) == 4
    assert not {word for word in ("mill", "wheel", key) if word in told}


def test_a_long_path_still_has_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 60) / ("e" * 60)
    with daemon(folder) as running, running.by_socket() as client:
        assert client.call("status", {}).palace
        assert len(os.fsencode(running.socket)) <= 100


def test_the_socket_takes_frames_and_refuses_nonsense(tmp_path: Path) -> None:
    with daemon(tmp_path / "palace", "--max-request-mb", "1") as running:
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(str(running.socket))
            raw.sendall(b"\x00\x00\x00\x03\xff\xff\xff")
            assert b"invalid_input" in raw.recv(4096)
            raw.sendall(b"\x7f\xff\xff\xff")
            assert b"too_large" in raw.recv(4096)
            assert raw.recv(4096) == b""
        with running.by_socket() as client:
            with pytest.raises(NotFound):
                client.call("get", {"memory": "work/nothing.fact"})
            with pytest.raises(NotPermitted):
                client.call("status", {}, token="palazzo_wrong")
            key = token_for(running.folder, "agent:guest", "read_public")
            with pytest.raises(NotPermitted):
                client.call("remember", {"text": "The lake is deep."}, token=key)
            kept = client.call("remember", {"text": "The lake is deep."}, key="a")
            assert client.call("remember", {"text": "The lake is deep."}, key="a") == kept
        assert as_operator(running.folder, "list").total == 1


def test_a_daemon_that_goes_away_is_a_missing_part(tmp_path: Path) -> None:
    with daemon(tmp_path / "palace") as running, running.by_socket() as client:
        running.stop()
        with pytest.raises(PartUnavailable):
            client.call("status", {})
    assert Daemon.reach(running.socket) is None


@pytest.mark.parametrize(
    ("host", "tls", "insecure", "allowed"),
    [
        ("127.0.0.1", False, False, True), ("localhost", False, False, True), ("::1", False, False, True),
        ("0.0.0.0", False, False, False), ("example.org", False, False, False), ("192.0.2.1", True, False, True),
        ("0.0.0.0", False, True, True),
    ],
)  # fmt: skip
def test_nothing_listens_beyond_the_machine_without_a_word(host: str, tls: bool, insecure: bool, allowed: bool) -> None:
    with nullcontext() if allowed else pytest.raises(InvalidInput, match="--tls-cert"):
        check_bind(host, tls=tls, insecure=insecure)


def test_the_command_refuses_before_it_listens(tmp_path: Path) -> None:
    for options, field in ((("--host", "0.0.0.0"), "tokens would cross"), (("--tls-cert", "x.pem"), "come together")):
        result = shell(tmp_path / "palace", "serve", "--port", "0", *options)
        assert result.exit_code == 2
        assert field in result.stderr
        assert result.stdout == ""


def test_further_names_and_origins_may_be_let_in() -> None:
    door = Door(frozenset({"memory.example"}), frozenset({"https://app.example"}))
    assert door.refusal("Memory.Example:443", "") is None
    assert door.refusal("memory.example", "https://app.example") is None
    assert door.refusal("memory.example", "https://memory.example") is None
    assert door.refusal("memory.example", "https://other.example") is not None
    assert door.refusal("127.0.0.1", "") is not None


def test_an_error_arrives_as_it_left() -> None:
    told: list[Any] = [
        InvalidInput("no", field="cue", hint="yes"), NotFound("gone"), PartUnavailable("off", part="embedder"),
    ]  # fmt: skip
    for error in told:
        with pytest.raises(type(error)) as caught:
            raise_fault(fault(error))
        assert fault(caught.value) == fault(error)
    with pytest.raises(Exception, match="new") as unknown:
        raise_fault(Fault("not_known_yet", "new"))
    assert unknown.value.code == "not_known_yet"


def test_a_daemon_looks_by_itself_at_what_may_have_changed(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with Memory(folder, embedder="none") as memory:
        memory.remember("The office is in Lund.")
    with daemon(folder, PALAZZO_HEARTBEAT_S="0.05") as running:
        deadline = time.monotonic() + PATIENCE_S
        while not any(line.get("event") == "audits" for line in running.logged) and time.monotonic() < deadline:
            with running.by_socket() as client:
                client.call("status", {})
        assert [line["events"] > 0 for line in running.logged if line.get("event") == "audits"] == [True]
