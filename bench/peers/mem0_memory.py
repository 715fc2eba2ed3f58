"""mem0's open build with `infer=False`: texts as they are, Qdrant on disk, its history database, its hybrid scoring.

Its embedder is replaced by the shared one through its factory; the language model it insists on is configured with a
placeholder key and never called.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, ClassVar

import mem0
from mem0.embeddings.base import EmbeddingBase
from mem0.utils.factory import EmbedderFactory

from bench.peers.system import Ask, Item, Opened, SharedEmbedder

USER = "bench"


class SharedEmbedding(EmbeddingBase):  # type: ignore[misc]
    """The shared embedder as mem0 wants one."""

    shared: ClassVar[SharedEmbedder]

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text], memory_action)[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        shared = self.shared
        rows = [shared.query(text) for text in texts] if memory_action == "search" else shared.vectors(texts)
        return [[float(x) for x in row] for row in rows]


class Mem0:
    """One user's memories."""

    keeps = "text and vectors"
    version = version("mem0ai")

    def __init__(self, opened: Opened) -> None:
        logging.disable(logging.WARNING)
        SharedEmbedding.shared = opened.embedder
        EmbedderFactory.provider_to_class["openai"] = f"{__name__}.SharedEmbedding"
        config: dict[str, Any] = {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(opened.folder / "qdrant"), "on_disk": True, "collection_name": "kept",
                    "embedding_model_dims": opened.embedder.dimensions,
                },
            },
            "embedder": {"provider": "openai", "config": {"embedding_dims": opened.embedder.dimensions}},
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": str(opened.folder / "history.db"),
        }  # fmt: skip
        self._memory = mem0.Memory.from_config(config)

    def add(self, items: Sequence[Item]) -> None:
        for item in items:
            self.add_one(item)

    def add_one(self, item: Item) -> None:
        self._memory.add(item.said, user_id=USER, infer=False, metadata={"item": item.id})

    def settle(self) -> None:
        pass

    def holds(self, items: Sequence[Item]) -> set[str]:
        said = {item.id: item.said for item in items}
        found = self._memory.get_all(filters={"user_id": USER}, top_k=1_000_000)["results"]
        return {row["metadata"]["item"] for row in found if said.get(row["metadata"]["item"]) == row["memory"]}

    def search(self, ask: Ask, limit: int) -> list[str]:
        found = self._memory.search(ask.text, filters={"user_id": USER}, top_k=limit, threshold=0.0)
        return [row["metadata"]["item"] for row in found["results"]]

    def close(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()
