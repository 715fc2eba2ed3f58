"""The same palace on two engines, side by side in one run: processor time of each call, the server's included.

    python -m bench.latency --engine postgres --memories 100000 --json

Both palaces are filled with the same memories and asked the same questions in turns, so a busy machine slows both. The
times are those of the processors, of this process and, on PostgreSQL, of the server's processes together.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from bench.common import Corpus, machine
from bench.engines import create_store, open_store, server
from palazzo.model.capability import View
from palazzo.store.sql.port import StoreOptions
from palazzo.testing.postgres import Server

WARM = 20
ANSWERED = 200
"""Questions that a process has answered before a whole recall is measured, and it has read what ranking keeps of every
memory, as a daemon does before anybody asks. What the first of them cost without that stands beside it."""
WHOLE = ("recall", "context")
ROUNDS = 8
CALLS = 10
"""Questions that follow each other on one engine, before the other is asked the same."""


def processor_s(started: Server) -> float:
    """Seconds of processor time of this process and of the server so far."""
    return time.process_time() + started.processor_s()


def run(
    count: int,
    fill: Callable[[Any, int], list[UUID]],
    patterns: Callable[[Any, list[UUID], Corpus], dict[str, Callable[[], object]]],
    dimensions: int,
    kept: Path | None = None,
) -> dict[str, Any]:
    """Fills both and measures; the ratio is that of all rounds together. In a folder that is `kept` what was
    filled before is used again."""
    with (
        tempfile.TemporaryDirectory(prefix="palazzo-sides-") as passing,
        server("postgres", kept and kept.resolve() / "server") as started,
    ):
        assert started is not None
        base = kept or Path(passing)
        where = {"sqlite": base / f"sides-{count}", "postgres": f"{started.address}?palace=sides-{count}"}
        ids: dict[str, list[UUID]] = {}
        built = {}
        for engine, place in where.items():
            known = base / f"{engine}-{count}.ids"
            if not known.exists():
                began = processor_s(started)
                with create_store(place, StoreOptions()) as store:
                    sample = random.Random(1).sample(fill(store, count), min(2000, count))
                built[engine] = round(processor_s(started) - began, 1)
                known.write_bytes(b"".join(one.bytes for one in sample))
            raw = known.read_bytes()
            ids[engine] = [UUID(bytes=raw[n : n + 16]) for n in range(0, len(raw), 16)]
        if built:
            with psycopg.connect(started.address, autocommit=True) as session:
                session.execute("VACUUM ANALYZE")
        stores = {engine: open_store(place, StoreOptions(upkeep=False)) for engine, place in where.items()}
        calls = {
            engine: patterns(store, ids[engine], Corpus(seed=17, dimensions=dimensions))
            for engine, store in stores.items()
        }
        first: dict[str, dict[str, float]] = {}
        found = {}
        for name in calls["sqlite"]:
            asked = {engine: calls[engine][name] for engine in stores}
            first[name] = _asked(started, asked, WARM // CALLS)
            if name in WHOLE:
                for store in stores.values():
                    _prepare(store)
                _asked(started, asked, (ANSWERED - WARM) // CALLS)
            found[name] = _asked(started, asked, ROUNDS)
        for store in stores.values():
            store.close()
    return {
        "memories": count, "cpu_ms": found, "first_cpu_ms": {name: first[name] for name in WHOLE},
        "build_cpu_s": built,
        "ratio": {name: round(times["postgres"] / max(times["sqlite"], 1e-6), 2) for name, times in found.items()},
        "machine": machine(),
    }  # fmt: skip


def _prepare(store: Any) -> None:
    more = True
    while more:
        with store.reading(View()) as reading:
            more = reading.search.prepare()


def _asked(started: Server, calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Asks both the same, and tells what a question cost each of them. Who is asked first pays for what a process reads
    of a text once, so they take turns at that."""
    spent = dict.fromkeys(calls, 0.0)
    for turn in range(rounds):
        for engine in list(calls)[:: -1 if turn % 2 else 1]:
            # What the server does by itself meanwhile (vacuum) is none of a file's.
            used = time.process_time if engine == "sqlite" else partial(processor_s, started)
            began = used()
            for _ in range(CALLS):
                calls[engine]()
            spent[engine] += used() - began
    return {engine: round(taken / rounds / CALLS * 1000, 3) for engine, taken in spent.items()}
