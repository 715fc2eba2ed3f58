"""Operations of the integration spine.

Owns the way from ids to what the governor looks at. Invariants: nobody but the operator gives authority; what somebody
else answers for is not found; words that are kept are screened as intake screens them.
"""

from __future__ import annotations

from uuid import UUID

from palazzo.errors import Conflict
from palazzo.guard import ledger, spine
from palazzo.model.belief import CONFIRM_BELOW, RecordOutcome
from palazzo.model.capability import Level, Packet, PacketState
from palazzo.model.memory import Memory
from palazzo.model.message import Message
from palazzo.operations.context import CallContext
from palazzo.operations.shared import NewestParameters, id_called, moment
from palazzo.operations.spine import spec

MINUTE_US = 60_000_000


def _id(text: str, field: str) -> UUID:
    listed = "leases" if field == "lease" else "maturations"
    return id_called(text, field, f"`palazzo {listed}` shows them", "this")


def _ledger(context: CallContext) -> ledger.Ledger:
    return ledger.Ledger(context.engine.store, context.subject, context.scope)


def _screened(context: CallContext, *texts: str) -> None:
    """Raises: Refused."""
    for text in filter(None, texts):
        context.engine.intake.read(Message(text=text, author=context.subject, scope=context.scope))


def _memories(context: CallContext, named: tuple[str, ...]) -> tuple[Memory, ...]:
    return tuple(context.memory(one, level=Level.read_public) for one in named)


def _lease(context: CallContext, found: Packet) -> spec.ShownLease:
    told, kept = ledger.told_of(found, ledger.LeaseTold), _ledger(context)
    return spec.ShownLease(
        id=found.id, owner=found.subject, objective=told.objective, within=told.within, budget=told.budget,
        spent=kept.spent(found), stop_when=told.stop_when, notify=told.notify, state=found.state,
        holds=kept.lease(found).holds(context.engine.clock.now_us()), made_at=moment(found.made_us),
        expires_at=moment(found.until_us or 0),
    )  # fmt: skip


def lease(context: CallContext, asked: spec.LeaseParameters) -> spec.ShownLease:
    _screened(context, asked.objective, asked.within, asked.stop_when, asked.notify, asked.owner)
    told = ledger.LeaseTold(
        objective=asked.objective, within=asked.within, budget=asked.budget, stop_when=asked.stop_when,
        notify=asked.notify,
    )  # fmt: skip
    until_us = context.engine.clock.now_us() + round(asked.minutes * MINUTE_US)
    return _lease(context, _ledger(context).ask(told, asked.owner, until_us))


def leases(context: CallContext, asked: NewestParameters) -> spec.LeaseList:
    return spec.LeaseList(leases=tuple(_lease(context, one) for one in _ledger(context).every("lease", asked.limit)))


def lease_decide(context: CallContext, asked: spec.LeaseDecideParameters) -> spec.ShownLease:
    state: PacketState = "active" if asked.decision == "grant" else "refused"
    return _lease(context, _ledger(context).move(_id(asked.lease, "lease"), "lease", state))


def lease_end(context: CallContext, asked: spec.LeaseEndParameters) -> spec.ShownLease:
    return _lease(context, _ledger(context).move(_id(asked.lease, "lease"), "lease", "ended"))


def govern(context: CallContext, asked: spec.GovernParameters) -> spec.Governed:
    kept = _ledger(context)
    rests_on = _memories(context, asked.memories)
    unsure = tuple(
        memory.id
        for memory in rests_on
        if memory.staleness > context.engine.care().stale_above or memory.revision.content.confidence < CONFIRM_BELOW
    )
    action = spine.Action(
        kind=asked.action, basis=asked.basis,
        lease=kept.lease(kept.get(_id(asked.lease, "lease"), "lease")) if asked.lease else None,
        candidate=ledger.candidate_of(kept.get(_id(asked.candidate, "candidate"), "maturation"))
        if asked.candidate
        else None,
        by_operator=context.access.is_operator, anomaly=asked.anomaly, unconfirmed=bool(unsure),
    )  # fmt: skip
    made = spine.decide(action, context.engine.clock.now_us())
    return spec.Governed(
        mode=made.mode, may_act=made.may_act, reasons=made.reasons, checks=made.checks, alternative=made.alternative,
        unconfirmed=unsure,
    )  # fmt: skip


def outcome_report(context: CallContext, asked: spec.OutcomeReportParameters) -> spec.ShownOutcome:
    _screened(context, asked.intent, asked.effect, asked.verified, asked.risk)
    relied = _memories(context, asked.memories)
    for memory in relied:
        context.access.require(Level.write, memory.place, context.operation.name)
    told = ledger.OutcomeTold(
        intent=asked.intent, effect=asked.effect, authority=asked.authority, verified=asked.verified,
        failure=asked.failure, risk=asked.risk,
    )  # fmt: skip
    made = _ledger(context).record(told)
    for memory in relied:
        context.commit(RecordOutcome(memory.id, success=asked.failure == "none"))
    return _outcome(made)


def _outcome(found: Packet) -> spec.ShownOutcome:
    told = ledger.told_of(found, ledger.OutcomeTold)
    return spec.ShownOutcome(
        id=found.id, by=found.subject, intent=told.intent, effect=told.effect, authority=told.authority,
        verified=told.verified, failure=told.failure, risk=told.risk, at=moment(found.made_us),
    )  # fmt: skip


def outcomes(context: CallContext, asked: spec.OutcomesParameters) -> spec.OutcomeList:
    return spec.OutcomeList(outcomes=tuple(map(_outcome, _ledger(context).every("outcome", asked.limit))))


def mature(context: CallContext, asked: spec.MatureParameters) -> spec.ShownMaturation:
    """Raises: Conflict when something it rests on may not be promoted."""
    _screened(context, asked.what, asked.later)
    evidence = _memories(context, asked.evidence)
    now_us = context.engine.clock.now_us()
    for memory in evidence:
        why = spine.refusals(spine.record_of(memory, now_us, memory.revision.content.author), "promotion")
        if why:
            raise Conflict(f"memory {memory.id} may not be promoted: {', '.join(why)}", hint="leave it out")
    told = ledger.MaturationTold(
        lane=asked.lane, what=asked.what, evidence=tuple(memory.id for memory in evidence),
        reversible=asked.reversible, later=asked.later,
    )  # fmt: skip
    return _maturation(_ledger(context).propose(told))


def _maturation(found: Packet) -> spec.ShownMaturation:
    told = ledger.told_of(found, ledger.MaturationTold)
    return spec.ShownMaturation(
        id=found.id, by=found.subject, lane=told.lane, what=told.what, evidence=told.evidence,
        reversible=told.reversible, later=told.later, state=found.state,
        next=ledger.APPLIED_BY[told.lane] if found.state != "rejected" else "", at=moment(found.made_us),
    )  # fmt: skip


def maturations(context: CallContext, asked: NewestParameters) -> spec.MaturationList:
    found = _ledger(context).every("maturation", asked.limit)
    return spec.MaturationList(maturations=tuple(map(_maturation, found)))


def mature_decide(context: CallContext, asked: spec.MatureDecideParameters) -> spec.ShownMaturation:
    state: PacketState = "accepted" if asked.decision == "accept" else "rejected"
    return _maturation(_ledger(context).move(_id(asked.candidate, "candidate"), "maturation", state))
