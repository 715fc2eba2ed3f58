"""Operations about claims: propose, claims, preview for anyone; decide, retract, claim_mode for the operator alone.

Owns how a source is read now: memories through the caller's own view, files only for the operator and only regular
ones, a URL never.
Invariant: nothing that is in a toolset leads to a decision, and a check of a source tells an agent nothing about files.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from palazzo.belief.claims import ClaimDesk, Resolver
from palazzo.errors import InvalidInput, PalazzoError
from palazzo.files import raw_files
from palazzo.files.raw_files import named
from palazzo.model.belief import Claimed
from palazzo.model.capability import Level
from palazzo.model.message import Message
from palazzo.operations import belief_parameters as p
from palazzo.operations import belief_results as r
from palazzo.operations import shown
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import Context
from palazzo.store.api import ClaimReceipt, StoredClaim

DAY_US = 86_400_000_000
LONGEST_FILE = 1 << 20


def claim_shown(claim: StoredClaim) -> r.Claim:
    """A claim as callers see it."""
    return r.Claim(
        id=claim.id, text=claim.text, kind=claim.kind, status=claim.status, author=claim.author,
        sources=tuple(r.ClaimedFrom(kind=s.kind, reference=s.reference, excerpt=s.excerpt) for s in claim.sources),
        proposed_at=shown.moment(claim.created_us), changed_at=shown.moment(claim.updated_us),
        recheck_days=claim.recheck_days, memory=claim.memory_id,
    )  # fmt: skip


def _receipt(receipt: ClaimReceipt) -> r.DecisionMade:
    return r.DecisionMade(
        id=receipt.id, at=shown.moment(receipt.at_us), by=receipt.subject, status=receipt.status,
        source_state=receipt.source_state,
    )  # fmt: skip


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("a claim is named by its id", field="claim") from None


def _resolver(context: Context) -> Resolver:
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


def propose(context: Context, asked: p.Propose) -> r.Claim:
    """Records a candidate, believed by nobody."""
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


def claims(context: Context, asked: p.Claims) -> r.ClaimList:
    """Claims of a status."""
    found = context.engine.beliefs.claims(context.view(), subject=context.subject)
    return r.ClaimList(
        mode=found.mode(), claims=tuple(claim_shown(one) for one in found.lane(asked.status, asked.limit))
    )


def preview(context: Context, asked: p.OneClaim) -> r.ClaimPreview:
    """Everything a person needs to decide."""
    claims = context.engine.beliefs.claims(context.view(), subject=context.subject)
    found = claims.preview(_id(asked.claim), _resolver(context))
    return r.ClaimPreview(
        claim=claim_shown(found.claim), source_state=found.check.state,
        sources=tuple(r.SourceNow(reference=reference, state=state) for reference, state in found.check.by_source),
        recurrence=found.recurrence, diversity=found.diversity, age_days=found.age_us / DAY_US,
        conflicts=found.conflicts, recommendation=found.recommendation,
        receipts=tuple(_receipt(one) for one in claims.receipts(found.claim.id)),
    )  # fmt: skip


def decide(context: Context, asked: p.Decide) -> r.Claim:
    """A person accepts, rejects or defers."""
    desk = ClaimDesk(context.engine.store, context.view(), subject=context.subject)
    desk.decide(
        _id(asked.claim), asked.decision, text=asked.text, source_state=asked.source_state, resolve=_resolver(context)
    )
    return _one(context, asked.claim)


def retract(context: Context, asked: p.Retract) -> r.Claim:
    """A person takes a verified claim back."""
    desk = ClaimDesk(context.engine.store, context.view(), subject=context.subject)
    desk.retract(_id(asked.claim), text=asked.text, source_state=asked.source_state)
    return _one(context, asked.claim)


def claim_mode(context: Context, asked: p.SetMode) -> r.ModeSet:
    """The operator chooses what is done with claims."""
    ClaimDesk(context.engine.store, context.view(), subject=context.subject).set_mode(asked.mode)
    return r.ModeSet(mode=asked.mode)


def _one(context: Context, claim: str) -> r.Claim:
    return claim_shown(context.engine.beliefs.claims(context.view(), subject=context.subject).get(_id(claim)))
