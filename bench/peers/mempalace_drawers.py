"""MemPalace: verbatim drawers in its default backend, found by its own hybrid search with both candidate sources.

Its model download is replaced by the shared embedder through its embedding function; everything else is its own.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from bench.peers.system import Ask, Item, Opened, SharedEmbedder


class SharedFunction:
    """The shared embedder as Chroma and MemPalace want one."""

    def __init__(self, shared: SharedEmbedder) -> None:
        self._shared = shared

    def __call__(self, input: list[str]) -> list[Any]:  # noqa: A002 - Chroma names it so
        return list(self._shared.vectors(input))

    def embed_query(self, input: list[str]) -> list[Any]:  # noqa: A002
        return [self._shared.query(text) for text in input]

    @staticmethod
    def name() -> str:
        return "default"

    def is_legacy(self) -> bool:
        return False

    def default_space(self) -> str:
        return "cosine"

    def supported_spaces(self) -> list[str]:
        return ["cosine"]

    def get_config(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> Any:
        raise NotImplementedError(config)

    def validate_config_update(self, old: dict[str, Any], new: dict[str, Any]) -> None:  # noqa: ARG002
        return None


class MemPalace:
    """One wing with one room."""

    keeps = "text and vectors"
    version = version("mempalace")

    def __init__(self, opened: Opened) -> None:
        logging.disable(logging.WARNING)
        import mempalace.embedding as embedding

        function = SharedFunction(opened.embedder)
        embedding.get_embedding_function = lambda *_, **__: function
        from mempalace.palace import get_collection
        from mempalace.searcher import search_memories

        self._path = str(opened.folder / "palace")
        self._kept = get_collection(self._path, create=True, _skip_identity_check=True)
        self._search = search_memories

    def add(self, items: Sequence[Item]) -> None:
        self._kept.upsert(
            ids=[item.id for item in items],
            documents=[item.said for item in items],
            metadatas=[
                {"wing": "bench", "room": "talk", "source_file": item.id, "chunk_index": 0} for item in items
            ],
        )  # fmt: skip

    def add_one(self, item: Item) -> None:
        self.add([item])

    def settle(self) -> None:
        pass

    def holds(self, items: Sequence[Item]) -> set[str]:
        said = {item.id: item.said for item in items}
        found = self._kept.get(ids=list(said), include=["documents"])
        return {name for name, text in zip(found["ids"], found["documents"], strict=True) if said[name] == text}

    def search(self, ask: Ask, limit: int) -> list[str]:
        found = self._search(ask.text, self._path, n_results=limit, candidate_strategy="union")
        if "results" not in found:
            raise RuntimeError(str(found.get("error", found)))
        return [str(row["source_file"]) for row in found["results"]]

    def close(self) -> None:
        self._kept = None
