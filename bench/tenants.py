"""Tenants of one palace: what a reader learns of what belongs to others, by every operation and every gatherer.

Run by `python -m bench.security tenants`. Random readers with random scopes and grants reach for memories of others and
for their own: through `call` with every operation of the registry (tenants_cases.py), and through each gatherer of
recall by name. A leak is a word, an id or a key of what a reader may not know of in an answer or an error, a count that
is not the count of what it may know of, a write to something of somebody else that is answered otherwise than one to
something that does not exist, or that changes anything.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from bench.tenants_cases import CASES, OPERATORS, READS, TAKES, WRITES, Aim
from bench.tenants_world import Meaning, Owned, World, build, known_to, owned, readers
from palazzo.errors import PalazzoError
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import Grant, Level, View
from palazzo.model.change import AddGrant
from palazzo.model.ids import new_id
from palazzo.operations.arguments import as_plain
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.context import CallContext
from palazzo.operations.registry import operation
from palazzo.recall.find import gather, lanes
from palazzo.recall.find.pool import make_pool
from palazzo.recall.read.cue import Cue, read_cue
from palazzo.recall.read.presets import preset
from palazzo.store.api import Field, Reading
from palazzo.store.sql import journal
from palazzo.store.sql.memory import memories

WHOLE = ("verify", "doctor")
"""Operations that look at the whole palace and say the same to everybody: asked by every hundredth reader."""
NAMING = ("get", "history", "why", "staleness", "explain", "path", "walk", "impact", "preview", "product", "members")
"""Reads that name one thing: of somebody else's they must say what they say of nothing."""
WORD = re.compile(r"zq[0-9a-f]{12}", re.IGNORECASE)
Revisions = tuple[dict[int, UUID], dict[UUID, int]]
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
COUNTED: dict[str, list[dict[str, Any]]] = {
    "status": [], "places": [], "list": [], "tags": [{}], "overview": [], "activity": [], "facts": [],
    "as_of": [], "claims": [], "inbox": [], "review": [],
    "events": [{"limit": 1000}],
}  # fmt: skip
"""Operations whose answers are compared with those of a palace that holds nothing but the reader's own; with arguments
of their own where those of the cases speak of numbers that differ between two palaces."""

FULL_PAGE = 100


@dataclass(slots=True)
class Tally:
    """What was asked, and what came to light."""

    calls: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    leaks: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def leak(self, name: str, what: str) -> None:
        self.leaks[name] += 1
        self.first.setdefault(name, what[:300])


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody, what they may know of, and by which words it is known."""

    caller: Caller
    globs: list[str]
    mine: list[Owned]
    words: frozenset[str]
    ids: frozenset[str]


def reader_of(world: World, caller: Caller, globs: list[str]) -> Reader:
    """A reader with what it may know of: its memories, their places, and claims that rest on one of them."""
    mine = known_to(world, caller, globs)
    seen = {one.id for one in mine}
    claims = [c for c in world.claims if c.scope.is_prefix_of(caller.scope) and c.of.id in seen]
    places = {found for one in mine for found in WORD.findall(one.place)}
    return Reader(
        caller, globs, mine, frozenset({one.word for one in mine} | {c.word for c in claims} | places),
        frozenset({str(one.id) for one in mine} | {str(c.id) for c in claims}),
    )  # fmt: skip


def aim_at(world: World, one: Owned) -> Aim:
    """All by which one memory can be reached for, and a claim of its owner."""
    claim = next((c for c in world.claims if c.of.id == one.id or c.scope == one.scope), world.claims[0])
    return Aim(
        id=str(one.id), place=one.place, name=one.name, word=one.word, claim=str(claim.id),
        user=one.scope.get("user") or "u1",
    )  # fmt: skip


def nothing_like(aim: Aim) -> Aim:
    """The likeness of an aim that exists nowhere."""
    return Aim(
        id=str(new_id(1)), place=aim.place, name="nothing-of-that-name", word="zqffffffffffff", claim=str(new_id(2)),
        user="nobody",
    )  # fmt: skip


def outcome(world: World, caller: Caller, name: str, given: dict[str, Any]) -> tuple[Any, str, str]:
    """A call's value, how it ended, and every letter that was shown."""
    try:
        found = call(world.engine, caller, name, given)
    except PalazzoError as error:
        return None, type(error).__name__, f"{error} {error.hint or ''}"
    return found, "answered", msgspec.json.encode(as_plain(found)).decode()


