"""What is told to have changed is what the older statement says from then on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import WrongKey


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as made:
        yield made


def told(memory: Memory, *lines: str) -> list[str]:
    for line in lines:
        memory.observe([{"content": line, "role": "user"}])
    return [held.text for held in memory.list(limit=100) if held.kind != "exchange"]


def test_a_change_with_both_sides_is_carried_into_what_it_changes_and_into_nothing_beside_it(memory: Memory) -> None:
    stands = told(
        memory, "The otter site is a Jekyll blog on Surge.", "The marten site is a shop on Surge.",
        "We moved the otter site from Surge to Codeberg Pages.",
    )  # fmt: skip
    assert "The otter site is a Jekyll blog on Codeberg Pages." in stands
    assert "The marten site is a shop on Surge." in stands
    assert not any("Jekyll blog on Surge" in text for text in stands)


def test_a_change_without_its_subject_is_of_what_was_told_just_before(memory: Memory) -> None:
    stands = told(
        memory, "I keep bees.", "We send our invoices with Billomat.", "My aunt lives in Celle.",
        "Switched to Lexoffice!",
    )  # fmt: skip
    assert "We send our invoices with Lexoffice." in stands
    assert "We send our invoices with Billomat." not in stands
    assert {"I keep bees.", "My aunt lives in Celle.", "Switched to Lexoffice!"} <= set(stands)


def test_what_nobody_told_of_before_changes_nothing(memory: Memory) -> None:
    stands = told(memory, "I'm a roofer.", "We live in Celle.", "I play the harp.", "Switched to Lexoffice.")
    assert {"I'm a roofer.", "We live in Celle.", "I play the harp."} <= set(stands)


def test_a_turn_of_which_nothing_holds_any_longer_is_marked(memory: Memory) -> None:
    told(
        memory, "We get our milk from the corner shop on Elm Street every morning.",
        "The milkman brings it to the door now, so no more corner shop.",
    )  # fmt: skip
    former = [hit for hit in memory.recall("Where do we get our milk?") if "every morning" in hit.text]
    assert all(hit.caveat for hit in former)


def test_who_parts_is_no_longer_together(memory: Memory) -> None:
    stands = told(memory, "I'm dating Ruben.", "Ruben and I split up.", "My brother is dating Ines.")
    assert "I'm dating Ruben." not in stands
    assert "My brother is dating Ines." in stands


def test_a_question_that_says_not_whose_is_answered_by_what_belongs_to_somebody(memory: Memory) -> None:
    told(memory, "My nephew's graduation is on 12 June.", "My aunt's parrot is called Coco.")
    assert "12 June" in memory.recall("When is the graduation?")[0].text
    assert "Coco" in memory.recall("What's the name of the parrot?")[0].text


def test_what_somebody_cannot_do_or_eat_comes_with_a_message_that_it_bounds(memory: Memory) -> None:
    told(memory, "I ruptured my achilles in spring.", "My daughter Edda hates olives.", "I never fly.")
    assert "achilles" in memory.context("Plan a workout for me").text
    assert "olives" in memory.context("What could I cook for us tonight?").text
    assert "never fly" in memory.context("How do I get to Lisbon in May?").text


def test_a_palace_file_that_is_damaged_at_its_head_is_told_of_with_what_to_do(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as memory:
        memory.remember("The well is 30 metres deep.")
    file = tmp_path / "palace" / "palace.db"
    file.write_bytes(bytes(100) + file.read_bytes()[100:])
    with pytest.raises(WrongKey, match="damaged") as found:
        Memory(tmp_path / "palace")
    assert "palazzo restore-backup" in found.value.hint


def test_another_post_leaves_where_somebody_works_and_another_employer_ends_the_post(memory: Memory) -> None:
    stands = told(memory, "I'm a junior editor at Falkner Press.", "I got promoted to senior editor.")
    assert any("Falkner Press" in text for text in stands)
    stands = told(memory, "I work as a senior editor at Falkner Press.", "I work at Lindqvist Media now.")
    assert not any("senior editor at Falkner" in text for text in stands)


def test_a_value_that_was_taken_out_is_not_known(memory: Memory) -> None:
    told(memory, "The Mailgun key for the shop is key-3ax6xnjp29jd6fds4gc373sgvjxteol0, the shop runs on Django.")
    assert not memory.recall("What's the Mailgun key?").known
    assert "Django" in memory.recall("What does the shop run on?")[0].text
