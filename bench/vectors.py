"""Measures the vector index: `python -m bench.vectors --vectors N --dimensions D [--data FOLDER] --json [--grow]
[--keep FILE]`.

Vectors are WordLlama embeddings of real sentences and overlapping word windows from the texts in FOLDER, queries
its questions, held out of the vectors. Dimensions beyond 256 are filled with the embeddings of the text's first
half, then of its second. `--embedded FOLDER` takes vectors.npy and queries.npy of another model instead. The answer
to compare with is a scan of all stored vectors in single precision, which runs beside it. `--grow` does upkeep
while adding, as a palace in use would; without it everything is added and flushed first and the lists are built
once. Times of processor and of the clock are both given: the second depends on who else uses the machine.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.adapters.model_files import load_tokenizer
from palazzo.adapters.wordllama_embedder import FOLDER, STEPS, TABLE, TOKENIZER, WEIGHTS
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import Space, VectorCache, VectorQuery
from palazzo.store.sql.tables import SqlTables
from palazzo.store.sqlite import padding

Array = NDArray[np.float32]
BATCH = 100
CACHE_BYTES = 96 << 20
QUERIES = 400


# -- real embeddings -------------------------------------------------------------------------------


def texts_in(folder: Path) -> tuple[list[str], list[str]]:
    """Every text of some length in the JSON and text files of a folder, and every question, apart."""
    texts: set[str] = set()
    questions: set[str] = set()

    def walk(value: Any, key: str) -> None:
        if isinstance(value, str):
            if key in ("question", "trigger_query"):
                questions.add(value)
            elif len(value.split()) >= 4:
                texts.add(value)
        elif isinstance(value, dict):
            for name, part in value.items():
                walk(part, name)
        elif isinstance(value, list):
            for part in value:
                walk(part, key)

    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            walk(json.loads(path.read_text(encoding="utf-8-sig")), "")
        elif path.suffix == ".jsonl":
            for line in path.read_text(encoding="utf-8").splitlines():
                walk(json.loads(line), "")
        elif path.suffix == ".txt":
            texts.add(path.read_text(encoding="utf-8"))
    return sorted(texts - questions), sorted(questions)


def windows(texts: Sequence[str], count: int) -> list[str]:
    """Sentences and overlapping windows of 6 to 32 words, as many as asked for (or as there are), shuffled."""
    chance = random.Random(1)
    found: dict[str, None] = {}
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
            if 4 <= len(sentence.split()) <= 60:
                found[sentence.strip()] = None
    words = [text.split() for text in texts]
    stride = max(0.3, 0.97 * sum(map(len, words)) / max(1, count - len(found)))
    for text_words in words:
        place = 0.0
        while place < len(text_words) - 5:
            found[" ".join(text_words[int(place) : int(place) + chance.randint(6, 32)])] = None
            place += stride * chance.uniform(0.5, 1.5)
    made = list(found)
    chance.shuffle(made)
    return made[:count]


def parts(ids: list[int]) -> tuple[list[int], ...]:
    """All tokens, the first half, the second half, three times over."""
    return (ids, ids[: len(ids) // 2 + 1], ids[len(ids) // 2 :]) * 3


class Embedder:
    """WordLlama's token vectors, averaged; read from its files."""

    def __init__(self, dimensions: int) -> None:
        from safetensors.numpy import load_file

        self._tokenizer = load_tokenizer(FOLDER / TOKENIZER, part="bench")
        weights = load_file(FOLDER / WEIGHTS)
        self._table = weights[TABLE] * weights[STEPS][:, None]
        self._dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Array:
        """One row of length one per text."""
        made = np.zeros((len(texts), self._dimensions), np.float32)
        for start in range(0, len(texts), 4096):
            for row, encoded in enumerate(
                self._tokenizer.encode_batch(texts[start : start + 4096], add_special_tokens=False), start
            ):
                ids = encoded.ids
                for at, part in zip(range(0, self._dimensions, 256), parts(ids), strict=False):
                    if part:
                        made[row, at : at + 256] = self._table[part].mean(axis=0)[: self._dimensions - at]
        made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)
        return made


