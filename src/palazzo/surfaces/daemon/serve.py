"""The daemon: HTTP, the Unix socket and MCP over HTTP on one palace, in one event loop; or in one of several workers.

Owns starting, signals and stopping. Invariants: one daemon serves a palace at a time, held by a lock that dies with the
process that has it; on SIGTERM or SIGINT no new work is taken, requests that run are finished, the palace is closed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
import uvicorn

from palazzo.errors import PalaceBusy, PalazzoError, PartUnavailable
from palazzo.files import extras, forks
from palazzo.operations.talk.run import QUEUE
from palazzo.surfaces.daemon.service import DaemonLimits, Service, log
from palazzo.surfaces.http.app import HttpApp, Mounted
from palazzo.surfaces.http.messages import LOCAL, Door, connection_class
from palazzo.surfaces.socket.server import SocketServer, bind_local
from palazzo.surfaces.web.site import Site

FINISH_S: Final = 20
LOCK: Final = "serve.lock"
SETTLE_S: Final = 2.0
"""How often a daemon looks which adapters of capture are to run."""
BREATH_S: Final = 0.02
"""Between two steps of what is read ahead: calls come first."""
COUNTERS_S: Final = 1.0
QUEUE_S: Final = 2.0
"""How often is looked whether sessions are queued."""
WOKEN: Final = ("understand", "settle", "audits")
"""The jobs that read what a session said."""


class ServePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how to serve. Port 0 takes a free one; the log's first line says which."""

    socket: Path
    host: str = "127.0.0.1"
    port: int = 7777
    tls_cert: str = ""
    tls_key: str = ""
    insecure: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    toolset: str = "core"
    dbus: bool = False
    """Whether to stand on the session bus too; one process does."""

    @property
    def door(self) -> Door:
        names = {name.lower() for name in self.hosts} | {self.host} | LOCAL
        return Door(frozenset(names), frozenset(self.origins))


