"""The safety test: many processes write, read, build indexes and back up one palace while one after another is killed.

    python -m bench.safety --processes 8 --seconds 180 [--encrypted] --json

Every worker notes what was acknowledged to it in a log of its own, after the commit returned. At the end a fresh
process opens the palace and checks that each acknowledged memory is there word for word (`lost`), that no batch is
there in part (`torn`), that `verify` finds nothing and the journal has no gap.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from bench.common import Corpus, machine, show
from mnemon.adapters.system_clock import SystemClock
from mnemon.model.address import Place
from mnemon.model.change import AddRevision, AddSpace, Attachments, Change, MoveTag, PlaceMemory
from mnemon.model.ids import new_id
from mnemon.model.memory import RevisionDraft
from mnemon.model.view import View
from mnemon.store import backup, care, journal, memories, search
from mnemon.store.connection import OpenOptions
from mnemon.store.store import Store, StoreOptions
from mnemon.text.words.tokens import terms

KEY = hashlib.sha256(b"bench").digest()
DIMENSIONS = 64
ROLES = ("single", "batch", "revise", "read", "upkeep", "backup", "batch", "single")


def options(encrypted: bool, *, upkeep: bool = False) -> StoreOptions:
    return StoreOptions(file=OpenOptions(key=KEY if encrypted else None), upkeep=upkeep)


def make(text: str, vector: np.ndarray[Any, np.dtype[np.float32]]) -> PlaceMemory:
    memory_id = new_id(time.time_ns() // 1000)
    return PlaceMemory(
        memory_id=memory_id, place=Place(("work", f"desk{random.randrange(40)}")), name=f"m-{memory_id.hex}",
        kind="fact", content=RevisionDraft(text=text), attachments=Attachments(vectors={"bench": vector}),
    )  # fmt: skip


class Worker:
    """One process's loop; everything it is told was committed goes to its log."""

    def __init__(self, folder: Path, role: str, log: Path, encrypted: bool) -> None:
        self.store = Store.open(folder, SystemClock(), options(encrypted, upkeep=role == "batch"))
        self.corpus = Corpus(seed=random.randrange(1 << 30), dimensions=DIMENSIONS)
        self.role = role
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.mine: list[UUID] = []

    def run(self) -> None:
        work = getattr(self, self.role)
        while True:
            work()

    def acknowledge(self, lines: list[str]) -> None:
        os.write(self.log, "".join(line + "\n" for line in lines).encode())

    def place(self, count: int) -> None:
        batch = new_id(time.time_ns() // 1000).hex
        texts = [f"batch {batch} {n} of {count} {text}" for n, text in enumerate(self.corpus.texts(count))]
        changes: list[Change] = [make(t, v) for t, v in zip(texts, self.corpus.vectors(count), strict=True)]
        self.store.commit(changes, subject="agent:bench")
        self.acknowledge([f"placed {c.memory_id} {_digest(t)}" for c, t in zip(changes, texts, strict=True)])  # type: ignore[union-attr]
        self.mine = (self.mine + [c.memory_id for c in changes])[-200:]  # type: ignore[union-attr]

    def single(self) -> None:
        self.place(1)

    def batch(self) -> None:
        self.place(random.choice((10, 50, 200)))

    def revise(self) -> None:
        if not self.mine:
            self.place(5)
        memory_id = random.choice(self.mine)
        text = f"revised {self.corpus.texts(1)[0]}"
        self.store.commit([AddRevision(memory_id=memory_id, content=RevisionDraft(text=text))], subject="agent:bench")
        self.acknowledge([f"revised {memory_id} {_digest(text)}"])
        if random.random() < 0.2:
            self.store.commit([MoveTag(memory_id, "approved", 1)])

    def read(self) -> None:
        with self.store.reading(View()) as reading:
            words = tuple(terms(self.corpus.question()))
            hits = search.text(self.store, reading, search.TextSearch(terms=words, limit=20))
            near = search.vector(self.store, reading, search.VectorSearch(vector=self.corpus.vectors(1)[0], limit=20))
            found = memories.by_keys(reading, [*hits.keys.tolist(), *near.keys.tolist()])
            assert len(found) >= max(len(hits.keys), len(near.keys)), "an index hit could not be read"

    def upkeep(self) -> None:
        self.store.upkeep.run()
        time.sleep(0.05)

    def backup(self) -> None:
        target = self.store.folder / "backups" / f"{os.getpid()}-{time.time_ns()}.db"
        backup.backup(self.store.database, target, None)
        target.unlink()
        time.sleep(0.2)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def spawn(folder: Path, number: int, role: str, logs: Path, encrypted: bool) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bench.safety", "--worker", role, "--folder", str(folder)]
    command += ["--log", str(logs / f"{number}-{time.time_ns()}.log")] + (["--encrypted"] if encrypted else [])
    return subprocess.Popen(command)


def torment(folder: Path, logs: Path, arguments: argparse.Namespace) -> tuple[int, list[int]]:
    """Runs the workers for the given time, killing one at random every few seconds; returns kills and odd exits."""
    workers = {
        n: spawn(folder, n, ROLES[n % len(ROLES)], logs, arguments.encrypted) for n in range(arguments.processes)
    }
    while len(list(logs.glob("*.log"))) < arguments.processes and all(w.poll() is None for w in workers.values()):
        time.sleep(0.1)  # the clock starts when every worker is at work
    ends = time.monotonic() + arguments.seconds
    kills, failures = 0, []
    while time.monotonic() < ends:
        time.sleep(random.uniform(0.5, 2.0))
        number = random.choice(list(workers))
        victim = workers[number]
        if victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            kills += 1
        else:
            failures.append(victim.returncode)
        workers[number] = spawn(folder, number, ROLES[number % len(ROLES)], logs, arguments.encrypted)
    for victim in workers.values():
        if victim.poll() is not None:
            failures.append(victim.returncode)
        victim.kill()
        victim.wait()
    return kills, failures


def check(folder: Path, logs: Path, encrypted: bool) -> dict[str, Any]:
    """Opens the palace afresh and compares it with what was acknowledged."""
    with Store.open(folder, SystemClock(), options(encrypted)) as store:
        stored: dict[str, set[str]] = {}
        batches: dict[str, list[int]] = {}
        with store.database.read() as connection:
            for uuid, text in connection.execute(
                "SELECT m.uuid, r.text FROM revision r JOIN memory m ON m.id = r.memory"
            ):
                stored.setdefault(str(UUID(bytes=uuid)), set()).add(_digest(text))
                if text.startswith("batch "):
                    _, batch, _, _, size, *_ = text.split(" ", 5)
                    batches.setdefault(batch, [int(size), 0])[1] += 1
            gaps = journal.gaps(connection)
            events = journal.last_seq(connection)
        acknowledged = lost = 0
        for log in logs.glob("*.log"):
            for line in log.read_text().splitlines():
                parts = line.split(" ")
                if len(parts) == 3 and len(parts[2]) == 16:
                    acknowledged += 1
                    lost += parts[2] not in stored.get(parts[1], set())
        problems = care.verify(store)
        return {
            "acknowledged": acknowledged, "lost": lost,
            "torn": sum(size != seen for size, seen in batches.values()),
            "verify": problems or "clean", "journal": gaps or "gapless", "events": events, "memories": len(stored),
        }  # fmt: skip


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mnemon-safety-") as base:
        folder, logs = Path(base) / "palace", Path(base) / "logs"
        logs.mkdir()
        with Store.create(folder, SystemClock(), options(arguments.encrypted)) as store:
            store.commit([AddSpace("bench", "random", DIMENSIONS)])
        kills, failures = torment(folder, logs, arguments)
        found = check(folder, logs, arguments.encrypted)
    return {
        **found, "kills": kills, "failed_workers": len(failures), "processes": arguments.processes,
        "seconds": arguments.seconds, "encrypted": arguments.encrypted, "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--encrypted", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        Worker(arguments.folder, arguments.worker, arguments.log, arguments.encrypted).run()
        return
    result = run(arguments)
    show(result, arguments.json)
    if result["lost"] or result["torn"] or result["verify"] != "clean" or result["failed_workers"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
