"""Operations about whether memories still hold: staleness, review, recheck, resolve, signal.

Owns what waits for a person in one answer. Invariant: looking never writes; answering an audit is a person's.
"""

from __future__ import annotations

from dataclasses import asdict

from palazzo.belief.staleness import DAY_US, Finding, Staleness
from palazzo.model.belief import BehaviourSignal
from palazzo.operations import belief_parameters as p
from palazzo.operations import belief_results as r
from palazzo.operations import shown
from palazzo.operations.claiming import claim_shown
from palazzo.operations.context import Context, microseconds
from palazzo.operations.parameters import OneMemory

WEEK_US = 7 * DAY_US


def _shown(look: Staleness, found: Finding) -> r.Stale:
    return r.Stale(
        memory=shown.memory(found.memory), severity=found.severity, semantic=found.axes.semantic,
        temporal=found.axes.temporal, behavioral=found.axes.behavioral, flagged=found.flagged, caveat=found.caveat,
        confidence=look.confidence(found.memory.id), evidence=found.evidence,
    )  # fmt: skip


def staleness(context: Context, asked: OneMemory) -> r.Stale:
    """Whether one memory still holds, as things stand now."""
    found = context.memory(asked.memory)
    look = context.engine.beliefs.staleness(context.view(), subject=context.subject)
    return _shown(look, look.look(found.id))


def review(context: Context, asked: p.Review) -> r.Reviewed:
    """What waits for a person."""
    view = context.view()
    look = context.engine.beliefs.staleness(view, subject=context.subject)
    claims = context.engine.beliefs.claims(view, subject=context.subject)
    waiting = [*claims.lane("candidate", asked.limit), *claims.lane("deferred", asked.limit)][: asked.limit]
    stale = tuple(_shown(look, found) for found in look.review(asked.limit))
    disagreements = tuple(shown.disagreement(d) for d in context.engine.inbox(view)[: asked.limit])
    with context.engine.store.reading(view) as reading:
        answered = reading.reviews.last_answer_us()
        keys = reading.authors.waiting(asked.limit)
        found = reading.memories.by_keys(keys)
    week_ago = context.engine.clock.now_us() - WEEK_US
    return r.Reviewed(
        due=bool(stale or disagreements or waiting) and (answered or 0) <= week_ago, disagreements=disagreements,
        claims=tuple(claim_shown(one) for one in waiting), stale=stale,
        instructions=tuple(shown.memory(found[key]) for key in keys if key in found),
    )  # fmt: skip


def recheck(context: Context, asked: p.Recheck) -> r.Audited:
    """Audits the memories whose turn has come."""
    return r.Audited(**asdict(context.engine.audits.run(asked.limit)))


def resolve(context: Context, asked: p.Resolve) -> r.Resolved:
    """A person's answer to an audit."""
    found = context.memory(asked.memory)
    look = context.engine.beliefs.staleness(context.view(), subject=context.subject)
    look.resolve(found.id, asked.answer)
    return r.Resolved(memory=found.id, answer=asked.answer, confidence=look.confidence(found.id))


def signal(context: Context, asked: p.Signals) -> r.Signalled:
    """Adds counts of behaviour."""
    now_us = context.engine.clock.now_us()
    counts = [
        BehaviourSignal(
            family=one.family.strip().lower(), dimension=one.dimension.strip().lower(), count=one.count,
            day=(microseconds(one.at) if one.at is not None else now_us) // DAY_US,  # type: ignore[operator]
        )
        for one in asked.counts
    ]  # fmt: skip
    context.engine.beliefs.signal(counts, context.scope, subject=context.subject)
    return r.Signalled(counts=len(counts))
