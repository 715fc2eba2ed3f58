"""Operations about what is believed: revising and looking back, disagreements, audits, and claims.

Owns the way from a plain statement to atoms, which beliefs a caller may touch, and how a claim's source is read now:
memories through the caller's own view, files only for the operator and only regular ones, a URL never. Invariants: what
a caller may not write it does not give up either; whatever is stored was screened as intake screens it and has a
source; looking never writes; nothing that is in a toolset leads to a decision.
"""

from __future__ import annotations

from uuid import UUID

from msgspec.structs import replace

from palazzo.belief.claims import ClaimDesk, Resolver
from palazzo.belief.conflicts import Disagreement
from palazzo.belief.held import sentence_of
from palazzo.belief.held import told as in_words
from palazzo.belief.logic import Or, literal_of
from palazzo.belief.operations import Assertion, Changed
from palazzo.belief.staleness import DAY_US, Staleness, StalenessFinding
from palazzo.errors import InvalidInput, PalazzoError
from palazzo.files import raw_files
from palazzo.files.raw_files import named
from palazzo.intake.values import Asserted
from palazzo.model.address import Place
from palazzo.model.belief import Claimed, RecordOutcome
from palazzo.model.capability import Level
from palazzo.model.graph import NodeKind, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.message import Message
from palazzo.operations.belief import spec
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import CallContext, free_tags
from palazzo.operations.shared import OneMemoryParameters, StoredMemory, microseconds, moment
from palazzo.store.api import AtomRow, ClaimReceipt, StoredClaim

INBOX = Place(("inbox",))
WEEK_US = 7 * DAY_US
LONGEST_FILE = 1 << 20


def _read(context: CallContext, asked: spec.StatedParameters, kind: str = "") -> tuple[Asserted, tuple[Atom, ...]]:
    """The text as it may be stored, and the atoms it asserts or the one that was named.

    Raises: InvalidInput when it asserts nothing that can be held, Refused.
    """
    message = Message(text=asked.text, author=context.subject, scope=context.scope, kind=kind)
    found = context.engine.intake.read(message)
    if bool(asked.slot) != bool(asked.value):
        raise InvalidInput("slot and value are given together", field="value" if asked.slot else "slot")
    if asked.slot:
        return found, (Atom(asked.about, asked.slot, asked.value, functional=True, negated=asked.denied),)
    if not found.atoms:
        raise InvalidInput(
            "nothing in this text is a statement of an attribute and its value", field="text",
            hint="say it plainly, such as: I use Helix as my editor; or give slot and value",
        )  # fmt: skip
    if asked.denied:
        return found, tuple(Atom(a.subject, a.predicate, a.value, a.functional, not a.negated) for a in found.atoms)
    return found, found.atoms


def _source(context: CallContext) -> Source:
    now_us = context.engine.clock.now_us()
    kind: NodeKind = "message" if context.subject == OPERATOR else "tool"
    label = context.operation.name
    return Source(node=ProvenanceNode(id=new_id(now_us), kind=kind, at_us=now_us, label=label, author=context.subject))


def _changed(done: Changed) -> spec.BeliefChange:
    return spec.BeliefChange(
        memory=done.memory_id, added=done.added, dropped=done.dropped, reinstated=done.reinstated,
        touched=done.touched, consistent=done.consistent, degraded=done.receipt.notes,
    )  # fmt: skip


def revise(context: CallContext, asked: spec.ReviseParameters) -> spec.BeliefChange:
    place = Place.parse(asked.place) if asked.place else INBOX
    context.access.require(Level.write, place, context.operation.name)
    if asked.kind == "rule":
        raise InvalidInput("a rule is not made from one statement", field="kind")
    found, atoms = _read(context, asked, asked.kind)
    assertion = Assertion(
        atoms=atoms, text=found.text, place=place, kind=asked.kind or found.kind, name=asked.name, scope=context.scope,
        author=context.subject, confidence=asked.confidence, valid_from_us=microseconds(asked.at),
        sources=(_source(context),),
    )  # fmt: skip
    done = context.engine.beliefs.revise(
        assertion, context.writing_view, occasion=asked.occasion, subject=context.subject
    )
    return _changed(done)


def contract(context: CallContext, asked: spec.ContractParameters) -> spec.BeliefChange:
    """Gives up what is needed so that a statement is neither held nor derivable."""
    _, atoms = _read(context, asked)
    unwanted = Or(tuple(literal_of(atom) for atom in atoms))  # whoever holds one of them holds this: so all of them go
    return _changed(context.engine.beliefs.contract(unwanted, context.writing_view, subject=context.subject))


def revert(context: CallContext, asked: spec.RevertParameters) -> spec.BeliefChange:
    found = context.memory(asked.memory, life="all", deprecated=True)
    return _changed(
        context.engine.beliefs.rollback(
            found.id,
            asked.revision,
            context.view(life="all"),
            tag=free_tags(context.subject, asked.tag)[0],
            subject=context.subject,
        )
    )


