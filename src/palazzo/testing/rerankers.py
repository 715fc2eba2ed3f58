"""A reranker for tests: scores texts by a function, or fails as told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import Vector


class ScriptedReranker:
    """Scores every text with a function of query and text and remembers what it was asked."""

    name = "scripted"

    def __init__(self, score: Callable[[str, str], float] | None) -> None:
        """Without a function every call fails."""
        self._score = score
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Vector:
        """One score per text.

        Raises: PartUnavailable.
        """
        self.asked.append((query, tuple(texts)))
        if self._score is None:
            raise PartUnavailable("the reranker is away", part="reranker scripted")
        return np.array([self._score(query, text) for text in texts], np.float32)
