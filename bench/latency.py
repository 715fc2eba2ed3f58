"""What each kind of read costs at a given size, and how it grows.

    python -m bench.latency --memories 100000 --json [--folder bench/work]

Ten patterns (the ones a palace lives on) and natural questions, p50 and p99 over random targets; opening in a fresh
process with its first answer; resident memory; bytes on disk per memory. The palace is made once per size and kept
in --folder if one is given. Reference lines: a point read by raw SQLite and plain FTS5 (up to 100K), in the same run.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import apsw
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from bench.common import Corpus, batches, machine, percentiles, rss_mb, show
from bench.engines import ENGINES
from palazzo.adapters.system_clock import SystemClock
from palazzo.engine import Engine
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import Grant, Level, View, level_at
from palazzo.model.change import (
    AddEdge,
    AddGrant,
    AddSpace,
    Attachments,
    Change,
    LinkProvenance,
    PlaceMemory,
    SetStaleness,
)  # fmt: skip
from palazzo.model.graph import Node, ProvenanceEdge, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.recall.answer.context import ContextTurn
from palazzo.recall.read.cue import Cue
from palazzo.spaces import Spaces
from palazzo.store.api import EdgeWalk, TextSearch, TrailPart, VectorSearch
from palazzo.store.sql.graph import edges
from palazzo.store.sql.guard import guarding
from palazzo.store.sql.memory import lifecycle, memories, places, search
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.text.words.tokens import terms

DIMENSIONS = 384
VIEW = View()
LOOKED_AT = 100_000
"""Of a larger palace nothing is looked at before it is shown: of this many facts the pass takes a minute and a half."""


def place_of(number: int) -> Place:
    """One of 5,000 places, three deep."""
    return Place(("work", f"p{number % 10}", f"q{number // 10 % 50}", f"r{number // 500 % 10}"))


def at_place(reading: Any, place: Place, limit: int = 100) -> list[UUID]:
    """Ids of the visible memories standing at exactly this place. Uses memory_address."""
    rows = reading.connection.execute(
        f"""SELECT m.uuid FROM memory m JOIN place p ON p.id = m.place
            WHERE m.place = (SELECT id FROM place WHERE path = ?) AND {reading.where} LIMIT ?""",
        (place.path, *reading.values, limit),
    )
    return [UUID(bytes=uuid) for (uuid,) in rows]


def build(folder: Path, count: int) -> None:
    """A palace with places, provenance chains, edges, grants, trails and stale memories in proportion."""
    with SqliteStore.create(folder, SystemClock(), StoreOptions()) as store:
        ids = fill(store, count)
        engine = Engine(store, SystemClock(), cast(Spaces, _Meaning(Corpus(dimensions=DIMENSIONS))))
        while count <= LOOKED_AT and engine.jobs.run("look", limit=1000).report.more:
            pass
    sample = random.Random(3).sample(ids, min(2000, count))
    (folder.parent / f"{folder.name}.ids").write_bytes(b"".join(i.bytes for i in sample))


def fill(store: Any, count: int) -> list[UUID]:
    """Fills a palace; returns the ids of its memories."""
    corpus, rng = Corpus(dimensions=DIMENSIONS), random.Random(3)
    store.commit([AddSpace("bench", "random", DIMENSIONS)])
    ids: list[UUID] = []
    previous: ProvenanceNode | None = None
    for size in batches(count, 1000):
        now = time.time_ns() // 1000
        nodes = [
            ProvenanceNode(id=new_id(now), kind="conversation", at_us=now, label=f"c{n}") for n in range(-(-size // 10))
        ]
        changes: list[Change] = []
        for n, (text, vector) in enumerate(zip(corpus.texts(size), corpus.vectors(size), strict=True)):
            memory_id = new_id(now)
            changes.append(
                PlaceMemory(
                    memory_id=memory_id, place=place_of(rng.randrange(5000)), name=f"m-{memory_id.hex}",
                    kind="fact",
                    content=RevisionDraft(text=text),
                    attachments=Attachments(vectors={"bench": vector}, sources=(Source(node=nodes[n // 10]),)),
                )
            )  # fmt: skip
            ids.append(memory_id)
        store.commit(changes, subject="agent:bench")
        chain = [previous, *nodes] if previous else nodes
        store.commit([LinkProvenance(edges=tuple(
            ProvenanceEdge("triggered_by", later.id, earlier.id) for earlier, later in pairwise(chain)
        ))])  # fmt: skip
        previous = nodes[-1]
        pairs = [(rng.choice(ids), rng.choice(ids[-size:])) for _ in range(size // 10)]
        store.commit([AddEdge("related_to", Node(a), Node(b)) for a, b in pairs if a != b])
        store.commit(
            [SetStaleness(memory, 0.7 + rng.random() * 0.3) for memory in rng.sample(ids[-size:], size // 200)]
        )
    store.commit([
        AddGrant(Grant(
            subject=f"mcp:client-{n}", subject_kind="mcp", level=Level.read_public,
            glob=PlaceGlob.parse(f"work.p{n % 10}.**"), start_us=0, expires_us=None, granted_by="operator",
        ))
        for n in range(200)
    ])  # fmt: skip
    store.upkeep.run()
    return ids


class _Meaning:
    """Stands for an embedder that costs nothing: a vector like those of the corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def query(self, _cue: str, _known: object = None) -> tuple[str, NDArray[np.float32] | None, str]:
        return "bench", self._corpus.vectors(1)[0], ""


