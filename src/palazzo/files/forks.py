"""Forking while threads use palaces: the child gets a SQLite at rest and opens connections of its own.

A fork copies one thread and every lock as it stands. A lock that another thread held is never released in the child,
SQLite's own among them; and SQLite in the child still believes in locks that only the parent holds, so a connection
opened there would have none. So whoever forks waits until no other thread is inside SQLite (`LONGEST_WAIT_S` at most),
and the child closes what it inherited before anything else: closing there takes nothing from the parent, because
neither log nor locks are touched. Invariants: a child either works with connections of its own or is told that it
cannot, and never hangs; the parent's connections and locks stay as they are.

The other lock here is a file between processes and threads: it is empty, private and never removed, for a lock whose
file is replaced locks nobody out; the system lets go of it when its holder ends, however that happens.

A value made on first use is made once, by whichever thread comes first; a lock taken by another thread at the moment
of a fork is not inherited, and a failure to make it is not remembered, so a part repaired later is found.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Final, Generic, ParamSpec, TypeVar
from weakref import WeakSet

import apsw

from palazzo.errors import StorageError
from palazzo.model import fork_lock

P = ParamSpec("P")
T = TypeVar("T")
LONGEST_WAIT_S: Final = 10.0
_NAP_S: Final = 0.001


@dataclass(slots=True)
class _State:
    """Who is inside SQLite, by thread and depth, and who forks."""

    inside: dict[int, int] = field(default_factory=dict)
    forking: int = 0
    quiet: bool = True
    """Whether the fork under way found SQLite at rest."""
    unusable: bool = False
    """Whether this process is the child of a fork that did not."""
    may_enter: threading.Event = field(default_factory=threading.Event)
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)


_state = _State()
_open: WeakSet[apsw.Connection] = WeakSet()
_abandoned: list[apsw.Connection] = []
"""Connections that a child can neither use nor close."""


def opened(connection: apsw.Connection) -> apsw.Connection:
    """Notes a connection that a child will have to close."""
    _open.add(connection)
    return connection


def enter() -> None:
    """Before SQLite is used; waits while another thread forks. Every call needs a `leave`.

    Raises: StorageError in a child that cannot use SQLite.
    """
    me = threading.get_ident()
    inside = _state.inside
    while True:
        depth = inside.get(me, 0)
        inside[me] = depth + 1  # first said, then looked: whoever forks does it the other way round
        if depth or not _state.forking or _state.forking == me:
            break
        leave()
        _state.may_enter.wait()
    if _state.unusable:
        leave()
        raise StorageError(
            "this process was forked while another thread used the palace",
            hint="start it with the method `spawn` or `forkserver`, or fork before the palace is opened",
        )


def leave() -> None:
    """After SQLite was used."""
    me = threading.get_ident()
    depth = _state.inside.get(me, 0) - 1
    if depth > 0:
        _state.inside[me] = depth
    else:
        _state.inside.pop(me, None)


@contextmanager
def using() -> Iterator[None]:
    """Around longer work with SQLite."""
    enter()
    try:
        yield
    finally:
        leave()


def inside(work: Callable[P, T]) -> Callable[P, T]:
    """A function that uses SQLite from beginning to end."""

    @wraps(work)
    def gated(*values: P.args, **named: P.kwargs) -> T:
        enter()
        try:
            return work(*values, **named)
        finally:
            leave()

    return gated


def _before() -> None:
    _state.one_at_a_time.acquire()
    me = threading.get_ident()
    _state.may_enter.clear()
    _state.forking = me
    until_s = time.monotonic() + LONGEST_WAIT_S
    while not (quiet := all(thread == me for thread in tuple(_state.inside))) and time.monotonic() < until_s:
        time.sleep(_NAP_S)
    _state.quiet = quiet


def _in_parent() -> None:
    _state.forking = 0
    _state.may_enter.set()
    _state.one_at_a_time.release()


def _in_child() -> None:
    me = threading.get_ident()
    _state.inside = {me: _state.inside[me]} if me in _state.inside else {}
    _state.forking = 0
    _state.may_enter = threading.Event()
    _state.one_at_a_time = threading.Lock()
    inherited = list(_open)
    _open.clear()
    if not inherited:
        return
    # The interpreter only prints what is raised here: unless all goes well, the child must not go on as its parent.
    _state.unusable = True
    if _state.quiet and not any(map(_writes, inherited)):
        for connection in inherited:
            _close(connection)
        _state.unusable = False
    else:
        _abandoned.extend(inherited)


def _writes(connection: apsw.Connection) -> bool:
    """Undoing a write would change the log's shared memory under the parent: such a connection is left alone."""
    try:
        return connection.txn_state("main") == apsw.SQLITE_TXN_WRITE
    except apsw.ConnectionClosedError:
        return False  # closed already, and only not yet collected


