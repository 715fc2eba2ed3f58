"""Sustained load through the public API: writes at a steady rate, readers, and work like consolidation beside them.

    python -m bench.stress --minutes 60 --json [--rate 10000] [--readers 2]

Two writers tell turns so that `rate` memories a minute are written, which are the turns and what is drawn from them;
readers ask without pause but for a short rest; one more thread lists, revises and links memories, as a pass over the
palace does. Told: the longest wait of a write, waits over 250 ms, what readers waited, resident memory with its slope
over the second half, errors. Pages of the mapped palace count as resident until somebody else needs the room, so memory
is told with and without them.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import machine, own_mb, percentiles, rss_mb, show
from bench.sayings import Sayings
from palazzo import Memory
from palazzo.errors import PalazzoError

WRITERS = 2
TURNS = 5
STALL_S = 0.25
REST_S = 0.02


@dataclass(slots=True)
class Tally:
    """What all threads saw."""

    waits: dict[str, list[float]] = field(default_factory=lambda: {"write": [], "recall": [], "tend": []})
    errors: list[str] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    """Memories kept or revised by each call of a writer."""
    resident: list[tuple[float, float]] = field(default_factory=list)
    own: list[tuple[float, float]] = field(default_factory=list)

    def time(self, kind: str, call: Callable[[], Any]) -> Any:
        """Makes a call and notes how long it took, or which error it ended with."""
        began = time.perf_counter()
        try:
            return call()
        except PalazzoError as error:
            self.errors.append(f"{kind}: {error.code}")
            return None
        finally:
            self.waits[kind].append(time.perf_counter() - began)


def write(memory: Memory, tally: Tally, number: int, rate: int, ends: float) -> None:
    """Tells turns at this writer's share of the rate; after a wait it catches up."""
    sayings, period = Sayings(100 + number), 60 * WRITERS / rate
    due, session = time.perf_counter(), 0
    while time.perf_counter() < ends:
        session += 1
        turns = sayings.turns(TURNS)
        where = {"thread": f"writer {number}", "session": f"{number}-{session // 4}"}
        kept = tally.time("write", lambda turns=turns, where=where: memory.observe(turns, **where))  # type: ignore[misc]
        tally.written.append(0 if kept is None else len(kept.memories))
        due += period * tally.written[-1]
        time.sleep(max(0.0, due - time.perf_counter()))


def read(memory: Memory, tally: Tally, number: int, ends: float) -> None:
    """Asks, rests, asks."""
    sayings = Sayings(200 + number)
    while time.perf_counter() < ends:
        tally.time("recall", lambda: memory.recall(sayings.question()))
        time.sleep(REST_S)


def tend(memory: Memory, tally: Tally, ends: float) -> None:
    """Lists, revises and links, as a pass over the palace does."""
    rng, sayings = random.Random(5), Sayings(300)
    while time.perf_counter() < ends:
        page = tally.time("tend", lambda: memory.list(limit=50))
        known = [str(one.id) for one in page] if page is not None else []
        if len(known) > 1:
            first, second = rng.sample(known, 2)
            tally.time("tend", lambda first=first: memory.update(first, sayings.text()))  # type: ignore[misc]
            tally.time("tend", lambda pair=(first, second): memory.relate(*pair))  # type: ignore[misc]
        time.sleep(0.5)


def watch(tally: Tally, ends: float) -> None:
    """Notes the resident memory every second, and how much of it is no page of a file."""
    began = time.perf_counter()
    while time.perf_counter() < ends:
        now = time.perf_counter() - began
        tally.resident.append((now, rss_mb()))
        tally.own.append((now, own_mb()))
        time.sleep(1.0)


def slope(samples: list[tuple[float, float]]) -> float:
    """Megabytes a minute over the second half."""
    half = samples[len(samples) // 2 :]
    if len(half) < 2:
        return 0.0
    seconds, sizes = np.array(half).T
    return round(float(np.polyfit(seconds, sizes, 1)[0]) * 60, 2)


def curve(samples: list[tuple[float, float]], most: int = 60) -> list[tuple[float, float]]:
    """Minutes and megabytes, at most so many points."""
    step = max(1, len(samples) // most)
    return [(round(seconds / 60, 2), size) for seconds, size in samples[::step]]


def run(minutes: float, rate: int, readers: int, folder: Path) -> dict[str, Any]:
    tally = Tally()
    with Memory(folder / "palace", archive=False) as memory:
        memory.observe(Sayings(1).turns(40), thread="start", session="start")
        memory.recall("warm")
        began = time.perf_counter()
        ends = began + minutes * 60
        work = [
            *(threading.Thread(target=write, args=(memory, tally, n, rate, ends)) for n in range(WRITERS)),
            *(threading.Thread(target=read, args=(memory, tally, n, ends)) for n in range(readers)),
            threading.Thread(target=tend, args=(memory, tally, ends)),
            threading.Thread(target=watch, args=(tally, ends)),
        ]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        spent = time.perf_counter() - began
        memories = int(memory.status().memories)
    told, written = len(tally.waits["write"]) * TURNS, sum(tally.written)
    log = [path.stat().st_size for path in (folder / "palace").glob("palace.db-wal")]
    return {
        "minutes": round(spent / 60, 2), "turns": told, "turns_per_minute": round(told / spent * 60),
        "writes_per_minute": round(written / spent * 60),
        "memories": memories, "stall_max_ms": round(max(tally.waits["write"], default=0.0) * 1000, 1),
        "stalls_over_250_ms": sum(wait > STALL_S for wait in tally.waits["write"]),
        **{kind: percentiles(waits) for kind, waits in tally.waits.items() if waits},
        "rss_mb": tally.resident[-1][1] if tally.resident else rss_mb(), "rss_mb_per_minute": slope(tally.resident),
        "own_mb": tally.own[-1][1] if tally.own else own_mb(), "own_mb_per_minute": slope(tally.own),
        "rss_curve": curve(tally.resident), "own_curve": curve(tally.own),
        "errors": len(tally.errors), "error_kinds": sorted(set(tally.errors)), "log_mb": round(sum(log) / 1e6, 1),
        "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rate", type=int, default=10_000, help="memories written a minute")
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palazzo-stress-") as base:
        show(run(arguments.minutes, arguments.rate, arguments.readers, Path(base)), arguments.json)


if __name__ == "__main__":
    main()
