"""The MCP server on standard input and output, for one client.

Owns who that client is: a subject of its own, mcp:NAME, by the name in the configuration that starts the server.
Nothing but protocol goes to standard output: the SDK keeps it for itself and sends stray prints to standard error.
Invariants: the server ends with its client; what a client calls itself is a note in the audit trail and gives it
nothing; a line that is no message is answered, and the next is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import anyio
import mcp_types as types
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from palazzo.engine import Engine
from palazzo.model.address import slug
from palazzo.model.capability import Level
from palazzo.operations.call import admitted, call
from palazzo.operations.caller import Caller, scope_from
from palazzo.settings import Settings
from palazzo.store.api import AuditLine
from palazzo.surfaces.compat import memory_server as mcp_memory_server
from palazzo.surfaces.library import open_palace
from palazzo.surfaces.mcp.protocol import Context, Protocol

UNNAMED: Final = "client"
"""The name of a client that the configuration gives none."""
NAMES_NOTED: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the one who starts the server decides: tools, level, the client's name, the scope, its model's use."""

    toolset: str = "core"
    level: Level = Level.write
    client: str = ""
    sampling: bool = True
    scope_keys: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        """The subject the client is, whatever it calls itself."""
        name = slug(self.client or UNNAMED, 40)
        scope = scope_from(Caller(), self.scope_keys)
        return Caller(subject=f"mcp:{name}", scope=scope, chooses_scope=False, default=self.level)


class Names:
    """The names one client gave itself, each noted once in the audit trail."""

    def __init__(self, engine: Engine, subject: str) -> None:
        self._engine = engine
        self._subject = subject
        self._noted: set[str] = set()

    def note(self, context: Context) -> None:
        """Writes down what the client calls itself; past a few names it is not heard any more."""
        known = context.session.client_params
        name = slug(known.client_info.name, 40) if known and known.client_info.name else ""
        if not name or name in self._noted or len(self._noted) >= NAMES_NOTED:
            return
        self._noted.add(name)
        self._engine.guard.trail.note(
            AuditLine(
                at_us=self._engine.clock.now_us(), subject=self._subject, action="mcp_client",
                detail=msgspec.json.encode({"calls_itself": name}).decode(),
            )
        )  # fmt: skip


def make_server(engine: Engine, host: Host) -> Server[Any]:
    """A server over an open palace."""
    caller = host.caller
    names = Names(engine, caller.subject)

    def run(context: Context, name: str, arguments: dict[str, Any]) -> Any:
        names.note(context)
        return call(engine, caller, name, arguments)

    if host.toolset == mcp_memory_server.NAME:
        return mcp_memory_server.server(run)
    may = partial(admitted, engine, caller)
    return Protocol(run, lambda _, one: may(one), host.toolset, sampling=host.sampling).server()


def _no_message(error: Exception) -> SessionMessage:
    """The answer to a line that is no message: no JSON, or JSON of another form."""
    broken = isinstance(error, ValidationError) and any(one["type"] == "json_invalid" for one in error.errors())
    told = (
        types.ErrorData(code=types.PARSE_ERROR, message="the line is no JSON")
        if broken
        else types.ErrorData(code=types.INVALID_REQUEST, message="the line is no JSON-RPC message")
    )
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=told))


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        forward, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def pass_on() -> None:
            async with forward:
                async for item in incoming:
                    if isinstance(item, Exception):
                        await outgoing.send(_no_message(item))
                    else:
                        await forward.send(item)

        tasks.start_soon(pass_on)
        await server.run(messages, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


def serve_stdio(settings: Settings, host: Host) -> None:
    """Serves one client until it closes its end.

    Raises: StorageError when the palace cannot be opened or made.
    """
    with open_palace(settings, create=True) as engine:
        anyio.run(_serve, make_server(engine, host))
