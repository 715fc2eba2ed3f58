"""Slips: what a palace keeps about the work itself, beside the memories: threads, sessions, handoffs, receipts.

Owns the value and the two changes of it. Knows nothing of what the kinds mean; that is `palazzo.persona`'s business.
Invariants: a slip is found by its kind, its scope and its name, which is no content; it is no memory, so no recall, no
claim and no belief rests on one; whoever changes one says which version they saw.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

import msgspec

from palazzo.model.scope import GLOBAL, Scope

SlipKind = Literal[
    "thread", "session", "handoff", "checkpoint", "receipt", "inquiry", "standing", "dynamics", "proposal", "bundle",
    "restart", "identity", "chat", "capture",
]  # fmt: skip


class Slip(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One of them. `told` is what is kept, as JSON, sealed where the palace has a key; `until_us` ends a lease."""

    id: UUID
    kind: SlipKind
    name: str
    subject: str
    state: str
    told: str = "{}"
    scope: Scope = GLOBAL
    version: int = 0
    until_us: int | None = None
    made_us: int = 0
    changed_us: int = 0


class PutSlip(msgspec.Struct, frozen=True, gc=False):
    """Keep a slip instead of the one with its kind, scope and name; `expected` is the version that was seen, 0 for
    none, and None where the newest word counts."""

    slip: Slip
    expected: int | None = None


class DropSlip(msgspec.Struct, frozen=True, gc=False):
    """Remove a slip for good."""

    kind: SlipKind
    name: str
    scope: Scope = GLOBAL


SlipChange = PutSlip | DropSlip