def as_of(context: CallContext, asked: spec.AsOfParameters) -> spec.Believed:
    wanted = asked.about.casefold()
    with context.engine.store.reading(context.view(asked.at)) as reading:
        rows: dict[tuple[int, int], list[AtomRow]] = {}
        for row in reading.beliefs.every():
            rows.setdefault((row.key, -1 if row.kind == "rule" else row.position), []).append(row)
    told = [
        spec.ShownBelief(
            says=in_words(sentence_of(tuple(one.atom for one in stand))), memory=stand[0].memory_id, kind=stand[0].kind,
            confidence=stand[0].confidence,
        )
        for stand in rows.values()
    ]  # fmt: skip
    found = [one for one in told if one.says and wanted in one.says.casefold()]
    at = asked.at or moment(context.engine.clock.now_us())
    return spec.Believed(at=at, beliefs=tuple(found[: asked.limit]), total=len(found))


def outcome(context: CallContext, asked: spec.OutcomeParameters) -> spec.Trusted:
    found = context.memory(asked.memory)
    context.engine.store.commit([RecordOutcome(found.id, success=asked.went == "well")], subject=context.subject)
    standing = context.engine.beliefs.trust(found.id, context.view())
    return spec.Trusted(
        memory=found.id, own=standing.own, trust=standing.trust, weakest=standing.weakest,
        confirm_first=standing.confirm_first,
    )  # fmt: skip


def inbox(context: CallContext, _asked: spec.InboxParameters) -> spec.DisagreementList:
    return spec.DisagreementList(disagreements=tuple(_disagreement(d) for d in context.engine.inbox(context.view())))


def settle(context: CallContext, asked: spec.SettleParameters) -> spec.SettledDisagreement:
    kept = context.memory(asked.memory).id
    other = context.memory(asked.other).id if asked.other else None
    receipt = context.engine.settle(kept, other, both=asked.both, view=context.view())
    return spec.SettledDisagreement(settled=kept, changes=receipt.changes)


def _disagreement(found: Disagreement) -> spec.ShownDisagreement:
    """Two memories that cannot both hold."""
    return spec.ShownDisagreement(
        newer=found.newer.id, says=found.newer.text, older=found.older.id, said=found.older.text, score=found.score,
        since=moment(found.since_us),
    )  # fmt: skip


def _stale(look: Staleness, found: StalenessFinding) -> spec.Stale:
    return spec.Stale(
        memory=StoredMemory.of(found.memory), severity=found.severity, semantic=found.axes.semantic,
        temporal=found.axes.temporal, behavioral=found.axes.behavioral, flagged=found.flagged, caveat=found.caveat,
        confidence=look.confidence(found.memory.id), evidence=found.evidence,
    )  # fmt: skip


def staleness(context: CallContext, asked: OneMemoryParameters) -> spec.Stale:
    """Whether one memory still holds, as things stand now."""
    found = context.memory(asked.memory)
    look = context.engine.beliefs.staleness(context.view(), subject=context.subject)
    return _stale(look, look.look(found.id))


def review(context: CallContext, asked: spec.ReviewParameters) -> spec.Reviewed:
    view = context.view()
    look = context.engine.beliefs.staleness(view, subject=context.subject)
    claims = context.engine.beliefs.claims(view, subject=context.subject)
    waiting = [*claims.lane("candidate", asked.limit), *claims.lane("deferred", asked.limit)][: asked.limit]
    stale = tuple(_stale(look, found) for found in look.review(asked.limit))
    disagreements = tuple(_disagreement(d) for d in context.engine.inbox(view)[: asked.limit])
    with context.engine.store.reading(view) as reading:
        answered = reading.reviews.last_answer_us()
        keys = reading.authors.waiting(asked.limit)
        found = reading.memories.by_keys(keys)
    week_ago = context.engine.clock.now_us() - WEEK_US
    return spec.Reviewed(
        due=bool(stale or disagreements or waiting) and (answered or 0) <= week_ago, disagreements=disagreements,
        claims=tuple(claim_shown(one) for one in waiting), stale=stale,
        instructions=tuple(StoredMemory.of(found[key]) for key in keys if key in found),
    )  # fmt: skip


def recheck(context: CallContext, asked: spec.RecheckParameters) -> spec.Audited:
    """Decides what batches told beside what it may change, then audits the memories whose turn has come."""
    made = [context.engine.jobs.run(name, context.subject, asked.limit) for name in ("settle", "audits")]
    counts = dict.fromkeys(("events", "queued", "audited", "flagged", "settled", "superseded", "conflicts"), 0)
    for run in made:
        counts.update(run.report.counts)
    notes = tuple(note for run in made for note in (*run.report.notes, run.error) if note)
    return spec.Audited(
        **counts, more=any(run.report.more for run in made), busy=any(run.state == "busy" for run in made),
        degraded=notes,
    )  # fmt: skip


