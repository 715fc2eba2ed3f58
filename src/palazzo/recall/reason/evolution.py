"""How knowledge of a topic changed: what was added, repeated and corrected, in order of time.

Owns the reading of revisions as events. Invariant: every entry names the revision it comes from, and nothing is shown
that this reader may not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

import msgspec

from palazzo.errors import NotFound
from palazzo.recall.answer.reply import Hit
from palazzo.store.api import Reading

Step = Literal["added", "reinforced", "corrected"]


class Change(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One moment in the life of what is known."""

    at_us: int
    step: Step
    memory_id: UUID
    revision: int
    text: str
    before: str = ""
    """What was believed until then, for a correction."""
    source: str = ""


def timeline(reading: Reading, hits: Sequence[Hit]) -> tuple[Change, ...]:
    """The changes of the memories found for a topic, oldest first. Turns are evidence, not knowledge: left out."""
    found: list[Change] = []
    for hit in hits:
        if hit.memory.kind == "exchange":
            continue
        try:
            revisions = reading.memories.history(hit.memory.id)
            sources = reading.provenance.sources_of(hit.memory.id)
        except NotFound:
            continue
        before = ""
        for revision in revisions:
            text = revision.content.text
            step: Step = "added" if not before else "corrected" if text != before else "reinforced"
            found.append(
                Change(
                    at_us=revision.content.valid_from_us or revision.created_us, step=step, memory_id=hit.memory.id,
                    revision=revision.number, text=text, before=before if step == "corrected" else "",
                )
            )  # fmt: skip
            before = text
        last = revisions[-1]
        found += [
            Change(
                at_us=source.node.at_us, step="reinforced", memory_id=hit.memory.id, revision=last.number,
                text=last.content.text, source=source.node.label,
            )
            for source in sources[1:]
        ]  # fmt: skip
    return tuple(sorted(found, key=lambda change: (change.at_us, change.revision)))
