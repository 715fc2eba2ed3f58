"""What people tell of themselves and of others: in their own words, found by whom it is about, and not mixed up."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock

CASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("people.toml").read_text("utf-8"))["case"]
NOW = datetime(2026, 11, 12, 9, 0, tzinfo=UTC)


def told(folder: Path, case: dict[str, Any]) -> Memory:
    memory = Memory(folder / "palace", clock=FixedClock(NOW), zone="+01:00", durable=False, upkeep=False)
    for text in case["say"]:
        if case.get("remember"):
            memory.remember(text)
        else:
            memory.observe([{"role": "user", "content": text}])
    return memory


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_what_is_told_of_people_is_kept_found_and_not_mixed_up(tmp_path: Path, case: dict[str, Any]) -> None:
    with told(tmp_path, case) as memory:
        stated = [held.text for held in memory.list(limit=100) if held.kind != "exchange"]
        for words in case["kept"]:
            assert any(words in text for text in stated), (words, stated)
        for question, wanted, not_first in case["ask"]:
            found = [hit.text for hit in memory.recall(question)]
            assert any(re.search(wanted, text) for text in found[:3]), (question, found)
            assert not not_first or not re.search(not_first, found[0]), (question, found)
        for question in case.get("silent", ()):
            recalled = memory.recall(question)
            assert not recalled or not recalled.known, (question, [hit.text for hit in recalled])


def test_a_statement_of_a_longer_message_keeps_its_speakers_words(tmp_path: Path) -> None:
    said = "We sold the boat in June, and I play in a brass band on Tuesdays. My grandson Matteo is 7."
    with told(tmp_path, {"say": [said]}) as memory:
        stated = {held.text for held in memory.list() if held.kind != "exchange"}
    assert stated == {"We sold the boat in June.", "I play in a brass band on Tuesdays.", "My grandson Matteo is 7."}


def test_whom_a_pronoun_stands_for_is_said_and_the_message_stays_beside_it(tmp_path: Path) -> None:
    with told(tmp_path, {"say": ["Ottilie runs our warehouse. She starts at five."], "remember": True}) as memory:
        texts = {held.kind == "exchange": held.text for held in memory.list() if "five" in held.text}
    assert texts == {False: "Ottilie starts at five.", True: "Ottilie runs our warehouse. She starts at five."}


def test_a_pronoun_that_fits_two_people_is_left_as_it_was_said(tmp_path: Path) -> None:
    with told(tmp_path, {"say": ["Milo met Robin at the station. He has a new bike."]}) as memory:
        assert not any(text in held.text for held in memory.list() for text in ("Milo has", "Robin has"))


@pytest.mark.parametrize(
    ("said", "whose"),
    [
        ("Tom B. works at Statoil.", "tom b"),
        ("Lena K. has a dog called Rufus.", "lena k"),
        ("I work at Nav.", "the user"),
    ],
)
def test_the_initial_of_a_name_ends_no_sentence_so_what_is_told_is_told_of_whom_it_names(
    tmp_path: Path, said: str, whose: str
) -> None:
    with told(tmp_path, {"say": [said], "remember": True}) as memory:
        assert {fact.about for fact in memory.facts()} == {whose}
