"""What hooks of agent clients do: a warm start when a session begins or was compacted, what is known when a prompt is
sent, new turns and where the work is when a turn ends, a handoff before a compaction and at the end.

Owns how far each transcript was read, and the deadline. Invariants: the client gets one JSON object and exit code 0
within the deadline, whatever state the palace is in; trouble goes to standard error and, on one line, into the log of
hooks; what is not done in time is left to a process of its own that ends by itself, and turns are taken in once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from palazzo.errors import InvalidInput, NotFound
from palazzo.files import forks
from palazzo.surfaces.hooks.heard import Given, HookEvent, answered
from palazzo.surfaces.hooks.thin import leave
from palazzo.surfaces.turns import last_list, steps

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

BATCH: Final = 20
FOLDER: Final = "hooks"
LOG: Final = "hooks.log"
LONGEST_LOG: Final = 256 << 10
_TAKES_IN: Final = frozenset({"stop", "pre-compact", "session-end"})


def read_input() -> Given:
    """What the client sent.

    Raises: InvalidInput.
    """
    try:
        found = json.loads(sys.stdin.buffer.read() or b"{}")
    except ValueError as error:
        raise InvalidInput("the hook's input is no JSON", field="stdin") from error
    if not isinstance(found, dict):
        raise InvalidInput("the hook's input is no JSON object", field="stdin")
    return found


def begun(session: Session, one: HookEvent, budget_tokens: int) -> Given:
    """Where the work stands and what is known of the project; a client that resumes has the conversation itself."""
    about = {"message": f"Work on {Path(one.cwd).name or 'this project'}", "budget_tokens": budget_tokens, **one.scope}
    with session.calls() as call:
        started = call(
            "session_start",
            {"thread": one.thread, "session": one.session, "client": one.client, "source": one.source, **one.scope},
        )
        known = call("context", about)
    return answered(one, "\n\n".join(filter(None, (started.warm_start, known.text if known.hits else ""))))


def prompted(session: Session, one: HookEvent, budget_tokens: int) -> Given:
    """What is known for a prompt; nothing when nothing is, which no prompt needs to be told."""
    if not one.prompt.strip():
        return {}
    asked = {"message": one.prompt, "thread": one.thread, "session": one.session, "budget_tokens": budget_tokens}
    return answered(one, session.call("turn_start", {**asked, **one.scope}).text)


def take_in(session: Session, one: HookEvent, *, patient: bool = False) -> bool:
    """Takes in the turns that are new, batch by batch, and notes how far it came; False where another process is at it.

    A transcript that another process reads is left to that one, or waited for by a `patient` one.
    Raises: InvalidInput at a turn's end when there is neither a transcript nor a turn.
    """
    about = {
        "thread": one.thread, "session": one.session, "cwd": one.cwd, "branch": branch_of(one.cwd), **one.scope,
    }  # fmt: skip
    path = Path(one.transcript).expanduser()
    if not one.transcript or not path.is_file() or path.suffix == ".json":
        if not one.turns and one.event != "stop":
            return True  # nothing was said since the last turn ended
        if not one.turns:
            raise InvalidInput("there is no transcript at transcript_path", field="transcript_path")
        session.call("turn_end", {"turns": list(one.turns), **about})
        kept = path.suffix == ".json" and path.is_file()
        if todos := last_list(path) if kept else one.todos:
            session.call("checkpoint", {"todos": todos, **about})
        return True
    with _position(session, path, patient=patient) as mark:
        if mark is None:
            return False  # another process is reading it
        about["session"] = one.session or path.stem
        unread = _take_in(session, path, mark, about)
    if unread:
        sys.stderr.write(f"palazzo: {one.event}: {unread} lines of the transcript could not be read\n")
    return True


def _take_in(session: Session, path: Path, mark: _Mark, about: Given) -> int:
    """Reads a transcript on from its mark; says how many lines could not be read."""
    turns: list[Given] = []
    begun_calls: dict[str, tuple[str, str]] = {}
    ran: list[Given] = []
    files: dict[str, None] = {}
    lists: list[list[Given]] = []
    end, unread = mark.start, 0

    def hand_over() -> None:
        if turns or ran or files:
            session.call("turn_end", {"turns": turns, "ran": ran, "files": list(files), **about})
        for todos in lists:
            session.call("checkpoint", {"todos": todos, **about})
        mark.move(end)

    for step in steps(path, mark.start):
        end, unread = step.end, unread + (not step.readable)
        turns += [step.turn] if step.turn else []
        for call_id, sort, told in step.calls:
            if sort == "file":
                files[told[:LONGEST_WORD]] = None
            else:
                begun_calls[call_id] = sort, told[:LONGEST_WORD]
        lists += step.lists
        for call_id, code, number in step.ended:
            sort, told = begun_calls.pop(call_id, ("", ""))
            if sort == "command":
                ran.append({"command": told, "exit_code": code})
            elif sort == "task" and number:
                lists.append([{"key": number, "text": told}])
        if len(turns) >= BATCH:
            hand_over()
            turns, ran, files, lists = [], [], {}, []
    hand_over()
    return unread


LONGEST_WORD: Final = 300


def branch_of(cwd: str) -> str:
    """The branch a repository is on; empty outside of one, or where nobody can tell."""
    from palazzo.files import raw_files

    folder = Path(cwd)
    for root in (folder, *folder.parents) if cwd else ():
        head = root / ".git" / "HEAD"
        if not head.is_file():
            continue
        try:
            told = raw_files.content(head).decode(errors="replace").strip()
        except OSError:
            return ""
        return told.removeprefix("ref: refs/heads/") if told.startswith("ref: ") else told[:12]
    return ""


class _Mark:
    """How far a transcript was read, in a locked file."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        text = forks.read_at(handle, 32, 0).decode(errors="ignore").strip()
        self.start = int(text) if text.isdigit() else 0

    def move(self, end: int) -> None:
        if end != self.start:
            forks.write_at(self._handle, f"{end:<20}\n".encode(), 0)
            self.start = end


