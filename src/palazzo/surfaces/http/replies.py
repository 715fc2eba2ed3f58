"""HTTP answers as values: status, headers and body, and errors as application/problem+json (RFC 9457).

Owns the form of a problem: our code and hint beside the standard members. Knows no route. Invariant: every answer
that is not a success is a problem, also the ones that never reached an operation.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import msgspec

from palazzo.surfaces.daemon.service import Told
from palazzo.surfaces.wire import Fault, status_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

JSON: Final = b"application/json"
PROBLEM: Final = b"application/problem+json"
_ALWAYS: Final[Headers] = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Reply:
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
        return [(b"content-type", self.type), length, *_ALWAYS, *self.headers]


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error as HTTP tells it."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str = ""
    field: str = ""


def problem(status: int, fault: Fault, headers: Headers = ()) -> Reply:
    """A fault as an answer."""
    told = Problem(
        type=f"urn:palazzo:problem:{fault.code}", title=fault.code.replace("_", " "), status=status,
        detail=fault.message, code=fault.code, hint=fault.hint, field=fault.field,
    )  # fmt: skip
    if status == 503:
        headers = (*headers, (b"retry-after", b"1"))
    return Reply(status, _ENCODER.encode(told), PROBLEM, headers)


def success(result: Any, headers: Headers = ()) -> Reply:
    """A result as an answer."""
    return Reply(200, _ENCODER.encode(result), JSON, headers)


def answer(told: Told) -> Reply:
    """What came of a call, as an answer."""
    if told.fault is not None:
        wait = getattr(told.error, "retry_after_s", None)
        later: Headers = ((b"retry-after", b"%d" % math.ceil(wait)),) if wait else ()
        return problem(status_of(told.error) if told.error else 500, told.fault, later)
    return success(told.result, ((b"idempotency-replayed", b"true"),) if told.replayed else ())


def unauthenticated() -> Reply:
    """Nobody in particular asks, and nobody in particular may do nothing."""
    fault = Fault(
        "not_authenticated", "this needs a bearer token that holds",
        "make one with `palazzo token create SUBJECT` and send it as Authorization: Bearer TOKEN",
    )  # fmt: skip
    return problem(401, fault, ((b"www-authenticate", b'Bearer realm="palazzo"'),))
