"""Operations of continuity.

Owns the way from arguments to slips and pages. Invariants: a session keeps what is said in the channel of its thread's
mode; words that are kept are screened as intake screens them; a page that cannot be written is said in the result and
keeps nobody from working.
"""

from __future__ import annotations

import dataclasses
import time
from difflib import get_close_matches

import msgspec
from msgspec.structs import replace

from palazzo.errors import DiskFull, NotFound, Refused
from palazzo.model.address import ROOT
from palazzo.model.capability import DAY_US, Level, View
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.model.slip import Slip
from palazzo.operations.context import CallContext
from palazzo.operations.intake import run as intake
from palazzo.operations.intake.spec import ObserveParameters
from palazzo.operations.persona import run as persona
from palazzo.operations.recall import run as recall
from palazzo.operations.recall.spec import ContextParameters
from palazzo.operations.shared import NewestParameters, ScopeParameters, microseconds, moment, moment_if_any
from palazzo.operations.thread import spec
from palazzo.persona import proof, threads
from palazzo.persona.bridge import Bridge, Ran, WorkNotes, written
from palazzo.persona.bundles import Research
from palazzo.persona.listed import Todo
from palazzo.persona.providers import Took
from palazzo.persona.receipts import Receipts, ReceiptTold, line_of
from palazzo.persona.slips import told_of
from palazzo.persona.threads import (
    CHANNELS,
    CONSOLIDATE_AFTER,
    HandoffTold,
    SessionTold,
    Threads,
    ThreadTold,
    in_mode,
)
from palazzo.persona.work import Decision

SUMMARY_IMPORTANCE = 0.6
ATTACHED = 8
LOST = "\n\nThe session before never said that it ended: what it did last may be half done."
LONGEST_TODO = 300
KNOWN = 1000
"""Threads that are looked through for a name that is not known."""
NOTED_FROM = 1000
"""Characters a page must have room for before that is said."""


def _threads(context: CallContext) -> Threads:
    return Threads(context.engine.store, context.scope, context.subject)


def _view(context: CallContext, thread: str) -> View:
    """What was said in a thread, as the caller sees it: in the channel of the thread's mode."""
    known = context.engine.store.slips.get("thread", thread, context.scope)
    mode = told_of(known, ThreadTold).mode if known else ""
    return replace(context.view(), scope=in_mode(context.scope, mode))


def _said_in(context: CallContext, thread: str) -> CallContext:
    """The same call, where the mode of a thread keeps what is said."""
    return dataclasses.replace(context, scope=_view(context, thread).scope)


def _screened(context: CallContext, *texts: str) -> None:
    """Raises: Refused."""
    for text in filter(None, texts):
        context.engine.intake.read(Message(text=text, author=context.subject, scope=context.scope))


def _thread(context: CallContext, slip: Slip) -> spec.ShownThread:
    told = told_of(slip, ThreadTold)
    handed = Threads(context.engine.store, slip.scope, context.subject).handoff(slip.name)
    return spec.ShownThread(
        thread=slip.name, title=told.title, state=slip.state, scope=str(slip.scope), mode=told.mode,
        channel=CHANNELS.get(told.mode, ""), compactions=told.compactions, sessions=told.sessions,
        handoff=handed.state if handed else "none", began_at=moment(slip.made_us), changed_at=moment(slip.changed_us),
    )  # fmt: skip


def thread_open(context: CallContext, asked: spec.ThreadOpenParameters) -> spec.ShownThread:
    _screened(context, asked.title)
    return _thread(context, _threads(context).open(asked.thread, asked.title, asked.mode))


def thread_list(context: CallContext, asked: NewestParameters) -> spec.ThreadList:
    everywhere = context.access.is_operator and context.scope == context.caller.scope == Scope()
    found = _threads(context).every("thread", asked.limit, everywhere=everywhere)
    return spec.ThreadList(threads=tuple(_thread(context, one) for one in found))


def thread_close(context: CallContext, asked: spec.ThreadParameters) -> spec.ShownThread:
    return _thread(context, _threads(context).close(asked.thread))


def session_start(context: CallContext, asked: spec.SessionStartParameters) -> spec.StartedSession:
    threads = _threads(context)
    begun = threads.begin(asked.thread, asked.session, asked.client, asked.source, asked.mode)
    told = told_of(begun.thread, ThreadTold)
    text = ""
    if asked.source != "resume":  # a client that resumes has the conversation itself
        lost = begun.previous == "unfinished" and asked.source != "compact" and asked.max_chars >= NOTED_FROM
        note = LOST if lost else ""
        text = _text(context, asked.thread, asked.max_chars - len(note), asked.framing)[0]
        text = text.replace("\n", note + "\n", 1) if text else text
    return spec.StartedSession(
        session=begun.session.name, thread=asked.thread, mode=told.mode, channel=CHANNELS.get(told.mode, ""),
        previous=begun.previous, handoff=begun.handoff.state if begun.handoff else "none", warm_start=text,
        anew=told.compactions >= CONSOLIDATE_AFTER,
    )  # fmt: skip


