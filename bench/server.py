"""What the network adds to a recall, and how a daemon holds up under many clients at once.

    python -m bench.server --memories 100000 --clients 200 --seconds 60 --json [--folder bench/work]
    python -m bench.server --workers 2 --json

One palace, one daemon in its own process, one run: the same cues through the library, HTTP (one kept connection) and
the Unix socket, in turn, so that the machine's load falls on all three alike; then many clients at once over HTTP, each
on a connection of its own, with the daemon's resident memory from beginning to end. They ask for `--warm-up` seconds
before that: caches with a bound are full then, and what still grows would grow for ever.

With `--workers N` one worker and N take turns instead, a daemon each on a copy of the palace, in slices of the same
clients one after the other (1 N N 1 ...), so that the machine's other load falls on both. The clients run beside them
on the same cores and so does whatever else the machine does; therefore the ratio is told twice. `by_wall_clock` is
answers a second as they came. `by_processor_time` is what N workers answer in a second in which each has a core for
itself, by the answers per second of processor time that each side had: one worker counts as the cores it really used
when it had more than one (the parts of a recall that let go of the interpreter's lock run beside each other).
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import Corpus, batches, machine, percentiles, show
from palazzo import Memory
from palazzo.adapters.system_clock import SystemClock
from palazzo.model.address import Place
from palazzo.model.change import PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.surfaces.socket.client import Daemon

SUBJECT = "agent:primary"


def build(folder: Path, count: int, texts: Callable[[int], list[str]] | None = None) -> None:
    """A palace of short texts in a few thousand places."""
    told = texts or Corpus().texts
    with SqliteStore.create(folder, SystemClock(), StoreOptions()) as store:
        for size in batches(count, 1000):
            now = time.time_ns() // 1000
            made = [
                PlaceMemory(
                    memory_id=(memory_id := new_id(now)), place=Place(("work", f"p{n % 50}", f"q{n % 97}")),
                    name=f"m-{memory_id.hex}", kind="fact", content=RevisionDraft(text=text),
                )
                for n, text in enumerate(told(size))
            ]  # fmt: skip
            store.commit(made, subject=SUBJECT)
        store.upkeep.run()


class Server:
    """A daemon process and where it listens."""

    def __init__(self, folder: Path, workers: int = 1) -> None:
        command = [sys.executable, "-m", "palazzo", "--palace", str(folder), "serve", "--port", "0"]
        command += ["--workers", str(workers)] if workers > 1 else []
        environment = {**os.environ, "PALAZZO_EMBEDDER": "none"}  # noqa: TID251
        log = folder / "serve.log"
        with log.open("w") as file:
            self.process = subprocess.Popen(command, env=environment, stderr=file)
        while not (said := log.read_text().partition("\n"))[1]:
            assert self.process.poll() is None, said[0]
            time.sleep(0.05)
        told = json.loads(said[0])
        self.socket = Path(told["socket"])
        self.port = int(told["url"].rpartition(":")[2])

    def rss_mb(self) -> tuple[float, float]:
        """Resident memory, and its part that is the process's own: the rest is pages of the palace file and code."""
        told = Path(f"/proc/{self.process.pid}/status").read_text()
        resident, own = (int(told.partition(f"{name}:")[2].split()[0]) / 1e3 for name in ("VmRSS", "RssAnon"))
        return round(resident, 1), round(own, 1)

    def cpu_s(self) -> float:
        """Processor time of the daemon and its workers."""
        first = self.process.pid
        every = [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]
        told = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in every)
        return sum(int(fields[11]) + int(fields[12]) for fields in told) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(60)


