"""Threads, sessions and handoffs: what of a piece of work survives the one who was at it.

Owns the slips of threads, sessions, handoffs and checkpoints and how each moves on. What was said is in the turns of
the thread, which the store keeps verbatim; a handoff keeps no word of them, so what is erased there is in no handoff.
Owns the pages too, one file for each thread that a person can read: derived from the turns, written anew with each
handoff, and all removed by an erasure, for nobody can tell whom a page quotes. Invariants: a handoff is written,
offered to a session for as long as its lease lasts, and consumed at that session's first real turn: one that a session
never used is offered again; a session that never said it ended is told to the next one as unfinished; every move says
which state it saw, so of two sessions one wins and the other is told; a page is there whole or not at all, and in a
palace with a key there is none, for it would hold in clear what is sealed.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from palazzo.errors import VersionConflict
from palazzo.files import raw_files
from palazzo.model.address import slug
from palazzo.model.capability import View
from palazzo.model.scope import LEVELS, Scope
from palazzo.model.slip import Slip, SlipKind
from palazzo.model.zone import moment
from palazzo.persona.bridge import Bridge, WorkNotes, bridge_of
from palazzo.persona.listed import Todo, relisted
from palazzo.persona.slips import ScopedSlips, told_of
from palazzo.persona.work import SaidTurn

Mode = Literal["", "chat", "booth", "code", "robot"]
CHANNELS: Final[dict[str, str]] = {"chat": "talk", "booth": "talk", "code": "code", "robot": "robot"}
"""The channel in which each mode keeps what is said: chat and booth share one, the others have their own."""
LEASE_US: Final = 30 * 60_000_000
CONSOLIDATE_AFTER: Final = 5
"""So many compactions of a thread, and it starts anew from what stands in the bridge alone."""
READ_TURNS: Final = 2000
MOST_RAN: Final = 12
MOST_GIVEN_UP: Final = 100
T = TypeVar("T", bound=msgspec.Struct)


class ThreadTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a thread."""

    title: str = ""
    mode: Mode = ""
    compactions: int = 0
    sessions: int = 0


class SessionTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a session. `how` is how it ended; empty while it runs, or where it never said so."""

    thread: str
    mode: Mode = ""
    client: str = ""
    source: str = ""
    began_us: int = 0
    ended_us: int = 0
    how: str = ""
    exchanges: int = 0


class HandoffTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a handoff: who wrote it and why, how many turns it covers, and a note in the writer's words."""

    session: str
    reason: str
    turns: int = 0
    compactions: int = 0
    offered_to: str = ""
    consumed_by: str = ""
    note: str = ""


class Begun(msgspec.Struct, frozen=True):
    """A session that has begun: itself, its thread, and how the one before it ended."""

    session: Slip
    thread: Slip
    previous: str
    """ended, unfinished, or none."""
    handoff: Slip | None


def in_mode(scope: Scope, mode: Mode) -> Scope:
    """The scope in which a mode keeps what is said: filters of scopes are in the queries, so modes cannot mix."""
    channel = CHANNELS.get(mode, "")
    if not channel or scope.get("channel"):
        return scope
    levels = {**dict(scope.levels), "channel": channel}
    return Scope(tuple((level, levels[level]) for level in LEVELS if level in levels))


def out_of_mode(scope: Scope) -> Scope:
    """The scope of a thread, from that in which its mode keeps what is said."""
    modes = frozenset(CHANNELS.values())
    return Scope(tuple((level, value) for level, value in scope.levels if level != "channel" or value not in modes))


