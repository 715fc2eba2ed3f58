"""Whoever sends much, slowly or without a token, on real sockets: refused early, cut off in time, held by nobody."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest
from tests.surfaces.daemon import PATIENCE_S, Running, as_operator, daemon, token_for

from palazzo import Memory

MB = 1 << 20
QUICK_S = "0.3"
"""The patience of the daemons that are tested for it."""


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("doors") / "palace"
    Memory(folder, embedder="none").close()
    with daemon(folder, "--patience", QUICK_S, "--max-request-mb", "4", "--max-held-mb", "8") as found:
        yield found


@pytest.fixture(scope="module")
def key(hasty: Running) -> str:
    return token_for(hasty.folder, "agent:guest", "write")


def knock(running: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", running.port), PATIENCE_S)


def head(path: str, length: int | None, token: str = "") -> bytes:
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    who = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{who}{size}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n\r\n"
    ).encode()


def heard(line: socket.socket) -> tuple[int, dict[str, str], dict[str, object]]:
    """The answer on a connection, read until the other end closes it."""
    told = b""
    try:
        while part := line.recv(65536):
            told += part
    except ConnectionResetError:
        pass
    top, _, body = told.partition(b"\r\n\r\n")
    first, *rest = top.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
    return int(first.split()[1]), headers, json.loads(body)


@pytest.mark.parametrize("path", ["/v1/remember", "/mcp"])
@pytest.mark.parametrize("given", ["", "palazzo_wrong"])
def test_who_has_no_token_is_refused_after_the_headers(hasty: Running, path: str, given: str) -> None:
    with knock(hasty) as line:
        line.sendall(head(path, 3 * MB, given))
        status, headers, told = heard(line)
    assert (status, told["code"], headers["connection"]) == (401, "not_authenticated", "close")


@pytest.mark.parametrize("length", [3 * MB, None])
def test_bodies_of_strangers_are_not_held(hasty: Running, length: int | None) -> None:
    process = psutil.Process(hasty.process.pid)
    hasty.request("GET", "/health")
    before = process.memory_info().rss
    with ExitStack() as open_lines:
        for _ in range(40):
            line = open_lines.enter_context(knock(hasty))
            line.sendall(head("/v1/remember", length, "palazzo_wrong"))
            with suppress(BrokenPipeError, ConnectionResetError):
                line.sendall((b"%x\r\n" % (3 * MB) if length is None else b"") + b" " * (3 * MB))
        hasty.request("GET", "/health")
        grown = process.memory_info().rss - before
    assert grown < 24 * MB, f"{grown / MB:.0f} MB more for 120 MB sent"


@pytest.mark.parametrize("path", ["/v1/remember", "/mcp"])
def test_a_body_that_does_not_come_is_not_waited_for(hasty: Running, key: str, path: str) -> None:
    with knock(hasty) as line:
        line.sendall(head(path, 1000, key) + b'{"text": ')
        status, headers, told = heard(line)
    assert (status, told["code"], headers["connection"]) == (408, "too_slow", "close")
    assert headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("sent", [b"", b"POST /v1/rem", b"POST /v1/remember HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_headers_that_do_not_end_are_not_waited_for(hasty: Running, sent: bytes) -> None:
    with knock(hasty) as line:
        line.sendall(sent)
        status, _, told = heard(line)
    assert (status, told["code"]) == (408, "too_slow")


def test_a_trickle_does_not_buy_time(hasty: Running, key: str) -> None:
    """Each byte comes well within the patience; the body as a whole does not."""
    with knock(hasty) as line:
        line.sendall(head("/v1/remember", 100_000, key))
        line.settimeout(0.02)
        told = b""
        while not told:
            try:
                line.send(b" ")
                told = line.recv(65536)
            except TimeoutError:
                continue
    assert told.startswith(b"HTTP/1.1 408 ")


def test_a_body_nobody_asked_for_ends_the_connection_in_time(hasty: Running) -> None:
    with knock(hasty) as line:
        line.sendall(head("/v1/nosuch", 1000) + b" ")
        status, headers, _ = heard(line)
    assert (status, headers["connection"]) == (404, "close")


@pytest.mark.parametrize("path", ["/v1/remember", "/mcp"])
@pytest.mark.parametrize("length", [5 * MB, None])
def test_a_body_over_the_limit_is_refused_however_it_is_sent(
    hasty: Running, key: str, path: str, length: int | None
) -> None:
    with knock(hasty) as line:
        line.sendall(head(path, length, key))
        with suppress(BrokenPipeError, ConnectionResetError):
            line.sendall((b"%x\r\n" % (5 * MB) if length is None else b"") + b" " * (5 * MB))
        status, headers, told = heard(line)
    assert (status, told["code"]) == (413, "too_large")
    assert headers["content-type"] == "application/problem+json"


def test_bodies_that_come_at_once_share_what_the_daemon_holds(hasty: Running, key: str) -> None:
    """Four of three megabytes do not fit into eight: one is told to come back, and later everybody is served."""
    statuses = []
    with ExitStack() as open_lines:
        lines = [open_lines.enter_context(knock(hasty)) for _ in range(4)]
        for line in lines:
            line.sendall(head("/v1/remember", 3 * MB, key))
            with suppress(BrokenPipeError, ConnectionResetError):
                line.sendall(b" " * (3 * MB - 1))
        for line in lines:
            status, headers, told = heard(line)
            statuses.append(status)
            if status == 429:
                assert (told["code"], headers["retry-after"]) == ("rate_limited", "1")
    assert set(statuses) == {408, 429}
    assert hasty.post("remember", {"text": "The lake is deep."}, key)[0] == 200


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//[", "http://]["])
def test_an_origin_that_is_no_address_is_refused(hasty: Running, key: str, origin: str) -> None:
    status, _, told = hasty.post("status", {}, key, Origin=origin)
    assert (status, told["code"]) == (403, "origin_refused")


def test_the_socket_waits_for_no_half_frame_and_says_why(hasty: Running) -> None:
    for sent, code in ((b"\x00\x00\x03\xe8half", b"too_slow"), (b"\x7f\xff\xff\xff", b"too_large")):
        with socket.socket(socket.AF_UNIX) as raw:
            raw.settimeout(PATIENCE_S)
            raw.connect(str(hasty.socket))
            raw.sendall(sent)
            assert code in raw.recv(4096)
            assert raw.recv(4096) == b""


def test_frames_that_come_at_once_share_what_the_daemon_holds(hasty: Running) -> None:
    told = []
    with ExitStack() as open_lines:
        lines = [open_lines.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(4)]
        for line in lines:
            line.settimeout(PATIENCE_S)
            line.connect(str(hasty.socket))
            with suppress(BrokenPipeError, ConnectionResetError):
                line.sendall((3 * MB).to_bytes(4, "big") + b" " * (3 * MB - 1))
        for line in lines:
            told.append(line.recv(4096))
    assert any(b"rate_limited" in one for one in told)
    assert any(b"too_slow" in one for one in told)
    with hasty.by_socket() as client:
        client.call("status", {})


def test_an_idle_client_of_the_socket_is_not_cut_off(hasty: Running) -> None:
    with hasty.by_socket() as client:
        client.call("status", {})
        with knock(hasty) as line:  # the daemon's patience has run out when this one is answered
            assert heard(line)[0] == 408
        client.call("status", {})
    assert as_operator(hasty.folder, "status").memories >= 0
