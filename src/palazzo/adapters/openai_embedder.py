"""Embeddings from any server that speaks OpenAI's `/v1/embeddings` (OpenAI, vLLM, llama.cpp, LM Studio,
LiteLLM).

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


class OpenAIEmbedder:
    """Embeds with a model behind an OpenAI-compatible address such as https://api.openai.com/v1."""

    def __init__(self, endpoint: Endpoint, model: RemoteModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Remember where the model is; nothing is sent yet. `model.dimensions`, if given, is asked of the
        server.

        Raises: InvalidInput if the address is not usable.
        """
        self._part = f"openai embedder {model.model}"
        self._model = model
        self._http = HttpJson(endpoint, part=self._part, sleep=sleep)
        self._vectors = RemoteVectors(model, self._send, part=self._part)

    @property
    def name(self) -> str:
        """The model, with its length where one was asked for; the same on every server."""
        return f"openai/{self._model.space(sized=True)}"

    @property
    def dimensions(self) -> int:
        """Length of the vectors.

        Raises: PartUnavailable.
        """
        return self._vectors.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text.

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
        body: dict[str, object] = {"model": self._model.model, "input": texts, "encoding_format": "float"}
        if self._model.dimensions is not None:
            body["dimensions"] = self._model.dimensions
        reply = self._http.post(
            "/embeddings",
            body,
            timeout_s=self._model.query_timeout_s if is_query else None,
            attempts=1 if is_query else None,
        )
        data = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(data, list):
            raise PartUnavailable("the server's reply holds no embeddings", part=self._part)
        # The order of the list is not promised; `index` is.
        vectors: dict[int, JsonValue] = {}
        for place, entry in enumerate(data):
            if isinstance(entry, dict):
                index = entry.get("index", place)
                vectors[index if isinstance(index, int) else place] = entry.get("embedding")
        return [vectors[index] for index in sorted(vectors)]
