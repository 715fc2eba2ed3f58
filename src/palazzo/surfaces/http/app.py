"""HTTP: every operation at /v1/NAME, the journal as a stream, health, metrics, the OpenAPI document, MCP at /mcp, the
dashboard at /.

Owns routes and the reading of requests; a plain ASGI application without middleware, since each layer costs a call into
the event loop. Owns the frame of the OpenAPI document; parameters, results and words come from the declarations. Knows
nothing of what operations do. Invariants: no byte of a body is asked for before the token holds; a request that changes
something says application/json, which no form on a page can; what the document shows of an operation is what
`converted` takes and what its result type encodes to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any, Final

import msgspec

from palazzo import __version__
from palazzo.model.address import ROOT
from palazzo.model.capability import Level
from palazzo.operations.arguments import schema
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation
from palazzo.operations.registry import BY_NAME, OPERATIONS
from palazzo.surfaces.daemon.service import Asked, Service, metrics_text
from palazzo.surfaces.http.events import Stream
from palazzo.surfaces.http.messages import (
    Door,
    HttpReply,
    Problem,
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
from palazzo.surfaces.web.sessions import KEY_HEADER
from palazzo.surfaces.web.site import CARRIED, SESSION, Site
from palazzo.surfaces.wire import BUSY, FORMS, Fault

_REF: Final = "#/components/schemas/{name}"
_ABOUT: Final = (
    "The memory of an AI agent. Every operation is a POST of its parameters as one JSON object. Errors are"
    " application/problem+json with a stable `code` and a `hint`. Send a bearer token; what it may do is decided by the"
    " grants of its subject. A request that writes may carry an Idempotency-Key: sent again, it is answered as before"
    " and nothing is done twice."
)


def _moved(part: Any) -> Any:
    """A schema whose own definitions live among the document's components."""
    if isinstance(part, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _moved(value)
            for key, value in part.items()
            if key != "$defs"
        }
    return [_moved(inner) for inner in part] if isinstance(part, list) else part


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


def _problem(what: str) -> dict[str, Any]:
    return {"description": what, "content": {"application/problem+json": {"schema": _ref("Problem")}}}


