"""Trust in one memory, by its id: for accounts and for an agent that wonders whether to confirm first.

Owns nothing but the question; the reads are the store's, the formula the model's: ranking uses the same figures.
"""

from __future__ import annotations

from uuid import UUID

from palazzo.model.trust import Standing
from palazzo.store.api import Reading


def standing(reading: Reading, memory_id: UUID) -> Standing:
    """Trust in a memory: the minimum over itself and all it rests on.

    Raises: NotFound.
    """
    key = reading.memories.get(memory_id).revision.key
    return reading.trusts.standings([key])[key]
