"""The pass that audits: from the journal into the queue, when the time comes into an audit, bounded and resumable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from palazzo.engine import Engine
from palazzo.model.capability import View
from palazzo.model.change import PurgeMemory, SetDeprecated
from palazzo.model.memory import Atom
from palazzo.model.scope import Scope
from palazzo.spaces import Spaces
from palazzo.store.sql.belief import reviews
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, place_memory


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def engine(tmp_path: Path, clock: FixedClock) -> Iterator[Engine]:
    store = make_store(tmp_path / "palace", clock=clock)
    with Engine(store, clock, Spaces(store, None, "none", lambda _: None)) as made:
        yield made


def keep(engine: Engine, text: str, value: str = "", scope: Scope = Scope.of(), kind: str = "fact") -> UUID:
    atoms = (Atom("heron", "port", value, functional=True),) if value else ()
    made = place_memory(text, atoms=atoms, scope=scope, kind=kind)
    engine.store.commit([made])
    return made.memory_id


def audits(engine: Engine, memory_id: UUID, scope: Scope = Scope.of()) -> list[float]:
    with engine.store.reading(View(scope=scope)) as reading:
        rows = reading.connection.execute(  # type: ignore[attr-defined]
            "SELECT a.severity FROM staleness_audit a JOIN memory m ON m.id = a.memory WHERE m.uuid = ? ORDER BY a.id",
            (memory_id.bytes,),
        )
        return [severity for (severity,) in rows]


def test_a_new_memory_waits_for_its_turn_and_is_audited_when_it_comes(engine: Engine, clock: FixedClock) -> None:
    made = keep(engine, "Mira paints boats.")
    first = engine.audits.run()
    assert (first.queued, first.audited, first.more) == (1, 0, False)
    clock.advance(days=400)
    assert engine.audits.run().audited == 1
    assert len(audits(engine, made)) == 1
    assert engine.audits.run().audited == 0


def test_what_a_new_memory_may_contradict_is_looked_at_at_once_and_flagged(engine: Engine, clock: FixedClock) -> None:
    old = keep(engine, "The Heron server listens on port 8080.", "8080")
    engine.audits.run()
    clock.advance(days=1)
    keep(engine, "The Heron server listens on port 9090.", "9090")
    done = engine.audits.run()
    assert (done.audited, done.flagged) == (1, 1)
    (hit,) = [hit for hit in engine.recall("Heron server port").hits if hit.memory.id == old]
    assert hit.caveat == 'may have changed: a newer memory says "The Heron server listens on port 9090."'


def test_a_memory_is_judged_from_its_own_scope(engine: Engine, clock: FixedClock) -> None:
    anna, ben = Scope.of(user="anna"), Scope.of(user="ben")
    old = keep(engine, "The Heron server listens on port 8080.", "8080", anna)
    clock.advance(days=1)
    keep(engine, "The Heron server listens on port 9090.", "9090", ben)
    engine.audits.run()
    clock.advance(days=400)
    assert engine.audits.run().flagged == 0
    assert audits(engine, old, anna)[0] < 0.7


def test_answers_that_agree_make_the_next_audit_come_later(engine: Engine, clock: FixedClock) -> None:
    made = keep(engine, "Mira paints boats.", kind="task")
    engine.audits.run()
    gaps = []
    for _ in range(3):
        clock.advance(days=400)
        engine.audits.run()
        engine.beliefs.staleness().resolve(made, "dismiss")
        with engine.store.reading(View()) as reading:
            gaps.append((reviews.freshness_of(reading, made).next_us or 0) - clock.now_us())
    assert gaps[0] < gaps[1] < gaps[2]


def test_a_pass_does_no_more_than_it_may_and_the_next_goes_on(engine: Engine, clock: FixedClock) -> None:
    for n in range(5):
        keep(engine, f"Boat number {n} is blue.")
    read = engine.audits.run(events=3)
    assert (read.events, read.more) == (3, True)
    assert engine.audits.run().events == 2
    clock.advance(days=400)
    assert [engine.audits.run(limit=2).audited for _ in range(4)] == [2, 2, 1, 0]


def test_turns_deprecated_and_purged_memories_are_not_audited(engine: Engine, clock: FixedClock) -> None:
    keep(engine, "What do you think?", kind="exchange")
    gone, purged = keep(engine, "The lake is deep."), keep(engine, "The hill is steep.")
    engine.audits.run()
    engine.store.commit([SetDeprecated(gone, deprecated=True, reason="x"), PurgeMemory(purged)])
    clock.advance(days=400)
    assert engine.audits.run().audited == 0


def test_a_scan_of_the_journal_that_ended_is_not_repeated(engine: Engine) -> None:
    keep(engine, "The lake is deep.")
    assert engine.audits.run().events > 0
    assert engine.audits.run().events == 0
