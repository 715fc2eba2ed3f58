"""Operations about what a model is given to read, what is known as a whole, and what dreams did and ask.

Owns the way from slots and the table of models to results; the verdict on a cue: what recall finds for it decides, and
how well its domain is known bears on it; and how a report is told to whom: the operator reads the words of every memory
it names, an agent those it may see. Invariant: a mind is read through its own view, so what became hidden since is not
told.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from math import exp
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from palazzo.errors import NotFound, NotPermitted
from palazzo.guard.erasure import everything_of
from palazzo.mind.dream import DREAM, DreamReport, DreamStep, DreamWanted
from palazzo.mind.gaps import Gaps, GapTold, OpenGap, question_of, sort_of
from palazzo.mind.jobs import JobReport, JobTurn
from palazzo.mind.summaries import KIND, LEVELS
from palazzo.mind.telling import markdown, told_of
from palazzo.mind.tree import Domain
from palazzo.model.capability import View
from palazzo.model.memory import Memory
from palazzo.model.zone import local, microseconds
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import CallContext
from palazzo.operations.mind import spec
from palazzo.operations.palace.run import domains_of, part_shown
from palazzo.operations.recall.spec import ContextBlock
from palazzo.operations.shared import (
    OneMemoryParameters,
    ScopeParameters,
    StoredMemory,
    id_called,
    moment,
    moment_if_any,
)
from palazzo.recall.read.cue import Cue
from palazzo.recall.read.presets import Model
from palazzo.recall.talk.working import ANTICIPATION_US, Slot
from palazzo.store.api import Filter, Reading, SlotSource, TextSearch
from palazzo.text.words.parsed import parsed


def mind(context: CallContext, _asked: ScopeParameters) -> spec.InMind:
    return _in_mind(context, context.engine.mind.in_mind(context.view()))


def mind_hold(context: CallContext, asked: OneMemoryParameters) -> spec.InMind:
    found = context.memory(asked.memory)
    source: SlotSource = "explicit" if context.subject == OPERATOR else "inference"
    return _in_mind(context, context.engine.mind.hold(found, context.view(), source))


def mind_clear(context: CallContext, asked: spec.ClearMindParameters) -> spec.LetGo:
    found = context.memory(asked.memory) if asked.memory else None
    return spec.LetGo(slots=context.engine.mind.let_go(context.view(), found))


def anticipate(context: CallContext, asked: spec.AnticipateParameters) -> spec.Anticipation:
    found = context.engine.mind.anticipate(asked.message, context.view())
    until = moment(context.engine.clock.now_us() + ANTICIPATION_US)
    dropped = tuple(f"{part}: {why}" for part, why in found.quality.dropped)
    return spec.Anticipation(memories=len(found.hits), until=until, degraded=dropped)


def _in_mind(context: CallContext, held: Sequence[Slot]) -> spec.InMind:
    now_us = context.engine.clock.now_us()
    return spec.InMind(
        scope=str(context.scope),
        slots=tuple(
            spec.MindSlot(
                text=slot.text, source=slot.source, activation=round(slot.at(now_us), 3), tokens=slot.tokens,
                touched_at=moment(slot.touched_us), memory=slot.memory_id, note=slot.note,
            )
            for slot in held
        ),
    )  # fmt: skip


def contexts(context: CallContext, asked: spec.ContextsParameters) -> spec.SeenContexts:
    every = context.engine.watch.given.newest()
    found = [one for one in every if not asked.subject or one.subject == asked.subject]
    return spec.SeenContexts(
        contexts=tuple(
            spec.SeenContext(at=moment(one.at_us), subject=one.subject, message=one.message, block=one.answer)
            for one in found[: asked.limit]
            if isinstance(one.answer, ContextBlock)
        )
    )


def models(context: CallContext, asked: spec.ModelsParameters) -> spec.ModelList:
    table = context.engine.models
    found = (table.of_name(asked.name),) if asked.name else table.every
    return spec.ModelList(models=tuple(_model(one) for one in found))


def _model(found: Model) -> spec.ShownModel:
    return spec.ShownModel(
        prefix=found.prefix, context_tokens=found.context_tokens, output_tokens=found.output_tokens,
        tools=found.tools, vision=found.vision, thinking=found.thinking, tokenizer=found.tokenizer, ratio=found.ratio,
        depth=found.depth,
    )  # fmt: skip


KNOW: Final = 0.7
"""How sure an answer must be, and how much must bear on the cue, for it to be known and not in part only."""
FIRST: Final = 10
CLEAR: Final = (-0.5, 9.6)
"""How likely the first ten have the answer, by how far the least of them stands below the best: intercept and slope of
a logistic curve, fitted to the questions of two conversations of LoCoMo and looked at on three others."""
DOUBT: Final = 0.2
"""How much less sure an answer is whose domain is old, or full of open questions."""
OWN_SHARE: Final = 0.8
"""How much of what bears on a cue is the answer's own; the rest follows from how well its domain is known."""
DAY_US: Final = 86_400_000_000


