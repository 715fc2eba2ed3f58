"""Two processes decide about one slot at the same moment, in different memories: one of them must think again.

The clock is the meeting point. Each process reads and thinks, and asks the clock for the time once more when it
commits; there it waits for the other, so neither has seen what the other is about to write.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from palazzo.belief.conflicts import decide
from palazzo.belief.operations import Assertion, Operations
from palazzo.intake.pipeline import Pipeline
from palazzo.model.address import Place
from palazzo.model.capability import View
from palazzo.model.memory import Atom
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.spaces import Spaces
from palazzo.store.sql import journal
from palazzo.store.sql.belief import beliefs
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for

SCOPE = Scope.of(user="anna")
VIEW = View(scope=SCOPE)
WAIT_S = 30.0
Act = Callable[[SqliteStore, str, Scope], None]


class MeetingClock(FixedClock):
    """Counts how often it is asked and lets the asker wait for the other at one of these times."""

    def __init__(self, barrier: Barrier | None = None, meet_at: int = 0) -> None:
        super().__init__()
        self.asked = 0
        self._barrier = barrier
        self._meet_at = meet_at

    def now_us(self) -> int:
        self.asked += 1
        if self._barrier is not None and self.asked == self._meet_at:
            self._barrier.wait(WAIT_S)
        return super().now_us()


def revised(store: SqliteStore, value: str, scope: Scope) -> None:
    atom = Atom("user", "lives_in", value, functional=True)
    place = Place(("life", value.lower()))
    Operations(store, View(scope=scope)).revise(Assertion(atoms=(atom,), scope=scope, place=place, name=value.lower()))


def remembered(store: SqliteStore, value: str, scope: Scope) -> None:
    spaces = Spaces(store, None, "none", lambda _: None)
    message = Message(text=f"I live in {value}.", scope=scope)
    Pipeline(store, store.clock, spaces, decide).take([message], "remember")


ACTS: dict[str, Act] = {"revise": revised, "remember": remembered}


def one_process(folder: Path, act: str, value: str, barrier: Barrier, meet_at: int) -> None:
    clock = MeetingClock(barrier, meet_at)
    with SqliteStore.open(folder, clock, options_for("sqlite")) as store:
        clock.asked = 0
        ACTS[act](store, value, SCOPE)


@pytest.mark.parametrize("act", ACTS)
def test_one_value_is_held_when_two_processes_fill_a_slot_at_once(act: str, tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    counting = MeetingClock()
    with make_store(folder, clock=counting) as store:
        counting.asked = 0
        ACTS[act](store, "Oslo", Scope.of(user="ben"))
        commits_at = counting.asked
        before = _last(store)
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    running = [
        context.Process(target=one_process, args=(folder, act, value, barrier, commits_at))
        for value in ("Bern", "Lisbon")
    ]
    for process in running:
        process.start()
    for process in running:
        process.join(2 * WAIT_S)
    assert [process.exitcode for process in running] == [0, 0]
    with SqliteStore.open(folder, FixedClock(), options_for("sqlite")) as store, store.reading(VIEW) as reading:
        held = [row.atom.value for row in beliefs.every(reading) if row.atom.value in ("Bern", "Lisbon")]
        assert len(held) == 1
        assert _last(store) > before + 1, "both processes wrote"


def _last(store: SqliteStore) -> int:
    with store.database.read() as connection:
        return journal.last_seq(connection)
