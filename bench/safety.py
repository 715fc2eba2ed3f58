"""The safety test: many processes write, read and look after one palace while one after another is killed.

    python -m bench.safety [--engine postgres] --processes 8 --seconds 180 [--encrypted] --json

They purge, burn, forget users, back up, verify, encrypt copies, rebuild and run the doctor and upkeep while others
write; `operations` counts what was completed and `interrupted` what a kill cut off. Every worker notes what was
acknowledged to it in a log of its own (`bench.safety_worker`). At the end a fresh process opens the palace and checks
that each acknowledged memory is there word for word unless somebody began to erase it (`lost`), that nothing is there
whose erasure was acknowledged (`back`), that no batch is there in part (`torn`), that `verify` finds nothing and the
journal has no gap. On PostgreSQL the server is killed once in between, and a Redis that the workers share is killed
and started again (`redis_kills` is 0 where none is installed). The palace is kept at a bounded size: an hour
(`--seconds 3600`) costs twenty times three minutes.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.common import machine, show
from bench.engines import ENGINES, create_store, open_store, server
from bench.safety_worker import DIMENSIONS, OPERATIONS, ROLES, CareWorker, Worker, batch_of, digest, options
from palazzo.guard.erasure import Erasure
from palazzo.model.change import AddSpace
from palazzo.store.sql import journal
from palazzo.testing.postgres import Server

LONGEST_GAP_S = 3.0
SHORTEST_GAP_S = 0.75


class Redis:
    """A working store that the workers share, killed and started again; none where no server of it is installed."""

    def __init__(self, folder: Path) -> None:
        self._program = shutil.which("redis-server") or shutil.which("valkey-server") or ""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://{folder / 'redis.sock'}" if self._program else ""
        self.kills = 0

    def start(self) -> None:
        if self._program and self._process is None:
            told = ["--port", "0", "--unixsocket", str(self._folder / "redis.sock"), "--save", "", "--appendonly", "no"]
            self._process = subprocess.Popen(
                [self._program, *told, "--dir", str(self._folder)], stdout=subprocess.DEVNULL
            )

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            self.kills += 1


def spawn(folder: str | Path, number: int, logs: Path, encrypted: bool, redis: str = "") -> subprocess.Popen[bytes]:
    role = ROLES[number % len(ROLES)]
    command = [sys.executable, "-m", "bench.safety", "--worker", role, "--folder", str(folder)]
    command += ["--log", str(logs / f"{number}-{time.time_ns()}.log")] + (["--encrypted"] if encrypted else [])
    command += ["--redis", redis] if redis else []
    return subprocess.Popen(command)


def torment(
    folder: str | Path, logs: Path, arguments: argparse.Namespace, server: Server | None, redis: Redis
) -> tuple[int, list[int]]:
    """Runs the workers for the given time, killing one at random every few seconds; returns kills and odd exits."""
    url = redis.url if server is not None else ""
    workers = {n: spawn(folder, n, logs, arguments.encrypted, url) for n in range(arguments.processes)}
    while len(list(logs.glob("*.log"))) < arguments.processes and all(w.poll() is None for w in workers.values()):
        time.sleep(0.1)  # the clock starts when every worker is at work
    ends = time.monotonic() + arguments.seconds
    gap_s = min(LONGEST_GAP_S, max(SHORTEST_GAP_S, arguments.seconds / 12))
    kills, failures, server_dies = 0, [], time.monotonic() + arguments.seconds / 2
    while time.monotonic() < ends:
        if server is not None and time.monotonic() > server_dies:
            server.kill()
            server.start()
            server_dies = ends
        if server is not None:
            over = 1 - (ends - time.monotonic()) / arguments.seconds
            if over > 0.3 and not redis.kills:
                redis.kill()
            elif over > 0.6:
                redis.start()
        time.sleep(gap_s * random.uniform(0.5, 1.5))
        number = random.choice(list(workers))
        victim = workers[number]
        if victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            kills += 1
        else:
            failures.append(victim.returncode)
        workers[number] = spawn(folder, number, logs, arguments.encrypted, url)
    for victim in workers.values():
        if victim.poll() is not None:
            failures.append(victim.returncode)
        victim.kill()
        victim.wait()
    return kills, failures


@dataclass(slots=True)
class Told:
    """What the logs of all workers say."""

    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    erasing: set[str] = field(default_factory=set)
    broken_up: set[str] = field(default_factory=set)
    """Batches of which something was to be erased."""
    erased: set[str] = field(default_factory=set)
    begun: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)


def told(logs: Path) -> Told:
    """Reads every line that was written whole."""
    found = Told()
    counters = {"began": found.begun, "did": found.done, "left": found.left}
    for log in logs.glob("*.log"):
        *lines, _ = log.read_text().split("\n")
        for line in lines:
            what, name, *rest = line.split(" ")
            if what in counters:
                counters[what][name] += 1
            elif what == "erasing":
                found.erasing.add(name)
                found.broken_up.add(rest[0])
            elif what == "erased":
                found.erased.add(name)
            else:
                found.acknowledged.append((name, rest[0]))
    return found


def check(folder: str | Path, logs: Path, encrypted: bool) -> dict[str, Any]:
    """Opens the palace afresh and compares it with what was acknowledged."""
    found = told(logs)
    with open_store(folder, options(encrypted)) as store:
        Erasure(store, None).finish()
        stored: dict[str, set[str]] = {}
        batches: dict[str, list[int]] = {}
        with store.database.read() as connection:
            for uuid, text in connection.execute(
                "SELECT m.uuid, r.text FROM revision r JOIN memory m ON m.id = r.memory"
            ):
                stored.setdefault(str(UUID(bytes=uuid)), set()).add(digest(text))
                batch, size = batch_of(text)
                if batch:
                    batches.setdefault(batch, [size, 0])[1] += 1
            gaps = journal.gaps(connection)
            events = journal.last_seq(connection)
        lost = [
            memory for memory, text in found.acknowledged
            if text not in stored.get(memory, set()) and memory not in found.erasing
        ]  # fmt: skip
        problems = store.care.verify()
        return {
            "acknowledged": len(found.acknowledged), "lost": len(lost), "back": len(found.erased & set(stored)),
            "torn": sum(size != seen for name, (size, seen) in batches.items() if name not in found.broken_up),
            "verify": problems or "clean", "journal": gaps or "gapless", "events": events, "memories": len(stored),
            "operations": {name: found.done[name] for name in OPERATIONS},
            "interrupted": {name: found.begun[name] - found.done[name] for name in OPERATIONS},
            "erased": len(found.erased), "traces_left": dict(found.left),
        }  # fmt: skip


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="palazzo-safety-") as base:
        folder, logs = Path(base) / "palace", Path(base) / "logs"
        logs.mkdir()
        with server(arguments.engine) as started:
            where: str | Path = folder if started is None else f"{started.address}?palace=safety"
            with create_store(where, options(arguments.encrypted)) as store:
                store.commit([AddSpace("bench", "random", DIMENSIONS)])
            redis = Redis(Path(base))
            if started is not None:
                redis.start()
            try:
                kills, failures = torment(where, logs, arguments, started, redis)
            finally:
                stopped = redis.kills
                redis.kill()
            found = check(where, logs, arguments.encrypted)
    return {
        **found, "kills": kills, "failed_workers": len(failures), "processes": arguments.processes,
        "engine": arguments.engine, "server_kills": int(arguments.engine == "postgres"),
        "redis_kills": stopped,
        "seconds": arguments.seconds, "encrypted": arguments.encrypted, "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--engine", choices=ENGINES, default="sqlite", help="on PostgreSQL the server is killed once, and a Redis too"
    )
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--encrypted", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--redis", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        kind = CareWorker if arguments.worker == "care" else Worker
        kind(arguments.folder, arguments.worker, arguments.log, arguments.encrypted, arguments.redis).run()
        return
    result = run(arguments)
    show(result, arguments.json)
    bad = ("lost", "back", "torn", "failed_workers")
    if any(result[name] for name in bad) or result["verify"] != "clean" or result["journal"] != "gapless":
        sys.exit(1)


if __name__ == "__main__":
    main()
