"""Operations about what is captured on the machine.

Owns nothing but the way from what is asked to the gate and back. Invariant: a list or switch that closes something has
closed it, for every process, when its operation answers.
"""

from __future__ import annotations

from datetime import datetime

from palazzo.capture.adapters import known_adapters
from palazzo.capture.gate import adapter_named, rule_named, shipped
from palazzo.errors import InvalidInput
from palazzo.files.raw_files import named
from palazzo.model.raw_event import RawEvent, RawSelection
from palazzo.operations.capture import spec
from palazzo.operations.context import CallContext
from palazzo.operations.shared import NoParameters, microseconds, moment


def capture_status(context: CallContext, _asked: NoParameters) -> spec.CaptureStatus:
    engine = context.engine
    gate = engine.capture.gate()
    counts = {source: (count, at_us) for source, count, at_us in engine.store.raw_events.tally()}
    told = []
    for one in known_adapters(engine.desktop, engine.adapters()):
        why = one.missing() or engine.capture.said.get(one.name, "")
        count, at_us = counts.get(one.name, (0, None))
        told.append(
            spec.ShownAdapter(
                name=one.name, on=one.name in gate.rules.adapters, available=not why, about=one.about, why=why,
                events=count, last=None if at_us is None else moment(at_us),
            )
        )  # fmt: skip
    return spec.CaptureStatus(
        paused=gate.paused, only_allowed=gate.rules.allow_only, keeps_days=engine.care_rules.raw_days,
        adapters=tuple(told), private=gate.rules.private, private_from_the_start=shipped(),
        allowed=gate.rules.allowed, folders=gate.rules.folders,
        runtime=str(engine.runtime or "") if context.access.is_operator else "",
    )  # fmt: skip


def capture_enable(context: CallContext, asked: spec.AdapterParameters) -> spec.CaptureStatus:
    keeper = context.engine.capture.keeper
    there = known_adapters(context.engine.desktop, context.engine.adapters())
    name = adapter_named(asked.adapter, (one.name for one in there))
    rules = keeper.gate().rules
    folders = tuple(str(named(one, "folders").resolve()) for one in asked.folders)
    keeper.change(
        context.subject, adapters=tuple(dict.fromkeys((*rules.adapters, name))),
        folders=tuple(dict.fromkeys((*rules.folders, *folders))),
    )  # fmt: skip
    return capture_status(context, NoParameters())


def capture_disable(context: CallContext, asked: spec.AdapterParameters) -> spec.CaptureStatus:
    keeper = context.engine.capture.keeper
    rules = keeper.gate().rules
    gone = {str(named(one, "folders").resolve()) for one in asked.folders}
    if gone:
        keeper.change(context.subject, folders=tuple(one for one in rules.folders if one not in gone))
    else:
        keeper.change(context.subject, adapters=tuple(one for one in rules.adapters if one != asked.adapter))
    return capture_status(context, NoParameters())


def _listed(before: tuple[str, ...], asked: spec.PrivateParameters) -> tuple[str, ...]:
    rule = rule_named(asked.what, asked.pattern)
    if not asked.remove:
        return tuple(dict.fromkeys((*before, rule)))
    if rule not in before:
        raise InvalidInput(f"{rule} is not on the list", field="pattern", hint="`palazzo capture status` shows it")
    return tuple(one for one in before if one != rule)


def capture_private(context: CallContext, asked: spec.PrivateParameters) -> spec.CaptureStatus:
    keeper = context.engine.capture.keeper
    keeper.change(context.subject, private=_listed(keeper.gate().rules.private, asked))
    return capture_status(context, NoParameters())


def capture_allow(context: CallContext, asked: spec.PrivateParameters) -> spec.CaptureStatus:
    if asked.what == "command":
        raise InvalidInput("commands are allowed by where they are run", field="what", hint="allow a path")
    keeper = context.engine.capture.keeper
    keeper.change(context.subject, allowed=_listed(keeper.gate().rules.allowed, asked))
    return capture_status(context, NoParameters())


def capture_only(context: CallContext, asked: spec.AllowParameters) -> spec.CaptureStatus:
    context.engine.capture.keeper.change(context.subject, allow_only=asked.only)
    return capture_status(context, NoParameters())


def capture_events(context: CallContext, asked: spec.CaptureEventsParameters) -> spec.TakenEvents:
    now_us = context.engine.clock.now_us()
    events = [
        RawEvent(
            kind=one.kind, source=one.source, reference=one.reference, metadata=one.metadata or {},
            at_us=_us(one.at, now_us), scope=context.scope,
        )
        for one in asked.events
    ]  # fmt: skip
    made = context.engine.capture.add(events, context.subject)
    return spec.TakenEvents(kept=made.kept, refused=made.refused)


def _us(at: datetime | None, now_us: int) -> int:
    found = microseconds(at)
    return now_us if found is None else found


def capture_git(context: CallContext, asked: spec.CaptureGitParameters) -> spec.TakenEvents:
    made = context.engine.capture.scan(named(asked.repository, "repository").resolve(), asked.limit, context.subject)
    return spec.TakenEvents(kept=made.kept, refused=made.refused)


def raw_events(context: CallContext, asked: spec.RawEventsParameters) -> spec.RawEventList:
    wanted = RawSelection(
        source=asked.source, kind=asked.kind or "", after_us=microseconds(asked.after),
        before_us=microseconds(asked.before),
    )  # fmt: skip
    with context.engine.store.reading(context.view()) as reading:
        found = reading.raw_events.newest(wanted, asked.limit)
    return spec.RawEventList(
        events=tuple(
            spec.ShownEvent(
                kind=one.kind, source=one.source, reference=one.reference, at=moment(one.at_us),
                metadata={name: told for name, told in one.metadata.items() if name != "id"}, scope=str(one.scope),
            )
            for one in found
        )
    )  # fmt: skip
