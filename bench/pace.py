"""How fast the mind works and how much it finds, by one command.

    python -m bench.pace [--memories N] [--recalls N] [--beside PASS ...] [--exchanges N] [--json]

A palace of --memories things of a simulated life, placed as they are and with vectors: the CPU seconds of
`consolidate`, of the tree of what is known and of an update of it; what the passes find in it, per thousand memories;
the slowest recalls (the 99th of a hundred, of --recalls) beside each pass and a sweep against as many in quiet, asked
in turn with them, by the clock on the wall (which wants a quiet machine) and by the CPU that the whole process spent
while a recall was under way (which a machine with nothing else to do would show on its clock); and how many memories a
second two agents exchange over the bus. With --exchanges N also: a palace of N turns that were said and answered over a
year, summed up, and how long a recall in it takes once it is served, the first one told apart.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from bench.common import machine, show
from bench.life import live
from bench.sayings import Sayings
from palazzo import Memory
from palazzo.mind.dream import DreamTurn, DreamWanted
from palazzo.mind.jobs import JobTurn
from palazzo.mind.tree import Trees
from palazzo.model.capability import View
from palazzo.model.change import Attachments
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.scope import Scope
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

BEGAN = datetime(2025, 1, 6, 7, tzinfo=UTC)
DAYS = 90
EXCHANGED = 400
CUES = ("who leads the harbour project?", "how do I take my coffee?", "when is the weekly meeting?", "umbrella market")
RECALLS = 2_000
BETWEEN = 20
"""Recalls in quiet between two runs, at least."""
SERVED = 200
FADED_DAYS = 400
"""After so many days many memories have faded, and a sweep has work."""
FIRST = 8
"""Recalls that read anew what they keep, as after any erasure: they are in no figure."""
REST_S = 0.01
SESSION = 20
PROJECT = "atlas"
AS_SERVED = (1_000, 2_000, 20)
"""When garbage is looked for in a daemon."""
Took = tuple[float, float]
"""The milliseconds of a recall on the wall, and those of CPU that the whole process spent meanwhile."""


def spent(doing: Callable[[], object]) -> float:
    """CPU seconds of doing something."""
    began = time.process_time()
    doing()
    return round(time.process_time() - began, 2)


def filled(memory: Memory, clock: FixedClock, count: int) -> None:
    """Things of ninety days as they are said, with their vectors; some of them of a project, and at the end who works
    under whom."""
    life = live(DAYS, -(-count // DAYS))
    for day in life.days:
        texts = [place_memory(text) for text in day[:-1]]
        memory.engine.store.commit([*texts, place_memory(day[-1], scope=Scope.parse(f"project:{PROJECT}"))])
        clock.advance(days=1)
    memory.engine.store.commit([managed(number) for number in range(count // 100)])
    memory.run("backfill", limit=100_000)


def managed(number: int) -> Any:
    """That one of a row of people manages the next."""
    one, other = f"Person {number}", f"Person {number + 1}"
    mentions = (MentionDraft(one, "person", one), MentionDraft(other, "person", other))
    return place_memory(
        f"{one} manages {other}.",
        attachments=Attachments(mentions=mentions, relations=(RelationDraft(one, "manages", other),)),
    )


def found_in(memory: Memory, count: int) -> dict[str, float]:
    """What each pass would do, by what it does, per thousand memories."""
    turn = DreamTurn(limit=5_000, since_us=0, now_us=memory.engine.clock.now_us())
    steps: Counter[str] = Counter()
    for one in memory.engine.dreaming.passes:
        if one.name not in ("summaries", "consolidate"):
            steps.update(f"{one.name}: {step.does}" for step in one.plan(turn))
    return {name: round(1000 * number / count, 2) for name, number in sorted(steps.items())}


class Foreground:
    """Somebody who recalls now and then, and whom a job beside lets go first, as in a daemon."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._asking = threading.Event()
        self._asked = 0

    def recalls(self, rounds: int, until: Callable[[], bool] = lambda: False) -> list[Took]:
        """What recalls took that nothing is kept for, with a short rest after each."""
        times: list[Took] = []
        while len(times) < rounds and not until():
            self._asked += 1
            self._asking.set()
            wall, cpu = time.perf_counter(), time.process_time()
            self._memory.recall(f"{CUES[self._asked % len(CUES)]} {self._asked}")
            times.append((1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)))
            self._asking.clear()
            time.sleep(REST_S)
        return times

    def let_go_first(self) -> None:
        """Waits while a recall is under way."""
        for _ in range(1000):
            if not self._asking.is_set():
                return
            time.sleep(0.001)


