"""What somebody tells an assistant in half a sentence is found by what it says, and passing the time is not kept."""

from __future__ import annotations

from pathlib import Path

from palazzo import Memory


def test_the_second_half_of_a_sentence_is_a_statement_of_its_own(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as memory:
        memory.observe([
            {"content": "My uncle is called Borut and he's in the coast guard.", "role": "user"},
            {"content": "Phew, the queue was endless", "role": "user"},
            {"content": "You don't have to thank me in every reply, skip it.", "role": "user"},
        ])  # fmt: skip
        held = {one.text: one.kind for one in memory.list(limit=50) if one.kind != "exchange"}
        assert held["Borut is in the coast guard."] == "fact"
        assert not any("queue" in text for text in held)
        assert held["You don't have to thank me in every reply, skip it."] == "instruction"
