"""The front page of the command line, commands by what one wants to do, and the examples in the help of each.

Owns the order, the headings and the examples: what people type most, each a whole line that works. Invariant: every
command stands in exactly one section, which a test checks.
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


EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "init": ("palazzo init", "palazzo --palace ~/work-palace init --encrypted", "palazzo init --keyring"),
    "demo": ("palazzo demo",),
    "remember": (
        'palazzo remember "Deploys happen on Tuesdays."',
        'palazzo remember "Ada prefers tea." --place life.people --kind preference --user-id ada',
        "palazzo remember - --verbatim --metadata '{\"source\": \"email\"}' < note.txt",
    ),
    "observe": ("palazzo observe talk.jsonl", "tail -n 50 talk.jsonl | palazzo observe"),
    "recall": (
        'palazzo recall "when do we deploy?"',
        'palazzo recall "who moved to Porto" --place life --limit 3',
        'palazzo --json recall "what did we believe" --as-of 2026-03-01',
    ),
    "context": ('palazzo context "plan the release" --budget-tokens 1500',),
    "list": ("palazzo list --place work --limit 20", "palazzo list --state forgotten"),
    "get": ("palazzo get work.projects/release-day.fact",),
    "update": ('palazzo update work.projects/release-day.fact "Deploys happen on Wednesdays."',),
    "forget": ("palazzo forget work.projects/release-day.fact", "palazzo list --state forgotten"),
    "history": ("palazzo history work.projects/release-day.fact",),
    "why": ("palazzo why work.projects/release-day.fact",),
    "review": ("palazzo review",),
    "revise": ('palazzo revise "The Heron server listens on port 9090."',),
    "grant": (
        "palazzo grant mcp:desk read_public --place work.**", "palazzo grants mcp:desk",
        "palazzo revoke mcp:desk --place work.**",
    ),
    "export": ("palazzo export palace.jsonl", "palazzo export notes --format markdown", "palazzo export all.sealed"),
    "import": (
        "palazzo import conversations.json --dry-run", "palazzo import notes --format notes",
        "palazzo import palace.jsonl",
    ),
    "doctor": ("palazzo doctor",),
    "bench": ("palazzo bench", "palazzo bench --cues 500"),
    "serve": ("palazzo serve",),
    "mcp": ("palazzo mcp", "palazzo mcp --toolset memory-server", "palazzo mcp config claude-desktop --write"),
    "hook": ("palazzo hook config", "palazzo hook session-start < input.json"),
    "plugins": ("palazzo plugins --check",),
}  # fmt: skip


def lines(name: str) -> tuple[str, ...]:
    """The examples of a command; none for most."""
    return EXAMPLES.get(name, ())


def attach(group: click.Group) -> None:
    """Puts the examples below the help of each command."""
    for name, command in group.commands.items():
        if found := lines(name):
            command.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in found)
