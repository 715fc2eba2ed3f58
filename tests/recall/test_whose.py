"""Two people talk: what one tells of themselves is no answer about the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock

TALK = (
    ("Ingrid", "I finally adopted a greyhound from the shelter, her name is Pepper."),
    ("Tobias", "Congratulations! A greyhound is such a gentle dog. How did you choose her?"),
    ("Ingrid", "She put her head on my knee and I was lost."),
    ("Tobias", "I broke my wrist while bouldering last week, so no climbing for me until spring."),
    ("Ingrid", "Oh no! I hope your wrist heals quickly. I would be terrified on that wall."),
    ("Tobias", "I bake sourdough on Sundays instead, my grandmother in Porto taught me."),
    ("Ingrid", "Lovely. My evenings go into the string quartet, I play the cello there."),
)
FURTHER = tuple(
    ("Tobias", f"My {who} has a kind puppy in the {where}.")
    for who in ("aunt", "boss", "uncle", "niece", "friend")
    for where in ("garden", "flat", "house", "boat", "cabin")
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    made = Memory(tmp_path_factory.mktemp("talk") / "palace", clock=FixedClock(), upkeep=False)
    made.observe([{"content": text, "speaker": speaker} for speaker, text in TALK])
    return made


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("What kind of dog did Ingrid adopt from the shelter?", True),
        ("What kind of dog did Tobias adopt from the shelter?", False),
        ("What did Tobias break while bouldering?", True),
        ("What did Ingrid break while bouldering?", False),
        ("Which instrument does Ingrid play in the string quartet?", True),
        ("Which instrument does Tobias play in the string quartet?", False),
    ],
)
def test_what_one_of_two_tells_of_themselves_is_not_known_of_the_other(memory: Memory, asked: str, known: bool) -> None:
    assert memory.recall(asked).known is known


def test_what_both_are_asked_about_is_left_to_the_other_tests(memory: Memory) -> None:
    assert memory.recall("What do Ingrid and Tobias do in their evenings and on Sundays?").known


def test_what_is_known_of_one_of_two_does_not_depend_on_how_many_hits_are_wanted(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", clock=FixedClock(), upkeep=False) as made:
        made.observe([{"content": text, "speaker": speaker} for speaker, text in (*TALK, *FURTHER)])
        asked = "What kind of dog did Tobias adopt from the shelter?"
        assert made.recall(asked, limit=40).known is made.recall(asked, limit=5).known
