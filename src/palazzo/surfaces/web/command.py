"""`palazzo open`: the dashboard in a browser, signed in.

Owns the link. It carries a token that signs in once, behind the # of an address, which browsers send to no server.
Uses the daemon that runs, or runs one until it is stopped. Loads nothing heavy before it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from palazzo.surfaces.daemon.command import need_server, options, run_daemon

if TYPE_CHECKING:
    from palazzo.engine import Engine
    from palazzo.surfaces.cli.session import Session

_ASKED = {"subject": "operator", "label": "dashboard", "once": True}


def _show(session: Session, url: str, token: str, *, only_print: bool) -> None:
    """Says the link, and opens it unless it is only to be said."""
    link = f"{url}/#sign-in={token}"
    session.show({"url": url, "link": link}, lambda told: click.echo(f"{told['link']}  (signs in once)"))
    if not only_print:
        import webbrowser

        webbrowser.open(link)


def _open(session: Session, *, only_print: bool, **given: Any) -> None:
    need_server()
    from palazzo.bootstrap import palace_folder
    from palazzo.surfaces.daemon.serve import served_at

    if url := served_at(palace_folder(session.settings())):
        _show(session, url, session.call("token_create", _ASKED).token, only_print=only_print)
        return

    def told(engine: Engine, at: str) -> None:
        from palazzo.operations.call import call
        from palazzo.operations.caller import Caller

        _show(session, at, call(engine, Caller(), "token_create", _ASKED).token, only_print=only_print)

    if not session.as_json:
        click.echo("the dashboard runs until you press Ctrl-C")
    run_daemon(session, given, told)


def command() -> click.Command:
    """The command `palazzo open`."""
    say = click.Option(["--print", "only_print"], is_flag=True, help="Only say the link; open no browser.")
    served = options()
    for option in served:
        if option.name == "log_level":
            option.default = "warning"  # a person reads this terminal
    return click.Command(
        "open", params=[say, *served], callback=click.pass_obj(_open),
        short_help="Open the dashboard in a browser, signed in.",
        help="Open the dashboard in a browser, signed in by a link that holds once and for ten minutes. Uses the daemon"
        " of the palace; where none runs, it runs one until you stop it, with these options. See docs/dashboard.md.",
    )  # fmt: skip
