"""How fast whole memories are committed: text index, vector, journal and audit included, embedding excluded.

    python -m bench.writes --memories 20000 --json
    python -m bench.writes --engine postgres --memories 5000 --singles 400 --json

Side by side in one run with a reference: raw SQLite through the same binding, one table with the text and the vector,
one FTS5 row, the same batches and the same durability.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from bench.common import Corpus, batches, machine, show
from bench.engines import ENGINES, create_store, open_store, server
from palazzo import Memory
from palazzo.adapters.system_clock import SystemClock
from palazzo.errors import PalaceBusy
from palazzo.model.address import Place
from palazzo.model.change import AddSpace, Attachments, Change, PlaceMemory
from palazzo.model.graph import ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore

BATCH = 500
DIMENSIONS = 384
WARM = {"stored": 40, "verbatim": 8, "understood": 8}
"""Writes of each thread before the clock starts, all of them at once as they will be then: the server has met each
statement, those of groups too."""
STORED = 5
"""Prepared memories are written so many times as often: they are short."""
TURNS = 2
"""How often one writer and eight take turns, so that the machine's other load falls on all of them."""
MODES = ("stored", "verbatim", "understood")


def prepare(count: int, seed: int = 7) -> list[list[Change]]:
    """Batches of whole memories with a vector and a source each, made before the clock starts."""
    corpus = Corpus(seed=seed, dimensions=DIMENSIONS)
    made = []
    for size in batches(count, BATCH):
        now = time.time_ns() // 1000
        node = ProvenanceNode(id=new_id(now), kind="conversation", at_us=now, label="chat")
        changes: list[Change] = []
        for text, vector in zip(corpus.texts(size), corpus.vectors(size), strict=True):
            memory_id = new_id(now)
            attachments = Attachments(vectors={"bench": vector}, sources=(Source(node=node, start=0, end=len(text)),))
            changes.append(
                PlaceMemory(
                    memory_id=memory_id, place=Place(("work", f"desk{hash(text) % 50}")), name=f"m-{memory_id.hex}",
                    kind="fact", content=RevisionDraft(text=text), attachments=attachments,
                )
            )  # fmt: skip
        made.append(changes)
    return made


def _open(folder: str | Path, upkeep: bool = True) -> Any:
    return open_store(folder, StoreOptions(upkeep=upkeep))


def batch_rate(folder: str | Path, work: list[list[Change]]) -> float:
    with _open(folder) as store:
        began = time.perf_counter()
        for changes in work:
            store.commit(changes)
        return sum(map(len, work)) / (time.perf_counter() - began)


def single_rate(folder: str | Path, count: int) -> float:
    singles = [change for changes in prepare(count, seed=11) for change in changes]
    with _open(folder) as store:
        began = time.perf_counter()
        for change in singles:
            store.commit([change])
        return len(singles) / (time.perf_counter() - began)


def threads_rate(folder: str | Path, count: int, threads: int = 8) -> float:
    """Single durable commits from several threads at once: group commit shares the syncs."""
    singles = [change for changes in prepare(count, seed=13) for change in changes]
    with _open(folder) as store:
        parts = [singles[n::threads] for n in range(threads)]
        workers = [
            threading.Thread(target=lambda part=part: [store.commit([change]) for change in part]) for part in parts
        ]
        began = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return len(singles) / (time.perf_counter() - began)


def _process(folder: str | Path, count: int, seed: int, gate: Any, results: Any) -> None:
    work = prepare(count, seed)
    locked = 0
    with _open(folder) as store:
        gate.wait()
        began = time.perf_counter()
        for changes in work:
            try:
                store.commit(changes)
            except PalaceBusy:
                locked += 1
        results.put((began, time.perf_counter(), count, locked))


