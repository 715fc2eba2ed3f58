"""How long an answer takes must not tell whether something is there: the work done is counted instead of a clock read.

The class of a call is the statements it runs, in order, how many steps SQLite's machine takes for them, and whether the
wait for the untrusted was taken. bench.security timing measures the same with a clock.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.guard.samples import sample
from tests.guard.worlds import SCOPES, SUBJECTS, Kept, World, held, known, make_world, outcome

from palazzo.engine import Engine
from palazzo.guard.gate import Guard
from palazzo.guard.rules import Rules
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation
from palazzo.operations.registry import OPERATIONS
from palazzo.store.sql.hot.columns import NAMED_AFTER
from palazzo.testing.clock import FixedClock

NOWHERE = "01977890-0000-7000-8000-000000000000"
STEPS = 400
"""Steps of SQLite's machine by which two calls of one class may differ: some ten microseconds, a hundredth of the
millisecond that the security list allows. A row that is found and then filtered out costs about forty."""
Work = tuple[tuple[str, ...], int, int]


@contextmanager
def every_statement() -> Iterator[list[tuple[str, int]]]:
    """Statements and their steps, on every connection that is opened inside."""
    done: list[tuple[str, int]] = []

    def note(event: dict[str, Any]) -> None:
        done.append((event["sql"], event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]))

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)

    apsw.connection_hooks.append(watch)
    try:
        yield done
    finally:
        apsw.connection_hooks.remove(watch)


class Watched:
    """A world whose work is counted and whose waits are noted instead of waited for."""

    def __init__(self, world: World, done: list[tuple[str, int]]) -> None:
        self.world, self._done, self._waits = world, done, list[float]()
        store, clock = world.engine.store, world.engine.clock
        rules = Rules(
            reads_per_minute=1_000_000, reads_per_session=1_000_000_000, writes_per_minute=1_000_000, floor_ms=60_000
        )
        guard = Guard(store, clock, rules, wait=self._waits.append)
        self.world.engine = Engine(store, clock, world.engine.spaces, guard=guard)

    def work(self, caller: Caller, declared: Operation, given: dict[str, Any]) -> tuple[str, Work]:
        """How a call ended, and what it did."""
        self._done.clear()
        self._waits.clear()
        sort, _, _ = outcome(self.world, caller, declared, given)
        return sort, (
            tuple(text for text, _ in self._done), sum(steps for _, steps in self._done), len(self._waits)
        )  # fmt: skip


def naming(declared: Operation) -> list[str]:
    """The parameters of an operation that name a memory."""
    return [p.name for p in declared.parameters if p.required and p.name in ("memory", "source", "target")]


@pytest.mark.parametrize("number", range(2))
def test_what_is_forbidden_and_what_is_missing_take_the_same_work(number: int, tmp_path: Path) -> None:
    source, compared = random.Random(70 + number), 0
    with every_statement() as done:
        world = make_world(tmp_path / "palace", FixedClock(), source)
        watched = Watched(world, done)
        with world.engine:
            for subject in SUBJECTS:
                caller = Caller(subject=subject, scope=source.choice(SCOPES), chooses_scope=False)
                for declared in OPERATIONS:
                    if naming(declared) and not declared.operator_only:
                        compared += compare(watched, caller, declared, source)
    assert compared > 100


def compare(watched: Watched, caller: Caller, declared: Operation, source: random.Random) -> int:
    """One operation on something hidden and on nothing, by id and by address; returns how often."""
    world = watched.world
    seen = known(world, caller, 1, world.engine.clock.now_us(), False, writes=declared.writes)
    hidden = [kept for kept in world.memories if kept not in seen]
    for kept in source.sample(hidden, min(2, len(hidden))):
        for there, nowhere in ((str(kept.id), NOWHERE), (address(world, kept), f"{kept.place}/no-such-note.fact")):
            asked = [sample(declared, **dict.fromkeys(naming(declared), one)) for one in (nowhere, there)]
            watched.work(caller, declared, asked[0])  # statements that only a first call prepares
            (ended, gone), (sort, found) = (watched.work(caller, declared, one) for one in asked)
            assert sort == ended, (declared.name, caller)
            assert found[0] == gone[0], (declared.name, caller.subject)
            assert abs(found[1] - gone[1]) <= STEPS, (declared.name, found[1], gone[1])
            assert found[2] == gone[2] == (not trusted(world, caller)), (declared.name, caller.subject)
    return 2 * min(2, len(hidden))


def address(world: World, kept: Kept) -> str:
    return f"{kept.place}/note-{world.memories.index(kept)}.fact"


def trusted(world: World, caller: Caller) -> bool:
    """Whether every grant that holds reads everything: such a caller is never made to wait."""
    levels = [grant.level for grant in held(world, caller.subject, world.engine.clock.now_us())]
    return bool(levels) and min(levels) >= 4


def test_a_search_for_what_is_forbidden_takes_the_work_of_a_search_for_nothing(tmp_path: Path) -> None:
    source = random.Random(3)
    with every_statement() as done:
        world = make_world(tmp_path / "palace", FixedClock(), source)
        watched = Watched(world, done)
        recall = next(one for one in OPERATIONS if one.name == "recall")
        with world.engine:
            world.engine.store.upkeep.run()
            for subject in ("agent:one", "agent:two", "orchestrator:six", "mcp:five"):
                caller = Caller(subject=subject, scope=SCOPES[3], chooses_scope=False)
                seen = known(world, caller, 1, world.engine.clock.now_us(), False)
                for _ in range(2 * NAMED_AFTER):  # what a process reads once for all that come after
                    watched.work(caller, recall, {"cue": f"zq{source.getrandbits(48):012x}"})
                for kept in [kept for kept in world.memories if kept not in seen][:8]:
                    watched.work(caller, recall, {"cue": "zq000000000000"})
                    _, gone = watched.work(caller, recall, {"cue": f"zq{source.getrandbits(48):012x}"})
                    _, found = watched.work(caller, recall, {"cue": kept.word})
                    assert found[2] == gone[2] == (not trusted(world, caller))
                    if kept.scope.is_prefix_of(caller.scope):
                        # Its scope's index is the reader's own, and the place is looked at after the word is found.
                        assert abs(found[1] - gone[1]) <= 10 * STEPS, (found[1], gone[1])
                    else:
                        assert found[0] == gone[0]
                        assert abs(found[1] - gone[1]) <= STEPS, (found[1], gone[1])
