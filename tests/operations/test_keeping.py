"""How long a memory is kept is its caller's to say: durability, pins, and kinds of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, InvalidInput, UnknownKind
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False) as made:
        yield made


def told(memory: Memory, text: str, **more: object) -> str:
    made = memory.remember(text, **{"kind": "fact", "importance": 0.3, **more})  # type: ignore[arg-type]
    assert made.id is not None
    return str(made.id)


def foretold(memory: Memory, *kept: str) -> list[str]:
    """What a sweep would make of each now."""
    moves = {str(move.memory): move.after for move in memory.run("sweep", dry_run=True)[0].moves}
    return [moves.get(at, "active") for at in kept]


def test_the_caller_says_how_a_memory_fades_when_it_is_told_and_later(memory: Memory, clock: FixedClock) -> None:
    parked = told(memory, "The car stands on level two.", kind="context", durability="transient")
    term = told(memory, "The lecture is in room nine.", durability="semester")
    charter = told(memory, "The club was founded in 1911.", durability="permanent")
    clock.advance(days=10)
    assert foretold(memory, parked, term, charter) == ["deleted", "active", "active"]
    clock.advance(days=510)
    assert foretold(memory, term, charter) == ["stale", "active"]
    assert memory.keep(term, durability="permanent").durability == "permanent"
    assert memory.keep(charter, durability="kind").durability == "decaying"
    clock.advance(days=5000)
    assert foretold(memory, term, charter) == ["active", "deleted"]


def test_a_pin_is_set_and_taken_away_and_leaves_the_durability_as_it_is(memory: Memory, clock: FixedClock) -> None:
    at = told(memory, "The spare key is under the pot.", durability="decaying")
    shown = memory.keep(at, pinned=True)
    assert (shown.pinned, shown.durability, memory.get(at).pinned) == (True, "decaying", True)
    clock.advance(days=5000)
    assert foretold(memory, at) == ["active"]
    assert not memory.keep(at, pinned=False).pinned
    clock.advance(days=5000)
    assert foretold(memory, at) == ["deleted"]


def test_a_kind_of_ones_own_is_used_like_any_other_and_fades_at_its_own_pace(
    memory: Memory, clock: FixedClock, tmp_path: Path
) -> None:
    with pytest.raises(UnknownKind):
        told(memory, "We sailed to Anholt.", kind="voyage")
    made = memory.kind_add("voyage", layer="episodic", stability_days=10, conflict="keep_both", why="we sail a lot")
    assert made.own
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False) as other:
        at = told(other, "We sailed to Anholt.", kind="voyage", name="anholt", place="life.trips", pinned=False)
        assert str(other.get("life.trips/anholt.voyage").id) == at
        slow = told(other, "The mill has nine windows.", pinned=False)
    shown = {one.kind: one for one in memory.kinds()}
    assert (shown["voyage"].stability_days, shown["voyage"].why, shown["fact"].own) == (10, "we sail a lot", False)
    assert memory.kind_add("voyage", layer="episodic", stability_days=10, conflict="keep_both", why="we sail a lot")
    clock.advance(days=20)
    assert foretold(memory, at, slow) == ["stale", "active"]
    assert memory.verify().clean
    assert [hit.memory.kind for hit in memory.recall("Where did we sail?", kinds=["voyage"])] == ["voyage"]


def test_a_kind_that_is_there_already_or_has_no_sense_is_refused(memory: Memory) -> None:
    memory.kind_add("voyage")
    for name in ("voyage", "fact"):
        with pytest.raises(Conflict, match="already is a kind"):
            memory.kind_add(name, stability_days=3)
    with pytest.raises(InvalidInput):
        memory.kind_add("two words")
    with pytest.raises(InvalidInput):
        memory.kind_add("eon", lifespan_days=40_000_000)
