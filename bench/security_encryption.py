"""What encrypting the whole file costs a recall: the same questions to two copies of one palace, one of them encrypted.

    python -m bench.security_encryption --memories 100000 --json [--folder bench/work]

Each question is asked of both copies in turn, the order changing, so that both see the machine in the same state; times
are CPU times of this process. `overhead` is the encrypted median over the plain one, less one, for recall, a point read
and a durable write.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.common import Corpus, machine, percentiles, show
from bench.latency import DIMENSIONS, build, patterns
from mnemon.adapters.palace_keys import PalaceKeys
from mnemon.adapters.system_clock import SystemClock
from mnemon.model.address import Place
from mnemon.model.change import Attachments, PlaceMemory
from mnemon.model.ids import new_id
from mnemon.model.memory import RevisionDraft
from mnemon.store.connection import OpenOptions
from mnemon.store.encryption import rekey
from mnemon.store.store import FILE, Store, StoreOptions

KEYS = PalaceKeys(hashlib.sha256(b"bench").digest())
MEASURED = ("recall", "point_read", "text_question", "vector")


def copies(folder: Path, count: int) -> tuple[Path, Path, list[UUID]]:
    """The plain palace and its encrypted copy, made once and kept."""
    plain, locked = folder / f"plain-{count}", folder / f"encrypted-{count}"
    if not (plain / FILE).exists():
        build(plain, count)
    if not (locked / FILE).exists():
        locked.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(plain / FILE, locked / FILE)
        rekey(locked / FILE, None, KEYS.of("database"))
    raw = (folder / f"plain-{count}.ids").read_bytes()
    return plain, locked, [UUID(bytes=raw[at : at + 16]) for at in range(0, len(raw), 16)]


def opened(folder: Path, key: bytes | None) -> Store:
    options = StoreOptions(file=OpenOptions(key=key), upkeep=False)
    return Store.open(folder, SystemClock(), options)


def alternating(
    calls: tuple[Callable[[], object], Callable[[], object]], rounds: int
) -> tuple[list[float], list[float]]:
    """CPU seconds of both calls, asked in turn; the first tenth warms the caches and is left out."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + rounds // 10):
        for which in (0, 1) if number % 2 else (1, 0):
            began = time.process_time()
            calls[which]()
            if number >= rounds // 10:
                times[which].append(time.process_time() - began)
    return times


def writer(store: Store, corpus: Corpus) -> Callable[[], object]:
    def write() -> object:
        memory_id = new_id(time.time_ns() // 1000)
        vector = corpus.vectors(1)[0]
        return store.commit([PlaceMemory(
            memory_id=memory_id, place=Place(("work", "new")), name=f"m-{memory_id.hex}", kind="fact",
            content=RevisionDraft(text=corpus.texts(1)[0]), attachments=Attachments(vectors={"bench": vector}),
        )])  # fmt: skip

    return write


def run(folder: Path, count: int, rounds: int) -> dict[str, Any]:
    plain, locked, ids = copies(folder, count)
    with opened(plain, None) as first, opened(locked, KEYS.of("database")) as second:
        # Equal seeds: both copies are asked the same questions in the same order.
        asked = [patterns(store, ids, Corpus(seed=41, dimensions=DIMENSIONS)) for store in (first, second)]
        result: dict[str, Any] = {"memories": count, "rounds": rounds, **machine()}
        for name in MEASURED:
            plain_s, locked_s = alternating((asked[0][name], asked[1][name]), rounds)
            result[name] = told(plain_s, locked_s)
        writers = [writer(store, Corpus(seed=43, dimensions=DIMENSIONS)) for store in (first, second)]
        plain_s, locked_s = alternating((writers[0], writers[1]), min(rounds, 200))
        result["write"] = told(plain_s, locked_s)
    return result


def told(plain_s: list[float], locked_s: list[float]) -> dict[str, Any]:
    plain, locked = percentiles(plain_s), percentiles(locked_s)
    return {"plain": plain, "encrypted": locked, "overhead": round(locked["p50_ms"] / plain["p50_ms"] - 1, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.folder:
        show(run(given.folder, given.memories, given.rounds), given.json)
        return
    with tempfile.TemporaryDirectory() as folder:
        show(run(Path(folder), given.memories, given.rounds), given.json)


if __name__ == "__main__":
    main()
