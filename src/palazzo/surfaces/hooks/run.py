"""What hooks of agent clients do: a context block when a session starts or a prompt is sent, new turns when it ends.

Owns the form of a hook's answer, how far each transcript was read, and the deadline. Invariants: the client gets one
JSON object and exit code 0 within the deadline, whatever state the palace is in; trouble goes to standard error; what
is not done in time is left to a process of its own, and turns are taken in once.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from palazzo.errors import InvalidInput
from palazzo.surfaces.turns import steps

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

EVENTS: Final = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit", "stop": "Stop"}
BATCH: Final = 20
FOLDER: Final = "hooks"
Given = dict[str, Any]


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


def context_for(session: Session, event: str, given: Given, budget_tokens: int) -> Given:
    """A context block as the client expects it; nothing when nothing is known, which no prompt needs to be told."""
    project = Path(str(given.get("cwd") or "")).name
    about = str(given.get("prompt") or "") if event == "user-prompt-submit" else f"Work on {project or 'this project'}"
    if not about.strip():
        return {}
    block = session.call("context", {"message": about, "budget_tokens": budget_tokens})
    if not block.hits:
        return {}
    return {"hookSpecificOutput": {"hookEventName": EVENTS[event], "additionalContext": block.text}}


def observe_new(session: Session, given: Given, *, patient: bool = False) -> Given:
    """Takes in the turns of a transcript that are new, batch by batch, and notes how far it came.

    A transcript that another process reads is left to that one, or waited for by a `patient` one.
    Raises: InvalidInput when there is no transcript.
    """
    path = Path(str(given.get("transcript_path") or "")).expanduser()
    if not path.is_file():
        raise InvalidInput("there is no transcript at transcript_path", field="transcript_path")
    with _position(session, path, patient=patient) as mark:
        if mark is None:
            return {}  # another process is reading it
        about = {
            "thread": Path(str(given.get("cwd") or "")).name, "session": str(given.get("session_id") or path.stem),
        }  # fmt: skip
        turns: list[Given] = []
        end, unread = mark.start, 0
        for step in steps(path, mark.start):
            end, unread = step.end, unread + (not step.readable)
            turns += [step.turn] if step.turn else []
            if len(turns) >= BATCH:
                session.call("observe", {"turns": turns, **about})
                mark.move(end)
                turns = []
        if turns:
            session.call("observe", {"turns": turns, **about})
        mark.move(end)
    if unread:
        sys.stderr.write(f"palazzo: stop: {unread} lines of the transcript could not be read\n")
    return {}


class _Mark:
    """How far a transcript was read, in a locked file."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        text = os.pread(handle, 32, 0).decode(errors="ignore").strip()
        self.start = int(text) if text.isdigit() else 0

    def move(self, end: int) -> None:
        if end != self.start:
            os.pwrite(self._handle, f"{end:<20}\n".encode(), 0)
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
    handle = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if patient else fcntl.LOCK_NB))
        except BlockingIOError:
            yield None
            return
        yield _Mark(handle)
    finally:
        os.close(handle)


def work(session: Session, event: str, given: Given, budget_tokens: int, *, patient: bool = False) -> Given:
    """What one hook does, however long it takes."""
    if event == "stop":
        return observe_new(session, given, patient=patient)
    return context_for(session, event, given, budget_tokens)


def answer(session: Session, event: str, budget_tokens: int, deadline_s: float) -> NoReturn:
    """Does a hook's work within the deadline, prints the client's answer, and ends the process with 0."""
    heard: Given = {}

    def job() -> Given:
        heard.update(read_input())
        return work(session, event, heard, budget_tokens)

    pool = ThreadPoolExecutor(1, thread_name_prefix="hook")
    future = pool.submit(job)
    wait([future], timeout=deadline_s)
    told: Given = {}
    trouble = ""
    if not future.done():
        trouble = f"not done in {deadline_s:g} s"
        if event == "stop" and heard:
            _leave(session, heard)
            trouble += ", it goes on in the background"
    elif (error := future.exception()) is not None:
        trouble = str(error)
    else:
        told = future.result()
    if trouble:
        sys.stderr.write(f"palazzo: {event}: {trouble}\n")
    sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a thread that waits for a locked palace must not keep the client waiting


def _leave(session: Session, given: Given) -> None:
    """Starts a process of its own that does the work without a deadline."""
    palace = ["--palace", session.palace] if session.palace else []
    child = subprocess.Popen(  # noqa: S603 - our own program with our own arguments
        [sys.executable, "-m", "palazzo", *palace, "hook", "stop", "--deadline", "0"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    if child.stdin is not None:
        child.stdin.write(json.dumps(given).encode())
        child.stdin.close()
