"""Operations of metabolism, inquiries, standing, dynamics, proposals and research bundles; identity files; receipts.

Owns the way from arguments to slips and plans, and which of it is switched on. Invariants: what judges answers only
where the setting `persona` names it; none of it is read by recall, claims or beliefs; what is kept of a text, and what
is proposed for a file, passes the gate like anything else; nothing is applied that nobody said yes to; in a palace with
a key there are no identity files, for they lie in clear; only the operator names paths of the machine.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

import msgspec

from palazzo.errors import Conflict, InvalidInput, NotPermitted, Refused, StorageError
from palazzo.files import raw_files
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.model.slip import Slip
from palazzo.operations.context import CallContext
from palazzo.operations.persona import spec
from palazzo.operations.shared import NewestParameters, ScopeParameters, moment, require_yes
from palazzo.persona.bundles import BundleTold, ProposalTold, Research
from palazzo.persona.identity import TAGS, Identity, IdentityTold, digest_of
from palazzo.persona.receipts import ReceiptLink, Receipts, ReceiptTold, line_of, state_of
from palazzo.persona.seal import (
    MIDDLE,
    UNSETTLED,
    Growth,
    InquiryTold,
    Metabolised,
    features_of,
    metabolised,
    principles_in,
)
from palazzo.persona.slips import told_of
from palazzo.persona.threads import Threads, ThreadTold, in_mode
from palazzo.persona.work import SaidTurn

EXCHANGE = 12
"""Turns that are looked at when one ends."""


def _on(context: CallContext, part: str) -> None:
    if part not in context.engine.switched_on:
        raise Conflict(f"{part} is off", hint=f"`palazzo setting-put persona {part}` switches it on for this palace")


def _seal(context: CallContext) -> Growth:
    return Growth(context.engine.store, context.scope, context.subject)


def _said(context: CallContext, thread: str, most: int) -> list[SaidTurn]:
    known = context.engine.store.slips.get("thread", thread, context.scope)
    mode = told_of(known, ThreadTold).mode if known else ""
    view: View = msgspec.structs.replace(context.view(), scope=in_mode(context.scope, mode))
    return list(Threads(context.engine.store, context.scope, context.subject).turns(thread, view, most))


def _principles(context: CallContext) -> tuple[str, ...]:
    return principles_in(Identity(context.engine.folder, context.engine.store, context.subject).read("SOUL.md"))


def digested(context: CallContext, thread: str) -> Metabolised | None:
    """What is done at the end of a turn, where somebody switched it on."""
    on = context.engine.switched_on
    if not on:
        return None
    turns = _said(context, thread, EXCHANGE)
    found = metabolised(turns, _principles(context))
    seal = _seal(context)
    if "dynamics" in on:
        _, learned = seal.move(thread, features_of(found, turns))
        found = msgspec.structs.replace(found, surprise=min(1.0, learned / 8))
    if "seal" in on:
        seal.wonder(thread, found)
    if "standing" in on:
        asked = next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
        seal.assess(context.scope.get("user") or "user", asked)
    return found


def metabolism(context: CallContext, asked: spec.MetabolismParameters) -> spec.ShownMetabolism:
    _on(context, "seal")
    found = metabolised(_said(context, asked.thread, EXCHANGE), _principles(context))
    return spec.ShownMetabolism(
        thread=asked.thread, entropy=found.entropy, loop=found.loop, confabulation=found.confabulation,
        tension=found.tension, coherence=found.coherence, surprise=found.surprise,
        unsettled=found.entropy > UNSETTLED,
    )  # fmt: skip


def inquiries(context: CallContext, asked: NewestParameters) -> spec.InquiryList:
    return spec.InquiryList(inquiries=tuple(_inquiry(one) for one in _seal(context).inquiries(asked.limit)))


def _inquiry(slip: Slip) -> spec.ShownInquiry:
    told = told_of(slip, InquiryTold)
    return spec.ShownInquiry(
        inquiry=slip.name, thread=told.thread, sort=told.sort, state=slip.state, entropy=told.entropy,
        count=told.count, passes=told.passes, begun_at=moment(told.begun_us),
    )  # fmt: skip


def contemplate(context: CallContext, asked: spec.ContemplateParameters) -> spec.ShownInquiry:
    _on(context, "seal")
    seal = _seal(context)
    known = next((one for one in seal.inquiries(1000) if one.name == asked.inquiry), None)
    evidence = ""
    if known is not None:
        told = told_of(known, InquiryTold)
        found = metabolised(_said(context, told.thread, EXCHANGE), _principles(context))
        evidence = (
            f"uncertain: {told.sort}, entropy {told.entropy}, seen {told.count} times",
            f"related: tension {found.tension}, coherence {found.coherence}, loop {found.loop} in the thread now",
            f"suggests: write down how to meet a {told.sort}, if it is still seen ({found.entropy})",
        )[min(2, len(told.passes))]
    return _inquiry(seal.contemplate(asked.inquiry, evidence))


def crystallise(context: CallContext, asked: spec.CrystalliseParameters) -> spec.ShownIdentityPlan:
    _on(context, "seal")
    _seal(context).crystallise(asked.inquiry, asked.text, _principles(context))
    known = Identity(context.engine.folder, context.engine.store, context.subject).read(asked.file) or ""
    text = f"{known.rstrip()}\n- {asked.text.strip()}\n" if known else f"- {asked.text.strip()}\n"
    return identity_plan(
        context, spec.IdentityPlanParameters(file=asked.file, text=text, reason=f"inquiry {asked.inquiry}")
    )


def standing(context: CallContext, asked: spec.StandingParameters) -> spec.ShownStanding:
    _on(context, "standing")
    found = _seal(context).standing(asked.person)
    figures = found.figures
    return spec.ShownStanding(
        person=asked.person, grounding=figures.get("grounding", MIDDLE), self_courage=figures.get("self", MIDDLE),
        word=figures.get("word", MIDDLE), brand=figures.get("brand", MIDDLE), turns=found.turns,
        trail=tuple(f"{dimension}: {sign}" for dimension, signs in found.trail.items() for sign in signs),
    )  # fmt: skip


def dynamics(context: CallContext, asked: spec.DynamicsParameters) -> spec.ShownDynamics:
    _on(context, "dynamics")
    found = _seal(context).dynamics(asked.thread)
    last = found.surprise[-asked.last :]
    return spec.ShownDynamics(
        thread=asked.thread, frozen=tuple(one for one, _ in last), learned=tuple(two for _, two in last),
        updates=found.updates,
    )  # fmt: skip


def _research(context: CallContext) -> Research:
    return Research(context.engine.store, context.scope, context.subject)


def proposals(context: CallContext, asked: spec.ProposalsParameters) -> spec.ProposalList:
    found = (_proposal(one) for one in _research(context).every("proposal"))
    return spec.ProposalList(proposals=tuple(one for one in found if not asked.thread or one.thread == asked.thread))


def _proposal(slip: Slip) -> spec.ShownProposal:
    told = told_of(slip, ProposalTold)
    return spec.ShownProposal(proposal=slip.name, state=slip.state, **msgspec.structs.asdict(told))


def proposal_decide(context: CallContext, asked: spec.ProposalDecideParameters) -> spec.ShownProposal:
    state = "accepted" if asked.decision == "accept" else "rejected"
    return _proposal(_research(context).decide(asked.proposal, state))


MOST_TURNS = 2000


def bundle_make(context: CallContext, asked: spec.BundleMakeParameters) -> spec.ShownBundle:
    research = _research(context)
    told = research.look(asked.thread, _said(context, asked.thread, MOST_TURNS))
    if asked.dry_run:
        return _bundle("", "dry run", told)
    made = research.make(told)
    return _bundle(made.name, made.state, told_of(made, BundleTold))


def _bundle(name: str, state: str, told: BundleTold, written: int = 0) -> spec.ShownBundle:
    return spec.ShownBundle(
        bundle=name, thread=told.thread, state=state, turns=told.turns, sha256=told.sha256,
        redaction=f"{told.personal} turns with personal data left out", training=told.training, written=written,
    )  # fmt: skip


def bundle_approve(context: CallContext, asked: spec.BundleApproveParameters) -> spec.ShownBundle:
    require_yes(asked.yes, "this lets words leave", "palazzo bundle-make THREAD --dry-run")
    made = _research(context).approve(asked.bundle, training=asked.training)
    return _bundle(made.name, made.state, told_of(made, BundleTold))


def bundle_export(context: CallContext, asked: spec.BundleExportParameters) -> spec.ShownBundle:
    research = _research(context)
    known = research.get("bundle", asked.bundle)
    told = told_of(known, BundleTold)
    lines = research.lines(asked.bundle, _said(context, told.thread, MOST_TURNS))
    try:
        raw_files.put(Path(asked.to).expanduser(), b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    except OSError as error:
        raise StorageError(f"the bundle cannot be written: {error.strerror}") from error
    return _bundle(asked.bundle, known.state, told, len(lines) - 1)


def _identity(context: CallContext) -> Identity:
    return Identity(context.engine.folder, context.engine.store, context.subject)


def identity_show(context: CallContext, _asked: ScopeParameters) -> spec.IdentityFiles:
    found = _identity(context)
    texts = ((file, tag, found.read(file)) for file, tag in TAGS.items())
    return spec.IdentityFiles(
        files=tuple(
            spec.ShownIdentity(file=file, tag=tag, text=text, sha256=digest_of(text))
            for file, tag, text in texts
            if text is not None
        )
    )


def identity_plan(context: CallContext, asked: spec.IdentityPlanParameters) -> spec.ShownIdentityPlan:
    if context.engine.store.cipher is not None:
        raise Refused(
            "identity files lie in clear beside a palace that has a key", reason="unencrypted",
            hint="keep who the agent is as memories of kind identity instead",
        )  # fmt: skip
    for text in (asked.text, asked.reason):
        if text:
            context.engine.intake.read(Message(text=text, author=context.subject, scope=context.scope))
    return _plan(_identity(context).plan(asked.file, asked.text, asked.reason))


def identity_plans(context: CallContext, asked: NewestParameters) -> spec.IdentityPlanList:
    return spec.IdentityPlanList(plans=tuple(_plan(one) for one in _identity(context).every(asked.limit)))


def _meant(asked: spec.OneIdentityPlanParameters) -> str:
    require_yes(asked.yes, "this changes who somebody is", "palazzo identity plans")
    return asked.plan


def identity_apply(context: CallContext, asked: spec.OneIdentityPlanParameters) -> spec.ShownIdentityPlan:
    try:
        return _plan(_identity(context).apply(_meant(asked)))
    except OSError as error:
        raise StorageError(f"the identity file cannot be written: {error.strerror}") from error


def identity_rollback(context: CallContext, asked: spec.OneIdentityPlanParameters) -> spec.ShownIdentityPlan:
    try:
        return _plan(_identity(context).rollback(_meant(asked)))
    except OSError as error:
        raise StorageError(f"the identity file cannot be written: {error.strerror}") from error


def _plan(slip: Slip) -> spec.ShownIdentityPlan:
    told = told_of(slip, IdentityTold)
    return spec.ShownIdentityPlan(
        plan=slip.name, file=told.file, state=slip.state, by=slip.subject, reason=told.reason, diff=told.diff,
        made_at=moment(slip.made_us), changed_at=moment(slip.changed_us),
    )  # fmt: skip


def _receipts(context: CallContext) -> Receipts:
    return Receipts(context.engine.store, context.scope, context.subject)


def attach(context: CallContext, asked: spec.AttachParameters) -> spec.ShownReceipt:
    link = ReceiptLink(asked.thread, asked.session, context.engine.clock.now_us())
    if asked.content:
        try:
            content = base64.b64decode(asked.content, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidInput("the content is no base64", field="content") from error
        return _receipt(_receipts(context).attach(Path(asked.name).name, content, link))
    if not context.access.is_operator:
        raise NotPermitted("only the operator names paths", hint="hand the content over in base64")
    try:
        return _receipt(_receipts(context).attach_file(Path(asked.name).expanduser(), link))
    except OSError as error:
        raise StorageError(f"the file cannot be read: {error.strerror}") from error


def receipts(context: CallContext, asked: spec.ReceiptsParameters) -> spec.ReceiptList:
    found = _receipts(context).every(asked.thread, asked.limit)
    return spec.ReceiptList(receipts=tuple(_receipt(one) for one in found))


def receipt_check(context: CallContext, asked: spec.ReceiptCheckParameters) -> spec.ShownReceipt:
    return _receipt(_receipts(context).get(asked.receipt))


def observe_attachment(context: CallContext, asked: spec.ObserveAttachmentParameters) -> spec.ShownReceipt:
    context.engine.intake.read(Message(text=asked.text, author=context.subject, scope=context.scope))
    return _receipt(_receipts(context).observe(asked.receipt, asked.text))


def _receipt(slip: Slip) -> spec.ShownReceipt:
    told = told_of(slip, ReceiptTold)
    return spec.ShownReceipt(
        receipt=slip.name, kind=told.kind, filename=told.filename, media_type=told.media_type, size=told.size,
        sha256=told.sha256, source=told.source, state=state_of(told), excerpt=told.excerpt,
        observation=told.observations[-1] if told.observations else "",
        threads=tuple(dict.fromkeys(link.thread for link in told.links if link.thread)),
        line=line_of(slip.name, told), at=moment(slip.changed_us),
    )  # fmt: skip
