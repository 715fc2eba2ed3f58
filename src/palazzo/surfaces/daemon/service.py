"""One open palace behind every network surface: who calls, how many calls run at once, one way to answer.

Owns the crossing from the event loop to the palace, counting and logging. A token made without a
scope may name the scope of a call, one made for a scope is held to it. Surfaces hand over bytes and get bytes back;
decoding, the call and encoding happen in one thread. Invariants: whatever comes in, an answer goes out, and an error
that is not ours is told by its kind alone; never more calls work on the palace at once than the limit.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from palazzo.engine import Engine
from palazzo.errors import PalazzoError
from palazzo.guard import tokens
from palazzo.model.scope import GLOBAL
from palazzo.operations.call import call_once
from palazzo.operations.caller import Caller
from palazzo.surfaces.daemon.telemetry import LOG, Metrics, log
from palazzo.surfaces.wire import Fault, HeldBytes, fault

T = TypeVar("T")
Identify = Callable[[str], Caller | None]
"""From the text of a bearer token to the caller it stands for; None when it stands for nobody."""
UNEXPECTED = Fault("internal", "the server failed; its log says where", "try again; if it persists, report it")


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonLimits:
    """How much a daemon takes on: calls that work on the palace at once, bytes of a request and of all that are held at
    once, calls and connections that wait, and the seconds a client may take to send headers, and again to send a body.

    Each call at work keeps a connection with its page cache, so their number bounds the memory of the daemon.
    """

    threads: int = 4
    request_bytes: int = 8 << 20
    held_bytes: int = 64 << 20
    waiting: int = 1000
    patience_s: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call on its way: by which surface, for whom, what, and the key that makes it run once."""

    surface: str
    caller: Caller
    operation: str
    arguments: Mapping[str, Any] = field(repr=False)
    key: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a call: a result or an error, and whether it is an earlier answer."""

    result: Any = None
    error: PalazzoError | None = None
    replayed: bool = False
    failed: bool = False
    """Whether it failed in a way nobody foresaw."""

    @property
    def fault(self) -> Fault | None:
        if self.failed:
            return UNEXPECTED
        return fault(self.error) if self.error else None


class Service:
    """A palace, open for many callers at once."""

    def __init__(self, engine: Engine, identify: Identify, limits: DaemonLimits = DaemonLimits()) -> None:
        self.engine = engine
        self.identify = identify
        self.limits = limits
        self.metrics = Metrics()
        self.held = HeldBytes(max(limits.held_bytes, limits.request_bytes))
        self.stopping = asyncio.Event()
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="palazzo-serve")
        self._slots = threading.BoundedSemaphore(limits.threads)
        self._busy = 0

    @property
    def overloaded(self) -> bool:
        """Whether so many calls wait that one more would only wait too long."""
        return self._busy >= self.limits.waiting

    async def work(self, job: Callable[..., T], *given: Any) -> T:
        """Runs a job in the pool, for surfaces on the event loop."""
        self._busy += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, partial(self.run, job, *given))
        finally:
            self._busy -= 1

    def run(self, job: Callable[..., T], *given: Any) -> T:
        """Runs a job in this thread, when fewer than the limit run."""
        with self._slots:
            return job(*given)

    def call(self, asked: Asked) -> Told:
        """Calls an operation; for worker threads. Counts and logs it."""
        began = time.perf_counter()
        try:
            result, replayed = call_once(self.engine, asked.caller, asked.operation, asked.arguments, key=asked.key)
            told = Told(result=result, replayed=replayed)
        except PalazzoError as error:
            told = Told(error=error)
        except Exception:  # noqa: BLE001 - the surface boundary: logged by kind and place, never by text
            LOG.error("failed", exc_info=True, extra={"told": {"operation": asked.operation}})
            told = Told(failed=True)
        self.note(asked, told, time.perf_counter() - began)
        return told

    def note(self, asked: Asked, told: Told, seconds: float) -> None:
        """Counts and logs an answered call."""
        code = told.fault.code if told.fault else "ok"
        self.metrics.count(asked.surface, asked.operation, code, seconds)
        log(
            "call", surface=asked.surface, operation=asked.operation, subject=asked.caller.subject, code=code,
            ms=round(seconds * 1000, 2), **({"replayed": True} if told.replayed else {}),
        )  # fmt: skip

    def close(self) -> None:
        """Waits for the calls that run, then closes the palace."""
        self._pool.shutdown(wait=True)
        self.engine.close()


def identify(engine: Engine) -> Identify:
    """How this palace tells its callers apart."""

    def caller_of(text: str) -> Caller | None:
        token = tokens.subject_of(engine.store, text)
        if token is None:
            return None
        return Caller(
            subject=token.subject, scope=token.scope, chooses_scope=token.scope == GLOBAL, session=str(token.id)
        )

    return caller_of
