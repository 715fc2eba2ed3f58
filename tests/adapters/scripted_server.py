"""A real HTTP server on a free local port that answers from a script and records what it was sent.

For tests of whatever talks to a server: nothing of the client is replaced, so timeouts, retries and connections are
the real ones. Owns the script and the record. Invariant: when the block ends every thread of the server has ended.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_LONGEST_HANG_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """What to answer: a JSON value, or raw bytes.

    `hang_after` bytes the server falls silent until the test ends (0: before the status line); after `cut_at` bytes it
    closes the connection; `hang_up` closes it without an answer, `close_after` after a full one.
    """

    value: Any = None
    status: int = 200
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hang_after: int | None = None
    cut_at: int | None = None
    hang_up: bool = False
    close_after: bool = False

    @property
    def body(self) -> bytes:
        """The bytes to send."""
        return self.raw if self.raw is not None else json.dumps(self.value).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedRequest:
    """One request as it arrived; `client_port` tells connections apart."""

    path: str
    headers: dict[str, str]
    body: Any
    client_port: int


class ScriptedServer:
    """Answers from `script`, then by `answer(body)` if that is set, then with status 418."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.script: list[ScriptedReply] = []
        self.answer: Callable[[Any], Any] | None = None
        self.received: list[ReceivedRequest] = []
        self.ended = threading.Event()

    def next_reply(self, body: Any) -> ScriptedReply:
        """The reply to a request with this body."""
        if self.script:
            return self.script.pop(0)
        return ScriptedReply(value=self.answer(body)) if self.answer else ScriptedReply(status=418)


@contextmanager
def running_server() -> Iterator[ScriptedServer]:
    """Run a server for the length of the block."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    server = ScriptedServer(http.server_address[1])
    http.scripted = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        http.shutdown()
        thread.join()
        http.server_close()


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Status and body are two writes; with Nagle's algorithm the second waits 40 ms for the first to be confirmed.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        scripted: ScriptedServer = self.server.scripted  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = dict(self.headers.items())
        scripted.received.append(
            ReceivedRequest(path=self.path, headers=headers, body=body, client_port=self.client_address[1])
        )
        reply = scripted.next_reply(body)
        if not reply.hang_up and reply.hang_after != 0:
            self._send(reply)
        if reply.hang_after is not None:
            scripted.ended.wait(_LONGEST_HANG_S)
        silent = reply.hang_up or reply.hang_after is not None or reply.cut_at is not None
        self.close_connection = self.close_connection or silent or reply.close_after

    def _send(self, reply: ScriptedReply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        end = reply.hang_after if reply.cut_at is None else reply.cut_at
        self.wfile.write(reply.body[:end])

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: standard error is for failures."""
