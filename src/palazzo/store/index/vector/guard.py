"""What is stored of the vectors of guarded memories: eight bits a component, or turned by a key.

A vector tells much of its text. A sensitive memory's is kept in 256 steps a component; a confidential one's goes
through a keyed rotation first, which keeps every distance between turned vectors, so a turned query finds it exactly.
Knows nothing of rows. Invariant: guarding a vector again gives a vector with the same 256 steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palazzo.model.memory import Tier
from palazzo.ports import FieldCipher

_STEPS = 127


def eight_bits(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row in steps of a 127th of its largest component."""
    steps = np.abs(vectors).max(axis=1, keepdims=True) / _STEPS
    steps[steps == 0] = 1
    found: NDArray[np.float32] = (np.rint(vectors / steps) * steps).astype(np.float32)
    return found


def guarded_vectors(cipher: FieldCipher | None, tier: Tier, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors as a memory of this tier may keep them."""
    rows = np.asarray(vectors, np.float32)
    if tier == "confidential" and cipher is not None:
        rows = cipher.turn(rows)
    return rows if tier == "clear" else eight_bits(rows)
