"""How long a client waits for its hooks, process and all, beside a running daemon.

    python -m bench.hooks [--memories N] [--turns N] [--palace FOLDER] --json

A palace is filled with statements as people make them (`bench/sayings.py`: what guards look at closely is rare among
them, as it is in talk), or a copy of FOLDER is taken that was filled so before, and served; then each hook runs as a
client runs it, one process a time: before a turn (`user-prompt-submit`) and after it (`stop`).

waits_ms        from the start of the process to its end, which on a machine with other work is mostly waiting for it
processor_ms    of that process and of the daemon meanwhile: what the wait is on a machine that is free
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.common import machine, show
from bench.sayings import Sayings
from bench.server import Server, build


class Waited(NamedTuple):
    """What one hook took, in milliseconds."""

    wall: float
    processor: float


def children_s() -> float:
    """Processor time of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_hook(folder: Path, server: Server, event: str, payload: dict[str, Any]) -> Waited:
    """What a client waits for."""
    before = children_s() + server.cpu_s()
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "palazzo", "--palace", str(folder), "hook", event], input=json.dumps(payload).encode(),
        stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    wall = time.perf_counter() - began
    return Waited(wall * 1000, (children_s() + server.cpu_s() - before) * 1000)


def read_answer(server: Server) -> None:
    """A person reads before the next turn; what goes on behind the last one is at its end by then."""
    time.sleep(1.0)
    for _ in range(60):
        used = server.cpu_s()
        time.sleep(0.25)
        if server.cpu_s() == used:
            return


def measure(memories: int, turns: int, base: Path, filled: Path | None = None) -> dict[str, Any]:
    """Fills, serves and asks."""
    folder = base / "palace"
    told, corpus = Sayings(7), Sayings(11)
    if filled is None:
        build(folder, memories, lambda size: [told.text() for _ in range(size)])
    else:
        folder.mkdir(mode=0o700)
        shutil.copy(filled / "palace.db", folder)
    server = Server(folder)
    waits: dict[str, list[Waited]] = {"session-start": [], "user-prompt-submit": [], "stop": []}

    def asked_of(event: str, payload: dict[str, Any]) -> None:
        waits[event].append(run_hook(folder, server, event, payload))

    try:
        for number in range(turns):
            about = {"session_id": "bench", "cwd": str(base / "project")}
            asked = corpus.question()
            if number % 10 == 0:
                asked_of("session-start", {**about, "source": "startup"})
            asked_of("user-prompt-submit", {**about, "prompt": asked})
            said = [{"role": "user", "content": asked}, {"role": "assistant", "content": corpus.text()}]
            read_answer(server)
            asked_of("stop", {**about, "messages": said})
            read_answer(server)
    finally:
        server.stop()
    return {
        name: {event: shares([getattr(one, field) for one in took]) for event, took in waits.items()}
        for name, field in (("waits_ms", "wall"), ("processor_ms", "processor"))
    }


def shares(took: list[float]) -> dict[str, float]:
    """The middle, the 95th of a hundred and the longest."""
    ordered = sorted(took)
    return {
        "p50": round(ordered[len(ordered) // 2], 1), "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "max": round(ordered[-1], 1), "n": len(ordered),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--palace", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = measure(given.memories, given.turns, Path(name), given.palace)
    show({"memories": given.memories, "turns": given.turns, **found, "made": machine()}, given.json)


if __name__ == "__main__":
    main()
