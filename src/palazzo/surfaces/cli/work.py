"""What people see of work that goes on over sessions, threads, sittings, handoffs and bridges, of capture, of dreams
and the questions they keep, and of what the palace knows about itself.

Owns presentation only. A report is Markdown already and is printed as it is.
"""

from __future__ import annotations

import json

import msgspec

from palazzo.operations.capture import spec as capture
from palazzo.operations.mind import spec as mind
from palazzo.operations.persona import spec as persona
from palazzo.operations.snapshot import spec as snapshot
from palazzo.operations.talk import spec as talk
from palazzo.operations.thread import spec as thread
from palazzo.surfaces.cli.sheet import Render, Sheet, line, rows, saying, table, when


def _handoff(console: Sheet, found: thread.ShownHandoff) -> None:
    line(console, f"{found.thread}: {found.state}" + (f", {found.reason}" if found.reason else ""))
    if found.text:
        line(console, found.text)
    if found.file:
        line(console, f"also in {found.file}")


def _started(console: Sheet, found: thread.StartedSession) -> None:
    line(console, f"session {found.session} of {found.thread} has begun; the one before: {found.previous}")
    if found.warm_start:
        line(console, found.warm_start)


def _bridge(console: Sheet, found: thread.ShownBridge) -> None:
    whose = f" ({found.scope})" if found.scope else ""
    line(console, f"{found.thread}{whose}: {found.turns} turns, {found.compactions} compactions")
    if found.items:
        table(
            console,
            ("work", "state", "by these words, or last said of it"),
            (
                (one.text, f"{one.state}, {one.remark}" if one.remark else one.state, one.spoken or one.moved_by)
                for one in found.items
            ),
        )
    for said in found.loose:
        line(console, f"ends something that it does not name: {said}")
    if found.decisions:
        table(console, ("decided", "why"), ((one.text, one.reason) for one in found.decisions))
    if found.rejected:
        table(console, ("rejected", "why"), ((one.text, one.reason) for one in found.rejected))
    if found.words:
        line(console, f"names: {', '.join(found.words)}")
    if found.asked_last:
        line(console, f"asked last: {found.asked_last}")
    for part in found.degraded:
        line(console, f"missing: {part}")


def _snapshot(console: Sheet, found: snapshot.ShownSnapshot) -> None:
    at = f"with memory {found.memory}" if found.memory else f"at {found.place or 'the root'}"
    line(console, f"snapshot {found.id} {at}, {when(found.captured_at)}, {found.bytes} bytes")
    line(console, found.summary)
    for told in found.left_out:
        line(console, f"not in it: {told}")


def _whole_snapshot(console: Sheet, found: snapshot.WholeSnapshot) -> None:
    _snapshot(console, found)
    line(console, json.dumps(found.state, indent=2, ensure_ascii=False))


def _differences(console: Sheet, found: snapshot.SnapshotDifferences) -> None:
    if not found.differences:
        line(console, "nothing differs")
    else:
        table(console, ("where", "before", "after"), ((d.where, d.before, d.after) for d in found.differences))
    for told in found.left_out:
        line(console, f"not looked at: {told}")


def _restored(console: Sheet, found: snapshot.SnapshotRestored) -> None:
    line(console, "this is what would be done" if found.dry_run else "the workspace was brought back")
    table(
        console, ("step", "what", "", "told"),
        ((one.step, one.what, one.outcome, "; ".join(one.told)) for one in found.things),
    )  # fmt: skip
    if found.next:
        line(console, found.next)


def _captured(console: Sheet, found: capture.CaptureStatus) -> None:
    what = "what is allowed" if found.only_allowed else "all but what is private"
    days = f"raw events are kept {found.keeps_days:g} days"
    line(console, f"capture is paused; {days}" if found.paused else f"adapters that are on see {what}; {days}")
    table(
        console, ("adapter", "", "events", "last", "what it reads"),
        ((one.name, "on" if one.on else "off", one.events, when(one.last),
          f"{one.about} Sees nothing here: {one.why}." if one.why else one.about) for one in found.adapters),
    )  # fmt: skip
    lists = (
        ("folders", found.folders), ("private, yours", found.private), ("allowed", found.allowed),
        ("private from the start", found.private_from_the_start),
    )  # fmt: skip
    for name, listed in lists:
        line(console, f"{name}: {', '.join(listed) or 'none'}")


def _dreams(console: Sheet, found: mind.DreamList) -> None:
    if not len(found):
        line(console, "no dream left a report yet")
    for one in found:
        line(console, one.markdown)


