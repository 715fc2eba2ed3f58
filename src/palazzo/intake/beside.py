"""A second process that reads half of a large batch beside this one: what a text says asks nothing of the palace.

Owns when that process begins and ends, and what is handed over and comes back. Knows no store: whoever takes in commits
alone. Invariants: what comes back is what would have been made here; a process that is gone, late or busy costs nothing
but its half, which is then read here; it is ended with the caches of texts, so that an erasure and the closing of a
palace leave nothing in it, and ends by itself when nothing came for a while or whoever began it is gone.
"""

from __future__ import annotations

import copyreg
import gc
import io
import os
import pickle
import select
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from palazzo import kernel
from palazzo.intake.extract import anticipate, extract, judge
from palazzo.intake.screen import readings
from palazzo.intake.split import split
from palazzo.intake.values import Draft, Lost
from palazzo.model.fork_lock import ForkLock
from palazzo.model.message import Letter
from palazzo.text.words.remembered import kept_in

if TYPE_CHECKING:
    import subprocess

LARGE: Final = 100
"""Items of a batch that is worth halving."""
WORTH: Final = 4_000
"""Items of large batches, one soon after the other, from which on a process is worth a start of a third of a second."""
SOON_S: Final = 30.0
IDLE_S: Final = 15.0
LATE_S: Final = 60.0
_SIZE: Final = 8
READY: Final = b"ready"


def read(letters: Sequence[Letter]) -> tuple[list[Draft], list[Lost]]:
    """What letters say, as it is read without a model, and what is left to the turns."""
    drafts, lost = split(letters)
    drafts, verbatim = judge(drafts)
    return anticipate(extract(drafts)), [*lost, *verbatim]


WORK: Final[dict[str, Callable[[Any], Any]]] = {"screen": readings, "read": read}


InParts = Callable[[str, Sequence[Any]], list[Any]]
"""Does the work of a name on items, in parts in order."""


def alone(name: str, items: Sequence[Any]) -> list[Any]:
    """What the work of this name makes of items here: one part of one."""
    return [WORK[name](items)]


class Beside:
    """The second process, if there is one. Threads share it: one has it, the others read alone meanwhile."""

    def __init__(self, worth: int = WORTH, wait_s: float = 0.0) -> None:
        """`wait_s` is how long a batch waits for a process that is just beginning."""
        self._worth, self._wait_s = worth, wait_s
        self._lock = ForkLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = os.getpid()
        self._ready = self._busy = False
        self._seen, self._seen_s = 0, 0.0
        kept_in(self)

    def both(self, name: str, items: Sequence[Any]) -> list[Any]:
        """What the work of this name makes of items: of both halves, or of all of them where it is done here alone."""
        work, half = WORK[name], len(items) // 2
        process = self._taken(len(items)) if len(items) >= LARGE else None
        if process is None:
            return [work(items)]
        answer: bytes | None = None
        try:
            if not _told(process, _packed((name, items[half:]))):
                return [work(items)]
            mine = work(items[:half])
            answer = _answer(process, LATE_S)
        finally:
            self._given_back(process, whole=answer is not None)
        return [mine, work(items[half:]) if answer is None else pickle.loads(answer)]  # noqa: S301 - our own

    def forget(self) -> None:
        """Ends the process, and with it every text it has; who is waiting for it reads alone."""
        with self._lock:
            process = self._process
            if process is not None and self._pid == os.getpid():
                process.kill()
                if not self._busy:
                    self._end(process)

    def _taken(self, count: int) -> subprocess.Popen[bytes] | None:
        """The process, if it is there, ready and nobody's; one is begun where that is worth it."""
        with self._lock:
            if self._pid != os.getpid():  # of a forked child it is nobody's
                self._process, self._pid, self._ready, self._busy = None, os.getpid(), False, False
            now_s = time.monotonic()
            self._seen = (self._seen if now_s - self._seen_s < SOON_S else 0) + count
            self._seen_s = now_s
            if self._process is None and self._seen >= self._worth and _may():
                self._process = _begun()
            if self._process is None or self._busy:
                return None
            if not self._ready:
                self._ready = _answer(self._process, self._wait_s) == READY
                if not self._ready:
                    if self._process.poll() is not None:
                        self._end(self._process)
                    return None
            self._busy = True
            return self._process

    def _given_back(self, process: subprocess.Popen[bytes], *, whole: bool) -> None:
        with self._lock:
            self._busy = False
            if not whole:
                self._end(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with process:  # closes its pipes and takes note of its end
            process.kill()
        self._process, self._ready = None, False


def _begun() -> subprocess.Popen[bytes]:
    import subprocess

    of = f"serve(compiled={kernel.compiled() is not None})"
    code = f"import sys; sys.path[:] = {sys.path!r}; from palazzo.intake import beside; beside.{of}"
    return subprocess.Popen(  # noqa: S603 - this interpreter, and code of ours
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def _packed(told: object) -> bytes:
    packed = io.BytesIO()
    pickler = pickle.Pickler(packed, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {MappingProxyType: lambda found: (dict, (dict(found),))}
    pickler.dump(told)
    return packed.getvalue()


def _told(process: subprocess.Popen[bytes], message: bytes) -> bool:
    try:
        _write(process.stdin.fileno(), message)  # type: ignore[union-attr]
    except OSError:
        return False
    return True


def _answer(process: subprocess.Popen[bytes], wait_s: float) -> bytes | None:
    """What it says; nothing where nothing comes for so long, or it is gone."""
    out = process.stdout.fileno()  # type: ignore[union-attr]
    return _read(out, LATE_S) or None if select.select([out], [], [], wait_s)[0] else None


@cache
def second() -> Beside:
    """The second process of this one."""
    return Beside()


def _may() -> bool:
    several = len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) > 1
    return several and os.name == "posix" and bool(sys.executable) and not hasattr(sys, "frozen")


def _write(to: int, message: bytes) -> None:
    rest = memoryview(len(message).to_bytes(_SIZE) + message)
    while rest:
        rest = rest[os.write(to, rest) :]


def _read(out: int, wait_s: float) -> bytes:
    """A whole message; nothing where it ends before, or nothing comes for so long."""
    found = bytearray()
    while len(found) < _SIZE or len(found) < _SIZE + int.from_bytes(found[:_SIZE]):
        if not select.select([out], [], [], wait_s)[0] or not (some := os.read(out, 1 << 20)):
            return b""
        found += some
    return bytes(found[_SIZE:])


def serve(*, compiled: bool) -> None:
    """Reads for whoever began this process, until that is gone or nothing comes for a while."""
    out = os.dup(1)
    os.dup2(2, 1)  # whatever prints something prints it nowhere
    kernel.use(compiled)
    gc.disable()
    WORK["screen"](["A first text opens the weights, so that none waits for them."])
    _write(out, READY)
    while asked := _read(0, IDLE_S):
        name, items = pickle.loads(asked)  # noqa: S301 - what began this process tells it
        _write(out, _packed(WORK[name](items)))