def leaked(told: str, asked: str, words: frozenset[str], ids: frozenset[str], world_ids: frozenset[str]) -> str:
    """A word or an id in an answer that is neither the reader's to know nor in its own question; empty if none."""
    lowered = asked.lower()
    for word in WORD.findall(told.lower()):
        if word not in words and word not in lowered:
            return str(word)
    for found in ID.findall(told):
        if found in world_ids and found not in ids and found not in lowered:
            return str(found)
    return ""


def without(told: str, aim: Aim) -> str:
    """An answer without what was asked with."""
    for term in sorted(aim.terms, key=len, reverse=True):
        told = told.replace(term, "?")
    return told


def ask_everything(world: World, reader: Reader, aim: Aim, tally: Tally, names: Sequence[str], turn: int) -> None:
    """Every operation of these names with one of the ways to reach for one memory; readers take the ways in turn."""
    known = aim.id in reader.ids
    nobody = nothing_like(aim)
    for name in names:
        ways = list(zip(CASES[name](aim), CASES[name](nobody), strict=True))
        given, twin = ways[turn % len(ways)]
        tally.calls[name] += 1
        before = _position(world)
        found, ended, told = outcome(world, reader.caller, name, given)
        tally.answers[name] += ended == "answered"
        if what := leaked(told, str(given), reader.words, reader.ids, world.ids):
            tally.leak(name, f"{what} in {told}")
        if name == "status" and found is not None and found.memories != len(reader.mine):
            tally.leak(name, f"{found.memories} counted, {len(reader.mine)} known")
        if known or (name in READS and name not in NAMING):
            continue
        if name in TAKES:  # what it wrote is its own, and so is what it is told of it
            if ended != outcome(world, reader.caller, name, twin)[1]:
                tally.leak(name, f"tells {told} from nothing")
            continue
        if _position(world) != before:
            tally.leak(name, f"changed something: {given}")
        other = outcome(world, reader.caller, name, twin)
        if (ended, without(told, aim)) != (other[1], without(other[2], nobody)):
            tally.leak(name, f"tells {told} from {other[2]}")


def _position(world: World) -> int:
    with world.engine.store.database.read() as connection:
        return journal.last_seq(connection)


# --- gatherers --------------------------------------------------------------------------------------------------------
def view_of(world: World, caller: Caller) -> View:
    """What a reader's recall looks through."""
    allowed = world.engine.guard.access(caller.subject)
    return CallContext(world.engine, operation("recall"), caller, allowed, caller.scope, Level.read_public).view()


def gatherers(world: World, reading: Reading, aim: Owned) -> Iterator[tuple[str, Sequence[int]]]:
    """What each gatherer of recall finds for a memory's word and place and for a day, by name."""
    engine, word = world.engine, aim.word
    cue = Cue(text=f"{word} {word.capitalize()} went to the lake on 3 March 2024", preset="deep")
    sources = gather.GatherSources(store=engine.store, reading=reading, preset=preset("deep"), late=lambda: False)
    plan = read_cue(cue, (), engine.clock.now_us())
    gathered = gather.Gathered()
    gather.embed(plan, gathered, engine.spaces.query)
    fields: tuple[Field, ...] = ("turn", "text", "prospects")
    for part in fields:
        gathered.found[f"text {part}"] = gather.by_text(sources, plan, part, 200)
    for part in fields[:2]:
        gathered.found[f"vector {part}"] = gather.by_vector(sources, plan, gathered, part, 200)
    gathered.found["time"] = gather.by_time(sources, plan)
    gathered.found["entity"] = gather.by_entity(sources, plan)
    gathered.found["graph"] = gather.by_graph(sources, gathered, 3)
    for name, found in gathered.found.items():
        yield name, found.keys.tolist()
    pool = make_pool(reading, plan, gathered)
    yield "neighbours", pool.keys.tolist()
    yield "standing", lanes.standing(sources, plan, gathered, 20)


def gather_everything(world: World, reader: Reader, aim: Owned, revisions: Revisions, tally: Tally) -> None:
    """Every gatherer, and the address, for one memory."""
    mine, (keys, revision_of) = {one.id for one in reader.mine}, revisions
    with world.engine.store.reading(view_of(world, reader.caller)) as reading:
        for name, found in gatherers(world, reading, aim):
            tally.calls[f"gatherer {name}"] += 1
            tally.answers[f"gatherer {name}"] += bool(found)
            foreign = [key for key in found if keys.get(int(key)) not in mine]
            if foreign:
                tally.leak(f"gatherer {name}", f"{len(foreign)} keys")
        tally.calls["gatherer address"] += 1
        found_there = memories.by_keys(reading, [revision_of[aim.id]])
        tally.answers["gatherer address"] += bool(found_there)
        if found_there and aim.id not in mine:
            tally.leak("gatherer address", aim.place)


