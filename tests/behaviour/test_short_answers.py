"""What somebody answers in a word or two is known by what they were asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as made:
        yield made


def talk(memory: Memory, *lines: str) -> list[str]:
    """The statements that stand after the assistant and the user spoke in turn, call by call."""
    for number, line in enumerate(lines):
        memory.observe([{"content": line, "role": "user" if number % 2 else "assistant"}])
    return [held.text for held in memory.list(limit=100) if held.kind != "exchange"]


def test_an_answer_is_kept_as_what_it_says_with_its_question_and_the_turn_as_it_was_said(memory: Memory) -> None:
    kept = talk(memory, "Which insurer are you with?", "Helvetia", "Thanks! Do you have children?", "Yes, two girls.")
    assert kept == ["I have children, two girls.", "The insurer I am with is Helvetia."]
    assert "Helvetia" in [held.text for held in memory.list(limit=100) if held.kind == "exchange"]
    assert "Helvetia" in memory.recall("Which insurer am I with?")[0].text


def test_an_answer_in_the_same_call_is_read_like_one_in_the_next(memory: Memory) -> None:
    memory.observe(
        [{"content": "Where do you work?", "role": "assistant"}, {"content": "the harbour office", "role": "user"}]
    )
    assert "I work at the harbour office." in [held.text for held in memory.list(limit=10)]


def test_what_only_agrees_to_an_offer_or_follows_no_question_becomes_no_fact(memory: Memory) -> None:
    assert talk(memory, "Shall I draft the letter?", "yes", "Here is the draft.", "great", "Anything else?", "no") == []


def test_an_answer_that_turns_out_to_be_a_secret_is_kept_nowhere(memory: Memory, tmp_path: Path) -> None:
    assert talk(memory, "What is the password of your mailbox?", "Quokka-Sunrise-58") == []
    memory.close()
    files = [file for file in (tmp_path / "palace").rglob("*") if file.is_file()]
    assert not [file.name for file in files if b"Quokka-Sunrise" in file.read_bytes()]
