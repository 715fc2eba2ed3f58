"""Whether the time of an answer tells what it may not: forbidden against missing, sealed against clear, by the clock.

Run by `python -m bench.security timing`. An untrusted reader asks for memories of others and for memories that do not
exist, in turn, by id, by address and by word; and for sealed texts and clear ones of its own. For each pair: the
medians, their difference, and how well the times tell one from the other (the chance that a time of the one is longer
than one of the other: 0.5 is no way to tell, 1 is certainty), with the z of the rank test (Mann and Whitney).
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.tenants import reader_of
from bench.tenants_world import LOOSE, Meaning, World, build, owned, readers
from palazzo.adapters.palace_keys import PalaceKeys
from palazzo.adapters.system_clock import SystemClock
from palazzo.engine import Engine
from palazzo.errors import PalazzoError
from palazzo.guard.gate import Guard
from palazzo.model.address import Place
from palazzo.model.change import PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite.palace import SqliteStore

KEY = bytes(range(32))
Ask = Callable[[], Any]


def spent(ask: Ask) -> float:
    """Milliseconds a question takes, answered or refused."""
    began = perf_counter()
    with suppress(PalazzoError):
        ask()
    return (perf_counter() - began) * 1000


def told_apart(one: list[float], other: list[float]) -> dict[str, float]:
    """The medians of two samples, their difference, and what a rank test makes of them."""
    both = np.concatenate([one, other])
    ranks = np.empty(len(both))
    ranks[np.argsort(both, kind="stable")] = np.arange(1, len(both) + 1)
    n, m = len(one), len(other)
    above = float(ranks[:n].sum()) - n * (n + 1) / 2
    deviation = (n * m * (n + m + 1) / 12) ** 0.5
    return {
        "median_ms": round(float(np.median(one)), 4), "other_median_ms": round(float(np.median(other)), 4),
        "difference_ms": round(float(np.median(one) - np.median(other)), 4), "told_apart": round(above / (n * m), 3),
        "z": round(float((above - n * m / 2) / deviation), 2), "n": n,
    }  # fmt: skip


def alternated(pairs: list[tuple[Ask, Ask]]) -> dict[str, float]:
    """Two questions in turn, each first in every other round; the first tenth only warms up."""
    one: list[float] = []
    other: list[float] = []
    for number, (first, second) in enumerate(pairs):
        if number % 2:
            one.append(spent(first))
            other.append(spent(second))
        else:
            other.append(spent(second))
            one.append(spent(first))
    warm = len(pairs) // 10
    return told_apart(one[warm:], other[warm:])


def forbidden_and_missing(world: World, asked: int, rng: random.Random) -> dict[str, Any]:
    """Memories of others against memories that do not exist, by each way to ask."""
    everyone = [reader_of(world, caller, globs) for caller, globs in readers(world.engine, 20, rng)]
    pairs: dict[str, list[tuple[Ask, Ask]]] = {"by id": [], "by address": [], "by word": []}
    for number in range(asked):
        reader = everyone[number % len(everyone)]
        one = rng.choice(world.memories)
        while str(one.id) in reader.ids:
            one = rng.choice(world.memories)
        engine, who, address = world.engine, reader.caller, f"{one.place}/{one.name}.fact"
        nothing = f"{one.place}/n{number + 10**9}.fact"
        pairs["by id"].append((_get(engine, who, str(one.id)), _get(engine, who, str(new_id(number)))))
        pairs["by address"].append((_get(engine, who, address), _get(engine, who, nothing)))
        word = f"zq{rng.getrandbits(48):012x}"
        pairs["by word"].append((_recall(engine, who, one.word), _recall(engine, who, word)))
    return {name: alternated(found) for name, found in pairs.items()}


def _get(engine: Engine, caller: Caller, named: str) -> Ask:
    return lambda: call(engine, caller, "get", {"memory": named})


def _recall(engine: Engine, caller: Caller, cue: str) -> Ask:
    return lambda: call(engine, caller, "recall", {"cue": cue})


def sealed_and_clear(folder: Path, count: int, asked: int, rng: random.Random) -> dict[str, float]:
    """Sealed texts against clear ones of the same length, read by id."""
    clock = SystemClock()
    options = StoreOptions(file=OpenOptions(durable=False, fields=PalaceKeys(KEY).cipher()), upkeep=False)
    store = SqliteStore.create(folder, clock, options)
    made = {"sensitive": list[str](), "clear": list[str]()}
    for tier, ids in made.items():
        for number in range(count // 2):
            memory = new_id(clock.now_us())
            text = f"Entry {rng.getrandbits(64):016x} of the register, number {number}, as it was kept."
            place = PlaceMemory(
                memory_id=memory, place=Place.parse("work.register"), name=f"{tier}-{number}", kind="fact", tier=tier,  # type: ignore[arg-type]
                content=RevisionDraft(text=text),
            )  # fmt: skip
            store.commit([place])
            ids.append(str(memory))
    spaces = Spaces(store, Meaning(), "bench", lambda _: None)  # type: ignore[arg-type]
    with Engine(store, clock, spaces, guard=Guard(store, clock, LOOSE)) as engine:
        call(engine, Caller(), "grant", {"subject": "agent:guest", "level": "read_public"})
        guest = Caller(subject="agent:guest")
        sealed, clear = made["sensitive"], made["clear"]
        return alternated([
            (_get(engine, guest, rng.choice(sealed)), _get(engine, guest, rng.choice(clear))) for _ in range(asked)
        ])  # fmt: skip


def timing(count: int, asked: int) -> dict[str, Any]:
    """Everything above."""
    rng = random.Random(17)
    with tempfile.TemporaryDirectory() as base:
        world = build(Path(base) / "palace", owned(count), Meaning(), bare=True)
        with world.engine:
            found = forbidden_and_missing(world, asked, rng)
        found["sealed or clear"] = sealed_and_clear(Path(base) / "sealed", min(count, 2000), asked, rng)
    return {"memories": count, "questions": asked, "pairs": found}
