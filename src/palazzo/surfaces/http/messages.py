"""Who may knock, HTTP requests' bodies and answers: a body read once it is known who sends it, an answer as a value.

Owns the limits of one body (so large, so long, so many at once) and the form of a problem (application/problem+json,
RFC 9457, with our code and hint beside the standard members). Knows no route and no token; whoever asks for a body has
checked that. Invariants: every answer that is not a success is a problem, also the ones that never reached an
operation; bytes are held only while they are counted; a body that is refused ends its connection, for what is still on
its way would be waited for.

Owns the checks that need no palace (the Host and Origin of a request, where the daemon may listen), and the clock of
uvicorn's connections between requests, for uvicorn waits for headers without end. A page in a browser can send requests
to 127.0.0.1 and, with a name server of its own, make them look local; the Host check stops the second, the Origin check
the first. Invariants: without TLS or an explicit word nothing listens beyond this machine; a deadline runs from the
first byte, or from the opening of the connection, and no later byte moves it; nothing is cut off while an answer is
worked out or sent.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from palazzo.errors import InvalidInput
from palazzo.surfaces.daemon.service import DaemonLimits, Service, Told
from palazzo.surfaces.wire import BUSY, CROWDED, TOO_LARGE, TOO_SLOW, Fault, status_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

JSON: Final = b"application/json"
PROBLEM: Final = b"application/problem+json"
_ALWAYS: Final[Headers] = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
_ENCODER = msgspec.json.Encoder()


class HttpReply(msgspec.Struct, frozen=True):
    """What to answer."""

    status: int
    body: bytes
    type: bytes = JSON
    headers: Headers = ()

    async def send(self, send: Send) -> None:
        """Sends the whole answer."""
        await send({"type": "http.response.start", "status": self.status, "headers": self._all_headers()})
        await send({"type": "http.response.body", "body": self.body})

    def raw(self) -> bytes:
        """The answer as it stands on the wire, for a connection that ends with it before there is a request."""
        first = b"HTTP/1.1 %d %s\r\n" % (self.status, HTTPStatus(self.status).phrase.encode())
        lines = [b"%s: %s\r\n" % header for header in (*self._all_headers(), (b"connection", b"close"))]
        return first + b"".join(lines) + b"\r\n" + self.body

    def _all_headers(self) -> list[tuple[bytes, bytes]]:
        length = (b"content-length", b"%d" % len(self.body))
        own = {name for name, _ in self.headers}
        return [(b"content-type", self.type), length, *(one for one in _ALWAYS if one[0] not in own), *self.headers]


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error as HTTP tells it."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str = ""
    field: str = ""


def problem(status: int, fault: Fault, headers: Headers = ()) -> HttpReply:
    """A fault as an answer."""
    told = Problem(
        type=f"urn:palazzo:problem:{fault.code}", title=fault.code.replace("_", " "), status=status,
        detail=fault.message, code=fault.code, hint=fault.hint, field=fault.field,
    )  # fmt: skip
    if status == 503:
        headers = (*headers, (b"retry-after", b"1"))
    return HttpReply(status, _ENCODER.encode(told), PROBLEM, headers)


def success(result: Any, headers: Headers = ()) -> HttpReply:
    """A result as an answer."""
    return HttpReply(200, _ENCODER.encode(result), JSON, headers)


def answer(told: Told) -> HttpReply:
    """What came of a call, as an answer."""
    if told.fault is not None:
        wait = getattr(told.error, "retry_after_s", None)
        later: Headers = ((b"retry-after", b"%d" % math.ceil(wait)),) if wait else ()
        return problem(status_of(told.error) if told.error else 500, told.fault, later)
    return success(told.result, ((b"idempotency-replayed", b"true"),) if told.replayed else ())


def unauthenticated() -> HttpReply:
    """Nobody in particular asks, and nobody in particular may do nothing."""
    fault = Fault(
        "not_authenticated", "this needs a bearer token that holds",
        "make one with `palazzo token create SUBJECT` and send it as Authorization: Bearer TOKEN",
    )  # fmt: skip
    return problem(401, fault, ((b"www-authenticate", b'Bearer realm="palazzo"'),))


_CLOSE: Final = (b"connection", b"close")
_LINGER_S: Final = 2.0
"""How long what is left of a refused body is let pass before the connection ends."""


class _Refused(Exception):
    """A body that is not taken, with the answer that says why."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def ends_connection(reply: HttpReply, scope: Scope) -> HttpReply:
    """An answer that is given before the body was read; the connection ends with it where one is on its way."""
    if _CLOSE in reply.headers or not _has_body(scope):
        return reply
    return replace(reply, headers=(*reply.headers, _CLOSE))


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )


@asynccontextmanager
async def body_of(service: Service, scope: Scope, receive: Receive) -> AsyncIterator[bytes | HttpReply]:
    """The whole body for as long as the block lasts, or the answer that refuses it."""
    taken = 0
    parts: list[bytes] = []
    try:
        try:
            async with asyncio.timeout(service.limits.patience_s):
                async for part in _parts(scope, receive, service.limits.request_bytes):
                    if not service.held.take(len(part)):
                        raise _Refused(problem(429, CROWDED, ((b"retry-after", b"1"), _CLOSE)))
                    taken += len(part)
                    parts.append(part)
        except TimeoutError:
            found: bytes | HttpReply = problem(408, TOO_SLOW, (_CLOSE,))
        except _Refused as refused:
            found = refused.reply
        else:
            found = parts[0] if len(parts) == 1 else b"".join(parts)
        parts.clear()
        yield found
    finally:
        service.held.give(taken)


async def _parts(scope: Scope, receive: Receive, limit: int) -> AsyncIterator[bytes]:
    for name, value in scope["headers"]:
        if name == b"content-length" and (not value.isdigit() or int(value) > limit):
            await _let_pass(scope, receive, limit)
            raise _Refused(problem(413, TOO_LARGE, (_CLOSE,)))
    size, more = 0, _has_body(scope)
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Refused(problem(408, TOO_SLOW, (_CLOSE,)))  # nobody hears it: the client left
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise _Refused(problem(413, TOO_LARGE, (_CLOSE,)))
        yield part
        more = message.get("more_body", False)


async def _let_pass(scope: Scope, receive: Receive, most: int) -> None:
    """Lets go by what of a refused body is on its way, holding none: a client hears once it has sent."""
    if any(name == b"expect" for name, _ in scope["headers"]):
        return  # it waits for a word before it sends
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_S):
            while most > 0:
                message = await receive()
                most -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def replayed(body: bytes, receive: Receive) -> Receive:
    """A body that was read, for an application that reads it itself; after it comes what the connection brings."""
    waiting = [body]

    async def again() -> Any:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


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


class Door(msgspec.Struct, frozen=True):
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
