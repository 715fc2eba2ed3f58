"""Several processes serve one palace: whoever answers, callers cannot tell which, and one that dies costs nothing."""

from __future__ import annotations

import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.daemon import PATIENCE_S, Running, as_operator, daemon, token_for

from palazzo import Memory

WORKERS = 2


class Kept:
    """One connection, and with it one worker, for as long as it is open."""

    def __init__(self, running: Running) -> None:
        self._connection = running.connect()

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any, Any]:
        sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, path, None if body is None else json.dumps(body), sent)
        reply = self._connection.getresponse()
        return reply.status, reply.headers, json.loads(reply.read())

    def call(self, name: str, token: str, arguments: Any, **headers: str) -> tuple[int, Any]:
        status, _, told = self.send("POST", f"/v1/{name}", arguments, Authorization=f"Bearer {token}", **headers)
        return status, told

    def close(self) -> None:
        self._connection.close()


def eventually(holds: Callable[[], bool]) -> bool:
    """Waits for another process, never for a clock."""
    deadline = time.monotonic() + PATIENCE_S
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return held


def calls(running: Running) -> list[dict[str, Any]]:
    """The lines about calls that were answered."""
    return [line for line in running.logged if line["event"] == "call"]


@contextmanager
def one_of_each(running: Running, token: str) -> Iterator[dict[int, Kept]]:
    """A connection to every worker, by its number: the system deals them out, so some are tried."""
    found: dict[int, Kept] = {}
    tried: list[Kept] = []
    try:
        while len(found) < WORKERS and len(tried) < 200:
            before = len(calls(running))
            tried.append(Kept(running))
            assert tried[-1].call("status", token, {})[0] == 200
            assert eventually(lambda least=before: len(calls(running)) > least)  # type: ignore[misc]
            found.setdefault(calls(running)[-1]["worker"], tried[-1])
        assert len(found) == WORKERS
        yield found
    finally:
        for one in tried:
            one.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("workers") / "palace"
    Memory(folder, embedder="none").close()
    with daemon(folder, "--workers", str(WORKERS)) as found:
        yield found


@pytest.fixture(scope="module")
def operator(served: Running) -> str:
    return token_for(served.folder, "operator")


def test_what_one_worker_is_told_the_other_knows_at_once(served: Running, operator: str) -> None:
    with one_of_each(served, operator) as (workers):
        status, made = workers[1].call("remember", operator, {"text": "The Heron sails on Thursdays at noon."})
        assert status == 200, made
        status, found = workers[2].call("recall", operator, {"cue": "when does the Heron sail?"})
        assert status == 200
        assert "Thursdays" in found["hits"][0]["text"]


def test_a_request_with_a_key_runs_once_whichever_worker_it_reaches(served: Running, operator: str) -> None:
    told = {"text": "The spare key of the boathouse hangs behind the oar rack.", "place": "life"}
    with one_of_each(served, operator) as workers:
        answers = [one.call("remember", operator, told, Idempotency_Key="oars-1") for one in workers.values()]
        assert [status for status, _ in answers] == [200, 200]
        assert answers[0] == answers[1]


def test_a_revoked_token_ends_at_every_worker(served: Running, operator: str) -> None:
    token = token_for(served.folder, "agent:leaving", "read_public")
    with one_of_each(served, operator) as workers:
        assert [one.call("recall", token, {"cue": "oars"})[0] for one in workers.values()] == [200, 200]
        made = as_operator(served.folder, "token_list")
        (own,) = [one for one in made.tokens if one.subject == "agent:leaving"]
        as_operator(served.folder, "token_revoke", token=str(own.id))
        assert [one.call("recall", token, {"cue": "oars"})[0] for one in workers.values()] == [401, 401]


def test_calls_are_counted_over_all_workers(served: Running, operator: str) -> None:
    token = token_for(served.folder, "agent:eager", "read_public")
    as_operator(served.folder, "grant", subject="agent:eager", level="metadata", place="**")
    answered: list[int] = []
    with one_of_each(served, operator) as workers:
        for _ in range(15):
            answered += [one.call("list", token, {})[0] for one in workers.values()]
    assert answered.count(200) == 20, answered
    assert answered.count(429) == 10, answered


