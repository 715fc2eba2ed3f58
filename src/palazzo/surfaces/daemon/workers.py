"""Several processes that serve one palace: the first one starts the workers, keeps what they share, and serves nobody.

Owns the listening sockets, which outlive each worker, and who is restarted when. Each worker has a socket of its own on
the one port (SO_REUSEPORT), so the system deals connections out evenly; where it cannot, all share one. What they share
is a working store in the memory of this process, reached by a socket each: a message is a frame (wire.py) with a
MessagePack list, the name of the method and its values; an answer is the value it gives. Knows nothing of what a worker
does. Invariants: this process has one thread and never opens the palace while workers run, so that it may fork at any
time; a connection that waits for a worker that died is taken by the one that follows it; a worker that keeps dying is
started ever later; when this process ends, however it ends, its workers finish what they do, keep for themselves what
they would have shared, and end; nothing of what is shared is written to a disk.
"""

from __future__ import annotations

import asyncio
import logging
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from palazzo.adapters.palace_keys import Ask
from palazzo.adapters.working import LocalWorking
from palazzo.bootstrap import open_engine
from palazzo.errors import PalazzoError, PartUnavailable
from palazzo.model.fork_lock import ForkLock
from palazzo.settings import Settings
from palazzo.surfaces.daemon.serve import Post, ServePlan, bound, url_of, work
from palazzo.surfaces.daemon.service import DaemonLimits, Service, Workplace, identify, log
from palazzo.surfaces.socket.server import bind_local
from palazzo.surfaces.wire import Frames

LOG = logging.getLogger("palazzo.serve")
STEADY_S: Final = 10.0
"""A worker that lived so long is started again at once."""
FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 30.0
TRIES: Final = 3
"""How often a worker may end before any was ready."""
SIGNALS: Final = ("SIGTERM", "SIGINT", "SIGCHLD")


def _signals() -> tuple[signal.Signals, ...]:
    return tuple(signal.Signals[name] for name in SIGNALS)


@dataclass(frozen=True)
class Station:
    """The place of one worker: its number, its sockets, and what it shares with the others."""

    number: int
    listening: socket.socket
    local: socket.socket | None
    """The Unix socket of the daemon, which all workers share."""
    working: HubWorking
    life: socket.socket
    """Ends when the first process does."""


@dataclass
class _Worker:
    number: int
    listening: socket.socket
    pid: int = 0
    hub: Hub | None = None
    life: socket.socket | None = None
    began: float = 0.0
    wait_s: float = 0.0
    due: float = 0.0

    def leave(self) -> None:
        for one in (self.hub.connection if self.hub else None, self.life):
            if one is not None:
                one.close()
        self.pid, self.hub, self.life = 0, None, None


