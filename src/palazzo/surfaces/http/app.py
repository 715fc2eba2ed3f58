"""HTTP: every operation at /v1/NAME, the journal as a stream, health, metrics, the OpenAPI document, MCP at /mcp.

Owns routes and the reading of requests; a plain ASGI application without middleware, since each layer costs a call
into the event loop. Knows nothing of what operations do. Invariants: no byte of a body is asked for before the token
holds; a request that changes something says application/json, which no form on a page can.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from palazzo import __version__
from palazzo.model.address import ROOT
from palazzo.model.capability import Level
from palazzo.operations.caller import Caller
from palazzo.operations.registry import BY_NAME
from palazzo.surfaces.daemon.service import Asked, Service
from palazzo.surfaces.http import openapi as http_openapi
from palazzo.surfaces.http.door import Door
from palazzo.surfaces.http.events import Stream
from palazzo.surfaces.http.messages import (
    HttpReply,
    Receive,
    Scope,
    Send,
    answer,
    body_of,
    ends_connection,
    problem,
    replayed,
    success,
    unauthenticated,
)  # fmt: skip
from palazzo.surfaces.wire import BUSY, Fault

Mounted = Callable[[Scope, Receive, Send], Awaitable[None]]
PREFIX: Final = "/v1/"
_DECODER = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Received:
    """The parts of a request that matter here."""

    method: str
    path: str
    query: bytes
    host: str
    origin: str
    token: str
    type: str
    key: str | None
    last_event_id: str

    @classmethod
    def of(cls, scope: Scope) -> Received:
        found = {name: value.decode("latin-1") for name, value in scope["headers"]}
        scheme, _, token = found.get(b"authorization", "").partition(" ")
        return cls(
            scope["method"], scope["path"], scope["query_string"], found.get(b"host", ""), found.get(b"origin", ""),
            token.strip() if scheme.lower() == "bearer" else "",
            found.get(b"content-type", "").partition(";")[0].strip().lower(), found.get(b"idempotency-key"),
            found.get(b"last-event-id", ""),
        )  # fmt: skip


class HttpApp:
    """The ASGI application of one palace. `mcp` answers below /mcp, if it is there."""

    def __init__(self, service: Service, door: Door, mcp: Mounted | None = None) -> None:
        self._service = service
        self._door = door
        self._mcp = mcp
        self._stream = Stream(service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        asked = Received.of(scope)
        refusal = self._door.refusal(asked.host, asked.origin)
        if refusal is not None:
            await ends_connection(refusal, scope).send(send)
        elif asked.path == "/mcp" and self._mcp is not None:
            await self._serve_mcp(asked, scope, receive, send)
        elif asked.path == "/v1/events" and asked.method == "GET":
            await self._stream.serve(asked.token, (asked.query, asked.last_event_id), receive, send)
        else:
            name = asked.path.removeprefix(PREFIX)
            if asked.method == "POST" and asked.path.startswith(PREFIX) and name in BY_NAME:
                reply = await self._operation(asked, name, scope, receive)
            else:
                reply = ends_connection(await self._reply(asked), scope)
            await reply.send(send)

    async def _reply(self, asked: Received) -> HttpReply:
        """The answer to what takes no body."""
        name = asked.path.removeprefix(PREFIX)
        if asked.path.startswith(PREFIX) and name in BY_NAME:
            allowed = "GET, POST" if name == "events" else "POST"
        elif asked.path in ("/health", "/metrics", "/v1/openapi.json"):
            allowed = "GET"
        else:
            return problem(404, Fault("not_found", "nothing is here", "see /v1/openapi.json"))
        if asked.method not in allowed.split(", "):
            fault = Fault("method_not_allowed", f"this takes {allowed}")
            return problem(405, fault, ((b"allow", allowed.encode()),))
        if asked.path == "/health":
            return success({"status": "ok", "version": __version__})
        if asked.path == "/v1/openapi.json":
            return HttpReply(200, http_openapi.document())
        return await self._service.work(self._metrics, asked)

    async def _operation(self, asked: Received, name: str, scope: Scope, receive: Receive) -> HttpReply:
        if self._service.overloaded:
            return ends_connection(problem(503, BUSY), scope)
        caller = await self._caller(asked)
        if caller is None:
            return ends_connection(unauthenticated(), scope)
        async with body_of(self._service, scope, receive) as body:
            if isinstance(body, HttpReply):
                return body
            return await self._service.work(self._run, asked, caller, name, body)

    async def _caller(self, asked: Received) -> Caller | None:
        return await self._service.work(self._service.identify, asked.token) if asked.token else None

    def _run(self, asked: Received, caller: Caller, name: str, body: bytes) -> HttpReply:
        """In a worker thread: what they ask, the call, the answer as bytes."""
        if body and asked.type != "application/json":
            return problem(415, Fault("unsupported_type", "the body is JSON", "send content-type: application/json"))
        if asked.key == "":
            return problem(422, Fault("invalid_input", "an idempotency key is not empty", field="Idempotency-Key"))
        try:
            arguments = _DECODER.decode(body) if body else {}
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return problem(400, Fault("not_json", "the body is not one JSON object"))
        return answer(
            self._service.call(
                Asked(surface="http", caller=caller, operation=name, arguments=arguments, key=asked.key or "")
            )
        )

    def _metrics(self, asked: Received) -> HttpReply:
        caller = self._service.identify(asked.token) if asked.token else None
        if caller is None:
            return unauthenticated()
        reached = self._service.engine.guard.access(caller.subject, caller.session, caller.default)
        if reached.level(ROOT) < Level.metadata:
            return problem(403, Fault("not_permitted", "metrics need metadata everywhere"))
        return HttpReply(200, self._service.metrics.text().encode(), b"text/plain; version=0.0.4; charset=utf-8")

    async def _serve_mcp(self, asked: Received, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._caller(asked)
        if caller is None or self._mcp is None:
            await ends_connection(unauthenticated(), scope).send(send)
            return
        scope["palazzo.caller"] = caller
        if asked.method == "GET":
            await self._stream_mcp(self._mcp(scope, receive, send))
            return
        async with body_of(self._service, scope, receive) as body:
            if isinstance(body, HttpReply):
                await body.send(send)
            else:
                await self._mcp(scope, replayed(body, receive), send)

    async def _stream_mcp(self, serve: Awaitable[None]) -> None:
        """Serves an open stream, which would hold the daemon back when it stops."""
        serving = asyncio.ensure_future(serve)
        stop = asyncio.create_task(self._service.stopping.wait())
        try:
            await asyncio.wait({serving, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
