"""A Record: one memory with everything that hangs on it, as it leaves one palace and enters another.

Owns the shape that every format of ours carries. Derived things (vectors, index entries) are not in it. Invariant: a
record speaks of one memory only; other memories appear by their id, as the ends of its edges.
"""

from __future__ import annotations

from uuid import UUID

import msgspec

from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.memory import Artifact, RevisionDraft, State, TagMove, Tier
from palazzo.model.message import Turn


class RecordedNode(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A happening behind a revision, without its id: what it was, when, by whom."""

    kind: str
    at_us: int
    label: str = ""
    author: str = ""
    metadata: str = ""
    """JSON."""
    sha256: str = ""


class RecordedSource(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where a revision came from, with the span of its text, and the happenings behind that one."""

    node: RecordedNode
    link: str = "mentioned_in"
    start: int | None = None
    end: int | None = None
    stage: str = ""
    behind: tuple[RecordedNode, ...] = ()


class RecordedRevision(RevisionDraft, frozen=True, gc=False, kw_only=True):
    """The content of one revision and what hangs on it."""

    number: int
    created_us: int
    confidence: float = 0.5
    artifacts: tuple[Artifact, ...] = ()
    sources: tuple[RecordedSource, ...] = ()
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()


class RecordedEdge(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An edge from the memory (or one of its revisions) to another memory (or one of its)."""

    kind: str
    target: UUID
    weight: float = 1.0
    revision: int | None = None
    target_revision: int | None = None
    metadata: str = ""
    """JSON."""


class Record(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One memory. `tags` are all moves of all tags; `turn` is where it stood in a conversation."""

    id: UUID
    place: str
    name: str
    kind: str
    created_us: int
    revisions: tuple[RecordedRevision, ...]
    scope: str = ""
    state: State = "active"
    tier: Tier = "clear"
    deprecated_us: int | None = None
    pinned: bool = False
    tags: tuple[TagMove, ...] = ()
    edges: tuple[RecordedEdge, ...] = ()
    turn: Turn | None = None

    @property
    def current(self) -> RecordedRevision:
        """The revision its current tag points at; the last one when no tag says."""
        held = [move.revision for move in self.tags if move.tag == "current" and move.until_us is None]
        return next((r for r in self.revisions if r.number in held), self.revisions[-1])
