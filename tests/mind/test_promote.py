"""A project that is over: what proved good in it is for everybody, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import NotFound, NotPermitted
from palazzo.testing.clock import FixedClock

CUE = "how does the heron importer run?"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, upkeep=False, durable=False) as made:
        yield made


def found(memory: Memory, **scope: str) -> list[str]:
    return [hit.text for hit in memory.recall(CUE, **scope)]  # type: ignore[arg-type]


def test_what_proved_good_in_a_completed_project_is_for_everybody_and_undo_takes_it_back(memory: Memory) -> None:
    said = memory.remember("The heron importer runs with two workers.", project="atlas", importance=0.7)
    memory.remember("The heron importer of Otto runs alone.", project="atlas", user_id="otto")
    memory.remember("The heron importer of boreas runs at noon.", project="boreas")
    memory.remember("The heron importer confuses me.", project="atlas", agent_id="ada")
    before = found(memory), found(memory, project="atlas")
    assert not before[0]
    tried = memory.dream(completed="atlas", dry_run=True)
    assert [step.memories for step in tried.steps] == [(said.id,)]
    assert "Would be for everybody" in tried.markdown
    made = memory.dream(completed="atlas")
    assert found(memory) == ["The heron importer runs with two workers."]
    assert found(memory, project="atlas").count("The heron importer runs with two workers.") == 1
    assert not memory.dream(completed="atlas").steps
    memory.undo(str(made.id))
    assert (found(memory), found(memory, project="atlas")) == before


def test_what_was_promoted_goes_with_what_it_comes_from(memory: Memory) -> None:
    said = memory.remember("The heron importer runs with two workers.", project="atlas")
    (step,) = memory.dream(completed="atlas").steps
    memory.purge(str(said.id), project="atlas")
    with pytest.raises(NotFound):
        memory.get(str(step.made[0]))


def test_a_run_that_stopped_early_is_gone_on_with_and_does_nothing_twice(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"Crane {number} of the heron quay lifts {number + 4} tons.", project="atlas")
    made = [step.made for _ in range(4) for step in memory.dream(completed="atlas", limit=1).steps]
    assert len(set(made)) == len(made) == 3


def test_what_faded_stays_where_it_was(memory: Memory, clock: FixedClock) -> None:
    memory.remember("The heron importer runs alone.", project="atlas", kind="context", importance=0.2, pinned=False)
    clock.advance(days=200)
    assert not memory.dream(completed="atlas").steps
    assert "nothing of the project atlas is for everybody" in memory.dream(completed="atlas").markdown


def test_only_the_operator_completes_a_project(memory: Memory, clock: FixedClock) -> None:
    memory.remember("The heron importer runs with two workers.", project="atlas")
    memory.grant("agent:ada", "forget")
    with Memory(
        memory.engine.folder, clock=clock, upkeep=False, durable=False, subject="agent:ada", project="atlas"
    ) as ada, pytest.raises(NotPermitted):  # fmt: skip
        ada.dream(completed="atlas")
