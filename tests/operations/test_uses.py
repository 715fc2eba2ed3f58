"""What is read is counted, once a day, without a read waiting for it; decay and trust feel it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.model.capability import View
from palazzo.model.memory import Memory as Kept
from palazzo.recall.talk import uses
from palazzo.store.api import Filter
from palazzo.testing.clock import FixedClock

READS: dict[str, Callable[[Memory, str], Any]] = {
    "recall": lambda memory, _: memory.recall("Where do the herons nest?"),
    "context": lambda memory, _: memory.context("Where do the herons nest?"),
    "get": lambda memory, at: memory.get(at),
}


def kept(memory: Memory, at: str) -> Kept:
    with memory.engine.store.reading(View()) as reading:
        (found,) = (one for one in reading.memories.by_keys(reading.search.newest(Filter(), 10)).values())
    assert str(found.id) == at
    return found


def opened(folder: Path, clock: FixedClock) -> Memory:
    return Memory(folder / "palace", clock=clock, upkeep=False)


def lasts(memory: Memory) -> int:
    """When decay touches what was read next."""
    asked = "SELECT max(due_us) FROM memory"
    (found,) = memory.engine.store.database.write(lambda connection: connection.execute(asked).fetchone())
    return int(found)


@pytest.mark.parametrize("way", READS)
def test_a_read_is_counted_once_a_day(tmp_path: Path, way: str) -> None:
    clock = FixedClock()
    with opened(tmp_path, clock) as memory:
        at = str(memory.remember("The herons nest behind the old mill.", verbatim=True).id)
    for day in (1, 2, 3):
        clock.advance(days=1)
        with opened(tmp_path, clock) as memory:
            for _ in range(3):
                READS[way](memory, at)
        with opened(tmp_path, clock) as memory:
            found = kept(memory, at)
            assert found.sessions == day
            assert found.accessed_us == clock.now_us()


def test_what_is_used_lasts_longer_and_is_trusted_more(tmp_path: Path) -> None:
    clock = FixedClock()
    with opened(tmp_path, clock) as memory:
        memory.observe([{"content": "The herons nest behind the old mill."}])
        before = memory.recall("Where do the herons nest?")[0]
        due = lasts(memory)
        clock.advance(days=2)
        memory.recall("Where do the herons nest?")
        memory.engine.uses.flush()
        later = lasts(memory)
        memory.observe([{"content": "The kingfisher stays at the weir."}])
        after = memory.recall("Where do the herons nest?")[0]
    assert later > due
    assert after.parts.utility > before.parts.utility


def test_a_look_at_the_past_counts_nothing(tmp_path: Path) -> None:
    clock = FixedClock()
    with opened(tmp_path, clock) as memory:
        at = str(memory.remember("The herons nest behind the old mill.", verbatim=True).id)
        clock.advance(days=1)
        memory.recall("herons", as_of=clock.now())
    with opened(tmp_path, clock) as memory:
        assert kept(memory, at).sessions == 0


def test_a_read_does_not_wait_for_a_writer_and_its_use_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uses, "MANY", 1)
    clock = FixedClock()
    with opened(tmp_path, clock) as memory:
        at = str(memory.remember("The herons nest behind the old mill.", verbatim=True).id)
        other = memory.engine.store.database.connect()
        other.execute("BEGIN IMMEDIATE")
        assert len(memory.recall("herons")) == 1
        other.execute("ROLLBACK")
        other.close()
        monkeypatch.setattr(uses, "MANY", 100)
        memory.engine.uses.flush()
        memory.recall("herons")
    with opened(tmp_path, clock) as memory:
        assert kept(memory, at).sessions == 1


def test_a_memory_that_was_purged_meanwhile_is_no_trouble(tmp_path: Path) -> None:
    with opened(tmp_path, FixedClock()) as memory:
        at = str(memory.remember("The herons nest behind the old mill.", verbatim=True).id)
        memory.recall("herons")
        memory.burn(memories=[at], yes=True)
        memory.engine.uses.flush()
        assert memory.verify().clean
