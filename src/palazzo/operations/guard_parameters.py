"""The arguments of the guard's operations: grants, tokens and what else only a person does.

Owns no behaviour. Invariant: as in parameters.py, a parameter means the same in every operation that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from palazzo.operations.declared import Scoped, told

Transition = Literal["grant", "lock", "claims_mode", "rule"]
Seal = Literal["open", "sealed", "vault"]
Decision = Literal["allowed", "reduced", "denied", "limited", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeToken(Scoped):
    """Arguments of `token_create`."""

    subject: str = told("Who its bearer is, such as mcp:desk or agent:primary.")
    label: str = told("A word to know it by.", "")
    days: float | None = told("For how many days it holds; for good when left out.", None, low=0, high=36_500)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneToken:
    """Arguments of `token_revoke`."""

    token: str = told("The id of the token, as `token_list` shows it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChange:
    """Arguments of `plan`."""

    transition: Transition = told("What kind of change: grant, lock, claims_mode or rule.")
    target: str = told("Whom or what it is about: a subject, the name of a rule, or claims.")
    value: str = told("What it is to be: a level, lifted or locked, a claims mode, or a rule's number.")
    place: str = told("Where a grant holds.", "**")
    days: float | None = told("For how many days a grant holds; for good when left out.", None, low=0, high=36_500)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePlan:
    """Arguments of `apply` and `rollback`."""

    plan: str = told("The id of the plan.")
    yes: bool = told("Say that you mean it.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLines:
    """Arguments of `audit_list`."""

    subject: str = told("Only lines of this subject.", "")
    action: str = told("Only lines of this operation.", "")
    decision: Decision | None = told("Only lines with this decision.", None)
    place: str = told("Only lines about this place.", "")
    after: datetime | None = told("Only lines at or after this time.", None)
    before: datetime | None = told("Only lines before this time.", None)
    limit: int = told("How many at most, the newest first.", 100, low=1, high=10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeAnchor:
    """Arguments of `audit_anchor`."""

    file: str = told("A file to add it to, one anchor a line; keep it where this palace's writers cannot write.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyAudit:
    """Arguments of `audit_verify`."""

    anchor: str = told("A file with anchors made before, or one as text: tells of a trail cut or redone since.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectVault:
    """Arguments of `vault_protect`."""

    passphrase: str = told("The vault's new passphrase.")
    old: str = told("The one it has now, if it has one.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlockVault:
    """Arguments of `vault_unlock`."""

    passphrase: str = told("The vault's passphrase.")
    subject: str = told("For whom, if not for yourself; it needs a grant that names the vault.", "")
    session: str = told("In which of its sessions; its unnamed one when left out.", "")
    minutes: float = told("For how many minutes.", 15.0, low=0, high=1440)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealPlace:
    """Arguments of `seal`."""

    place: str = told("The place; what stands below it goes with it.", blank=True)
    seal: Seal = told("open, sealed (read_all and up) or vault (only in a session that unlocked it).")
