"""The MCP server on standard input and output, for one client.

Owns who that client is: a subject of its own, mcp:NAME. Nothing but protocol goes to standard output: the SDK keeps it
for itself and sends stray prints to standard error. Invariant: the server ends with its client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from mnemon.engine import Engine
from mnemon.model.address import slug
from mnemon.model.capability import Level
from mnemon.operations.call import call
from mnemon.operations.caller import Caller, scope_from
from mnemon.settings import Settings
from mnemon.surfaces import mcp_memory_server
from mnemon.surfaces.library import open_palace
from mnemon.surfaces.mcp_protocol import Context, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the one who starts the server decides: tools, level, the client's name, the scope, its model's use."""

    toolset: str = "core"
    level: Level = Level.write
    client: str = ""
    sampling: bool = True
    scope_keys: Mapping[str, str | None] = field(default_factory=dict)

    def caller(self, named: str) -> Caller:
        """The subject a client is."""
        name = slug(self.client or named or "client", 40)
        scope = scope_from(Caller(), self.scope_keys)
        return Caller(subject=f"mcp:{name}", scope=scope, chooses_scope=False, default=self.level)


def make_server(engine: Engine, host: Host) -> Server[Any]:
    """A server over an open palace."""

    def run(context: Context, name: str, arguments: dict[str, Any]) -> Any:
        known = context.session.client_params
        return call(engine, host.caller(known.client_info.name if known else ""), name, arguments)

    if host.toolset == mcp_memory_server.NAME:
        return mcp_memory_server.server(run)
    return Protocol(run, host.toolset, sampling=host.sampling).server()


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def serve_stdio(settings: Settings, host: Host) -> None:
    """Serves one client until it closes its end.

    Raises: StorageError when the palace cannot be opened or made.
    """
    with open_palace(settings, create=True) as engine:
        anyio.run(_serve, make_server(engine, host))
