"""Operations about who may do what, the audit trail and the vault: parameters, results and declarations.

Owns no behaviour. Invariants: every operation here is the operator's alone and in no toolset; no secret stands in a
result but the text of a token that was just made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.operations.declared import Arguments, Operation, Scoped, operators, told
from palazzo.operations.shared import Listing, NoParameters

LevelName = Literal["none", "anchor", "metadata", "read_public", "read_all", "write", "forget"]
Transition = Literal["grant", "lock", "claims_mode", "rule", "config", "identity", "unlock", "claim"]
LockedKit = Literal["banking", "health", "password-manager"]
Decision = Literal["allowed", "reduced", "denied", "limited", "lost"]
Seal = Literal["open", "sealed", "vault"]


class GrantParameters(Arguments):
    subject: str = told("Who may, such as mcp:desk or agent:primary.")
    level: LevelName = told("What they may, each more than the last.")
    place: str = told("Where: a place, its children (work.*), or it and all below (work.**).", "**")
    days: float | None = told("For how many days; for good when left out.", None, low=0, high=36_500)


class Granted(msgspec.Struct, frozen=True, kw_only=True):
    """What a subject may do where, and until when."""

    subject: str
    level: str
    place: str
    starts_at: datetime
    expires_at: datetime | None
    granted_by: str


class GrantEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What a subject may do at some places from now on, and what it might before."""

    place: str
    before: str
    after: str


class GrantList(Listing[Granted], frozen=True, kw_only=True):
    """The grants of a subject; those of its kind while nobody decided about it.

    After a change `effects` says where the level is another; `note` says what a reader could miss.
    """

    subject: str
    grants: tuple[Granted, ...]
    effects: tuple[GrantEffect, ...] = ()
    note: str = ""


class RevokeParameters(Arguments):
    subject: str = told("Whose grant.")
    place: str = told("Where, as it was granted.", "**")


class GrantsParameters(Arguments):
    subject: str = told("Whose grants, such as mcp:desk; of everybody when left out.", "")


class TokenCreateParameters(Scoped):
    subject: str = told("Who its bearer is, such as mcp:desk or agent:primary.")
    label: str = told("A word to know it by.", "")
    days: float | None = told("For how many days it holds; for good when left out.", None, low=0, high=36_500)
    kit: LockedKit | None = told(
        "What its bearer is a kit for, if for banking, health or passwords: it is locked, whatever it is called.",
        None,
    )
    once: bool = told("For one sign-in at the dashboard within ten minutes, and nothing else.", False)


class TokenInfo(msgspec.Struct, frozen=True, kw_only=True):
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


class TokenList(Listing[TokenInfo], frozen=True, kw_only=True):
    """Every token, oldest first."""

    tokens: tuple[TokenInfo, ...]


class TokenRevokeParameters(Arguments):
    token: str = told("The id of the token, as `token_list` shows it.")


class PlanParameters(Arguments):
    transition: Transition = told("What kind of change.")
    target: str = told(
        "Whom or what it is about: a subject, claims, the name of a rule or of the configuration, a memory of kind"
        " identity, a place to unlock, or a claim."
    )
    value: str = told(
        "What it is to be: a level, lifted or locked, a claims mode, a number or kinds, the new text, open, sealed or"
        " vault, or accept, reject, defer or retract."
    )
    place: str = told("Where a grant holds.", "**")
    days: float | None = told("For how many days a grant holds; for good when left out.", None, low=0, high=36_500)


class PlanInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A change only a person makes. Once applied it is the receipt, from which it can be rolled back."""

    plan: UUID
    transition: str
    state: str
    changes: tuple[str, ...]
    made_at: datetime
    changed_at: datetime


class OnePlanParameters(Arguments):
    plan: str = told("The id of the plan.")
    yes: bool = told("Say that you mean it.", False)


class PlanList(Listing[PlanInfo], frozen=True, kw_only=True):
    """Every plan and receipt, newest first."""

    plans: tuple[PlanInfo, ...]


class AuditListParameters(Arguments):
    subject: str = told("Only lines of this subject.", "")
    action: str = told("Only lines of this operation.", "")
    decision: Decision | None = told("Only lines with this decision.", None)
    place: str = told("Only lines about this place.", "")
    after: datetime | None = told("Only lines at or after this time.", None)
    before: datetime | None = told("Only lines before this time.", None)
    limit: int = told("How many at most, the newest first.", 100, low=1, high=10_000)


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
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


class AuditTrail(Listing[AuditEntry], frozen=True, kw_only=True):
    """Lines of the audit trail, newest first."""

    lines: tuple[AuditEntry, ...]


class AuditVerifyParameters(Arguments):
    anchor: str = told("A file with anchors made before, or one as text: tells of a trail cut or redone since.", "")


class AuditVerified(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the chain of the audit trail is whole, and where it is not; how many anchors it was held against."""

    clean: bool
    problems: tuple[str, ...]
    anchors: int = 0


