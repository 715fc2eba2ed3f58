"""Operations that read: recall, context, reason, evolution, get, list, history, places, and feedback on what was read.

Owns the way from arguments to cues and filters. Invariant: every read goes through the caller's View.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any
from uuid import UUID

from msgspec.structs import asdict, replace

from palazzo.errors import InvalidInput, NotFound, NotPermitted
from palazzo.guard.reduce import word_for
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.graph import MentionDraft
from palazzo.model.memory import Memory, Revision
from palazzo.model.zone import local, told_zone
from palazzo.operations.context import CallContext, address_in, artifact_shown, place_called, places_called
from palazzo.operations.recall import spec
from palazzo.operations.shared import (
    GivenTurn,
    Life,
    SeenMemoryParameters,
    StoredMemory,
    microseconds,
    moment,
    moment_if_any,
)
from palazzo.persona.providers import ForTurn
from palazzo.recall.answer.context import Context, ContextTurn
from palazzo.recall.answer.reply import GivenContext, Hit, Reply
from palazzo.recall.read.cue import Cue
from palazzo.recall.read.presets import view_for
from palazzo.recall.reason import Change, Reasoning, ReasonLimits
from palazzo.recall.talk.working import Heard
from palazzo.store.api import Filter, PlaceInfo, Plain
from palazzo.text.dates.find import find_dates

_LARGEST = 1 << 63
_NONE = ("",)
"""No kind at all."""
_FELT = 0.1
"""How far from neither good nor bad something must be told to count as felt."""
_MOODS: dict[spec.Sentiment, tuple[float, float]] = {
    "positive": (_FELT, 1.0), "neutral": (-_FELT, _FELT), "negative": (-1.0, -_FELT)
}  # fmt: skip


def recall(context: CallContext, asked: spec.RecallParameters) -> spec.Recalled:
    cue = Cue(
        text=asked.cue, limit=asked.limit, budget_tokens=asked.budget_tokens, preset=asked.preset, rerank=asked.rerank,
        min_relevance=asked.min_relevance, speaker=asked.speaker, thread=asked.thread, zone=told_zone(asked.as_of),
        mode=asked.mode,
        fusion=asked.fusion, valence=asked.mood,
        filter=_filter(context, asked),
    )  # fmt: skip
    view = context.view(asked.as_of, deprecated=asked.include_deprecated, tag=asked.tag)
    reply = context.engine.recall(cue, view, tuple(_heard(said) for said in asked.history))
    _used(context, asked.as_of, [hit.memory.id for hit in reply.hits])
    hint = "" if reply.hits else _why_nothing(context, cue, view)
    return replace(recalled(reply), alarm=context.engine.watch.note(reply), hint=hint)


def _why_nothing(context: CallContext, cue: Cue, view: View) -> str:
    """What a caller may have misnamed who was told that nothing is known, or whose memories know it."""
    kinds, glob = context.engine.store.kinds, cue.filter.glob
    for name in [name for name in cue.filter.kinds if name and name not in kinds]:
        return f"there is no kind {name!r}{_near(name, kinds.names)}: `palazzo kinds` lists them"
    with context.engine.store.reading(view) as reading:
        elsewhere = reading.counts.elsewhere()
        if not reading.search.newest(Filter(), 1) and view.as_of_us is not None:
            return (
                "nothing was kept yet at that time: as_of asks what was believed then. What happened then and was told"
                " later is found without it, by its date in the question, or by after and before"
            )
        if glob is not None and not glob.slice and not reading.places.counted(glob):
            named = [info.place.path for info in reading.places.counted(PlaceGlob(ROOT, "subtree"))]
            below = any(one.startswith(f"{glob.place.path}.") for one in named)
            told = f": {glob.place.path}.** is what is below it" if below else _near(glob.place.path, named)
            return f"nothing stands at {glob.place.path}{told}"
    if not (elsewhere and context.access.is_operator and context.caller.chooses_scope):
        return ""
    others = context.engine.recall(cue, replace(view, all_scopes=True)).hits
    scopes = [hit.memory.scope for hit in others if hit.relevance >= context.engine.floor]
    found = dict.fromkeys(one for one in scopes if not one.is_prefix_of(view.scope))
    told = ", or ".join(" and ".join(f"{key} {value}" for key, value in one.keys) for one in found)
    return f"something that may answer lies under {told}: name it to read there" if found else ""


def _near(name: str, known: Iterable[str]) -> str:
    """Names like one that is not known, to be told behind it."""
    near = get_close_matches(name.casefold(), list(known), 3)
    return f", but {' and '.join(near)}" if near else ""


def _filter(context: CallContext, asked: spec.RecallParameters | spec.ListParameters) -> Filter:
    """What to look in, as a caller names it."""
    kinds = asked.kinds
    if asked.layers:
        within = context.engine.store.kinds.in_layers(asked.layers)
        kinds = tuple(kind for kind in within if not kinds or kind in kinds) or _NONE
    return Filter(
        glob=places_called(asked.place), kinds=kinds, valid_after_us=microseconds(asked.after),
        valid_before_us=microseconds(asked.before), metadata=_equal_to(asked.metadata),
        mentions=tuple(name.partition("://")[2] or name for name in asked.mentions),
        valence=_MOODS[asked.sentiment] if asked.sentiment else None,
    )  # fmt: skip


def _used(context: CallContext, as_of: datetime | None, read: Sequence[UUID]) -> None:
    """Notes that memories were read; a look at the past is no use of what it shows."""
    if as_of is None:
        context.engine.uses.note(read, context.engine.clock.now_us(), context.subject)


def context(context: CallContext, asked: spec.ContextParameters) -> spec.ContextBlock:
    """The block a model should read; what providers add is for those who may read everything, and for themselves."""
    view = context.view(asked.as_of)
    seen = view_for(asked.purpose, view, asked.delegate)
    if not (context.caller.chooses_scope or seen.scope.is_prefix_of(view.scope)):
        raise NotPermitted(f"{context.subject} works in the scope of its connection and may not read as another")
    if seen.orchestrator and not (context.caller.is_operator or context.orchestrates):
        raise NotPermitted("only an orchestrator reads below what it leads", hint="its subject is orchestrator:NAME")
    own = context.access.sees_all and seen == view
    texts, failed = context.engine.provided(ForTurn(asked.message, asked.thread, context.scope)) if own else ({}, ())
    turn = ContextTurn(
        message=asked.message, model=asked.model, budget_tokens=asked.budget_tokens, purpose=asked.purpose,
        delegate=asked.delegate, fixed=texts,
        history=tuple(_heard(said) for said in asked.history), thread=asked.thread, injection=asked.injection,
        sections=asked.sections,
    )  # fmt: skip
    made = context.engine.context(turn, view)
    _used(context, asked.as_of, [hit.memory.id for hit in made.reply.hits])
    alarm = context.engine.watch.note(made.reply) if made.injection != "minimal" else ""
    block = replace(_block(made, context.engine.floor, failed), alarm=alarm)
    if not view.unlocked:  # what a vault holds is seen while it is open, and not afterwards
        now_us = context.engine.clock.now_us()
        context.engine.watch.given.add(GivenContext(now_us, context.subject, asked.message, block))
    return block


def _heard(said: str | GivenTurn) -> Heard:
    if isinstance(said, str):
        return Heard("user", said, 0)
    return Heard(said.speaker or said.role, said.content, microseconds(said.at) or 0)


def reason(context: CallContext, asked: spec.ReasonParameters) -> spec.Reasoned:
    named = context.engine.models.of_name(asked.model).depth if asked.model else ReasonLimits().depth
    limits = ReasonLimits(depth=asked.depth or named, tokens=asked.budget_tokens)
    return _reasoned(context.engine.reason(asked.question, context.view(), limits))


def evolution(context: CallContext, asked: spec.EvolutionParameters) -> spec.Evolution:
    changes = context.engine.evolution(asked.topic, context.view())
    return spec.Evolution(topic=asked.topic, changes=tuple(_turning_point(change) for change in changes))


def feedback(context: CallContext, asked: spec.FeedbackParameters) -> spec.Suppressed:
    found = context.memory(asked.memory)
    receipt = context.engine.correct(asked.cue, found.id, subject=context.subject)
    why = "" if receipt else "without an embedder nobody can tell which cues are alike"
    return spec.Suppressed(memory=found.id, address=found.kref.short, suppressed=receipt is not None, why=why)


def get(context: CallContext, asked: spec.GetParameters) -> spec.WholeMemory:
    try:
        life: Life = "live"
        found = context.memory(asked.memory, asked.as_of, life, deprecated=asked.include_deprecated)
    except NotFound:
        if not asked.include_deprecated:
            raise
        life = "archived"
        found = context.memory(asked.memory, asked.as_of, life, deprecated=True)
    view = context.view(asked.as_of, life, deprecated=asked.include_deprecated)
    _used(context, asked.as_of, [found.id])
    with context.engine.store.reading(view) as reading:
        artifacts = reading.artifacts.at(found.revision.key)
        mentions = reading.entities.mentioned_in(found.revision.key)
    kref = address_in(asked.memory)
    if kref is not None and kref.artifact is not None:
        artifacts = tuple(one for one in artifacts if one.name == kref.artifact)
        if not artifacts:
            raise NotFound(f"{found.kref.short} has no artifact {kref.artifact!r} at revision {found.revision.number}")
    whole = _whole(context, found, mentions, told_zone(asked.as_of))
    return replace(whole, artifacts=tuple(artifact_shown(context, one) for one in artifacts))


def _whole(context: CallContext, found: Memory, mentions: Sequence[MentionDraft], zone: str) -> spec.WholeMemory:
    """A memory with all that was read from its words; dates are read as of the moment it was written."""
    content, detail = found.revision.content, found.revision.content.detail
    named: dict[str, list[str]] = {}
    for one in mentions:
        link = "://" in one.text or one.text.startswith("www.")
        named.setdefault("url" if link else one.kind, []).append(one.text if link else one.name)
    said_at = local(found.revision.created_us, zone or context.engine.zone)
    dates = (span.day or span.begin for span in find_dates(content.text, said_at))
    return spec.WholeMemory(
        **asdict(StoredMemory.of(found)), layer=context.engine.store.kinds.get(found.kind).layer,
        people=tuple(named.pop("person", ())), organizations=tuple(named.pop("organization", ())),
        locations=tuple(named.pop("location", ())), technologies=tuple(named.pop("technology", ())),
        paths=tuple(named.pop("file", ())), urls=tuple(named.pop("url", ())),
        others=tuple(name for names in named.values() for name in names),
        dates=tuple(dict.fromkeys(one for one in dates if one is not None)), sentiment=content.affect.valence,
        language=detail.language, keywords=detail.keywords, events=detail.events, prospects=detail.prospects,
        steps=detail.steps,
    )  # fmt: skip


def list_(context: CallContext, asked: spec.ListParameters) -> spec.MemoryPage:
    wanted = _filter(context, asked)
    told = context.positions("list")
    before = told.number(asked.cursor, "cursor") if asked.cursor else None
    view = context.view(asked.as_of, asked.state, deprecated=asked.include_deprecated, tag=asked.tag)
    with context.engine.store.reading(view) as reading:
        keys = reading.search.newest(wanted, asked.limit + 1, before)
        total = reading.search.count(wanted, exact=asked.count)
        page = keys[: asked.limit]
        found = reading.memories.by_keys(page)
    return spec.MemoryPage(
        memories=tuple(StoredMemory.of(found[key]) for key in page if key in found), total=total,
        next_cursor=told.word(page[-1]) if len(keys) > asked.limit else "",
    )  # fmt: skip


def _sound(text: str) -> bool:
    """Whether a text is valid Unicode."""
    return text == text.encode(errors="ignore").decode()


def _equal_to(metadata: Mapping[str, Any] | None) -> tuple[tuple[str, Plain], ...]:
    """Metadata to look for, as pairs.

    Raises: InvalidInput for a value that is a list or an object.
    """
    for key, value in (metadata or {}).items():
        large = isinstance(value, int | float) and not abs(value) < _LARGEST
        broken = any(isinstance(text, str) and not text.isascii() and not _sound(text) for text in (key, value))
        if not isinstance(value, str | int | float | bool) or large or broken:
            raise InvalidInput(
                f"metadata.{key} is compared with a text, a number, true or false", field=f"metadata.{key}"
            )
    return tuple((metadata or {}).items())


def history(context: CallContext, asked: SeenMemoryParameters) -> spec.History:
    view = context.view(life="all", deprecated=asked.include_deprecated)
    found = context.memory(asked.memory, life="all", deprecated=asked.include_deprecated)
    with context.engine.store.reading(view) as reading:
        revisions = reading.memories.history(found.id)
    told = tuple(_past(revision, found.revision.number) for revision in revisions)
    return spec.History(memory=found.id, address=found.kref.short, revisions=told)


def places(context: CallContext, asked: spec.PlacesParameters) -> spec.PlaceList:
    here = place_called(asked.place) if asked.place else ROOT
    with context.engine.store.reading(context.view(asked.as_of)) as reading:
        every = reading.places.counted(PlaceGlob(here, "subtree"))
        found = every if asked.deep else reading.places.children(here, empty=context.access.is_operator)
    below = Counter[str]()
    for info in every:
        parts = info.place.path.split(".")
        below.update({".".join(parts[:length]): info.memories for length in range(1, len(parts))})
    return spec.PlaceList(
        below=here.path, places=tuple(replace(_place(info), below=below[info.place.path]) for info in found)
    )


def _hits(hits: Sequence[Hit]) -> tuple[spec.RecalledMemory, ...]:
    return tuple(_hit(hit) for hit in hits)


def _hit(hit: Hit) -> spec.RecalledMemory:
    reasons = tuple(spec.ShownReason(signal=s.name, value=s.value, weight=s.weight, rank=s.rank) for s in hit.signals)
    return spec.RecalledMemory(
        text=hit.text, score=hit.score, trust=hit.trust.score, memory=StoredMemory.of(hit.memory),
        tier=hit.tier, lane=hit.lane, source=hit.provenance, caveat=hit.caveat, reasons=reasons,
        parts=spec.TrustParts(
            relevance=round(hit.trust.relevance, 4), accuracy=round(hit.trust.accuracy, 4),
            freshness=round(hit.trust.freshness, 4), utility=round(hit.trust.utility, 4),
        ),
        relevance=hit.relevance, match=word_for(hit.relevance),
    )  # fmt: skip


def recalled(reply: Reply) -> spec.Recalled:
    """The answer to a cue."""
    quality = reply.quality
    return spec.Recalled(
        hits=_hits(reply.hits), mode=quality.mode, intent=quality.intent, tokens=quality.tokens,
        candidates=quality.candidates, left_out=quality.left_out, latency_ms=quality.latency_ms,
        dropped=tuple(f"{part}: {why}" for part, why in quality.dropped),
        replaced=tuple(f"{old}: replaced by {new}" for old, new in quality.replaced),
        weights=quality.weights, gist=quality.gist, known=reply.known, relevance=quality.relevance, ndcg=quality.ndcg,
        siblings=tuple(spec.Choice(address=one.kref, text=one.text, cosine=one.cosine) for one in reply.siblings),
    )  # fmt: skip


def _block(found: Context, floor: float, failed: tuple[tuple[str, str], ...] = ()) -> spec.ContextBlock:
    """A text for a model, what is in it, and which parts gave nothing: of the recall, and providers that failed."""
    dropped = (*found.reply.quality.dropped, *failed, *((name, "no room") for name in found.trimmed))
    quality = found.reply.quality
    return spec.ContextBlock(
        text=found.text, tokens=found.tokens, budget_tokens=found.budget_tokens, mode=found.reply.quality.mode,
        hits=_hits(found.reply.hits), scope=str(found.scope), injection=found.injection, relevance=quality.relevance,
        known=any(hit.relevance >= floor for hit in found.reply.hits), ndcg=quality.ndcg, cached=quality.cached,
        sections=tuple(
            spec.FilledSection(name=one.name, tokens=one.tokens) for one in found.sections if one.text
        ),
        decisions=tuple(
            spec.ContextDecision(memory=made.memory_id, admitted=made.admitted, mode=made.mode, reasons=made.reasons)
            for made in found.rulings
        ),
        dropped=tuple(f"{part}: {why}" for part, why in dropped),
    )  # fmt: skip


def _reasoned(found: Reasoning) -> spec.Reasoned:
    """Evidence and the steps to it."""
    return spec.Reasoned(
        question=found.question, evidence=_hits(found.evidence), missing=found.missing,
        stopped=found.stopped, answer=found.answer, rests_on=found.rests_on, model=found.model,
        steps=tuple(
            spec.AskedOnTheWay(question=s.question, why=s.why, depth=s.depth, found=s.found) for s in found.steps
        ),
    )  # fmt: skip


def _turning_point(change: Change) -> spec.TurningPoint:
    """One moment in the life of what is known."""
    return spec.TurningPoint(
        at=moment(change.at_us), step=change.step, memory=change.memory_id, revision=change.revision, text=change.text,
        before=change.before, source=change.source,
    )  # fmt: skip


def _past(revision: Revision, current: int) -> spec.Past:
    """One revision."""
    content = revision.content
    return spec.Past(
        revision=revision.number, text=content.text, made_at=moment(revision.created_us),
        valid_from=moment_if_any(content.valid_from_us), valid_to=moment_if_any(content.valid_to_us),
        author=content.author, current=revision.number == current,
    )  # fmt: skip


def _place(info: PlaceInfo) -> spec.PlaceCount:
    """A place and how much stands in it."""
    return spec.PlaceCount(
        place=info.place.path, seal=info.seal, memories=info.memories, newest_at=moment_if_any(info.newest_us)
    )
