"""The daemon's log: one JSON object a line on standard error, with ids, names, codes and times, never content.

Owns the form. A line takes only the fields its caller names; messages of other libraries keep their text but lose
their arguments' values beyond what they print at level info and above. Invariant: what a request carried is not logged.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

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