def processes_rate(folder: str | Path, count: int, processes: int = 8) -> tuple[float, int]:
    """Batches from several processes at once: total rate, and how many calls met a locked palace."""
    context = multiprocessing.get_context("spawn")
    gate, results = context.Barrier(processes), context.Queue()
    workers = [
        context.Process(target=_process, args=(folder, count // processes, 100 + n, gate, results))
        for n in range(processes)
    ]
    for worker in workers:
        worker.start()
    found = [results.get() for _ in workers]
    for worker in workers:
        worker.join()
    elapsed = max(end for _, end, _, _ in found) - min(began for began, _, _, _ in found)
    return sum(n for _, _, n, _ in found) / elapsed, sum(locked for *_, locked in found)


def raw_rate(file: Path, work: list[list[Change]]) -> float:
    """The reference: plain SQLite, a table and FTS5."""
    connection = apsw.Connection(str(file))
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, uuid BLOB UNIQUE, text TEXT, vector BLOB)")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter')")
    began, number = time.perf_counter(), 0
    for changes in work:
        with connection:
            for change in changes:
                assert isinstance(change, PlaceMemory)
                number += 1
                vector = change.attachments.vectors["bench"].tobytes()
                connection.execute(
                    "INSERT INTO note VALUES (?,?,?,?)", (number, change.memory_id.bytes, change.content.text, vector)
                )
                connection.execute("INSERT INTO words(rowid, text) VALUES (?,?)", (number, change.content.text))
    rate = number / (time.perf_counter() - began)
    connection.close()
    return rate


def run(memories: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="palazzo-writes-") as base:
        folder = Path(base) / "palace"
        with SqliteStore.create(folder, SystemClock()) as store:
            store.commit([AddSpace("bench", "random", DIMENSIONS)])
        work = prepare(memories)
        raw = raw_rate(Path(base) / "raw.db", work)
        raw_single = raw_rate(Path(base) / "single.db", [[change] for change in work[0]])
        batch = batch_rate(folder, work)
        single = single_rate(folder, min(2000, memories))
        threads = threads_rate(folder, min(4000, memories))
        total, locked = processes_rate(folder, memories)
    return {
        "memories": memories, "batch_per_s": round(batch), "single_per_s": round(single),
        "threads8_single_per_s": round(threads), "processes8_per_s": round(total),
        "processes8_share": round(total / batch, 2), "locked_errors": locked, "raw_sqlite_per_s": round(raw),
        "raw_single_per_s": round(raw_single),
        "ratio_to_raw": round(batch / raw, 2), "machine": machine(),
    }  # fmt: skip


def _remembered(place: str, mode: str, seed: int, count: int) -> Callable[[int], None]:
    """What writes one memory after another: prepared changes, or whole calls of the library by its writer's number."""
    if mode == "stored":
        store, work = _open(place), [change for changes in prepare(count, seed) for change in changes]
        return lambda n: store.commit([work[n]]) and None
    memory, texts = Memory(place, create=False, upkeep=False), list(Corpus(seed=seed).texts(count))
    return lambda n: memory.remember(f"{texts[n]} ({seed}-{n})", verbatim=mode == "verbatim") and None


