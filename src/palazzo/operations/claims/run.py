"""Operations about claims: from what is proposed to what a person decided.

Owns how a claim's source is read now: memories through the caller's own view, files only for the operator and only
regular ones, a URL never. Invariants: looking never writes; nothing that is in a toolset leads to a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from msgspec.structs import replace

from palazzo.archive import Archive
from palazzo.belief.claims import ClaimDesk, ClaimStanding, DrawnFrom, Resolver, drawn_from
from palazzo.belief.staleness import DAY_US
from palazzo.errors import InvalidInput, NotPermitted, PalazzoError
from palazzo.files import raw_files
from palazzo.files.raw_files import named
from palazzo.model.belief import Claimed
from palazzo.model.capability import Level
from palazzo.model.message import Message
from palazzo.operations.caller import OPERATOR
from palazzo.operations.claims import spec
from palazzo.operations.context import CallContext
from palazzo.operations.shared import id_called, moment
from palazzo.store.api import ClaimReceipt, StoredClaim

LONGEST_FILE = 1 << 20


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
            return _told(context, handle)

    return resolve


def _told(context: CallContext, handle: Claimed) -> str | None:
    """What a message that was taken in says: what was told stays as it was told."""
    try:
        with context.engine.store.reading(context.view()) as reading:
            reading.intakes.get(UUID(handle.reference))
    except (ValueError, PalazzoError):
        return None
    return handle.excerpt or None


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
    found = claims.preview(id_called(asked.claim, "claim"), _resolver(context))
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
        id_called(asked.claim, "claim"),
        asked.decision,
        text=asked.text,
        source_state=asked.source_state,
        resolve=_resolver(context),
    )
    return _one(context, asked.claim)


def retract(context: CallContext, asked: spec.RetractParameters) -> spec.ShownClaim:
    desk = ClaimDesk(context.engine.store, context.view(), subject=context.subject)
    desk.retract(id_called(asked.claim, "claim"), text=asked.text, source_state=asked.source_state)
    return _one(context, asked.claim)


def claim_mode(context: CallContext, asked: spec.ClaimModeParameters) -> spec.ModeSet:
    ClaimDesk(context.engine.store, context.view(), subject=context.subject).set_mode(asked.mode)
    return spec.ModeSet(mode=asked.mode)


def _one(context: CallContext, claim: str) -> spec.ShownClaim:
    return claim_shown(
        context.engine.beliefs.claims(context.view(), subject=context.subject).get(id_called(claim, "claim"))
    )


def draw_claims(context: CallContext, asked: spec.DrawParameters) -> spec.DrawnClaims:
    if asked.archive == bool(asked.memory):
        raise InvalidInput("a memory or the archive is drawn from", field="memory", hint="give one of the two")
    if asked.archive and not context.access.is_operator:
        raise NotPermitted("the archive is the operator's to read")
    intake, author = context.engine.intake, context.subject
    texts = tuple(_archived(intake.archive)) if asked.archive else (drawn_from(context.memory(asked.memory)),)
    claims = context.engine.beliefs.claims(context.view(), subject=context.subject)
    made = claims.draw(
        texts, lambda text, scope: intake.stated(Message(text=text, author=author, scope=scope)), asked.limit
    )
    return spec.DrawnClaims(claims=tuple(claim_shown(claims.get(one)) for one in made), read=len(texts))


def _archived(archive: Archive | None) -> Iterator[DrawnFrom]:
    """What people told, as the archive has it; what an assistant said is a turn and no fact."""
    for call in archive.read().calls if archive is not None else ():
        for letter in call.letters:
            told = letter.message
            if letter.tier == "clear" and not letter.barred and told.role == "user":
                yield DrawnFrom(text=letter.text, kind="exchange", reference=str(letter.id), scope=told.scope)


def claim_report(context: CallContext, asked: spec.DiagnoseParameters) -> spec.CandidateField:
    claims = context.engine.beliefs.claims(context.view(), subject=context.subject)
    found = claims.diagnose(_resolver(context), asked.limit)
    return spec.CandidateField(
        mode=claims.mode(), candidates=len(found), recurring=_seen(one for one in found if one.recurs),
        conflicting=_seen(one for one in found if one.conflicts), ready=_seen(one for one in found if one.ready),
        decayed=_seen(one for one in found if one.decayed),
    )  # fmt: skip


def _seen(found: Iterable[ClaimStanding]) -> tuple[spec.CandidateSeen, ...]:
    return tuple(
        spec.CandidateSeen(
            sources=one.sources, sorts=one.sorts, source_state=one.state, conflicts=one.conflicts,
            age_days=one.age_us / DAY_US, claim=claim_shown(one.claim),
        )
        for one in found
    )  # fmt: skip
