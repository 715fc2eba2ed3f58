"""Operations about dreams and the questions they keep.

Owns how a report is told to whom: the operator reads the words of every memory it names, an agent those it may see.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotFound, NotPermitted
from palazzo.guard.erasure import everything_of
from palazzo.mind.dream import DREAM, DreamReport, DreamStep, DreamWanted
from palazzo.mind.gaps import Gaps, GapTold, OpenGap, question_of, sort_of
from palazzo.mind.jobs import JobReport, JobTurn
from palazzo.mind.telling import markdown, told_of
from palazzo.model.capability import View
from palazzo.operations.context import CallContext
from palazzo.operations.dream import spec
from palazzo.operations.shared import moment, moment_if_any
from palazzo.store.api import Reading

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
    return _shown(context, made[0])


def dreams(context: CallContext, asked: spec.DreamsParameters) -> spec.DreamList:
    dreaming = context.engine.dreaming
    found = (dreaming.report(id_called(asked.report, "report")),) if asked.report else dreaming.reports(asked.limit)
    return spec.DreamList(dreams=tuple(_shown(context, one) for one in found))


def dream_apply(context: CallContext, asked: spec.ApplyDreamParameters) -> spec.Dreamt:
    return _shown(context, context.engine.dreaming.apply(id_called(asked.report, "report"), context.subject))


def prune(context: CallContext, asked: spec.PruneParameters) -> spec.Pruned:
    return spec.Pruned(name=asked.name, **context.engine.dreaming.prune(asked.name, context.subject))


def id_called(text: str, field: str) -> UUID:
    """The id somebody typed.

    Raises: InvalidInput.
    """
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput(f"a {field} is named by its id", field=field) from None


def _seen(context: CallContext) -> View:
    """Who reads a report: what was put away or given up is part of it."""
    view = everything_of(context.subject) if context.access.is_operator else context.view(life="all")
    return replace(view, sealed_reach=(), unlocked=(), include_deprecated=context.access.is_operator)


def _shown(context: CallContext, found: DreamReport) -> spec.Dreamt:
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