def knows(context: CallContext, asked: spec.KnowsParameters) -> spec.KnownCue:
    view = context.view()
    cue = Cue(text=asked.cue, limit=FIRST)
    reply = context.engine.recall(cue, view)
    if not reply.known:
        return spec.KnownCue(verdict="unknown", confidence=0.0, line="Nothing that is remembered answers this.")
    found = context.engine.trees.of(view).domain_of(hit.memory.revision.key for hit in reply.hits)
    domain = next((one for one in domains_of(context, view) if found is not None and one.node.id == found.id), None)
    best = max((hit.relevance for hit in reply.hits), default=0.0)
    sure = 1 - (1 - best) ** 2  # relevance is a careful figure: what has half of it answers more often than not
    bears = sure * (OWN_SHARE + (1 - OWN_SHARE) * (domain.confidence if domain is not None else 0.0))
    doubt = 1 - domain.freshness * (1 - domain.uncertainty) if domain is not None else 0.0
    near = context.engine.recall(replace(cue, min_relevance=0.0), view).hits
    confidence = round(_among_the_first([hit.score for hit in near]) * (1 - DOUBT * doubt), 3)
    verdict = "know" if min(bears, confidence) > KNOW else "partly"
    if domain is None:
        return spec.KnownCue(verdict=verdict, confidence=confidence, line="Something that is remembered may answer it.")
    return spec.KnownCue(
        verdict=verdict, confidence=confidence, domain=domain.node.label,
        node=domain.node.id, memories=domain.memories, gaps=domain.gaps, newest_at=moment(domain.newest_us),
        line=_line(domain, verdict, context.engine.clock.now_us()),
    )  # fmt: skip


def _among_the_first(scores: Sequence[float]) -> float:
    """How likely the answer is among the first ten, where there is one: the further they fall off, the likelier. Fewer
    than ten are all there is."""
    if len(scores) < FIRST or max(scores) <= 0:
        return 1.0
    start, slope = CLEAR
    return 1 / (1 + exp(-start - slope * (1 - min(scores) / max(scores))))


