"""From the values of the rooms below to what callers are shown: ids, aware datetimes, text.

Owns the translation and nothing else. Invariant: no key of the store and no count of microseconds leaves here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from palazzo.guard.reduce import word_for
from palazzo.intake.inbox import Disagreement
from palazzo.intake.values import IntakeResult
from palazzo.model.capability import Grant, Token
from palazzo.model.change import Event
from palazzo.model.graph import Edge
from palazzo.model.memory import Memory, Revision
from palazzo.model.message import Intake
from palazzo.operations import guard_results as gr
from palazzo.operations import results as r
from palazzo.operations.context import EPOCH
from palazzo.recall.answer.context import Context
from palazzo.recall.answer.reply import Hit, Reply
from palazzo.recall.reason import Change, Reasoning
from palazzo.store.api import Ancestor, PlaceInfo


def moment(us: int) -> datetime:
    """A time of the store as an aware datetime."""
    return EPOCH + timedelta(microseconds=us)


def _maybe(us: int | None) -> datetime | None:
    return None if us is None else moment(us)


def memory(found: Memory) -> r.StoredMemory:
    """A memory as callers see it."""
    content = found.revision.content
    return r.StoredMemory(
        id=found.id, text=content.text, address=found.kref.short, place=found.place.path, name=found.name,
        kind=found.kind, scope=str(found.scope), state=found.state, revision=found.revision.number,
        importance=content.importance, confidence=content.confidence, created_at=moment(found.created_us),
        revised_at=moment(found.revision.created_us), valid_from=_maybe(content.valid_from_us),
        valid_to=_maybe(content.valid_to_us), author=content.author, speaker=content.detail.speaker,
        topics=content.detail.topics, pinned=found.pinned, deprecated=found.deprecated, staleness=found.staleness,
        metadata=dict(content.detail.metadata or {}),
    )  # fmt: skip


def account(intake: Intake) -> r.Account:
    """The account of one message."""
    fates = tuple(
        r.Fate(
            start=f.start, end=f.end, outcome=f.outcome, reason=f.reason, memory=f.memory_id, other=f.other,
            score=f.score,
        )
        for f in intake.fates
    )  # fmt: skip
    return r.Account(id=intake.id, at=moment(intake.at_us), fates=fates)


def kept(result: IntakeResult) -> r.Kept:
    """What became of a call that takes text in."""
    return r.Kept(
        memories=result.memory_ids, accounts=tuple(account(i) for i in result.intakes), degraded=result.degraded
    )


def _hits(hits: Sequence[Hit]) -> tuple[r.RecalledMemory, ...]:
    best = max((hit.score for hit in hits), default=0.0)
    return tuple(_hit(hit, best) for hit in hits)


def _hit(hit: Hit, best: float) -> r.RecalledMemory:
    reasons = tuple(r.Reason(signal=s.name, value=s.value, weight=s.weight, rank=s.rank) for s in hit.signals)
    return r.RecalledMemory(
        text=hit.text, score=hit.score, trust=hit.trust.score, memory=memory(hit.memory), tier=hit.tier, lane=hit.lane,
        source=hit.provenance, caveat=hit.caveat, reasons=reasons,
        relevance=word_for(hit.score / best if best > 0 else 0.0),
    )  # fmt: skip


def recalled(reply: Reply) -> r.Recalled:
    """The answer to a cue."""
    quality = reply.quality
    return r.Recalled(
        hits=_hits(reply.hits), mode=quality.mode, intent=quality.intent, tokens=quality.tokens,
        candidates=quality.candidates, left_out=quality.left_out, latency_ms=quality.latency_ms,
        dropped=tuple(f"{part}: {why}" for part, why in quality.dropped),
        replaced=tuple(f"{old}: replaced by {new}" for old, new in quality.replaced),
        weights=quality.weights, gist=quality.gist,
        siblings=tuple(r.Choice(address=one.kref, text=one.text, cosine=one.cosine) for one in reply.siblings),
    )  # fmt: skip


def block(found: Context, failed: tuple[tuple[str, str], ...] = ()) -> r.ContextBlock:
    """A text for a model, what is in it, and which parts gave nothing: of the recall, and providers that failed."""
    dropped = (*found.reply.quality.dropped, *failed)
    return r.ContextBlock(
        text=found.text, tokens=found.tokens, budget_tokens=found.budget_tokens, mode=found.reply.quality.mode,
        hits=_hits(found.reply.hits), scope=str(found.scope),
        decisions=tuple(
            gr.ContextDecision(memory=made.memory_id, admitted=made.admitted, mode=made.mode, reasons=made.reasons)
            for made in found.rulings
        ),
        dropped=tuple(f"{part}: {why}" for part, why in dropped),
    )  # fmt: skip


def reasoned(found: Reasoning) -> r.Reasoned:
    """Evidence and the steps to it."""
    return r.Reasoned(
        question=found.question, evidence=_hits(found.evidence), missing=found.missing,
        stopped=found.stopped, answer=found.answer, rests_on=found.rests_on, model=found.model,
        steps=tuple(r.AskedOnTheWay(question=s.question, why=s.why, depth=s.depth, found=s.found) for s in found.steps),
    )  # fmt: skip


def turning_point(change: Change) -> r.TurningPoint:
    """One moment in the life of what is known."""
    return r.TurningPoint(
        at=moment(change.at_us), step=change.step, memory=change.memory_id, revision=change.revision, text=change.text,
        before=change.before, source=change.source,
    )  # fmt: skip


def past(revision: Revision, current: int) -> r.Past:
    """One revision."""
    content = revision.content
    return r.Past(
        revision=revision.number, text=content.text, made_at=moment(revision.created_us),
        valid_from=_maybe(content.valid_from_us), valid_to=_maybe(content.valid_to_us), author=content.author,
        current=revision.number == current,
    )  # fmt: skip


def origin(ancestor: Ancestor) -> r.Origin:
    """A happening behind a memory."""
    node = ancestor.node
    return r.Origin(
        id=node.id, kind=node.kind, at=moment(node.at_us), label=node.label, author=node.author, link=ancestor.kind,
        depth=ancestor.depth,
    )  # fmt: skip


def link(edge: Edge) -> r.Link:
    """A link between two memories."""
    return r.Link(
        kind=edge.kind, source=edge.source.memory_id, target=edge.target.memory_id, weight=edge.weight,
        made_at=moment(edge.created_us),
    )  # fmt: skip


def disagreement(found: Disagreement) -> r.Disagreement:
    """Two memories that cannot both hold."""
    return r.Disagreement(
        newer=found.newer.id, says=found.newer.text, older=found.older.id, said=found.older.text, score=found.score,
        since=moment(found.since_us),
    )  # fmt: skip


def place(info: PlaceInfo) -> r.PlaceCount:
    """A place and how much stands in it."""
    return r.PlaceCount(place=info.place.path, seal=info.seal, memories=info.memories, newest_at=_maybe(info.newest_us))


def granted(grant: Grant) -> gr.Granted:
    """What a subject may do where."""
    return gr.Granted(
        subject=grant.subject, level=grant.level.name, place=str(grant.glob), starts_at=moment(grant.start_us),
        expires_at=_maybe(grant.expires_us), granted_by=grant.granted_by,
    )  # fmt: skip


def token(made: Token, now_us: int) -> gr.TokenInfo:
    """A token without its text."""
    return gr.TokenInfo(
        id=made.id, subject=made.subject, label=made.label, scope=str(made.scope), created_at=moment(made.created_us),
        expires_at=_maybe(made.expires_us), holds=made.holds(now_us),
    )  # fmt: skip


def changed(found: Memory, state: str) -> r.Changed:
    """What a change did."""
    return r.Changed(memory=found.id, address=found.kref.short, state=state)


def happening(event: Event, seq: str) -> r.Happening:
    """An event of the journal without its details, which may name what a caller may not read."""
    return r.Happening(
        seq=seq, at=moment(event.at_us), kind=event.kind, subject=event.subject, memory=event.memory_id,
        revision=event.revision,
    )  # fmt: skip
