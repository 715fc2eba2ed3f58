"""Where the processor time of a recall goes, stage by stage, and how often each stage asks the tables.

    python -m bench.stages --memories 100000 [--folder bench/work] [--data LOCOMO_FILE] [--json]

Asks new questions of a palace that has answered others for a while, and counts what each stage takes by itself, in
thread CPU time: what a busy machine gives to others does not count. Beside it stands the lower bound: the bare text and
the bare vector search for the same questions, no view, no ranking, no texts. With --data the same of a file in LoCoMo's
format, each conversation in a palace of its own. Without --json it prints the table of docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from bench import locomo_file
from bench.common import Corpus, machine
from bench.conversations import ingest
from bench.latency import DIMENSIONS, VIEW, _Meaning
from palazzo.adapters.system_clock import SystemClock
from palazzo.bootstrap import create_engine
from palazzo.engine import Engine
from palazzo.recall import recall as pipeline
from palazzo.recall.answer import explain
from palazzo.recall.find import gather
from palazzo.recall.rank import rank
from palazzo.recall.read.cue import Cue
from palazzo.settings import Settings
from palazzo.spaces import Spaces
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql import indexes
from palazzo.store.sql.nouns import SqlSearch
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sql.reading import Delegated
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.text.words.tokens import terms

REST = "the rest: cache, packing, reply"
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("the cue, read", pipeline, "read_cue"),
    ("the cue, read", pipeline, "with_other_names"),
    ("the cue, embedded", gather, "embed"),
    ("text index", SqlSearch, "text"),
    ("text index", SqlSearch, "term_scores"),
    ("text index", SqlSearch, "holding"),
    ("vector index", SqlSearch, "vector"),
    ("vector index", SqlSearch, "similarities"),
    ("candidates and their neighbours", rank, "make_pool"),
    ("ranking", pipeline, "rank"),
    ("what no longer holds", rank, "judge"),
    ("the hits and their reasons", explain, "hits_from"),
    ("how relevant they are", pipeline, "relevance"),
)
"""The name of each stage, and the functions it is made of."""
WARM, ASKED = 150, 200


class Watch:
    """Thread CPU time and statements by stage; a stage inside another takes its share out of that."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.statements: Counter[str] = Counter()
        self._open = [REST]
        self._since = time.thread_time()

    def _turn(self) -> None:
        now = time.thread_time()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, whose time is this stage's."""

        def timed(*given: Any, **named: Any) -> Any:
            self._turn()
            self._open.append(name)
            try:
                return work(*given, **named)
            finally:
                self._turn()
                self._open.pop()

        return timed

    def note(self, _cursor: object, statement: str, _values: object) -> bool:
        """To be called by SQLite before each statement."""
        if statement not in ("BEGIN", "ROLLBACK"):
            self.statements[self._open[-1]] += 1
        return True

    @contextmanager
    def over(self, stages: Iterable[tuple[str, Any, str]]) -> Iterator[None]:
        """Watches some functions, each by its stage, where it lives and what it is called there."""
        with ExitStack() as undo:
            for name, home, function in stages:
                undo.enter_context(patch.object(home, function, self.around(name, vars(home)[function])))
            self._since = time.thread_time()
            yield
            self._turn()

    @contextmanager
    def on(self, store: SqliteStore) -> Iterator[None]:
        """Watches what is asked of one palace."""
        with ExitStack() as undo:
            for name, home, function in STAGES:
                found = vars(home)[function]
                watched: Any = (
                    Delegated(self.around(name, found.function))
                    if isinstance(found, Delegated)
                    else self.around(name, found)
                )
                undo.enter_context(patch.object(home, function, watched))
            for connection in store.database._readers:
                connection.set_exec_trace(self.note)
            self._since = time.thread_time()
            yield
            self._turn()
            for connection in store.database._readers:
                connection.set_exec_trace(None)


def asked(engine: Engine, cues: Sequence[Cue], watch: Watch, warm: int) -> int:
    """Asks all cues, the last of them watched; returns how many those are."""
    for cue in cues[:warm]:
        engine.recall(cue, VIEW)
    with watch.on(cast(SqliteStore, engine.store)):
        for cue in cues[warm:]:
            engine.recall(cue, VIEW)
    return len(cues) - warm


