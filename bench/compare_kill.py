"""Does what was acknowledged outlive a kill? A writer is killed at random moments and its store opened again.

Owns the `kill` part of `bench.compare` for one system. A writer keeps notes one by one and in batches and says after
each what was acknowledged; after a random moment its whole process group gets SIGKILL. The next writer opens the same
store, first reads the acknowledged notes of the one before by id and asks for them by search, then writes on; a last
process looks for everything. Where strace is installed the calls that force data to the disk before a single write is
acknowledged are counted too: a kill spares what the operating system holds, a power cut does not. Invariant: nothing
here knows which system it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from bench.compare_parts import shared
from bench.peers import open_system
from bench.peers.system import Ask, Item, Opened, SharedEmbedder, System
from bench.sayings import CITIES, COLOURS, DEEDS, PEOPLE, THINGS

SEED = 5
GROUP = 20
"""Notes of a batch; every other turn writes batches instead of single notes."""
DEPTH = 20
ASKED = 40
ASKED_LAST = 400
MOST = 60
LATEST_S = 0.05
"""A writer dies so long, at most, after a random number of acknowledgements, at most `MOST`."""
PATIENCE_S = 120.0
MARK = "here the count begins or ends"
TRACED = 10


def note(number: int) -> Item:
    """A sentence of its own for every number."""
    pick = random.Random(number).choice
    text = f"{pick(PEOPLE)} {pick(DEEDS)} the {pick(COLOURS)} {pick(THINGS)} with mark {number} in {pick(CITIES)}."
    return Item(f"k{number}", text, session=f"kill {number // 1000}")


@dataclass(slots=True)
class Seen:
    """What all kills together did."""

    kills: int = 0
    acknowledged: list[int] = field(default_factory=list)
    would_not_open: int = 0
    complaints: list[str] = field(default_factory=list)
    lost: int = 0
    not_found: int = 0
    asked: int = 0

    def take(self, told: dict[str, Any]) -> None:
        """Counts what a check found missing."""
        self.lost += len(told["lost"])
        self.not_found += told["not_found"]
        self.asked += told["asked"]


def kill(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """Kills the writer again and again, then looks for everything that was acknowledged."""
    rng, seen, embedder = random.Random(SEED), Seen(), shared(given).name
    with tempfile.TemporaryDirectory(prefix=f"bench-open-{name}-", ignore_cleanup_errors=True) as folder:
        open_system(name, Opened(Path(folder), SharedEmbedder(embedder))).close()
    began, last = time.perf_counter(), range(0)
    with tempfile.TemporaryDirectory(prefix=f"bench-kill-{name}-", ignore_cleanup_errors=True) as folder:
        while seen.kills < given.kills and time.perf_counter() - began < given.seconds * 6:
            first = (seen.acknowledged[-1] // 1000 + 1) * 1000 if seen.acknowledged else 0
            words = [name, folder, embedder, "batch" if seen.kills % 2 else "single", str(first)]
            told, kept = _one(words, last, rng)
            seen.kills += 1
            if told is None:
                seen.would_not_open += 1
                seen.complaints += kept
                if seen.would_not_open > 2:
                    break
                continue
            seen.take(told)
            last = range(first, int(kept[-1]) + 1) if kept else range(0)
            seen.acknowledged += last
        final, complaint = _check(name, folder, embedder, seen.acknowledged)
    version = (final or {}).get("version", "")
    return {
        "syncs_per_write": syncs(name, embedder),
        "version": version, "keeps": (final or {}).get("keeps", ""), "kills": seen.kills,
        "acknowledged": len(seen.acknowledged), "would_not_open": seen.would_not_open,
        "lost": len(final["lost"]) if final else len(seen.acknowledged), "lost_right_after": seen.lost,
        "asked": seen.asked + (final["asked"] if final else 0),
        "not_found": seen.not_found + (final["not_found"] if final else 0),
        "complaints": sorted({*seen.complaints, *complaint})[:3], "seconds": round(time.perf_counter() - began, 1),
        "survives": final is not None
        and not (seen.would_not_open or seen.lost or seen.not_found or final["lost"] or final["not_found"]),
    }  # fmt: skip


def _one(words: list[str], last: range, rng: random.Random) -> tuple[dict[str, Any] | None, list[str]]:
    """One writer's life: what it found of the notes before, and the numbers acknowledged; or None and its complaint."""
    command = [sys.executable, "-m", __name__, "write", *words, f"{last.start}:{last.stop}"]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True)
        if process.stdout is None:
            raise RuntimeError("the writer has no output")
        impatient = threading.Timer(PATIENCE_S, _end, [process])
        impatient.start()
        found = process.stdout.readline()
        lines = [process.stdout.readline() for _ in range(rng.randint(1, MOST))] if found else []
        time.sleep(rng.uniform(0.0, LATEST_S))
        _end(process)
        lines += process.stdout.read().splitlines(keepends=True)
        process.wait()
        impatient.cancel()
        if not found:
            errors.seek(0)
            return None, [(errors.read().strip().splitlines() or ["it never answered"])[-1]]
    return json.loads(found), [line.strip() for line in lines if line.endswith("\n")]


