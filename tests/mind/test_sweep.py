"""The sweep: memories fade by one function of use, kind, durability and weight; it can be tried and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from palazzo import Memory
from palazzo.errors import NotFound
from palazzo.model.change import SetState
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False) as made:
        yield made


def told(memory: Memory, text: str, **more: object) -> UUID:
    """Something that may fade."""
    made = memory.remember(text, **{"kind": "fact", "pinned": False, "importance": 0.3, **more})  # type: ignore[arg-type]
    assert made.id is not None
    return made.id


def state(memory: Memory, at: UUID) -> str:
    found = [one.state for life in ("live", "archived", "forgotten") for one in memory.list(state=life) if one.id == at]  # type: ignore[arg-type]
    return found[0] if found else "gone"


def lives(memory: Memory, clock: FixedClock, at: UUID, days: tuple[int, ...]) -> list[str]:
    """The states a memory is in after so many days, each swept."""
    seen, passed = [], 0
    for day in days:
        clock.advance(days=day - passed)
        passed = day
        memory.run("sweep")
        seen.append(state(memory, at))
    return seen


def test_an_unused_memory_fades_rests_is_forgotten_and_goes(memory: Memory, clock: FixedClock) -> None:
    at = told(memory, "The ferry office has a green door.")
    assert lives(memory, clock, at, (100, 220, 260, 500, 830, 915, 925)) == [
        "active", "stale", "archived", "archived", "deleted", "deleted", "gone",
    ]  # fmt: skip
    with pytest.raises(NotFound):
        memory.get(str(at))


def test_what_is_read_now_and_then_stays(memory: Memory, clock: FixedClock) -> None:
    read, unread = told(memory, "The ferry office has a green door."), told(memory, "The mill has nine windows.")
    for _ in range(4):
        clock.advance(days=100)
        memory.get(str(read))
        memory.engine.uses.flush()
        memory.run("sweep")
    assert (state(memory, read), state(memory, unread)) == ("active", "archived")


def test_pins_importance_and_a_permanent_kind_keep_a_memory_from_being_forgotten(
    memory: Memory, clock: FixedClock
) -> None:
    asked = memory.remember("The key of the boathouse hangs behind the clock.").id
    assert asked is not None
    kept = {
        "asked for": asked,
        "pinned": told(memory, "The tide table is on the wall.", pinned=True),
        "important": told(memory, "The bilge pump must run before every trip.", importance=0.9),
        "an instruction": told(memory, "Never lend out the dinghy.", kind="instruction"),
    }
    fades = told(memory, "The ferry office has a green door.")
    clock.advance(days=5000)
    memory.run("sweep")
    assert state(memory, fades) == "deleted"
    assert {why: state(memory, at) for why, at in kept.items()} == {
        "asked for": "active", "pinned": "active", "important": "archived", "an instruction": "active",
    }  # fmt: skip


def test_what_was_strongly_felt_is_not_forgotten(memory: Memory, clock: FixedClock) -> None:
    felt = memory.remember("I was absolutely devastated when our dog died!!!", pinned=False, importance=0.3)
    calm = told(memory, "The ferry office has a green door.", kind="reflection")
    clock.advance(days=5000)
    moved = {move.memory: move.after for move in memory.run("sweep", dry_run=True)[0].moves}
    assert felt.id is not None
    assert (moved[felt.id], moved[calm]) == ("archived", "deleted")


def test_a_dry_run_tells_the_same_moves_and_writes_nothing(memory: Memory, clock: FixedClock) -> None:
    at = told(memory, "The ferry office has a green door.")
    clock.advance(days=220)
    end = memory.engine.journal_end()
    (tried,) = memory.run("sweep", dry_run=True)
    assert (memory.engine.journal_end(), state(memory, at)) == (end, "active")
    assert {job.job: job.state for job in memory.jobs()}["sweep"] == "never"
    (done,) = memory.run("sweep")
    assert (tried.counts, tried.moves) == (done.counts, done.moves)
    assert [(move.memory, move.before, move.after) for move in done.moves] == [(at, "active", "stale")]


def test_undo_gives_back_what_the_sweep_took_and_the_next_sweep_leaves_it(memory: Memory, clock: FixedClock) -> None:
    one, other = told(memory, "The ferry office has a green door."), told(memory, "The mill has nine windows.")
    before = clock.now()
    clock.advance(days=220)
    memory.run("sweep")
    clock.advance(days=60)
    memory.run("sweep")
    assert (state(memory, one), state(memory, other)) == ("archived", "archived")
    memory.forget(str(other))
    back = memory.undo("sweep", since=before)
    assert back.counts == {"restored": 1, "moved since": 1, "purged": 0}
    memory.run("sweep")
    assert (state(memory, one), state(memory, other)) == ("active", "deleted")


def test_undo_without_a_moment_takes_back_the_last_run_alone(memory: Memory, clock: FixedClock) -> None:
    at = told(memory, "The ferry office has a green door.")
    clock.advance(days=220)
    memory.run("sweep")
    clock.advance(days=60)
    memory.run("sweep")
    assert state(memory, at) == "archived"
    memory.undo("sweep")
    assert state(memory, at) == "stale"


def test_what_was_told_long_ago_begins_to_fade_when_it_is_taken_in(memory: Memory, clock: FixedClock) -> None:
    at = told(memory, "The lighthouse keeper retired.", at=clock.now().replace(year=2001))
    assert lives(memory, clock, at, (0, 100)) == ["active", "active"]


def test_what_was_forgotten_goes_after_the_days_of_the_setting_and_can_be_restored_before(
    tmp_path: Path, clock: FixedClock
) -> None:
    with Memory(tmp_path / "p", clock=clock, embedder="none", upkeep=False, purge_after_days=10) as memory:
        lost, back = memory.remember("The mill has nine windows.").id, memory.remember("The lock is rusty.").id
        assert lost is not None
        assert back is not None
        for at in (lost, back):
            memory.forget(str(at))
        clock.advance(days=9)
        assert memory.run("sweep")[0].counts["purged"] == 0
        memory.restore(str(back))
        clock.advance(days=1)
        assert memory.run("sweep")[0].counts["purged"] == 1
        assert (state(memory, lost), state(memory, back)) == ("gone", "active")
        assert memory.verify().clean


def test_a_memory_that_is_kept_though_it_was_due_is_looked_at_once(memory: Memory, clock: FixedClock) -> None:
    told(memory, "The ferry office has a green door.")
    memory.engine.store.database.write(lambda connection: connection.execute("UPDATE memory SET due_us = 1") and None)
    assert memory.run("sweep")[0].counts == {"stale": 0, "archived": 0, "deleted": 0, "purged": 0}
    assert memory.engine.store.lives.due(clock.now_us(), clock.now_us(), 10) == ()


def test_setting_a_state_twice_leaves_one_event(memory: Memory) -> None:
    at = told(memory, "The ferry office has a green door.")
    end = memory.engine.journal_end()
    for _ in range(2):
        memory.engine.store.commit([SetState(at, "stale", "x")])
    assert memory.engine.journal_end() == end + 1
