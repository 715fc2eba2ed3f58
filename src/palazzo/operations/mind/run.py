"""Operations about what a model is given to read.

Owns the way from slots and the table of models to results. Invariant: a mind is read through its own view, so what
became hidden since is not told.
"""

from __future__ import annotations

from collections.abc import Sequence

from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import CallContext
from palazzo.operations.mind import spec
from palazzo.operations.recall.spec import ContextBlock
from palazzo.operations.shared import OneMemoryParameters, moment
from palazzo.recall.read.presets import Model
from palazzo.recall.talk.working import ANTICIPATION_US, Slot
from palazzo.store.api import SlotSource


def mind(context: CallContext, _asked: spec.MindParameters) -> spec.InMind:
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
