"""`palazzo mcp`: serving one MCP client on standard input and output, and telling clients how to start that.

Owns the options, and the shapes and places of the clients' files. Loads the server only when it runs, for the SDK costs
half a second. Invariants: whose memory a client works on and what it may do come from here, from the one who starts the
server, never from the client; what stands in a client's file beside our entry stays as it is; a file that cannot be
read as what it should be is left alone and said so; a changed file has a copy of what it was; an entry names the
client, for that name and not what the client says is whom grants are for.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from palazzo.files import extras
from palazzo.model.capability import Level
from palazzo.operations.declared import Scoped, parameters_of
from palazzo.surfaces.client_files import PROGRAM, program, read, read_object, show, spelled, unreadable
from palazzo.surfaces.client_files import put as write_entry
from palazzo.surfaces.hooks.heard import project_of

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session


TOOLSETS = ("core", "palace", "graph", "temporal", "full")
LEVELS = tuple(level.name for level in Level if level >= Level.read_public)


def _serve(session: Session, level: str | None, here: bool, **given: Any) -> None:
    if click.get_current_context().invoked_subcommand:
        return
    extras.need("mcp", "mcp", "the MCP SDK is not installed")
    from palazzo.surfaces.mcp.stdio import Host, serve_stdio

    if sys.stdin.isatty():
        click.echo("palazzo: waiting for an MCP client on standard input; see docs/mcp.md", err=True)
    chosen = {name: given.pop(name) for name in ("toolset", "client", "sampling")}
    usual = "forget" if chosen["toolset"] == "memory-server" else "write"  # three of its nine tools delete
    if here and given.get("project") is None:
        given["project"] = project_of(str(Path.cwd()))
    host = Host(level=Level[level or usual], scope_keys=given, **chosen)
    gc.set_threshold(1_000, 2_000, 20)  # it lives long; and no look at what is new takes longer than a recall
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
        click.Option(
            ["--here"], is_flag=True,
            help="Work in the memory of the project this folder belongs to, as the hooks do.",
        ),
        *scope,
    ]  # fmt: skip
    return click.Group(
        "mcp", params=list(params), callback=click.pass_obj(_serve), invoke_without_command=True,
        commands={"config": _config((*TOOLSETS, "memory-server"))},
        short_help="Serve one MCP client on standard input and output.",
        help="Serve one MCP client on standard input and output, and end with it. A palace is made if there is none.",
    )  # fmt: skip


SERVER: Final = PROGRAM


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """One client: where its file is, under which key its servers are, and whether the file travels with a project."""

    file: Callable[[], Path]
    key: str
    toml: bool = False
    project: bool = False
    typed: bool = False
    """Whether an entry says that it speaks over standard input and output."""
    beside: tuple[tuple[str, Any], ...] = ()
    """What else the client wants in an entry."""
    here: bool = False
    """Whether its server works in the memory of the project it is started in, as the client's hooks do."""
    one_list: bool = False
    """Whether the program and its arguments are one list."""

    def entry(self, arguments: list[str]) -> dict[str, Any]:
        """Our entry. A file of the user names the program by its full path: desktop clients know no search path."""
        named = SERVER if self.project else program()
        started = {"command": [named, *arguments]} if self.one_list else {"command": named, "args": arguments}
        return {**({"type": "stdio"} if self.typed else {}), **dict(self.beside), **started}


def _settings_of(program: str, *below: str) -> Path:
    """A file in the folder where the system keeps the settings of a program."""
    import platformdirs

    return Path(platformdirs.user_config_dir(program, appauthor=False, roaming=True), *below)


CLIENTS: Final[dict[str, Client]] = {
    "claude-code": Client(file=lambda: Path(".mcp.json"), key="mcpServers", project=True, here=True),
    "claude-desktop": Client(file=lambda: _settings_of("Claude", "claude_desktop_config.json"), key="mcpServers"),
    "cursor": Client(file=lambda: Path.home() / ".cursor/mcp.json", key="mcpServers"),
    "vscode": Client(file=lambda: Path(".vscode/mcp.json"), key="servers", project=True, typed=True),
    "vscode-user": Client(file=lambda: _settings_of("Code", "User", "mcp.json"), key="servers", typed=True),
    "windsurf": Client(file=lambda: Path.home() / ".codeium/windsurf/mcp_config.json", key="mcpServers"),
    "zed": Client(
        file=lambda: Path.home() / ".config/zed/settings.json", key="context_servers", beside=(("source", "custom"),)
    ),
    "gemini": Client(file=lambda: Path.home() / ".gemini/settings.json", key="mcpServers"),
    "opencode": Client(
        file=lambda: Path.home() / ".config/opencode/opencode.json",
        key="mcp",
        one_list=True,
        beside=(("type", "local"), ("enabled", True)),
    ),
    "codex": Client(file=lambda: Path.home() / ".codex/config.toml", key="mcp_servers", toml=True),
}


