"""Whether another tenant's writes change anything in my answers: they must not, bit for bit.

    python -m bench.isolation --memories 1000000 --json

One user keeps a few hundred memories and asks fifty questions. Then other users of the same palace write so many
memories in the same words and the same vector space, and the same questions are asked again, before and after upkeep
has moved everything into segments and lists. Order, scores and every reason behind them are compared as they are. Each
of the others first remembers a few hundred texts as a user does, through intake; the rest comes in bulk.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.common import Corpus, batches, machine, percentiles, show
from palazzo import Memory
from palazzo.model.address import Place
from palazzo.model.change import Attachments, Change, PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import Scope
from palazzo.operations.recall.spec import Recalled
from palazzo.store.index.vector import vectors
from palazzo.store.sql.tables import SqlTables

OWN = 300
QUESTIONS = 50
BATCH = 2_000
TENANTS = 20
SPOKEN = 250
"""Texts each of the others remembers through intake, which is some ten times slower than the bulk path."""


def fill_own(memory: Memory, corpus: Corpus) -> None:
    """The memories of the one who asks."""
    texts = corpus.texts(OWN)
    for start in range(0, OWN, 100):
        memory.remember_many(texts[start : start + 100])


def answers(memory: Memory, questions: list[str]) -> tuple[list[tuple[Any, ...]], dict[str, float]]:
    """Everything an answer says but the time it took, and how long the answers took."""
    found, times = [], []
    for question in questions:
        began = time.perf_counter()
        reply: Recalled = memory.recall(question, limit=20)
        times.append(time.perf_counter() - began)
        hits = tuple((hit.memory.id, hit.score, hit.trust, hit.lane, hit.reasons) for hit in reply)
        found.append((hits, reply.mode, reply.candidates, reply.tokens))
    return found, percentiles(times)


def write_foreign(memory: Memory, count: int, palace: Path) -> None:
    """Memories of other users, some thousand at a time, with vectors of the palace's own space."""
    store = memory.engine.store
    with store.database.read() as connection:
        space = vectors.space_named(SqlTables(connection))
    corpus = Corpus(seed=31, dimensions=space.dimensions if space else 8)
    spoken = min(SPOKEN, count // (2 * TENANTS))
    for tenant in range(TENANTS):
        with Memory(palace, user_id=f"other-{tenant}", durable=False, archive=False) as other:
            other.remember_many(corpus.texts(spoken))
    for number, size in enumerate(batches(count - spoken * TENANTS, BATCH)):
        now = time.time_ns() // 1000
        scope = Scope.of(user=f"other-{number % TENANTS}")
        changes: list[Change] = []
        for text, vector in zip(corpus.texts(size), corpus.vectors(size), strict=True):
            memory_id = new_id(now)
            changes.append(
                PlaceMemory(
                    memory_id=memory_id, place=Place(("work", f"desk{number % 50}")), name=f"m-{memory_id.hex}",
                    kind="fact", scope=scope, content=RevisionDraft(text=text),
                    attachments=Attachments(vectors={space.name: vector} if space else {}),
                )
            )  # fmt: skip
        store.commit(changes, subject="agent:other")


def run(count: int, folder: Path) -> dict[str, Any]:
    corpus = Corpus(seed=7)
    with Memory(folder / "palace", user_id="anna", durable=False, archive=False) as memory:
        fill_own(memory, corpus)
        questions = [corpus.question() for _ in range(QUESTIONS)]
        before, alone = answers(memory, questions)
        began = time.perf_counter()
        write_foreign(memory, count, folder / "palace")
        written = time.perf_counter() - began
        after, among = answers(memory, questions)
        memory.engine.store.upkeep.run()
    with Memory(folder / "palace", user_id="anna", upkeep=False, archive=False) as reopened:  # remembers no answer
        later, settled = answers(reopened, questions)
    changed = [n for n in range(QUESTIONS) if not before[n] == after[n] == later[n]]
    return {
        "memories": count, "questions": QUESTIONS, "changed": len(changed), "equal": not changed,
        "p50_ms": {"alone": alone["p50_ms"], "among": among["p50_ms"], "after_upkeep": settled["p50_ms"]},
        "foreign_per_s": round(count / written), "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palazzo-isolation-") as base:
        result = run(arguments.memories, Path(base))
    show(result, arguments.json)
    raise SystemExit(0 if result["equal"] else 1)


if __name__ == "__main__":
    main()
