"""Operations of the person whose palace it is: plan, apply, rollback, the audit trail, capture, the vault.

They are the operator's alone; no model has a tool for them. Invariant: what weakens a guard is written down before it
holds.
"""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from palazzo.errors import InvalidInput
from palazzo.files import raw_files
from palazzo.files.raw_files import named
from palazzo.guard import anchors, operators
from palazzo.model.address import Place
from palazzo.model.capability import CAPTURE_PAUSED, OperatorPlan, SetPolicy
from palazzo.model.change import ChangePlace
from palazzo.operations import guard_parameters as p
from palazzo.operations import guard_results as r
from palazzo.operations import shown
from palazzo.operations.context import Context, microseconds
from palazzo.operations.parameters import Nothing
from palazzo.store.api import AuditFilter


def _operators(context: Context) -> operators.Operators:
    return operators.Operators(context.engine.store, context.engine.guard, context.subject)


def _plan(context: Context, plan: OperatorPlan) -> r.PlanInfo:
    return r.PlanInfo(
        plan=plan.id, transition=plan.kind, state=plan.state, changes=operators.told(plan, context.engine.guard),
        made_at=shown.moment(plan.made_us), changed_at=shown.moment(plan.changed_us),
    )  # fmt: skip


def _meant(asked: p.OnePlan) -> UUID:
    if not asked.yes:
        raise InvalidInput("this changes what is protected", field="yes", hint="look at the plan, then say --yes")
    try:
        return UUID(asked.plan)
    except ValueError:
        raise InvalidInput("a plan is named by its id", field="plan", hint="see `palazzo plans`") from None


def plan(context: Context, asked: p.PlanChange) -> r.PlanInfo:
    """Shows a change and keeps it as a plan."""
    wish = operators.Wish(
        transition=asked.transition, target=asked.target, value=asked.value, place=asked.place, days=asked.days
    )
    return _plan(context, _operators(context).plan(wish))


def apply(context: Context, asked: p.OnePlan) -> r.PlanInfo:
    """Makes the change of a plan."""
    return _plan(context, _operators(context).apply(_meant(asked)))


def rollback(context: Context, asked: p.OnePlan) -> r.PlanInfo:
    """Puts back what was there before."""
    return _plan(context, _operators(context).rollback(_meant(asked)))


def plans(context: Context, _asked: Nothing) -> r.PlanList:
    """Every plan and receipt."""
    return r.PlanList(plans=tuple(_plan(context, one) for one in _operators(context).every()))


def audit_list(context: Context, asked: p.AuditLines) -> r.AuditTrail:
    """Lines of the audit trail."""
    context.engine.guard.trail.flush()
    wanted = AuditFilter(
        subject=asked.subject, action=asked.action, decision=asked.decision or "", place=asked.place,
        after_us=microseconds(asked.after), before_us=microseconds(asked.before),
    )  # fmt: skip
    found = context.engine.store.audit.lines(asked.limit, wanted)
    return r.AuditTrail(
        lines=tuple(
            r.AuditEntry(
                line=number, at=shown.moment(line.at_us), subject=line.subject, action=line.action,
                decision=line.decision, place=line.place or "", capability=line.capability or "",
                query=line.query or "", first_event=line.first_seq, last_event=line.last_seq, detail=line.detail or "",
            )
            for number, line in found
        )
    )  # fmt: skip


def audit_verify(context: Context, asked: p.VerifyAudit) -> r.AuditVerified:
    """Whether the chain is whole, and what anchors saw is still in it."""
    context.engine.guard.trail.flush()
    held = anchors.parse(_anchors(asked.anchor)) if asked.anchor else ()
    problems = context.engine.store.audit.verify()
    problems += anchors.problems(context.engine.store, held)
    return r.AuditVerified(clean=not problems, problems=tuple(problems), anchors=len(held))


def _anchors(given: str) -> str:
    """The text of anchors: as it was given, or what stands in the file."""
    return given if given.lstrip().startswith("{") else _file_of_anchors(named(given, "anchor"), "anchor")


def _file_of_anchors(path: Path, field: str) -> str:
    try:
        return raw_files.head(path, anchors.MOST_BYTES).decode()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(path)!r} is no file of anchors", field=field) from error


def audit_anchor(context: Context, asked: p.MakeAnchor) -> r.AuditAnchor:
    """What the trail ends with, signed."""
    context.engine.guard.trail.flush()
    made = anchors.make(context.engine.store)
    if asked.file:
        _add_line(named(asked.file), made.text)
    return r.AuditAnchor(line=made.line, hash=made.hash, at=shown.moment(made.at_us), anchor=made.text, file=asked.file)


def _add_line(path: Path, text: str) -> None:
    """Adds an anchor to a file of anchors; what holds anything else is left as it is."""
    before = _file_of_anchors(path, "file") if path.exists() else ""
    if before:
        anchors.parse(before)
    try:
        raw_files.put(path, f"{before}{text}\n".encode())
    except (OSError, ValueError) as error:
        hint = "name a file in a folder that is there"
        raise InvalidInput(f"{str(path)!r} cannot be written", field="file", hint=hint) from error


def _capture(context: Context, paused: bool) -> r.Capture:
    context.engine.store.commit([SetPolicy(CAPTURE_PAUSED, "yes" if paused else None)], subject=context.subject)
    return r.Capture(paused=paused)


def pause(context: Context, _asked: Nothing) -> r.Capture:
    """Stops capture."""
    return _capture(context, paused=True)


def resume(context: Context, _asked: Nothing) -> r.Capture:
    """Lets capture go on."""
    return _capture(context, paused=False)


def vault_protect(context: Context, asked: p.ProtectVault) -> r.VaultState:
    """Sets the vault's passphrase."""
    context.engine.guard.vault.protect(asked.passphrase, old=asked.old, by=context.subject)
    return r.VaultState(subject=context.subject, open_until=None)


def vault_unlock(context: Context, asked: p.UnlockVault) -> r.VaultState:
    """Opens the vault for a session."""
    guard, whose = context.engine.guard, asked.subject or context.subject
    session = asked.session or ("" if asked.subject else context.caller.session)
    until = guard.unlock(whose, session, asked.passphrase, minutes=asked.minutes)
    return r.VaultState(subject=whose, open_until=shown.moment(until))


def vault_lock(context: Context, _asked: Nothing) -> r.VaultState:
    """Closes the vault."""
    context.engine.guard.vault.lock()
    return r.VaultState(subject=context.subject, open_until=None)


def seal(context: Context, asked: p.SealPlace) -> r.Sealed:
    """Seals a place, or opens it."""
    place = Place.parse(asked.place)
    context.engine.store.commit([ChangePlace(place, asked.seal)], subject=context.subject)
    return r.Sealed(place=place.path, seal=asked.seal)
