"""Random trees, seals, scopes, grants, times, subjects and sessions against every operation of the registry.

A reference evaluator of forty lines, which shares no code with the guard, says which memories a caller may know of and
how each operation must be answered. Every memory carries a word of its own: a word, an id or a count of a memory that
the caller may not know of, in any result or error text, is a leak.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.guard.samples import sample

from mnemon.engine import Engine
from mnemon.errors import MnemonError, NotFound, NotPermitted, RateLimited
from mnemon.guard.gate import Guard
from mnemon.guard.reduce import Exists, Outline
from mnemon.guard.rules import Rules
from mnemon.mind.backfill import Spaces
from mnemon.model.address import Place, PlaceGlob
from mnemon.model.capability import Grant, Level
from mnemon.model.change import AddEdge, AddGrant, AddSpace, Attachments, ChangePlace, SetState
from mnemon.model.edge import Node
from mnemon.model.scope import GLOBAL, Scope
from mnemon.operations.arguments import as_plain
from mnemon.operations.call import call
from mnemon.operations.caller import Caller
from mnemon.operations.declared import Operation
from mnemon.operations.registry import OPERATIONS
from mnemon.testing.clock import FixedClock
from mnemon.testing.embedders import HashEmbedder
from mnemon.testing.palace import make_store, place_memory

WORLDS = range(2)
PLACES = ("work", "work.a", "work.a.deep", "work.b", "life", "life.x", "vault", "vault.keys", "other")
SEALS = ("open", "sealed", "vault")
SCOPES = (GLOBAL, Scope.of(project="p"), Scope.of(project="p", user="anna"), Scope.of(user="ben"))
SUBJECTS = ("agent:one", "agent:two", "kit:banking", "mcp:three", "shell:four", "mcp:five", "agent:primary", "nobody")
LEVELS = tuple(Level)
DAY = 86_400_000_000
SPACE = HashEmbedder().name


@dataclass(frozen=True)
class Kept:
    """A memory as the reference knows it."""

    id: UUID
    word: str
    place: str
    scope: Scope
    live: bool


@dataclass(frozen=True)
class Given:
    """A grant as the reference knows it."""

    subject: str
    level: int
    glob: str
    start: int
    end: int | None


# --- the reference: forty lines, nothing of the guard in them ---------------------------------------------------------
def covers(glob: str, place: str) -> bool:
    if glob == "**":
        return True
    if glob.endswith(".**"):
        return place == glob[:-3] or place.startswith(glob[:-3] + ".")
    if glob.endswith(".*"):
        return place.startswith(glob[:-2] + ".") and "." not in place[len(glob) - 1 :]
    return place == glob


def defaults(subject: str, first: int) -> list[Given]:
    kind = subject.split(":")[0]
    if subject == "agent:primary":
        return [Given(subject, 5, "**", 0, None)]
    if kind == "shell":
        return [Given(subject, 5, "work.**", 0, None), Given(subject, 5, "forest.**", 0, None)]
    return [Given(subject, 1, "**", 0, first + 30 * DAY)] if kind == "mcp" else []


def held(world: World, subject: str, now: int) -> list[Given]:
    if subject == "kit:banking":
        return []
    given = [g for g in world.grants if g.subject == subject] or defaults(subject, now)
    return [g for g in given if g.level > 0 and g.start <= now and (g.end is None or now < g.end)]


def level_of(world: World, subject: str, place: str, now: int, unlocked: bool) -> int:
    grants = [g for g in held(world, subject, now) if covers(g.glob, place)]
    seal = world.seals.get(place, "open")
    if seal == "vault":
        named = [g for g in grants if world.seals.get(g.glob.removesuffix(".**").removesuffix(".*")) == "vault"]
        return max((g.level for g in named if g.level >= 4), default=0) if unlocked else 0
    best = max((g.level for g in grants), default=0)
    return 0 if seal == "sealed" and best < 4 else best


def known(world: World, caller: Caller, level: int, now: int, unlocked: bool) -> list[Kept]:
    readable = [scope for scope in SCOPES if caller.scope.levels[: len(scope.levels)] == scope.levels]
    return [
        kept for kept in world.memories
        if kept.scope in readable and level_of(world, caller.subject, kept.place, now, unlocked) >= level
    ]  # fmt: skip


# --- the world --------------------------------------------------------------------------------------------------------
@dataclass
class World:
    engine: Engine
    memories: list[Kept]
    grants: list[Given]
    seals: dict[str, str]


def make_world(folder: Path, clock: FixedClock, source: random.Random) -> World:
    store = make_store(folder, clock=clock, durable=False)
    embedder = HashEmbedder()
    spaces = Spaces(store, embedder, "hash", lambda _: None)
    loose = Rules(reads_per_minute=1_000_000, reads_per_session=1_000_000_000, writes_per_minute=1_000_000)
    engine = Engine(store, clock, spaces, guard=Guard(store, clock, loose))
    seals = {place: "vault" if place.startswith("vault") else "open" for place in PLACES}
    store.commit([AddSpace(SPACE, SPACE, embedder.dimensions)])
    kept = []
    for number in range(40):
        place, scope, word = source.choice(PLACES), source.choice(SCOPES), f"zq{source.getrandbits(48):012x}"
        text = f"The heron {word} stands near the lake number {number}."
        vector = {SPACE: embedder.embed_query(text)}
        made = place_memory(
            text, place=place, scope=scope, name=f"note-{number}", author="anna",
            attachments=Attachments(vectors=vector),
        )  # fmt: skip
        store.commit([made])
        live = source.random() > 0.15
        if not live:
            store.commit([SetState(made.memory_id, "deleted")])
        kept.append(Kept(made.memory_id, word, place, scope, live))
    for _ in range(30):
        one, two = source.sample(kept, 2)
        if one.scope == two.scope:
            store.commit([AddEdge("related_to", Node(one.id), Node(two.id))])
    for place in source.sample([p for p in PLACES if not p.startswith("vault")], 2):
        seal = source.choice(SEALS[1:])
        above = seals.get(place.rpartition(".")[0], "open")
        if SEALS.index(above) <= SEALS.index(seal):
            store.commit([ChangePlace(Place.parse(place), seal)])  # type: ignore[arg-type]
            stronger = {p for p in PLACES if p == place or p.startswith(place + ".")}
            seals |= {p: seal for p in stronger if SEALS.index(seals[p]) <= SEALS.index(seal)}
    grants = []
    for subject in SUBJECTS[:4]:
        for place in source.sample(PLACES, source.randrange(1, 5)):
            glob = source.choice(["**", place, f"{place}.*", f"{place}.**"])
            start, end = clock.now_us() + source.choice([-DAY, 0, DAY]), source.choice([None, None, 2 * DAY])
            level = source.choice(LEVELS)
            given = Given(subject, int(level), glob, start, None if end is None else start + end)
            grants = [g for g in grants if (g.subject, g.glob) != (subject, glob)] + [given]
            made_grant = Grant(
                subject=subject, subject_kind=subject.split(":")[0], level=level, glob=PlaceGlob.parse(glob),
                start_us=start, expires_us=given.end, granted_by="operator",
            )  # fmt: skip
            store.commit([AddGrant(made_grant)])
    engine.guard.vault.protect("open sesame")
    return World(engine, kept, grants, seals)


def outcome(world: World, caller: Caller, declared: Operation, given: dict[str, Any]) -> tuple[str, Any, str]:
    """How a call ended: its sort, its value, and every letter the caller was shown."""
    try:
        found = call(world.engine, caller, declared.name, given)
    except NotPermitted as error:
        return "denied", None, str(error)
    except RateLimited:
        raise
    except NotFound as error:
        return "absent", None, str(error)
    except MnemonError as error:
        return "other", None, str(error)
    sort = {Exists: "exists", Outline: "outline"}.get(type(found), "full")
    return sort, found, msgspec.json.encode(as_plain(found)).decode()


def expected(world: World, caller: Caller, declared: Operation, now: int) -> set[str]:
    """The ways a call may end, by the reference."""
    levels = [g.level for g in held(world, caller.subject, now)]
    best = max(levels, default=0)
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
    best = max((g.level for g in held(world, caller.subject, now)), default=0)
    seen = known(world, caller, min(best, declared.level, 3) or 9, now, unlocked)
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
                may_see = aim in known(world, caller, 3, now, False)
                if contents(world) != before:
                    assert max((g.level for g in held(world, subject, now)), default=0) >= declared.level
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
            caller = Caller(subject=subject, scope=GLOBAL, chooses_scope=False)
            for declared in OPERATIONS:
                named = [p.name for p in declared.parameters if p.required and p.name in ("memory", "source", "target")]
                if not named or declared.operator_only:
                    continue
                hidden = [k for k in world.memories if k not in known(world, caller, 1, clock.now_us(), False)]
                nowhere = "01977890-0000-7000-8000-000000000000"
                for kept in hidden[:4]:
                    there = outcome(world, caller, declared, sample(declared, **dict.fromkeys(named, str(kept.id))))
                    gone = outcome(world, caller, declared, sample(declared, **dict.fromkeys(named, nowhere)))
                    assert there[0] == gone[0], (declared.name, subject)
                    assert there[2].replace(str(kept.id), "ID") == gone[2].replace(nowhere, "ID"), declared.name