class AuditAnchorParameters(Arguments):
    file: str = told("A file to add it to, one anchor a line; keep it where this palace's writers cannot write.", "")


class AuditAnchor(msgspec.Struct, frozen=True, kw_only=True):
    """What the audit trail ends with, signed. `anchor` is the line to keep elsewhere; `file` where it was added."""

    line: int
    hash: str
    at: datetime
    anchor: str
    file: str = ""


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """Whether capture sources may bring anything in."""

    paused: bool


class SealParameters(Arguments):
    place: str = told("The place; what stands below it goes with it.", blank=True)
    seal: Seal = told("open, sealed (read_all and up) or vault (only in a session that unlocked it).")


class SealedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """How a place is closed from now on, with what stands below it."""

    place: str
    seal: str


class VaultProtectParameters(Arguments):
    passphrase: str = told("The vault's new passphrase.")
    old: str = told("The one it has now, if it has one.", "")


class VaultState(msgspec.Struct, frozen=True, kw_only=True):
    """Until when the vault is open for the subject named; None when it is closed."""

    subject: str
    open_until: datetime | None


class VaultUnlockParameters(Arguments):
    passphrase: str = told("The vault's passphrase.")
    subject: str = told("For whom, if not for yourself; it needs a grant that names the vault.", "")
    session: str = told("In which of its sessions; its unnamed one when left out.", "")
    minutes: float = told("For how many minutes.", 15.0, low=0, high=1440)


OPERATIONS: Final[tuple[Operation, ...]] = (
    operators(
        "grant", GrantParameters, GrantList, writes=True, idempotent=True,
        people="Let a subject do something somewhere.",
    ),
    operators(
        "revoke", RevokeParameters, GrantList, writes=True,
        people="Take a grant back, and tell what is allowed then and what no more.",
    ),
    operators("grants", GrantsParameters, GrantList, people="Show what a subject may do."),
    operators(
        "token_create", TokenCreateParameters, MadeToken, writes=True,
        people="Make a bearer token for a subject; its text is shown only once.",
    ),
    operators("token_list", NoParameters, TokenList, people="List the tokens, without their texts."),
    operators("token_revoke", TokenRevokeParameters, TokenList, writes=True, people="End a token at once."),
    operators(
        "plan", PlanParameters, PlanInfo, writes=True,
        people="Show a change only a person makes, and keep it as a plan; nothing else happens.",
    ),
    operators(
        "apply", OnePlanParameters, PlanInfo, writes=True,
        people="Make the change of a plan; the plan becomes its receipt.",
    ),
    operators(
        "rollback", OnePlanParameters, PlanInfo, writes=True,
        people="Put back what was there before a plan was applied.",
    ),
    operators("plans", NoParameters, PlanList, people="List the plans and receipts, newest first."),
    operators("audit_list", AuditListParameters, AuditTrail, people="Show who did or tried what, newest first."),
    operators(
        "audit_verify", AuditVerifyParameters, AuditVerified,
        people="Compute the chain of the audit trail again and name the first line that does not fit.",
    ),
    operators(
        "audit_anchor", AuditAnchorParameters, AuditAnchor,
        people="Tell what the audit trail ends with, signed, to be kept elsewhere for `audit verify --anchor`.",
    ),
    operators(
        "pause", NoParameters, Capture, writes=True,
        people="Stop every capture source, in every process, until resume.",
    ),
    operators("resume", NoParameters, Capture, writes=True, people="Let capture sources bring things in again."),
    operators(
        "seal", SealParameters, SealedPlace, writes=True, idempotent=True,
        people="Seal a place, make it part of the vault, or open it.",
    ),
    operators(
        "vault_protect", VaultProtectParameters, VaultState, writes=True,
        people="Set the passphrase of the vault.",
    ),
    operators(
        "vault_unlock", VaultUnlockParameters, VaultState, writes=True,
        people="Open the vault for one subject in one session of this process, for some minutes.",
    ),
    operators(
        "vault_lock", NoParameters, VaultState, writes=True,
        people="Close the vault for every session of this process.",
    ),
)  # fmt: skip
