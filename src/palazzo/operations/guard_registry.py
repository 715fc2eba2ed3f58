"""The guard's part of the registry: what only a person may call. None of it is a tool of a model.

Owns declarations only, like registry.py, which joins them to the others. Invariant: every operation here is the
operator's alone and in no toolset.
"""

from __future__ import annotations

from typing import Final

from palazzo.model.capability import Level
from palazzo.operations import guard_parameters as p
from palazzo.operations import guard_results as r
from palazzo.operations.declared import Operation
from palazzo.operations.parameters import Nothing

GUARD_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="token_create", arguments=p.MakeToken, result=r.MadeToken, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Make a bearer token for a subject; its text is shown only once.",
        models="",
    ),
    Operation(
        name="token_list", arguments=Nothing, result=r.TokenList, level=Level.forget, where="palace",
        operator_only=True, toolset="",
        people="List the tokens, without their texts.",
        models="",
    ),
    Operation(
        name="token_revoke", arguments=p.OneToken, result=r.TokenList, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="End a token at once.",
        models="",
    ),
    Operation(
        name="plan", arguments=p.PlanChange, result=r.PlanInfo, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Show a change only a person makes, and keep it as a plan; nothing else happens.",
        models="",
    ),
    Operation(
        name="apply", arguments=p.OnePlan, result=r.PlanInfo, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Make the change of a plan; the plan becomes its receipt.",
        models="",
    ),
    Operation(
        name="rollback", arguments=p.OnePlan, result=r.PlanInfo, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Put back what was there before a plan was applied.",
        models="",
    ),
    Operation(
        name="plans", arguments=Nothing, result=r.PlanList, level=Level.forget, where="palace",
        operator_only=True, toolset="",
        people="List the plans and receipts, newest first.",
        models="",
    ),
    Operation(
        name="audit_list", arguments=p.AuditLines, result=r.AuditTrail, level=Level.forget, where="palace",
        operator_only=True, toolset="",
        people="Show who did or tried what, newest first.",
        models="",
    ),
    Operation(
        name="audit_verify", arguments=p.VerifyAudit, result=r.AuditVerified, level=Level.forget, where="palace",
        operator_only=True, toolset="",
        people="Compute the chain of the audit trail again and name the first line that does not fit.",
        models="",
    ),
    Operation(
        name="audit_anchor", arguments=p.MakeAnchor, result=r.AuditAnchor, level=Level.forget, where="palace",
        operator_only=True, toolset="",
        people="Tell what the audit trail ends with, signed, to be kept elsewhere for `audit verify --anchor`.",
        models="",
    ),
    Operation(
        name="pause", arguments=Nothing, result=r.Capture, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Stop every capture source, in every process, until resume.",
        models="",
    ),
    Operation(
        name="resume", arguments=Nothing, result=r.Capture, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Let capture sources bring things in again.",
        models="",
    ),
    Operation(
        name="seal", arguments=p.SealPlace, result=r.Sealed, level=Level.forget, where="palace", writes=True,
        idempotent=True, operator_only=True, toolset="",
        people="Seal a place, make it part of the vault, or open it.",
        models="",
    ),
    Operation(
        name="vault_protect", arguments=p.ProtectVault, result=r.VaultState, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Set the passphrase of the vault.",
        models="",
    ),
    Operation(
        name="vault_unlock", arguments=p.UnlockVault, result=r.VaultState, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Open the vault for one subject in one session of this process, for some minutes.",
        models="",
    ),
    Operation(
        name="vault_lock", arguments=Nothing, result=r.VaultState, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Close the vault for every session of this process.",
        models="",
    ),
)  # fmt: skip