def beside_a_dream(memory: Memory, clock: FixedClock, recalls: int, only: Sequence[str] = ()) -> dict[str, Any]:
    """Recalls while each pass and a sweep run in another thread of the process, and as many in quiet between two runs.

    A pass is run and taken back until there are enough recalls beside it: the 99th of a few is the slowest. What is
    asked in quiet is held against each pass by itself, for a machine that others use is not as fast all the time.
    """
    front = Foreground(memory)
    front.recalls(FIRST)
    names = [one.name for one in memory.engine.dreaming.passes]
    memory.setting_put("dream_passes", ", ".join(f"{name}=on" for name in names))
    memory.engine.jobs.pause = front.let_go_first
    found: dict[str, Any] = {}

    def worked(name: str, done: list[UUID | None]) -> None:
        if name == "sweep":
            memory.run("sweep")
            done.append(None)
            return
        turn = JobTurn(lambda *_: True, 200, pause=front.let_go_first)
        made = memory.engine.dreaming.run(turn, DreamWanted(passes=(name,), completed=PROJECT))
        done.append(made.id if any(step.state == "made" for step in made.steps) else None)

    for name in only or (*names, "sweep"):
        times: list[Took] = []
        quiet: list[Took] = []
        done: list[UUID | None] = []
        if name == "sweep":
            clock.advance(days=FADED_DAYS)
            front.recalls(FIRST)
        while len(times) < recalls:
            job = threading.Thread(target=worked, args=(name, done))
            job.start()
            times += front.recalls(recalls, until=lambda job=job: not job.is_alive())
            job.join()
            if done[-1] is not None:
                memory.undo(str(done[-1]))
            elif name == "sweep":
                memory.engine.jobs.undo("sweep", None, "bench")
            front.recalls(FIRST)
            quiet += front.recalls(max(BETWEEN, len(times) - len(quiet)))
        beside, alone = _p99(times), _p99(quiet)
        found[name] = {
            **beside, **{f"quiet_{key}": figure for key, figure in alone.items()}, "recalls": len(times),
            "runs": len(done), "ratio": round(beside["p99_ms"] / alone["p99_ms"], 2),
            "cpu_ratio": round(beside["cpu_p99_ms"] / alone["cpu_p99_ms"], 2),
        }  # fmt: skip
    worst = {told: max(one[key] for one in found.values()) for told, key in _TOLD.items()}
    return {**found, "ratio": worst}


_TOLD = {"p99_ms": "ratio", "cpu_p99_ms": "cpu_ratio"}


def _p99(times: Sequence[Took]) -> dict[str, float]:
    """The slowest but one in a hundred, by the clock and by the CPU of the whole process."""
    wall, cpu = ([one[at] for one in times] for at in (0, 1))
    return {"p99_ms": round(float(np.percentile(wall, 99)), 2), "cpu_p99_ms": round(float(np.percentile(cpu, 99)), 2)}


