"""What may be written about who may do what: tokens, subjects met, locks lifted, policies, an operator's plans.

Owns the values and their union, which is part of `Change`. Knows nothing of how they are stored or decided. Invariant:
no value here carries a secret in clear; a token is known by the hash of its text.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

import msgspec

from palazzo.model.scope import GLOBAL, Scope

CAPTURE_PAUSED = "capture_paused"
"""The policy under which no capture source may bring anything in."""
PlanState = Literal["planned", "applied", "rolled_back"]


class Token(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A bearer token as the palace knows it: whose it is and in whose scope it works, never its text."""

    id: UUID
    subject: str
    label: str = ""
    scope: Scope = GLOBAL
    created_us: int = 0
    expires_us: int | None = None
    revoked_us: int | None = None

    def holds(self, at_us: int) -> bool:
        """Whether it is neither revoked nor expired at this time."""
        return self.revoked_us is None and (self.expires_us is None or at_us < self.expires_us)


class AddToken(msgspec.Struct, frozen=True, gc=False):
    token: Token
    digest: bytes


class RevokeToken(msgspec.Struct, frozen=True, gc=False):
    token_id: UUID


class MeetSubject(msgspec.Struct, frozen=True, gc=False):
    """A subject was seen for the first time; what its kind is given by default runs from here."""

    subject: str


class SetLock(msgspec.Struct, frozen=True, gc=False):
    """Lift the hard lock of one subject, or put it back."""

    subject: str
    lifted: bool


class SetPolicy(msgspec.Struct, frozen=True, gc=False):
    """A rule of the palace that is stronger than the settings of a process; None takes it away."""

    name: str
    value: str | None


class Plan(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A change only a person makes: what is wanted, what was there before, and how far it has come."""

    id: UUID
    kind: str
    wanted: str
    before: str
    state: PlanState = "planned"
    subject: str = ""
    made_us: int = 0
    changed_us: int = 0


class AddPlan(msgspec.Struct, frozen=True, gc=False):
    plan: Plan


class MovePlan(msgspec.Struct, frozen=True, gc=False):
    """Move a plan on; `expected` is the state the person saw, `before` what stood there when it was applied."""

    plan_id: UUID
    state: PlanState
    expected: PlanState
    before: str | None = None


GuardChange = AddToken | RevokeToken | MeetSubject | SetLock | SetPolicy | AddPlan | MovePlan
