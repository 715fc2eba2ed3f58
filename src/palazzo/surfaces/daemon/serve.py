"""The daemon: HTTP, the Unix socket and MCP over HTTP on one palace, in one process and one event loop.

Owns starting, signals and stopping. Invariants: one daemon serves a palace at a time, held by a lock that dies with the
process; on SIGTERM or SIGINT no new work is taken, requests that run are finished, and the palace is closed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec
import uvicorn

from palazzo.errors import PalaceBusy, PalazzoError, PartUnavailable
from palazzo.files import handles
from palazzo.surfaces.daemon.service import DaemonLimits, Service, log
from palazzo.surfaces.http.app import HttpApp, Mounted
from palazzo.surfaces.http.messages import LOCAL, Door, connection_class
from palazzo.surfaces.socket.server import SocketServer
from palazzo.surfaces.web.site import Site

FINISH_S: Final = 20
LOCK: Final = "serve.lock"


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
        if not handles.lock(file.fileno(), wait=False):
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
            if not handles.lock(file.fileno(), wait=False):
                return file.read()
    except FileNotFoundError:
        pass
    return ""


def _bound(plan: ServePlan) -> socket.socket:
    family = socket.AF_INET6 if ":" in plan.host else socket.AF_INET
    # The protocol is named: asyncio turns Nagle's algorithm off only then, and with it an answer waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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
async def _mcp(service: Service, toolset: str) -> AsyncIterator[Mounted | None]:
    """MCP over HTTP, if the SDK is installed."""
    if find_spec("mcp") is None:
        yield None
        return
    from palazzo.surfaces.mcp.http import mounted

    async with mounted(service, toolset) as app:
        yield app


async def _look_after(service: Service) -> None:
    """Runs, while the daemon does, the jobs whose turn has come, one after the other; each yields to calls."""
    engine = service.engine
    wait_s = engine.care_rules.heartbeat_s
    while not service.stopping.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(service.stopping.wait(), wait_s)
        engine.retune()
        jobs = engine.jobs
        jobs.pause = service.yield_to_calls
        wait_s = engine.care_rules.heartbeat_s
        try:
            for name in await service.work(jobs.due):
                if service.stopping.is_set():
                    return
                made = await service.work(jobs.run, name)
                wait_s = min(wait_s, 1.0) if made.report.more else wait_s
                if made.error or not made.report.idle:
                    log(name, state=made.state, **made.report.counts, **({"error": made.error} if made.error else {}))
        except PalazzoError as error:
            log("jobs", code=error.code)


async def serve(service: Service, plan: ServePlan, ready: Ready = lambda _url: None) -> None:
    """Serves until a signal comes, then finishes what runs.

    Raises: PartUnavailable when it cannot listen.
    """
    listening = _bound(plan)
    port = int(listening.getsockname()[1])
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        stack.callback(listening.close)
        mcp = await stack.enter_async_context(_mcp(service, plan.toolset))
        site = Site(service, port, secure=bool(plan.tls_cert))
        stack.callback(site.close)
        app = HttpApp(service, plan.door, mcp, site)
        http = _Listener(_config(app, plan, service.limits))
        reads_only = service.engine.store.read_only
        if not reads_only:  # the socket is a file in the folder
            sockets = SocketServer(service, plan.socket)
            sockets.start()
            stack.push_async_callback(asyncio.to_thread, sockets.stop)

        def stop() -> None:
            http.force_exit = service.stopping.is_set()  # a second signal does not wait
            service.stopping.set()
            http.should_exit = True

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop)
            stack.callback(loop.remove_signal_handler, number)
        scheme = "https" if plan.tls_cert else "http"
        path = "" if reads_only else str(plan.socket)
        url = f"{scheme}://[{plan.host}]:{port}" if ":" in plan.host else f"{scheme}://{plan.host}:{port}"
        log("serving", url=url, socket=path, pid=os.getpid(), read_only=reads_only)
        ready(url)
        looking = None if reads_only else asyncio.create_task(_look_after(service))
        await http.serve(sockets=[listening])
        service.stopping.set()
        if looking is not None:
            await looking
    log("stopped")


def _config(app: HttpApp, plan: ServePlan, limits: DaemonLimits) -> uvicorn.Config:
    return uvicorn.Config(
        app, http=connection_class(limits),
        log_config=None, access_log=False, lifespan="off", ws="none", server_header=False, proxy_headers=False,
        timeout_graceful_shutdown=FINISH_S, timeout_keep_alive=75, ssl_certfile=plan.tls_cert or None,
        ssl_keyfile=plan.tls_key or None,
    )  # fmt: skip
