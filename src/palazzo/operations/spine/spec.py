"""Operations of the integration spine: leases, the governor, outcomes and candidates. Parameters, results and
declarations.

Owns no behaviour. Invariant: what gives authority is the operator's alone and in no toolset.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, operators, told, tool
from palazzo.operations.shared import Listing, NewestParameters

ActionClass = Literal["read", "reversible_write", "external", "irreversible", "identity", "protected"]
Basis = Literal[
    "task", "approval", "visible_tool", "past_success", "handoff", "retrieved_memory", "candidate", "delivery",
]  # fmt: skip
Lane = Literal["semantic", "current_state", "claim", "relational", "procedural", "safety", "context_eligibility"]
Failure = Literal["none", "tool", "authority", "evidence", "safety", "other"]
A_LEASE = "The id of the lease."


class LeaseParameters(Scoped):
    objective: str = told("What is answered for.")
    within: str = told("The bounds: where, on what.", "")
    minutes: float = told("For how many minutes.", 60.0, low=0.1, high=525_600)
    budget: int = told(
        "How many actions it may cost, as outcome_report tells them with its id as authority; 0: as many as it takes.",
        0, low=0, high=10_000,
    )  # fmt: skip
    stop_when: str = told("What ends it early.", "")
    notify: str = told("Who is told when it ends.", "")
    owner: str = told("Who answers for it; only the operator names somebody else.", "")


class ShownLease(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody answers for an objective. `holds`: it is in force now; `spent`: what of its budget is used."""

    id: UUID
    owner: str
    objective: str
    within: str
    budget: int
    spent: int
    stop_when: str
    notify: str
    state: str
    holds: bool
    made_at: datetime
    expires_at: datetime


class LeaseList(Listing[ShownLease], frozen=True, kw_only=True):
    """Leases: one's own, or all of them for the operator."""

    leases: tuple[ShownLease, ...]


class LeaseDecideParameters(Scoped):
    lease: str = told(A_LEASE)
    decision: Literal["grant", "refuse"] = told("grant or refuse.")


class LeaseEndParameters(Scoped):
    lease: str = told(A_LEASE)


class GovernParameters(Scoped):
    action: ActionClass = told("What kind of action it is.")
    basis: tuple[Basis, ...] = told("What it is based on; only task and approval are authority.", ())
    lease: str = told("The id of the lease it is done under.", "")
    candidate: str = told("The id of the candidate it would apply.", "")
    memories: tuple[str, ...] = told("The memories it rests on: ids or addresses.", ())
    anomaly: str = told("What is known to be wrong, if anything.", "")


class Governed(msgspec.Struct, frozen=True, kw_only=True):
    """How an action may go on: one of seven modes, why, what to check, and what to do instead."""

    mode: str
    may_act: bool
    reasons: tuple[str, ...]
    checks: tuple[str, ...]
    alternative: str
    unconfirmed: tuple[UUID, ...] = ()


class OutcomeReportParameters(Scoped):
    intent: str = told("What the action was meant to do.")
    effect: str = told("What was seen of it.")
    authority: str = told("On which authority it was done: the task, an approval, a lease's id.", "")
    verified: str = told("How the effect was checked; empty: it was not.", "")
    failure: Failure = told("What failed, if something did.", "none")
    risk: str = told("What is left to fear.", "")
    memories: tuple[str, ...] = told("The memories that were relied on: trust in them moves with the outcome.", ())


class ShownOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an action. It is evidence of its time, and no authority for the next."""

    id: UUID
    by: str
    intent: str
    effect: str
    authority: str
    verified: str
    failure: str
    risk: str
    at: datetime


class OutcomesParameters(Scoped):
    limit: int = told("How many at most, newest first.", 50, low=1, high=1000)


class OutcomeList(Listing[ShownOutcome], frozen=True, kw_only=True):
    """What came of actions: one's own, or all for the operator."""

    outcomes: tuple[ShownOutcome, ...]


class MatureParameters(Scoped):
    lane: Lane = told("In which lane it would become more than it is.")
    what: str = told("What it would become.")
    evidence: tuple[str, ...] = told("The memories that speak for it: ids or addresses.")
    reversible: bool = told("Whether it can be taken back.", False)
    later: str = told("How its later effect is looked at.", "")


class ShownMaturation(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may become more than it is. Nothing is applied by it: `next` is the way of its lane."""

    id: UUID
    by: str
    lane: str
    what: str
    evidence: tuple[UUID, ...]
    reversible: bool
    later: str
    state: str
    next: str
    at: datetime


class MaturationList(Listing[ShownMaturation], frozen=True, kw_only=True):
    """Candidates: one's own, or all for the operator."""

    maturations: tuple[ShownMaturation, ...]


class MatureDecideParameters(Scoped):
    candidate: str = told("The id of the candidate.")
    decision: Literal["accept", "reject"] = told("accept or reject.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "lease", LeaseParameters, ShownLease, Level.write, writes=True,
        people="Answer for an objective until a time, within bounds; what agents ask for waits for you.",
        models="Ask for a responsibility lease: an objective you answer for, until a time, within bounds. It gives no"
        " authority until the user grants it.",
    ),
    tool(
        "leases", NewestParameters, LeaseList, Level.read_public,
        people="List who answers for what, and until when.",
        models="See your responsibility leases and whether they are in force.",
    ),
    operators(
        "lease_decide", LeaseDecideParameters, ShownLease, Level.write, writes=True,
        people="Grant or refuse a lease that was asked for.",
    ),
    tool(
        "lease_end", LeaseEndParameters, ShownLease, Level.write, writes=True,
        people="End a lease before its time.",
        models="End a lease of yours when its objective is reached or given up.",
    ),
    tool(
        "govern", GovernParameters, Governed, Level.read_public,
        people="Ask how an action may go on: one of seven modes, with the reason; nothing is done.",
        models="Before you act on what you recalled, ask how the action may go on: proceed, verify, ask, wait for"
        " approval, plan, refuse or pause.",
    ),
    tool(
        "outcome_report", OutcomeReportParameters, ShownOutcome, Level.write, writes=True,
        people="Write down what an action was meant to do and what came of it.",
        models="Write down what an action was meant to do, what you saw of it and how you checked. Trust in the"
        " memories you relied on moves with it.",
    ),
    tool(
        "outcomes", OutcomesParameters, OutcomeList, Level.read_public,
        people="List what came of actions, newest first.",
        models="See what came of your earlier actions. They are evidence, and no permission.",
    ),
    tool(
        "mature", MatureParameters, ShownMaturation, Level.write, writes=True,
        people="Propose that something becomes more than it is, in a lane, with its evidence.",
        models="Propose that something learnt becomes more than it is: a fact, a procedure, a claim. The user decides"
        " and nothing is applied by it.",
    ),
    tool(
        "maturations", NewestParameters, MaturationList, Level.read_public,
        people="List what was proposed to become more than it is.",
        models="See what you proposed to become more than it is, and what the user decided.",
    ),
    operators(
        "mature_decide", MatureDecideParameters, ShownMaturation, Level.write, writes=True,
        people="Accept or reject such a proposal; it is applied by the operations of its lane.",
    ),
)  # fmt: skip