_KEY: Final = {
    "name": "Idempotency-Key", "in": "header", "required": False,
    "description": "A key of your own: the same request sent again with it is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}  # fmt: skip
_REFUSALS: Final = {
    "400": "The body is not a JSON object.", "401": "No bearer token that holds.",
    "403": "The caller's capability does not reach.", "404": "Nothing there that the caller may see.",
    "408": "The body did not come in time.",
    "409": "The write would break a law, or the same request still runs.", "413": "Too large.",
    "415": "Not JSON.", "421": "Another host's name.",
    "422": "A parameter is at fault, or an idempotency key came again with another request.",
    "429": "Too often, or too much at once; see Retry-After.", "503": "Busy, or a part is missing; try again.",
}  # fmt: skip


def _result(operation: Operation) -> dict[str, Any]:
    """The result; for a caller whose level shows less, what is left of it."""
    own = _ref(operation.result.__name__)
    if operation.writes or operation.where == "palace":
        return own
    return {"anyOf": [own, *(_ref(form.__name__) for form in FORMS.values())]}


def _post(operation: Operation) -> dict[str, Any]:
    required = any(p.required for p in operation.parameters)
    return {
        "operationId": operation.name,
        "summary": operation.people,
        "tags": ["writes" if operation.writes else "reads"],
        "description": f"Needs {operation.level.name}." + (" The operator's alone." if operation.operator_only else ""),
        **({"parameters": [_KEY]} if operation.writes else {}),
        "requestBody": {
            "required": required,
            "content": {"application/json": {"schema": _moved(schema(operation))}},
        },
        "responses": {
            "200": {
                "description": (operation.result.__doc__ or "").partition("\n")[0],
                "content": {"application/json": {"schema": _result(operation)}},
            },
            **{status: _problem(what) for status, what in _REFUSALS.items()},
            "default": _problem("Any other failure."),
        },
    }


def _stream() -> dict[str, Any]:
    return {
        "operationId": "stream_events",
        "summary": "Follow the journal as server-sent events.",
        "tags": ["reads"],
        "parameters": [
            {
                "name": "after", "in": "query", "required": False, "schema": {"type": "integer", "minimum": 0},
                "description": "Go on after this event; from now on when left out.",
            },
            {
                "name": "Last-Event-ID", "in": "header", "required": False,
                "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
                "description": "The same, as clients send it on their own when they reconnect.",
            },
        ],
        "responses": {
            "200": {"description": "A stream that stays open.", "content": {"text/event-stream": {"schema": {}}}},
            "default": _problem("Any failure."),
        },
    }  # fmt: skip


def _open(name: str, what: str, kind: str, shape: dict[str, Any]) -> dict[str, Any]:
    return {
        "get": {
            "operationId": name, "summary": what, "tags": ["care"],
            **({} if name == "metrics" else {"security": []}),
            "responses": {
                "200": {"description": what, "content": {kind: {"schema": shape}}},
                "default": _problem("Any failure."),
            },
        }
    }  # fmt: skip


def as_builtins() -> dict[str, Any]:
    """The document as plain values."""
    results = [operation.result for operation in OPERATIONS]
    _, parts = msgspec.json.schema_components([*results, *FORMS.values(), Problem], ref_template=_REF)
    for operation in OPERATIONS:
        parts.update({name: _moved(part) for name, part in schema(operation).get("$defs", {}).items()})
    paths: dict[str, Any] = {f"/v1/{operation.name}": {"post": _post(operation)} for operation in OPERATIONS}
    paths["/v1/events"]["get"] = _stream()
    health = {"type": "object", "properties": {"status": {"const": "ok"}, "version": {"type": "string"}}}
    paths["/health"] = _open("health", "Whether the daemon runs.", "application/json", health)
    ready = {"type": "object", "properties": {"status": {"const": "ready"}, "version": {"type": "string"}}}
    paths["/ready"] = _open("ready", "Whether the daemon takes requests now.", "application/json", ready)
    paths["/metrics"] = _open("metrics", "Counters for Prometheus.", "text/plain", {"type": "string"})
    return {
        "openapi": "3.1.0",
        "info": {"title": "Palazzo", "version": __version__, "description": _ABOUT, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": parts, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


@cache
def document() -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(as_builtins())


Mounted = Callable[[Scope, Receive, Send], Awaitable[None]]
PREFIX: Final = "/v1/"
_DECODER = msgspec.json.Decoder(dict[str, Any])


class Received(msgspec.Struct, frozen=True):
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
    cookies: str
    page_key: str
    known: str
    packed: bool
    """Whether gzip is understood."""

    @classmethod
    def of(cls, scope: Scope) -> Received:
        found = {name: value.decode("latin-1") for name, value in scope["headers"]}
        scheme, _, token = found.get(b"authorization", "").partition(" ")
        return cls(
            scope["method"], scope["path"], scope["query_string"], found.get(b"host", ""), found.get(b"origin", ""),
            token.strip() if scheme.lower() == "bearer" else "",
            found.get(b"content-type", "").partition(";")[0].strip().lower(), found.get(b"idempotency-key"),
            found.get(b"last-event-id", ""), found.get(b"cookie", ""), found.get(KEY_HEADER, ""),
            found.get(b"if-none-match", ""), "gzip" in found.get(b"accept-encoding", ""),
        )  # fmt: skip


class HttpApp:
    """The ASGI application of one palace. `mcp` answers at /mcp, `site` at /, if they are there."""

    def __init__(self, service: Service, door: Door, mcp: Mounted | None = None, site: Site | None = None) -> None:
        self._service = service
        self._door = door
        self._mcp = mcp
        self._site = site
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
            identify = partial(self._identified, asked)
            await self._stream.serve(identify, (asked.query, asked.last_event_id), receive, send)
        elif self._site is not None and self._site.owns(asked.path):
            await (await self._page(self._site, asked, scope, receive)).send(send)
        else:
            name = asked.path.removeprefix(PREFIX)
            if asked.method == "POST" and asked.path.startswith(PREFIX) and name in BY_NAME:
                reply = await self._operation(asked, name, scope, receive)
            else:
                reply = ends_connection(await self._reply(asked), scope)
            await reply.send(send)

    async def _page(self, site: Site, asked: Received, scope: Scope, receive: Receive) -> HttpReply:
        """The answer of the dashboard."""
        if asked.path.startswith(CARRIED):
            caller = await self._caller(asked)
            if caller is None:
                return ends_connection(unauthenticated(), scope)
            name = asked.path.removeprefix(CARRIED).lstrip("/")
            async with body_of(self._service, scope, receive) as body:
                if isinstance(body, HttpReply):
                    return body
                return await self._service.work(site.carried, caller, asked.method, name, body)
        if asked.path != SESSION:
            return ends_connection(site.file(asked.method, asked.path, asked.known, packed=asked.packed), scope)
        if asked.method in ("GET", "DELETE"):
            reply = await self._service.work(site.session, asked.method, asked.cookies, asked.page_key)
            return ends_connection(reply, scope)
        if asked.method != "POST" or asked.type != "application/json":
            fault = Fault("unsupported_type", "signing in is a POST of JSON")
            return ends_connection(problem(415 if asked.method == "POST" else 405, fault), scope)
        async with body_of(self._service, scope, receive) as body:
            return body if isinstance(body, HttpReply) else await self._service.work(site.sign_in, body)

    async def _reply(self, asked: Received) -> HttpReply:
        """The answer to what takes no body."""
        name = asked.path.removeprefix(PREFIX)
        if asked.path.startswith(PREFIX) and name in BY_NAME:
            allowed = "GET, POST" if name == "events" else "POST"
        elif asked.path in ("/health", "/ready", "/metrics", "/v1/openapi.json"):
            allowed = "GET"
        else:
            return problem(404, Fault("not_found", "nothing is here", "see /v1/openapi.json"))
        if asked.method not in allowed.split(", "):
            fault = Fault("method_not_allowed", f"this takes {allowed}")
            return problem(405, fault, ((b"allow", allowed.encode()),))
        if asked.path == "/health":
            return success({"status": "ok", "version": __version__})
        if asked.path == "/ready":
            if await self._service.work(lambda: self._service.ready):
                return success({"status": "ready", "version": __version__})
            return problem(503, Fault("not_ready", "this process takes no requests now", "ask again in a moment"))
        if asked.path == "/v1/openapi.json":
            return HttpReply(200, document())
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
        return await self._service.work(self._identified, asked) if asked.token or asked.page_key else None

    def _identified(self, asked: Received) -> Caller | None:
        """In a worker thread: who asks, by a token or as one who is signed in to the page."""
        if asked.token:
            return self._service.identify(asked.token)
        return self._site.caller(asked.cookies, asked.page_key) if self._site is not None else None

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
        caller = self._identified(asked)
        if caller is None:
            return unauthenticated()
        reached = self._service.engine.guard.access(caller.subject, caller.session, caller.default)
        if reached.level(ROOT) < Level.metadata:
            return problem(403, Fault("not_permitted", "metrics need metadata everywhere"))
        told = metrics_text(self._service.every_counter())
        return HttpReply(200, told.encode(), b"text/plain; version=0.0.4; charset=utf-8")

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