def _unfolded(console: Sheet, found: mind.Unfolded) -> None:
    line(console, found.summary)
    if found.parts:
        table(console, ("part", "memories", "about"), ((one.node, one.memories, one.label) for one in found.parts))
    table(console, ("memory", "address"), ((one.text, one.address) for one in found))


def _summaries(console: Sheet, found: mind.SummaryList) -> None:
    if not len(found):
        line(console, "nothing is summed up yet: `palazzo dream` does, for days that are over")
    for one in found:
        line(console, one.text)
        line(console, f"  {one.level} {one.first}, made of {one.sources}: palazzo unfold {one.id}")


def _received(console: Sheet, found: talk.Delivered) -> None:
    table(console, ("from", "memory", "address"),
          ((by, one.text, one.address) for by, one in zip(found.sources, found, strict=False)))  # fmt: skip
    for clash in found.conflicts:
        line(console, f"{clash.memory} and {clash.other} differ; {clash.holds} holds for now: {clash.why}")
    for why in found.refused:
        line(console, f"not taken in: {why}")
    if found.more:
        line(console, "there is more")


RENDER_WORK: dict[type, Render] = {
    capture.CaptureStatus: _captured,
    snapshot.ShownSnapshot: _snapshot,
    snapshot.WholeSnapshot: _whole_snapshot,
    snapshot.SnapshotList: rows(
        ("snapshot", "taken", "place", "territory", "what"),
        lambda one: (str(one.id)[-8:], when(one.captured_at), one.place, one.territory, one.summary),
    ),
    snapshot.SnapshotDifferences: _differences,
    snapshot.SnapshotRestored: _restored,
    snapshot.SharedSnapshot: saying(lambda f: msgspec.json.format(msgspec.json.encode(f), indent=2).decode()),
    snapshot.DroppedSnapshot: saying(lambda f: f"snapshot {f.id} is erased{f'; {f.next}' if f.next else ''}"),
    thread.ShownThread: saying(lambda f: f"{f.thread} ({f.title}) is {f.state}: {f.sessions} sessions, {f.mode}"),
    thread.ThreadList: rows(
        ("thread", "title", "state", "sessions", "handoff", "changed"),
        lambda one: (one.thread, one.title, one.state, one.sessions, one.handoff, when(one.changed_at)),
    ),
    thread.StartedSession: _started,
    thread.ShownSession: saying(lambda f: f"session {f.session} of {f.thread}: {f.state}, {f.exchanges} exchanges"),
    thread.SessionList: rows(
        ("session", "state", "client", "exchanges", "began", "ended"),
        lambda one: (one.session, one.state, one.client, one.exchanges, when(one.began_at), when(one.ended_at)),
    ),
    thread.ShownHandoff: _handoff,
    thread.ShownCheckpoint: saying(
        lambda f: f"{f.thread}: {f.branch or 'no branch'} in {f.cwd or 'no folder'}, {len(f.files)} files, {when(f.at)}"
    ),
    thread.WarmStart: saying(lambda f: f.text or f"nothing is known of {f.thread} yet"),
    thread.StartedTurn: saying(lambda f: f.text or "nothing known bears on it"),
    thread.EndedTurn: saying(lambda f: f"{f.turns} turns taken in, {f.memories} memories; handoff {f.handoff}"),
    thread.ShownBridge: _bridge,
    persona.ReceiptList: rows(
        ("receipt", "file", "source", "what was seen"),
        lambda one: (one.receipt, one.filename, one.state, one.observation or one.excerpt),
    ),
    mind.Dreamt: saying(lambda f: f.markdown),
    mind.DreamList: _dreams,
    mind.GapList: rows(("question", "why", "gap", "again"), lambda g: (g.question, g.sort, g.id, when(g.again_at))),
    mind.Pruned: saying(
        lambda f: f"{f.name}: {f.removed} removed, {f.unlinked} unlinked, {f.restored} restored, {f.closed} closed"
    ),
    talk.Publication: saying(lambda f: f"published {f.memories}"),
    talk.ShownSubscription: saying(lambda f: f"subscribed: {f.id}"),
    talk.SubscriptionList: rows(
        ("subscription", "topics", "from", "importance"),
        lambda s: (s.id, ", ".join(s.topics), ", ".join(s.sources), s.min_importance),
    ),
    talk.Delivered: _received,
    mind.KnownCue: saying(lambda f: f"{f.verdict} ({f.confidence:.2f}). {f.line}"),
    mind.Unfolded: _unfolded,
    mind.SummaryList: _summaries,
    mind.ShownGap: saying(lambda f: f"{f.question} Asked; it rests for a week."),
}
