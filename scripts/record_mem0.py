"""Records the shapes of mem0's answers: `python -m scripts.record_mem0` with mem0ai installed (the group `peers`).

Runs the calls of tests/surfaces/mem0_session.py against the real package with `infer=False`, an embedder that needs no
network and no language model, and writes the keys and types of every answer to tests/fixtures/mem0-shapes.json.
"""

from __future__ import annotations

import json
import logging
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any

import mem0
from mem0.embeddings.base import EmbeddingBase
from mem0.utils.factory import EmbedderFactory
from tests.surfaces.mem0_session import FIXTURE, run, shape


class HashEmbedding(EmbeddingBase):  # type: ignore[misc]
    """A vector from the bytes of a text: the shapes of answers do not depend on it."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return [byte / 255 for byte in blake2b(text.encode(), digest_size=32).digest()]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002
        return [self.embed(text) for text in texts]


def opened(folder: Path) -> Any:
    """The real thing, in a folder."""
    EmbedderFactory.provider_to_class["openai"] = f"{__name__}.HashEmbedding"
    store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": 32}
    return mem0.Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "openai", "config": {"embedding_dims": 32}},
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": str(folder / "history.db"),
        }
    )


def main() -> None:
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        memory = opened(Path(folder))
        recorded = {name: shape(answer) for name, answer in run(memory, threshold=0.0).items()}
        memory.close()
    FIXTURE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
