"""From signals to one order: the weighted sum by default, rank fusion and max fusion for comparison.

Invariant: all three take the same signals and return one score per candidate, so they can be swapped in a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import InvalidInput
from palazzo.recall.rank.signals import weigh
from palazzo.recall.rank.weights import MAX_FUSION_COSINE, RANK_FUSION_K, Weights

Floats = NDArray[np.float32]
FUSIONS = ("sum", "rank", "max")


def fuse(
    how: str, signals: Mapping[str, Floats], weights: Weights, count: int, leave_out: Sequence[str] = ()
) -> Floats:
    """One score per candidate.

    Raises: InvalidInput for a fusion that does not exist.
    """
    if how == "sum":
        return weigh(signals, weights, count, leave_out)
    if how == "rank":
        return _ranks(signals, count)
    if how == "max":
        return _highest(signals, count)
    raise InvalidInput(f"no fusion {how!r}", field="fusion", hint=", ".join(FUSIONS))


def _ranks(signals: Mapping[str, Floats], count: int) -> Floats:
    """Reciprocal rank fusion of text and vector, k = 60. What a branch did not find gets nothing from it."""
    total = np.zeros(count, np.float32)
    for name in ("text", "vector"):
        values = signals.get(name)
        if values is not None:
            ranks = np.empty(count, np.float32)
            ranks[np.argsort(-values, kind="stable")] = np.arange(1, count + 1)
            total += np.where(values > 0, 1 / (RANK_FUSION_K + ranks), 0).astype(np.float32)
    return total


def _highest(signals: Mapping[str, Floats], count: int) -> Floats:
    """The higher of text and 0.85 of the cosine."""
    nothing = np.zeros(count, np.float32)
    cosine = np.multiply(signals.get("vector", nothing), np.float32(MAX_FUSION_COSINE))
    found: Floats = np.maximum(signals.get("text", nothing), cosine)
    return found
