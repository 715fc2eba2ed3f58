"""What people see of work that goes on over sessions: threads, sittings, handoffs and bridges.

Owns presentation only.
"""

from __future__ import annotations

from rich.console import Console

from palazzo.operations.thread import spec as thread
from palazzo.surfaces.cli.shapes import Render, line, rows, saying, table, when


def _handoff(console: Console, found: thread.ShownHandoff) -> None:
    line(console, f"{found.thread}: {found.state}" + (f", {found.reason}" if found.reason else ""))
    if found.text:
        line(console, found.text)
    if found.file:
        line(console, f"also in {found.file}")


def _started(console: Console, found: thread.StartedSession) -> None:
    line(console, f"session {found.session} of {found.thread} has begun; the one before: {found.previous}")
    if found.warm_start:
        line(console, found.warm_start)


def _bridge(console: Console, found: thread.ShownBridge) -> None:
    line(console, f"{found.thread}: {found.turns} turns, {found.compactions} compactions")
    if found.items:
        table(console, ("work", "", "why"), ((one.text, one.state, one.reason) for one in found.items))
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


RENDER_WORK: dict[type, Render] = {
    thread.ShownThread: saying(lambda f: f"{f.thread} ({f.title}) is {f.state}: {f.sessions} sessions, {f.mode}"),
    thread.ThreadList: rows(
        ("thread", "title", "state", "sessions", "changed"),
        lambda one: (one.thread, one.title, one.state, one.sessions, when(one.changed_at)),
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
}