def snippet(client: Client, entry: dict[str, Any]) -> str:
    """The entry as it stands in the client's file."""
    if client.toml:
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
        return "\n".join([f"[{client.key}.{SERVER}]", *lines]) + "\n"
    return json.dumps({client.key: {SERVER: entry}}, indent=2, ensure_ascii=False) + "\n"


def merged(client: Client, text: str, entry: dict[str, Any]) -> str:
    """The file with our entry in it; the same text when it is there already.

    Raises: InvalidInput when the text is not what such a file holds.
    """
    return _merged_toml(client, text, entry) if client.toml else _merged_json(client, text, entry)


def _merged_json(client: Client, text: str, entry: dict[str, Any]) -> str:
    found = read_object(text)
    servers = found.get(client.key, {})
    if not isinstance(servers, dict):
        raise unreadable(f"{client.key} is no object")
    if servers.get(SERVER) == entry:
        return text
    return spelled({**found, client.key: {**servers, SERVER: entry}}, text)


def _merged_toml(client: Client, text: str, entry: dict[str, Any]) -> str:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise unreadable("it is no TOML") from error
    servers = found.get(client.key, {})
    if not isinstance(servers, dict):
        raise unreadable(f"{client.key} is no table")
    if servers.get(SERVER) == entry:
        return text
    table = re.compile(rf"^\[{client.key}\.{SERVER}\][ \t]*(?:#.*)?\n(?:(?!\s*\[).*\n?)*", re.MULTILINE)
    if SERVER in servers:
        made = table.sub(lambda _: snippet(client, entry) + "\n", text, count=1)
    else:
        made = (
            text + ("" if not text or text.endswith("\n") else "\n") + ("\n" if text else "") + snippet(client, entry)
        )
    wanted = {**found, client.key: {**servers, SERVER: entry}}
    try:
        right = tomllib.loads(made) == wanted
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise unreadable(f"{client.key}.{SERVER} is written in a way that cannot be changed safely")
    return made


def _configure(session: Session, client: str, toolset: str | None, file: Path | None, put: bool) -> None:
    known = CLIENTS[client]
    palace = ["--palace", _folder(session)] if session.palace or not known.project else []
    chosen = [*(["--here"] if known.here else []), *(["--toolset", toolset] if toolset else [])]
    entry = known.entry([*palace, "mcp", "--client", client, *chosen])
    path = file or known.file()
    told: dict[str, Any] = {"client": client, "file": str(path), "snippet": snippet(known, entry)}
    if put:
        before = read(path)
        write_entry(told, path, before, merged(known, before or "", entry))
    if find_spec("mcp") is None:
        told["missing"] = f"the MCP SDK is not installed: {extras.command('mcp')}"
    session.show(told, show)


def _folder(session: Session) -> str:
    """The palace by its full path. A file that travels with a project names none unless one was asked for."""
    from palazzo.bootstrap import palace_folder

    settings = session.settings()
    if "://" in settings["palace"]:
        return str(settings["palace"])
    return str(palace_folder(settings).expanduser().resolve())


def _config(toolsets: tuple[str, ...]) -> click.Command:
    """The command `palazzo mcp config`."""
    params: list[click.Parameter] = [
        click.Argument(["client"], type=click.Choice(tuple(CLIENTS)), metavar="CLIENT"),
        click.Option(["--toolset"], type=click.Choice(toolsets), help="The toolset the client is to have."),
        click.Option(
            ["--file"], type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
            help="The client's file, if it is not at its usual place.",
        ),
        click.Option(["--write", "put"], is_flag=True, help="Put it into the file; what else is there stays."),
    ]  # fmt: skip
    return click.Command(
        "config", params=params, callback=click.pass_obj(_configure),
        short_help="Show how to tell a client of Palazzo.",
        help="Show what to put into a client's file so that it starts Palazzo, and where that file is."
        f" CLIENT: {', '.join(CLIENTS)}. With --write it is put there: the rest of the file stays, a copy of what it"
        " was is made beside it, and doing it again changes nothing.",
    )  # fmt: skip