def revisions_of(world: World) -> Revisions:
    """Which memory each revision is of, and the other way round, from the tables."""
    with world.engine.store.database.read() as connection:
        rows = connection.execute("SELECT r.id, m.uuid FROM revision r JOIN memory m ON m.id = r.memory").fetchall()
    keys = {int(key): UUID(bytes=bytes(uuid)) for key, uuid in rows}  # type: ignore[arg-type]
    return keys, {one: key for key, one in keys.items()}


# --- counts -----------------------------------------------------------------------------------------------------------
def compare_counts(world: World, reader: Reader, tally: Tally, folder: Path) -> None:
    """The answers of a palace that holds only what this reader may know of, against those of the whole one."""
    alone = build(folder, reader.mine, Meaning(), part_of=world)
    with alone.engine:
        _grant(alone, reader)
        for name in COUNTED:
            for given in COUNTED[name] or CASES[name](nothing_like(aim_at(world, world.memories[0]))):
                tally.calls["counts"] += 1
                tally.answers["counts"] += 1
                whole, own = (counted(name, outcome(one, reader.caller, name, given)[0]) for one in (world, alone))
                if whole != own:
                    tally.leak("counts", f"{name} {given}: {whole} {own}")


def _grant(alone: World, reader: Reader) -> None:
    alone.engine.store.commit([
        AddGrant(Grant(
            subject=reader.caller.subject, subject_kind="agent", level=Level.read_public, glob=PlaceGlob.parse(glob),
            start_us=0, expires_us=None, granted_by="operator",
        ))
        for glob in reader.globs
    ])  # fmt: skip


def counted(name: str, found: Any) -> Any:
    """The figures of an answer, and the names they belong to."""
    if found is None:
        return None
    if name == "status":
        return (found.memories, found.revisions, found.places, found.edges, found.entities, found.events)
    if name == "places":
        return [(one.place, one.memories) for one in found]
    if name == "list":
        # Of a full page only the size: memories of one moment come in the order of the file they are in.
        return (found.total, {memory.id for memory in found} if len(found) < FULL_PAGE else len(found))
    if name == "tags":
        return [(tag.tag, tag.memories) for tag in found]
    if name == "overview":
        return (found.memories, found.places, found.kinds, found.tags, found.last_7_days, found.looked_at)
    if name == "activity":
        return (found.total, found.places, [day.memories for day in found])
    if name == "facts":
        return (len(found), found.more)
    if name == "as_of":
        return (found.total, len(found.beliefs))
    if name == "events":  # their numbers are the journal's, which count what everybody wrote
        return Counter(event.kind for event in found.events)
    if name == "claims":
        return {claim.text for claim in found.claims}
    if name == "inbox":
        return {(one.newer, one.older) for one in found.disagreements}
    return (len(found.disagreements), len(found.claims), len(found.stale), found.due)


def tenants(count: int, asked: int, compared: int = 20) -> dict[str, Any]:
    """Everything above, for so many memories and readers."""
    rng, tally = random.Random(3), Tally()
    with tempfile.TemporaryDirectory() as base:
        world = build(Path(base) / "palace", owned(count), Meaning())
        with world.engine:
            revisions = revisions_of(world)
            everyone = [reader_of(world, *one) for one in readers(world.engine, asked, rng)]
            aims = [rng.choice(r.mine if r.mine and rng.random() < 0.3 else world.memories) for r in everyone]
            for number, reader in enumerate(everyone[:compared]):
                compare_counts(world, reader, tally, Path(base) / f"alone-{number}")
            reads = [name for name in READS if name not in WHOLE]
            for number, (reader, aim) in enumerate(zip(everyone, aims, strict=True)):
                gather_everything(world, reader, aim, revisions, tally)
                foreign = [aim] if str(aim.id) not in reader.ids else []
                ask_everything(world, reader, aim_at(world, aim), tally, reads if number % 100 else list(READS), number)
                for one in foreign:  # what a reader does to its own would change what others may count
                    ask_everything(world, reader, aim_at(world, one), tally, [*WRITES, *OPERATORS], number)
            for number, (reader, aim) in enumerate(zip(everyone, aims, strict=True)):
                if str(aim.id) not in reader.ids:
                    ask_everything(world, reader, aim_at(world, aim), tally, list(TAKES), number)
    return {
        "memories": count, "readers": asked, "operations": len(CASES), "calls": tally.calls.total(),
        "answers": tally.answers.total(), "leaks": tally.leaks.total(), "by": dict(tally.leaks),
        "first": tally.first, "compared": compared, "asked": dict(tally.calls),
    }  # fmt: skip
