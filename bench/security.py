"""What the guard holds and what it costs.

    python -m bench.security tenants  [--memories 100000 --readers 1000] --json
    python -m bench.security timing   [--memories 20000 --questions 2000] --json
    python -m bench.security overhead [--memories 100000 --questions 400] --json

tenants    Memories of many owners (projects, squads, users, channels) in one palace, each with a word of its own.
           Random readers with random scopes and grants reach for what others own and for their own, through every
           operation of the registry and every gatherer by name (tenants.py). `leaks` counts ids, words and totals of
           what a reader may not know of, and writes that tell what is somebody else's from what does not exist.
timing     The times of answers about what is forbidden and what is missing, what is sealed and what is clear, asked in
           turn by untrusted readers (timing.py): medians, and how well the times tell one from the other.
overhead   Recall p50 in processor time: the engine alone, and through `call` for a gated subject with capability check,
           reduction and audit; on a plain palace and on an encrypted one. Runs alternate within one process.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import Corpus, machine, show
from bench.tenants import tenants
from bench.tenants_world import DIMENSIONS, Meaning, build, owned
from bench.timing import timing
from mnemon.engine import Engine
from mnemon.model.capability import Level
from mnemon.model.scope import Scope
from mnemon.operations.call import call
from mnemon.operations.caller import Caller
from mnemon.recall.cue import Cue

KEY = hashlib.sha256(b"bench").digest()


def overhead(count: int, asked: int) -> dict[str, Any]:
    """Recall p50 with and without the guard, plain and encrypted."""
    result: dict[str, Any] = {"memories": count, "questions": asked}
    for name, key in (("plain", None), ("encrypted", KEY)):
        meaning, rng = Meaning(), random.Random(9)
        with tempfile.TemporaryDirectory() as base:
            world = build(Path(base) / "palace", owned(count), meaning, key=key, bare=True)
            caller = Caller(subject="agent:primary", scope=Scope.of(project="p3"))
            corpus = Corpus(seed=23, dimensions=DIMENSIONS)
            cues = [f"{rng.choice(world.memories).word} {corpus.question()}" for _ in range(asked)]
            with world.engine:
                result[name] = _alternate(world.engine, caller, cues)
    result["guard_share"] = result["plain"]["with_guard_ms"] / result["plain"]["engine_ms"] - 1
    result["encryption_share"] = result["encrypted"]["engine_ms"] / result["plain"]["engine_ms"] - 1
    return result


def _alternate(engine: Engine, caller: Caller, cues: list[str]) -> dict[str, float]:
    """The same questions with and without the guard in turn; a word of its own keeps each from the answer cache."""
    from mnemon.operations import shown
    from mnemon.operations.context import Context
    from mnemon.operations.registry import operation

    allowed = engine.guard.access(caller.subject)
    context = Context(engine, operation("recall"), caller, allowed, caller.scope, Level.read_public)
    bare: list[float] = []
    guarded: list[float] = []
    for number, cue in enumerate(cues):
        for way in (0, 1) if number % 2 else (1, 0):
            began = time.process_time()
            if way:
                call(engine, caller, "recall", {"cue": f"{cue} w{number}"})
                guarded.append(time.process_time() - began)
            else:
                shown.recalled(engine.recall(Cue(text=f"{cue} b{number}"), context.view()))
                bare.append(time.process_time() - began)
    half = len(bare) // 5
    return {
        "engine_ms": round(float(np.median(bare[half:])) * 1000, 3),
        "with_guard_ms": round(float(np.median(guarded[half:])) * 1000, 3),
    }


def main(arguments: list[str]) -> None:
    """Runs one part and prints it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["tenants", "timing", "overhead"])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if given.part == "tenants":
        result = tenants(given.memories, given.readers)
    elif given.part == "timing":
        result = timing(given.memories, given.questions)
    else:
        result = overhead(given.memories, given.questions)
    show({"machine": machine(), **result}, as_json=given.json)


if __name__ == "__main__":
    main(sys.argv[1:])
