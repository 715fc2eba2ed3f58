"""Copying a whole palace, killed on the way: how long it takes, and whether what arrives is the same.

    python -m bench.copying --memories 100000 --kills 2 --json [--encrypted]
    python -m bench.copying --engine postgres --memories 100000 --kills 2 --json

A palace with vectors and sources is copied by a process that is killed with SIGKILL when a part of its rows has
arrived, again and again, and then goes on to the end. The copy compares every row with its source by a digest and
verifies itself; here it is opened once more and asked for the same first ten. With a server the palace goes there and
back into a file, and is killed so on both ways. Seconds of processor time are those of the copying processes alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.common import Corpus, machine, show
from bench.engines import ENGINES, server
from bench.writes import DIMENSIONS, prepare
from palazzo import Memory
from palazzo.adapters.system_clock import SystemClock
from palazzo.model.change import AddSpace
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore

PROGRAM = """
import json, os, signal, sys
import palazzo
at = float(sys.argv[3])
def watch(table, done, total):
    if total and table != "digest" and done >= at * total: os.kill(os.getpid(), signal.SIGKILL)
made = palazzo.copy_palace(sys.argv[1], sys.argv[2], encrypted=sys.argv[4] == "yes", progress=watch, embedder="none")
print(json.dumps({"rows": made.rows, "memories": made.memories, "resumed": made.resumed, "digest": made.digest}))
"""


def build(folder: Path, count: int) -> None:
    with SqliteStore.create(folder, SystemClock(), StoreOptions()) as store:
        store.commit([AddSpace("bench", "bench", DIMENSIONS)])
        for changes in prepare(count):
            store.commit(changes)
        store.upkeep.run()


def first_ten(place: Path | str, **more: Any) -> list[list[str]]:
    corpus = Corpus(seed=5)
    with Memory(place, create=False, embedder="none", upkeep=False, **more) as memory:
        return [[str(hit.memory.id) for hit in memory.recall(corpus.question(), limit=10)] for _ in range(20)]


def carried(source: str, target: str, options: argparse.Namespace, phrase: dict[str, str]) -> dict[str, Any]:
    """One copy, killed on the way, and what came of it."""
    environment = {**os.environ, **phrase}  # noqa: TID251
    before, began, kills = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), 0
    for kill in range(options.kills + 1):
        at = (kill + 1) / (options.kills + 1) if kill < options.kills else 2.0
        command = [sys.executable, "-c", PROGRAM, source, target, str(at), "yes" if options.encrypted else ""]
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
        kills += done.returncode == -signal.SIGKILL
        assert done.returncode in (0, -signal.SIGKILL), done.stderr[-2000:]
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    made = json.loads(done.stdout)
    opened = {"passphrase": phrase["PALAZZO_PASSPHRASE"]} if phrase else {}
    with Memory(target, create=False, embedder="none", upkeep=False, **opened) as memory:
        clean = memory.verify().clean
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "kills": kills, "rows": made["rows"], "resumed": made["resumed"], "digest": made["digest"],
        "verify_clean": clean,
        "wall_s": round(took, 1), "cpu_s": round(cpu, 1), "rows_per_cpu_s": round(made["rows"] / cpu),
    }  # fmt: skip


def run(scratch: Path, options: argparse.Namespace) -> dict[str, Any]:
    source, target = scratch / "source", scratch / "target"
    if not source.exists():
        build(source, options.memories)
    phrase = {"PALAZZO_PASSPHRASE": "a palace for the benchmark"} if options.encrypted else {}
    told = {"machine": machine(), "memories": options.memories, "encrypted": options.encrypted}
    with server(options.engine) as started:
        if started is None:
            made = carried(str(source), str(target), options, phrase)
            opened = {"passphrase": phrase["PALAZZO_PASSPHRASE"]} if phrase else {}
            return {**told, **made, "same_first_ten": first_ten(source) == first_ten(target, **opened)}
        os.environ["XDG_DATA_HOME"] = str(scratch / "data")  # noqa: TID251
        there = f"{started.address}?palace=copied"
        out = carried(str(source), there, options, phrase)
        back = carried(there, str(target), options, phrase)
        same = (out["rows"], out["digest"]) == (back["rows"], back["digest"])
        tens = [first_ten(place) for place in (source, there, target)]  # asked at last: a question leaves a trail
        same_ten = tens[0] == tens[1] == tens[2]
    return {**told, "there": out, "back": back, "same_digest": same, "same_first_ten": same_ten}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--engine", choices=ENGINES, default="sqlite", help="postgres: there and back")
    parser.add_argument("--encrypted", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        show(run(Path(scratch), options), options.json)


if __name__ == "__main__":
    main()
