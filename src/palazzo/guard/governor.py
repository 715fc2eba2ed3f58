"""The governor: how an action may go on, in the least restrictive of seven modes that is safe, and why.

A pure function of the action and what stands behind it. Invariants: every condition asks for a mode, the most
restrictive of those asked for is taken, and nothing less is ever enough; what is no authority does not count as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palazzo.guard.packets import MODES, GovernorDecision, MaturationCandidate, Mode, ResponsibilityLease

ActionClass = Literal["read", "reversible_write", "external", "irreversible", "identity", "protected"]
Basis = Literal[
    "task", "approval", "visible_tool", "past_success", "handoff", "retrieved_memory", "candidate", "delivery",
]  # fmt: skip
"""What somebody points at when they want to act. Only the current task and an approval are authority."""
AUTHORITY: frozenset[Basis] = frozenset({"task", "approval"})
_CHECKS = {
    "read": (), "reversible_write": ("read it back",), "external": ("read back the effect", "keep the receipt"),
    "irreversible": ("show what will be lost", "keep the receipt"), "identity": ("show the difference",),
    "protected": ("make a plan",),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What is to be done, on which grounds, and what is known to be wrong."""

    kind: ActionClass
    basis: tuple[Basis, ...] = ()
    lease: ResponsibilityLease | None = None
    candidate: MaturationCandidate | None = None
    by_operator: bool = False
    within_capability: bool = True
    crosses_lock: bool = False
    anomaly: str = ""
    unconfirmed: bool = False
    """Whether it rests on a record that is stale or that nobody confirmed."""


def decide(action: Action, now_us: int) -> GovernorDecision:
    """The mode an action may go on in."""
    asked = list(_asked(action, now_us))
    mode: Mode = max((wanted for wanted, _ in asked), key=MODES.index, default="proceed")
    reasons = tuple(reason for wanted, reason in asked if wanted == mode) or ("authority and risk are clear",)
    return GovernorDecision(mode=mode, reasons=reasons, checks=_CHECKS[action.kind], alternative=_instead(mode))


def _asked(action: Action, now_us: int) -> list[tuple[Mode, str]]:
    found: list[tuple[Mode, str]] = []
    if action.anomaly:
        found.append(("pause_recover", action.anomaly))
    if action.crosses_lock or not action.within_capability:
        found.append(
            ("refuse_with_safe_alternative", "a lock" if action.crosses_lock else "the capability falls short")
        )
    if action.kind in ("identity", "protected") and not action.by_operator:
        found.append(("defer_or_dry_run", "only a person changes this"))
    approved = "approval" in action.basis or action.by_operator
    if action.kind in ("external", "irreversible") and not approved:
        found.append(("require_approval", f"{action.kind} actions need a person's approval"))
    if action.kind != "read" and not _has_authority(action, now_us):
        found.append(("ask_for_missing_authority", _missing(action, now_us)))
    if action.kind != "read" or action.unconfirmed:
        found.append(("proceed_with_verification", "unconfirmed" if action.unconfirmed else "changes something"))
    return found


def _has_authority(action: Action, now_us: int) -> bool:
    if action.by_operator or AUTHORITY & set(action.basis):
        return True
    if action.lease is not None and action.lease.holds(now_us):
        return True
    return action.kind == "reversible_write" and action.candidate is not None and autonomous(action.candidate)


def _missing(action: Action, now_us: int) -> str:
    if action.lease is not None and not action.lease.holds(now_us):
        return "the lease has run out"
    if action.basis:
        return f"{action.basis[0].replace('_', ' ')} is no authority"
    return "nobody asked for this"


def autonomous(candidate: MaturationCandidate) -> bool:
    """Whether it goes through the one lane that needs nobody: low-risk, declared before, sourced, reversible claims."""
    return (
        candidate.lane == "claim" and candidate.low_risk and candidate.declared and candidate.reversible
        and bool(candidate.envelope.source) and bool(candidate.evidence)
    )  # fmt: skip


def _instead(mode: Mode) -> str:
    return {
        "ask_for_missing_authority": "ask once, then wait", "require_approval": "show it to a person",
        "defer_or_dry_run": "make a plan a person can apply", "refuse_with_safe_alternative": "read what you may read",
        "pause_recover": "stop and report the cause",
    }.get(mode, "")  # fmt: skip