def embeddings(arguments: argparse.Namespace) -> tuple[NDArray[np.float16], Array]:
    """Vectors to store and queries to ask."""
    if arguments.embedded:
        folder = Path(arguments.embedded)
        made = np.load(folder / "vectors.npy")[: arguments.vectors].astype(np.float16)
        asked = np.load(folder / "queries.npy").astype(np.float32)
    else:
        texts, questions = texts_in(Path(arguments.data))
        for more in arguments.more:
            texts += texts_in(Path(more))[0]
        embedder = Embedder(arguments.dimensions)
        chosen = windows(texts, arguments.vectors)
        made = np.concatenate(
            [embedder.embed(chosen[n : n + 65_536]).astype(np.float16) for n in range(0, len(chosen), 65_536)]
        )
        asked = embedder.embed(questions)
    order = np.random.default_rng(5).permutation(len(asked))[:QUERIES]
    return made, asked[order]


# -- the index -------------------------------------------------------------------------------------


def connect(path: str) -> apsw.Connection:
    """A connection as the store opens it."""
    conn = apsw.Connection(path)
    padding.register(conn, None)
    for name, value in (
        ("journal_mode", "wal"), ("synchronous", "normal"), ("cache_size", -32 << 10), ("mmap_size", 128 << 20),
        ("temp_store", "memory"),
    ):  # fmt: skip
        conn.pragma(name, value)
    conn.wal_autocheckpoint(4000)
    return conn


class Clock:
    """Seconds of the clock and of the processor spent in the blocks measured."""

    def __init__(self) -> None:
        self.clock = self.processor = 0.0
        self.longest = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        began, used = time.perf_counter(), time.process_time()
        yield
        self.longest = max(self.longest, time.perf_counter() - began)
        self.clock += time.perf_counter() - began
        self.processor += time.process_time() - used


class Index:
    """One palace file with one space and one scope, and what its upkeep cost."""

    def __init__(self, path: str, dimensions: int) -> None:
        self.conn = connect(path)
        for statement in vectors.TABLES:
            self.conn.execute(statement)
        number = vectors.create_space(SqlTables(self.conn), "bench", "bench", dimensions, "cosine", 0)
        self.space: Space = vectors.space_of(SqlTables(self.conn), number)
        self.adding, self.flushing, self.building, self.locked = Clock(), Clock(), Clock(), Clock()

    def fill(self, data: NDArray[np.float16], grow: bool) -> None:
        """Adds everything in transactions of a hundred, flushing as tails fill up."""
        for start in range(0, len(data), BATCH):
            part = data[start : start + BATCH].astype(np.float32)
            rows = [(1, start + n + 1) for n in range(len(part))]
            with self.adding.measured(), self.conn:
                vectors.add(SqlTables(self.conn), self.space, rows, part)
            if start // BATCH % 20 == 19:
                self.flush()
                if grow:
                    self.build()
        self.flush()

    def flush(self) -> None:
        """Moves due tails into blocks."""
        with self.flushing.measured():
            for space, scope, what in vectors.pending(SqlTables(self.conn)):
                if what == "flush" and (plan := vectors.plan_flush(SqlTables(self.conn), space, scope)) is not None:
                    with self.conn:
                        vectors.apply_flush(SqlTables(self.conn), plan)

    def build(self) -> bool:
        """Builds lists if they are due and sweeps what they replace."""

        @contextmanager
        def read() -> Iterator[apsw.Connection]:
            self.conn.execute("BEGIN")
            try:
                yield SqlTables(self.conn)
            finally:
                self.conn.execute("ROLLBACK")

        def write(job: Callable[[apsw.Connection], bool]) -> bool:
            with self.locked.measured():
                self.conn.execute("BEGIN IMMEDIATE")
                done = job(SqlTables(self.conn))
                self.conn.execute("COMMIT")
            return done

        with self.building.measured():
            built = vectors.build_lists(read, write, self.space.id, 1)
            while built:
                with self.conn:
                    if not vectors.sweep(SqlTables(self.conn)):
                        break
        return built

    def size(self) -> dict[str, float]:
        """Bytes per vector, of the file and of the pages in use."""
        self.conn.pragma("wal_checkpoint", "truncate")
        count = vectors.space_of(SqlTables(self.conn), self.space.id).vectors
        pages, free = self.conn.pragma("page_count"), self.conn.pragma("freelist_count")
        return {"file": round(pages * 4096 / count, 1), "in_use": round((pages - free) * 4096 / count, 1)}


