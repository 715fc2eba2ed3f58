"""Row-level security as a second fence: what readers see on PostgreSQL when our own filter is taken away.

    python -m bench.fence [--memories 100000 --readers 1000] --json

Memories of many users in one palace. Random readers ask by words, by vectors, by key and by id for what others own:
once as Palazzo is, once in a build that believes every reader may see every scope, so that only the server's fence is
left. `leaks` counts memories of a scope that a reader may not see whose row or text reached it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np

from bench.common import Corpus, batches, machine, show
from bench.engines import create_store, server
from palazzo.errors import NotFound
from palazzo.model.address import Place
from palazzo.model.capability import View
from palazzo.model.change import AddSpace, Attachments, PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import Scope
from palazzo.store.api import TextSearch, VectorSearch
from palazzo.store.postgres.palace import PostgresStore
from palazzo.store.sql import reading as readings
from palazzo.store.sql.port import StoreOptions
from palazzo.text.words.tokens import terms

DIMENSIONS = 32
USERS = 500
ASKED = 20


def build(store: Any, count: int) -> list[tuple[UUID, Scope]]:
    """Memories, each of one of many users."""
    corpus, rng = Corpus(dimensions=DIMENSIONS), random.Random(9)
    store.commit([AddSpace("bench", "random", DIMENSIONS)])
    owned = []
    for size in batches(count, 1000):
        changes = []
        for text, vector in zip(corpus.texts(size), corpus.vectors(size), strict=True):
            memory_id, scope = new_id(time.time_ns() // 1000), Scope((("user", f"u{rng.randrange(USERS)}"),))
            changes.append(
                PlaceMemory(
                    memory_id=memory_id, place=Place(("work",)), name=f"m-{memory_id.hex}", kind="fact", scope=scope,
                    content=RevisionDraft(text=text), attachments=Attachments(vectors={"bench": vector}),
                )
            )  # fmt: skip
            owned.append((memory_id, scope))
        store.commit(changes)
    store.upkeep.run()
    return owned


@contextmanager
def without_our_filter() -> Iterator[None]:
    """A build in which every reader is believed to see every scope; the fence is told the truth."""
    real_scopes, real_fence = readings.visible_scopes, PostgresStore.fence

    def every(connection: Any, _view: View) -> tuple[int, ...]:
        return tuple(number for (number,) in connection.execute("SELECT id FROM scope"))

    def fence(store: PostgresStore, connection: Any, view: View, _scopes: Any) -> None:
        real_fence(store, connection, view, real_scopes(connection, view))

    readings.visible_scopes = every  # type: ignore[assignment]
    PostgresStore.fence = fence  # type: ignore[method-assign]
    try:
        yield
    finally:
        readings.visible_scopes = real_scopes
        PostgresStore.fence = real_fence  # type: ignore[method-assign]


def asked_by(
    store: Any, user: Scope, owned: list[tuple[UUID, Scope]], corpus: Corpus, rng: random.Random
) -> tuple[int, int]:
    """How many memories one reader was shown, and how many of them are another's."""
    shown = leaks = 0
    others = [memory for memory, _ in rng.sample(owned, ASKED)]
    with store.reading(View(scope=user)) as seen:
        seen.search.prepare()
        hits = seen.search.text(TextSearch(terms=tuple(terms(corpus.question())), limit=ASKED)).keys.tolist()
        near = seen.search.vector(VectorSearch(vector=corpus.vectors(1)[0], limit=ASKED)).keys.tolist()
        guessed = [rng.randrange(1, len(owned) + 1) for _ in range(ASKED)]
        found = list(seen.memories.by_keys([*hits, *near, *guessed]).values())
        for memory in others:
            try:
                found.append(seen.memories.get(memory))
            except NotFound:
                continue
    for memory in found:
        shown += 1
        leaks += not memory.scope.is_prefix_of(user)
    return shown, leaks


def run(count: int, readers: int) -> dict[str, Any]:
    with server("postgres") as started:
        assert started is not None
        with create_store(f"{started.address}?palace=fence", StoreOptions()) as store:
            owned = build(store, count)
            result: dict[str, Any] = {"memories": count, "readers": readers, "users": USERS}
            for name, removed in (("with our filter", False), ("without our filter", True)):
                corpus, rng = Corpus(seed=5, dimensions=DIMENSIONS), random.Random(5)
                counted = np.zeros(2, np.int64)
                for _ in range(readers):
                    user = Scope((("user", f"u{rng.randrange(USERS)}"),))
                    if removed:
                        with without_our_filter():
                            counted += asked_by(store, user, owned, corpus, rng)
                    else:
                        counted += asked_by(store, user, owned, corpus, rng)
                result[name] = {"shown": int(counted[0]), "leaks": int(counted[1])}
    return {**result, "leaks": sum(result[name]["leaks"] for name in result if "filter" in name), "machine": machine()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    result = run(arguments.memories, arguments.readers)
    show(result, arguments.json)
    sys.exit(1 if result["leaks"] else 0)


if __name__ == "__main__":
    main()
