"""Which turns of a conversation a hit is made from, and so whether it answers a question."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from bench.conversations import Conversation, Question
from palazzo import Memory
from palazzo.model.capability import View
from palazzo.model.memory import STATES
from palazzo.recall.answer.reply import Hit

EVERYTHING = View(all_scopes=True, states=STATES, include_deprecated=True)


def labels(memory: Memory, ids: Sequence[UUID]) -> list[set[str]]:
    """The turns each memory is made from, by their labels: its own, or those of what stands behind it."""
    with memory.engine.store.reading(EVERYTHING) as reading:

        def of(memory_id: UUID, left: int) -> set[str]:
            found = {one.node.label for one in reading.provenance.sources_of(memory_id) if one.node.kind != "dream"}
            if left:
                for edge in reading.edges.of(memory_id, "out", 500):
                    if edge.kind in ("derived_from", "inferred_from"):
                        found |= of(edge.target.memory_id, left - 1)
            return found

        return [of(one, 2) for one in ids]


def mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4) if values else -1.0


def answering(
    memory: Memory, conversation: Conversation, question: Question, hits: Sequence[Hit], *, sessions: bool
) -> list[bool]:
    """Which hits are, or were made of, a turn that answers a question; or of a session that does."""
    told = labels(memory, [hit.memory.id for hit in hits])
    if sessions:
        told = [{conversation.ids[one] for one in some if one in conversation.ids} for some in told]
    return [bool(some & question.gold) for some in told]
