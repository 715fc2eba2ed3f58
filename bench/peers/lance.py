"""LanceDB: one table with text and vectors, its full-text index and its hybrid search with its own reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lancedb
import pyarrow as pa

from bench.peers.system import Ask, Item, Opened

INDEX_FROM = 10_000
"""Rows from which an approximate vector index is built, as its documentation advises for larger tables."""


class Lance:
    """Hybrid search over a full-text index and vectors."""

    keeps = "text and vectors"
    version = lancedb.__version__

    def __init__(self, opened: Opened) -> None:
        self._embedder = opened.embedder
        self._dimensions = opened.embedder.dimensions
        self._database = lancedb.connect(str(opened.folder / "lance"))
        shape = pa.schema(
            [("id", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), self._dimensions))]
        )
        self._table = self._database.create_table("kept", schema=shape, exist_ok=True)
        self._indexed_rows = self._table.count_rows() if self._table.list_indices() else -1

    def add(self, items: Sequence[Item]) -> None:
        texts = [item.said for item in items]
        vectors = self._embedder.vectors(texts)
        self._table.add(
            [
                {"id": item.id, "text": text, "vector": vector}
                for item, text, vector in zip(items, texts, vectors, strict=True)
            ]
        )

    def add_one(self, item: Item) -> None:
        self.add([item])

    def search(self, ask: Ask, limit: int) -> list[str]:
        self._catch_up()
        found: Any = self._table.search(query_type="hybrid").vector(self._embedder.query(ask.text))
        rows = found.text(ask.text).limit(limit).select(["id"]).to_list()
        return [row["id"] for row in rows]

    def _catch_up(self) -> None:
        """Builds or extends the indexes when rows were added since: part of using it, done once before reading."""
        rows = self._table.count_rows()
        if rows == self._indexed_rows:
            return
        self._table.optimize()
        self._table.create_fts_index("text", replace=True)
        if rows >= INDEX_FROM:
            self._table.create_index(metric="cosine", replace=True)
        self._indexed_rows = rows

    def settle(self) -> None:
        self._catch_up()

    def holds(self, items: Sequence[Item]) -> set[str]:
        said = {item.id: item.said for item in items}
        wanted = ", ".join(f"'{name}'" for name in said)
        rows = self._table.search().where(f"id IN ({wanted})").limit(len(said)).select(["id", "text"]).to_list()
        return {row["id"] for row in rows if said[row["id"]] == row["text"]}

    def close(self) -> None:
        self._indexed_rows = -1
