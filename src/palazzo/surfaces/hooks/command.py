"""`palazzo hook`: the commands that agent clients run when a session starts, a prompt is sent, a turn ends, a
conversation is compacted, a session ends.

Owns the options and the snippets for the clients' settings. Loads nothing heavy before the deadline runs.
"""

from __future__ import annotations

import json
import pkgutil
import re
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from palazzo.surfaces.client_files import PROGRAM, program, read, read_object, show, spelled, unreadable
from palazzo.surfaces.client_files import put as write_file
from palazzo.surfaces.hooks.heard import CLIENTS, HookEvent

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

ABOUT: Final = {
    "session-start": "Print where the work stands and what is known for the session that starts or was compacted.",
    "user-prompt-submit": "Print what is known for the prompt that is being sent.",
    "pre-compact": "Take in what is new and hand the work on, before the conversation is compacted.",
    "stop": "Take in the turns of the session that are new.",
    "session-end": "Take in what is new, end the session and hand its work on.",
}
FILES: Final = {
    "claude-code": "~/.claude/settings.json",
    "codex": "~/.codex/hooks.json",
    "gemini": "~/.gemini/settings.json", "opencode": "~/.config/opencode/plugins/palazzo.js",
}  # fmt: skip
BESIDES: Final = {"codex": "`codex_hooks = true` below [features] in ~/.codex/config.toml"}
OURS: Final = re.compile(r"\bpalazzo\b.* hook (?:session-start|user-prompt-submit|pre-compact|stop|session-end)\b")
CLIENT_TIMEOUT_S: Final = 10
LONGEST_BACKGROUND_S: Final = 120
"""A process that nobody waits for ends by itself after so long."""


def _hook(event: str) -> click.Command:
    def run(session: Session, client: str, deadline: float, budget: int = 0) -> None:
        from palazzo.surfaces.hooks import run as hooks

        if deadline:
            hooks.answer(session, event, client, budget, deadline)
        if hasattr(signal, "alarm"):
            signal.alarm(LONGEST_BACKGROUND_S)
        session.as_json = True
        told = hooks.work(session, HookEvent(event, client, hooks.read_input()), budget, patient=True)
        click.echo(json.dumps(told))

    params: list[click.Parameter] = [
        click.Option(
            ["--client"], type=click.Choice(tuple(CLIENTS)), default="claude-code",
            help="Whose hook it is. [default: claude-code]",
        ),
        click.Option(
            ["--deadline"], type=click.FloatRange(0, 60), default=2.0, metavar="SECONDS",
            help="Answer the client after so long at the latest; 0 for no limit. [default: 2]",
        ),
    ]  # fmt: skip
    if event in ("session-start", "user-prompt-submit"):
        params.append(
            click.Option(
                ["--budget"], type=click.IntRange(128, 100_000), default=1500, metavar="TOKENS",
                help="How long the block may be. [default: 1500]",
            )
        )  # fmt: skip
    return click.Command(
        event, params=params, callback=click.pass_obj(run), short_help=ABOUT[event],
        help=f"{ABOUT[event]} Reads the hook's JSON on standard input and always ends with 0 and one JSON object on"
        " standard output; trouble is told on standard error and in hooks/hooks.log of the palace.",
    )  # fmt: skip


def snippet(
    palace: str | None, *, prompts: bool, client: str = "claude-code", program: str = PROGRAM
) -> dict[str, Any]:
    """What to put into a client's settings. A palace that is not named is left to the environment, by the shell."""
    named = json.dumps(palace) if palace else '"${PALAZZO_PALACE:-}"'
    whose = "" if client == "claude-code" else f" --client {client}"
    timeout = CLIENT_TIMEOUT_S * (1000 if client == "gemini" else 1)
    events = [event for event in ABOUT if prompts or event != "user-prompt-submit"]
    if client == "codex":
        events.remove("session-end")  # it has none: the last turn's end has handed the work on
    return {
        "hooks": {
            CLIENTS[client][event]: [
                {
                    "hooks": [
                        {
                            "type": "command", "timeout": timeout,
                            "command": f"{shlex.quote(program)} --palace {named} hook {event}{whose}",
                        }
                    ]
                }
            ]
            for event in events
        }
    }  # fmt: skip


def _merged(before: str, made: dict[str, Any]) -> str:
    """A settings file with our hooks in it; hooks of others stay, and of ours none is there twice."""
    found = read_object(before)
    hooks = found.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise unreadable("hooks is no object of lists")
    kept = {event: [entry for entry in entries if not _is_ours(entry)] for event, entries in hooks.items()}
    ours = made["hooks"]
    wanted = {
        event: [*kept.get(event, []), *ours.get(event, [])] for event in (*kept, *(e for e in ours if e not in kept))
    }
    wanted = {event: entries for event, entries in wanted.items() if entries or not hooks.get(event)}
    return before if wanted == hooks else spelled({**found, "hooks": wanted}, before)


def _is_ours(entry: Any) -> bool:
    """Whether an entry of a list of hooks runs our program and nothing else."""
    runs = entry.get("hooks") if isinstance(entry, dict) else None
    return isinstance(runs, list) and bool(runs) and all(
        isinstance(one, dict) and OURS.search(str(one.get("command", ""))) for one in runs
    )  # fmt: skip


def _config(session: Session, prompts: bool, client: str, file: Path | None, put: bool) -> None:
    path = file or Path(FILES[client]).expanduser()
    told: dict[str, Any] = {
        "client": client,
        "file": str(path),
        **({"besides": BESIDES[client]} if client in BESIDES else {}),
    }
    if client == "opencode":
        named = json.dumps(session.palace) if session.palace else 'process.env.PALAZZO_PALACE ?? ""'
        text = (pkgutil.get_data("palazzo.surfaces.hooks", "opencode.js") or b"").decode()
        told["snippet"] = made = text.replace("__PALACE__", named)
        before = read(path) if put else None
    else:
        wanted = snippet(session.palace, prompts=prompts, client=client, program=program() if put else PROGRAM)
        told["snippet"] = json.dumps(wanted, indent=2) + "\n"
        before = read(path) if put else None
        made = _merged(before or "", wanted) if put else ""
    if put:
        write_file(told, path, before, made)
    session.show(told, show)


def command() -> click.Group:
    """The group `palazzo hook`."""
    group = click.Group("hook", help="Hooks for Claude Code, Codex, Gemini CLI and OpenCode.")
    for event in ABOUT:
        group.add_command(_hook(event))
    group.add_command(
        click.Command(
            "config", callback=click.pass_obj(_config), short_help="Show what to put into the client's settings.",
            params=[
                click.Option(["--prompts"], is_flag=True, help="Also give context with every prompt."),
                click.Option(
                    ["--client"], type=click.Choice(tuple(CLIENTS)), default="claude-code",
                    help="Whose settings. [default: claude-code]",
                ),
                click.Option(
                    ["--file"], type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
                    help="The client's file, if it is not at its usual place.",
                ),
                click.Option(["--write", "put"], is_flag=True, help="Put it into the file; what else is there stays."),
            ],
            help="Show the hooks section for the client's settings file; of OpenCode the plugin itself. With --write it"
            " is put there: hooks of others stay, a copy of what the file was is made beside it, and doing it again"
            " changes nothing.",
        )
    )  # fmt: skip
    return group
