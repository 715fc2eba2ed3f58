"""Short messages that tell a fact in words that say little by themselves are kept, and small talk is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory

FACTS = (
    "Nora eats no meat on Fridays",
    "We only ship to Norway.",
    "Lucas likes radishes",
    "The van is gone. It's the train for me until March.",
    "Backups are kept on the NAS.",
)
TALK = ("Sounds good to me", "ok then, that works", "you are the best", "well, that was something")


def stated(folder: Path, text: str) -> list[str]:
    with Memory(folder / "palace", durable=False, upkeep=False) as memory:
        memory.observe([{"role": "user", "content": text}])
        return [held.text for held in memory.list() if held.kind != "exchange"]


@pytest.mark.parametrize("text", FACTS)
def test_a_short_fact_is_kept(tmp_path: Path, text: str) -> None:
    assert any(text.rpartition(". ")[2].rstrip(".") in told for told in stated(tmp_path, text))


@pytest.mark.parametrize("text", TALK)
def test_small_talk_is_no_memory_of_its_own(tmp_path: Path, text: str) -> None:
    assert stated(tmp_path, text) == []
