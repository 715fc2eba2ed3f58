"""Operations about the palace as a whole: status, doctor, verify, backup, events, jobs.

They tell names and numbers, never content.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Final
from uuid import UUID

from msgspec.structs import asdict, replace

from palazzo import kernel
from palazzo.adapters import key_file
from palazzo.engine import SettingsKept
from palazzo.errors import Conflict, NotFound, NotPermitted
from palazzo.files.raw_files import named
from palazzo.guard.erasure import everything_of
from palazzo.guard.rules import CONFIG
from palazzo.intake.rebuild import gaps
from palazzo.mind.dream import DREAM
from palazzo.mind.jobs import JobRun, JobSeen, Move
from palazzo.model.change import Event, RetireSpace
from palazzo.operations.care import spec
from palazzo.operations.context import CallContext, Progress
from palazzo.operations.shared import NoParameters, microseconds, moment, moment_if_any
from palazzo.settings import TunedSetting
from palazzo.store.api import Finding
from palazzo.text.reader import judgements
from palazzo.text.safety import wording

DUE: Final = "due"
"""Stands for every job whose turn has come."""


def status(context: CallContext, _asked: NoParameters) -> spec.Status:
    """How much there is; for anyone but the operator, of what they may know of."""
    if context.access.is_operator:
        found = context.engine.store.care.overview()
    else:
        with context.engine.store.reading(context.view()) as reading:
            found = reading.counts.within()
    spaces = tuple(spec.VectorSpace(**space) for space in found.pop("spaces"))
    return spec.Status(**found, spaces=spaces)


def doctor(context: CallContext, _asked: NoParameters) -> spec.Diagnosis:
    """What is well and what is not; the figures are the operator's, for they are of the whole palace."""
    context.engine.finish_erasures()
    found = [*context.engine.store.care.doctor(), *context.engine.examined()]
    if lacking := wording.missing():
        told = f"fewer planted instructions are found: {lacking} are not installed"
        found.append(Finding("injection", "warning", told, "install the package whole"))
    if lacking := judgements.missing():
        told = f"changes told in other words are not understood: {lacking} are not installed"
        found.append(Finding("change", "warning", told, "install the package whole"))
    slower = "" if kernel.compiled() else "installed where there is a C compiler, it is faster"
    found.append(Finding("kernel", "good", kernel.told(), slower))
    full = context.access.is_operator
    return spec.Diagnosis(
        well=all(f.level != "bad" for f in found),
        findings=tuple(
            spec.ShownFinding(
                check=f.check, level=f.level, detail=f.detail if full else "", advice=f.advice if full else ""
            )
            for f in found
        ),
    )


def health(context: CallContext, _asked: NoParameters) -> spec.Health:
    found = context.engine.health()
    if not context.access.is_operator:
        return spec.Health(level=found.level)
    told = asdict(found)
    backed_up_us = told.pop("backed_up_us")
    return spec.Health(
        **{**told, "layers": dict(found.layers), "states": dict(found.states)}, backed_up_at=moment_if_any(backed_up_us)
    )


def verify(context: CallContext, _asked: NoParameters, progress: Progress | None = None) -> spec.Verified:
    """Whether everything agrees; what does not, the operator is told."""
    engine = context.engine
    cut = (f"archive: {gap}; put the file back from a copy" for gap in gaps(engine.store, engine.intake) if gap.lost)
    problems = (*engine.store.care.verify(progress), *cut)
    return spec.Verified(clean=not problems, problems=problems if context.access.is_operator else ())


def backup(context: CallContext, asked: spec.BackupParameters, progress: Progress | None = None) -> spec.BackedUp:
    """Copies the palace file, and beside it the note of how its key is obtained."""
    target = named(asked.target, "target")
    told = None if progress is None else partial(progress, "pages")
    store = context.engine.store
    noted: list[str] = []
    store.care.backup(target, told, lambda: noted.append(key_file.copy_beside(context.engine.folder, target)))
    return spec.BackedUp(backup=str(target), bytes=target.stat().st_size, key_file=noted[0])


def events(context: CallContext, asked: spec.EventsParameters) -> spec.EventList:
    """What the journal tells of the memories the caller may know of, forgotten and superseded ones among them."""
    view = replace(context.view(life="all"), include_deprecated=True)
    told = context.positions("events")
    with context.engine.store.reading(view) as reading:
        end = reading.journal.last_seq()
        if asked.after == spec.FROM_NOW:
            return spec.EventList(events=(), last=told.word(end, shown=False))
        found = reading.journal.events_after(told.number(asked.after, "after"), asked.limit)
    last = told.word(found[-1].seq) if found else asked.after
    # The journal's own end counts what others wrote, which is the operator's to know.
    if context.access.is_operator and len(found) < asked.limit:
        last = max(told.word(end), asked.after, key=int)
    return spec.EventList(events=tuple(_happening(event, told.word(event.seq)) for event in found), last=last)


def settings(context: CallContext, _asked: NoParameters) -> spec.SettingList:
    kept = _kept(context)
    planned = context.engine.store.guarding.policies()
    shown = tuple(_setting(one, planned) for one in kept.shown())
    return spec.SettingList(settings=shown, trouble=kept.trouble)


def setting_put(context: CallContext, asked: spec.SettingParameters) -> spec.ShownSetting:
    return _setting(_kept(context).put(asked.name, asked.value), context.engine.store.guarding.policies())


def _kept(context: CallContext) -> SettingsKept:
    if context.engine.tuning is None:
        raise NotFound("nobody keeps the settings of this palace")
    return context.engine.tuning


