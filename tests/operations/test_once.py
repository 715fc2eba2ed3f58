"""A request with a key of its own runs once: replayed after a restart, refused for another, freed by a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidInput, KeyReused, NotFound
from palazzo.operations.call import call_once
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.api import KeyedRequest
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import options_for

PORT = {"text": "The Heron server listens on port 8080.", "place": "work", "kind": "fact"}


def once(engine: Engine, name: str, arguments: dict[str, Any], key: str, subject: str = "operator") -> tuple[Any, bool]:
    return call_once(engine, Caller(subject=subject), name, arguments, key=key)


def test_the_same_request_is_answered_alike_and_done_once(engine: Engine, clock: FixedClock) -> None:
    first, fresh = once(engine, "remember", PORT, "a")
    clock.advance(seconds=3600)
    assert once(engine, "remember", dict(reversed(PORT.items())), "a") == (first, True)
    assert fresh is False
    assert len(once(engine, "history", {"memory": first.id}, "a")[0]) == 1


def test_an_answer_outlives_the_process_that_gave_it(engine: Engine, clock: FixedClock) -> None:
    first, _ = once(engine, "remember", PORT, "a")
    folder: Path = engine.store.folder
    engine.close()
    store = SqliteStore.open(folder, clock, options_for("sqlite"))
    with Engine(store, clock, Spaces(store, None, "none", lambda _: None)) as again:
        assert once(again, "remember", PORT, "a") == (first, True)


def test_a_key_belongs_to_one_request_of_one_subject(engine: Engine) -> None:
    once(engine, "remember", PORT, "a")
    for name, arguments in (("remember", {**PORT, "place": "life"}), ("observe", {"turns": ["The lake is deep."]})):
        with pytest.raises(KeyReused):
            once(engine, name, arguments, "a")
    assert once(engine, "remember", PORT, "a", "agent:primary")[1] is False


def test_a_request_that_still_runs_is_not_run_beside_itself_and_a_dead_one_runs_out(
    engine: Engine, clock: FixedClock
) -> None:
    made, _ = once(engine, "remember", PORT, "a")
    running = KeyedRequest("operator", "b", b"x" * 16)
    assert engine.store.requests.claim(running, clock.now_us()) is None
    with pytest.raises(Conflict):
        engine.store.requests.claim(running, clock.now_us())
    clock.advance(seconds=61)
    assert engine.store.requests.claim(running, clock.now_us()) is None
    assert made.memories


def test_a_failure_frees_its_key(engine: Engine) -> None:
    for _ in range(2):
        with pytest.raises(NotFound):
            once(engine, "forget", {"memory": "work/nothing.fact"}, "a")
    made, _ = once(engine, "remember", PORT, "b")
    assert once(engine, "forget", {"memory": str(made.id)}, "a")[0].state == "deleted"


def test_reads_run_again_whatever_their_key(engine: Engine) -> None:
    assert once(engine, "list", {}, "a")[0].total == 0
    once(engine, "remember", PORT, "b")
    assert once(engine, "list", {}, "a")[0].total == 1


def test_an_answer_does_not_outlive_a_day_or_the_memory_it_names(engine: Engine, clock: FixedClock) -> None:
    made, _ = once(engine, "remember", PORT, "a")
    once(engine, "move", {"memory": str(made.id), "place": "life"}, "b")
    once(engine, "purge", {"memory": str(made.id)}, "")
    assert once(engine, "remember", PORT, "a")[1] is False
    clock.advance(seconds=86_401)
    assert once(engine, "remember", {**PORT, "place": "life"}, "a")[1] is False


@pytest.mark.parametrize("key", ["x" * 256, "a\nb", "a b", "\u00e9"])
def test_a_key_is_short_and_visible(engine: Engine, key: str) -> None:
    with pytest.raises(InvalidInput):
        once(engine, "remember", PORT, key)
