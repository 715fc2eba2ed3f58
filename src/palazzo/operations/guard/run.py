"""Operations of the person whose palace it is: grants, tokens, plans, the audit trail, capture, the vault.

They are the operator's alone; no model has a tool for them. Invariants: a grant names who gave it and leaves a receipt;
a change of grants is answered with what it changed; the text of a token leaves here once; what weakens a guard is
written down before it holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from palazzo.belief.claims import ClaimDesk
from palazzo.errors import InvalidInput, NotFound
from palazzo.files import raw_files
from palazzo.files.raw_files import named
from palazzo.guard import access, operators, trail
from palazzo.guard.access import Access, effects
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import CAPTURE_PAUSED, DEFAULT, Grant, OperatorPlan, SetLock, SetPolicy, Token
from palazzo.model.change import ChangePlace, RevokeGrant
from palazzo.model.memory import RevisionDraft
from palazzo.model.message import Message
from palazzo.operations.context import CallContext
from palazzo.operations.guard import spec
from palazzo.operations.shared import NoParameters, id_called, microseconds, moment, moment_if_any, require_yes
from palazzo.store.api import AuditFilter

NONE_LEFT = (
    "no grant is left: what its kind is given by default holds, or what the one who starts its server gives it"
    " (`palazzo mcp --level`, write unless it says otherwise); a grant of none takes everything away"
)
NOT_IN_FORCE = "one of these grants is not in force now: what it changes when it begins is not told here"


def grant(context: CallContext, asked: spec.GrantParameters) -> spec.GrantList:
    """Lets a subject do something somewhere: a plan that is applied at once, so that it leaves a receipt."""
    before = context.engine.guard.access(asked.subject)
    made = _operators(context)
    wish = operators.Wish(
        transition="grant", target=asked.subject, value=asked.level, place=asked.place, days=asked.days
    )
    made.apply(made.plan(wish).id)
    return _after(context, before)


def revoke(context: CallContext, asked: spec.RevokeParameters) -> spec.GrantList:
    before = context.engine.guard.access(asked.subject)
    change = RevokeGrant(asked.subject, str(PlaceGlob.parse(asked.place)))
    context.engine.store.commit([change], subject=context.subject)
    return _after(context, before)


def _after(context: CallContext, before: Access) -> spec.GrantList:
    """The grants after a change, with what is another than before."""
    after = context.engine.guard.access(before.subject)
    found = _of(context, before.subject)
    told = tuple(
        spec.GrantEffect(place=str(one.glob), before=one.before.name, after=one.after.name)
        for one in effects(before, after)
    )
    note = ""
    if all(grant.granted_by == DEFAULT for grant in found):
        note = NONE_LEFT
    elif len(found) > len(after.grants):
        note = NOT_IN_FORCE
    return replace(found, effects=told, note=note)


def grants(context: CallContext, asked: spec.GrantsParameters) -> spec.GrantList:
    if asked.subject:
        return _of(context, asked.subject)
    everybody = context.engine.store.guarding.subjects()
    return spec.GrantList(subject="", grants=tuple(grant for one in everybody for grant in _of(context, one)))


def _of(context: CallContext, subject: str) -> spec.GrantList:
    held = context.engine.guard.held(subject)
    return spec.GrantList(subject=subject, grants=tuple(_granted(grant) for grant in held))


def token_create(context: CallContext, asked: spec.TokenCreateParameters) -> spec.MadeToken:
    """Makes a token; the scope keys say in whose memory its bearer works."""
    if asked.kit is not None:
        context.commit(SetLock(asked.subject, lifted=False))
    given: dict[str, Any] = {"label": asked.label, "scope": context.scope, "by": context.subject}
    if asked.once:
        text, made = access.create_link(context.engine.store, asked.subject, **given)
    else:
        text, made = access.create_token(context.engine.store, asked.subject, days=asked.days, **given)
    return spec.MadeToken(token=text, info=_token(made, context.engine.clock.now_us()))


def token_list(context: CallContext, _asked: NoParameters) -> spec.TokenList:
    now_us = context.engine.clock.now_us()
    return spec.TokenList(tokens=tuple(_token(one, now_us) for one in access.every_token(context.engine.store)))


def token_revoke(context: CallContext, asked: spec.TokenRevokeParameters) -> spec.TokenList:
    wanted = id_called(asked.token, "token", "see `palazzo token list`")
    access.revoke_token(context.engine.store, wanted, by=context.subject)
    return token_list(context, NoParameters())


def _granted(grant: Grant) -> spec.Granted:
    """What a subject may do where."""
    return spec.Granted(
        subject=grant.subject, level=grant.level.name, place=str(grant.glob), starts_at=moment(grant.start_us),
        expires_at=moment_if_any(grant.expires_us), granted_by=grant.granted_by,
    )  # fmt: skip


def _token(made: Token, now_us: int) -> spec.TokenInfo:
    """A token without its text."""
    return spec.TokenInfo(
        id=made.id, subject=made.subject, label=made.label, scope=str(made.scope), created_at=moment(made.created_us),
        expires_at=moment_if_any(made.expires_us), holds=made.holds(now_us),
    )  # fmt: skip


def _operators(context: CallContext) -> operators.Operators:
    desk = ClaimDesk(context.engine.store, context.view(), subject=context.subject)
    return operators.Operators(context.engine.store, context.engine.guard, desk, context.subject)


def _plan(context: CallContext, plan: OperatorPlan) -> spec.PlanInfo:
    changes = (*operators.told(plan, context.engine.guard), *_in_words(context, plan))
    return spec.PlanInfo(
        plan=plan.id, transition=plan.kind, state=plan.state, changes=changes,
        made_at=moment(plan.made_us), changed_at=moment(plan.changed_us),
    )  # fmt: skip


def _in_words(context: CallContext, plan: OperatorPlan) -> tuple[str, ...]:
    """What a plan about remembered words says, from where they are kept: the plan itself has none of them."""
    about = operators.meant_by(plan)
    with context.engine.store.reading(context.view(life="all", deprecated=True)) as reading:
        try:
            if plan.kind == "claim":
                return (f'it says "{reading.claims.get(UUID(about["claim"])).text}"',)
            if plan.kind == "identity":
                known = {one.number: one.content.text for one in reading.memories.history(UUID(about["memory"]))}
                return tuple(f'{word} "{known[at]}"' for word, at in (("was", about["was"]), ("is to be", about["is"])))
        except (NotFound, KeyError):  # erased, or out of sight
            return ()
    return ()


def _meant(asked: spec.OnePlanParameters) -> UUID:
    require_yes(asked.yes, "this changes what is protected", "palazzo plans")
    return id_called(asked.plan, "plan", "see `palazzo plans`")


def plan(context: CallContext, asked: spec.PlanParameters) -> spec.PlanInfo:
    wish = operators.Wish(
        transition=asked.transition, target=asked.target, value=asked.value, place=asked.place, days=asked.days
    )
    if asked.transition == "identity":
        wish = _identity(context, wish)
    if asked.transition == "claim":
        id_called(asked.target, "target", "`palazzo claims` shows them", "this")
    return _plan(context, _operators(context).plan(wish))


def _identity(context: CallContext, wish: operators.Wish) -> operators.Wish:
    """Who somebody would be: a further revision of the memory that says it, read and screened as intake does.

    Raises: InvalidInput for a memory of another kind, NotFound, Refused.
    """
    found = context.memory(wish.target)
    if found.kind != "identity":
        raise InvalidInput(
            f"this memory is of kind {found.kind}, not identity", field="target", hint="`palazzo update` changes it"
        )
    read = context.engine.intake.read(Message(text=wish.value, author=context.subject, scope=found.scope))
    changed = RevisionDraft(text=read.text, atoms=read.atoms, author=context.subject)
    return replace(wish, target=str(found.id), changed=changed)


def apply(context: CallContext, asked: spec.OnePlanParameters) -> spec.PlanInfo:
    return _plan(context, _operators(context).apply(_meant(asked)))


def rollback(context: CallContext, asked: spec.OnePlanParameters) -> spec.PlanInfo:
    return _plan(context, _operators(context).rollback(_meant(asked)))


def plans(context: CallContext, _asked: NoParameters) -> spec.PlanList:
    return spec.PlanList(plans=tuple(_plan(context, one) for one in _operators(context).every()))


def audit_list(context: CallContext, asked: spec.AuditListParameters) -> spec.AuditTrail:
    context.engine.guard.trail.flush()
    wanted = AuditFilter(
        subject=asked.subject, action=asked.action, decision=asked.decision or "", place=asked.place,
        after_us=microseconds(asked.after), before_us=microseconds(asked.before),
    )  # fmt: skip
    found = context.engine.store.audit.lines(asked.limit, wanted)
    return spec.AuditTrail(
        lines=tuple(
            spec.AuditEntry(
                line=number, at=moment(line.at_us), subject=line.subject, action=line.action,
                decision=line.decision, place=line.place or "", capability=line.capability or "",
                query=line.query or "", first_event=line.first_seq, last_event=line.last_seq, detail=line.detail or "",
            )
            for number, line in found
        )
    )  # fmt: skip


def audit_verify(context: CallContext, asked: spec.AuditVerifyParameters) -> spec.AuditVerified:
    """Whether the chain is whole, and what anchors saw is still in it."""
    context.engine.guard.trail.flush()
    held = trail.parse_anchors(_anchors(asked.anchor)) if asked.anchor else ()
    problems = context.engine.store.audit.verify()
    problems += trail.anchor_problems(context.engine.store, held)
    return spec.AuditVerified(clean=not problems, problems=tuple(problems), anchors=len(held))


def _anchors(given: str) -> str:
    """The text of anchors: as it was given, or what stands in the file."""
    return given if given.lstrip().startswith("{") else _file_of_anchors(named(given, "anchor"), "anchor")


def _file_of_anchors(path: Path, field: str) -> str:
    try:
        return raw_files.head(path, trail.MOST_BYTES).decode()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(path)!r} is no file of anchors", field=field) from error


def audit_anchor(context: CallContext, asked: spec.AuditAnchorParameters) -> spec.AuditAnchor:
    """What the trail ends with, signed."""
    context.engine.guard.trail.flush()
    made = trail.make(context.engine.store)
    if asked.file:
        _add_line(named(asked.file), made.text)
    return spec.AuditAnchor(line=made.line, hash=made.hash, at=moment(made.at_us), anchor=made.text, file=asked.file)


def _add_line(path: Path, text: str) -> None:
    """Adds an anchor to a file of anchors; what holds anything else is left as it is."""
    before = _file_of_anchors(path, "file") if path.exists() else ""
    if before:
        trail.parse_anchors(before)
    try:
        raw_files.put(path, f"{before}{text}\n".encode())
    except (OSError, ValueError) as error:
        hint = "name a file in a folder that is there"
        raise InvalidInput(f"{str(path)!r} cannot be written", field="file", hint=hint) from error


def _capture(context: CallContext, paused: bool) -> spec.Capture:
    keeper = context.engine.capture.keeper
    if paused:
        keeper.close()  # shells see it before anybody is answered
    context.engine.store.commit([SetPolicy(CAPTURE_PAUSED, "yes" if paused else None)], subject=context.subject)
    keeper.publish()
    return spec.Capture(paused=paused)


def pause(context: CallContext, _asked: NoParameters) -> spec.Capture:
    return _capture(context, paused=True)


def resume(context: CallContext, _asked: NoParameters) -> spec.Capture:
    return _capture(context, paused=False)


def vault_protect(context: CallContext, asked: spec.VaultProtectParameters) -> spec.VaultState:
    context.engine.guard.vault.protect(asked.passphrase, old=asked.old, by=context.subject)
    return spec.VaultState(subject=context.subject, open_until=None)


def vault_unlock(context: CallContext, asked: spec.VaultUnlockParameters) -> spec.VaultState:
    guard, whose = context.engine.guard, asked.subject or context.subject
    session = asked.session or ("" if asked.subject else context.caller.session)
    until = guard.unlock(whose, session, asked.passphrase, minutes=asked.minutes)
    return spec.VaultState(subject=whose, open_until=moment(until))


def vault_lock(context: CallContext, _asked: NoParameters) -> spec.VaultState:
    context.engine.guard.vault.lock()
    return spec.VaultState(subject=context.subject, open_until=None)


def seal(context: CallContext, asked: spec.SealParameters) -> spec.SealedPlace:
    place = Place.parse(asked.place)
    if asked.seal == "vault":
        context.require_key()
    context.engine.store.commit([ChangePlace(place, asked.seal)], subject=context.subject)
    return spec.SealedPlace(place=place.path, seal=asked.seal)