def resolve(context: CallContext, asked: spec.ResolveParameters) -> spec.Resolved:
    found = context.memory(asked.memory)
    look = context.engine.beliefs.staleness(context.view(), subject=context.subject)
    look.resolve(found.id, asked.answer)
    return spec.Resolved(memory=found.id, answer=asked.answer, confidence=look.confidence(found.id))


def claim_shown(claim: StoredClaim) -> spec.ShownClaim:
    """A claim as callers see it."""
    return spec.ShownClaim(
        id=claim.id, text=claim.text, kind=claim.kind, status=claim.status, author=claim.author,
        sources=tuple(spec.ClaimedFrom(kind=s.kind, reference=s.reference, excerpt=s.excerpt) for s in claim.sources),
        proposed_at=moment(claim.created_us), changed_at=moment(claim.updated_us),
        recheck_days=claim.recheck_days, memory=claim.memory_id,
    )  # fmt: skip


def _receipt(receipt: ClaimReceipt) -> spec.DecisionMade:
    return spec.DecisionMade(
        id=receipt.id, at=moment(receipt.at_us), by=receipt.subject, status=receipt.status,
        source_state=receipt.source_state,
    )  # fmt: skip


def _claim_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("a claim is named by its id", field="claim") from None


def _resolver(context: CallContext) -> Resolver:
    """What a source says now; the excerpt kept with it where it cannot be read again."""

    def resolve(handle: Claimed) -> str | None:
        if handle.kind == "file":
            return _file(handle) if context.subject == OPERATOR else handle.excerpt or None
        if handle.kind == "url":
            return handle.excerpt or None
        try:
            return context.memory(handle.reference, life="all", level=Level.read_public).text
        except InvalidInput:
            return handle.excerpt or None
        except PalazzoError:
            return None

    return resolve


def _file(handle: Claimed) -> str | None:
    try:
        return raw_files.head(named(handle.reference), LONGEST_FILE).decode("utf-8", "replace")
    except (InvalidInput, OSError, ValueError):
        return None


def propose(context: CallContext, asked: spec.ProposeParameters) -> spec.ShownClaim:
    context.engine.store.kinds.get(asked.kind)
    text = context.engine.intake.read(Message(text=asked.text, author=context.subject, scope=context.scope)).text
    sources = tuple(Claimed(kind=s.kind, reference=s.reference, excerpt=s.excerpt) for s in asked.sources)
    for source in sources:
        if source.excerpt:
            context.engine.intake.read(Message(text=source.excerpt, author=context.subject, scope=context.scope))
    claims = context.engine.beliefs.claims(context.view(), subject=context.subject)
    made = claims.propose(
        text, sources, kind=asked.kind, recheck_days=asked.recheck_days, scope=context.scope
    )  # fmt: skip
    found = claims.get(made)
    return replace(claim_shown(found), degraded=context.unsealed(found.tier))


def claims(context: CallContext, asked: spec.ClaimsParameters) -> spec.ClaimList:
    found = context.engine.beliefs.claims(context.view(), subject=context.subject)
    return spec.ClaimList(
        mode=found.mode(), claims=tuple(claim_shown(one) for one in found.lane(asked.status, asked.limit))
    )


def preview(context: CallContext, asked: spec.OneClaimParameters) -> spec.ClaimPreview:
    claims = context.engine.beliefs.claims(context.view(), subject=context.subject)
    found = claims.preview(_claim_id(asked.claim), _resolver(context))
    return spec.ClaimPreview(
        claim=claim_shown(found.claim), source_state=found.check.state,
        sources=tuple(spec.SourceNow(reference=reference, state=state) for reference, state in found.check.by_source),
        recurrence=found.recurrence, diversity=found.diversity, age_days=found.age_us / DAY_US,
        conflicts=found.conflicts, recommendation=found.recommendation,
        receipts=tuple(_receipt(one) for one in claims.receipts(found.claim.id)),
    )  # fmt: skip


def decide(context: CallContext, asked: spec.DecideParameters) -> spec.ShownClaim:
    desk = ClaimDesk(context.engine.store, context.view(), subject=context.subject)
    desk.decide(
        _claim_id(asked.claim),
        asked.decision,
        text=asked.text,
        source_state=asked.source_state,
        resolve=_resolver(context),
    )
    return _one(context, asked.claim)


def retract(context: CallContext, asked: spec.RetractParameters) -> spec.ShownClaim:
    desk = ClaimDesk(context.engine.store, context.view(), subject=context.subject)
    desk.retract(_claim_id(asked.claim), text=asked.text, source_state=asked.source_state)
    return _one(context, asked.claim)


def claim_mode(context: CallContext, asked: spec.ClaimModeParameters) -> spec.ModeSet:
    ClaimDesk(context.engine.store, context.view(), subject=context.subject).set_mode(asked.mode)
    return spec.ModeSet(mode=asked.mode)


def _one(context: CallContext, claim: str) -> spec.ShownClaim:
    return claim_shown(context.engine.beliefs.claims(context.view(), subject=context.subject).get(_claim_id(claim)))
