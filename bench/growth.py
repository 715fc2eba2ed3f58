"""How a palace behaves as it grows: writing, recall, opening, memory and disk at each size, by the public API alone.

    python -m bench.growth --json [--sizes 1000 10000 100000 1000000] [--folder FOLDER]

One palace is told synthetic conversations until it holds each size; then fresh questions are asked, and a process of
its own opens the palace and answers once. Writing is told per second and per second of CPU, which a busy machine
inflates less.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.common import machine, own_mb, percentiles, rss_mb, show
from bench.sayings import Sayings
from palazzo import Memory

SIZES = (1_000, 4_000, 16_000)
SESSION = 20
QUESTIONS = 200


def held(memory: Memory) -> int:
    """How many memories there are."""
    return int(memory.status().memories)


def grow(memory: Memory, sayings: Sayings, size: int, sessions: int) -> dict[str, float]:
    """Tells sessions until the palace holds `size` memories; how fast that went."""
    had = now = held(memory)
    began, cpu = time.perf_counter(), time.process_time()
    while now < size:
        for _ in range(max(1, min(50, (size - now) // (3 * SESSION)))):
            sessions += 1
            memory.observe(sayings.turns(SESSION), thread=f"talk {sessions // 10}", session=f"session {sessions}")
        now = held(memory)
    spent, used = time.perf_counter() - began, time.process_time() - cpu
    made = now - had
    return {"memories": now, "sessions": sessions, "per_s": round(made / spent), "per_cpu_s": round(made / used)}


def timed(call: Callable[[], object], count: int = QUESTIONS) -> dict[str, float]:
    """Percentiles of so many calls, wall and CPU."""
    walls, cpus = [], []
    for _ in range(count):
        began, cpu = time.perf_counter(), time.process_time()
        call()
        walls.append(time.perf_counter() - began)
        cpus.append(time.process_time() - cpu)
    return {**percentiles(walls), "cpu_p50_ms": percentiles(cpus)["p50_ms"]}


def first_answer(folder: Path) -> dict[str, float]:
    """In a fresh process: open and answer once, embedder included; then its memory."""
    command = [sys.executable, "-m", "bench.growth", "--first", str(folder)]
    return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def _first(folder: Path) -> None:
    question = Sayings(99).question()
    began, cpu = time.perf_counter(), time.process_time()
    with Memory(folder, create=False, upkeep=False) as memory:
        opened = time.perf_counter() - began
        memory.recall(question)
        spent, used = time.perf_counter() - began, time.process_time() - cpu
        resident, own = rss_mb(), own_mb()
    print(json.dumps({
        "open_ms": round(opened * 1000, 1), "first_answer_ms": round(spent * 1000, 1),
        "first_answer_cpu_ms": round(used * 1000, 1), "rss_mb": resident, "own_mb": own,
    }))  # fmt: skip


def run(sizes: list[int], base: Path) -> dict[str, Any]:
    folder, rows, sessions = base / "palace", [], 0
    sayings, asking = Sayings(), Sayings(11)
    with Memory(folder, archive=False) as memory:
        for size in sizes:
            written = grow(memory, sayings, size, sessions)
            sessions = int(written.pop("sessions"))
            memory.engine.store.upkeep.run()
            for _ in range(20):
                memory.recall(asking.question())
            disk = sum(path.stat().st_size for path in folder.glob("palace.db*"))
            rows.append({
                **written, "recall": timed(lambda: memory.recall(asking.question())),
                "context": timed(lambda: memory.context(asking.question(), budget_tokens=2000), QUESTIONS // 2),
                "list": timed(lambda: memory.list(limit=50), QUESTIONS // 4), **first_answer(folder),
                "bytes_per_memory": round(disk / written["memories"]), "rss_of_writer_mb": rss_mb(),
            })  # fmt: skip
    return {"sizes": rows, "machine": machine()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--folder", type=Path, help="where the palace is made; a temporary folder otherwise")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--first", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.first:
        _first(arguments.first)
        return
    if arguments.folder is not None:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="palazzo-growth-", dir=arguments.folder) as base:
        show(run(sorted(arguments.sizes), Path(base)), arguments.json)


if __name__ == "__main__":
    main()
