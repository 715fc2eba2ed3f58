"""A cross-encoder behind any server that speaks the common `/rerank` (Jina, Cohere, vLLM, llama.cpp, LiteLLM).

Owns the form of request and reply. Transport is `remote`'s. Invariant: one finite score per text in the order given,
or a failure; a reply that leaves texts out is a failure, never a score of zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from palazzo.adapters.remote import Endpoint, HttpJson
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import JsonValue, Vector

TIMEOUT_S: Final = 3.0
"""Somebody waits for the answer, and the order without the model is a good one."""


class HttpReranker:
    """Scores texts with a model behind an address such as http://localhost:8000/v1."""

    def __init__(self, endpoint: Endpoint, model: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Remember where the model is; nothing is sent yet.

        Raises: InvalidInput if the address is not usable.
        """
        self._model = model
        self._part = f"reranker {model}"
        self._http = HttpJson(endpoint, part=self._part, sleep=sleep)

    @property
    def name(self) -> str:
        """The model."""
        return f"rerank/{self._model}"

    def rerank(self, query: str, texts: Sequence[str]) -> Vector:
        """One score per text, in the order given.

        Raises: PartUnavailable.
        """
        import numpy as np

        body: dict[str, object] = {"model": self._model, "query": query, "documents": list(texts)}
        reply = self._http.post("/rerank", body, timeout_s=TIMEOUT_S, attempts=1)
        results = reply.get("results") if isinstance(reply, dict) else reply
        scores = np.full(len(texts), np.nan, np.float32)
        for entry in results if isinstance(results, list) else ():
            place, score = self._entry(entry)
            if 0 <= place < len(texts):
                scores[place] = score
        if not np.isfinite(scores).all():
            raise PartUnavailable("the server's reply does not score every text", part=self._part)
        return scores

    def close(self) -> None:
        """Close idle connections."""
        self._http.close()

    @staticmethod
    def _entry(entry: JsonValue) -> tuple[int, float]:
        if not isinstance(entry, dict):
            return -1, 0.0
        place, score = entry.get("index"), entry.get("relevance_score", entry.get("score"))
        if not isinstance(place, int) or not isinstance(score, int | float):
            return -1, 0.0
        return place, float(score)