def _line(domain: Domain, verdict: str, now_us: int) -> str:
    days = max(0, (now_us - domain.newest_us) // DAY_US)
    age = "today" if not days else "yesterday" if days == 1 else f"{days} days ago"
    asked = "one question about it is" if domain.gaps == 1 else f"{domain.gaps} questions about it are"
    open_ = f"; {asked} open" if domain.gaps else ""
    sure = "It is known" if verdict == "know" else "It is known in part"
    return f"{sure}: {domain.memories} memories about {domain.node.label}, the newest of {age}{open_}."


def unfold(context: CallContext, asked: spec.UnfoldParameters) -> spec.Unfolded:
    """Raises: NotFound for what is neither a part nor a memory."""
    view = context.view()
    tree = context.engine.trees.of(view)
    node = tree.node(asked.node)
    if node is None:
        return _behind(context, asked)
    with context.engine.store.reading(view) as reading:
        loaded = reading.memories.by_keys(list(node.keys[: asked.limit]))
    below = [one for name in node.children if (one := tree.node(name)) is not None]
    return spec.Unfolded(
        node=node.id, summary=node.summary, parts=tuple(part_shown(one) for one in below),
        memories=tuple(StoredMemory.of(loaded[key]) for key in node.keys if key in loaded),
    )  # fmt: skip


def _behind(context: CallContext, asked: spec.UnfoldParameters) -> spec.Unfolded:
    """What a memory was made of, also what was put away behind it."""
    found = context.memory(asked.node, life="all")
    with context.engine.store.reading(context.view(life="all")) as reading:
        edges = [one for one in reading.edges.of(found.id, "out", 5_000) if one.kind == "derived_from"]
        ids = dict.fromkeys(one.target.memory_id for one in edges)
        memories = [reading.memories.get(one) for one in list(ids)[: asked.limit]]
    memories.sort(key=lambda one: (one.revision.content.valid_from_us or one.created_us, one.id))
    return spec.Unfolded(
        node=str(found.id), summary=found.text, parts=(), memories=tuple(StoredMemory.of(one) for one in memories)
    )


BELOW: Final = 20
"""Memories with the words whose summaries are looked up."""


def summaries(context: CallContext, asked: spec.SummariesParameters) -> spec.SummaryList:
    zone = context.engine.zone
    first = local(microseconds(asked.since), zone).date() if asked.since is not None else date.min
    last = local(microseconds(asked.until), zone).date() if asked.until is not None else date.max
    wanted = Filter(kinds=(KIND,))
    with context.engine.store.reading(context.view()) as reading:
        keys = _telling(reading, asked.text, asked.limit) if asked.text else reading.search.newest(wanted, 5_000)
        memories = reading.memories.by_keys(keys)
        counted = reading.edges.origins(list(memories)) if memories else {}
        order = keys if asked.text else sorted(memories, key=lambda key: (_first(memories[key]), key), reverse=True)
        shown = [_summary(memories[key], len(counted.get(key, ()))) for key in order if key in memories]
    kept = [
        one for one in shown
        if first <= one.first < last and asked.thread in ("", one.thread) and asked.level in ("", one.level)
    ]  # fmt: skip
    return spec.SummaryList(summaries=tuple(kept[: asked.limit]))


def _telling(reading: Reading, text: str, limit: int) -> list[int]:
    """The summaries that have words, in their own text or in what they were made of: what is left out of a month is
    found in it still. Those with most of the words come first."""
    terms = tuple(dict.fromkeys(parsed(text).terms))
    own = reading.search.text(TextSearch(terms=terms, field="digest", limit=5 * limit)).keys.tolist()
    below = reading.search.text(TextSearch(terms=terms, limit=BELOW)).keys.tolist()
    has: dict[int, int] = {}
    for key, one in reading.memories.by_keys([*own, *below]).items():
        above = [one.id] if key in own else reading.selection.dreamt_from((one.id,))
        count = len(set(terms) & set(parsed(one.text).terms))
        for name in above:
            with suppress(NotFound):
                if (found := reading.memories.get(name)).kind == KIND:
                    has[found.revision.key] = max(count, has.get(found.revision.key, 0))
    place = {key: at for at, key in enumerate(own)}
    return sorted(has, key=lambda key: (-has[key], place.get(key, len(own)), key))


def _first(memory: Memory) -> date:
    return date.fromisoformat(str((memory.revision.content.detail.metadata or {})["first"]))


def _summary(memory: Memory, sources: int) -> spec.ShownSummary:
    told = memory.revision.content.detail.metadata or {}
    return spec.ShownSummary(
        id=memory.id, level=LEVELS[int(told["level"])], first=_first(memory), thread=str(told["thread"]),
        text=memory.text, sources=sources,
    )  # fmt: skip


PROMOTE: Final = "promote"
"""The pass for a project that is over."""
NOTHING_HELD: Final = "nothing of the project {} is for everybody: it has no memory, or what it has faded or is private"


def dream(context: CallContext, asked: spec.DreamParameters) -> spec.Dreamt:
    """Raises: NotPermitted for anyone but the operator who does not only try it, InvalidInput."""
    if not (asked.dry_run or context.access.is_operator):
        raise NotPermitted("only the operator runs a dream", hint="with dry_run it says what it would do")
    wanted = DreamWanted(
        passes=(PROMOTE,) if asked.completed else asked.only, ratio=asked.ratio, allow_published=asked.allow_published,
        completed=asked.completed,
    )  # fmt: skip
    context.engine.dreaming.wanted(wanted)
    made: list[DreamReport] = []

    def dreamt(turn: JobTurn) -> JobReport:
        made.append(context.engine.dreaming.run(turn, wanted))
        return told_of(made[0])

    ran = context.engine.jobs.run(DREAM, context.subject, asked.limit, dry=asked.dry_run, doing=dreamt)
    if not made:
        now_us = context.engine.clock.now_us()
        told = ran.error or "another process dreams"
        return spec.Dreamt(id=None, at=moment(now_us), state=ran.state, markdown=f"{told}\n", steps=(), passes={})
    if asked.completed and not made[0].steps:
        made[0] = replace(made[0], notes=(*made[0].notes, NOTHING_HELD.format(asked.completed)))
    return _dreamt(context, made[0])


def dreams(context: CallContext, asked: spec.DreamsParameters) -> spec.DreamList:
    dreaming = context.engine.dreaming
    found = (dreaming.report(id_called(asked.report, "report")),) if asked.report else dreaming.reports(asked.limit)
    return spec.DreamList(dreams=tuple(_dreamt(context, one) for one in found))


def dream_apply(context: CallContext, asked: spec.ApplyDreamParameters) -> spec.Dreamt:
    return _dreamt(context, context.engine.dreaming.apply(id_called(asked.report, "report"), context.subject))


def prune(context: CallContext, asked: spec.PruneParameters) -> spec.Pruned:
    return spec.Pruned(name=asked.name, **context.engine.dreaming.prune(asked.name, context.subject))


def _seen(context: CallContext) -> View:
    """Who reads a report: what was put away or given up is part of it."""
    view = everything_of(context.subject) if context.access.is_operator else context.view(life="all")
    return replace(view, sealed_reach=(), unlocked=(), include_deprecated=context.access.is_operator)


def _dreamt(context: CallContext, found: DreamReport) -> spec.Dreamt:
    now_us = context.engine.clock.now_us()
    with context.engine.store.reading(_seen(context)) as reading:

        def words(memory_id: UUID) -> tuple[str, str]:
            with suppress(NotFound):
                memory = reading.memories.get(memory_id)
                return memory.kref.short, memory.text
            return str(memory_id), ""

        text = markdown(found, words, lambda step: _question(reading, step, now_us))
        reasons = [_question(reading, step, now_us) or step.why for step in found.steps]
    checked = found.checked
    return spec.Dreamt(
        id=None if found.dry else found.id, at=moment(found.at_us), state="tried" if found.dry else found.state,
        markdown=text, passes=dict(found.modes), notes=found.notes,
        steps=tuple(
            spec.ShownStep(
                of=step.of, does=step.does, memories=step.about, made=step.made, why=why, figure=step.figure,
                state=step.state, note=step.note,
            )
            for step, why in zip(found.steps, reasons, strict=True)
        ),
        probes=checked.probes if checked else 0, before=checked.before if checked else 1.0,
        after=checked.after if checked else 1.0,
    )  # fmt: skip


def _question(reading: Reading, step: DreamStep, now_us: int) -> str:
    sort = sort_of(step.does)
    return "" if sort is None else question_of(reading, GapTold(sort, step.about, step.field), now_us)


def gaps(context: CallContext, asked: spec.GapsParameters) -> spec.GapList:
    found = Gaps(context.engine.store).open(context.view(), asked.limit, all_states=asked.every)
    return spec.GapList(gaps=tuple(map(_gap, found)))


def gap_ask(context: CallContext, asked: spec.AskGapParameters) -> spec.ShownGap:
    gap_id = id_called(asked.gap, "gap")
    return _gap(Gaps(context.engine.store).ask(gap_id, asked.session, context.view(), context.subject))


def gap_mute(context: CallContext, asked: spec.MuteGapParameters) -> spec.GapList:
    Gaps(context.engine.store).mute(id_called(asked.gap, "gap"), context.view(), context.subject)
    return gaps(context, spec.GapsParameters())


def _gap(found: OpenGap) -> spec.ShownGap:
    return spec.ShownGap(
        id=found.id, sort=found.sort, question=found.question, memories=found.memories, state=found.state,
        again_at=moment_if_any(found.again_us),
    )  # fmt: skip
