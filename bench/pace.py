"""How fast the mind works and how much it finds, by one command.

    python -m bench.pace [--memories N] [--json]

A palace of --memories things of a simulated life, placed as they are and with vectors: the CPU seconds of
`consolidate`, of the tree of what is known and of an update of it; what the passes find in it, per thousand memories;
the slowest recalls beside a dream against those in quiet (by the clock on the wall: run it on a quiet machine); and how
many memories a second two agents exchange over the bus.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import machine, show
from bench.life import live
from palazzo import Memory
from palazzo.mind.dream import DreamTurn, DreamWanted
from palazzo.mind.jobs import JobTurn
from palazzo.mind.tree import Trees
from palazzo.model.capability import View
from palazzo.model.change import Attachments
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

BEGAN = datetime(2025, 1, 6, 7, tzinfo=UTC)
BATCH = 500
EXCHANGED = 400
CUES = ("who leads the harbour project?", "how do I take my coffee?", "when is the weekly meeting?", "umbrella market")
RECALLS = 200


def spent(doing: Callable[[], object]) -> float:
    """CPU seconds of doing something."""
    began = time.process_time()
    doing()
    return round(time.process_time() - began, 2)


def filled(memory: Memory, count: int) -> None:
    """Things of a life as they are said, with their vectors, and who works under whom in between."""
    life = live(90, -(-count // 90))
    texts = [text for day in life.days for text in day][:count]
    changes = [place_memory(text) for text in texts]
    changes += [managed(number) for number in range(count // 100)]
    for start in range(0, len(changes), BATCH):
        memory.engine.store.commit(changes[start : start + BATCH])
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
    turn = DreamTurn(limit=5_000, since_us=0, now_us=memory.engine.clock.now_us(), goes_on=lambda *_: True)
    steps: Counter[str] = Counter()
    for one in memory.engine.dreaming.passes:
        if one.name not in ("summaries", "consolidate"):
            steps.update(f"{one.name}: {step.does}" for step in one.plan(turn))
    return {name: round(1000 * number / count, 2) for name, number in sorted(steps.items())}


def slowest(memory: Memory, rounds: int) -> float:
    """The 99th percentile of recalls that nothing is kept for, in milliseconds."""
    times = []
    for number in range(rounds):
        began = time.perf_counter()
        memory.recall(f"{CUES[number % len(CUES)]} {number}")
        times.append(time.perf_counter() - began)
    return round(1000 * float(np.percentile(times, 99)), 2)


def beside_a_dream(memory: Memory) -> dict[str, float]:
    """Recalls in quiet, and while every pass runs in another thread of the process."""
    slowest(memory, 20)
    quiet = slowest(memory, RECALLS)
    passes = tuple(one.name for one in memory.engine.dreaming.passes)
    memory.setting_put("dream_passes", ", ".join(f"{name}=on" for name in passes))
    dream = threading.Thread(
        target=lambda: memory.engine.dreaming.run(JobTurn(lambda *_: True, 200), DreamWanted(passes=passes))
    )
    dream.start()
    beside = slowest(memory, RECALLS)
    dream.join()
    return {"quiet_p99_ms": quiet, "beside_p99_ms": beside, "ratio": round(beside / quiet, 2)}


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result: dict[str, Any] = {"memories": given.memories}
    with tempfile.TemporaryDirectory() as base:
        clock = FixedClock(BEGAN + timedelta(days=90))
        with Memory(Path(base) / "palace", clock=clock, durable=False, upkeep=False, dream_drop=100.0) as memory:
            filled(memory, given.memories)
            gather = next(one for one in memory.engine.dreaming.passes if one.name == "consolidate")
            turn = DreamTurn(limit=5_000, since_us=0, now_us=clock.now_us(), goes_on=lambda *_: True)
            result["consolidate_cpu_s"] = spent(lambda: gather.plan(turn))
            trees = Trees(memory.engine.store)
            result["tree_cpu_s"] = spent(lambda: trees.of(View()))
            memory.engine.store.commit([place_memory("The heron nests behind the mill.")])
            result["update_cpu_s"] = spent(lambda: trees.of(View()))
            result["found_per_thousand"] = found_in(memory, given.memories)
            result["recall"] = beside_a_dream(memory)
        result["exchanged_a_second"] = exchanged(Path(base) / "bus")
    show(result | {"machine": machine()}, given.json)


if __name__ == "__main__":
    main()
