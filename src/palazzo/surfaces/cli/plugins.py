"""`palazzo plugins`: which parts other packages bring."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session


def _run(session: Session, check: bool) -> None:
    from palazzo.bootstrap import installed_plugins

    found = [asdict(one) for one in installed_plugins(check=check)]
    session.show({"plugins": found}, _render)


def _render(told: dict[str, Any]) -> None:
    from rich.console import Console

    from palazzo.surfaces.cli.shapes import line, table

    console = Console()
    if not told["plugins"]:
        line(console, "no plugins are installed; docs/plugins.md says how one is made")
        return
    rows = (
        (p["kind"], p["name"], f"{p['package']} {p['version']}", p["fault"] or p["target"]) for p in told["plugins"]
    )
    table(console, ("kind", "name", "package", "what it is"), rows)


def command() -> click.Command:
    """The command `palazzo plugins`."""
    return click.Command(
        "plugins", callback=click.pass_obj(_run), short_help="List the parts that other packages bring.",
        params=[click.Option(["--check"], is_flag=True, help="Load each, and say what is wrong with those that fail.")],
        help="List the embedders, completers, rerankers, importers and context providers of other packages. Nothing of"
        " them runs unless --check is given.",
    )  # fmt: skip
