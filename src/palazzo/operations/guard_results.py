"""What the guard's operations return.

Owns the public shape of these answers, like results.py for the others. Invariant: no secret stands in any of them but
the text of a token that was just made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextDecision:
    """Whether a recalled memory entered the context, in which mode it may be used, and why."""

    memory: UUID
    admitted: bool
    mode: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenInfo:
    """A token without its text: whose it is, in whose scope it works, and whether it still holds."""

    id: UUID
    subject: str
    label: str
    scope: str
    created_at: datetime
    expires_at: datetime | None
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeToken:
    """A token that was just made. `token` is its text: keep it now, it is shown only once."""

    token: str = field(repr=False)
    info: TokenInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenList:
    """Every token, oldest first."""

    tokens: tuple[TokenInfo, ...]

    def __iter__(self) -> Iterator[TokenInfo]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanInfo:
    """A change only a person makes. Once applied it is the receipt, from which it can be rolled back."""

    plan: UUID
    transition: str
    state: str
    changes: tuple[str, ...]
    made_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanList:
    """Every plan and receipt, newest first."""

    plans: tuple[PlanInfo, ...]

    def __iter__(self) -> Iterator[PlanInfo]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of the audit trail."""

    line: int
    at: datetime
    subject: str
    action: str
    decision: str
    place: str
    capability: str
    query: str
    first_event: int | None
    last_event: int | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTrail:
    """Lines of the audit trail, newest first."""

    lines: tuple[AuditEntry, ...]

    def __iter__(self) -> Iterator[AuditEntry]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> AuditEntry:
        return self.lines[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAnchor:
    """What the audit trail ends with, signed. `anchor` is the line to keep elsewhere; `file` where it was added."""

    line: int
    hash: str
    at: datetime
    anchor: str
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerified:
    """Whether the chain of the audit trail is whole, and where it is not; how many anchors it was held against."""

    clean: bool
    problems: tuple[str, ...]
    anchors: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Whether capture sources may bring anything in."""

    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultState:
    """Until when the vault is open for the subject named; None when it is closed."""

    subject: str
    open_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a subject may do where, and until when."""

    subject: str
    level: str
    place: str
    starts_at: datetime
    expires_at: datetime | None
    granted_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantEffect:
    """What a subject may do at some places from now on, and what it might before."""

    place: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """The grants of a subject; those of its kind while nobody decided about it.

    After a change `effects` says where the level is another; `note` says what a reader could miss.
    """

    subject: str
    grants: tuple[Granted, ...]
    effects: tuple[GrantEffect, ...] = ()
    note: str = ""

    def __iter__(self) -> Iterator[Granted]:
        return iter(self.grants)

    def __len__(self) -> int:
        return len(self.grants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """How a place is closed from now on, with what stands below it."""

    place: str
    seal: str
