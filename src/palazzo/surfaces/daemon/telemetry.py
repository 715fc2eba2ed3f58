"""What the daemon tells of itself: a log of one JSON object a line on standard error, and counters as Prometheus reads
them.

Owns both forms: ids, names, codes and times; never a subject's address or content. A line takes only the fields its
caller names; messages of other libraries keep their text but lose their arguments' values beyond what they print at
level info and above. Invariants: what a request carried is not logged; counting is a few additions under a lock and
cannot fail a request.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TextIO

from palazzo import __version__
from palazzo.model.fork_lock import ForkLock

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


def set_up(level: str, stream: TextIO | None = None) -> None:
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


class Metrics:
    """Counters of one process."""

    def __init__(self) -> None:
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

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        with self._lock:
            requests, opened = dict(self._requests), dict(self._open)
            buckets = {surface: list(counts) for surface, counts in self._buckets.items()}
            seconds = dict(self._seconds)
        lines = ["# TYPE palazzo_build_info gauge", f'palazzo_build_info{{version="{__version__}"}} 1']
        lines += ["# TYPE palazzo_uptime_seconds gauge", f"palazzo_uptime_seconds {time.monotonic() - self._began:.3f}"]
        lines += ["# TYPE palazzo_resident_bytes gauge", f"palazzo_resident_bytes {resident_bytes()}"]
        lines += ["# TYPE palazzo_requests_total counter"]
        for (surface, operation, code), number in sorted(requests.items()):
            lines.append(
                f'palazzo_requests_total{{surface="{surface}",operation="{operation}",code="{code}"}} {number}'
            )
        lines += ["# TYPE palazzo_request_seconds histogram"]
        for surface, counts in sorted(buckets.items()):
            total = 0
            for bound, number in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += number
                lines.append(f'palazzo_request_seconds_bucket{{surface="{surface}",le="{bound}"}} {total}')
            lines.append(f'palazzo_request_seconds_sum{{surface="{surface}"}} {seconds[surface]:.6f}')
            lines.append(f'palazzo_request_seconds_count{{surface="{surface}"}} {total}')
        lines += ["# TYPE palazzo_open gauge"]
        lines += [f'palazzo_open{{what="{what}"}} {number}' for what, number in sorted(opened.items())]
        return "\n".join(lines) + "\n"


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
