"""`palazzo hook`: the commands that Claude Code style clients run when a session starts, a prompt is sent, a turn ends.

Owns the options and the snippet for the client's settings. Loads nothing heavy before the deadline runs.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

ABOUT: Final = {
    "session-start": "Print what is known for the session that starts, as the client expects it.",
    "user-prompt-submit": "Print what is known for the prompt that is being sent, as the client expects it.",
    "stop": "Take in the turns of the session's transcript that are new.",
}
_NAMES: Final = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit", "stop": "Stop"}
CLIENT_TIMEOUT_S: Final = 10


def _hook(event: str) -> click.Command:
    def run(session: Session, deadline: float, budget: int = 0) -> None:
        from palazzo.surfaces.hooks import run as hooks

        if deadline:
            hooks.answer(session, event, budget, deadline)
        session.as_json = True
        click.echo(json.dumps(hooks.work(session, event, hooks.read_input(), budget, patient=True)))

    params: list[click.Parameter] = [
        click.Option(
            ["--deadline"], type=click.FloatRange(0, 60), default=2.0, metavar="SECONDS",
            help="Answer the client after so long at the latest; 0 for no limit. [default: 2]",
        )
    ]  # fmt: skip
    if event != "stop":
        params.append(
            click.Option(
                ["--budget"], type=click.IntRange(128, 100_000), default=1500, metavar="TOKENS",
                help="How long the block may be. [default: 1500]",
            )
        )  # fmt: skip
    return click.Command(
        event, params=params, callback=click.pass_obj(run), short_help=ABOUT[event],
        help=f"{ABOUT[event]} Reads the hook's JSON on standard input and always ends with 0 and one JSON object on"
        " standard output; trouble is told on standard error.",
    )  # fmt: skip


def snippet(palace: str | None, *, prompts: bool) -> dict[str, Any]:
    """What to put into the client's settings."""
    program = "palazzo" + (f" --palace {json.dumps(palace)}" if palace else "")
    events = [event for event in ABOUT if prompts or event != "user-prompt-submit"]
    return {
        "hooks": {
            _NAMES[event]: [
                {"hooks": [{"type": "command", "command": f"{program} hook {event}", "timeout": CLIENT_TIMEOUT_S}]}
            ]
            for event in events
        }
    }


def _config(session: Session, prompts: bool) -> None:
    click.echo("# ~/.claude/settings.json", err=True)
    sys.stdout.write(json.dumps(snippet(session.palace, prompts=prompts), indent=2) + "\n")


def command() -> click.Group:
    """The group `palazzo hook`."""
    group = click.Group("hook", help="Hooks for Claude Code style clients.")
    for event in ABOUT:
        group.add_command(_hook(event))
    group.add_command(
        click.Command(
            "config", callback=click.pass_obj(_config), short_help="Show what to put into the client's settings.",
            params=[click.Option(["--prompts"], is_flag=True, help="Also give context with every prompt.")],
            help="Show the hooks section for the client's settings file.",
        )
    )  # fmt: skip
    return group
