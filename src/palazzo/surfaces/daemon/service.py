"""One open palace behind every network surface: who calls, how many calls run at once, one way to answer, what is told
of it.

Owns the crossing from the event loop to the palace. A token made without a scope may name the scope of a call, one made
for a scope is held to it. Surfaces hand over bytes and get bytes back; decoding, the call and encoding happen in one
thread. Invariants: whatever comes in, an answer goes out, and an error that is not ours is told by its kind alone;
never more calls work on the palace at once than the limit.

Owns the log, one JSON object a line on standard error, and the counters as Prometheus reads them: ids, names, codes and
times; never a subject's address or content. A line takes only the fields its caller names; messages of other libraries
keep their text but lose their arguments' values beyond what they print at level info and above. Invariants: what a
request carried is not logged; counting is a few additions under a lock and cannot fail a request.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TextIO, TypeVar

import msgspec

from palazzo import __version__
from palazzo.adapters.working import LocalWorking
from palazzo.engine import Engine
from palazzo.errors import PalazzoError
from palazzo.files import raw_files
from palazzo.guard import access
from palazzo.model.capability import Token
from palazzo.model.fork_lock import ForkLock
from palazzo.model.scope import GLOBAL
from palazzo.operations.call import call_once
from palazzo.operations.caller import Caller
from palazzo.ports import Working
from palazzo.surfaces.wire import Fault, HeldBytes, fault

LOG = logging.getLogger("palazzo.serve")
_QUIET = ("mcp", "uvicorn.access", "uvicorn.asgi", "anyio", "asyncio")


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        told.update(getattr(record, "told", {}))
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
            told["where"] = _where(record)
        return json.dumps(told)


def _where(record: logging.LogRecord) -> list[str]:
    """The frames of a traceback as module and line: exception texts may quote what was asked."""
    trace = record.exc_info[2] if record.exc_info else None
    frames = []
    while trace is not None:
        frames.append(f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}")
        trace = trace.tb_next
    return frames[-8:]


def set_up_log(level: str, stream: TextIO | None = None) -> None:
    """Sends the daemon's log lines to standard error; other libraries only from warnings on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    LOG.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.ERROR)


def log(event: str, **told: Any) -> None:
    """One line about something that happened."""
    LOG.info(event, extra={"told": told})


BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Counters(msgspec.Struct, frozen=True):
    """What one process counted, as the others are told of it."""

    worker: int
    up_s: float
    resident: int
    requests: list[tuple[str, str, str, int]]
    buckets: dict[str, list[int]]
    seconds: dict[str, float]
    open: dict[str, int]


class Metrics:
    """Counters of one process."""

    def __init__(self, worker: int = 0) -> None:
        self._worker = worker
        self._lock = ForkLock()
        self._began = time.monotonic()
        self._requests: dict[tuple[str, str, str], int] = defaultdict(int)
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self._open: dict[str, int] = defaultdict(int)

    def count(self, surface: str, operation: str, code: str, seconds: float) -> None:
        """One answered request; `code` is `ok` or the code of the error."""
        slot = next((n for n, bound in enumerate(BUCKETS) if seconds <= bound), len(BUCKETS))
        with self._lock:
            self._requests[surface, operation, code] += 1
            self._buckets[surface][slot] += 1
            self._seconds[surface] += seconds

    def opened(self, what: str, change: int) -> None:
        """A connection or stream was opened (1) or closed (-1)."""
        with self._lock:
            self._open[what] += change

    def counted(self) -> Counters:
        """Everything so far."""
        with self._lock:
            return Counters(
                self._worker, time.monotonic() - self._began, raw_files.resident_bytes(),
                [(*key, number) for key, number in sorted(self._requests.items())],
                {surface: list(counts) for surface, counts in self._buckets.items()}, dict(self._seconds),
                dict(self._open),
            )  # fmt: skip


def metrics_text(every: Sequence[Counters]) -> str:
    """Counters as Prometheus reads them; those of workers say whose they are."""
    lines = ["# TYPE palazzo_build_info gauge", f'palazzo_build_info{{version="{__version__}"}} 1']
    for name, kind, rows in (
        ("uptime_seconds", "gauge", _uptime), ("resident_bytes", "gauge", _resident),
        ("requests_total", "counter", _requests), ("request_seconds", "histogram", _request_seconds),
        ("open", "gauge", _opened),
    ):  # fmt: skip
        lines.append(f"# TYPE palazzo_{name} {kind}")
        for one in every:
            own = f'worker="{one.worker}",' if one.worker else ""
            for part, labels, value in rows(one):
                told = f"{own}{labels}".rstrip(",")
                lines.append(f"palazzo_{name}{part}{f'{{{told}}}' if told else ''} {value}")
    return "\n".join(lines) + "\n"


