"""The working store keeps the same promises in a process, over the hub of a daemon and on a real Redis."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adapters.redis_server import RealRedis, real_redis

from palazzo.adapters.ciphers import SealedFields
from palazzo.adapters.redis_working import RedisWorking
from palazzo.adapters.working import MOST_KEYS, LocalWorking
from palazzo.ports import Working
from palazzo.surfaces.daemon.workers import Hub, HubWorking
from palazzo.testing.palace import TEST_KEY

SECOND = 1_000_000


@pytest.fixture(scope="module")
def redis_server() -> Iterator[RealRedis]:
    with tempfile.TemporaryDirectory() as folder, real_redis(Path(folder)) as server:  # a short path: it is a socket's
        yield server


@pytest.fixture(params=["local", "hub", "redis", "redis-sealed"])
def working(request: pytest.FixtureRequest) -> Iterator[Working]:
    if request.param == "local":
        yield LocalWorking()
    elif request.param == "hub":
        ours, theirs = socket.socketpair()
        hub = Hub(ours, LocalWorking())
        thread = threading.Thread(target=lambda: all(iter(hub.answer, False)))
        thread.start()
        with ours, theirs:
            yield HubWorking(theirs)
            theirs.shutdown(socket.SHUT_RDWR)
            thread.join()
    else:
        server: RealRedis = request.getfixturevalue("redis_server")
        cipher = SealedFields(TEST_KEY, TEST_KEY[::-1]) if request.param == "redis-sealed" else None
        found = RedisWorking(server.url, request.node.name.replace("[", "-").replace("]", ""), TEST_KEY, cipher)
        yield found
        found.drop("")


def test_what_is_put_is_found_until_it_is_dropped(working: Working) -> None:
    working.put("pages:one", "Käthe\n1", 60)
    working.put("pages:onerous", "2", 60)
    working.put("vault:one", "3", 60)
    assert working.get("pages:one") == "Käthe\n1"
    assert working.get("pages:two") is None
    assert working.drop("pages:one") == 2
    assert working.get("pages:onerous") is None
    assert working.get("vault:one") == "3"


def test_calls_are_counted_in_a_window_that_slides(working: Working) -> None:
    start = 1_700_000_000 * SECOND
    assert [working.take("rates:a", 2, 60 * SECOND, start + n * SECOND) for n in range(2)] == [0, 0]
    assert working.take("rates:a", 2, 60 * SECOND, start + 10 * SECOND) == 50 * SECOND
    assert working.take("rates:b", 2, 60 * SECOND, start + 10 * SECOND) == 0
    assert working.take("rates:a", 2, 60 * SECOND, start + 60 * SECOND) == 0
    assert working.take("rates:a", 2, 60 * SECOND, start + 60 * SECOND) == SECOND


def test_a_counter_stops_at_its_most(working: Working) -> None:
    assert [working.count("spent:x", 3, 60) for _ in range(5)] == [True, True, True, False, False]


def test_a_list_keeps_the_newest(working: Working) -> None:
    for number in range(7):
        working.push("sessions:a:messages", f"message {number}", 3, 60)
    assert working.listed("sessions:a:messages") == ("message 4", "message 5", "message 6")
    assert working.listed("sessions:b:messages") == ()


def test_many_threads_share_one_window(working: Working) -> None:
    counted: list[int] = []
    start = 1_700_000_000 * SECOND

    def ask() -> None:
        counted.extend(working.take("rates:many", 10, 60 * SECOND, start + n) for n in range(10))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted.count(0) == 10


def test_what_has_run_out_is_gone_and_a_family_is_bounded() -> None:
    now = [0.0]
    working = LocalWorking(lambda: now[0])
    working.put("pages:a", "1", 10)
    now[0] = 10.0
    assert working.get("pages:a") is None
    for number in range(MOST_KEYS + 5):
        working.put(f"rates:{number}", "1", 10)
    assert working.get("rates:4") is None
    assert working.get("rates:5") == "1"


def test_a_value_that_this_palace_did_not_write_is_not_there(redis_server: RealRedis) -> None:
    mine = RedisWorking(redis_server.url, "p", TEST_KEY)
    mine.put("vault:me", "open", 60)
    client = redis_server.client()
    stored = client.get("palazzo:p:vault:me")
    client.set("palazzo:p:vault:you", stored)
    client.set("palazzo:p:vault:forged", b"0" * 16 + b"open")
    assert mine.get("vault:me") == "open"
    assert mine.get("vault:you") is None
    assert mine.get("vault:forged") is None
    assert RedisWorking(redis_server.url, "p", TEST_KEY[::-1]).get("vault:me") is None
    client.close()


def test_a_palace_with_a_key_leaves_no_word_on_the_server(redis_server: RealRedis) -> None:
    sealed = RedisWorking(redis_server.url, "s", TEST_KEY, SealedFields(TEST_KEY, TEST_KEY[::-1]))
    sealed.push("sessions:a:messages", "the harbour office opens at eight", 50, 60)
    client = redis_server.client()
    assert all(b"harbour" not in value for value in client.lrange("palazzo:s:sessions:a:messages", 0, -1))
    client.close()
    assert sealed.listed("sessions:a:messages") == ("the harbour office opens at eight",)


def test_a_server_that_is_killed_costs_what_was_warm_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr("palazzo.adapters.redis_working.AGAIN_S", 0.0)
    with tempfile.TemporaryDirectory() as folder, real_redis(Path(folder)) as server:
        working = RedisWorking(server.url, "p", TEST_KEY)
        working.put("pages:a", "before", 60)
        server.kill()
        assert working.get("pages:a") is None
        assert working.trouble
        working.put("pages:a", "meanwhile", 60)
        assert working.get("pages:a") == "meanwhile"
        assert [working.take("rates:a", 1, 60 * SECOND, 1) for _ in range(2)] == [0, 60 * SECOND]
        server.start()
        assert working.get("pages:a") is None
        assert not working.trouble
        working.put("pages:a", "after", 60)
        assert RedisWorking(server.url, "p", TEST_KEY).get("pages:a") == "after"
