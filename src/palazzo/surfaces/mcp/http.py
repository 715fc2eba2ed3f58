"""MCP over streamable HTTP, as the daemon mounts it at /mcp.

Owns who a session belongs to: the subject of the token that opened it, so a session's id alone opens nothing. Sessions
are the SDK's. Invariant: a client works in the scope of its token and cannot name another.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from msgspec.structs import replace

from palazzo.errors import PalazzoError
from palazzo.operations.call import admitted
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation
from palazzo.surfaces.daemon.service import UNEXPECTED, Asked, Service
from palazzo.surfaces.http.app import Mounted
from palazzo.surfaces.http.messages import Receive, Scope, Send
from palazzo.surfaces.mcp.protocol import Context, Protocol

MOST_SESSIONS = 1000


def _run(service: Service, context: Context, name: str, arguments: dict[str, Any]) -> Any:
    request: Any = context.request
    caller: Caller = request.scope["palazzo.caller"]
    asked = Asked(surface="mcp", caller=replace(caller, chooses_scope=False), operation=name, arguments=arguments)
    told = service.call(asked)
    if told.error is not None:
        raise told.error
    if told.failed:
        raise PalazzoError(UNEXPECTED.message, hint=UNEXPECTED.hint)
    return told.result


@asynccontextmanager
async def mounted(service: Service, toolset: str, *, stateless: bool = False) -> AsyncIterator[Mounted]:
    """The ASGI application, for as long as the block lasts. Callers are found in the scope as `palazzo.caller`.

    Without sessions every worker answers every request alike; what a server asks its client, such as sampling, needs
    one.
    """

    def run(context: Context, name: str, arguments: dict[str, Any]) -> Any:
        return _run(service, context, name, arguments)

    def may(context: Context, wanted: Operation) -> bool:
        request: Any = context.request
        return admitted(service.engine, request.scope["palazzo.caller"], wanted)

    manager = StreamableHTTPSessionManager(
        Protocol(run, may, toolset).server(), max_request_body_size=service.limits.request_bytes,
        max_sessions=MOST_SESSIONS, stateless=stateless,
    )  # fmt: skip

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        caller: Caller = scope["palazzo.caller"]
        # The SDK compares this with whoever opened the session; the token itself stays out of it.
        scope["user"] = AuthenticatedUser(AccessToken(token="-", client_id=caller.subject, scopes=[]))  # noqa: S106
        await manager.handle_request(scope, receive, send)

    async with manager.run():
        yield app