def patterns(store: Any, ids: list[UUID], corpus: Corpus) -> dict[str, Callable[[], object]]:
    """One call each; every call opens its own reading, as a caller would."""
    rng = random.Random(5)
    today = TrailPart(since_us=0, trail=places.day_of(time.time_ns() // 1000), limit=50)

    def reading(work: Callable[[Any], object]) -> Callable[[], object]:
        def call() -> object:
            with store.reading(VIEW) as opened:
                return work(opened)

        return call

    def allowed(subject: str) -> bool:
        with store.database.read() as connection:
            now_us = time.time_ns() // 1000
            held = [grant for grant in guarding.grants_of(connection, subject) if grant.in_force(now_us)]
        return level_at(held, place_of(rng.randrange(5000)), held) >= Level.read_public

    def words(text: str) -> Callable[[Any], object]:
        return lambda r: search.text(store, r, TextSearch(terms=tuple(terms(text)), limit=50))

    engine = Engine(store, SystemClock(), cast(Spaces, _Meaning(corpus)))
    turn = ContextTurn(message="", model="gpt-4", budget_tokens=2000)
    return {
        "recall": lambda: engine.recall(Cue(text=corpus.question()), VIEW),
        "context": lambda: engine.context(replace(turn, message=corpus.question()), VIEW),
        "point_read": reading(lambda r: memories.get(r, rng.choice(ids))),
        "place_walk": reading(lambda r: at_place(r, place_of(rng.randrange(5000)))),
        "deep_navigation": reading(lambda r: places.children(r, Place(place_of(rng.randrange(5000)).segments[:3]))),
        "trail": reading(lambda r: places.trail(r, today)),
        "text_two_rare_words": lambda: reading(words(" ".join(corpus.rare_words(2))))(),
        "edge_hops": reading(lambda r: edges.walk(r, rng.choice(ids), EdgeWalk(direction="both", depth=2))),
        "provenance_walk": reading(lambda r: edges.ancestry(r, rng.choice(ids))),
        "capability_check": lambda: allowed(f"mcp:client-{rng.randrange(200)}"),
        "stale": reading(lambda r: lifecycle.stalest(r, 5)),
        "vector": lambda: reading(lambda r: search.vector(
            store, r, VectorSearch(vector=corpus.vectors(1)[0], limit=10)))(),
        "text_question": lambda: reading(words(corpus.question()))(),
    }  # fmt: skip


def measure(call: Callable[[], object], seconds: float = 3.0, least: int = 30, most: int = 2000) -> dict[str, float]:
    """Times of a process that has answered such questions for a while; what the first one costs is `open_ms`."""
    ready = time.perf_counter() + seconds
    for _ in range(200):
        call()
        if time.perf_counter() > ready:
            break
    times: list[float] = []
    ends = time.perf_counter() + seconds
    while len(times) < least or (time.perf_counter() < ends and len(times) < most):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return percentiles(times)


def agreement(store: SqliteStore, corpus: Corpus, questions: int) -> float:
    """Share of the exact BM25 top 10 that the index returns, over natural questions."""
    from palazzo.store.index.text import index as text_index
    from palazzo.store.sql import indexes

    shares = []
    with store.reading(VIEW) as reading:
        scopes = tuple(indexes.partition(scope) for scope in reading.scopes)
        for _ in range(questions):
            query = text_index.TextQuery(partitions=scopes, terms=tuple(terms(corpus.question())), limit=10)
            found = text_index.search(reading.tables, store.text_cache, query, None)
            truth = text_index.exact(reading.tables, query, None)
            floor = float(truth.scores[-1]) - 1e-4 if len(truth.scores) else 0.0
            shares.append(sum(float(s) >= floor for s in found.scores) / max(1, len(truth.scores)))
    return round(sum(shares) / len(shares), 4)


def first_answer(folder: Path) -> dict[str, float]:
    """In a fresh process: open, answer a text and a vector query, report time and memory."""
    command = [sys.executable, "-m", "bench.latency", "--first", str(folder)]
    return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def _first(folder: Path) -> None:
    corpus = Corpus(seed=99, dimensions=DIMENSIONS)
    text, vector = " ".join(corpus.rare_words(2)), corpus.vectors(1)[0]
    began = time.perf_counter()
    with SqliteStore.open(folder, SystemClock(), StoreOptions()) as store, store.reading(VIEW) as reading:
        search.text(store, reading, TextSearch(terms=tuple(terms(text)), limit=10))
        by_text = time.perf_counter() - began
        search.vector(store, reading, VectorSearch(vector=vector, limit=10))
        both = time.perf_counter() - began
    print(json.dumps({"text_ms": round(by_text * 1000, 1), "text_and_vector_ms": round(both * 1000, 1)}))


def references(folder: Path, ids: list[UUID]) -> dict[str, Any]:
    """The same point read without any of our layers."""
    connection = apsw.Connection(str(folder / "palace.db"), flags=apsw.SQLITE_OPEN_READONLY)
    query = "SELECT r.text FROM memory m JOIN revision r ON r.id = m.current WHERE m.uuid = ?"
    rng = random.Random(5)
    found = measure(lambda: connection.execute(query, (rng.choice(ids).bytes,)).fetchone(), 1.0)
    connection.close()
    return {"raw_point_read": found}


def run(count: int, base: Path) -> dict[str, Any]:
    folder = base / f"palace-{count}"
    built = 0.0
    if not (base / f"{folder.name}.ids").exists():
        began = time.perf_counter()
        # In a process of its own: building leaves memory behind that reading never needs.
        subprocess.run(
            [sys.executable, "-m", "bench.latency", "--build", str(folder), "--memories", str(count)], check=True
        )
        built = time.perf_counter() - began
    raw = (base / f"{folder.name}.ids").read_bytes()
    ids = [UUID(bytes=raw[n : n + 16]) for n in range(0, len(raw), 16)]
    opened = first_answer(folder)
    corpus = Corpus(seed=17, dimensions=DIMENSIONS)
    before = rss_mb()
    with SqliteStore.open(folder, SystemClock(), StoreOptions(upkeep=False)) as store:
        found = {name: measure(call) for name, call in patterns(store, ids, corpus).items()}
        resident = rss_mb()
        agreed = agreement(store, corpus, 5 if count >= 500_000 else 20)
    size = sum(path.stat().st_size for path in folder.glob("palace.db*"))
    return {
        "memories": count,
        "p50_ms": {name: figures["p50_ms"] for name, figures in found.items()},
        "p99_ms": {name: figures["p99_ms"] for name, figures in found.items()},
        "open_ms": opened["text_and_vector_ms"], "open_text_ms": opened["text_ms"], "rss_mb": resident,
        "rss_before_open_mb": before, "bytes_per_memory": round(size / count), "text_agreement": agreed,
        "reference": references(folder, ids), "build_s": round(built, 1), "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--engine", choices=ENGINES, default="sqlite", help="postgres: both engines side by side")
    parser.add_argument("--folder", type=Path, help="keep the palaces here and use them again")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--first", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.first:
        _first(arguments.first)
        return
    if arguments.build:
        build(arguments.build, arguments.memories)
        return
    if arguments.engine == "postgres":
        from bench import sides

        if arguments.folder:
            arguments.folder.mkdir(parents=True, exist_ok=True)
        show(sides.run(arguments.memories, fill, patterns, DIMENSIONS, arguments.folder), arguments.json)
        return
    if arguments.folder:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        show(run(arguments.memories, arguments.folder), arguments.json)
        return
    with tempfile.TemporaryDirectory(prefix="palazzo-latency-") as base:
        show(run(arguments.memories, Path(base)), arguments.json)


if __name__ == "__main__":
    main()
