"""What each signal of recall buys: every one left out in turn, over the same palaces.

    python -m bench.ablation --data FILE [--embedder NAME|FOLDER] [--questions N] [--json]

Prints R@10 and NDCG@10 with everything, and the difference without each signal, in points; and the same for the choice
of fusion, reranking and preset. Beside each stands the CPU time of a recall as a share of that with everything, medians
of the same questions in one run. Differences under one point are noise at a thousand questions.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from bench import locomo_file
from bench.common import machine, show
from bench.conversations import Conversation, ingest
from bench.retrieval import Answer, Asking, ask, embedder_of, figures, sample
from palazzo.bootstrap import create_engine
from palazzo.recall.rank.signals import QUESTION
from palazzo.settings import Settings


def variants(base: Asking) -> dict[str, Asking]:
    """The ways of asking that are compared."""
    named = {"all signals": base}
    named |= {f"without {name}": replace(base, leave_out=(name,)) for name in QUESTION}
    around = ("text_before", "vector_before", "vector_after", "session_text", "session_vector")
    named["without the turns around and the session"] = replace(base, leave_out=around)
    vector = ("vector", "vector_before", "vector_after", "session_vector")
    named["without any vector signal"] = replace(base, leave_out=vector)
    named["rank fusion, k = 60, of text and vector"] = replace(base, fusion="rank")
    named["max fusion of text and vector"] = replace(base, fusion="max")
    named["variety (MMR 0.7) over the best"] = replace(base, rerank="mmr")
    named["preset fast"] = replace(base, preset="fast")
    named["preset deep"] = replace(base, preset="deep")
    return {name: replace(how, beside_bm25=how is base) for name, how in named.items()}


def run(conversations: Sequence[Conversation], base: Asking) -> dict[str, list[Answer]]:
    """Every question asked in every way; each conversation is taken in once."""
    named = variants(base)
    found: dict[str, list[Answer]] = {name: [] for name in named}
    for conversation in conversations:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings.of(
                {"palace": str(Path(folder) / "palace"), "embedder": base.embedder, "durable": False}
            )
            with create_engine(settings) as engine:
                ingest(engine, conversation)
                for question in conversation.questions:  # side by side, so that a busier machine meets all alike
                    for name, how in named.items():
                        found[name].append(ask(engine, conversation, question, how))
    return found


def report(found: dict[str, list[Answer]]) -> dict[str, Any]:
    """R@10 and NDCG@10 per variant, and the difference to everything."""
    rows = {name: figures(answers) for name, answers in found.items()}
    cpu = {name: median(answer.cpu_s for answer in answers) for name, answers in found.items()}
    whole = rows["all signals"]
    return {
        "n": whole["n"],
        "bm25_r@10": whole["bm25_r@10"],
        "cpu_ms": round(1000 * cpu["all signals"], 2),
        "variants": {
            name: {
                "r@10": row["r@10"], "ndcg@10": row["ndcg@10"],
                "difference": round(100 * (row["r@10"] - whole["r@10"]), 1),
                "ndcg_difference": round(100 * (row["ndcg@10"] - whole["ndcg@10"]), 1),
                "cpu": round(cpu[name] / cpu["all signals"], 2),
            }
            for name, row in rows.items()
        },
        "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="builtin")
    parser.add_argument("--questions", type=int, default=0, help="at most this many questions a conversation")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    embedder = embedder_of(given.embedder)
    found = run(sample(locomo_file.read(given.data), given.questions), Asking(embedder=embedder))
    show({"embedder": given.embedder} | report(found), given.json)


if __name__ == "__main__":
    main()