# -- measuring -------------------------------------------------------------------------------------


def timed(run: Callable[[Array], vectors.NearestVectors], queries: Array, best: Array) -> dict[str, float]:
    """Milliseconds by the clock and by the processor, and the share of the true ten found."""
    clock, processor, found = [], [], 0.0
    for query, least in zip(queries, best, strict=True):
        began, used = time.perf_counter(), time.thread_time()
        hits = run(query)
        processor.append(time.thread_time() - used)
        clock.append(time.perf_counter() - began)
        found += min(10, int(np.count_nonzero(hits.scores >= least - 2e-6))) / 10
    return {
        "p50_ms": round(float(np.median(clock)) * 1e3, 2),
        "p99_ms": round(float(np.percentile(clock, 99)) * 1e3, 2),
        "cpu_p50_ms": round(float(np.median(processor)) * 1e3, 2),
        "recall_at_10": round(found / len(queries), 4),
    }


def scan(data: NDArray[np.float16], queries: Array, keep: NDArray[np.bool_] | None = None) -> tuple[Array, float]:
    """The tenth best true similarity of every query, and the p50 of one scan in single precision."""
    best = np.full((len(queries), 10), -2, np.float32)
    for start in range(0, len(data), 65_536):
        part = (
            data[start : start + 65_536] if keep is None else data[start : start + 65_536][keep[start : start + 65_536]]
        )
        scores = queries @ part.astype(np.float32).T
        best = -np.sort(-np.concatenate((best, -np.partition(-scores, 9, axis=1)[:, :10]), axis=1), axis=1)[:, :10]
    if keep is not None:
        return best[:, 9], 0.0
    whole, spent = data.astype(np.float32), []
    for query in queries[:20]:
        began = time.perf_counter()
        np.argpartition(-(whole @ query), 10)[:10]
        spent.append(time.perf_counter() - began)
    return best[:, 9], float(np.median(spent)) * 1e3


