"""How many machines serve a thousand, a hundred thousand and ten million palaces: discrete events over measured times.

    python -m bench.simulate --json [--measured FILE] [--palaces 1000 100000 10000000]

First a daemon on a palace of `--memories` memories is measured: the processor time of a start, of a recall and of a
write over HTTP, and its own memory. Then machines are simulated. People come in sittings (Poisson, at `--peak` times
the mean), some of them far more often than others (Zipf); a sitting is some calls with pauses between them. A machine
has cores that take calls in the order they come, and memory for so many open palaces; a call to a palace that is not
open waits for a start, and the palace unused for longest is closed. Palaces know nothing of each other and are dealt to
machines by a hash of their id, so a fleet is simulated by a sample of its machines, the one with the most sought
palaces among them; machines are added until they meet the target. What is found first to be too little is told.
"""

from __future__ import annotations

import argparse
import heapq
import http.client
import json
import tempfile
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bench.common import Corpus, machine, show
from bench.server import SUBJECT, Server, build
from palazzo import Memory

SAMPLE = 3
MOST_SITTINGS = 1_500
"""Sittings simulated on one machine; the time simulated follows from it."""


class Measured(msgspec.Struct, frozen=True):
    """What one daemon was measured to cost: milliseconds of processor time, megabytes of its own memory and of disk."""

    start_ms: float
    recall_ms: float
    write_ms: float
    own_mb: float
    disk_kb_per_memory: float
    memories: int


class Plan(msgspec.Struct, frozen=True):
    """What people do and what a machine has."""

    cores: int = 8
    memory_gb: float = 64.0
    sittings_a_day: float = 20.0
    calls: float = 10.0
    pause_s: float = 20.0
    writes: float = 0.2
    peak: float = 3.0
    skew: float = 1.0
    hottest: float = 0.5
    """Sittings a second on one palace at most; what is sought more often has a database of its own."""
    p99_ms: float = 500.0
    busy: float = 0.6


def measure(folder: Path, memories: int, calls: int = 150) -> Measured:
    """One daemon, alone with one client."""
    build(folder, memories)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    with Memory(folder, embedder="none") as operator:
        operator.grant(SUBJECT, level="forget", place="**")
        token = operator.token_create(SUBJECT).token
    server = Server(folder)
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    corpus = Corpus(seed=3)

    def ask(name: str, given: dict[str, Any]) -> None:
        connection.request("POST", f"/v1/{name}", json.dumps(given), headers)
        reply = connection.getresponse()
        assert reply.status == 200, reply.read()
        reply.read()

    def spent(name: str, given: list[dict[str, Any]]) -> float:
        before = server.cpu_s()
        for one in given:
            ask(name, one)
        return 1000 * (server.cpu_s() - before) / len(given)

    try:
        ask("recall", {"cue": corpus.question()})
        started = 1000 * server.cpu_s()
        for _ in range(50):
            ask("recall", {"cue": corpus.question()})
        recall = spent("recall", [{"cue": corpus.question()} for _ in range(calls)])
        write = spent("remember", [{"text": text, "place": "work.simulated"} for text in corpus.texts(calls)])
        return Measured(
            round(started, 1), round(recall, 2), round(write, 2), server.rss_mb()[1], round(size / 1e3 / memories, 2),
            memories,
        )  # fmt: skip
    finally:
        connection.close()
        server.stop()


def simulated(measured: Measured, plan: Plan, weights: np.ndarray, seconds: float, seed: int) -> dict[str, float]:
    """One machine with these palaces, how often each is sought given by its weight in sittings a second."""
    rng = np.random.default_rng(seed)
    room = max(1, int(plan.memory_gb * 1000 * 0.8 / measured.own_mb))
    total = float(weights.sum())
    count = max(1, int(rng.poisson(total * seconds)))
    palaces = rng.choice(len(weights), size=count, p=weights / total)
    events: list[tuple[float, int, int]] = []
    begun = np.sort(rng.uniform(0, seconds, count))
    lengths = 1 + rng.poisson(plan.calls - 1, count)
    for sitting in range(count):
        events.append((float(begun[sitting]), sitting, int(lengths[sitting])))
    heapq.heapify(events)
    cores = [0.0] * plan.cores
    heapq.heapify(cores)
    warm: OrderedDict[int, None] = OrderedDict()
    # A fleet that has run for long has open what was sought last; else the first minutes would all be starts.
    warm.update(dict.fromkeys(map(int, rng.choice(len(weights), size=4 * room, p=weights / total)[::-1])))
    while len(warm) > room:
        warm.popitem(last=False)
    waits: list[float] = []
    colds = work = 0.0
    while events:
        at, sitting, left = heapq.heappop(events)
        palace = int(palaces[sitting])
        cost = measured.write_ms if rng.random() < plan.writes else measured.recall_ms
        cost = cost * float(rng.lognormal(-0.125, 0.5)) / 1000
        if palace not in warm:
            colds += 1
            cost += measured.start_ms / 1000
            warm[palace] = None
            if len(warm) > room:
                warm.popitem(last=False)
        warm.move_to_end(palace)
        free = heapq.heappop(cores)
        done = max(at, free) + cost
        heapq.heappush(cores, done)
        work += cost
        waits.append(done - at)
        if left > 1:
            heapq.heappush(events, (done + float(rng.exponential(plan.pause_s)), sitting, left - 1))
    lasted = max(seconds, *cores)
    return {
        "calls": len(waits), "p50_ms": 1000 * float(np.percentile(waits, 50)),
        "p99_ms": 1000 * float(np.percentile(waits, 99)), "cold": colds / len(waits),
        "busy": work / (lasted * plan.cores), "room": room,
    }  # fmt: skip