def bare(engine: Engine, cues: Sequence[Cue]) -> float:
    """Seconds of CPU for the text and the vector search alone, a question."""
    store = cast(SqliteStore, engine.store)
    queries = [(tuple(terms(cue.text)), engine.spaces.query(cue.text)) for cue in cues]
    began = time.thread_time()
    for words, (space, vector, _) in queries:
        with store.reading(VIEW) as reading:
            for field in ("turn", "text"):
                partitions = tuple(indexes.partition(scope, cast(Any, field)) for scope in reading.scopes)  # type: ignore[attr-defined]
                wanted = text_index.TextQuery(partitions=partitions, terms=words, limit=50)
                text_index.search(reading.tables, store.text_cache, wanted)  # type: ignore[attr-defined]
                found = reading.search.space(space)
                if found is not None and vector is not None:
                    near = vectors.VectorQuery(space=found, partitions=partitions, vector=vector, limit=50)
                    vectors.search(reading.tables, store.vector_cache, near)  # type: ignore[attr-defined]
    return (time.thread_time() - began) / len(queries)


def table(watch: Watch, count: int, floor: float) -> dict[str, Any]:
    """Milliseconds and statements a recall, by stage."""
    names = list(dict.fromkeys((*(name for name, _, _ in STAGES), REST)))
    return {
        "questions": count,
        "ms": {name: round(watch.seconds[name] * 1000 / count, 3) for name in names},
        "statements": {name: round(watch.statements[name] / count, 2) for name in names},
        "whole_ms": round(sum(watch.seconds.values()) * 1000 / count, 3),
        "whole_statements": round(sum(watch.statements.values()) / count, 2),
        "bare_searches_ms": round(floor * 1000, 3),
    }


def synthetic(count: int, base: Path) -> dict[str, Any]:
    folder = base / f"palace-{count}"
    if not (base / f"{folder.name}.ids").exists():
        subprocess.run(
            [sys.executable, "-m", "bench.latency", "--build", str(folder), "--memories", str(count)], check=True
        )
    corpus, watch = Corpus(seed=23, dimensions=DIMENSIONS), Watch()
    with SqliteStore.open(folder, SystemClock(), StoreOptions(upkeep=False)) as store:
        engine = Engine(store, SystemClock(), cast(Spaces, _Meaning(corpus)))
        cues = [Cue(text=corpus.question()) for _ in range(WARM + ASKED)]
        counted = asked(engine, cues, watch, WARM)
        return table(watch, counted, bare(engine, cues[WARM:]))


def talk(data: Path) -> dict[str, Any]:
    watch, counted, floor = Watch(), 0, 0.0
    for conversation in locomo_file.read(data):
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.of({"palace": str(Path(folder) / "palace"), "embedder": "builtin", "durable": False})
            with create_engine(settings) as engine:
                ingest(engine, conversation)
                cues = [Cue(text=one.text, now_us=conversation.now_us) for one in conversation.questions]
                warm = len(cues) // 3
                counted += asked(engine, cues, watch, warm)
                floor += bare(engine, cues[warm:]) * (len(cues) - warm)
    return table(watch, counted, floor / max(1, counted))


def page(found: dict[str, dict[str, Any]]) -> str:
    """The results as a table in Markdown."""
    columns = list(found)
    lines = [
        f"| stage | {' | '.join(f'{name}: ms | statements' for name in columns)} |",
        "|---" * (1 + 2 * len(columns)) + "|",
    ]
    for name in next(iter(found.values()))["ms"]:
        cells = (f"{one['ms'][name]:.2f} | {one['statements'][name]:.2f}" for one in found.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    cells = (f"**{one['whole_ms']:.2f}** | **{one['whole_statements']:.2f}**" for one in found.values())
    lines.append(f"| **a recall** | {' | '.join(cells)} |")
    cells = (f"{one['bare_searches_ms']:.2f} | " for one in found.values())
    lines.append(f"| bare text and vector search | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="keep the palaces here and use them again")
    parser.add_argument("--data", type=Path, help="a file in LoCoMo's format")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palazzo-stages-") as made:
        base = given.folder or Path(made)
        base.mkdir(parents=True, exist_ok=True)
        found = {f"synthetic {given.memories:,}": synthetic(given.memories, base)}
        if given.data:
            found["talk"] = talk(given.data)
    print(json.dumps({**found, "machine": machine()}) if given.json else page(found))


if __name__ == "__main__":
    main()
