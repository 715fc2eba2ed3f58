"""`palazzo hook`: the commands that agent clients run when a session starts, a prompt is sent, a turn ends, a
conversation is compacted, a session ends.

Owns the options and the snippets for the clients' settings. Loads nothing heavy before the deadline runs.
"""

from __future__ import annotations

import json
import pkgutil
import signal
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from palazzo.surfaces.hooks.heard import CLIENTS, heard

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
    "codex": "~/.codex/hooks.json (and `codex_hooks = true` below [features])",
    "gemini": "~/.gemini/settings.json", "opencode": "~/.config/opencode/plugins/palazzo.js",
}  # fmt: skip
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
        told = hooks.work(session, heard(event, client, hooks.read_input()), budget, patient=True)
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


def snippet(palace: str | None, *, prompts: bool, client: str = "claude-code") -> dict[str, Any]:
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
                            "type": "command", "command": f"palazzo --palace {named} hook {event}{whose}",
                            "timeout": timeout,
                        }
                    ]
                }
            ]
            for event in events
        }
    }  # fmt: skip


def _config(session: Session, prompts: bool, client: str) -> None:
    click.echo(f"# {FILES[client]}", err=True)
    if client == "opencode":
        named = json.dumps(session.palace) if session.palace else 'process.env.PALAZZO_PALACE ?? ""'
        text = (pkgutil.get_data("palazzo.surfaces.hooks", "opencode.js") or b"").decode()
        sys.stdout.write(text.replace("__PALACE__", named))
        return
    sys.stdout.write(json.dumps(snippet(session.palace, prompts=prompts, client=client), indent=2) + "\n")


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
            ],
            help="Show the hooks section for the client's settings file; of OpenCode the plugin itself.",
        )
    )  # fmt: skip
    return group