def timed(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def side_by_side(memory: Memory, server: Server, token: str, cues: list[str]) -> dict[str, Any]:
    """The same cues three ways, one cue after the other, so that noise falls on all."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def by_http(cue: str) -> None:
        connection.request("POST", "/v1/recall", json.dumps({"cue": cue}), headers)
        reply = connection.getresponse()
        body = reply.read()
        assert reply.status == 200, body

    reached = Daemon.reach(server.socket)
    assert reached is not None
    with reached as client:
        ways: dict[str, Callable[[str], Any]] = {
            "library": lambda cue: memory.recall(cue), "http": by_http,
            "socket": lambda cue: client.call("recall", {"cue": cue}),
        }  # fmt: skip
        for cue in cues[:50]:
            for way in ways.values():
                way(cue)
        taken: dict[str, list[float]] = {name: [] for name in ways}
        order = list(ways)
        for cue in cues:
            random.shuffle(order)
            for name in order:
                taken[name].append(timed(lambda name=name, cue=cue: ways[name](cue)))  # type: ignore[misc]
    connection.close()
    found: dict[str, Any] = {name: percentiles(seconds) for name, seconds in taken.items()}
    for name in ("http", "socket"):
        found[f"{name}_adds_p50_ms"] = round(found[name]["p50_ms"] - found["library"]["p50_ms"], 3)
    return found


@dataclass
class Crowd:
    """What many clients share: where to ask, what, until when, and what came of it."""

    port: int
    token: str
    cues: list[str]
    until: float
    taken: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


async def client(of: Crowd, number: int) -> None:
    """One client on one connection, asking again as soon as it is answered."""
    rng = random.Random(number)
    token, taken, errors = of.token, of.taken, of.errors
    reader, writer = await asyncio.open_connection("127.0.0.1", of.port)
    while time.perf_counter() < of.until:
        body = json.dumps({"cue": rng.choice(of.cues), "limit": 5}).encode()
        head = (
            f"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        began = time.perf_counter()
        writer.write(head.encode() + body)
        told = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        size = int(told.partition("content-length: ")[2].partition("\r\n")[0])
        answer = await reader.readexactly(size)
        taken.append(time.perf_counter() - began)
        if not told.startswith("http/1.1 200"):
            errors.append(f"{told[9:12]} {json.loads(answer).get('code')}")
    writer.close()


async def crowd(server: Server, token: str, cues: list[str], clients: int, seconds: float) -> dict[str, Any]:
    """Many clients at once, and what the daemon weighs meanwhile."""
    memory: list[tuple[float, float]] = []
    of = Crowd(server.port, token, cues, time.perf_counter() + seconds)
    work = [asyncio.create_task(client(of, number)) for number in range(clients)]
    cpu = server.cpu_s()
    while time.perf_counter() < of.until:
        await asyncio.sleep(min(2.0, seconds / 10))
        memory.append(server.rss_mb())
    failed = [repr(r) for r in await asyncio.gather(*work, return_exceptions=True) if isinstance(r, BaseException)]
    half = len(memory) // 2
    return {
        **percentiles(of.taken), "per_second": round(len(of.taken) / seconds, 1),
        "errors": len(of.errors) + len(failed), "first_errors": (of.errors + failed)[:3],
        "seconds": seconds, "server_cpu_s": (used := server.cpu_s() - cpu),
        "server_cpu_share": round(used / seconds, 2),
        "rss_mb_first": memory[0][0], "rss_mb_middle": memory[half][0], "rss_mb_last": memory[-1][0],
        "own_mb_first": memory[0][1], "own_mb_middle": memory[half][1], "own_mb_last": memory[-1][1],
        "own_mb_per_minute_last_half": slope([own for _, own in memory[half:]], seconds / len(memory) / 60),
    }  # fmt: skip


def in_turns(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One worker and several, a slice after the other, each on a palace of its own that is the same."""
    counts = (1, options.workers)
    folders = {count: folder.with_name(f"{folder.name}-workers-{count}") for count in counts}
    for copied in folders.values():
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(folder, copied)
    corpus = Corpus(seed=11)
    cues = [corpus.question() for _ in range(options.calls)]
    tokens, servers = {}, {}
    try:
        for count, copied in folders.items():
            with Memory(copied, embedder="none") as operator:
                tokens[count] = operator.token_create(SUBJECT).token
            servers[count] = Server(copied, count)
            asyncio.run(crowd(servers[count], tokens[count], cues, options.clients, options.warm_up / 4))
        slices: dict[int, list[dict[str, Any]]] = {count: [] for count in counts}
        for turn in range(options.turns):
            for count in counts if turn % 2 == 0 else counts[::-1]:
                lasts = options.seconds / options.turns
                slices[count].append(asyncio.run(crowd(servers[count], tokens[count], cues, options.clients, lasts)))
    finally:
        codes = {count: server.stop() for count, server in servers.items()}
        for copied in folders.values():
            shutil.rmtree(copied, ignore_errors=True)
    told = {count: _summed(found) for count, found in slices.items()}
    one, many = told[1], told[options.workers]
    cores = max(1.0, one["cores_at_most"])
    return {
        "machine": machine(), "memories": options.memories, "clients": options.clients, "workers": options.workers,
        "seconds_each": options.seconds, "turns": options.turns, "one": one, "many": many,
        "by_wall_clock": round(many["per_second"] / one["per_second"], 2),
        "by_processor_time": round(options.workers * many["per_cpu_s"] / (cores * one["per_cpu_s"]), 2),
        "errors": one["errors"] + many["errors"], "exit_codes": codes,
    }  # fmt: skip


def _summed(slices: list[dict[str, Any]]) -> dict[str, Any]:
    answers, cpu = sum(found["n"] for found in slices), sum(found["server_cpu_s"] for found in slices)
    seconds = sum(found["seconds"] for found in slices)
    return {
        "answers": answers, "per_second": round(answers / seconds, 1), "per_cpu_s": round(answers / cpu, 1),
        "cpu_ms_per_answer": round(1000 * cpu / answers, 2), "cores_used": round(cpu / seconds, 2),
        "cores_at_most": max(found["server_cpu_share"] for found in slices),
        "errors": sum(found["errors"] for found in slices),
        "first_errors": [one for found in slices for one in found["first_errors"]][:3],
    }  # fmt: skip


def slope(values: list[float], step: float) -> float:
    """By how much values grow in one unit, by least squares; they are `step` units apart."""
    return round(float(np.polyfit(np.arange(len(values)) * step, values, 1)[0]), 2) if len(values) > 1 else 0.0


def run(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    if not (folder / "palace.db").exists():
        build(folder, options.memories)
    if options.workers > 1:
        return in_turns(folder, options)
    corpus = Corpus(seed=11)
    cues = [corpus.question() for _ in range(options.calls)]
    with Memory(folder, embedder="none", subject=SUBJECT) as memory:
        operator = Memory(folder, embedder="none")
        token = operator.token_create(SUBJECT).token
        operator.close()
        server = Server(folder)
        try:
            alone = side_by_side(memory, server, token, cues)
            before = asyncio.run(crowd(server, token, cues, options.clients, options.warm_up))
            together = asyncio.run(crowd(server, token, cues, options.clients, options.seconds))
        finally:
            code = server.stop()
    return {
        "machine": machine(), "memories": options.memories, "one_caller": alone, "clients": options.clients,
        "warm_up_s": options.warm_up, "warm_up": {"calls": before["n"], "errors": before["errors"]},
        "seconds": options.seconds, "crowd": together, "exit_code": code,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--warm-up", type=float, default=60)
    parser.add_argument("--workers", type=int, default=1, help="compare so many workers with one")
    parser.add_argument("--turns", type=int, default=6, help="slices of each, one after the other")
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        show(run(options.folder / f"server-{options.memories}", options), options.json)
        return
    with tempfile.TemporaryDirectory() as scratch:
        show(run(Path(scratch) / "palace", options), options.json)


if __name__ == "__main__":
    main()
