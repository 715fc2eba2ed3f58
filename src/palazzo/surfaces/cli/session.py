"""What the options before a command said, and how a command speaks with a person: secrets asked for, work shown.

Owns the way to the palace for every command: a running daemon, else the palace itself. Knows no command. Loads nothing
heavy until a command runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from palazzo.engine import Engine

if TYPE_CHECKING:
    from palazzo.engine import Engine
    from palazzo.settings import Settings


class Session:
    """What the options before the command said."""

    vault = False
    """Whether to open the vault for this command."""

    def __init__(self, palace: str | None, as_json: bool) -> None:
        self.palace = palace
        self.as_json = as_json

    def settings(self, **given: Any) -> Settings:
        from palazzo.bootstrap import load_settings

        return load_settings({"palace": self.palace, **given})

    @contextmanager
    def engine(self, **given: Any) -> Iterator[Engine]:
        from palazzo.bootstrap import open_engine

        if self.vault:
            given["vault_passphrase"] = ask("Vault passphrase: ") or None
        settings = self.settings(**given)
        with open_engine(settings, ask=ask) as engine:
            self.tell_interrupted(settings)
            yield engine

    def tell_interrupted(self, settings: Settings) -> None:
        """Says beside every result that a conversion was cut off, and which command finishes it."""
        from palazzo.bootstrap import interrupted

        command = interrupted(settings)
        if command:
            message, hint = f"`palazzo {command}` was interrupted; nothing is lost", f"run `palazzo {command}` again"
            told = json.dumps({"note": "unfinished", "message": message, "hint": hint})
            click.echo(told if self.as_json else f"palazzo: {message} ({hint})", err=True)

    def call(self, name: str, given: dict[str, Any]) -> Any:
        """The result of one operation."""
        with self.calls() as call:
            return call(name, given)

    @contextmanager
    def calls(self) -> Iterator[Callable[[str, dict[str, Any]], Any]]:
        """A way to call operations: through a running daemon of the palace, else the palace itself."""
        from palazzo.bootstrap import socket_path

        settings = self.settings()
        if settings["daemon"]:
            from palazzo.surfaces.socket.client import Daemon

            daemon = Daemon.reach(socket_path(settings))
            if daemon is not None:
                with daemon:
                    yield daemon.call
                return
        from palazzo.operations.call import call
        from palazzo.operations.caller import Caller

        with self.engine() as engine:
            yield partial(call, engine, Caller())

    def show(self, result: dict[str, Any], render: Callable[[dict[str, Any]], None]) -> None:
        """The result as JSON, or rendered for people."""
        if self.as_json:
            click.echo(json.dumps(result, default=str))
        else:
            render(result)


def ask(prompt: str) -> str:
    """Asks for a secret on a terminal; without one there is nobody to ask."""
    if not sys.stdin.isatty():
        return ""
    return str(
        click.prompt(prompt.rstrip(": "), hide_input=True, err=True, confirmation_prompt=prompt.startswith("New"))
    )


@contextmanager
def progress_bar(session: Session, title: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on a terminal; silence elsewhere."""
    if session.as_json or not sys.stderr.isatty():
        yield lambda _name, _done, _total: None
        return
    shown = ""

    def show(name: str, done: int, total: int) -> None:
        nonlocal shown
        share = f"{min(100 * done // total, 100)} %" if total else f"{done}"
        if (said := f"{title}: {name} {share}") != shown:
            click.echo(f"\r{said:{len(shown)}}", err=True, nl=False)
            shown = said

    try:
        yield show
    finally:
        if shown:
            click.echo(f"\r{'':{len(shown)}}\r", err=True, nl=False)


WATCHED: Final = frozenset({"import", "export", "backup", "verify"})


def run_watched(session: Session, engine: Engine, name: str, given: dict[str, Any]) -> Any:
    """Runs the operation and shows how far it is."""
    from palazzo.operations.call import call
    from palazzo.operations.caller import Caller

    if not given.get("passphrase") and (prompt := _prompt(name, given)):
        given = {**given, "passphrase": ask(prompt)}
    with progress_bar(session, name) as progress:
        return call(engine, Caller(), name, given, progress=progress)


def _prompt(name: str, given: dict[str, Any]) -> str:
    """What to ask for when the file is an encrypted archive."""
    from palazzo.operations.port.run import detect_own

    if name in ("backup", "verify"):
        return ""
    if name == "export":
        sealed = given.get("format") == "encrypted" or Path(given["to"]).suffix in (".sealed", ".enc")
        return "New passphrase of the archive: " if sealed else ""
    sealed = given.get("format") == "encrypted" or detect_own(Path(given["file"]).expanduser()) == "encrypted"
    return "Passphrase of the archive: " if sealed else ""
