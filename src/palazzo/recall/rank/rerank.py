"""Reordering the best hits: for variety (MMR), by a model that reads cue and text together, or by the client itself.

Owns the order only: nothing is added or lost. Without a model the order stays and the reply says so. A client that asks
for its own choice gets the order as it is and the next candidates beside it. By default nothing is reordered: variety
gives up relevance, so it is asked for by name; bench/ablation measures what it costs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import InvalidInput
from palazzo.ports import Reranker
from palazzo.recall.rank.weights import MMR

Floats = NDArray[np.float32]
RERANKS = ("none", "mmr", "model", "client")


def vary(scores: Floats, vectors: Floats, wanted: int, balance: float = MMR) -> list[int]:
    """Row numbers by maximal marginal relevance: `balance` on relevance, the rest against likeness."""
    count = len(scores)
    low, high = (float(scores.min()), float(scores.max())) if count else (0.0, 0.0)
    relevance = (scores - min(low, 0.0)) / max(high - min(low, 0.0), 1e-6)
    likeness = np.zeros(count, np.float32)
    left = np.ones(count, np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(wanted, count):
        worth = np.where(left, balance * relevance - (1 - balance) * likeness, -np.inf)
        best = int(np.argmax(worth))
        chosen.append(best)
        left[best] = False
        likeness = np.maximum(likeness, vectors @ vectors[best])
    return [*chosen, *(row for row in np.argsort(-scores, kind="stable").tolist() if left[row])]


def by_model(reranker: Reranker, query: str, texts: Sequence[str]) -> list[int]:
    """Row numbers by a cross-encoder's score, best first.

    Raises: PartUnavailable.
    """
    return [int(row) for row in np.argsort(-reranker.rerank(query, texts), kind="stable")]


def checked(how: str) -> str:
    """The name of a reranking that exists.

    Raises: InvalidInput.
    """
    if how not in RERANKS:
        raise InvalidInput(f"no rerank {how!r}", field="rerank", hint=", ".join(RERANKS))
    return how