def shares(palaces: int, machines: int, plan: Plan, seed: int, *, hottest: bool) -> np.ndarray:
    """How often each palace of one machine is sought, in sittings a second at the peak."""
    rng = np.random.default_rng(seed)
    own = max(1, round(palaces / machines))
    ranks = np.arange(1, palaces + 1, machines)[:own] if hottest else rng.integers(1, palaces + 1, own)
    harmonic = np.log(palaces) + 0.5772 if plan.skew == 1 else float((np.arange(1, palaces + 1) ** -plan.skew).sum())
    rate = palaces * plan.sittings_a_day * plan.peak / 86_400
    each: np.ndarray = rate * ranks.astype(float) ** -plan.skew / harmonic
    return np.minimum(each, plan.hottest)


def tried(palaces: int, machines: int, measured: Measured, plan: Plan) -> dict[str, Any]:
    """A fleet of so many machines: a sample of them, the one with the most sought palaces first."""
    found = []
    for number in range(min(SAMPLE, machines)):
        weights = shares(palaces, machines, plan, number, hottest=number == 0)
        seconds = max(60.0, min(3600.0, MOST_SITTINGS / float(weights.sum())))
        found.append(simulated(measured, plan, weights, seconds, number))
    worst = max(found, key=lambda one: one["p99_ms"])
    busiest = max(one["busy"] for one in found)
    short = "cores" if busiest > plan.busy else "memory for open palaces" if worst["p99_ms"] > plan.p99_ms else ""
    return {
        "palaces": palaces, "p99_at_most_ms": plan.p99_ms, "machines": machines,
        "palaces_per_machine": round(palaces / machines), "open_per_machine": found[0]["room"],
        "p50_ms": round(float(np.median([one["p50_ms"] for one in found])), 1), "p99_ms": round(worst["p99_ms"]),
        "busy": round(float(np.mean([one["busy"] for one in found])), 2), "busiest": round(busiest, 2),
        "cold_share": round(float(np.mean([one["cold"] for one in found])), 4), "short_of": short,
    }  # fmt: skip


def fleet(palaces: int, measured: Measured, plan: Plan) -> dict[str, Any]:
    """The smallest fleet that meets the target, to a tenth, and what a smaller one is short of first."""
    demand = palaces * plan.sittings_a_day * plan.peak * plan.calls / 86_400
    mean_ms = (1 - plan.writes) * measured.recall_ms + plan.writes * measured.write_ms
    high = max(1, int(demand * mean_ms / 1000 / plan.cores / plan.busy))
    low, lacking = 0, ""
    while (found := tried(palaces, high, measured, plan))["short_of"] and high < palaces:
        low, lacking, high = high, found["short_of"], 2 * high
    while low and high - low > max(1, high // 10):
        middle = (low + high) // 2
        between = tried(palaces, middle, measured, plan)
        if between["short_of"]:
            low, lacking = middle, between["short_of"]
        else:
            high, found = middle, between
    return {**found, "calls_per_s": round(demand), "short_of": lacking or "nothing"}


def run(options: argparse.Namespace) -> dict[str, Any]:
    if options.measured:
        measured = msgspec.json.decode(options.measured.read_bytes(), type=Measured)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            measured = measure(Path(scratch) / "palace", options.memories)
    plan = Plan(cores=options.cores, memory_gb=options.memory_gb, peak=options.peak)
    began = time.process_time()
    return {
        "machine": machine(), "measured": msgspec.structs.asdict(measured), "plan": msgspec.structs.asdict(plan),
        "fleets": [
            fleet(count, measured, msgspec.structs.replace(plan, p99_ms=target))
            for target in (500.0, 5000.0) for count in options.palaces
        ],
        "simulated_in_cpu_s": round(time.process_time() - began, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--palaces", type=int, nargs="+", default=[1_000, 100_000, 10_000_000])
    parser.add_argument("--memories", type=int, default=5_000, help="of the palace that is measured")
    parser.add_argument("--measured", type=Path, help="figures measured before, instead of measuring")
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--memory-gb", type=float, default=64.0)
    parser.add_argument("--peak", type=float, default=3.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    show(run(options), options.json)


if __name__ == "__main__":
    main()
