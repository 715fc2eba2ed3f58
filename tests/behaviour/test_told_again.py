"""What is told again after it was forgotten or revised is taken in again, however soon."""

from __future__ import annotations

from pathlib import Path

from palazzo import Memory
from palazzo.testing.clock import FixedClock


def test_a_forgotten_text_told_again_at_once_is_remembered(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        first = memory.remember("The kettle is on the top shelf.")
        memory.forget(first.id)
        memory.remember("The kettle is on the top shelf.")
        assert [m.text for m in memory.list()] == ["The kettle is on the top shelf."]


def test_a_text_that_was_replaced_and_told_again_at_once_holds(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        for text in ("Draft one.", "Draft two.", "Draft one."):
            memory.remember(text, place="work", name="draft", kind="fact")
        assert memory.get("work/draft.fact").text == "Draft one."
        assert len(memory.history("work/draft.fact")) == 3


def test_what_is_kept_verbatim_has_its_own_words_and_no_date_added(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        kept = memory.remember("- ship on Tuesday", verbatim=True)
        assert memory.get(kept.id).text == "- ship on Tuesday"


def test_a_retry_of_the_same_message_is_answered_as_before(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none") as memory:
        first = memory.remember("The kettle is on the top shelf.")
        assert memory.remember("The kettle is on the top shelf.").accounts == first.accounts


def test_what_is_used_instead_is_all_that_is_shown_and_what_was_before_can_be_read(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path, clock=clock) as memory:
        memory.remember("I use vim as my editor.")
        for _ in range(3):
            clock.advance(days=30)
            memory.remember("I edit everything in vim.")
        memory.remember("I switched to Helix for editing.")
        found = list(memory.recall("which editor do I use?"))
        assert found[0].text == "I switched to Helix for editing."
        assert not [one for one in found if "vim" in one.text]
        assert [one.text for one in memory.history(str(found[0].memory.id))] == [
            "I use vim as my editor.", "I switched to Helix for editing.",
        ]  # fmt: skip
