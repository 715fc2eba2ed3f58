"""Random worlds for the capability fuzz, and the reference that says who may know what in them.

The reference has sixty lines and shares no code with the guard. Every memory of a world carries a word of its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from palazzo.engine import Engine
from palazzo.errors import NotFound, NotPermitted, PalazzoError, RateLimited
from palazzo.guard.gate import Guard
from palazzo.guard.reduce import Exists, Outline
from palazzo.guard.rules import Rules
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import Grant, Level
from palazzo.model.change import AddEdge, AddGrant, AddSpace, Attachments, ChangePlace, SetState
from palazzo.model.graph import Node
from palazzo.model.scope import GLOBAL, Scope
from palazzo.operations.arguments import as_plain
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation
from palazzo.spaces import Spaces
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store, place_memory

PLACES = ("work", "work.a", "work.a.deep", "work.b", "life", "life.x", "vault", "vault.keys", "other")
SEALS = ("open", "sealed", "vault")
SCOPES = (
    GLOBAL, Scope.of(project="p"), Scope.of(project="p", user="anna"), Scope.of(user="ben"),
    Scope.of(project="p", squad="s"), Scope.of(project="p", squad="s", agent="a"),
    Scope.of(project="p", squad="s", channel="c"), Scope.of(project="p", squad="t", agent="b"),
)  # fmt: skip
SUBJECTS = (
    "agent:one", "agent:two", "kit:banking", "mcp:three", "orchestrator:six", "shell:four", "mcp:five",
    "agent:primary", "nobody",
)  # fmt: skip
GRANTED = 5
"""So many subjects have grants of their own."""
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


# --- the reference: sixty lines, nothing of the guard in them ---------------------------------------------------------
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
    return [g for g in given if g.start <= now and (g.end is None or now < g.end)]


AROUND = ("", *PLACES, *(f"{p}.u" for p in PLACES), *(f"{p}.u.v" for p in PLACES), *(f"{p}.u.v.w" for p in PLACES), "z")


def extent(glob: str) -> frozenset[str]:
    return frozenset(place for place in AROUND if covers(glob, place))


def decided(grants: list[Given], place: str) -> int:
    """A grant of none decides; else the grants than which no other is narrower, and of these the lowest."""
    here = [g for g in grants if covers(g.glob, place)]
    narrowest = [g for g in here if not any(extent(other.glob) < extent(g.glob) for other in here)]
    return 0 if any(g.level == 0 for g in here) else min((g.level for g in narrowest), default=0)


def best_of(world: World, subject: str, now: int) -> int:
    return max(decided(held(world, subject, now), place) for place in AROUND)


def level_of(world: World, subject: str, place: str, now: int, unlocked: bool) -> int:
    grants = held(world, subject, now)
    seal, best = world.seals.get(place, "open"), decided(grants, place)
    if seal == "vault":
        named = [
            g for g in grants
            if world.seals.get(g.glob.removesuffix(".**").removesuffix(".*")) == "vault" and covers(g.glob, place)
        ]  # fmt: skip
        reached = min(best, max((g.level for g in named if g.level >= 4), default=0))
        return reached if unlocked and reached >= 4 else 0
    return 0 if seal == "sealed" and best < 4 else best


def led(path: str) -> str:
    found = [n for n, part in enumerate(path.split("/"), 1) if part.startswith(("squad:", "project:"))]
    return "/".join(path.split("/")[: found[-1]]) if found else "nothing"


def known(world: World, caller: Caller, level: int, now: int, unlocked: bool, *, writes: bool = False) -> list[Kept]:
    readable = [scope for scope in SCOPES if caller.scope.levels[: len(scope.levels)] == scope.levels]
    if caller.subject.startswith("orchestrator:") and not writes:
        below = f"{led(str(caller.scope))}/"
        readable += [
            s for s in SCOPES if str(s).startswith(below) and "user:" not in str(s) and "channel:" not in str(s)
        ]
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
    for subject in SUBJECTS[:GRANTED]:
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
    except PalazzoError as error:
        return "other", None, str(error)
    sort = {Exists: "exists", Outline: "outline"}.get(type(found), "full")
    return sort, found, msgspec.json.encode(as_plain(found)).decode()
