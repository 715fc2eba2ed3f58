"""`palazzo mcp`: the command that serves one MCP client on standard input and output.

Owns the options. Loads the server only when it runs, for the SDK costs half a second. Invariant: whose memory a client
works on and what it may do come from here, from the one who starts the server, never from the client.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from palazzo.errors import PartUnavailable
from palazzo.model.capability import Level
from palazzo.operations.declared import Scoped, parameters_of
from palazzo.surfaces.mcp import client_config

if TYPE_CHECKING:
    from palazzo.surfaces.cli.commands import Session

TOOLSETS = ("core", "palace", "graph", "temporal", "full")
LEVELS = tuple(level.name for level in Level if level >= Level.read_public)


def _serve(session: Session, level: str | None, **given: Any) -> None:
    if click.get_current_context().invoked_subcommand:
        return
    if find_spec("mcp") is None:
        raise PartUnavailable("the MCP SDK is not installed", part="mcp", hint="pip install 'mcp>=2'")
    from palazzo.surfaces.mcp.stdio import Host, serve_stdio

    if sys.stdin.isatty():
        click.echo("palazzo: waiting for an MCP client on standard input; see docs/mcp.md", err=True)
    chosen = {name: given.pop(name) for name in ("toolset", "client", "sampling")}
    usual = "forget" if chosen["toolset"] == "memory-server" else "write"  # three of its nine tools delete
    host = Host(level=Level[level or usual], scope_keys=given, **chosen)
    serve_stdio(session.settings(), host)


def command() -> click.Group:
    """The command `palazzo mcp`, which serves unless another is named below it."""
    scope = [
        click.Option([f"--{p.name.replace('_', '-')}", p.name], help=p.help, metavar="NAME")
        for p in parameters_of(Scoped)
    ]
    params = [
        click.Option(
            ["--toolset"], type=click.Choice((*TOOLSETS, "memory-server")), default="core",
            help="core: the few tools a model can hold in mind. palace, graph, temporal: those and some for places,"
            " for links, for revisions. full: every operation a model may use."
            " memory-server: the nine tools of the MCP memory server instead, over this palace.",
        ),
        click.Option(
            ["--level"], type=click.Choice(LEVELS), default=None,
            help="What clients may do until a grant in the palace says otherwise."
            " [default: write; forget with the toolset memory-server]",
        ),
        click.Option(
            ["--client"], default="", metavar="NAME",
            help="The client's name: it is the subject mcp:NAME, whatever it calls itself. [default: client]",
        ),
        click.Option(
            ["--sampling/--no-sampling"], default=True,
            help="Let the client's own model read what is remembered, if the client offers it.",
        ),
        *scope,
    ]  # fmt: skip
    return click.Group(
        "mcp", params=list(params), callback=click.pass_obj(_serve), invoke_without_command=True,
        commands={"config": client_config.command((*TOOLSETS, "memory-server"))},
        short_help="Serve one MCP client on standard input and output.",
        help="Serve one MCP client on standard input and output, and end with it. A palace is made if there is none.",
    )  # fmt: skip