def _text(context: CallContext, thread: str, most: int, framing: spec.Framing) -> tuple[str, Bridge]:
    """What a model should read of a thread; nothing where nothing was said."""
    bridge = _threads(context).bridge(thread, _view(context, thread))
    if not bridge.turns and bridge.notes == WorkNotes():
        return "", bridge
    shown = [
        f"- {line_of(one.name, told_of(one, ReceiptTold))}"
        for one in Receipts(context.engine.store, context.scope, context.subject).every(thread, ATTACHED)
    ]
    tail = "\n## Attached earlier: receipts, not the files\n" + "\n".join(shown) + "\n" if shown else ""
    tail += _mind(context, thread)
    return written(bridge, max(500, most - len(tail)), framing) + (tail if len(tail) < most - 500 else ""), bridge


def _mind(context: CallContext, thread: str) -> str:
    """What dreams of the last day did, for who reads everything, and the questions that may still be asked in the
    session that runs, as far as one may see."""
    from palazzo.mind.gaps import Gaps
    from palazzo.mind.telling import in_short

    lines: list[str] = []
    if context.access.sees_all:
        since_us = context.engine.clock.now_us() - DAY_US
        did = in_short(context.engine.dreaming.reports(), since_us)
        lines += ["", "## Thought over since yesterday", f"- {did} (`dreams` tells)"] if did else []
    gaps, begun = Gaps(context.engine.store), _threads(context).sessions_of(thread)
    left = gaps.left(next((one.name for one in begun if one.state == "running"), ""))
    if asked := gaps.open(context.view(), left) if left else ():
        lines += ["", "## Worth asking in a quiet moment", *(f"- {one.question} (gap_ask {one.id})" for one in asked)]
    return "\n".join([*lines, ""]) if lines else ""


def session_end(context: CallContext, asked: spec.SessionEndParameters) -> spec.ShownSession:
    threads = _threads(context)
    ended = threads.end(asked.session, asked.how)
    _page(context, told_of(ended, SessionTold).thread)
    return _session(context, ended)


def sessions(context: CallContext, asked: spec.SessionsParameters) -> spec.SessionList:
    found = _threads(context).sessions_of(asked.thread, asked.limit)
    return spec.SessionList(sessions=tuple(_session(context, one) for one in found))


def _session(context: CallContext, slip: Slip) -> spec.ShownSession:
    told = told_of(slip, SessionTold)
    return spec.ShownSession(
        session=slip.name, thread=told.thread, title=_title(context, slip, told), state=slip.state, mode=told.mode,
        client=told.client, source=told.source, how=told.how, exchanges=told.exchanges,
        began_at=moment(told.began_us or slip.made_us), ended_at=moment_if_any(told.ended_us or None),
    )  # fmt: skip


def _title(context: CallContext, slip: Slip, told: SessionTold) -> str:
    """What was asked first in it, which is what people call a session by."""
    said = _threads(context).turns(told.thread, _view(context, told.thread), 400)
    first = next((one.text for one in said if one.session == slip.name and one.role == "user"), "")
    return " ".join(first.split())[:80]


def _page(context: CallContext, thread: str) -> str:
    """Writes the page of a thread, and says where it is; nothing where it would lie in clear, or cannot be written."""
    engine = context.engine
    if not engine.folder.name:  # a palace that is in no folder of its own has none for pages either
        return ""
    if engine.store.cipher is not None or "traces" not in engine.store.features or engine.store.read_only:
        return ""
    text, _ = _text(context, thread, 100_000, "neutral")
    known = engine.store.slips.get("thread", thread, context.scope)
    count = told_of(known, ThreadTold).compactions if known else 0
    head = f"<!-- thread: {thread}; compactions: {count}; a recommendation, no authority -->\n"
    try:
        return str(threads.write_page(engine.folder, context.scope, thread, head + text))
    except OSError:
        return ""


def _handoff(thread: str, slip: Slip | None) -> spec.ShownHandoff:
    if slip is None:
        return spec.ShownHandoff(thread=thread, state="none")
    told = told_of(slip, HandoffTold)
    return spec.ShownHandoff(
        thread=thread, state=slip.state, reason=told.reason, session=told.session,
        offered_to=told.offered_to if slip.state == "offered" else "", consumed_by=told.consumed_by,
        until=moment_if_any(slip.until_us), compactions=told.compactions,
    )  # fmt: skip


def handoff_write(context: CallContext, asked: spec.HandoffWriteParameters) -> spec.ShownHandoff:
    _screened(context, asked.note, asked.reason)
    made = _threads(context).hand_on(asked.thread, asked.session, reason=asked.reason, note=asked.note)
    return replace(_handoff(asked.thread, made), file=_page(context, asked.thread))


