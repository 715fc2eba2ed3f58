"""Measures the text index: `python -m bench.text_index --docs N --json [--full] [--tenants N]`.

Documents of 12-40 words from a Zipf vocabulary of 50,000; queries from two rare words to questions full of stop
words. The answer to compare with is BM25 computed from arrays in memory, independent of the index. FTS5 runs
beside it on the same rows and queries (above 200,000 documents only with --full: one common word costs it most of
a second).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.text import index as text_index
from palazzo.store.index.text.index import TextCache, TextQuery
from palazzo.store.sql.tables import SqlTables
from palazzo.store.sqlite import padding

VOCABULARY = 50_000
BATCH = 100
KINDS: dict[str, list[tuple[int, int, int]]] = {
    # (how many words, from rank, to rank); rank 3 is in half of all documents, rank 40 in one of 18
    "two rare": [(2, 5_000, 40_000)],
    "3 mid": [(3, 100, 5_000)],
    "6 mid": [(6, 100, 5_000)],
    "6 with one common": [(5, 100, 5_000), (1, 2, 4)],
    "question": [(4, 5, 60), (1, 2, 4), (2, 200, 20_000)],
    "vague question": [(5, 2, 60), (1, 60, 600)],
    "3 common": [(3, 1, 20)],
    "one common": [(1, 2, 4)],
}


class Corpus:
    """Word numbers of all documents, and exact BM25 over them."""

    def __init__(self, docs: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.docs = docs
        self.lengths = rng.integers(12, 41, docs)
        self.ends = np.cumsum(self.lengths)
        share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
        self.words = share.searchsorted(rng.random(int(self.ends[-1])) * share[-1]).astype(np.uint32)
        self.names = [f"w{number}" for number in range(VOCABULARY)]
        self._postings: tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None = None

    def rows(self, first: int, after: int) -> Iterator[tuple[int, int, list[str]]]:
        start = int(self.ends[first - 1]) if first else 0
        for doc in range(first, after):
            end = int(self.ends[doc])
            yield 1, doc + 1, [self.names[word] for word in self.words[start:end].tolist()]
            start = end

    def exact(self, words: list[int], limit: int) -> list[int]:
        if self._postings is None:
            owner = np.repeat(np.arange(self.docs, dtype=np.uint64), self.lengths)
            keys = np.sort(self.words.astype(np.uint64) << np.uint64(32) | owner)
            new = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
            counts = np.diff(new, append=len(keys)).astype(np.uint8)
            keys = keys[new]
            starts = (keys >> np.uint64(32)).searchsorted(np.arange(VOCABULARY + 1, dtype=np.uint64))
            self._postings = (keys.astype(np.uint32), counts, starts)
        owners, all_counts, starts = self._postings
        average = self.lengths.mean()
        total = np.zeros(self.docs)
        for word in words:
            part = slice(int(starts[word]), int(starts[word + 1]))
            docs, counts = owners[part], all_counts[part].astype(np.float64)
            frequency = len(docs)
            idf = np.log1p((self.docs - frequency + 0.5) / (frequency + 0.5))
            total[docs] += idf * counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * self.lengths[docs] / average))
        scores = total.astype(np.float32)
        some = np.argpartition(-scores, min(2000, self.docs - 1))[:2001]
        some = some[scores[some] > 0]
        order = np.lexsort((-some, -scores[some]))
        return [int(doc) + 1 for doc in some[order][:limit]]

    def queries(self, kind: str, number: int, seed: int) -> list[list[int]]:
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(number):
            words: list[int] = []
            for count, low, high in KINDS[kind]:
                # log-uniform ranks: a question's words are not mostly the rarest of their range
                ranks = np.exp(rng.uniform(np.log(low), np.log(high), 4 * count)).astype(int)
                words += [int(rank) - 1 for rank in dict.fromkeys(ranks.tolist()) if rank - 1 not in words][:count]
            found.append(words)
        return found


def open_database(path: Path, tables: tuple[str, ...]) -> apsw.Connection:
    conn = apsw.Connection(str(path))
    padding.register(conn, None)
    conn.pragma("journal_mode", "wal")
    conn.pragma("synchronous", "normal")
    conn.pragma("cache_size", -32 * 1024)
    conn.pragma("mmap_size", 128 << 20)
    conn.pragma("secure_delete", "fast")
    for statement in tables:
        conn.execute(statement)
    return conn


def timed(action: Callable[..., Any], *values: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    value = action(*values)
    return (time.perf_counter() - start) * 1e3, value


def spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "p50_ms": round(ordered[len(ordered) // 2], 3),
        "p99_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 3),
    }


def build(conn: apsw.Connection, corpus: Corpus) -> dict[str, float]:
    adding = committing = flushing = 0.0
    applies: list[float] = []
    for first in range(0, corpus.docs, BATCH):
        rows = list(corpus.rows(first, min(first + BATCH, corpus.docs)))
        conn.execute("BEGIN IMMEDIATE")
        took, _ = timed(text_index.add, SqlTables(conn), rows)
        adding += took
        took, _ = timed(conn.execute, "COMMIT")
        committing += took
        if first % 1000 == 0:
            took, more = timed(flush, conn)
            flushing += took
            applies += more
    took, more = timed(flush, conn)
    flushing += took
    applies += more
    return {
        "add_us_per_doc": round(adding * 1e3 / corpus.docs, 2),
        "add_and_commit_us_per_doc": round((adding + committing) * 1e3 / corpus.docs, 2),
        "adds_per_s": round(corpus.docs / adding * 1e3),
        "flush_us_per_doc": round(flushing * 1e3 / corpus.docs, 2),
        "longest_apply_ms": round(max(applies, default=0), 1),
    }


def flush(conn: apsw.Connection) -> list[float]:
    applies = []
    for scope, _ in text_index.pending(SqlTables(conn)):
        while (plan := text_index.plan_flush(SqlTables(conn), scope)) is not None:

            def apply(plan: text_index.TextFlush = plan) -> None:
                conn.execute("BEGIN IMMEDIATE")
                text_index.apply_flush(SqlTables(conn), plan)
                conn.execute("COMMIT")

            applies.append(timed(apply)[0])
    return applies


def measure(path: Path, corpus: Corpus, number: int) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    conn = open_database(path, ())
    cache = TextCache()
    for kind in KINDS:
        times, cpu, agreement, first = [], [], [], []
        for words in corpus.queries(kind, number, seed=len(kind)):
            query = TextQuery(partitions=(1,), terms=tuple(corpus.names[word] for word in words))
            took, _ = timed(text_index.search, SqlTables(conn), cache, query)
            first.append(took)
            before = time.thread_time()
            took, hits = timed(text_index.search, SqlTables(conn), cache, query)
            times.append(took)
            cpu.append((time.thread_time() - before) * 1e3)
            right = corpus.exact(words, 10)
            same = set(right) & set(hits.revisions[:10].tolist())
            agreement.append(len(same) / len(right) if right else float(not len(hits.revisions)))
        answers[kind] = spread(times) | {
            "cpu_p50_ms": spread(cpu)["p50_ms"],  # on a shared machine the steadier figure
            "new_words_p50_ms": spread(first)["p50_ms"],
            "agreement": round(sum(agreement) / len(agreement), 4),
        }
    opened = []
    for words in corpus.queries("question", 10, seed=99):
        query = TextQuery(partitions=(1,), terms=tuple(corpus.names[word] for word in words))

        def first_answer(query: TextQuery = query) -> None:
            fresh = open_database(path, ())
            text_index.search(SqlTables(fresh), TextCache(), query)
            fresh.close()

        opened.append(timed(first_answer)[0])
    answers["first after opening"] = spread(opened)
    answers["cache_mb"] = round(cache.nbytes / 2**20, 1)
    answers["after_write"] = spread(after_writes(conn, cache, corpus))
    return answers


def after_writes(conn: apsw.Connection, cache: TextCache, corpus: Corpus) -> list[float]:
    times = []
    for number, words in enumerate(corpus.queries("question", 20, seed=98)):
        query = TextQuery(partitions=(1,), terms=tuple(corpus.names[word] for word in words))
        text_index.search(SqlTables(conn), cache, query)
        text_index.add(SqlTables(conn), [(1, corpus.docs + 1 + number, ["one", "more"])])
        times.append(timed(text_index.search, SqlTables(conn), cache, query)[0])
    text_index.remove(SqlTables(conn), [(1, corpus.docs + 1 + number) for number in range(20)])
    return times


def measure_tenants(path: Path, scopes: int, rows: int, seed: int) -> dict[str, Any]:
    corpus = Corpus(rows * 200, seed)
    conn = open_database(path, text_index.TABLES)
    revision = 0
    for number in range(rows):
        conn.execute("BEGIN IMMEDIATE")
        batch = []
        for scope, (_, _, terms) in zip(range(scopes), corpus.rows(number * 200, number * 200 + 200), strict=False):
            for copy in range(scope, scopes, 200):
                revision += 1
                batch.append((copy + 1, revision, terms))
        text_index.add(SqlTables(conn), batch)
        conn.execute("COMMIT")
    cache = TextCache()
    first, again = [], []
    queries = corpus.queries("question", 200, seed)
    for number, words in enumerate(queries):
        query = TextQuery(partitions=(number * 37 % scopes + 1,), terms=tuple(corpus.names[word] for word in words))
        first.append(timed(text_index.search, SqlTables(conn), cache, query)[0])
        again.append(timed(text_index.search, SqlTables(conn), cache, query)[0])
    return {"scopes": scopes, "rows": rows, "first": spread(first), "again": spread(again)}


def measure_fts5(path: Path, corpus: Corpus, number: int) -> dict[str, Any]:
    conn = open_database(
        path, ("CREATE VIRTUAL TABLE doc USING fts5(text, content='', contentless_delete=1, tokenize='porter')",)
    )
    adding = 0.0
    for first in range(0, corpus.docs, BATCH):
        rows = [(row[1], " ".join(row[2])) for row in corpus.rows(first, min(first + BATCH, corpus.docs))]
        start = time.perf_counter()
        conn.execute("BEGIN IMMEDIATE")
        conn.executemany("INSERT INTO doc(rowid,text) VALUES(?,?)", rows)
        conn.execute("COMMIT")  # FTS5 writes its index here
        adding += (time.perf_counter() - start) * 1e3
    sql = "SELECT rowid, rank FROM doc WHERE doc MATCH ? ORDER BY rank LIMIT 50"
    answers: dict[str, Any] = {"add_and_commit_us_per_doc": round(adding * 1e3 / corpus.docs, 2)}
    for kind in KINDS:
        times = []
        for words in corpus.queries(kind, number, seed=len(kind)):
            match = " OR ".join(corpus.names[word] for word in words)
            times.append(timed(lambda values: conn.execute(sql, values).fetchall(), (match,))[0])
        answers[kind] = spread(times)
    answers["bytes_per_doc"] = round(size_of(conn) / corpus.docs, 1)
    conn.close()
    return answers


def size_of(conn: apsw.Connection) -> int:
    """Bytes of pages in use."""
    return conn.pragma("page_size") * (conn.pragma("page_count") - conn.pragma("freelist_count"))  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--tenants", type=int, default=0, help="also measure this many scopes of 100 rows")
    parser.add_argument("--full", action="store_true", help="FTS5 at any size")
    parser.add_argument("--keep", type=Path, help="folder for the database, used again when it is there")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    corpus = Corpus(options.docs, seed=7)
    report: dict[str, Any] = {"docs": options.docs}
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"text-{options.docs}.db"
        new = not path.exists()
        conn = open_database(path, text_index.TABLES)
        if new:
            report["build"] = build(conn, corpus)
        (state,) = text_index.state(SqlTables(conn))
        report["segments"], report["tail"] = state.segments, state.tail
        report["bytes_per_doc"] = round(size_of(conn) / corpus.docs, 1)
        report["file_bytes_per_doc"] = round(conn.pragma("page_size") * conn.pragma("page_count") / corpus.docs, 1)
        conn.close()
        report["search"] = measure(path, corpus, options.queries)
        if options.tenants:
            report["tenants"] = measure_tenants(Path(folder) / "tenants.db", options.tenants, 100, seed=3)
        if options.full or options.docs <= 200_000:
            report["fts5"] = measure_fts5(Path(folder) / "fts5.db", corpus, min(options.queries, 20))
    report["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    json.dump(report, sys.stdout, indent=None if options.json else 2)
    print()


if __name__ == "__main__":
    main()
