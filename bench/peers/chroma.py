"""Chroma's persistent client: one collection, cosine distance, vectors given from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chromadb
from chromadb.config import Settings

from bench.peers.system import Ask, Item, Opened


class Chroma:
    """Documents with their vectors; found by the nearest vectors."""

    keeps = "text and vectors"
    version = chromadb.__version__

    def __init__(self, opened: Opened) -> None:
        self._embedder = opened.embedder
        self._client = chromadb.PersistentClient(
            path=str(opened.folder / "chroma"), settings=Settings(anonymized_telemetry=False)
        )
        self._kept = self._client.get_or_create_collection(
            "kept", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def add(self, items: Sequence[Item]) -> None:
        texts = [item.said for item in items]
        vectors: Any = self._embedder.vectors(texts)
        self._kept.add(ids=[item.id for item in items], documents=texts, embeddings=vectors)

    def add_one(self, item: Item) -> None:
        self.add([item])

    def search(self, ask: Ask, limit: int) -> list[str]:
        vector: Any = self._embedder.query(ask.text)
        return list(self._kept.query(query_embeddings=[vector], n_results=limit, include=["documents"])["ids"][0])

    def settle(self) -> None:
        pass

    def holds(self, items: Sequence[Item]) -> set[str]:
        said = {item.id: item.said for item in items}
        found: Any = self._kept.get(ids=list(said), include=["documents"])
        return {name for name, text in zip(found["ids"], found["documents"], strict=True) if said[name] == text}

    def close(self) -> None:
        self._client.close()