def handoff_read(context: CallContext, asked: spec.HandoffReadParameters) -> spec.ShownHandoff:
    threads = _threads(context)
    found = threads.handoff(asked.thread)
    if asked.session and found is not None and found.state != "consumed":
        context.access.require(Level.write, ROOT, context.operation.name)
        found = threads.offer(asked.thread, asked.session)
    text, _ = _text(context, asked.thread, asked.max_chars, asked.framing)
    return replace(_handoff(asked.thread, found), text=text)


def handoff_consume(context: CallContext, asked: spec.HandoffConsumeParameters) -> spec.ShownHandoff:
    return _handoff(asked.thread, _threads(context).consume(asked.thread, asked.session))


def checkpoint(context: CallContext, asked: spec.CheckpointParameters) -> spec.ShownCheckpoint:
    _screened(context, asked.note)
    notes = WorkNotes(
        cwd=asked.cwd, branch=asked.branch, ran=_run_after(context, asked), files=asked.files, note=asked.note,
    )  # fmt: skip
    threads = _threads(context)
    threads.open(asked.thread)
    made = threads.note(asked.thread, asked.session, notes, asked.exchanges, _todos(context, asked))
    kept = told_of(made, WorkNotes)
    Research(context.engine.store, context.scope, context.subject).friction(asked.thread, kept.ran)
    return spec.ShownCheckpoint(
        thread=asked.thread, session=asked.session, cwd=kept.cwd, branch=kept.branch, ran=_ran(kept), files=kept.files,
        at=moment(made.changed_us),
    )  # fmt: skip


def _todos(context: CallContext, asked: spec.CheckpointParameters) -> list[Todo]:
    """The entries of an agent's list, each on one line; one that may not be stored is left out."""
    made = []
    for one in asked.todos:
        text = " ".join(one.text.split())[:LONGEST_TODO]
        try:
            _screened(context, text)
        except Refused:
            continue
        if text or one.key:
            at_us = microseconds(one.at) or context.engine.clock.now_us()
            made.append(Todo(text, one.state, at_us, f"{asked.session}/{one.key}" if one.key else ""))
    return made


def _run_after(
    context: CallContext, asked: spec.CheckpointParameters | spec.TurnEndParameters
) -> tuple[Ran, ...]:  # fmt: skip
    """The commands of a checkpoint, with the turn they were run after."""
    turn = _threads(context).last_turn(asked.thread, _view(context, asked.thread)) if asked.ran else ""
    return tuple(Ran(one.command, one.exit_code, turn) for one in asked.ran)


def _ran(notes: WorkNotes) -> tuple[str, ...]:
    return tuple(f"{one.command} -> {'unknown' if one.exit_code is None else one.exit_code}" for one in notes.ran)


def turn_start(context: CallContext, asked: spec.TurnStartParameters) -> spec.StartedTurn:
    began = time.perf_counter()
    threads = _threads(context)
    handed = threads.handoff(asked.thread)
    degraded: tuple[str, ...] = ()
    try:
        handed = threads.consume(asked.thread, asked.session) if asked.session else handed
    except DiskFull as error:  # what is known is read all the same, and the handoff is offered again
        degraded = (f"handoff: {error.message}",)
    made = recall.context(
        _said_in(context, asked.thread), ContextParameters(message=asked.message, budget_tokens=asked.budget_tokens)
    )
    context.engine.provided.note("turn_start", (time.perf_counter() - began) * 1000)
    return spec.StartedTurn(
        text=made.text if made.hits else "", memories=len(made.hits), handoff=handed.state if handed else "none",
        degraded=degraded,
    )  # fmt: skip


def turn_end(context: CallContext, asked: spec.TurnEndParameters) -> spec.EndedTurn:
    """What was said is taken in before anything is noted of it: a handoff tells only of what is kept."""
    began = time.perf_counter()
    kept = 0
    degraded: tuple[str, ...] = ()
    if asked.turns:
        made = intake.observe(
            _said_in(context, asked.thread),
            ObserveParameters(turns=asked.turns, thread=asked.thread, session=asked.session),
        )
        kept, degraded = len(made.memories), made.degraded
    threads = _threads(context)
    threads.open(asked.thread)
    notes = WorkNotes(
        cwd=asked.cwd, branch=asked.branch, ran=_run_after(context, asked), files=asked.files,
    )  # fmt: skip
    exchanges = sum(turn.role == "user" for turn in asked.turns)
    noted = threads.note(asked.thread, asked.session, notes, exchanges)
    if asked.ran:
        ran = told_of(noted, WorkNotes).ran
        Research(context.engine.store, context.scope, context.subject).friction(asked.thread, ran)
    handed = threads.handoff(asked.thread)
    if exchanges and (handed is None or handed.state == "consumed"):
        handed = threads.hand_on(asked.thread, asked.session, reason="turn")
    if exchanges:
        persona.digested(context, asked.thread)
    context.engine.provided.note("turn_end", (time.perf_counter() - began) * 1000)
    return spec.EndedTurn(
        turns=len(asked.turns), memories=kept, handoff=handed.state if handed else "none", degraded=degraded
    )