_Rows = Iterator[tuple[str, str, str]]


def _uptime(one: Counters) -> _Rows:
    yield "", "", f"{one.up_s:.3f}"


def _resident(one: Counters) -> _Rows:
    yield "", "", str(one.resident)


def _requests(one: Counters) -> _Rows:
    for surface, operation, code, number in one.requests:
        yield "", f'surface="{surface}",operation="{operation}",code="{code}"', str(number)


def _request_seconds(one: Counters) -> _Rows:
    for surface, counts in sorted(one.buckets.items()):
        total = 0
        for bound, number in zip((*BUCKETS, "+Inf"), counts, strict=True):
            total += number
            yield "_bucket", f'surface="{surface}",le="{bound}"', str(total)
        yield "_sum", f'surface="{surface}"', f"{one.seconds[surface]:.6f}"
        yield "_count", f'surface="{surface}"', str(total)


def _opened(one: Counters) -> _Rows:
    for what, number in sorted(one.open.items()):
        yield "", f'what="{what}"', str(number)


T = TypeVar("T")
Identify = Callable[[str], Caller | None]
"""From the text of a bearer token to the caller it stands for; None when it stands for nobody."""
YIELD_S: Final = 0.5
YIELDS: Final = 60
UNEXPECTED = Fault("internal", "the server failed; its log says where", "try again; if it persists, report it")


class DaemonLimits(msgspec.Struct, frozen=True, kw_only=True):
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


class Told(msgspec.Struct, frozen=True):
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


class Workplace(msgspec.Struct, frozen=True):
    """Which of how many workers a process is, and what they share; 0 of 1 in a daemon of one process."""

    number: int
    of: int
    near: Working


ALONE: Final = Workplace(0, 1, LocalWorking())
COUNTED_S: Final = 60.0


class Service:
    """A palace, open for many callers at once."""

    def __init__(
        self, engine: Engine, identify: Identify, limits: DaemonLimits = DaemonLimits(), workers: Workplace = ALONE
    ) -> None:
        self.engine = engine
        self.identify = identify
        self.limits = limits
        self.workplace = workers
        self.metrics = Metrics(workers.number)
        self.held = HeldBytes(max(limits.held_bytes, limits.request_bytes))
        self.stopping = asyncio.Event()
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="palazzo-serve")
        self._slots = threading.BoundedSemaphore(limits.threads)
        self._busy = 0

    def share_counters(self) -> None:
        """Lets the other workers of this daemon know what this one counted."""
        told = msgspec.json.encode(self.metrics.counted()).decode()
        self.workplace.near.put(f"metrics:{self.workplace.number}", told, COUNTED_S)

    def every_counter(self) -> list[Counters]:
        """What this process counted just now, and its fellow workers a moment ago."""
        here = self.workplace
        others = (here.near.get(f"metrics:{number}") for number in range(1, here.of + 1) if number != here.number)
        found = [msgspec.json.decode(told, type=Counters) for told in others if told]
        return sorted([self.metrics.counted(), *found], key=lambda one: one.worker)

    @property
    def ready(self) -> bool:
        """Whether a request that came now would be taken: the palace answers, nothing stops and not too much waits."""
        if self.stopping.is_set() or self.overloaded:
            return False
        try:
            self.engine.journal_end()
        except PalazzoError:
            return False
        return True

    @property
    def overloaded(self) -> bool:
        """Whether so many calls wait that one more would only wait too long."""
        return self._busy >= self.limits.waiting

    def yield_to_calls(self) -> None:
        """Waits, in a job's thread, while calls are at work: half a minute at most, and not in a daemon that stops."""
        for _ in range(YIELDS):
            if self._busy <= 1 or self.stopping.is_set():  # the job itself is one
                return
            time.sleep(YIELD_S)

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
        except Exception:
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
            **({"worker": self.workplace.number} if self.workplace.number else {}),
        )  # fmt: skip

    def close(self) -> None:
        """Waits for the calls that run, then closes the palace."""
        self._pool.shutdown(wait=True)
        self.engine.close()


def caller_of(token: Token) -> Caller:
    """Who a token stands for."""
    return Caller(subject=token.subject, scope=token.scope, chooses_scope=token.scope == GLOBAL, session=str(token.id))


def identify(engine: Engine) -> Identify:
    """How this palace tells its callers apart."""

    def by_text(text: str) -> Caller | None:
        token = access.token_of(engine.store, text)
        return None if token is None else caller_of(token)

    return by_text
