"""The body of a request, read once it is known who sends it: so large, so long, and so many at once.

Owns the limits of one body and the answers that say which was passed. Knows no route and no token; whoever asks here
has checked that. Invariants: bytes are held only while they are counted; a body that is refused ends its connection,
for what is still on its way would be waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from palazzo.surfaces.daemon.service import Service
from palazzo.surfaces.http.replies import Receive, Reply, Scope, problem
from palazzo.surfaces.wire import CROWDED, TOO_LARGE, TOO_SLOW

_CLOSE: Final = (b"connection", b"close")


class _Refused(Exception):
    """A body that is not taken, with the answer that says why."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def ends_connection(reply: Reply, scope: Scope) -> Reply:
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
async def body_of(service: Service, scope: Scope, receive: Receive) -> AsyncIterator[bytes | Reply]:
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
            found: bytes | Reply = problem(408, TOO_SLOW, (_CLOSE,))
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


def replayed(body: bytes, receive: Receive) -> Receive:
    """A body that was read, for an application that reads it itself; after it comes what the connection brings."""
    waiting = [body]

    async def again() -> Any:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again
