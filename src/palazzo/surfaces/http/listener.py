"""uvicorn's connection, with a deadline for the headers of every request and a limit on how many are open.

Owns the clock of a connection between requests; the clock of a body is http_bodies'. uvicorn waits for headers without
end. Invariants: the deadline runs from the first byte, or from the opening of the connection, and no later byte moves
it; nothing is cut off while an answer is worked out or sent.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from palazzo.surfaces.daemon.service import Limits
from palazzo.surfaces.http.replies import Reply, problem
from palazzo.surfaces.wire import BUSY, TOO_SLOW


def connection_class(limits: Limits) -> type[asyncio.Protocol]:
    """The class of connections that keeps these limits."""

    class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """One connection; uvicorn parses, this one watches the clock."""

        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > limits.waiting:
                self._leave(problem(503, BUSY))
            else:
                self._start()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._answering or self.transport.is_closing():
                self._stop()
            else:
                self._start()

        def on_response_complete(self) -> None:
            self._stop()
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        @property
        def _answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _start(self) -> None:
            if self._deadline is None:
                self._deadline = self.loop.call_later(limits.patience_s, self._late)

        def _stop(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _late(self) -> None:
            self._deadline = None
            if self.cycle is None:
                self._leave(problem(408, TOO_SLOW))
            else:  # an answer went out already: what comes is the rest of its body, or half a request after it
                self.transport.close()

        def _leave(self, reply: Reply) -> None:
            self.transport.write(reply.raw())
            self.transport.close()

    return Connection
