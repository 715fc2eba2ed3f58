"""Operations about what is captured on the machine, those that keep what came of work, and those of a bounded restart.

Owns the way from what is asked to the gate and back; what of a run is worth keeping and how much it weighs. Invariants:
a list or switch that closes something has closed it, for every process, when its operation answers; nothing trivial is
kept; what is cut says so by its end; what a worker finds is its project's, by the worker, and never wider; a flow's
memory is the flow's project, a skill's its channel, and everything else the caller's own.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from uuid import UUID

from msgspec.structs import replace

from palazzo.capture.adapters import known_adapters
from palazzo.capture.gate import adapter_named, rule_named, shipped
from palazzo.errors import InvalidInput
from palazzo.files.raw_files import named
from palazzo.model.address import ROOT, name_for
from palazzo.model.capability import Level
from palazzo.model.change import AddEdge
from palazzo.model.graph import Node
from palazzo.model.message import Message
from palazzo.model.raw_event import RawEvent, RawSelection
from palazzo.model.scope import LEVELS, Scope
from palazzo.model.slip import Slip
from palazzo.operations.caller import scope_from
from palazzo.operations.capture import spec
from palazzo.operations.context import CallContext
from palazzo.operations.shared import NoParameters, microseconds, moment
from palazzo.persona.restart import Restarts, RestartTold
from palazzo.persona.slips import told_of
from palazzo.recall.read.presets import FLOW
from palazzo.text.safety import gate
from palazzo.text.words.lexicon import page


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


LEAST = 50
NODE_CHARS = 500
SUMMARY_CHARS = 300
TOOL_CHARS = 200
LONG = 500


@cache
def _trivial() -> re.Pattern[str]:
    return re.compile(rf"\W*{page('captures').listing('trivial')}\W*", re.IGNORECASE)


def _is_trivial(text: str) -> bool:
    return _trivial().fullmatch(text.strip()) is not None


def _cut(text: str, most: int) -> str:
    flat = text.strip()
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _keep(context: CallContext, scope: Scope, *messages: Message) -> spec.Captured:
    context.access.require(Level.write, ROOT, context.operation.name)
    if not messages:
        return spec.Captured(memories=(), scope=str(scope), skipped=("nothing came of it",))
    made = context.engine.remember_many(messages, subject=context.subject, reach=context.writable)
    return spec.Captured(memories=made.memory_ids, scope=str(scope), degraded=made.degraded)


def _message(context: CallContext, text: str, importance: float, scope: Scope, label: str, kind: str = "") -> Message:
    """Something that came of work: kept beside what is known, and never instead of it."""
    return Message(
        text=text, author=_finder(context), scope=scope, importance=importance, source="tool", label=label, kind=kind,
        pinned=False, conflict="keep_both", metadata={"run": label},
    )  # fmt: skip


def _finder(context: CallContext) -> str:
    """Who found it: the agent whose work it is, where the operator keeps it in its name.

    Raises: Refused where that name is a secret.
    """
    agent = context.scope.get("agent")
    gate.refuse_open(filter(None, (agent,)), "who found it", keyed=context.engine.store.cipher is not None)
    return f"agent:{agent}" if agent and context.access.is_operator else context.subject


def _shared(context: CallContext, scope: Scope) -> Scope:
    """Where those who work beside an agent read what it found: the scope without the agent's own level.

    Outside a project and a squad that is everybody's, so only who may choose a scope shares there.
    """
    wider = Scope(tuple(level for level in scope.levels if level[0] != "agent"))
    return wider if wider.led or context.caller.chooses_scope else scope


def capture_task(context: CallContext, asked: spec.CaptureTaskParameters) -> spec.Captured:
    label, scope = f"task:{asked.run or asked.task}", _shared(context, context.scope)
    if _is_trivial(asked.result) or (asked.recurring and len(asked.result.strip()) < LEAST):
        return _keep(context, scope)
    made = [_message(context, asked.result, 0.6, scope, label)]
    if asked.tools or len(asked.result) > LONG:
        told = f"Task {asked.task} completed: {_cut(' '.join(asked.result.split()), SUMMARY_CHARS)}"
        made.append(_message(context, told, 0.8, scope, label, "summary"))
    return _keep(context, scope, *made)


def _within(context: CallContext, **keys: str) -> Scope:
    """A scope of its own below the caller's: who may write there may write in a part of it.

    Raises: NotPermitted when it is elsewhere and the caller may not choose; Refused, for whose something is stands in
    clear, where it is personal and the palace has a key.
    """
    gate.refuse_open(keys.values(), "a scope", keyed=context.engine.store.cipher is not None)
    levels = {**dict(context.scope.levels), **keys}
    narrower = Scope(tuple((level, levels[level]) for level in LEVELS if level in levels))
    if context.caller.scope.is_prefix_of(narrower):
        return narrower
    return scope_from(context.caller, keys)


def _flow(context: CallContext, flow: str) -> Scope:
    return _shared(context, _within(context, project=f"{FLOW}:{flow}"))


def capture_flow_node(context: CallContext, asked: spec.CaptureFlowNodeParameters) -> spec.Captured:
    scope = _flow(context, asked.flow)
    if len(asked.output.strip()) < LEAST or _is_trivial(asked.output):
        return _keep(context, scope)
    made = _message(context, _cut(asked.output, NODE_CHARS), 0.5, scope, f"flow:{asked.flow}/{asked.node}")
    return _keep(context, scope, replace(made, metadata={**(made.metadata or {}), FLOW: asked.flow}))


def capture_flow(context: CallContext, asked: spec.CaptureFlowParameters) -> spec.Captured:
    scope = _flow(context, asked.flow)
    ran = len(asked.nodes) - (asked.failed in asked.nodes)
    share = round(100 * ran / max(1, len(asked.nodes)))
    told = f"Execute flow: {asked.flow}. Nodes: {' -> '.join(asked.nodes)}. {share} % succeeded."
    if asked.failed:
        told += f" Failed at: {asked.failed}."
    made = Message(
        text=told, author=_finder(context), scope=scope, kind="procedure", importance=0.6, source="tool",
        name=name_for(f"flow {asked.flow}"), title=f"flow {asked.flow}", verbatim=True, conflict="use_new",
    )  # fmt: skip
    return _keep(context, scope, made)


def capture_round(context: CallContext, asked: spec.CaptureRoundParameters) -> spec.Captured:
    scope = _shared(context, context.scope)
    made = [] if _is_trivial(asked.facts) else [_message(context, asked.facts, 0.6, scope, "round")]
    made += [
        _message(context, _cut(one, TOOL_CHARS), 0.4, scope, "tool")
        for one in asked.tool_results
        if one.strip() and not _is_trivial(one)
    ]
    return _keep(context, scope, *made)


def capture_research(context: CallContext, asked: spec.CaptureResearchParameters) -> spec.Captured:
    scope = _shared(context, context.scope)
    kept: list[UUID | None] = []
    found: list[UUID] = []
    degraded: tuple[str, ...] = ()
    for one in asked.findings:
        message = Message(
            text=one.text, author=_finder(context), scope=scope, importance=one.confidence, source="web",
            label=one.url or asked.query, pinned=False, conflict="keep_both", verbatim=True,
            metadata={"query": asked.query, **({"url": one.url} if one.url else {})},
        )  # fmt: skip
        made = _keep(context, scope, message)
        kept.append(made.memories[0] if made.memories else None)
        found += made.memories
        degraded = made.degraded
        other = kept[one.supports - 1] if 0 < one.supports < len(kept) else None
        if other is not None and made.memories:
            context.commit(AddEdge("supports", Node(made.memories[0]), Node(other), 0.8))
    return spec.Captured(memories=tuple(found), scope=str(scope), degraded=degraded)


def store_execution(context: CallContext, asked: spec.StoreExecutionParameters) -> spec.Captured:
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(asked.steps, 1))
    told = f"How to {asked.goal}:\n{steps}\nOutcome: {asked.outcome}"
    made = Message(
        text=told, author=context.subject, scope=context.scope, kind="procedure", importance=0.6, source="tool",
        verbatim=True, pinned=False, conflict="keep_both",
    )  # fmt: skip
    return _keep(context, context.scope, made)


def capture_skill(context: CallContext, asked: spec.CaptureSkillParameters) -> spec.Captured:
    scope = _within(context, channel=f"skill:{asked.skill}")
    return _keep(context, scope, _message(context, asked.text, 0.5, scope, f"skill:{asked.skill}"))


def _restarts(context: CallContext) -> Restarts:
    return Restarts(context.engine.store, context.scope, context.subject)


def restart_begin(context: CallContext, asked: spec.RestartBeginParameters) -> spec.ShownRestart:
    context.engine.intake.read(Message(text=asked.continuation, author=context.subject, scope=context.scope))
    return _restart(_restarts(context).begin(asked.session, asked.continuation, asked.budget))


def restart_step(context: CallContext, asked: spec.RestartStepParameters) -> spec.ShownRestart:
    return _restart(_restarts(context).step(asked.session, asked.step, asked.found, asked.failure))


def restart_state(context: CallContext, asked: spec.RestartStateParameters) -> spec.ShownRestart:
    return _restart(_restarts(context).get(asked.session))


def _restart(slip: Slip) -> spec.ShownRestart:
    told = told_of(slip, RestartTold)
    known = slip.state in ("continuing", "done")
    return spec.ShownRestart(
        session=slip.name, state=slip.state, reached=told.reached, identified=told.identified,
        continued=told.continued, budget=told.budget, continuation=told.continuation if known else "", why=told.why,
        at=moment(slip.changed_us),
    )  # fmt: skip
