"""What the guard holds and what it costs.

    python -m bench.security tenants  [--memories 100000 --readers 1000] --json
    python -m bench.security overhead [--memories 100000 --questions 400] --json

tenants    Memories of many owners (projects, squads, users, channels) in one palace, each with a word of its own.
           Random readers with random scopes and grants ask for what others own and for their own, by text, vector,
           address, id and link, through every operation that reads. `leaks` counts ids, words and totals of what a
           reader may not know of, by the rule of scopes and grants evaluated in plain Python.
overhead   Recall p50 in processor time: the engine alone, and through `call` for a gated subject with capability check,
           reduction and audit; on a plain palace and on an encrypted one. Runs alternate within one process.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import numpy as np

from bench.common import Corpus, batches, machine, show
from mnemon.adapters.system_clock import SystemClock
from mnemon.engine import Engine
from mnemon.errors import MnemonError
from mnemon.guard.gate import Guard
from mnemon.guard.rules import Rules
from mnemon.mind.backfill import Spaces
from mnemon.model.address import Place, PlaceGlob
from mnemon.model.capability import Grant, Level
from mnemon.model.change import AddEdge, AddGrant, AddSpace, Attachments, Change, PlaceMemory
from mnemon.model.edge import Node
from mnemon.model.ids import new_id
from mnemon.model.memory import RevisionDraft
from mnemon.model.scope import GLOBAL, Scope
from mnemon.operations.arguments import as_plain
from mnemon.operations.call import call
from mnemon.operations.caller import Caller
from mnemon.recall.cue import Cue
from mnemon.store.connection import OpenOptions
from mnemon.store.store import Store, StoreOptions

DIMENSIONS = 64
SPACE = "bench"
KEY = hashlib.sha256(b"bench").digest()
LOOSE = Rules(reads_per_minute=1_000_000, reads_per_session=1_000_000_000, writes_per_minute=1_000_000)
PLACES = tuple(f"{top}.p{n}" for top in ("work", "life", "learning") for n in range(10))


class Meaning:
    """Embeds by looking up: a text's first word names the vector that was stored with it."""

    name = SPACE
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._vectors: dict[str, np.ndarray[Any, np.dtype[np.float32]]] = {}

    def learn(self, word: str, vector: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        self._vectors[word] = vector

    def embed_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        return self._vectors.get(text.split(" ", 1)[0], np.ones(DIMENSIONS, np.float32) / DIMENSIONS**0.5)

    def embed(self, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.asarray([self.embed_query(text) for text in texts])


@dataclass(frozen=True, slots=True)
class Owned:
    """A memory as the plain rule knows it."""

    id: UUID
    word: str
    place: str
    scope: Scope
    name: str


def scopes(rng: random.Random) -> list[Scope]:
    """Five hundred owners at every level."""
    found = [GLOBAL]
    for project in range(20):
        found.append(Scope.of(project=f"p{project}"))
        found += [Scope.of(project=f"p{project}", squad=f"s{n}") for n in range(3)]
        found += [Scope.of(project=f"p{project}", user=f"u{rng.randrange(200)}") for _ in range(12)]
        found += [Scope.of(project=f"p{project}", channel=f"c{n}") for n in range(3)]
    found += [Scope.of(user=f"u{n}") for n in range(120)]
    return list(dict.fromkeys(found))


def build(folder: Path, count: int, meaning: Meaning, key: bytes | None = None) -> tuple[Engine, list[Owned]]:
    """A palace of many owners, and the plain list of what is in it."""
    rng, corpus, owners = random.Random(11), Corpus(dimensions=DIMENSIONS), scopes(random.Random(5))
    clock = SystemClock()
    store = Store.create(folder, clock, StoreOptions(file=OpenOptions(key=key, durable=False), upkeep=False))
    store.commit([AddSpace(SPACE, SPACE, DIMENSIONS)])
    owned: list[Owned] = []
    for size in batches(count, 1000):
        changes: list[Change] = []
        for text, vector in zip(corpus.texts(size), corpus.vectors(size), strict=True):
            number = len(owned)
            word, scope = f"zq{number:06x}{rng.getrandbits(24):06x}", rng.choice(owners)
            made = Owned(new_id(clock.now_us()), word, rng.choice(PLACES), scope, f"n{number}")
            meaning.learn(word, vector)
            changes.append(
                PlaceMemory(
                    memory_id=made.id, place=Place.parse(made.place), name=made.name, kind="fact", scope=scope,
                    content=RevisionDraft(text=f"{word} {text}", author="bench"),
                    attachments=Attachments(vectors={SPACE: vector}),
                )
            )  # fmt: skip
            owned.append(made)
        links = rng.sample(owned[-size:], min(size, 200))
        changes += [AddEdge("related_to", Node(one.id), Node(two.id)) for one, two in pairwise(links)]
        store.commit(changes)
    store.upkeep.run()
    spaces = Spaces(store, meaning, SPACE, lambda _: None)  # type: ignore[arg-type]
    return Engine(store, clock, spaces, guard=Guard(store, clock, LOOSE)), owned


def covered(globs: list[str], place: str) -> bool:
    """The plain rule of globs."""
    return any(g == "**" or place == g[:-3] or place.startswith(g[:-2]) for g in globs)


def readers(engine: Engine, count: int, rng: random.Random) -> Iterator[tuple[Caller, list[str]]]:
    """Random readers: a scope, and places they may read in."""
    owners = scopes(random.Random(5))
    for number in range(count):
        globs = rng.choice([["**"], ["work.**"], ["life.**", "learning.p3.**"], [f"{rng.choice(PLACES)}.**"]])
        subject = f"agent:reader-{number}"
        engine.store.commit([
            AddGrant(Grant(
                subject=subject, subject_kind="agent", level=rng.choice([Level.read_public, Level.write]),
                glob=PlaceGlob.parse(glob), start_us=0, expires_us=None, granted_by="operator",
            ))
            for glob in globs
        ])  # fmt: skip
        yield Caller(subject=subject, scope=rng.choice(owners), chooses_scope=False), globs


def questions(aim: Owned) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every way to ask for one memory of somebody."""
    address = f"{aim.place}/{aim.name}.fact"
    yield from (
        ("recall", {"cue": aim.word}),
        ("recall", {"cue": address}),
        ("recall", {"cue": aim.word, "preset": "deep"}),
    )
    yield from (
        ("context", {"message": aim.word}),
        ("reason", {"question": aim.word}),
        ("evolution", {"topic": aim.word}),
    )
    for name in ("get", "history", "why", "explain", "walk", "impact", "staleness"):
        yield from ((name, {"memory": str(aim.id)}), (name, {"memory": address}))
    yield from (("list", {"place": aim.place, "limit": 1000}), ("places", {"place": aim.place.split(".")[0]}))
    yield from (("inbox", {}), ("events", {"limit": 50}), ("status", {}), ("review", {}), ("claims", {}))


def tenants(count: int, asked: int) -> dict[str, Any]:
    """How many ids, words and totals reached a reader who may not know of them."""
    rng, meaning = random.Random(3), Meaning()
    leaks: dict[str, int] = {}
    calls = answers = 0
    with tempfile.TemporaryDirectory() as base:
        engine, owned = build(Path(base) / "palace", count, meaning)
        with engine:
            for caller, globs in readers(engine, asked, rng):
                mine = {
                    o.word: o for o in owned
                    if o.scope.is_prefix_of(caller.scope) and covered(globs, o.place)
                }  # fmt: skip
                ids = {str(o.id) for o in mine.values()}
                aim = rng.choice(owned if rng.random() < 0.5 else list(mine.values()) or owned)
                for name, given in questions(aim):
                    calls += 1
                    try:
                        found = call(engine, caller, name, given)
                        told = msgspec.json.encode(as_plain(found)).decode()
                        answers += 1
                    except MnemonError as error:
                        found, told = None, str(error)
                    if leaked(told, given, mine, ids) or miscounted(name, found, given, mine):
                        leaks[name] = leaks.get(name, 0) + 1
    return {
        "memories": count,
        "readers": asked,
        "calls": calls,
        "answers": answers,
        "leaks": sum(leaks.values()),
        "by": leaks,
    }


def leaked(told: str, given: dict[str, Any], mine: dict[str, Owned], ids: set[str]) -> bool:
    """Whether a word or an id stands in an answer that is neither the reader's to know nor its own question's."""
    asked = str(given)
    at = told.find("zq")
    while at >= 0:
        word = told[at : at + 14]
        if word not in mine and word not in asked:
            return True
        at = told.find("zq", at + 1)
    return any(
        part not in ids and part not in asked
        for part in told.replace("/", '"').split('"')
        if len(part) == 36 and part.count("-") == 4
    )


def miscounted(name: str, found: Any, given: dict[str, Any], mine: dict[str, Owned]) -> bool:
    """Whether a total counts more or less than the reader may know of."""
    if name == "list" and found is not None:
        wanted = {o.id for o in mine.values() if o.place == given["place"]}
        shown = {memory.id for memory in found}
        whole = len(wanted) > given["limit"] or shown == wanted
        return not (shown <= wanted and whole and found.total in (None, len(wanted)))
    if name == "places" and found is not None:
        return any(p.memories != sum(o.place == p.place for o in mine.values()) for p in found)
    return bool(name == "status" and found is not None and found.memories != len(mine))


def overhead(count: int, asked: int) -> dict[str, Any]:
    """Recall p50 with and without the guard, plain and encrypted."""
    result: dict[str, Any] = {"memories": count, "questions": asked}
    for name, key in (("plain", None), ("encrypted", KEY)):
        meaning, rng = Meaning(), random.Random(9)
        with tempfile.TemporaryDirectory() as base:
            engine, owned = build(Path(base) / "palace", count, meaning, key)
            caller = Caller(subject="agent:primary", scope=Scope.of(project="p3"))
            corpus = Corpus(seed=23, dimensions=DIMENSIONS)
            cues = [f"{rng.choice(owned).word} {corpus.question()}" for _ in range(asked)]
            with engine:
                result[name] = _alternate(engine, caller, cues)
    result["guard_share"] = result["plain"]["with_guard_ms"] / result["plain"]["engine_ms"] - 1
    result["encryption_share"] = result["encrypted"]["engine_ms"] / result["plain"]["engine_ms"] - 1
    return result


def _alternate(engine: Engine, caller: Caller, cues: list[str]) -> dict[str, float]:
    """The same questions with and without the guard in turn; a word of its own keeps each from the answer cache."""
    from mnemon.operations import shown
    from mnemon.operations.context import Context
    from mnemon.operations.registry import operation

    allowed = engine.guard.access(caller.subject)
    context = Context(engine, operation("recall"), caller, allowed, caller.scope, Level.read_public)
    bare: list[float] = []
    guarded: list[float] = []
    for number, cue in enumerate(cues):
        for way in (0, 1) if number % 2 else (1, 0):
            began = time.process_time()
            if way:
                call(engine, caller, "recall", {"cue": f"{cue} w{number}"})
                guarded.append(time.process_time() - began)
            else:
                shown.recalled(engine.recall(Cue(text=f"{cue} b{number}"), context.view()))
                bare.append(time.process_time() - began)
    half = len(bare) // 5
    return {
        "engine_ms": round(float(np.median(bare[half:])) * 1000, 3),
        "with_guard_ms": round(float(np.median(guarded[half:])) * 1000, 3),
    }


def main(arguments: list[str]) -> None:
    """Runs one part and prints it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["tenants", "overhead"])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if given.part == "tenants":
        result = tenants(given.memories, given.readers)
    else:
        result = overhead(given.memories, given.questions)
    show({"machine": machine(), **result}, as_json=given.json)


if __name__ == "__main__":
    main(sys.argv[1:])