def _at_once(write: Callable[[int], None], numbers: range, threads: int) -> None:
    """Each thread writes an equal part."""
    parts = [numbers[n::threads] for n in range(threads)]
    workers = [threading.Thread(target=lambda part=part: [write(n) for n in part]) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def _writing(place: str, mode: str, seed: int, told: tuple[int, int], gate: Any, results: Any) -> None:
    """One process: its threads write; when it began and ended, and its processor time."""
    count, threads = told
    warm = WARM[mode] * threads
    write = _remembered(place, mode, seed, count + warm)
    gate.wait()
    _at_once(write, range(count, count + warm), threads)
    gate.wait()
    began, cpu = time.perf_counter(), time.process_time()
    _at_once(write, range(count), threads)
    results.put((began, time.perf_counter(), time.process_time() - cpu))


def _mean(turns: list[dict[str, float]]) -> dict[str, float]:
    """Of the same number of writes each: the rate is that of all of them together."""
    found = {name: round(sum(one[name] for one in turns) / len(turns), 2) for name in turns[0]}
    return {**found, "per_s": round(len(turns) / sum(1 / one["per_s"] for one in turns), 1)}


def writers_rate(started: Any, place: str, mode: str, told: tuple[int, int, int], turn: int = 0) -> dict[str, float]:
    """Single durable writes by that many processes and threads: a second, and processor time for each."""
    count, processes, threads = told
    context = multiprocessing.get_context("spawn")
    gate, results = context.Barrier(processes + 1), context.Queue()
    each = (count // processes, threads)
    workers = [
        context.Process(
            target=_writing, args=(place, mode, 1000 * turn + 100 * processes + 10 * threads + n, each, gate, results)
        )
        for n in range(processes)
    ]
    for worker in workers:
        worker.start()
    gate.wait()  # they write a little
    gate.wait()
    server_cpu = started.processor_s()
    found = [results.get() for _ in workers]
    server_cpu = started.processor_s() - server_cpu
    for worker in workers:
        worker.join()
    elapsed = max(end for _, end, _ in found) - min(began for began, _, _ in found)
    return {
        "per_s": round(count / elapsed, 1), "client_ms": round(sum(cpu for *_, cpu in found) / count * 1000, 2),
        "server_ms": round(server_cpu / count * 1000, 2),
    }  # fmt: skip


def _sync_ms(folder: Path, times: int = 50) -> float:
    """How long the disk takes to make a page lasting."""
    with (folder / "sync").open("wb", buffering=0) as file:
        began = time.perf_counter()
        for _ in range(times):
            file.write(bytes(8192))
            os.fdatasync(file.fileno())
        return (time.perf_counter() - began) / times * 1000


def run_on_server(memories: int, singles: int) -> dict[str, Any]:
    """One writer and eight, durable, on PostgreSQL: prepared changes, `verbatim` and understood; threads of one
    process (a daemon's), and processes. How much faster eight are is told by the clock and by processor time."""
    found: dict[str, Any] = {"engine": "postgres", "memories": memories, "singles": singles}
    with server("postgres") as started:
        assert started is not None
        found["sync_ms"] = round(_sync_ms(started.folder), 2)
        for mode in MODES:
            place = f"{started.address}?palace={mode}"
            with create_store(place) as store:
                store.commit([AddSpace("bench", "random", DIMENSIONS)])
            if mode == "stored":
                found["batch_per_s"] = round(batch_rate(place, prepare(memories)))
            each = singles * (STORED if mode == "stored" else 1)
            ways = {"one": (each, 1, 1), "threads8": (each * 2, 1, 8), "processes8": (each * 2, 8, 1)}
            taken: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
            for turn in range(TURNS):
                for way in list(ways)[:: -1 if turn % 2 else 1]:
                    taken[way].append(writers_rate(started, place, mode, ways[way], turn))
            one, threads, processes = (_mean(taken[way]) for way in ways)
            found[mode] = {"one": one, "threads8": threads, "processes8": processes}
            for name, eight in (("threads8", threads), ("processes8", processes)):
                cpu = (one["client_ms"] + one["server_ms"]) / (eight["client_ms"] + eight["server_ms"])
                found[f"{mode}_{name}_over_one"] = round(eight["per_s"] / one["per_s"], 2)
                found[f"{mode}_{name}_cpu_over_one"] = round(cpu, 2)
    return {**found, "machine": machine()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--singles", type=int, default=400, help="on a server: writes of one writer")
    parser.add_argument("--engine", choices=ENGINES, default="sqlite")
    arguments = parser.parse_args()
    on_server = arguments.engine == "postgres"
    found = run_on_server(arguments.memories, arguments.singles) if on_server else run(arguments.memories)
    show(found, arguments.json)


if __name__ == "__main__":
    main()
