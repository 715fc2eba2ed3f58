"""Embeddings from an Ollama server's `/api/embed`.

Owns the form of request and reply. Transport is `http_json`'s, checks of vectors are `remote_vectors`'.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from palazzo.adapters.http_json import Endpoint, HttpJson
from palazzo.adapters.remote_vectors import RemoteModel, RemoteVectors
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import JsonValue, Vector, Vectors


class OllamaEmbedder:
    """Embeds with a model that an Ollama server has pulled; the usual address is http://127.0.0.1:11434."""

    def __init__(self, endpoint: Endpoint, model: RemoteModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Remember where the model is; nothing is sent yet. `model.dimensions`, if given, is checked, not
        asked for.

        Raises: InvalidInput if the address is not usable.
        """
        self._part = f"ollama embedder {model.model}"
        self._model = model
        self._http = HttpJson(endpoint, part=self._part, sleep=sleep)
        self._vectors = RemoteVectors(model, self._send, part=self._part)

    @property
    def name(self) -> str:
        """The model and its tag."""
        return f"ollama/{self._model.space(sized=False)}"

    @property
    def dimensions(self) -> int:
        """Length of the vectors.

        Raises: PartUnavailable.
        """
        return self._vectors.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; the server cuts texts beyond the model's length.

        Raises: PartUnavailable.
        """
        return self._vectors.embed(texts)

    def embed_query(self, text: str) -> Vector:
        """A unit vector, or a prompt failure: one attempt, a short wait.

        Raises: PartUnavailable.
        """
        return self._vectors.embed_query(text)

    def close(self) -> None:
        """Close idle connections."""
        self._http.close()

    def _send(self, texts: list[str], is_query: bool) -> list[JsonValue]:
        reply = self._http.post(
            "/api/embed",
            {"model": self._model.model, "input": texts, "truncate": True},
            timeout_s=self._model.query_timeout_s if is_query else None,
            attempts=1 if is_query else None,
        )
        vectors = reply.get("embeddings") if isinstance(reply, dict) else None
        if not isinstance(vectors, list):
            raise PartUnavailable("the server's reply holds no embeddings", part=self._part)
        return vectors
