"""How much enters a context: by the message, by what is asked for, and by how much room there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none") as made:
        yield made


def sections(block: object) -> set[str]:
    return {one.name for one in block.sections}  # type: ignore[attr-defined]


def test_small_talk_a_question_and_a_wish_for_an_overview_get_more_and_more(memory: Memory) -> None:
    memory.remember("My name is Ottilie.")
    memory.remember("The canoe lies in the boathouse.")
    modes = {said: memory.context(said).injection for said in (
        "hello there", "Where does the canoe lie?", "Good morning, catch me up please", "Was steht heute an?",
    )}  # fmt: skip
    assert list(modes.values()) == ["minimal", "standard", "deep", "deep"]
    assert "canoe" not in memory.context("hello there").text
    assert "boathouse" in memory.context("Where does the canoe lie?").text


def test_the_caller_may_say_how_much_enters(memory: Memory) -> None:
    memory.remember("The canoe lies in the boathouse.")
    asked = "Where does the canoe lie?"
    least = memory.context(asked, injection="minimal")
    assert (least.injection, "boathouse" in least.text) == ("minimal", False)
    most = memory.context(asked, injection="deep")
    assert (most.injection, "boathouse" in most.text) == ("deep", True)


def test_an_overview_has_what_is_about_today_ways_of_doing_things_patterns_and_who_else_writes(
    memory: Memory, tmp_path: Path
) -> None:
    memory.remember("The dentist is at four today.", kind="event")
    memory.remember("To launch the canoe, first check the drain plug, then push.", kind="procedure")
    memory.remember("A trip has a date, a river and a crew.", kind="schema")
    memory.grant("agent:harbour", "write")
    with Memory(tmp_path / "palace", embedder="none", subject="agent:harbour") as other:
        other.remember("The slipway is closed on Mondays.", kind="fact")
    block = memory.context("Catch me up", budget_tokens=4000)
    assert {"today", "skills", "schemas", "roster"} <= sections(block)
    for words in ("dentist", "drain plug", "a river and a crew", "agent:harbour: 1 memory"):
        assert words in block.text
    assert block.tokens <= block.budget_tokens


def test_a_section_can_be_asked_for_by_itself(memory: Memory) -> None:
    memory.remember("To launch the canoe, first check the drain plug, then push.", kind="procedure")
    block = memory.context("What colour is the lighthouse?", sections=["skills"])
    assert "drain plug" in block.text
    assert "Ways of doing things:" in block.text
    assert "today" not in sections(block)


def test_memory_is_among_the_last_to_go_where_there_is_little_room(memory: Memory) -> None:
    memory.remember("The canoe lies in the boathouse behind the mill.")
    memory.remember("The regatta on the river is today at noon.", kind="event")
    for number in range(8):
        memory.remember(f"To mend paddle number {number}, first sand it down, then oil it twice.", kind="procedure")
    history = [f"We spoke at length about sail number {number} and how it should be sewn." for number in range(12)]
    roomy = memory.context("Where does the canoe lie?", budget_tokens=4000, injection="deep", history=history)
    tight = memory.context("Where does the canoe lie?", budget_tokens=128, injection="deep", history=history)
    assert "boathouse" in roomy.text
    assert "boathouse" in tight.text
    assert "sail number 11" in roomy.text
    assert tight.tokens <= tight.budget_tokens
    kept = {one.name: one.tokens for one in tight.sections}
    assert kept.get("skills", 0) < {one.name: one.tokens for one in roomy.sections}["skills"]
    assert ("regatta" in roomy.text, "regatta" in tight.text) == (True, False)
    assert "today: no room" in tight.dropped


def test_a_memory_degrades_through_its_forms_and_does_not_vanish(memory: Memory) -> None:
    told = (
        "The canoe lies in the boathouse behind the mill. It was built in Ghent by two brothers who knew each other"
        " from school. Its hull is of cedar and its seats are of ash. The paddles hang on the wall to the left of the"
        " door, and the key is with the miller, who is there every day but Monday and likes to talk about the weather."
    )
    memory.remember(told, kind="document", name="canoe", verbatim=True)
    forms = {}
    for budget in (400, 60, 30, 12):
        reply = memory.recall("Where does the canoe lie?", budget_tokens=budget)
        forms[budget] = (reply[0].tier if reply.hits else "", len(reply[0].text) if reply.hits else 0)
    lengths = [size for _, size in forms.values() if size]
    assert forms[400][0] == "full"
    assert lengths == sorted(lengths, reverse=True)
    assert len({tier for tier, _ in forms.values()}) > 2


def test_a_reply_tells_how_relevant_and_how_well_ordered_it_is(memory: Memory) -> None:
    memory.remember("The canoe lies in the boathouse.")
    memory.remember("The boathouse has a green door.")
    reply = memory.recall("Where does the canoe lie?")
    assert 0 < reply.relevance <= 1
    assert 0 < reply.ndcg <= 1
    assert reply.alarm == ""
    block = memory.context("Where does the canoe lie?")
    assert block.ndcg > 0


def test_ten_recalls_in_a_row_that_find_nothing_raise_an_alarm_that_the_doctor_repeats(memory: Memory) -> None:
    memory.remember("The canoe lies in the boathouse.")
    replies = [memory.recall(f"What is the capital of planet number {number}?") for number in range(10)]
    assert [bool(reply.alarm) for reply in replies] == [False] * 9 + [True]
    finding = next(one for one in memory.doctor().findings if one.check == "recall")
    assert finding.level == "warning"
    assert memory.recall("Where does the canoe lie?").alarm == ""


@pytest.mark.parametrize(
    "name",
    [
        "o1-preview", "o3-mini", "o4-mini", "gpt-5", "gpt-5-codex", "codex-mini-latest", "gpt-4.1-nano", "grok-4",
        "claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4-5", "gemini-2.5-flash", "gemini-3-pro", "qwen3-32b",
        "meta-llama/llama-4-scout", "deepseek-r1", "kimi-k2", "mistral-large-2411", "gemma-3-27b",
    ],
)  # fmt: skip
def test_the_models_people_use_are_known(memory: Memory, name: str) -> None:
    (known,) = memory.models(name=name)
    assert known.prefix
    assert known.context_tokens >= 100_000
    assert known.output_tokens > 0


def test_a_model_is_set_in_a_file_that_lies_over_the_table(tmp_path: Path) -> None:
    table = tmp_path / "models.json"
    table.write_text('{"house-model": {"context_tokens": 4096, "output_tokens": 512}}')
    with Memory(tmp_path / "palace", embedder="none", models=str(table)) as memory:
        (known,) = memory.models(name="house-model-2")
        assert (known.prefix, known.context_tokens) == ("house-model", 4096)
        assert len(memory.models()) > 60


def test_a_word_in_common_does_not_fill_a_context_with_what_is_far_from_the_answer(tmp_path: Path) -> None:
    with Memory(tmp_path / "met", upkeep=False, durable=False) as memory:
        memory.remember("The weekly meeting is on Friday now.")
        people, places = ("Ada", "Emre", "Farah", "Hana", "Ivo"), ("market", "station", "bridge", "workshop")
        memory.remember_many([
            f"On day {n} at {8 + n % 12}:{10 + n} I met {people[n % 5]} at the {places[n % 4]}." for n in range(40)
        ])  # fmt: skip
        shown = memory.context("when is the weekly meeting?").text
    assert "Friday" in shown
    assert shown.count("I met") <= 10


def test_a_group_that_nobody_described_is_no_line_of_a_context(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        kept = memory.remember("Harbor is deployed on Fridays.", verbatim=True)
        memory.bundle("harbor-deploys", "work", add=[str(kept.id)])
        block = memory.context("When is Harbor deployed?")
        assert "Harbor is deployed on Fridays." in block.text
        assert "harbor-deploys" not in block.text
        memory.bundle("harbor-deploys", "work", text="How Harbor is deployed, and when.")
        assert "How Harbor is deployed" in memory.context("How is Harbor deployed, and when?").text
