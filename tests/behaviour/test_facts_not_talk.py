"""Recall gives back what people told, not the talk around it, and nothing that was taken back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from palazzo import Memory


def told(path: Path, *turns: tuple[str, str], speaker: str = "") -> Memory:
    memory = Memory(path)
    for role, text in turns:
        memory.observe([{"content": text, "role": role, "speaker": speaker if role == "user" else ""}])
    return memory


def texts(memory: Memory, cue: str) -> list[str]:
    return [hit.text for hit in memory.recall(cue)]


def none_says(found: Sequence[str], *words: str) -> bool:
    return not any(word in text for text in found for word in words)


def test_an_answer_of_the_assistant_is_no_fact_about_the_user(tmp_path: Path) -> None:
    with told(
        tmp_path,
        ("user", "Which wine goes with lamb?"),
        ("assistant", "As a fan of Rioja you could open a Reserva from 2018."),
        ("user", "I never drink alcohol on weekdays."),
    ) as memory:
        assert none_says(texts(memory, "Which wine do I like?"), "Rioja")
        assert none_says(texts(memory, "lamb wine"), "Rioja", "Which wine")


@pytest.mark.parametrize(
    "cue",
    ["Which ferry did you recommend?", "What did you say about the ferry?", "your advice on the ferry"],
)
def test_the_assistants_words_come_back_when_asked_for_and_say_who_said_them(tmp_path: Path, cue: str) -> None:
    with told(
        tmp_path,
        ("user", "We are going to Corsica with the van in June."),
        ("assistant", "Take the night ferry from Livorno, it is half the price."),
    ) as memory:
        hit = next(hit for hit in memory.recall(cue) if "Livorno" in hit.text)
        assert hit.source.startswith("said by the assistant")


def test_a_question_comes_back_only_to_whom_asks_what_was_asked(tmp_path: Path) -> None:
    with told(
        tmp_path, ("user", "How long does sourdough need to prove overnight?"), ("user", "My starter is called Doris.")
    ) as memory:
        assert none_says(texts(memory, "sourdough starter"), "How long")
        assert any("How long" in text for text in texts(memory, "What did I ask about sourdough?"))


@pytest.mark.parametrize("cue", ["hello", "good morning", "What do you know about me?", "thanks"])
def test_greetings_and_thanks_never_come_back(tmp_path: Path, cue: str) -> None:
    talk = ["Good morning!", "thanks a lot", "haha yes", "ok, see you", "Danke!", "sure"]
    with told(tmp_path, *(("user", text) for text in talk), ("user", "I keep bees behind the garage.")) as memory:
        assert none_says(texts(memory, cue), *talk)


def test_among_people_a_question_is_evidence(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        memory.observe(
            [
                {"content": "Did you finally sell the old sailing boat?", "speaker": "Ines"},
                {"content": "Yes, last Tuesday.", "speaker": "Marek"},
            ],
            thread="chat",
        )
        assert any("sailing boat" in text for text in texts(memory, "Did Marek sell the sailing boat?"))


@pytest.mark.parametrize("cue", ["Who is my landlord?", "landlord", "Tell me about my landlord"])
def test_a_turn_does_not_bring_back_what_was_replaced(tmp_path: Path, cue: str) -> None:
    with told(tmp_path, ("user", "My landlord is Mr Okafor."), ("user", "My landlord is now Ms Lindqvist.")) as memory:
        found = texts(memory, cue)
        assert none_says(found, "Okafor")
        assert any("Lindqvist" in text for text in found)


def test_a_turn_does_not_bring_back_what_was_forgotten(tmp_path: Path) -> None:
    with told(tmp_path, ("user", "My locker number is 614."), ("user", "The gym opens at six.")) as memory:
        for held in memory.list():
            if held.kind != "exchange" and "614" in held.text:
                memory.forget(held.id)
        assert none_says(texts(memory, "What is my locker number?"), "614")
        assert any("gym" in text for text in texts(memory, "When does the gym open?"))


def test_a_statement_and_its_turn_take_one_place_in_the_users_own_words(tmp_path: Path) -> None:
    with told(tmp_path, ("user", "My canary sings at dawn.")) as memory:
        assert texts(memory, "When does my canary sing?") == ["My canary sings at dawn."]


def test_a_source_says_what_is_known_and_nothing_else(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        memory.observe([{"content": "My canary sings at dawn."}])
        memory.observe([{"content": "Our oven is broken.", "speaker": "Ines"}], thread="kitchen")
        canary = memory.recall("canary")[0].source
        oven = memory.recall("Which oven is broken?")[0].source
    assert canary.startswith("said by the user, 2")
    assert "kitchen" in oven
    assert ", ," not in canary + oven