def first_query(path: str, query: Array) -> dict[str, float]:
    """What the first search costs a process that has just started, imports aside."""
    command = [sys.executable, "-m", "bench.vectors", "--first", path]
    done = subprocess.run(command, input=query.tobytes(), capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def answer_first(path: str) -> None:
    """The other side of `first_query`."""
    query = np.frombuffer(sys.stdin.buffer.read(), np.float32)
    began, used = time.perf_counter(), time.process_time()
    conn, cache = connect(path), VectorCache(CACHE_BYTES)
    space = vectors.spaces(SqlTables(conn))[0]
    vectors.search(SqlTables(conn), cache, VectorQuery(space=space, partitions=(1,), vector=query, limit=10))
    print(json.dumps({"ms": (time.perf_counter() - began) * 1e3, "cpu_ms": (time.process_time() - used) * 1e3}))


def _divisible(by: int, revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.equal(revisions % by, 0)


def searches(path: str, space: Space, data: NDArray[np.float16], queries: Array) -> dict[str, Any]:
    """Plain and filtered searches, each against the scan of what the filter keeps."""
    conn, cache = connect(path), VectorCache(CACHE_BYTES)
    best, scan_ms = scan(data, queries)

    def run(
        query: Array, only: NDArray[np.int64] | None = None, allowed: vectors.Allowed | None = None
    ) -> vectors.NearestVectors:
        asked = VectorQuery(space=space, partitions=(1,), vector=query, limit=10, only=only)
        return vectors.search(SqlTables(conn), cache, asked, allowed)

    timed(run, queries, best)
    result: dict[str, Any] = {"search": timed(run, queries, best), "float32_scan_p50_ms": round(scan_ms, 2)}
    few = queries[:100]
    for share in (10, 100):
        keep = np.arange(1, len(data) + 1) % share == 0
        kept = scan(data, few, keep)[0]
        permitted = partial(run, allowed=partial(_divisible, share))
        result[f"allowed_{100 // share}%"] = timed(permitted, few, kept)
        result[f"only_{100 // share}%"] = timed(partial(run, only=np.flatnonzero(keep) + 1), few, kept)
    result["cache_mb"] = round(cache.nbytes / 1e6, 1)
    return result


def single_rows(index: Index, data: NDArray[np.float16]) -> dict[str, float]:
    """Microseconds to add one vector, and to remove one, without the commit."""
    adds, removes = [], []
    first = vectors.space_of(SqlTables(index.conn), index.space.id).vectors + 1
    index.conn.execute("BEGIN IMMEDIATE")
    for n in range(200):
        one = data[n : n + 1].astype(np.float32)
        began = time.perf_counter()
        vectors.add(SqlTables(index.conn), index.space, [(1, first + n)], one)
        adds.append(time.perf_counter() - began)
    for n in range(20):
        began = time.perf_counter()
        vectors.remove(SqlTables(index.conn), [(1, 1 + n * 97)])
        removes.append(time.perf_counter() - began)
    index.conn.execute("ROLLBACK")
    return {"add_us": round(float(np.median(adds)) * 1e6, 1), "remove_us": round(float(np.median(removes)) * 1e6, 1)}


def measure(arguments: argparse.Namespace, path: str) -> dict[str, Any]:
    """Everything, in order."""
    data, queries = embeddings(arguments)
    index = Index(path, data.shape[1])
    index.fill(data, arguments.grow)
    built = index.build() or bool(arguments.grow)
    result: dict[str, Any] = {
        "vectors": len(data), "dimensions": data.shape[1], "queries": len(queries),
        "add_us_per_vector": round(index.adding.clock / len(data) * 1e6, 1),
        "add_cpu_us_per_vector": round(index.adding.processor / len(data) * 1e6, 1),
        "flush_s": round(index.flushing.clock, 2),
        "build_s": round(index.building.clock, 1) if built else 0,
        "build_cpu_s": round(index.building.processor, 1) if built else 0,
        "longest_write_lock_ms": round(index.locked.longest * 1e3, 1),
        "bytes_per_vector": index.size(), "single_row": single_rows(index, data),
        "state": [str(part) for part in vectors.state(SqlTables(index.conn))],
        "first_query": first_query(path, queries[0]),
    }  # fmt: skip
    result |= searches(path, index.space, data, queries)
    result["peak_rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    index.conn.close()
    return result


def main() -> None:
    """Reads the arguments, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--more", nargs="*", default=["../shared/seeds"], help="further folders of texts")
    parser.add_argument("--embedded", help="folder with vectors.npy and queries.npy, instead of texts")
    parser.add_argument("--grow", action="store_true", help="do upkeep while adding")
    parser.add_argument("--keep", help="leave the index in this file")
    parser.add_argument("--first", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.first:
        answer_first(arguments.first)
        return
    with tempfile.TemporaryDirectory() as folder:
        result = measure(arguments, arguments.keep or str(Path(folder) / "vectors.db"))
    if arguments.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:28} {value}")


if __name__ == "__main__":
    main()
