"""Who may knock: the Host and Origin of a request, where the daemon may listen, and how long a connection may take.

Owns the checks that need no palace, and the clock of uvicorn's connections between requests, for uvicorn waits for
headers without end; the clock of a body is `messages`'. A page in a browser can send requests to 127.0.0.1 and, with a
name server of its own, make them look local; the Host check stops the second, the Origin check the first. Invariants:
without TLS or an explicit word nothing listens beyond this machine; a deadline runs from the first byte, or from the
opening of the connection, and no later byte moves it; nothing is cut off while an answer is worked out or sent.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from palazzo.errors import InvalidInput
from palazzo.surfaces.daemon.service import DaemonLimits
from palazzo.surfaces.http.messages import HttpReply, problem
from palazzo.surfaces.wire import BUSY, TOO_SLOW, Fault

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def check_bind(host: str, *, tls: bool, insecure: bool) -> None:
    """Raises: InvalidInput when the daemon would be reached from other machines without TLS."""
    if not is_loopback(host) and not tls and not insecure:
        raise InvalidInput(
            f"{host} is reached from other machines, and tokens would cross the network in clear", field="host",
            hint="give --tls-cert and --tls-key, or --insecure where something else in front encrypts",
        )  # fmt: skip


def _name(host: str) -> str:
    """A Host without its port."""
    return (urlsplit(f"//{host}").hostname or "").lower()


def _origin_host(origin: str) -> str | None:
    """The host and port of an Origin; None for one that is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Door:
    """The names this daemon answers to, and the origins beside its own whose pages may call it."""

    hosts: frozenset[str] = LOCAL
    origins: frozenset[str] = frozenset()

    def refusal(self, host: str, origin: str) -> HttpReply | None:
        """Why a request is not let in; None when it is."""
        try:
            known = _name(host) in self.hosts
        except ValueError:
            known = False
        if not known:
            return problem(421, Fault("host_refused", "this server has another name", "see --allow-host"))
        if origin and origin not in self.origins and _origin_host(origin) != host:
            return problem(403, Fault("origin_refused", "pages of this origin may not call", "see --allow-origin"))
        return None


def connection_class(limits: DaemonLimits) -> type[asyncio.Protocol]:
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

        def _leave(self, reply: HttpReply) -> None:
            self.transport.write(reply.raw())
            self.transport.close()

    return Connection