class Workers:
    """The first process of a daemon with several workers."""

    def __init__(
        self, listening: list[socket.socket], local: socket.socket | None, work: Callable[[Station], None]
    ) -> None:
        self._workers = [_Worker(number, one) for number, one in enumerate(listening, 1)]
        self._local = local
        self._work = work
        self._store = LocalWorking()
        self._selector = selectors.DefaultSelector()
        self._stops = 0
        self._failed = 0

    def run(self, ready: Callable[[], None]) -> None:
        """Runs the workers until a signal ends them; `ready` is called once all of them take requests.

        Raises: PartUnavailable when none of them can begin.
        """
        told = False
        with self._signals() as woken:
            self._selector.register(woken, selectors.EVENT_READ)
            while not self._stops or any(worker.pid for worker in self._workers):
                self._start_due()
                self._listen(woken)
                self._bury()
                if not told and all(worker.hub is not None and worker.hub.ready for worker in self._workers):
                    told = True
                    ready()
                if not told and self._failed >= TRIES:
                    self._stop()
            if not told and self._failed >= TRIES:
                raise PartUnavailable("no worker could begin", part="workers", hint="the log says why")

    @contextmanager
    def _signals(self) -> Iterator[socket.socket]:
        """Wakes the loop for signals; what a signal means is decided in the loop."""
        woken, waker = socket.socketpair()
        woken.setblocking(False)
        waker.setblocking(False)
        before = {number: signal.signal(number, self._noted) for number in _signals()}
        signal.set_wakeup_fd(waker.fileno())
        try:
            yield woken
        finally:
            signal.set_wakeup_fd(-1)
            for number, old in before.items():
                signal.signal(number, old)
            self._selector.close()
            woken.close()
            waker.close()

    def _noted(self, number: int, _frame: object) -> None:
        if number != signal.SIGCHLD:
            self._stop()

    def _stop(self) -> None:
        self._stops += 1
        for worker in self._workers:
            if worker.pid:
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGTERM)

    def _start_due(self) -> None:
        now = time.monotonic()
        for worker in self._workers:
            if not worker.pid and not self._stops and worker.due <= now:
                self._start(worker)

    def _start(self, worker: _Worker) -> None:
        ours, theirs = socket.socketpair()
        life, held = socket.socketpair()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            self._become(worker, Station(worker.number, worker.listening, self._local, HubWorking(theirs), life),
                         (ours, held))  # fmt: skip
        theirs.close()
        life.close()
        worker.pid, worker.hub, worker.life = pid, Hub(ours, self._store), held
        worker.began = time.monotonic()
        self._selector.register(ours, selectors.EVENT_READ, worker)

    def _become(self, worker: _Worker, station: Station, others: tuple[socket.socket, ...]) -> None:
        """In the child: lets go of what is the first process's, works, and ends without what the parent would do."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in _signals():
                signal.signal(number, signal.SIG_DFL)
            os.setpgid(0, 0)  # Ctrl-C on a terminal is for the first process, which then asks its workers to stop
            self._selector.close()
            for one in (*others, *(other.listening for other in self._workers if other is not worker)):
                one.close()
            for other in self._workers:
                other.leave()
            self._work(station)
            code = 0
        except PalazzoError as error:
            log("worker_failed", worker=worker.number, code=error.code, message=error.message)
        except Exception:
            LOG.error("worker_failed", exc_info=True, extra={"told": {"worker": worker.number}})
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _listen(self, woken: socket.socket) -> None:
        dues = [worker.due for worker in self._workers if not worker.pid]
        wait = max(0.0, min(dues) - time.monotonic()) if dues and not self._stops else None
        for key, _ in self._selector.select(wait):
            worker: _Worker | None = key.data
            if worker is None:
                with suppress(BlockingIOError):
                    woken.recv(4096)
            elif worker.hub is not None and not worker.hub.answer():
                self._selector.unregister(worker.hub.connection)

    def _bury(self) -> None:
        """Notes workers that ended, and when each is to be followed by another."""
        for worker in self._workers:
            if not worker.pid:
                continue
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            if not pid:
                continue
            was_ready = worker.hub is not None and worker.hub.ready
            if worker.hub is not None:
                with suppress(KeyError):
                    self._selector.unregister(worker.hub.connection)
            worker.leave()
            if self._stops:
                continue
            now = time.monotonic()
            steady = was_ready and now - worker.began >= STEADY_S
            worker.wait_s = 0.0 if steady else min(max(FIRST_WAIT_S, worker.wait_s * 2), LONGEST_WAIT_S)
            worker.due = now + worker.wait_s
            self._failed += not was_ready
            log(
                "worker_ended", worker=worker.number, pid=pid, code=os.waitstatus_to_exitcode(status),
                again_in_s=worker.wait_s,
            )  # fmt: skip


class Shift(NamedTuple):
    """What every worker of a daemon needs to know."""

    settings: Settings
    plan: ServePlan
    limits: DaemonLimits
    ask: Ask
    reads_only: bool


def serve_with(count: int, shift: Shift, listens: Callable[[str], None]) -> None:
    """Serves a palace with so many workers until a signal ends them; `listens` is told the address.

    Raises: PartUnavailable when it cannot listen, or no worker can begin.
    """
    if not hasattr(os, "fork"):
        raise PartUnavailable("this system cannot fork", part="workers", hint="leave --workers out: one process serves")
    plan = shift.plan
    listening = _listening(plan, count)
    port = int(listening[0].getsockname()[1])
    local = None if shift.reads_only else bind_local(plan.socket)
    url = url_of(plan, port)

    def ready() -> None:
        socket_file = "" if local is None else str(plan.socket)
        log(
            "serving", url=url, socket=socket_file, pid=os.getpid(), read_only=shift.reads_only, workers=count,
        )  # fmt: skip
        listens(url)

    with TemporaryDirectory(prefix="palazzo-page-") as carried:
        try:
            Workers(listening, local, lambda station: _work(station, shift, count, Path(carried))).run(ready)
        finally:
            for one in (*listening, *(() if local is None else (local,))):
                one.close()
            if local is not None:
                plan.socket.unlink(missing_ok=True)
    log("stopped")


def _listening(plan: ServePlan, count: int) -> list[socket.socket]:
    """A socket for each worker, all on one port."""
    if not sys.platform.startswith("linux"):  # elsewhere the option does not deal connections out
        return [bound(plan)] * count
    first = bound(plan, one_of_many=True)
    same = replace(plan, port=int(first.getsockname()[1]))
    return [first, *(bound(same, one_of_many=True) for _ in range(count - 1))]


def _work(station: Station, shift: Shift, count: int, carried: Path) -> None:
    """In a worker: opens the palace, serves it, closes it."""
    engine = open_engine(shift.settings, ask=shift.ask, near=station.working)
    post = Post(listening=station.listening, local=station.local, carried=carried, life=station.life)

    async def run() -> None:
        workplace = Workplace(station.number, count, station.working)
        service = Service(engine, identify(engine), shift.limits, workplace)
        try:
            await work(service, shift.plan, post, lambda _url: station.working.tell_ready())
        finally:
            service.close()

    with engine:
        asyncio.run(run())


METHODS: Final = frozenset({"get", "put", "drop", "take", "count", "push", "listed"})
PATIENCE_S: Final = 10.0
_LIMIT: Final = 64 << 20
_ASKED = msgspec.msgpack.Decoder(tuple[str, list[Any]])


class HubWorking:
    """The working store of a worker. Threads share it."""

    shared = True
    trouble = ""

    def __init__(self, connection: socket.socket) -> None:
        self._frames = Frames(connection)
        self._lock = ForkLock()
        self._alone = LocalWorking()

    def get(self, key: str) -> str | None:
        found: str | None = self._ask("get", key)
        return found

    def put(self, key: str, value: str, ttl_s: float) -> None:
        self._ask("put", key, value, ttl_s)

    def drop(self, prefix: str) -> int:
        return int(self._ask("drop", prefix))

    def take(self, key: str, most: int, window_us: int, now_us: int) -> int:
        return int(self._ask("take", key, most, window_us, now_us))

    def count(self, key: str, most: int, ttl_s: float) -> bool:
        return bool(self._ask("count", key, most, ttl_s))

    def push(self, key: str, value: str, most: int, ttl_s: float) -> None:
        self._ask("push", key, value, most, ttl_s)

    def listed(self, key: str) -> tuple[str, ...]:
        return tuple(self._ask("listed", key))

    def tell_ready(self) -> None:
        """Says that this worker takes requests."""
        with self._lock, suppress(OSError):
            self._frames.write(msgspec.msgpack.encode(("ready", [])))

    def _ask(self, name: str, *given: Any) -> Any:
        with self._lock:
            try:
                self._frames.write(msgspec.msgpack.encode((name, given)))
                told = self._frames.read()
            except OSError:
                told = None
        return getattr(self._alone, name)(*given) if told is None else msgspec.msgpack.decode(told)


class Hub:
    """The other end, for one worker: answers out of a store whenever its socket can be read."""

    def __init__(self, connection: socket.socket, store: LocalWorking) -> None:
        self.connection = connection
        connection.settimeout(PATIENCE_S)
        self._frames = Frames(connection, _LIMIT)
        self._store = store
        self.ready = False

    def answer(self) -> bool:
        """Answers what has come; False when the worker has left, or says what no worker says."""
        try:
            while True:
                frame = self._frames.read()
                if frame is None:
                    return False
                name, given = _ASKED.decode(frame)
                if name in METHODS:
                    self._frames.write(msgspec.msgpack.encode(getattr(self._store, name)(*given)))
                elif name == "ready":
                    self.ready = True
                if not self._frames.waiting:
                    return True
        except (OSError, OverflowError, msgspec.DecodeError, TypeError):
            return False
