"""Trust in memories: how accurate each is likely to be, never more than what it rests on.

Owns the gathering of evidence and the minimum over the lineage; the formula is the model's. Feeds ranking (`factor`)
and tells an agent when to confirm first. Invariant: a conclusion is never trusted more than its weakest ground.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from mnemon.model.edge import EdgeKind
from mnemon.model.trust import Evidence, accuracy, needs_confirmation
from mnemon.store import beliefs, edges, memories, provenance, reviews
from mnemon.store.reading import Reading

LINEAGE: tuple[EdgeKind, ...] = ("derived_from", "depends_on", "inferred_from", "created_from")
DEPTH = 10
MOST_ANCESTORS = 200
MACHINES = frozenset({"agent", "assistant", "mcp", "kit", "tool", "model", "system", "dream", "shell", "import"})
"""What stands before the colon of an author that is no person."""
SAID = frozenset({"conversation", "message"})


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a memory may be relied on: its own accuracy, that of its weakest ground, and who that is."""

    own: float
    trust: float
    weakest: UUID
    confirm_first: bool

    @property
    def factor(self) -> float:
        """What a ranking multiplies a score by: 0.75 at no trust, 1.25 at full trust."""
        return 0.75 + 0.5 * self.trust


def own_accuracy(reading: Reading, memory_id: UUID) -> float:
    """The accuracy of one memory by its own evidence alone.

    Raises: NotFound.
    """
    memory = memories.get(reading, memory_id)
    sources = provenance.sources_of(reading, memory_id)
    successes, failures = reviews.outcomes_of(reading, memory_id)
    authors = {source.node.author for source in sources if source.node.kind in SAID} | {memory.revision.content.author}
    return accuracy(
        Evidence(
            sources=beliefs.evidence(reading, memory_id, memory.revision.key),
            said_by_person=any(author.split(":")[0].lower() not in MACHINES for author in authors if author),
            replaced_contradiction=_replaced(reading, memory_id),
            successes=successes,
            failures=failures,
        )
    )


def _replaced(reading: Reading, memory_id: UUID) -> bool:
    return any(edge.kind == "supersedes" for edge in edges.of(reading, memory_id, "out", 50))


def standing(reading: Reading, memory_id: UUID) -> Standing:
    """Trust in a memory: the minimum over itself and all it rests on, at most ten links away.

    A verbatim turn is a record of what was said, not a ground that could be wrong, so it is not counted.

    Raises: NotFound.
    """
    own = own_accuracy(reading, memory_id)
    lowest, weakest = own, memory_id
    walk = edges.Walk(direction="out", kinds=LINEAGE, depth=DEPTH, limit=MOST_ANCESTORS)
    for step in edges.walk(reading, memory_id, walk):
        if memories.get(reading, step.memory_id).kind == "exchange":
            continue
        other = own_accuracy(reading, step.memory_id)
        if other < lowest:
            lowest, weakest = other, step.memory_id
    return Standing(own, lowest, weakest, needs_confirmation(lowest))