def warm_start(context: CallContext, asked: spec.WarmStartParameters) -> spec.WarmStart:
    text, bridge = _text(context, asked.thread, asked.max_chars, asked.framing)
    return spec.WarmStart(thread=asked.thread, text=text, turns=bridge.turns)


def bridge(context: CallContext, asked: spec.ThreadParameters) -> spec.ShownBridge:
    """Raises: NotFound with the threads that are called nearly so, or whose scope has it."""
    found = _bridge(context, asked.thread)
    if found.turns or context.engine.store.slips.get("thread", asked.thread, context.scope) is not None:
        return found
    everywhere = context.access.is_operator and context.caller.chooses_scope
    known = _threads(context).every("thread", KNOWN, everywhere=everywhere)
    homes = [one.scope for one in known if one.name == asked.thread]
    if len(homes) == 1:
        there = _bridge(dataclasses.replace(context, scope=homes[0]), asked.thread)
        return replace(there, scope=str(homes[0]))
    names = sorted({one.name for one in known})
    near = ", ".join(get_close_matches(asked.thread, names, 3, 0.4) or names[:3])
    hint = f"there {'are' if ',' in near else 'is'} {near}" if near else "no thread was begun yet"
    if homes:
        hint = "name whose it is: " + ", or ".join(" and ".join(f"{k} {v}" for k, v in one.keys) for one in homes)
    raise NotFound(f"no thread is called {asked.thread!r} here", hint=hint)


def _bridge(context: CallContext, thread: str) -> spec.ShownBridge:
    found = _threads(context).bridge(thread, _view(context, thread))
    known = context.engine.store.slips.get("thread", thread, context.scope)
    return spec.ShownBridge(
        thread=thread, turns=found.turns, compactions=told_of(known, ThreadTold).compactions if known else 0,
        items=tuple(
            spec.ShownItem(
                text=one.text, state=one.state, by=one.by, moved_by="" if one.moved_by == one.text else one.moved_by,
                reason=one.reason, remark=one.remark, spoken=one.spoken,
            )
            for one in found.items
        ),
        decisions=_decided(found.decisions), rejected=_decided(found.rejected), words=found.words, loose=found.loose,
        asked_last=found.asked_last, cwd=found.notes.cwd, branch=found.notes.branch, ran=_ran(found.notes),
    )  # fmt: skip


def _decided(found: tuple[Decision, ...]) -> tuple[spec.ShownDecision, ...]:
    return tuple(spec.ShownDecision(text=one.text, by=one.by, reason=one.reason) for one in found)


def compacted(context: CallContext, asked: spec.CompactedParameters) -> spec.ShownBridge:
    """The summary's statements are kept before the messages go; what was said is kept anyway, word for word."""
    kept = 0
    degraded: tuple[str, ...] = ()
    if asked.summary:
        context.access.require(Level.write, ROOT, context.operation.name)
        said = Message(
            text=asked.summary, author=context.subject, role="assistant", kind="summary",
            importance=SUMMARY_IMPORTANCE, scope=_view(context, asked.thread).scope, source="conversation",
            conflict="keep_both", pinned=False,
        )  # fmt: skip
        made = context.engine.remember(said, subject=context.subject, reach=context.writable)
        kept, degraded = len(made.memory_ids), made.degraded
    _threads(context).compacted(asked.thread, asked.session)
    _page(context, asked.thread)
    return replace(_bridge(context, asked.thread), kept=kept, degraded=degraded)


def providers(context: CallContext, _asked: ScopeParameters) -> spec.ProviderList:
    found = context.engine.provided.report()
    return spec.ProviderList(providers=tuple(_took(one) for one in found if one.section))


def hook_report(context: CallContext, _asked: ScopeParameters) -> spec.ProviderList:
    return spec.ProviderList(providers=tuple(map(_took, context.engine.provided.report())))


def _took(found: Took) -> spec.ShownProvider:
    return msgspec.convert(msgspec.to_builtins(found), spec.ShownProvider)


def proof_check(_context: CallContext, asked: spec.ProofCheckParameters) -> spec.Proof:
    return spec.Proof(
        text=proof.marked(asked.text, asked.checked),
        claims=tuple(
            spec.ShownClaimMade(sentence=one.sentence, gate=one.gate, verified=one.verified)
            for one in proof.claims_in(asked.text, asked.checked)
        ),
    )
