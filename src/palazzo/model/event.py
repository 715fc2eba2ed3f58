"""The journal's events. Every change of memory state writes one, in the same transaction, with the next number.

Names are past tense. `memory_id` and `revision` say what changed; `detail` carries small facts, never content.
"""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

import msgspec

EventKind = Literal[
    "memory_placed", "revision_added", "tag_moved", "tag_removed", "edge_added", "edge_removed",
    "memory_deprecated", "memory_undeprecated", "state_changed", "memory_accessed", "memory_forgotten",
    "memory_restored", "memory_purged", "memory_moved", "relation_added", "grant_added", "grant_revoked",
    "place_changed", "space_added", "space_activated", "space_retired", "vectors_stored", "staleness_set",
    "entities_merged", "provenance_linked", "belief_displaced", "belief_released",
    "staleness_audited", "staleness_resolved", "outcome_recorded", "claim_added", "claim_decided",
    "claim_mode_set", "signals_added", "memory_corrected", "token_added", "token_revoked", "subject_met",
    "lock_lifted", "lock_restored", "policy_set", "plan_made", "plan_applied", "plan_rolled_back",
]  # fmt: skip
EVENT_KINDS: tuple[EventKind, ...] = EventKind.__args__  # type: ignore[attr-defined]


class Event(msgspec.Struct, frozen=True, gc=False):
    seq: int
    at_us: int
    kind: EventKind
    subject: str
    memory_id: UUID | None = None
    revision: int | None = None
    detail: dict[str, Any] = msgspec.field(default_factory=dict)
