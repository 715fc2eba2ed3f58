"""Snapshots: how the workspace around a place or a memory stood at a moment, as references and never as contents.

Owns the value and the two changes of it. Knows nothing of programs; what is in `state` is `palazzo.capture.snapshots`'s
business. Invariants: a snapshot is never changed, only kept and dropped; one of a memory goes with the memory.
"""

from __future__ import annotations

from uuid import UUID

import msgspec

from palazzo.model.address import Place
from palazzo.model.scope import GLOBAL, Scope


class Snapshot(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One of them. `state` is JSON, sealed where the palace has a key, and so is the name of the territory; `memory_id`
    is the memory it was taken with, whose place it then has."""

    id: UUID
    place: Place
    subject: str
    captured_us: int
    state: str
    territory: str = ""
    memory_id: UUID | None = None
    scope: Scope = GLOBAL

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.state.encode())


class KeepSnapshot(msgspec.Struct, frozen=True, gc=False):
    """Keep a snapshot."""

    snapshot: Snapshot


class DropSnapshot(msgspec.Struct, frozen=True, gc=False):
    """Remove a snapshot for good."""

    snapshot_id: UUID


SnapshotChange = KeepSnapshot | DropSnapshot
