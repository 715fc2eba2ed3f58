"""What people see of work that goes on over sessions, threads, sittings, handoffs and bridges, and of capture.

Owns presentation only.
"""

from __future__ import annotations

import json

import msgspec

from palazzo.operations.capture import spec as capture
from palazzo.operations.persona import spec as persona
from palazzo.operations.snapshot import spec as snapshot
from palazzo.operations.thread import spec as thread
from palazzo.surfaces.cli.shapes import Render, line, rows, saying, table, when
from palazzo.surfaces.cli.sheet import Sheet


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
    line(console, f"{found.thread}: {found.turns} turns, {found.compactions} compactions")
    if found.items:
        table(
            console,
            ("work", "state", "by these words"),
            (
                (one.text, f"{one.state}, {one.remark}" if one.remark else one.state, one.moved_by)
                for one in found.items
            ),
        )
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
}