def _close(connection: apsw.Connection) -> None:
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    except apsw.ConnectionClosedError:
        return
    connection.close(True)


# Who is registered later comes first before a fork: SQLite must be at rest when the locks of caches are taken, for
# whoever is inside SQLite may need one of them to get out.
if fork_lock.REGISTERED:
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)


class FileLock:
    """The lock of one file. Not reentrant: a thread that holds it and asks again waits for itself."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Waits until nobody else holds the lock, and holds it.

        Raises: OSError when the file cannot be made.
        """
        handle = self._opened()
        try:
            lock(handle, wait=True)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def tried(self) -> Iterator[bool]:
        """Holds the lock if nobody else does; says whether.

        Raises: OSError when the file cannot be made.
        """
        handle = self._opened()
        try:
            yield lock(handle, wait=False)
        finally:
            os.close(handle)

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | AS_BYTES
        try:
            return os.open(self._path, flags, 0o600)
        except FileNotFoundError:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._path, flags, 0o600)


V = TypeVar("V")


class Lazy(Generic[V]):
    """Holds the result of `make`; with `per_process` a forked child makes its own.

    Plain data, read-only mappings and tokenizers live through a fork; thread pools and sockets do not.
    """

    __slots__ = ("_locks", "_made", "_make", "_per_process")

    def __init__(self, make: Callable[[], V], *, per_process: bool = False) -> None:
        self._make = make
        self._per_process = per_process
        self._made: tuple[int, V] | None = None
        self._locks: dict[int, threading.Lock] = {}

    def get(self) -> V:
        """The value, made now if it is not there yet."""
        made = self._made
        if made is not None and (not self._per_process or made[0] == os.getpid()):
            return made[1]
        pid = os.getpid()
        # setdefault on a dict is atomic, so two threads of a fresh child agree on one lock.
        with self._locks.setdefault(pid, threading.Lock()):
            made = self._made
            if made is None or (self._per_process and made[0] != pid):
                made = self._made = (pid, self._make())
            return made[1]

    @property
    def is_made(self) -> bool:
        """Whether a value is there, without making one."""
        return self._made is not None


AS_BYTES: Final = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""How a file is opened whose bytes are meant, by this process alone."""


def lock(handle: int, *, wait: bool) -> bool:
    """Locks a file against everybody else until it is closed; whether it did, which only waiting makes sure.

    Raises: OSError.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, 0, os.SEEK_SET)
            while True:
                try:
                    msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                    return True
                except OSError:  # it waits ten seconds at most
                    if not wait:
                        return False
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
    except BlockingIOError:
        return False


def read_at(handle: int, count: int, place: int) -> bytes:
    """So many bytes from a place on.

    Raises: OSError.
    """
    os.lseek(handle, place, os.SEEK_SET)
    return os.read(handle, count)


def write_at(handle: int, data: bytes, place: int) -> None:
    """Writes over what stands at a place. The file must not be open for appending.

    Raises: OSError.
    """
    os.lseek(handle, place, os.SEEK_SET)
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