def exchanged(folder: Path) -> float:
    """Memories a second that one agent publishes and another receives, in batches of twenty."""
    with Memory(folder, embedder="none", upkeep=False, durable=False) as owner:
        for name in ("ada", "bo"):
            owner.grant(f"agent:{name}", "write")

    def agent(name: str) -> Memory:
        return Memory(
            folder, embedder="none", upkeep=False, durable=False, subject=f"agent:{name}", project="atlas",
            agent_id=name,
        )  # fmt: skip

    with agent("ada") as ada, agent("bo") as bo:
        bo.subscribe()
        told = [str(ada.remember(f"Valve {number} was replaced.", verbatim=True).id) for number in range(EXCHANGED)]
        began, got = time.process_time(), 0
        for start in range(0, EXCHANGED, 20):
            ada.publish(told[start : start + 20])
            got += len(list(bo.deliver()))
        took = time.process_time() - began
    return round(got / took, 1)


def summed_up(folder: Path, exchanges: int) -> dict[str, float]:
    """A year of exchanges, a few hundred a week, its days, weeks and months summed up: CPU of that, and of recalls."""
    clock = FixedClock(BEGAN)
    said = Sayings(seed=3)
    with Memory(folder, clock=clock, durable=False, upkeep=False) as memory:
        weeks, told = 52, 0
        for week in range(weeks):
            for _ in range(0, exchanges // weeks, SESSION):
                memory.observe(said.turns(SESSION), thread=f"week {week}")
                told += SESSION
            clock.advance(days=7)
        memory.run("backfill", limit=100_000)
        turn, wanted = JobTurn(lambda *_: True, 5_000), DreamWanted(passes=("summaries",))
        dream_s = spent(lambda: memory.engine.dreaming.run(turn, wanted))
        summaries = len(memory.summaries(limit=1_000))
    with Memory(folder, clock=clock, durable=False, upkeep=False) as memory:
        times = recalls_as_served(memory, said)
    return {
        "exchanges": told, "summaries": summaries, "summaries_cpu_s": dream_s, "first_recall_cpu_ms": times[0],
        "recall_cpu_p50_ms": round(float(np.percentile(times[1:], 50)), 1),
        "recall_cpu_p99_ms": round(float(np.percentile(times[1:], 99)), 1),
    }  # fmt: skip


def recalls_as_served(memory: Memory, said: Sayings) -> list[float]:
    """The CPU milliseconds of recalls as a daemon makes them: what they need is read before anybody asks."""
    while memory.engine.made_ready():
        pass
    times = []
    for number in range(SERVED + 1):
        began = time.process_time()
        memory.recall(f"{said.question()} {number}")
        times.append(round(1000 * (time.process_time() - began), 1))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--recalls", type=int, default=RECALLS)
    parser.add_argument("--beside", nargs="*", default=(), metavar="PASS", help="these passes alone")
    parser.add_argument("--exchanges", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result: dict[str, Any] = {"memories": given.memories}
    gc.set_threshold(*AS_SERVED)
    with tempfile.TemporaryDirectory() as base:
        clock = FixedClock(BEGAN)
        with Memory(Path(base) / "palace", clock=clock, durable=False, upkeep=False, dream_drop=100.0) as memory:
            filled(memory, clock, given.memories)
            gather = next(one for one in memory.engine.dreaming.passes if one.name == "consolidate")
            turn = DreamTurn(limit=5_000, since_us=0, now_us=clock.now_us())
            result["consolidate_cpu_s"] = spent(lambda: gather.plan(turn))
            trees = Trees(memory.engine.store)
            result["tree_cpu_s"] = spent(lambda: trees.of(View()))
            memory.engine.store.commit([place_memory("The heron nests behind the mill.")])
            result["update_cpu_s"] = spent(lambda: trees.of(View()))
            result["found_per_thousand"] = found_in(memory, given.memories)
            result["recall"] = beside_a_dream(memory, clock, given.recalls, given.beside)
        result["exchanged_a_second"] = exchanged(Path(base) / "bus")
        if given.exchanges:
            result["summed_up"] = summed_up(Path(base) / "year", given.exchanges)
    show(result | {"machine": machine()}, given.json)


if __name__ == "__main__":
    main()
