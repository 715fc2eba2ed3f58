"""The front page of the command line: commands by what one wants to do, and what else a manual page tells.

Owns the order and the headings. Invariant: every command stands in exactly one section, which a test checks.
"""

from __future__ import annotations

from typing import Final

import click

SECTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("Begin", "init demo"),
    (
        "Remember and recall",
        "remember recall context observe remember-many get list update forget restore reason evolution feedback"
        " places move tag",
    ),
    ("Where it comes from", "why history explain events relate walk path impact"),
    (
        "What is believed",
        "as-of revise contract revert inbox settle review staleness recheck resolve outcome signal propose claims"
        " preview decide retract claim-mode register product",
    ),
    ("Agents and programs", "mcp serve hook plugins"),
    ("Who may do what", "grant revoke grants token audit vault seal pause resume plan apply rollback plans"),
    ("Erase for good", "purge burn forget-user"),
    (
        "Look after the palace",
        "status doctor verify upkeep rebuild reindex backup export import encrypt decrypt rotate bench",
    ),
)  # fmt: skip

AFTERWORD: Final = """\b
First steps:
  palazzo init
  palazzo remember "Deploys happen on Tuesdays."
  palazzo recall "when do we deploy?"
  palazzo mcp config claude-code

\b
Environment:
  PALAZZO_PALACE and one variable for every other setting: see docs/settings.md.

\b
Exit codes:
  0  well
  1  a check found something
  2  the call was at fault, or the palace cannot be used

`palazzo COMMAND --help` tells the rest; docs/cli.md has all of it on one page, and how the shell completes commands."""


def write(group: click.Group, context: click.Context, page: click.HelpFormatter) -> None:
    """Writes the commands of a group below their headings."""
    for title, names in SECTIONS:
        rows = []
        for name in names.split():
            command = group.get_command(context, name)
            if command is not None:
                rows.append((name, command.get_short_help_str(limit=200)))
        with page.section(title):
            page.write_dl(rows, col_max=16)
