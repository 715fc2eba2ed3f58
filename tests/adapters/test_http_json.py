"""The transport against a real local server: retries, timeouts, connections, and errors that give nothing away."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from tests.adapters.scripted_server import ScriptedReply, ScriptedServer

from palazzo.adapters.remote import Endpoint, HttpJson
from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.testing.palace import everything_said

KEY = "key-for-tests-4711"
TEXT = "the text that must not leak"


@contextmanager
def client(server: ScriptedServer, waits: list[float] | None = None, **settings: float) -> Iterator[HttpJson]:
    endpoint = Endpoint(url=f"{server.url}/v1/", key=KEY, **settings)  # type: ignore[arg-type]
    taken = waits if waits is not None else []
    with closing(HttpJson(endpoint, part="test part", sleep=taken.append)) as http:
        yield http


def test_the_body_arrives_as_json_under_the_base_path_with_the_key(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(value={"answer": 42})]
    with client(server) as http:
        assert http.post("/ask", {"text": "grüße"}) == {"answer": 42}
    (got,) = server.received
    assert (got.path, got.body, got.headers["Authorization"]) == ("/v1/ask", {"text": "grüße"}, f"Bearer {KEY}")


def test_an_idle_connection_is_used_again(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(value=1), ScriptedReply(value=2)]
    with client(server) as http:
        http.post("/a", {})
        http.post("/b", {})
    assert server.received[0].client_port == server.received[1].client_port


def test_a_connection_the_server_has_closed_is_replaced_without_a_wait(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(value=1, close_after=True), ScriptedReply(value=2)]
    waits: list[float] = []
    with client(server, waits) as http:
        assert [http.post("/a", {}), http.post("/b", {})] == [1, 2]
    assert waits == []


def test_a_forked_child_does_not_write_to_its_parents_connection(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script = [ScriptedReply(value=1), ScriptedReply(value=2)]
    with client(server) as http:
        http.post("/a", {})
        monkeypatch.setattr("palazzo.adapters.remote.os.getpid", lambda: -1)
        assert http.post("/b", {}) == 2
    assert server.received[0].client_port != server.received[1].client_port


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_says_later_is_asked_again(server: ScriptedServer, status: int) -> None:
    server.script = [ScriptedReply(status=status), ScriptedReply(status=status), ScriptedReply(value="done")]
    waits: list[float] = []
    with client(server, waits, backoff_s=0.5) as http:
        assert http.post("/a", {}) == "done"
    assert waits == [0.5, 1.0]


def test_the_servers_own_waiting_time_is_kept(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(status=429, headers={"Retry-After": "7"}), ScriptedReply(value="done")]
    waits: list[float] = []
    with client(server, waits) as http:
        assert http.post("/a", {}) == "done"
    assert waits == [7.0]


def test_a_waiting_time_beyond_the_limit_is_not_waited_for(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(status=429, headers={"Retry-After": "3600"})]
    waits: list[float] = []
    with client(server, waits) as http, pytest.raises(PartUnavailable, match="status 429"):
        http.post("/a", {})
    assert waits == []


@pytest.mark.parametrize("header", ["soon", "-1", "nan", "inf", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_waiting_time_that_makes_no_sense_counts_as_none(server: ScriptedServer, header: str) -> None:
    server.script = [ScriptedReply(status=503, headers={"Retry-After": header}), ScriptedReply(value="done")]
    waits: list[float] = []
    with client(server, waits, backoff_s=0.25) as http:
        assert http.post("/a", {}) == "done"
    assert waits == [0.25]


def test_attempts_are_bounded(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(status=503)] * 5
    with client(server, attempts=3) as http, pytest.raises(PartUnavailable, match="status 503"):
        http.post("/a", {})
    assert len(server.received) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 418])
def test_a_refusal_is_not_repeated(server: ScriptedServer, status: int) -> None:
    server.script = [ScriptedReply(status=status), ScriptedReply(value="never")]
    with client(server) as http, pytest.raises(PartUnavailable, match=f"status {status}"):
        http.post("/a", {})
    assert len(server.received) == 1


def test_a_redirect_is_not_followed_with_the_key(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(status=307, headers={"Location": f"{server.url}/elsewhere"})]
    with client(server) as http, pytest.raises(PartUnavailable, match="status 307"):
        http.post("/a", {})
    assert len(server.received) == 1


@pytest.mark.parametrize("bytes_sent", [0, 4])
def test_a_server_that_falls_silent_is_given_up(server: ScriptedServer, bytes_sent: int) -> None:
    server.script = [ScriptedReply(value={"long": "reply"}, hang_after=bytes_sent)]
    with client(server, timeout_s=0.15, attempts=1) as http, pytest.raises(PartUnavailable, match="did not answer"):
        http.post("/a", {})


def test_a_call_may_be_less_patient_than_its_endpoint(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(hang_after=0)] * 3
    with client(server, timeout_s=60) as http, pytest.raises(PartUnavailable, match=r"within 0\.1 s"):
        http.post("/a", {}, timeout_s=0.1, attempts=1)
    assert len(server.received) == 1


def test_a_reply_cut_short_is_asked_for_again(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(value={"long": "reply"}, cut_at=5), ScriptedReply(value="done")]
    with client(server) as http:
        assert http.post("/a", {}) == "done"


def test_a_server_that_hangs_up_is_asked_again(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(hang_up=True), ScriptedReply(value="done")]
    with client(server) as http:
        assert http.post("/a", {}) == "done"


def test_a_port_where_nobody_listens_is_named_as_unreachable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = Endpoint(url=f"http://127.0.0.1:{taken.getsockname()[1]}", attempts=1)
        with pytest.raises(PartUnavailable, match="cannot be reached") as caught:
            HttpJson(endpoint, part="test part").post("/a", {})
    assert caught.value.part == "test part"


def test_a_reply_beyond_the_limit_is_not_read_to_its_end(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(value="x" * 5000)]
    with client(server, reply_limit_bytes=1000) as http, pytest.raises(PartUnavailable, match="too large"):
        http.post("/a", {})


@pytest.mark.parametrize("raw", [b"<html>", b"", b"\xff\xfe", b'{"a":', b"[" * 100_000])
def test_a_reply_that_is_not_json_is_an_error(server: ScriptedServer, raw: bytes) -> None:
    server.script = [ScriptedReply(raw=raw)]
    with client(server) as http, pytest.raises(PartUnavailable, match="not JSON"):
        http.post("/a", {})


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply(value={"error": f"wrong key {KEY} for {TEXT}"}, status=401),
        ScriptedReply(value={"error": TEXT}, status=500),
        ScriptedReply(raw=f"no json: {TEXT} {KEY}".encode()),
        ScriptedReply(hang_up=True),
        ScriptedReply(value={"text": TEXT}, hang_after=5),
    ],
)
def test_no_error_gives_away_the_text_the_reply_or_the_key(server: ScriptedServer, reply: ScriptedReply) -> None:
    server.script = [reply, reply]
    with client(server, attempts=1, timeout_s=0.15) as http, pytest.raises(PartUnavailable) as caught:
        http.post("/a", {"input": TEXT})
    said = everything_said(caught.value)
    assert TEXT not in said
    assert KEY not in said


def test_text_that_is_not_valid_unicode_is_sent_with_question_marks(server: ScriptedServer) -> None:
    server.script = [ScriptedReply(value="ok")]
    with client(server) as http:
        http.post("/a", {"input": "a\ud800b"})
    assert server.received[0].body == {"input": "a?b"}


@pytest.mark.parametrize(
    "url",
    ["", "localhost", "ftp://host/", "http://", "http://host:notaport/", "http://[::1", "https://host/?a=b"],
)
def test_an_address_that_is_not_http_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="must look like"):
        HttpJson(Endpoint(url=url), part="test part")


def test_a_key_inside_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidInput) as caught:
        HttpJson(Endpoint(url=f"https://user:{KEY}@host/v1"), part="test part")
    assert KEY not in everything_said(caught.value)


@pytest.mark.parametrize("bad", ["\n", "\r", "é", "\x00"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(bad: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        HttpJson(Endpoint(url="https://host/v1", key=KEY + bad), part="test part")
    assert KEY not in everything_said(caught.value)


def test_a_key_does_not_leave_this_machine_in_clear_unless_that_is_allowed() -> None:
    with pytest.raises(InvalidInput, match="in clear"):
        HttpJson(Endpoint(url="http://gpu.example/v1", key=KEY), part="test part")
    HttpJson(Endpoint(url="http://gpu.example/v1", key=KEY, key_in_clear=True), part="test part")
    HttpJson(Endpoint(url="http://gpu.example/v1"), part="test part")


def test_an_endpoint_does_not_show_its_key() -> None:
    assert KEY not in repr(Endpoint(url="https://host/v1", key=KEY, headers={"X-Key": KEY}))