def _end(process: subprocess.Popen[str]) -> None:
    """Kills the writer and whatever it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def syncs(name: str, embedder: str) -> float | None:
    """How often a single write makes the system force data to the disk, or None where strace is not installed."""
    tracer = shutil.which("strace")
    if tracer is None:
        return None
    with tempfile.TemporaryDirectory(prefix=f"bench-sync-{name}-", ignore_cleanup_errors=True) as folder:
        trace = Path(folder) / "trace"
        watched = [tracer, "-f", "-o", str(trace), "-e", "trace=fsync,fdatasync,msync,write"]
        command = [sys.executable, "-m", __name__, "sync", name, folder, embedder]
        subprocess.run([*watched, *command], capture_output=True, check=False)
        marked = trace.read_text(errors="replace").split(MARK)
    between = "".join(marked[1:-1])
    return round(len(re.findall(r" (?:fsync|fdatasync|msync)\(", between)) / TRACED, 1)


def trace(system: System) -> None:
    """Keeps a few notes one by one between two marks that a tracer sees."""
    system.add_one(note(0))
    print(MARK, flush=True)
    for number in range(1, TRACED + 1):
        system.add_one(note(number))
    print(MARK, flush=True)


def _check(name: str, folder: str, embedder: str, numbers: list[int]) -> tuple[dict[str, Any] | None, list[str]]:
    """Opens the store a last time and looks for every note."""
    command = [sys.executable, "-m", __name__, "check", name, folder, embedder]
    try:
        done = subprocess.run(command, input=json.dumps(numbers), capture_output=True, text=True, check=False,
                              timeout=2 * PATIENCE_S)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, ["the last look never ended"]
    lines = done.stdout.strip().splitlines()
    if not lines:
        return None, [(done.stderr.strip().splitlines() or ["it printed nothing"])[-1]]
    return dict(json.loads(lines[-1])), []


def look(system: System, numbers: list[int], most: int) -> dict[str, Any]:
    """Which notes are not read back word for word, and how many of a sample are not found by searching."""
    items = [note(number) for number in numbers]
    there = system.holds(items) if items else set()
    sample = random.Random(SEED).sample(items, min(most, len(items)))
    missed = 0
    for item in sample:
        found = system.search(Ask(item.text), DEPTH)
        missed += item.id not in found and item.text not in found
    return {
        "lost": [item.id for item in items if item.id not in there], "asked": len(sample), "not_found": missed,
        "version": system.version, "keeps": system.keeps,
    }  # fmt: skip


def write(system: System, first: int, group: int) -> None:
    """Keeps note after note and says so, until somebody kills it."""
    for start in count(first, group):
        if group == 1:
            system.add_one(note(start))
        else:
            system.add([note(start + n) for n in range(group)])
        print(start + group - 1, flush=True)


def main() -> None:
    errand, name, folder, embedder, *rest = sys.argv[1:]
    system = open_system(name, Opened(Path(folder), SharedEmbedder(embedder)))
    if errand == "check":
        print(json.dumps(look(system, json.load(sys.stdin), ASKED_LAST)), flush=True)
        os._exit(0)  # some peers keep threads that never end
    if errand == "sync":
        trace(system)
        os._exit(0)
    how, first, span = rest
    start, stop = map(int, span.split(":"))
    print(json.dumps(look(system, list(range(start, stop)), ASKED)), flush=True)
    write(system, int(first), GROUP if how == "batch" else 1)


if __name__ == "__main__":
    main()
