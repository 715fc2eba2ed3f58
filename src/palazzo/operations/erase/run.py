"""Operations that make memories go: forget and restore, and for good purge, burn, forget_user.

Owns the way from what a caller names to a selection and a view. Invariant: a burn reaches only where its caller may
forget, and without `yes` it only counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotFound, NotPermitted
from palazzo.guard.erasure import Report, everything_of, raw_selected
from palazzo.intake.known import drawn_from
from palazzo.mind.consolidate import is_made
from palazzo.model.capability import Level, View
from palazzo.model.change import SetState
from palazzo.model.kinds import GIVEN
from palazzo.model.memory import STATES, Memory, State
from palazzo.operations.context import CallContext, places_called
from palazzo.operations.erase import spec
from palazzo.operations.shared import ChangedMemory, OneMemoryParameters, ReasonedMemoryParameters, microseconds
from palazzo.store.api import Reading, Selection

MOST_TOLD = 1000
"""Memories whose addresses are read before an erasure."""
FIRST = 5


def forget(context: CallContext, asked: ReasonedMemoryParameters) -> ChangedMemory:
    found = context.memory(asked.memory, life="all")
    _set(context, found, "deleted", asked.reason)
    return ChangedMemory.of(found, "deleted", "forgotten")


def _set(context: CallContext, found: Memory, state: State, reason: str) -> None:
    """Gives a memory another state, and with a document what was drawn from it, in one transaction."""
    changes = [SetState(memory_id, state, reason) for memory_id in _whole(context, found)]
    context.engine.store.commit(changes, subject=context.subject)


def _whole(context: CallContext, found: Memory, *, for_good: bool = False) -> tuple[UUID, ...]:
    """A memory with the summaries that tell of it and, of a document, what was drawn from it alone: it goes and comes
    back as one. With a turn that goes for good goes what was drawn from it alone, for that says the same words."""
    whole = found.kind == "document" or (for_good and found.kind in GIVEN)
    with context.engine.store.reading(_view(context)) as reading:
        drawn = tuple(memory.id for memory in drawn_from(reading, found.id)) if whole else ()
        dreamt = [one for one in reading.selection.dreamt_from((found.id, *drawn)) if _sums_up(reading, one)]
    return (found.id, *drawn, *dreamt)


def _dreamt(reading: Reading, memory_id: UUID) -> bool:
    """Whether a memory was made by a dream, which goes with what it was made of, or is seen no more."""
    with suppress(NotFound):
        return is_made(reading.memories.get(memory_id))
    return True


def _sums_up(reading: Reading, memory_id: UUID) -> bool:
    """Whether a memory is a summary; one that was gathered says what others behind it say, too."""
    with suppress(NotFound):
        return reading.memories.get(memory_id).kind == "digest"
    return False


def restore(context: CallContext, asked: OneMemoryParameters) -> ChangedMemory:
    found = context.memory(asked.memory, life="all")
    _set(context, found, "active", "restored")
    return ChangedMemory.of(found, "active", "restored")


def purge(context: CallContext, asked: OneMemoryParameters) -> ChangedMemory:
    found = context.memory(asked.memory, life="all")
    report = context.engine.erasure.burn(Selection(memories=_whole(context, found, for_good=True)), _view(context))
    return replace(ChangedMemory.of(found, "purged"), next=_report(report).next)


def burn(context: CallContext, asked: spec.BurnParameters) -> spec.ErasureReport:
    wanted = Selection(
        memories=tuple(
            memory_id for named in asked.memories
            for memory_id in _whole(context, context.memory(named, life="all"), for_good=True)
        ), place=places_called(asked.place),
        after_us=microseconds(asked.after), before_us=microseconds(asked.before), source=asked.source,
        subject=asked.subject, everything=asked.everything,
    )  # fmt: skip
    if wanted.empty and not asked.unreadable:
        raise InvalidInput("say what to burn", field="place", hint="memories, place, after, before, source or subject")
    view = _view(context)
    if not asked.yes:
        with context.engine.store.reading(view) as reading:
            chosen = reading.selection.select(wanted)
            told = _would(reading, chosen)
            if (raw := raw_selected(wanted)) is not None and context.access.is_operator:
                count = len(reading.raw_events.newest(raw, MOST_TOLD))
                told = replace(told, would=(*told.would, *((f"{count} raw events",) if count else ())))
        if not told.memories and not told.would and not asked.unreadable:
            return replace(told, next=spec.NOTHING)
        return told if context.access.is_operator else replace(told, would=())
    _operators_own(context, asked.unreadable)
    if asked.everything:
        context.engine.guard.trail.flush()  # lines that wait still name places
    if (asked.everything or raw_selected(wanted) is not None) and context.access.is_operator:
        context.engine.capture.take_spooled()  # what shells left for later is not to come after it
    stay = _still_told(context, wanted.memories)
    made = _report(context.engine.erasure.burn(wanted, view, unreadable=asked.unreadable), asked.unreadable)
    return replace(made, remains=(*made.remains, *stay))


def _still_told(context: CallContext, named: Sequence[UUID]) -> tuple[str, ...]:
    """What was drawn from these and from others as well: it stays, for they tell it, too."""
    view = _view(context)
    with context.engine.store.reading(view) as reading:
        ends = {
            edge.source.memory_id
            for one in named
            for edge in reading.edges.of(one, "in", MOST_TOLD)
            if edge.kind == "derived_from"
        } - set(named)  # fmt: skip
    with context.engine.store.reading(replace(view, states=("active",))) as reading:
        there = reading.selection.select(Selection(memories=tuple(ends))) if ends else ()
        stay = sorted(one for one in there if not _dreamt(reading, one))
    return tuple(f"{one} stays: others tell it, too" for one in stay)


def forget_user(context: CallContext, asked: spec.ForgetUserParameters) -> spec.ErasureReport:
    if not asked.yes:
        with context.engine.store.reading(_view(context)) as reading:
            theirs = dict.fromkeys(reading.people.theirs(asked.user))
            names = reading.people.names_of(asked.user)
            others = [one for one in reading.people.naming(names) if one not in theirs]
            counted = _would(reading, (*theirs, *(others if asked.mentions else ())))
            called = f"the names {', '.join(names)} are replaced in every table, archive and log"
            stay = f"{len(others)} memories of others that mention them stay: `mentions` erases those, too"
            told = (*counted.would, called, *((stay,) if others and not asked.mentions else ()))
            return replace(counted, would=told, mentioned_elsewhere=0 if asked.mentions else len(others))
    context.engine.guard.trail.flush()  # lines that wait still name the user
    context.engine.capture.take_spooled()
    report = context.engine.erasure.forget_user(
        asked.user, context.subject, mentions=asked.mentions, unreadable=asked.unreadable
    )
    return _report(report, asked.unreadable)


def _would(reading: Reading, chosen: Sequence[UUID]) -> spec.ErasureReport:
    """What an erasure of these memories would take, by place, with the first of each."""
    by_place: dict[str, list[str]] = {}
    for memory_id in chosen[:MOST_TOLD]:
        found = reading.memories.get(memory_id)
        by_place.setdefault(found.place.path or "the root", []).append(f"{found.name}.{found.kind}")
    told = [
        f"{len(names)} at {place}: {', '.join(names[:FIRST])}{', ...' if len(names) > FIRST else ''}"
        for place, names in sorted(by_place.items())
    ]
    if len(chosen) > MOST_TOLD:
        told.append(f"{len(chosen) - MOST_TOLD} more")
    return spec.ErasureReport(done=False, memories=len(chosen), would=tuple(told), next=spec.SAY_YES)


def _operators_own(context: CallContext, unreadable: bool) -> None:
    """Whose words stand in a line nobody can read is not known, so only the operator may take it away.

    Raises: NotPermitted.
    """
    if unreadable and not context.access.is_operator:
        raise NotPermitted("damaged lines of the archive are the operator's to remove")


def _view(context: CallContext) -> View:
    """Where the caller may forget: all of it for the operator, else its scope and the places granted to it."""
    if context.access.is_operator:
        return everything_of(context.subject)
    reach = context.access.globs(Level.forget)
    return View(
        subject=context.subject, scope=context.scope, reach=reach, sealed_reach=reach, states=STATES,
        include_deprecated=True,
    )  # fmt: skip


def _report(report: Report, unreadable: bool = False) -> spec.ErasureReport:
    kept = tuple(name for name, what in report.backups if what.startswith("kept"))
    steps = [
        (report.log == "pending", "close what has the palace open for long, then run `palazzo doctor`"),
        (bool(report.left), "run it again while nobody else uses the palace"),
        (bool(kept), f"remove by hand from backups: {', '.join(kept)}"),
        (bool(report.mentioned_elsewhere), "`mentions` also erases memories of others that name them"),
        (bool(report.unreadable) and not unreadable, "`unreadable` also removes the damaged lines of the archive"),
    ]
    left = [step for open_still, step in steps if open_still]
    return spec.ErasureReport(
        done=not left, memories=report.memories, archive_lines=report.archive_lines, unreadable=report.unreadable,
        backups=tuple(f"{name}: {what}" for name, what in report.backups), rows=dict(report.rows), log=report.log,
        looked_for=report.looked_for, left=report.left, mentioned_elsewhere=report.mentioned_elsewhere,
        pseudonym=report.pseudonym, remains=report.remains, next="; ".join(left),
    )  # fmt: skip