def _setting(one: TunedSetting, planned: Mapping[str, str]) -> spec.ShownSetting:
    """A setting as it is in force: what a plan that was applied says of it is stronger."""
    name = one.setting.name
    by_plan = name in CONFIG and name in planned
    return spec.ShownSetting(
        name=name, value=planned[name] if by_plan else str(one.value), default=str(one.setting.default),
        source="plan" if by_plan else one.source, at_once=one.at_once, help=one.setting.help,
    )  # fmt: skip


def jobs(context: CallContext, _asked: NoParameters) -> spec.JobList:
    return spec.JobList(
        jobs=tuple(_job(one, in_full=context.access.is_operator) for one in context.engine.jobs.every())
    )


def _job(one: JobSeen, *, in_full: bool) -> spec.ShownJob:
    """A job as callers see it; figures of the whole palace, and who started it, are the operator's."""
    shown = spec.ShownJob(
        job=one.job.name, about=one.job.about, state=one.state, every_s=one.job.every_s,
        due_at=moment_if_any(one.due_us or None), dry_run=one.job.can_be_tried, undo=one.job.undo is not None,
    )  # fmt: skip
    row = one.row
    if row is None or not in_full:
        return shown
    running = one.state == "running"
    return replace(
        shown, began_at=moment(row.began_us), ended_at=moment_if_any(row.ended_us), started_by=row.subject,
        held_until=moment(row.until_us) if running else None, step=row.step, done=row.done, total=row.total,
        cancelled=row.cancelled, counts=dict(one.last.counts), notes=one.last.notes, error=one.error,
        more=one.last.more,
    )  # fmt: skip


def run(context: CallContext, asked: spec.RunParameters) -> spec.RunList:
    """Runs one job, or those that are due; for anyone but the operator it only tells what would be done."""
    if not (asked.dry_run or context.access.is_operator):
        raise NotPermitted("only the operator runs a job", hint="with dry_run it says what it would do")
    known = context.engine.jobs
    if asked.job == DUE:
        names = known.due()
        names = tuple(name for name in names if known.named(name).can_be_tried) if asked.dry_run else names
    else:
        names = (asked.job,)
    made = [known.run(name, context.subject, asked.limit, dry=asked.dry_run) for name in names]
    return spec.RunList(runs=tuple(_ran(context, one) for one in made))


def _ran(context: CallContext, made: JobRun) -> spec.ShownRun:
    told = made.report
    return spec.ShownRun(
        job=made.job, state=made.state, counts=dict(told.counts), notes=told.notes, error=made.error, more=told.more,
        moves=_moves(context, told.moves),
    )  # fmt: skip


def _moves(context: CallContext, moves: tuple[Move, ...]) -> tuple[spec.MovedState, ...]:
    """The moves of memories the caller may know of, forgotten and superseded ones among them."""
    view = everything_of(context.subject) if context.access.is_operator else context.view(life="all")
    found: list[spec.MovedState] = []
    with context.engine.store.reading(replace(view, include_deprecated=True)) as reading:
        for move in moves:
            with suppress(NotFound):
                address = reading.memories.get(move.memory_id).kref.short
                found.append(
                    spec.MovedState(memory=move.memory_id, address=address, before=move.before, after=move.after)
                )
    return tuple(found)


def cancel(context: CallContext, asked: spec.CancelParameters) -> spec.Cancelled:
    return spec.Cancelled(job=asked.job, asked=context.engine.jobs.cancel(asked.job))


def undo(context: CallContext, asked: spec.UndoParameters) -> spec.ShownRun:
    if (report := _report_called(asked.job)) is not None:
        undone = context.engine.dreaming.undo(report, context.subject)
        return _ran(context, JobRun(job=DREAM, state="done", report=undone))
    made = context.engine.jobs.undo(asked.job, microseconds(asked.since), context.subject)
    return _ran(context, JobRun(job=asked.job, state="done", report=made))


def _report_called(named: str) -> UUID | None:
    """The report of a dream, where it is one that is named and no job."""
    try:
        return UUID(named)
    except ValueError:
        return None


def _happening(event: Event, seq: str) -> spec.Happening:
    """An event of the journal without its details, which may name what a caller may not read."""
    return spec.Happening(
        seq=seq, at=moment(event.at_us), kind=event.kind, subject=event.subject, memory=event.memory_id,
        revision=event.revision,
    )  # fmt: skip


def spaces(context: CallContext, _asked: NoParameters) -> spec.SpaceList:
    own, store = context.engine.spaces.configured, context.engine.store
    return spec.SpaceList(
        configured=own, trouble=context.engine.mover.trouble,
        spaces=tuple(
            spec.ShownSpace(
                name=one.name, model=one.model, dimensions=one.dimensions, metric=one.metric,
                state="kept" if one.state == "filling" and one.name != own else one.state, vectors=one.vectors,
                missing=store.spaces.count_missing(one.name), made_at=moment(one.created_us),
            )
            for one in store.spaces.every()
        ),
    )  # fmt: skip


def space_retire(context: CallContext, asked: spec.SpaceRetireParameters) -> spec.SpaceList:
    """Raises: NotFound, Conflict for one that answers or fills."""
    found = next((one for one in context.engine.store.spaces.every() if one.name == asked.name), None)
    if found is None or found.state == "retired":
        raise NotFound(f"no vector space {asked.name!r}", hint="see `palazzo spaces`")
    if found.state == "active" or found.name == context.engine.spaces.configured:
        raise Conflict("this space is in use", hint="another embedder has to take over first")
    context.commit(RetireSpace(found.name))
    return spaces(context, NoParameters())
