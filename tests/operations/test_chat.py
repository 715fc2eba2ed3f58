"""The last messages of a session: at hand, in order, seen as their reader may see them, and never the only copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import InvalidInput
from palazzo.testing.clock import FixedClock

SAID = ("Shall we sail on Thursday?", "The forecast says gale.", "Then we stay in the harbour.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", clock=FixedClock()) as found:
        yield found


def add(memory: Memory, *said: str, session: str = "quay") -> None:
    for number, text in enumerate(said):
        memory.engine.clock.advance(seconds=1)  # type: ignore[attr-defined]
        memory.chat_add(session, text, role="assistant" if number % 2 else "user", speaker="" if number % 2 else "Ann")


def test_messages_are_at_hand_in_order_and_remembered_as_turns(memory: Memory) -> None:
    add(memory, *SAID)
    found = memory.chat_get("quay")
    assert found.warm
    assert [(one.role, one.speaker, one.text) for one in found] == [
        ("user", "Ann", SAID[0]), ("assistant", "", SAID[1]), ("user", "Ann", SAID[2]),
    ]  # fmt: skip
    assert memory.get(str(found.messages[1].memory)).text == SAID[1]
    assert [one.text for one in memory.chat_get("quay", limit=1)] == [SAID[2]]


def test_what_the_working_store_lost_is_read_from_the_palace(memory: Memory) -> None:
    add(memory, *SAID)
    before = memory.chat_get("quay")
    memory.engine.working.drop("sessions:")
    after = memory.chat_get("quay")
    assert not after.warm
    assert after.messages == before.messages


def test_a_session_that_was_cleared_begins_anew_also_when_the_working_store_is_lost(memory: Memory) -> None:
    add(memory, *SAID)
    assert memory.chat_clear("quay").messages == 3
    memory.engine.working.drop("")
    assert len(memory.chat_get("quay")) == 0
    assert set(SAID) <= {one.text for one in memory.list(limit=100)}, "what was said stays remembered"
    add(memory, "The gale is over.")
    memory.engine.working.drop("")
    assert [one.text for one in memory.chat_get("quay")] == ["The gale is over."]


def test_the_newest_fifty_are_at_hand(memory: Memory) -> None:
    add(memory, *(f"Wave number {number} came in." for number in range(53)))
    found = memory.chat_get("quay")
    assert len(found) == 50
    assert found.messages[0].text == "Wave number 3 came in."


def test_what_is_said_twice_is_there_twice(memory: Memory) -> None:
    add(memory, "Ahoy there, is anybody on board?", "Ahoy there, is anybody on board?")
    assert len(memory.chat_get("quay")) == 2


def test_sessions_of_different_scopes_have_nothing_to_do_with_each_other(memory: Memory) -> None:
    memory.chat_add("quay", "Anna keeps the key of the boathouse.", user_id="anna")
    assert len(memory.chat_get("quay", user_id="anna")) == 1
    assert len(memory.chat_get("quay", user_id="ben")) == 0
    assert len(memory.chat_get("quay")) == 0


def test_what_was_erased_is_no_longer_at_hand(memory: Memory) -> None:
    add(memory, *SAID)
    memory.purge(str(memory.chat_get("quay").messages[0].memory))
    assert SAID[0] not in [one.text for one in memory.chat_get("quay")]


def test_a_session_has_a_name(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.chat_get("x" * 300)
