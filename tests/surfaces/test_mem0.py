"""mem0's class over a palace: its quick start with only the import changed, and its shapes as they were recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo.surfaces.compat.mem0 import AsyncMemory, Memory, WrongCall

from .mem0_session import FIXTURE, run, shape

TALK = [
    {"role": "user", "content": "I want to plan a dinner for Saturday. Any suggestions?"},
    {"role": "assistant", "content": "How about a barbecue?"},
    {"role": "user", "content": "I don't eat meat, and I love mushroom dishes."},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(str(tmp_path / "palace"), embedder="none", upkeep=False) as made:
        yield made


def texts(answer: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [one["memory"] for one in answer["results"]]


def test_every_answer_has_the_keys_and_types_of_mem0s(memory: Memory) -> None:
    recorded = json.loads(FIXTURE.read_text())
    ours = {name: shape(answer) for name, answer in run(memory).items()}
    assert ours == recorded


def test_the_quick_start_runs_with_only_the_import_changed(memory: Memory) -> None:
    added = memory.add(TALK, user_id="ada", metadata={"category": "food"})
    assert {one["event"] for one in added["results"]} == {"ADD"}
    found = memory.search("which dishes does she love?", filters={"user_id": "ada"})
    assert any("mushroom" in text for text in texts(found))
    every = memory.get_all(filters={"user_id": "ada"})
    assert sorted(texts(every)) == sorted(texts(added))
    first = every["results"][0]["id"]
    assert memory.get(first) == {**every["results"][0], "score": None}
    memory.update(memory_id=first, data="Ada loves risotto.")
    assert [one["event"] for one in memory.history(memory_id=first)] == ["ADD", "UPDATE"]
    memory.delete(memory_id=first)
    assert memory.get(first) is None
    memory.delete_all(user_id="ada")
    assert memory.get_all(user_id="ada") == {"results": []}


def test_what_changed_is_an_update_and_what_is_known_is_none(memory: Memory) -> None:
    (added,) = memory.add("I live in Lyon.", user_id="ada")["results"]
    (known,) = memory.add("I live in Lyon!", user_id="ada")["results"]
    (moved,) = memory.add("I live in Porto now.", user_id="ada")["results"]
    assert (added["event"], known["event"], moved["event"]) == ("ADD", "NONE", "UPDATE")
    assert known["id"] == added["id"]
    assert "Lyon" in moved["previous_memory"]
    assert not any("Lyon" in text for text in texts(memory.get_all(user_id="ada")))


def test_one_user_never_sees_another(memory: Memory) -> None:
    memory.add("My locker number is 12.", user_id="ada", infer=False)
    memory.add("My locker number is 40.", user_id="bo", infer=False)
    assert texts(memory.search("locker number", user_id="bo")) == ["My locker number is 40."]
    memory.delete_all(user_id="bo")
    assert len(memory.get_all(user_id="ada")["results"]) == 1


def test_a_users_memories_are_narrowed_by_agent_run_and_metadata(memory: Memory) -> None:
    memory.add("The gate opens at six.", user_id="ada", agent_id="porter", run_id="r1", infer=False)
    memory.add("The gate closes at ten.", user_id="ada", agent_id="guard", infer=False, metadata={"floor": 2})
    assert len(memory.get_all(user_id="ada")["results"]) == 2
    assert texts(memory.get_all(filters={"user_id": "ada", "agent_id": "porter"})) == ["The gate opens at six."]
    both = {"AND": [{"user_id": "ada"}, {"floor": {"eq": 2}}]}
    assert texts(memory.search("gate", filters=both)) == ["The gate closes at ten."]
    (found,) = memory.get_all(user_id="ada", run_id="r1")["results"]
    assert (found["agent_id"], found["run_id"], found["metadata"]) == ("porter", "r1", None)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add("nobody's"),
        lambda m: m.search("anything"),
        lambda m: m.get_all(),
        lambda m: m.delete_all(),
        lambda m: m.delete("00000000-0000-7000-8000-000000000000"),
        lambda m: m.update("00000000-0000-7000-8000-000000000000", "new"),
        lambda m: m.search("x", filters={"user_id": "a", "n": {"like": 3}}),
        lambda m: m.add(7, user_id="a"),
        lambda m: m.add("x", user_id="a", expiration_date="2030-01-01"),
    ],
)
def test_a_call_that_cannot_be_answered_is_a_value_error(memory: Memory, call: Any) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        call(memory)
    assert isinstance(refused.value, WrongCall)


def test_reset_leaves_nothing(memory: Memory) -> None:
    memory.add("The spare fuse is in the drawer.", user_id="ada", infer=False)
    memory.reset()
    assert memory.get_all(user_id="ada") == {"results": []}


def test_a_mem0_configuration_is_taken_and_what_has_no_use_is_named(tmp_path: Path) -> None:
    config = {"palace": str(tmp_path / "p"), "embedder": {"provider": "openai"}, "llm": {"provider": "openai"}}
    with pytest.warns(UserWarning, match="embedder, llm"):
        made = Memory.from_config(config)
    made.close()
    assert (tmp_path / "p" / "palace.db").exists()


def test_the_async_class_gives_the_same_answers(tmp_path: Path) -> None:
    async def session() -> tuple[Any, ...]:
        async with AsyncMemory(str(tmp_path / "p"), embedder="none", upkeep=False) as memory:
            added = await memory.add("The bell is broken.", user_id="ada", infer=False)
            number = added["results"][0]["id"]
            await memory.update(number, "The bell works again.")
            found = await memory.search("bell", filters={"user_id": "ada"})
            told = await memory.history(number)
            await memory.delete(number)
            return found["results"][0]["memory"], len(told), await memory.get(number)

    assert asyncio.run(session()) == ("The bell works again.", 2, None)


@pytest.mark.parametrize("infer", [True, False])
def test_whatever_is_answered_as_added_can_be_read_found_and_listed(memory: Memory, infer: bool) -> None:
    said: list[Any] = [
        "Plays the oboe in a wind quintet", "The gate code changed hands in spring.", "hey there", "Where is the pump?",
        [{"role": "user", "content": "I row on Mondays."}, {"role": "user", "content": "I don't row any longer."}],
        [{"role": "assistant", "content": "You row on Mondays."}], "Ich esse keine Pilze.",
        "I keep bees. My neighbour Ingo keeps geese. His shed is green.",
    ]  # fmt: skip
    for one in said:
        for event in memory.add(one, user_id="ada", infer=infer)["results"]:
            listed = {item["id"]: item["memory"] for item in memory.get_all(user_id="ada", limit=1000)["results"]}
            assert listed.get(event["id"]) == event["memory"]


def test_a_text_that_is_added_by_itself_is_kept_unless_it_says_nothing(memory: Memory) -> None:
    (event,) = memory.add("The tide tables hang by the door.", user_id="ada")["results"]
    assert (event["event"], event["memory"]) == ("ADD", "The tide tables hang by the door.")
    for nothing in ("good morning!", "thanks a lot", "My password is tr0ub4dor&3x"):
        assert memory.add(nothing, user_id="ada") == {"results": []}


FILM_TALK = [
    {"role": "user", "content": "I'm planning to watch a movie tonight. Any recommendations?"},
    {"role": "assistant", "content": "How about thriller movies? They can be quite engaging."},
    {"role": "user", "content": "I'm not a big fan of thriller movies but I love sci-fi movies."},
    {"role": "assistant", "content": "Got it! I'll suggest sci-fi movies in the future."},
]


def test_the_quick_start_of_mem0_stores_and_finds_what_it_stored(tmp_path: Path) -> None:
    with Memory(str(tmp_path / "palace")) as memory:
        added = memory.add(FILM_TALK, user_id="alice", metadata={"category": "movies"})["results"]
        assert any("sci-fi" in one["memory"] for one in added)
        for question in (
            "what movies does Alice like?",
            "Which movies do I like?",
            "what kind of film does the user like",
        ):
            found = memory.search(question, filters={"user_id": "alice"})["results"]
            assert "sci-fi" in found[0]["memory"], question
            assert all(0 <= one["score"] <= 1 for one in found)
        assert memory.search("the boiling point of tungsten", filters={"user_id": "alice"})["results"] == []
        all_of_it = memory.search("movies", filters={"user_id": "alice"}, threshold=0.0)["results"]
        strict = memory.search("movies", filters={"user_id": "alice"}, threshold=0.9)["results"]
        assert len(strict) <= len(all_of_it)
        assert all(one["score"] >= 0.9 for one in strict)


def test_what_is_added_as_it_is_never_updates_another_memory(tmp_path: Path) -> None:
    with Memory(str(tmp_path / "palace"), embedder="none") as memory:
        for text in ("I live in Porto.", "I live in Lisbon.", "I live in Porto."):
            memory.add(text, user_id="ada", infer=False)
        kept = [one["memory"] for one in memory.get_all(filters={"user_id": "ada"})["results"]]
        assert {"I live in Porto.", "I live in Lisbon."} <= set(kept)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"topic": {"in": ["tea", "milk"]}}, {1, 3}), ({"topic": {"nin": ["tea"]}}, {2, 3}),
        ({"topic": {"ne": "tea"}}, {2, 3}), ({"n": {"gte": 2, "lt": 3}}, {2}), ({"topic": {"icontains": "EA"}}, {1}),
        ({"topic": {"contains": "of"}}, {2}),
        ({"OR": [{"n": 1}, {"topic": "milk"}]}, {1, 3}), ({"NOT": [{"n": 1}]}, {2, 3}),
        ({"topic": "*"}, {1, 2, 3}), ({"AND": [{"n": {"gt": 1}}, {"n": {"lte": 2}}]}, {2}), ({"missing": "*"}, set()),
    ],
)  # fmt: skip
def test_filters_mean_what_they_mean_in_mem0(tmp_path: Path, condition: dict[str, Any], expected: set[int]) -> None:
    with Memory(str(tmp_path / "palace"), embedder="none") as memory:
        for n, topic in ((1, "tea"), (2, "coffee"), (3, "milk")):
            memory.add(
                f"The drink {topic} stands on shelf {n}.", user_id="ada", infer=False, metadata={"n": n, "topic": topic}
            )
        for found in (
            memory.get_all(filters={"user_id": "ada", **condition}),
            memory.search("which drink stands on the shelf", filters={"user_id": "ada", **condition}, threshold=0.0),
        ):
            assert {one["metadata"]["n"] for one in found["results"]} == expected
        with pytest.raises(ValueError, match="asks for more"):
            memory.search("drink", filters={"user_id": "ada", "topic": {"like": "x"}})