class _Listener(uvicorn.Server):
    """uvicorn without its signal handlers, which would end the process before the palace is closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


Ready = Callable[[str], None]
"""Told the address once the daemon listens."""


@contextmanager
def only_one(folder: Path, *, reads_only: bool = False) -> Iterator[Ready]:
    """Holds the right to serve a palace; daemons that only read do without, for they are in nobody's way. What it gives
    writes the address into the lock, where `served_at` finds it.

    Raises: PalaceBusy when another daemon has it.
    """
    if reads_only:
        yield lambda _url: None
        return
    with (folder / LOCK).open("a", encoding="ascii") as file:
        if not forks.lock(file.fileno(), wait=False):
            raise PalaceBusy("another daemon serves this palace", hint="stop it first, or use it")
        (folder / LOCK).chmod(0o600)

        def ready(url: str) -> None:
            file.truncate(0)
            file.write(url)
            file.flush()

        try:
            yield ready
        finally:
            file.truncate(0)


def served_at(folder: Path) -> str:
    """The address of the daemon that serves a palace; empty where none does."""
    try:
        with (folder / LOCK).open("r+", encoding="ascii") as file:
            if not forks.lock(file.fileno(), wait=False):
                return file.read()
    except FileNotFoundError:
        pass
    return ""


def bound(plan: ServePlan, *, one_of_many: bool = False) -> socket.socket:
    """A socket that listens; as one of many the system deals connections out among those on the same port.

    Raises: PartUnavailable.
    """
    family = socket.AF_INET6 if ":" in plan.host else socket.AF_INET
    # The protocol is named: asyncio turns Nagle's algorithm off only then, and with it an answer waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if one_of_many:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listening.bind((plan.host, plan.port))
        listening.listen(2048)
        return listening
    except OSError as error:
        listening.close()
        raise PartUnavailable(
            f"cannot listen on {plan.host}:{plan.port}: {error.strerror}", part="http", hint="choose another --port"
        ) from error


@asynccontextmanager
async def _mcp(service: Service, toolset: str, *, stateless: bool) -> AsyncIterator[Mounted | None]:
    """MCP over HTTP, if the SDK is installed."""
    if find_spec("mcp") is None:
        yield None
        return
    from palazzo.surfaces.mcp.http import mounted

    async with mounted(service, toolset, stateless=stateless) as app:
        yield app


def _bus(service: Service) -> AbstractAsyncContextManager[None]:
    """The session bus.

    Raises: PartUnavailable when what speaks to it is not installed.
    """
    extras.need("dbus_fast", "dbus", "dbus-fast is not installed")
    from palazzo.surfaces.dbus.server import on_the_bus

    return on_the_bus(service)


async def _rested(service: Service, wait_s: float) -> bool:
    """Waits for the next look; True when sessions are queued that should be read sooner."""
    until = time.monotonic() + wait_s
    while not service.stopping.is_set() and (left := until - time.monotonic()) > 0:
        with suppress(TimeoutError):
            await asyncio.wait_for(service.stopping.wait(), min(left, QUEUE_S))
        if await service.work(service.engine.working.drop, QUEUE):
            return True
    return False


async def _watch(service: Service) -> None:
    """Keeps the adapters of capture running that are on, while the daemon does."""
    engine = service.engine
    told: dict[str, str] = {}
    try:
        while not service.stopping.is_set():
            try:
                await service.work(engine.seeing.settle)
            except PalazzoError as error:
                log("capture", code=error.code)
            for name, why in engine.capture.said.items():
                if told.get(name) != why:
                    log("capture", adapter=name, why=why)
            told = dict(engine.capture.said)
            with suppress(TimeoutError):
                await asyncio.wait_for(service.stopping.wait(), SETTLE_S)
    finally:
        await asyncio.to_thread(engine.seeing.close)


async def _look_after(service: Service) -> None:
    """Runs, while the daemon does, the jobs whose turn has come, one after the other; each yields to calls."""
    engine = service.engine
    wait_s = engine.care_rules.heartbeat_s
    while not service.stopping.is_set():
        woken = await _rested(service, wait_s)
        engine.retune()
        jobs = engine.jobs
        jobs.pause = service.yield_to_calls
        wait_s = engine.care_rules.heartbeat_s
        try:
            await service.work(engine.pressure.relieve)  # each process has memory of its own
            due = await service.work(jobs.due)
            for name in (*(one for one in WOKEN if woken and one not in due), *due):
                if service.stopping.is_set():
                    return
                made = await service.work(jobs.run, name)
                wait_s = min(wait_s, 1.0) if made.report.more else wait_s
                if made.error or not made.report.idle:
                    log(name, state=made.state, **made.report.counts, **({"error": made.error} if made.error else {}))
        except PalazzoError as error:
            log("jobs", code=error.code)


async def _warm_up(service: Service) -> None:
    """Reads what a recall needs before anybody asks, a little at a time: no turn waits for it."""
    try:
        while not service.stopping.is_set() and await service.work(service.engine.made_ready):
            with suppress(TimeoutError):
                await asyncio.wait_for(service.stopping.wait(), BREATH_S)
    except PalazzoError as error:
        log("warm_up", code=error.code)


async def _tell_counters(service: Service) -> None:
    """Lets the other workers know what this one counted: whichever is asked tells of all."""
    while not service.stopping.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(service.stopping.wait(), COUNTERS_S)
        await service.work(service.share_counters)


def url_of(plan: ServePlan, port: int) -> str:
    """Where clients find a daemon."""
    scheme = "https" if plan.tls_cert else "http"
    return f"{scheme}://[{plan.host}]:{port}" if ":" in plan.host else f"{scheme}://{plan.host}:{port}"


async def serve(service: Service, plan: ServePlan, ready: Ready = lambda _url: None) -> None:
    """Serves until a signal comes, then finishes what runs.

    Raises: PartUnavailable when it cannot listen.
    """
    listening = bound(plan)
    reads_only = service.engine.store.read_only

    def told(url: str) -> None:
        log("serving", url=url, socket="" if reads_only else str(plan.socket), pid=os.getpid(), read_only=reads_only)
        ready(url)

    with TemporaryDirectory(prefix="palazzo-page-") as carried:
        local = None if reads_only else bind_local(plan.socket)  # the socket is a file in the folder
        try:
            await work(service, plan, Post(listening=listening, local=local, carried=Path(carried)), told)
        finally:
            if local is not None:
                plan.socket.unlink(missing_ok=True)
    log("stopped")


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """Where a process serves: its sockets, and a folder for what is on its way through the dashboard.

    `life` ends when the first process of a daemon with several workers does; None in a daemon of one.
    """

    listening: socket.socket
    local: socket.socket | None
    carried: Path
    life: socket.socket | None = None


async def work(service: Service, plan: ServePlan, post: Post, ready: Ready) -> None:
    """Serves on open sockets until a signal comes or the first process is gone, then finishes what runs."""
    port = int(post.listening.getsockname()[1])
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        stack.callback(post.listening.close)
        if plan.dbus and post.life is None:
            await stack.enter_async_context(_bus(service))
        mcp = await stack.enter_async_context(_mcp(service, plan.toolset, stateless=post.life is not None))
        site = Site(service, port, post.carried, secure=bool(plan.tls_cert))
        http = _Listener(_config(HttpApp(service, plan.door, mcp, site), plan, service.limits))
        if post.local is not None:
            sockets = SocketServer(service, post.local)
            sockets.start()
            stack.push_async_callback(asyncio.to_thread, sockets.stop)

        def stop() -> None:
            http.force_exit = service.stopping.is_set()  # a second signal does not wait
            service.stopping.set()
            http.should_exit = True

        def orphaned() -> None:
            loop.remove_reader(post.life)  # type: ignore[arg-type]
            stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop)
            stack.callback(loop.remove_signal_handler, number)
        alone = service.engine.store.read_only
        beside = [] if alone else [asyncio.create_task(one(service)) for one in (_look_after, _watch)]
        beside.append(asyncio.create_task(_warm_up(service)))
        if post.life is not None:
            loop.add_reader(post.life, orphaned)
            stack.callback(loop.remove_reader, post.life)
            beside.append(asyncio.create_task(_tell_counters(service)))
        ready(url_of(plan, port))
        await http.serve(sockets=[post.listening])
        service.stopping.set()
        await asyncio.gather(*beside)


def _config(app: HttpApp, plan: ServePlan, limits: DaemonLimits) -> uvicorn.Config:
    return uvicorn.Config(
        app, http=connection_class(limits),
        log_config=None, access_log=False, lifespan="off", ws="none", server_header=False, proxy_headers=False,
        timeout_graceful_shutdown=FINISH_S, timeout_keep_alive=75, ssl_certfile=plan.tls_cert or None,
        ssl_keyfile=plan.tls_key or None,
    )  # fmt: skip
