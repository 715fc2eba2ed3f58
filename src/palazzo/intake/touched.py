"""What may have changed with a new statement beside what it replaced: by an edge, an implication, the reader's word.

Owns which memories are marked so and how many. Knows nothing of what takes a memory back (`changed`). Invariant: what
was replaced is never marked as well, and what speaks of somebody else is not marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import msgspec

from palazzo.intake.changed import DOUBT, READER, Budget, akin, asked_of, of_another, pair_of
from palazzo.intake.known import Held, Known
from palazzo.intake.values import Draft
from palazzo.model.kinds import HAPPENED
from palazzo.text.change.implied import goes_with, implied_by
from palazzo.text.reader import judgements

MOST_TOUCHED = 8
TOUCHED_AT = 0.3
"""Odds from which on an older statement may have changed with a newer one: of 560 other pairs one had them."""
RESTS_ON = frozenset({"depends_on", "derived_from", "inferred_from", "created_from"})


class Touched(msgspec.Struct, frozen=True, gc=False):
    """A memory that may have changed with a newer statement: by an edge, a typed implication, or the reader's word."""

    memory_id: UUID
    follows: str
    score: float


def touched_by(
    draft: Draft, candidates: Sequence[Held], gone: Sequence[Held], known: Known, budget: Budget,
    doubted: Sequence[Held] = (),
) -> tuple[Touched, ...]:  # fmt: skip
    """What may have changed with a statement, beside what it replaced (`gone`); each once, a few at most. `doubted` are
    those that may be of the matter of what it replaced."""
    out = {held.memory_id for held in gone}
    found: dict[UUID, Touched] = {}

    def note(memory_id: UUID, follows: str, score: float) -> None:
        if memory_id not in out:
            found.setdefault(memory_id, Touched(memory_id, follows, round(score, 3)))

    for held in doubted:
        note(held.memory_id, READER, DOUBT)
    at, (marked_at, _) = max(judgements.figure("touched_at", 1.0), TOUCHED_AT), asked_of(draft)
    read = [held for held in candidates if budget.read(pair_of(draft, held))]
    for held, odds in zip(read, budget.odds([pair_of(draft, held) for held in read]), strict=True):
        if odds is None or held.given:
            continue
        if odds.touches >= at:
            note(held.memory_id, READER, odds.touches)
        elif odds.replaces >= marked_at and any(akin(held, one) for one in gone) and not of_another(draft, held):
            note(held.memory_id, READER, odds.replaces)
    for held in gone:
        for edge in known.reading.edges.of(held.memory_id, "in", MOST_TOUCHED) if held.key is not None else ():
            if edge.kind in RESTS_ON:
                note(edge.source.memory_id, f"rests on what changed: {edge.kind}", 1.0)
    of_its_kind = draft.kind not in HAPPENED and any(held.kind == draft.kind for held in gone)
    implied = implied_by(draft.text, draft.kind, changed=of_its_kind)
    if implied is not None:
        for near in known.reading.known.nearest([(tuple(sorted(implied.terms)), MOST_TOUCHED)])[0]:
            own = draft.letter.message.speaker.casefold() in (near.key_fact or near.text).casefold()
            if own and near.scope == known.scope and near.kind not in HAPPENED and goes_with(near.text, implied):
                note(near.memory_id, implied.name, 1.0)
    return tuple(found.values())[:MOST_TOUCHED]