@contextmanager
def _position(session: Session, transcript: Path, *, patient: bool) -> Iterator[_Mark | None]:
    from palazzo.bootstrap import palace_folder
    from palazzo.errors import PalaceMissing

    palace = palace_folder(session.settings())
    if not palace.is_dir():
        raise PalaceMissing(f"there is no palace in {palace}")
    folder = palace / FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    name = blake2b(os.fsencode(transcript.resolve()), digest_size=12).hexdigest()
    handle = os.open(folder / name, os.O_RDWR | os.O_CREAT | forks.AS_BYTES, 0o600)
    try:
        yield _Mark(handle) if forks.lock(handle, wait=patient) else None
    finally:
        os.close(handle)


def work(session: Session, one: HookEvent, budget_tokens: int, *, patient: bool = False) -> Given:
    """What one hook does, however long it takes."""
    if one.event == "session-start":
        return begun(session, one, budget_tokens)
    if one.event == "user-prompt-submit":
        return prompted(session, one, budget_tokens)
    take_in(session, one, patient=patient)
    if one.event == "pre-compact":
        session.call("compacted", {"thread": one.thread, "session": one.session, **one.scope})
    if one.event == "session-end":
        try:
            session.call("session_end", {"session": one.session, "how": one.reason or "ended", **one.scope})
        except NotFound:  # it began before there was a palace
            session.call("handoff_write", {"thread": one.thread, "session": one.session, "reason": "end", **one.scope})
    return {}


def answer(session: Session, event: str, client: str, budget_tokens: int, deadline_s: float) -> NoReturn:
    """Does a hook's work within the deadline, prints the client's answer, and ends the process with 0."""
    sent: Given = {}

    def job() -> Given:
        sent.update(read_input())
        return work(session, HookEvent(event, client, sent), budget_tokens)

    pool = ThreadPoolExecutor(1, thread_name_prefix="hook")
    future = pool.submit(job)
    wait([future], timeout=deadline_s)
    told: Given = {}
    trouble = ""
    if not future.done():
        trouble = f"not done in {deadline_s:g} s"
        if event in _TAKES_IN and sent:
            leave(session.palace, HookEvent(event, client, sent), sent)
            trouble += ", it goes on in the background"
    elif (error := future.exception()) is not None:
        trouble = str(error)
    else:
        told = future.result()
    if trouble:
        note_trouble(session, event, client, trouble)
    sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a thread that waits for a locked palace must not keep the client waiting


def note_trouble(session: Session, event: str, client: str, trouble: str) -> None:
    """Says on standard error, and on one line in the log of hooks, what went wrong; a log that is full begins anew."""
    line = f"palazzo: {event}: {' '.join(trouble.split())}\n"
    sys.stderr.write(line)
    from palazzo.bootstrap import palace_folder
    from palazzo.files.raw_files import as_private

    folder = palace_folder(session.settings())
    if not folder.is_dir():
        return
    try:
        (folder / FOLDER).mkdir(exist_ok=True, mode=0o700)
        path = folder / FOLDER / LOG
        full = path.exists() and path.stat().st_size > LONGEST_LOG
        begun = os.O_TRUNC if full else os.O_APPEND
        with os.fdopen(as_private(path, os.O_WRONLY | begun), "a", encoding="utf-8") as log:
            log.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {client} {line.removeprefix('palazzo: ')}")
    except OSError as error:
        sys.stderr.write(f"palazzo: the log of hooks cannot be written: {error.strerror}\n")
