"""Random trees, seals, scopes, grants, times, subjects and sessions against every operation of the registry.

A reference evaluator of sixty lines, which shares no code with the guard, says which memories a caller may know of and
how each operation must be answered. Every memory carries a word of its own: a word, an id or a count of a memory that
the caller may not know of, in any result or error text, is a leak.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.guard.samples import sample
from tests.guard.worlds import (
    PLACES,
    SCOPES,
    SUBJECTS,
    World,
    best_of,
    known,
    level_of,
    make_world,
    outcome,
)

from palazzo.model.capability import Level
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation
from palazzo.operations.registry import OPERATIONS
from palazzo.testing.clock import FixedClock

WORLDS = range(3)


def expected(world: World, caller: Caller, declared: Operation, now: int) -> set[str]:
    """The ways a call may end, by the reference."""
    best = best_of(world, caller.subject, now)
    if declared.operator_only or best == 0:
        return {"denied"}
    if best >= declared.level:
        if declared.where == "palace" or declared.writes:
            return {"full", "denied", "absent", "other"}
        return {"full", "absent", "other"}
    if declared.writes or declared.where == "palace":
        return {"denied"}
    return {"exists", "other"} if best == 1 else {"outline", "absent", "other"}


@pytest.mark.parametrize("number", WORLDS)
def test_every_operation_answers_as_the_reference_says_and_shows_nothing_else(number: int, tmp_path: Path) -> None:
    source, clock = random.Random(number), FixedClock()
    world = make_world(tmp_path / "palace", clock, source)
    with world.engine:
        for _ in range(2):
            for subject in SUBJECTS:
                caller = Caller(subject=subject, scope=source.choice(SCOPES), chooses_scope=False)
                unlocked = source.random() < 0.4
                world.engine.guard.vault.lock()
                if unlocked:
                    world.engine.guard.vault.unlock(subject, "", "open sesame", minutes=60, now_us=clock.now_us())
                for declared in OPERATIONS:
                    if not declared.writes or declared.operator_only:
                        check(world, caller, declared, unlocked, source)
            clock.advance(hours=9)


def check(world: World, caller: Caller, declared: Operation, unlocked: bool, source: random.Random) -> None:
    """One read, or one operator's call tried by somebody else."""
    now = world.engine.clock.now_us()
    best = best_of(world, caller.subject, now)
    seen = known(world, caller, min(best, declared.level, 3) or 9, now, unlocked, writes=declared.writes)
    aim = source.choice(seen if seen and source.random() < 0.5 else world.memories)
    asked = source.choice([str(aim.id), f"{aim.place}/note-{world.memories.index(aim)}.fact"])
    cue = f"heron {aim.word} lake"
    given = sample(declared, memory=asked, cue=cue, message=cue, source=str(aim.id))
    if declared.name == "places":
        given["place"] = source.choice(["", *PLACES])
    sort, found, told = outcome(world, caller, declared, given)
    assert sort in expected(world, caller, declared, now), (declared.name, caller, sort, told)
    hidden = [kept for kept in world.memories if kept not in seen]
    for kept in hidden:
        own = {str(value) for value in given.values()}
        assert kept.word not in told or (any(kept.word in text for text in own) and sort != "full"), declared.name
        assert str(kept.id) not in told or str(kept.id) in own, (declared.name, told)
    if declared.where == "memory" and not declared.operator_only and sort == "full":
        assert aim in seen, declared.name
    if declared.name == "list" and sort == "full":
        assert found.total == sum(kept.live for kept in seen)
        assert {m.id for m in found} == {kept.id for kept in seen if kept.live}
    if declared.name == "get" and sort == "exists":
        assert found.exists == (aim in seen and aim.live)
    if declared.name == "list" and sort == "exists":
        assert found.exists == any(kept.live for kept in seen)
    if declared.name == "list" and sort == "outline":
        assert sum(tally.count for tally in found.places) == sum(kept.live for kept in seen)
    if declared.name == "status" and sort == "full":
        assert found.memories == sum(kept.live for kept in seen)
        assert (found.bytes, found.events, found.palace) == (0, 0, "")
    if declared.name == "places" and sort == "full":
        for place in found:
            assert place.memories == sum(kept.live for kept in seen if kept.place == place.place)
            assert level_of(world, caller.subject, place.place, now, unlocked) >= Level.metadata


WRITES = [o for o in OPERATIONS if o.writes and not o.operator_only]


@pytest.mark.parametrize("number", WORLDS)
def test_every_write_lands_only_where_the_reference_allows_it(number: int, tmp_path: Path) -> None:
    source, clock = random.Random(1000 + number), FixedClock()
    world = make_world(tmp_path / "palace", clock, source)
    with world.engine:
        for subject in SUBJECTS:
            caller = Caller(subject=subject, scope=source.choice(SCOPES), chooses_scope=False)
            for declared in WRITES:
                now = clock.now_us()
                aim, place = source.choice(world.memories), source.choice(PLACES)
                given = sample(declared, memory=str(aim.id), place=place, source=str(aim.id), target=str(aim.id))
                if any(p.name == "place" for p in declared.parameters):
                    given["place"] = place
                before = contents(world)
                sort, _, told = outcome(world, caller, declared, given)
                level = level_of(world, subject, aim.place, now, False)
                may_see = aim in known(world, caller, 3, now, False, writes=True)
                if contents(world) != before:
                    assert best_of(world, subject, now) >= declared.level
                    if declared.where == "memory":
                        assert may_see, (declared.name, subject)
                        assert level >= declared.level, (declared.name, subject)
                    if "place" in given:
                        assert level_of(world, subject, place, now, False) >= declared.level, (declared.name, subject)
                if declared.where == "memory" and not may_see:
                    assert sort in ("denied", "absent", "other"), (declared.name, told)
                    assert aim.word not in told
                    assert aim.place not in told or aim.place in given.values() or sort == "denied"


def contents(world: World) -> list[Any]:
    """What a write changes: memories, where they stand, their states, links and beliefs."""
    with world.engine.store.database.read() as connection:
        return [
            connection.execute(query).fetchall()
            for query in (
                "SELECT id, place, state, current, deprecated_us FROM memory ORDER BY id",
                "SELECT source, target, kind FROM edge ORDER BY id",
                "SELECT memory, tag, revision FROM tag_move ORDER BY 1, 2, 3",
            )
        ]  # fmt: skip


def test_absence_and_refusal_do_not_tell_whether_something_is_there(tmp_path: Path) -> None:
    """What is not there and what may not be known of end alike, in sort and in words."""
    source, clock = random.Random(5), FixedClock()
    world = make_world(tmp_path / "palace", clock, source)
    with world.engine:
        for subject in SUBJECTS:
            caller = Caller(subject=subject, scope=source.choice(SCOPES), chooses_scope=False)
            for declared in OPERATIONS:
                named = [p.name for p in declared.parameters if p.required and p.name in ("memory", "source", "target")]
                if not named or declared.operator_only:
                    continue
                seen = known(world, caller, 1, clock.now_us(), False, writes=declared.writes)
                hidden = [kept for kept in world.memories if kept not in seen]
                nowhere = "01977890-0000-7000-8000-000000000000"
                for kept in hidden[:4]:
                    there = outcome(world, caller, declared, sample(declared, **dict.fromkeys(named, str(kept.id))))
                    gone = outcome(world, caller, declared, sample(declared, **dict.fromkeys(named, nowhere)))
                    assert there[0] == gone[0], (declared.name, subject)
                    assert there[2].replace(str(kept.id), "ID") == gone[2].replace(nowhere, "ID"), declared.name
