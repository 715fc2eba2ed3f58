"""Changes: the closed union of everything that may be written to a palace. Imperative names, frozen values.

A change is complete in itself: the store needs nothing else to apply it, and applies a batch of them in one
transaction or not at all. Validation of texts and meanings happened before; the store checks only its own laws.
Each leaves an event in the journal, in the same transaction, with a name in the past tense; an event carries small
facts, never content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import msgspec

from palazzo.model.address import Place
from palazzo.model.belief import BeliefChange
from palazzo.model.capability import Grant, GuardChange
from palazzo.model.graph import (
    EdgeDraft,
    EdgeKind,
    MentionDraft,
    Node,
    ProvenanceEdge,
    ProvenanceNode,
    RelationDraft,
    Source,
)
from palazzo.model.kinds import Durability, Kind
from palazzo.model.memory import Artifact, RevisionDraft, State, TagMove, Tier
from palazzo.model.message import Fate, Turn
from palazzo.model.raw_event import RawEventChange
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.slip import SlipChange
from palazzo.model.snapshot import SnapshotChange

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any  # a change is read from an archive without numpy being loaded

Vectors = Mapping[str, Vector]


UNREAD = "unread"
"""In the detail of the event that wrote a revision: it is still to be read beside what it may change."""


class Attachments(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What comes with a new revision: links to other things, all in the same transaction."""

    edges: tuple[EdgeDraft, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    sources: tuple[Source, ...] = ()
    turn: Turn | None = None
    vectors: Vectors = msgspec.field(default_factory=dict)
    unread: bool = False
    """Whether it was not read yet beside what it may change: the pass that settles does that."""

    @property
    def noted(self) -> Mapping[str, bool] | None:
        """What the journal says of the revision beside that it was written."""
        return {UNREAD: True} if self.unread else None


class PlaceMemory(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Make a whole memory: place, memory, first revision, tags and all that hangs on it.

    Without a name it gets one from its words, or, where those are guarded, one that tells nothing.
    """

    memory_id: UUID
    place: Place
    name: str
    kind: str
    content: RevisionDraft
    scope: Scope = GLOBAL
    tier: Tier = "clear"
    pinned: bool = False
    durability: Durability | None = None
    tags: tuple[str, ...] = ()
    attachments: Attachments = Attachments()
    created_us: int | None = None


class RestoredRevision(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A revision of a memory from elsewhere, with the time it was made there."""

    created_us: int
    content: RevisionDraft
    attachments: Attachments = Attachments()


class RestoreMemory(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Make a memory that comes from another palace, under its own id and with its history. Never pinned."""

    memory_id: UUID
    place: Place
    name: str
    kind: str
    created_us: int
    revisions: tuple[RestoredRevision, ...]
    moves: tuple[TagMove, ...]
    scope: Scope = GLOBAL
    tier: Tier = "clear"
    state: State = "active"
    deprecated_us: int | None = None


class AddRevision(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Add a revision and point `tags` at it; `expected` is the current revision number the writer saw.

    `tier` is what its content asks for: it raises the memory's, never lowers it.
    """

    memory_id: UUID
    content: RevisionDraft
    expected: int | None = None
    tags: tuple[str, ...] = ("current",)
    attachments: Attachments = Attachments()
    tier: Tier = "clear"


class MoveTag(msgspec.Struct, frozen=True, gc=False):
    memory_id: UUID
    tag: str
    revision: int


class RemoveTag(msgspec.Struct, frozen=True, gc=False):
    memory_id: UUID
    tag: str


class AddEdge(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Draw a link, or say anew how strong it is; without `metadata` it keeps what was told of it, `{}` empties that."""

    kind: EdgeKind
    source: Node
    target: Node
    weight: float = 1.0
    metadata: Mapping[str, Any] | None = None


class RemoveEdge(msgspec.Struct, frozen=True, gc=False):
    kind: EdgeKind
    source: Node
    target: Node


class MergeEntities(msgspec.Struct, frozen=True, gc=False):
    """Take two entities of one scope for the same; each keeps its own mentions, so it can be undone."""

    kept: UUID
    other: UUID


class SplitEntity(msgspec.Struct, frozen=True, gc=False):
    """Tell a name apart from the entity it was joined with: a merged entity, or one of several writings of one."""

    name: str
    scope: Scope


class LinkProvenance(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Relate two happenings, or a further source to a revision; `nodes` are happenings that may be new."""

    edges: tuple[ProvenanceEdge, ...] = ()
    memory_id: UUID | None = None
    sources: tuple[Source, ...] = ()
    nodes: tuple[ProvenanceNode, ...] = ()


class SetDeprecated(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Believe a memory no longer, or again; `expected` is the current revision number the writer saw."""

    memory_id: UUID
    deprecated: bool
    reason: str = ""
    expected: int | None = None


class SetState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Move a memory along its life: active, stale, archived, deleted (soft)."""

    memory_id: UUID
    state: State
    reason: str = ""


class SetKeeping(msgspec.Struct, frozen=True, gc=False):
    """Say how a memory fades: whether it is pinned, and how durable it is (`kind`: as its kind); None leaves it."""

    memory_id: UUID
    pinned: bool | None = None
    durability: Durability | Literal["kind"] | None = None


class AddKind(msgspec.Struct, frozen=True, gc=False):
    """Let the palace know a kind of its own."""

    kind: Kind


class RecordAccess(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A memory was used; counts once per session for the spacing effect."""

    memory_id: UUID
    session: str = ""


class RecordCorrection(msgspec.Struct, frozen=True, gc=False):
    """A memory was wrong in a context: recall leaves it out where it is alike. `context` is a cue's vector."""

    memory_id: UUID
    space: str
    context: Vector


class PurgeMemory(msgspec.Struct, frozen=True, gc=False):
    """Remove a memory physically: rows, index entries, vectors. Only its id remains, in the journal."""

    memory_id: UUID


class MoveMemory(msgspec.Struct, frozen=True, gc=False):
    memory_id: UUID
    place: Place


class AddGrant(msgspec.Struct, frozen=True, gc=False):
    grant: Grant


class RevokeGrant(msgspec.Struct, frozen=True, gc=False):
    subject: str
    glob: str


class ChangePlace(msgspec.Struct, frozen=True, gc=False):
    """Seal or unseal a place, or make it part of the vault. Applies to everything below it."""

    place: Place
    seal: Literal["open", "sealed", "vault"]


class VisitPlace(msgspec.Struct, frozen=True, gc=False):
    """Leave a breadcrumb on a trail ("" is the trail of the day)."""

    place: Place
    memory_id: UUID | None = None
    trail: str = ""


class SetStaleness(msgspec.Struct, frozen=True, gc=False):
    memory_id: UUID
    staleness: float


class AddSpace(msgspec.Struct, frozen=True, gc=False):
    """Make a vector space; the first one is active at once, later ones fill until activated."""

    name: str
    model: str
    dimensions: int
    metric: str = "cosine"


class ActivateSpace(msgspec.Struct, frozen=True, gc=False):
    name: str


class RetireSpace(msgspec.Struct, frozen=True, gc=False):
    name: str


class StoreVectors(msgspec.Struct, frozen=True, gc=False):
    """Backfill: vectors for revisions (by key) that have none in this space. Purged revisions are skipped."""

    space: str
    revisions: tuple[int, ...]
    vectors: Vector


class CompleteMemory(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Say what is in a memory that was kept first and is understood now: the same words, the same revision.

    `content` may leave its text out, which stays as it is. `tier` raises the memory's, never lowers it.
    """

    memory_id: UUID
    content: RevisionDraft
    attachments: Attachments = Attachments()
    tier: Tier = "clear"


class RecordIntake(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Keep the account of what became of one message. `digest` lets a retry of the same message be recognised.

    `pending` is what its reading needs beside its text, where that is done later.
    """

    intake_id: UUID
    at_us: int
    digest: bytes
    fates: tuple[Fate, ...]
    scope: Scope = GLOBAL
    pending: str = ""


class CloseIntake(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Say that a message which was kept first is understood, and what became of it; None leaves the account."""

    intake_id: UUID
    fates: tuple[Fate, ...] | None = None


Change = (
    BeliefChange | GuardChange | PlaceMemory | RestoreMemory | AddRevision | MoveTag | RemoveTag | AddEdge | RemoveEdge
    | LinkProvenance | SetDeprecated | SetState | SetKeeping | AddKind
    | RecordAccess | RecordCorrection | PurgeMemory | MoveMemory | AddGrant
    | RevokeGrant | ChangePlace | VisitPlace | SetStaleness | AddSpace | ActivateSpace | RetireSpace | StoreVectors
    | CompleteMemory | RecordIntake | CloseIntake | MergeEntities | SplitEntity | SlipChange | SnapshotChange
    | RawEventChange
)  # fmt: skip


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """What a commit did: the journal range it wrote (empty when nothing changed).

    `notes` says what the gate took out of it, and what of it stays in clear.
    """

    first_seq: int
    last_seq: int
    changes: int
    notes: tuple[str, ...] = ()


EventKind = Literal[
    "memory_placed", "revision_added", "tag_moved", "tag_removed", "edge_added", "edge_removed",
    "memory_deprecated", "memory_undeprecated", "state_changed", "keeping_set", "kind_added",
    "memory_accessed", "memory_forgotten", "memory_completed",
    "memory_restored", "memory_purged", "memory_moved", "relation_added", "grant_added", "grant_revoked",
    "place_changed", "space_added", "space_activated", "space_retired", "vectors_stored", "staleness_set",
    "entities_merged", "entity_split", "provenance_linked", "belief_displaced", "belief_released",
    "staleness_audited", "staleness_resolved", "outcome_recorded", "claim_added", "claim_decided",
    "claim_mode_set", "signals_added", "memory_corrected", "token_added", "token_revoked", "subject_met",
    "lock_lifted", "lock_restored", "policy_set", "plan_made", "plan_applied", "plan_rolled_back",
    "packet_added", "packet_moved", "slip_put", "slip_dropped",
    "snapshot_kept", "snapshot_dropped", "raw_events_added", "raw_events_pruned",
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
