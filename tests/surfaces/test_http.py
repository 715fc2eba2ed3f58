"""HTTP on a real server: who is let in, what is refused and how, keys that make a request run once, the stream."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.daemon import Running, as_operator, daemon, token_for

from palazzo.surfaces.http.app import document

PORT = "The Heron server listens on port 8080."


def test_what_is_remembered_over_http_is_recalled_over_http(running: Running, token: str) -> None:
    status, _, kept = running.post("remember", {"text": PORT, "place": "work"}, token)
    assert status == 200
    status, headers, found = running.post("recall", {"cue": "which port does Heron use?"}, token)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert found["hits"][0]["memory"]["id"] in kept["memories"]
    assert as_operator(running.folder, "why", memory=kept["memories"][0]).origins[0].author == "agent:guest"


@pytest.mark.parametrize("given", ["", "nonsense", "palazzo_0000"])
def test_without_a_token_that_holds_nothing_is_told(running: Running, given: str) -> None:
    for method, path in (("POST", "/v1/recall"), ("POST", "/v1/nosuch"), ("GET", "/metrics"), ("GET", "/v1/events")):
        status, headers, told = running.request(method, path, b'{"cue": "x"}', given)
        assert (status, told["code"]) == ((404, "not_found") if "nosuch" in path else (401, "not_authenticated"))
        assert ("www-authenticate" in headers) is (status == 401)


def test_health_and_the_document_are_open_and_metrics_need_metadata(running: Running, token: str) -> None:
    assert running.request("GET", "/health")[2]["status"] == "ok"
    assert running.request("GET", "/v1/openapi.json")[2] == json.loads(document())
    blind = token_for(running.folder, "agent:blind", "anchor")
    assert running.request("GET", "/metrics", token=blind)[0] == 403
    running.post("recall", {"cue": "Heron"}, token)
    status, headers, text = running.request("GET", "/metrics", token=token)
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/plain")
    assert 'palazzo_requests_total{surface="http"' in text
    assert "Heron" not in text


@pytest.mark.parametrize(
    ("body", "type_", "status", "code"),
    [
        (b'{"cue": "x"', "application/json", 400, "not_json"),
        (b"[1]", "application/json", 400, "not_json"),
        (b'{"cue": "\\ud800"}', "application/json", 400, "not_json"),
        (b"\xff", "application/json", 400, "not_json"),
        (b'{"cue": "x"}', "text/plain", 415, "unsupported_type"),
        (b"cue=x", "application/x-www-form-urlencoded", 415, "unsupported_type"),
        (b"", "application/json", 422, "invalid_input"),
        (b'{"cue": "x", "limit": 0}', "application/json", 422, "invalid_input"),
        (b'{"cue": "x", "place": "..a"}', "application/json", 422, "invalid_address"),
    ],
)
def test_a_fault_is_a_problem_with_code_and_field(
    running: Running, token: str, body: bytes, type_: str, status: int, code: str
) -> None:
    got, headers, told = running.request("POST", "/v1/recall", body, token, Content_Type=type_)
    assert (got, told["code"], told["status"]) == (status, code, status)
    assert headers["content-type"] == "application/problem+json"
    assert told["type"].endswith(code)
    assert bool(told.get("field")) is (status == 422)


def test_missing_memories_refusals_and_methods_have_their_statuses(running: Running, token: str) -> None:
    nothing = "00000000-0000-7000-8000-000000000000"
    assert running.post("get", {"memory": nothing}, token)[0] == 404
    assert running.post("purge", {"memory": nothing}, token)[0] == 403
    assert running.post("remember", {"text": "My card is 4111 1111 1111 1111."}, token)[2]["code"] == "refused"
    status, headers, told = running.request("GET", "/v1/recall", token=token)
    assert (status, headers["allow"], told["code"]) == (405, "POST", "method_not_allowed")
    assert running.request("DELETE", "/health")[0] == 405


def test_other_names_and_foreign_pages_are_turned_away(running: Running, token: str) -> None:
    for host, status in (
        ("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:7", 200), ("evil.example", 421), ("[", 421), ("", 421),
    ):  # fmt: skip
        assert running.post("status", {}, token, Host=host)[0] == status, host
    here = f"127.0.0.1:{running.port}"
    for origin, status in ((f"http://{here}", 200), ("https://evil.example", 403), ("null", 403)):
        assert running.post("status", {}, token, Host=here, Origin=origin)[0] == status, origin


def test_a_body_over_the_limit_is_refused_in_words_the_client_hears(tmp_path: Path) -> None:
    with daemon(tmp_path / "palace", "--max-request-mb", "1") as small:
        key = token_for(small.folder, "operator")
        status, _, told = small.post("remember", b" " * (1 << 20) + b"{}", key)
        assert (status, told["code"]) == (413, "too_large")
        assert small.post("remember", {"text": PORT}, key)[0] == 200


def test_a_token_is_held_to_its_grants_at_once(running: Running) -> None:
    key = token_for(running.folder, "agent:brief", "read_public")
    assert running.post("list", {}, key)[0] == 200
    assert running.post("remember", {"text": PORT}, key)[0] == 403
    as_operator(running.folder, "revoke", subject="agent:brief")
    assert running.post("list", {}, key)[0] == 403
    made = as_operator(running.folder, "token_list")
    (info,) = [one for one in made.tokens if one.subject == "agent:brief"]
    as_operator(running.folder, "token_revoke", token=str(info.id))
    assert running.post("list", {}, key)[0] == 401


def test_a_key_makes_a_request_run_once_also_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder) as first:
        key = token_for(folder, "agent:guest", "write")
        asked = {"text": PORT, "place": "work"}
        before = first.post("remember", asked, key, Idempotency_Key="k-1")
        assert "idempotency-replayed" not in before[1]
        assert first.stop() == 0
    with daemon(folder) as second:
        again = second.post("remember", asked, key, Idempotency_Key="k-1")
        assert (again[0], again[2], again[1]["idempotency-replayed"]) == (200, before[2], "true")
        other = second.post("remember", {**asked, "place": "life"}, key, Idempotency_Key="k-1")
        assert (other[0], other[2]["code"]) == (422, "key_reused")
        assert second.post("list", {}, key)[2]["total"] == 1


def test_pages_follow_each_other_by_cursor(running: Running) -> None:
    key = token_for(running.folder, "agent:pages", "write", "shelf.**")
    for number in range(5):
        told = {"text": f"Drawer {number} holds part {number * 7}.", "place": "shelf", "name": f"drawer-{number}"}
        assert running.post("remember", told, key)[0] == 200
    seen: list[str] = []
    cursor = ""
    while True:
        page = running.post("list", {"limit": 2, "cursor": cursor, "place": "shelf"}, key)[2]
        seen += [memory["name"] for memory in page["memories"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert seen == [f"drawer-{number}" for number in (4, 3, 2, 1, 0)]


def test_one_connection_carries_many_requests(running: Running, token: str) -> None:
    connection = running.connect()
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    for _ in range(3):
        connection.request("POST", "/v1/status", b"{}", sent)
        reply = connection.getresponse()
        assert reply.status == 200
        assert "memories" in json.loads(reply.read())
    connection.close()


def events(reply: HTTPResponse) -> Iterator[dict[str, Any]]:
    """The events of a stream as they come."""
    told: dict[str, Any] = {}
    for raw in reply:
        line = raw.decode().rstrip("\n")
        name, _, value = line.partition(": ")
        if line and not line.startswith(":"):
            told[name] = value
        elif "data" in told:
            yield {**told, "data": json.loads(told["data"])}
            told = {}


def test_no_write_of_a_burst_from_a_workflow_is_lost(running: Running, token: str) -> None:
    def write(number: int) -> int:
        return running.post("remember", {"text": f"Order {number} of the workflow left from quay {number}."}, token)[0]

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(write, range(56))) == {200}
    _, _, listed = running.post("list", {"limit": 200}, token)
    assert sum("of the workflow" in one["text"] for one in listed["memories"]) == 56


def test_the_stream_tells_what_happens_and_goes_on_where_it_broke_off(running: Running, token: str) -> None:
    start = running.post("events", {"after": "now"}, token)[2]["last"]

    def follow(**headers: str) -> Generator[dict[str, Any], None, None]:
        connection = running.connect()
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {token}", **headers})
        reply = connection.getresponse()
        assert (reply.status, reply.headers.get_content_type()) == (200, "text/event-stream")
        try:
            yield from events(reply)
        finally:
            reply.close()
            connection.close()

    stream = follow(**{"Last-Event-ID": start})
    told: list[dict[str, Any]] = []
    listening = threading.Thread(target=lambda: told.append(next(stream)))
    listening.start()
    made = as_operator(running.folder, "remember", text="The mill wheel turns slowly.", place="life").id
    listening.join(30)
    assert told[0]["event"] == "memory_placed"
    assert told[0]["data"]["memory"] == str(made)
    assert "mill" not in json.dumps(told)
    as_operator(running.folder, "forget", memory=made)
    resumed = follow(**{"Last-Event-ID": told[0]["id"]})
    assert next(resumed)["data"]["kind"] == "memory_forgotten"
    stream.close()
    resumed.close()


def test_the_stream_keeps_to_what_its_caller_may_know(running: Running) -> None:
    key = token_for(running.folder, "agent:corner", "metadata", "corner.**")
    start = running.post("events", {"after": "now"}, key)[2]["last"]
    as_operator(running.folder, "remember", text="The cellar is damp.", place="elsewhere")
    mine = as_operator(running.folder, "remember", text="The corner is dry.", place="corner").id
    connection = running.connect()
    connection.request("GET", f"/v1/events?after={start}", headers={"Authorization": f"Bearer {key}"})
    reply = connection.getresponse()
    assert next(events(reply))["data"]["memory"] == str(mine)
    reply.close()
    connection.close()


def test_a_stream_is_not_ended_by_what_others_write(running: Running) -> None:
    """Its subject may read twenty times a minute; others write more often than that."""
    key = token_for(running.folder, "agent:patient", "metadata", "patience.**")
    connection = running.connect()
    connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {key}"})
    reply = connection.getresponse()
    for number in range(30):
        as_operator(running.folder, "remember", text=f"Barrel {number} is full.", place="elsewhere", verbatim=True)
    mine = as_operator(running.folder, "remember", text="The bench is dry.", place="patience").id
    told = next(events(reply))
    assert told["data"]["memory"] == str(mine)
    reply.close()
    connection.close()


def test_where_to_go_on_is_what_the_caller_was_told(running: Running) -> None:
    key = token_for(running.folder, "agent:corner", "metadata", "corner.**")
    for query in ("after=x", "after=-1", "after=7", "colour=red"):
        assert running.request("GET", f"/v1/events?{query}", token=key)[0] == 422
