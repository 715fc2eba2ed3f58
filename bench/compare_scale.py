"""What a number of memories costs each system: writes, recall, memory, disk, cold start.

Owns the `scale` part of `bench.compare` for one system. Every step runs in a process of its own, so that the memory of
a reader is not that of the loader; a loaded store can be kept in a folder and used again, its loading figures with it.
Invariant: nothing here knows which system it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.common import Corpus, last_line, percentiles
from bench.compare_parts import shared
from bench.peers import STORES, open_system
from bench.peers.system import Ask, Item, Opened, SharedEmbedder, System

BATCH = 500
WARM = 20
QUESTIONS = 300
SINGLES = 2_000
COLD = 3
ADVANCE = 10
"""Parts of a load after which a line of progress is printed."""


def scale(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """All steps for one system, in a folder that is kept or thrown away."""
    if given.folder is None:
        with tempfile.TemporaryDirectory(prefix=f"bench-{name}-", ignore_cleanup_errors=True) as folder:
            return steps(given, name, Path(folder))
    return steps(given, name, given.folder / f"{STORES.get(name, name)}-{given.memories}")


def steps(given: argparse.Namespace, name: str, folder: Path) -> dict[str, Any]:
    store, told = folder / "store", folder / "load.json"
    embedder = shared(given).name

    def step(which: str, where: Path = store) -> dict[str, Any]:
        words = (which, name, str(where), embedder, str(given.memories), str(given.seconds))
        return dict(json.loads(last_line([sys.executable, "-m", __name__, *words], sys.stdout)))

    if not told.exists():
        shutil.rmtree(store, ignore_errors=True)
        store.mkdir(parents=True)
        told.write_text(json.dumps(step("load")))
    loaded = dict(json.loads(told.read_text()))
    opening = [sys.executable, "-m", "bench.compare_cold", name, str(store), embedder]
    cold = [tuple(map(float, last_line(opening).split())) for _ in range(COLD)]
    asked = step("ask")
    disk_bytes = disk(store)
    # In a copy: hundreds of small writes leave some stores slower to read, and the loaded one may be used again.
    copy = folder / "singles"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    singles = step("singles", copy)
    held = given.memories + singles["single"]["n"]
    result = {
        **loaded, **asked, **singles, "cold_start_ms": statistics.median(wall for wall, _ in cold),
        "cold_start_cpu_ms": statistics.median(cpu for _, cpu in cold),
        "disk_bytes_per_memory": round(disk_bytes / given.memories),
        "disk_bytes_per_memory_after_singles": round(disk(copy) / held),
    }  # fmt: skip
    shutil.rmtree(copy, ignore_errors=True)
    return result


def load(system: System, memories: int, name: str) -> dict[str, Any]:
    """Keeps so many texts in batches, then lets the system settle."""
    corpus, spent, settled = Corpus(), 0.0, time.perf_counter()
    for start in range(0, memories, BATCH):
        texts = corpus.texts(min(BATCH, memories - start))
        items = [Item(f"m{start + n}", text, session=f"s{start // BATCH}") for n, text in enumerate(texts)]
        began = time.perf_counter()
        system.add(items)
        settled = time.perf_counter()
        spent += settled - began
        if (start // BATCH) % max(1, memories // BATCH // ADVANCE) == 0:
            print(f"# {name}: {start + len(items):,} kept in {spent:.0f} s", flush=True)
    system.settle()
    settle_s = time.perf_counter() - settled
    return {
        "batch_per_s": round(memories / spent), "settle_s": round(settle_s, 2),
        "load_peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }  # fmt: skip


def ask(system: System, seconds: float) -> dict[str, Any]:
    """New questions one after the other, and the memory of the process that asked them."""
    corpus = Corpus(seed=23)
    for _ in range(WARM):
        system.search(Ask(corpus.question()), 10)
    asked = [Ask(corpus.question()) for _ in range(QUESTIONS)]
    walls, cpus = timed(lambda one: system.search(one, 10), asked, seconds)
    return {"recall": percentiles(walls) | {"cpu_p50_ms": percentiles(cpus)["p50_ms"]}, **memory()}


def singles(system: System, seconds: float) -> dict[str, Any]:
    """One item after the other, each acknowledged before the next."""
    stamp = time.time_ns()
    texts = Corpus(seed=stamp % 1_000_003).texts(SINGLES)
    walls, _ = timed(
        system.add_one, [Item(f"one{stamp}-{n}", text, session="singles") for n, text in enumerate(texts)], seconds
    )
    return {"single_per_s": round(len(walls) / sum(walls)), "single": percentiles(walls)}


def timed(act: Callable[[Any], object], over: Sequence[Any], seconds: float) -> tuple[list[float], list[float]]:
    """Seconds of wall clock and of CPU of each call, until all are done or the time is up."""
    walls: list[float] = []
    cpus: list[float] = []
    ends = time.perf_counter() + seconds
    for one in over:
        began, cpu = time.perf_counter(), time.process_time()
        act(one)
        walls.append(time.perf_counter() - began)
        cpus.append(time.process_time() - cpu)
        if began > ends:
            break
    return walls, cpus


def memory() -> dict[str, float]:
    """Resident memory of this process and of those it started, and how much of it is no page of a file: those pages
    are the system's cache and given back when somebody else needs them."""
    kilobytes = {"VmRSS": 0, "RssFile": 0}
    for process in family():
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            key, _, value = line.partition(":")
            if key in kilobytes:
                kilobytes[key] += int(value.split()[0])
    resident = kilobytes["VmRSS"]
    return {"rss_mb": round(resident / 1e3, 1), "own_mb": round((resident - kilobytes["RssFile"]) / 1e3, 1)}


def family() -> set[int]:
    """This process and those it started: a server counts for its client."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(") ", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found, grew = {os.getpid()}, True
    while grew:
        more = {child for child, parent in parents.items() if parent in found} - found
        found, grew = found | more, bool(more)
    return found


def disk(folder: Path) -> int:
    """Bytes the files take on disk."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def main() -> None:
    which, name, folder, embedder, memories, seconds = sys.argv[1:]
    system = open_system(name, Opened(Path(folder), SharedEmbedder(embedder)))
    if which == "load":
        result = {"version": system.version, "keeps": system.keeps, **load(system, int(memories), name)}
    elif which == "ask":
        result = ask(system, float(seconds) * 3)
    else:
        result = singles(system, float(seconds))
    system.close()
    print(json.dumps(result), flush=True)
    os._exit(0)  # some peers keep threads that never end


if __name__ == "__main__":
    main()
