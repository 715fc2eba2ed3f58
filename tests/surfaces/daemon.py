"""A real daemon in a process of its own, and plain clients for it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palazzo.bootstrap import load_settings, open_engine, socket_path
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.surfaces.socket.client import Daemon

PATIENCE_S = 60
PROGRAM = ("-m", "palazzo")


@dataclass
class Running:
    """A daemon that serves a palace."""

    folder: Path
    process: subprocess.Popen[str]
    url: str
    socket: Path
    logged: list[dict[str, Any]] = field(default_factory=list)
    operator: str = ""
    """A token of the operator, once one was needed."""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def post(self, name: str, arguments: Any, token: str, **headers: str) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body of one call."""
        body = arguments if isinstance(arguments, bytes) else json.dumps(arguments).encode()
        return self.request("POST", f"/v1/{name}", body, token, **headers)

    def request(
        self, method: str, path: str, body: bytes = b"", token: str = "", **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        sent = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        connection = self.connect()
        try:
            connection.request(method, path, body, sent)
            reply = connection.getresponse()
            told = reply.read()
            kind = reply.headers.get_content_type()
            got = {name.lower(): value for name, value in reply.getheaders()}
            return reply.status, got, json.loads(told) if kind.endswith("json") else told.decode()
        finally:
            connection.close()

    def by_socket(self) -> Daemon:
        found = Daemon.reach(self.socket)
        assert found is not None
        return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


def environment(**more: str) -> dict[str, str]:
    """What a process of a test sees: this tree, and no embedder."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PALAZZO_EMBEDDER": "none", **more}  # noqa: TID251


@contextmanager
def daemon(folder: Path, *options: str, program: tuple[str, ...] = PROGRAM, **variables: str) -> Iterator[Running]:
    """Runs `palazzo serve` for the length of the block; whatever it printed on standard output is a failure."""
    command = [sys.executable, *program, "--palace", str(folder), "serve", "--port", "0", *options]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**variables),
    )
    assert process.stderr is not None
    assert process.stdout is not None
    first = process.stderr.readline()
    assert first.startswith("{"), first + process.stderr.read()
    told = json.loads(first)
    assert told["event"] == "serving", told
    running = Running(folder, process, told["url"], Path(told["socket"]))

    def listen() -> None:
        for line in process.stderr or ():
            running.logged.append(json.loads(line))

    reader = threading.Thread(target=listen)
    reader.start()
    try:
        yield running
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)
        reader.join(PATIENCE_S)
        printed = process.stdout.read()
        process.stdout.close()
        process.stderr.close()
        assert printed == ""


def as_operator(folder: Path, name: str, /, **arguments: Any) -> Any:
    """Calls an operation on a palace directly."""
    with open_engine(load_settings({"palace": str(folder), "embedder": "none"})) as engine:
        return call(engine, Caller(), name, arguments)


def token_for(folder: Path, subject: str, level: str = "", place: str = "**") -> str:
    """A token of a subject that has been granted a level."""
    if level:
        as_operator(folder, "grant", subject=subject, level=level, place=place)
    return str(as_operator(folder, "token_create", subject=subject).token)


def socket_of(folder: Path) -> Path:
    """Where a daemon of this palace listens."""
    return socket_path(load_settings({"palace": str(folder)}))


def sign_in_link(palace: Running) -> str:
    """A link that signs the operator in, once; asked of the daemon itself, which has the palace open."""
    palace.operator = palace.operator or token_for(palace.folder, "operator")
    status, _, made = palace.post("token_create", {"subject": "operator", "once": True}, palace.operator)
    assert status == 200, made
    return f"{palace.url}/#sign-in={made['token']}"