def test_who_is_signed_in_is_known_to_every_worker_and_so_is_an_open_vault(served: Running, operator: str) -> None:
    with one_of_each(served, operator) as workers:
        status, headers, told = workers[1].send("POST", "/session", {"token": operator})
        assert status == 200
        cookie = headers["set-cookie"].partition(";")[0]
        page = {"Cookie": cookie, "X_Palazzo_Page": told["key"]}
        assert [one.send("GET", "/session", **page)[0] for one in workers.values()] == [200, 200]
        vault = {"passphrase": "lantern-orchard-9-quarry"}
        assert workers[2].send("POST", "/v1/vault_protect", vault, **page)[0] == 200

        def locked(worker: int) -> bool:
            """What is given while the vault is open is not kept among the contexts that were given."""
            asked = f"Where do the letters lie, {len(given)}?"
            given.append(asked)
            assert workers[worker].send("POST", "/v1/context", {"message": asked}, **page)[0] == 200
            return asked in json.dumps(workers[worker].send("POST", "/v1/contexts", {}, **page)[2])

        given: list[str] = []
        assert (locked(1), locked(2)) == (True, True)
        assert workers[1].send("POST", "/v1/vault_unlock", vault, **page)[0] == 200
        assert (locked(1), locked(2)) == (False, False)
        assert workers[2].send("POST", "/v1/vault_lock", {}, **page)[0] == 200
        assert (locked(1), locked(2)) == (True, True)
        assert workers[2].send("DELETE", "/session", **page)[0] == 200
        assert workers[1].send("GET", "/session", **page)[0] == 401


def test_what_is_in_mind_is_the_same_at_every_worker(served: Running, operator: str) -> None:
    with one_of_each(served, operator) as workers:
        status, made = workers[1].call("remember", operator, {"text": "The tide tables hang in the chart room."})
        assert status == 200
        assert workers[1].call("mind_hold", operator, {"memory": made["memories"][0]})[0] == 200
        status, held = workers[2].call("mind", operator, {})
        assert status == 200
        assert "tide tables" in json.dumps(held)


def test_a_stream_at_one_worker_tells_what_the_other_wrote(served: Running, operator: str) -> None:
    with one_of_each(served, operator) as workers:
        follower = workers[1]._connection
        follower.request("GET", "/v1/events", headers={"Authorization": f"Bearer {operator}"})
        reply = follower.getresponse()
        assert workers[2].call("remember", operator, {"text": "The ferry to Skagen is cancelled."})[0] == 200
        lines = []
        while not any(b"data:" in line for line in lines):
            lines.append(reply.readline())


def test_counters_of_all_workers_are_told_by_whichever_is_asked(served: Running, operator: str) -> None:
    def told() -> str:
        return str(served.request("GET", "/metrics", token=operator)[2])

    def whole() -> bool:
        return all(f'worker="{number}"' in one for one in (told(), told(), told()) for number in (1, 2))

    assert eventually(whole)


def test_every_worker_says_whether_it_takes_requests(served: Running, operator: str) -> None:
    with one_of_each(served, operator) as workers:
        assert [one.send("GET", "/ready")[2]["status"] for one in workers.values()] == ["ready", "ready"]


def children(running: Running) -> set[int]:
    """The workers of a daemon."""
    return {
        int(pid) for pid in Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children").read_text().split()
    }


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not tell a process's children")
def test_a_worker_that_is_killed_is_followed_by_another_and_what_was_answered_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder, "--workers", str(WORKERS)) as running:
        key = token_for(folder, "operator")
        kept: list[str] = []
        stop = threading.Event()

        def write(author: int) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                text = f"Crate {author}-{number} holds {number * 7 + author} lanterns."
                try:
                    status, _, made = running.post("remember", {"text": text}, key)
                except (OSError, http.client.HTTPException):
                    continue  # its worker died; a client asks again
                if status == 200:
                    kept.extend(made["memories"])

        writers = [threading.Thread(target=write, args=(author,)) for author in range(3)]
        for writer in writers:
            writer.start()
        for _ in range(2):
            before = children(running)
            had = len(kept)
            victim = min(before)
            os.kill(victim, signal.SIGKILL)
            assert eventually(lambda: victim not in children(running) and len(children(running)) == WORKERS)  # noqa: B023
            assert eventually(lambda: len(kept) > had + 5)  # noqa: B023
        stop.set()
        for writer in writers:
            writer.join(PATIENCE_S)
        assert running.stop() == 0
    assert sum(line["event"] == "worker_ended" for line in running.logged) == 2
    with Memory(folder, embedder="none") as memory:
        assert memory.verify().clean
        assert all(memory.get(one).text.startswith("Crate") for one in kept)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not tell a process's children")
def test_workers_end_when_their_first_process_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with daemon(folder, "--workers", str(WORKERS)) as running:
        workers = children(running)
        running.process.kill()
        running.process.wait()
        assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    with daemon(folder) as running, running.by_socket() as client:
        assert client.call("status", {}).memories == 0
