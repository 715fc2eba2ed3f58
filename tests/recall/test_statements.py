"""How often recall asks the database: a bounded number of times, and for nothing twice in the same moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.recall.conftest import Room

from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store

MOST = 32
"""Statements of one recall with both indexes, neighbours, trust and provenance."""
Statement = tuple[str, tuple[Any, ...]]


@pytest.fixture
def asked() -> Iterator[list[Statement]]:
    """Every statement that connections run which are opened from here on."""
    found: list[Statement] = []

    def note(_cursor: apsw.Cursor, statement: str, values: Any) -> bool:
        found.append((" ".join(statement.split()), tuple(values or ())))
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    apsw.connection_hooks.append(watch)
    yield found
    apsw.connection_hooks.remove(watch)


@pytest.fixture
def watched(asked: list[Statement], tmp_path: Path, clock: FixedClock) -> Iterator[Room]:
    with make_store(tmp_path / "palace", "sqlite", clock) as made:
        room = Room(made, clock, HashEmbedder(32))
        for day in range(6):
            lines = [
                (
                    ("Ada", "Bo")[line % 2],
                    f"On day {day} the lighthouse lamp {line} was cleaned and logged.",
                )
                for line in range(12)
            ]
            room.talk(f"day {day}", lines, FixedClock.START_US + day * 86_400_000_000)
        room.keep("The lighthouse lamp is cleaned by Bo.")
        room.ask("Who winds the clock in the tower?")
        asked.clear()
        yield room


def test_a_recall_asks_the_database_a_bounded_number_of_times(watched: Room, asked: list[Statement]) -> None:
    assert watched.ask("Who cleaned the lighthouse lamp?").hits
    assert 5 < len(asked) <= MOST, "\n".join(statement for statement, _ in asked)


def test_more_memories_are_asked_for_in_no_more_statements(watched: Room, asked: list[Statement]) -> None:
    watched.ask("Who cleaned the lighthouse lamp?")
    few = len(asked)
    watched.talk("later", [("Ada", f"Lamp {line} of the lighthouse was cleaned again.") for line in range(60)])
    watched.ask("Where is the lamp?")
    asked.clear()
    watched.ask("Who cleaned the lamp of the lighthouse?")
    assert len(asked) <= few + 2


def test_standing_instructions_are_asked_for_again_only_after_a_write(watched: Room, asked: list[Statement]) -> None:
    watched.keep("Answer questions about the lighthouse in feet.", kind="instruction", author="operator")

    def asked_for_them(cue: str) -> int:
        asked.clear()
        assert watched.ask(cue).hits
        return sum("'instruction'" in statement for statement, _ in asked)

    assert asked_for_them("How tall is the lighthouse lamp?") == 1
    assert asked_for_them("Which lamp of the lighthouse was cleaned?") == 0
    watched.keep("The lighthouse lamp turns.")
    assert asked_for_them("What does the lighthouse lamp do?") == 1


def test_nothing_is_asked_twice_in_one_moment(watched: Room, asked: list[Statement]) -> None:
    assert watched.ask("Who cleaned the lighthouse lamp?").hits
    plain = Counter(one for one in asked if all(isinstance(value, str | int | float | bytes) for value in one[1]))
    assert [statement for statement, times in plain.items() if times > 1] == []