class Threads(ScopedSlips):
    """The threads of one scope, for one subject."""

    hint = "`palazzo thread list` names the threads, `sessions` the sessions"

    def open(self, name: str, title: str = "", mode: Mode = "") -> Slip:
        """The thread of this name; it is begun if there is none, and opened again if it was closed."""
        known = self._get("thread", name)
        told = told_of(known, ThreadTold) if known else ThreadTold(mode=mode)
        wanted = replace(told, title=title or told.title or name, mode=mode or told.mode)
        if known is not None and known.state == "open" and wanted == told:
            return known
        return self._put("thread", name, "open", wanted, known)

    def close(self, name: str) -> Slip:
        """Raises: NotFound."""
        known = self._known("thread", name)
        return self._put("thread", name, "closed", told_of(known, ThreadTold), known)

    def every(self, kind: SlipKind, limit: int, *, everywhere: bool = False) -> tuple[Slip, ...]:
        """The slips of a kind, the last changed first; of every scope for who sees them all."""
        return self._store.slips.newest(kind, None if everywhere else self._scope, limit=limit)

    def sessions_of(self, thread: str, limit: int = 20) -> tuple[Slip, ...]:
        """The sessions of a thread, the last changed first."""
        found = self._newest("session", 500)
        return tuple(one for one in found if told_of(one, SessionTold).thread == thread)[:limit]

    def begin(self, thread: str, session: str, client: str, source: str, mode: Mode = "") -> Begun:
        """Begins a session, or takes it up again; the handoff of the thread is offered to it."""
        known_thread = self.open(thread, mode=mode)
        now_us = self._store.clock.now_us()
        name = session or self._named(thread, now_us)
        before = next((one for one in self.sessions_of(thread) if one.name != name), None)
        previous = "none" if before is None else "ended" if before.state == "ended" else "unfinished"
        if before is not None and before.state == "running":
            self._put("session", before.name, "unfinished", told_of(before, SessionTold), before)
        known = self._get("session", name)
        told = told_of(known, SessionTold) if known else SessionTold(thread=thread, began_us=now_us)
        kept = told_of(known_thread, ThreadTold)
        told = replace(told, client=client or told.client, source=source, mode=kept.mode, how="", ended_us=0)
        made = self._put("session", name, "running", told, known)
        if known is None:
            known_thread = self._put(
                "thread", thread, "open", replace(kept, sessions=kept.sessions + 1), known_thread
            )  # fmt: skip
        return Begun(made, known_thread, previous, self.offer(thread, name))

    def _named(self, thread: str, now_us: int) -> str:
        """Whose session, on which day, the how-manieth: the same person is the same in every channel."""
        who = blake2b((self._scope.get("user") or self._subject).encode(), digest_size=3).hexdigest()
        day = moment(now_us).date().isoformat()
        start = f"{self._scope.get('project') or thread}-{who}-{day}-"
        taken = {one.name for one in self._newest("session", 500)}
        number = 1
        while f"{start}{number}" in taken:
            number += 1
        return f"{start}{number}"

    def end(self, session: str, how: str = "ended") -> Slip:
        """Ends a session and hands its work on.

        Raises: NotFound.
        """
        known = self._known("session", session)
        told = replace(told_of(known, SessionTold), how=how, ended_us=self._store.clock.now_us())
        made = self._put("session", session, "ended", told, known)
        self.hand_on(told.thread, session, reason=how)
        return made

    def hand_on(self, thread: str, session: str, *, reason: str, note: str = "", turns: int = 0) -> Slip:
        """Writes the handoff of a thread, instead of the one before."""
        known = self._get("handoff", thread)
        before = told_of(known, HandoffTold) if known else None
        kept = told_of(self.open(thread), ThreadTold)
        told = HandoffTold(
            session=session, reason=reason, turns=turns or (before.turns if before else 0),
            compactions=kept.compactions, note=note or (before.note if before else ""),
        )  # fmt: skip
        return self._put("handoff", thread, "written", told, known)

    def offer(self, thread: str, session: str) -> Slip | None:
        """Leases the handoff to a session; None where there is none, or it was consumed already."""
        known = self._get("handoff", thread)
        if known is None or known.state == "consumed":
            return None
        told = replace(told_of(known, HandoffTold), offered_to=session)
        until_us = self._store.clock.now_us() + LEASE_US
        try:
            return self._put("handoff", thread, "offered", told, known, until_us)
        except VersionConflict:  # another session was offered it in the same moment, or consumed it
            return self._get("handoff", thread)

    def handoff(self, thread: str) -> Slip | None:
        """The handoff of a thread as it stands: one whose lease ran out unused is written, and can be offered."""
        known = self._get("handoff", thread)
        if known is not None and known.state == "offered" and (known.until_us or 0) <= self._store.clock.now_us():
            return replace(known, state="written", until_us=None)
        return known

    def consume(self, thread: str, session: str) -> Slip | None:
        """The session's first real turn: what it was offered has arrived."""
        known = self._get("handoff", thread)
        if known is None or known.state != "offered":
            return known
        told = told_of(known, HandoffTold)
        if told.offered_to != session:
            return known
        return self._put("handoff", thread, "consumed", replace(told, consumed_by=session), known)

    def note(
        self, thread: str, session: str, notes: WorkNotes, exchanges: int = 0, todos: Sequence[Todo] = ()
    ) -> Slip:  # fmt: skip
        """A checkpoint: where the work is beside what was said; what is not told stays as it was."""
        known = self._get("checkpoint", thread)
        before = told_of(known, WorkNotes) if known else WorkNotes()
        merged = WorkNotes(
            cwd=notes.cwd or before.cwd, branch=notes.branch or before.branch,
            ran=(*before.ran, *notes.ran)[-MOST_RAN:],
            files=tuple(dict.fromkeys((*notes.files, *before.files)))[:40], note=notes.note or before.note,
            given_up=(*before.given_up, *notes.given_up)[-MOST_GIVEN_UP:], listed=relisted(before.listed, todos),
        )  # fmt: skip
        running = self._get("session", session)
        if running is not None and exchanges:
            told = told_of(running, SessionTold)
            self._put("session", session, running.state, replace(told, exchanges=told.exchanges + exchanges), running)
        return self._put("checkpoint", thread, session, merged, known)

    def compacted(self, thread: str, session: str) -> Slip:
        """Counts a compaction and hands the work on; after five the thread starts anew from the bridge."""
        known = self.open(thread)
        told = told_of(known, ThreadTold)
        made = self._put("thread", thread, "open", replace(told, compactions=told.compactions + 1), known)
        self.hand_on(thread, session, reason="compaction")
        return made

    def bridge(self, thread: str, view: View, most: int = READ_TURNS) -> Bridge:
        """Where the work of a thread stands, from the turns this reader may see."""
        notes = self._told("checkpoint", thread, WorkNotes())
        handed = self._get("handoff", thread)
        if handed is not None and (note := told_of(handed, HandoffTold).note):
            notes = replace(notes, note=note)
        return bridge_of(self.turns(thread, view, most), notes)

    def turns(self, thread: str, view: View, most: int = READ_TURNS) -> Sequence[SaidTurn]:
        """The newest turns of a thread, oldest first."""
        with self._store.reading(view) as reading:
            keys = [key for key, _ in reading.turns.latest(thread, most)]
            loaded, seats = reading.memories.by_keys(keys), reading.turns.told(keys)
        found = [(seats[key], loaded[key]) for key in keys if key in loaded and key in seats]
        return [
            SaidTurn(seat.role, one.text, one.revision.content.valid_from_us or one.created_us, seat.session)
            for seat, one in found
        ]

    def last_turn(self, thread: str, view: View) -> str:
        """The id of the newest turn that this reader may see; empty where there is none."""
        with self._store.reading(view) as reading:
            keys = [key for key, _ in reading.turns.latest(thread, 1)]
            return "".join(str(memory.id) for memory in reading.memories.by_keys(keys).values())


FOLDER: Final = "handoffs"


def page_of(folder: Path, scope: Scope, thread: str) -> Path:
    """Where the page of a thread is."""
    within = [slug(f"{level}-{value}", 60) or level for level, value in scope.levels]
    return folder.joinpath(FOLDER, *within, f"{slug(thread, 80) or 'thread'}.md")


def write_page(folder: Path, scope: Scope, thread: str, text: str) -> Path:
    """Writes the page of a thread in the place of the one before.

    Raises: OSError.
    """
    path = page_of(folder, scope, thread)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    raw_files.put(path, text.encode())
    return path


def remove_pages(folder: Path) -> None:
    """Removes every page and every draft of one.

    Raises: OSError.
    """
    if (folder / FOLDER).is_dir():
        shutil.rmtree(folder / FOLDER)
