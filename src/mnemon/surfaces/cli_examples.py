"""Examples for the help of commands: what people type most, each a whole line that works.

Owns the lines only. Invariant: every line can be parsed by its command, which a test tries.
"""

from __future__ import annotations

from typing import Final

import click

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "init": ("mnemon init", "mnemon --palace ~/work-palace init --encrypted", "mnemon init --keyring"),
    "demo": ("mnemon demo",),
    "remember": (
        'mnemon remember "Deploys happen on Tuesdays."',
        'mnemon remember "Ada prefers tea." --place life.people --kind preference --user-id ada',
        "mnemon remember - --verbatim --metadata '{\"source\": \"email\"}' < note.txt",
    ),
    "observe": ("mnemon observe talk.jsonl", "tail -n 50 talk.jsonl | mnemon observe"),
    "recall": (
        'mnemon recall "when do we deploy?"',
        'mnemon recall "who moved to Porto" --place life --limit 3',
        'mnemon --json recall "what did we believe" --as-of 2026-03-01',
    ),
    "context": ('mnemon context "plan the release" --budget-tokens 1500',),
    "list": ("mnemon list --place work --limit 20", "mnemon list --state forgotten"),
    "get": ("mnemon get work.projects/release-day.fact",),
    "update": ('mnemon update work.projects/release-day.fact "Deploys happen on Wednesdays."',),
    "forget": ("mnemon forget work.projects/release-day.fact", "mnemon list --state forgotten"),
    "history": ("mnemon history work.projects/release-day.fact",),
    "why": ("mnemon why work.projects/release-day.fact",),
    "review": ("mnemon review",),
    "revise": ('mnemon revise "The Heron server listens on port 9090."',),
    "grant": (
        "mnemon grant mcp:desk read_public --place work.**", "mnemon grants mcp:desk",
        "mnemon revoke mcp:desk --place work.**",
    ),
    "export": ("mnemon export palace.jsonl", "mnemon export notes --format markdown", "mnemon export all.sealed"),
    "import": (
        "mnemon import conversations.json --dry-run", "mnemon import notes --format notes",
        "mnemon import palace.jsonl",
    ),
    "doctor": ("mnemon doctor",),
    "bench": ("mnemon bench", "mnemon bench --cues 500"),
    "serve": ("mnemon serve",),
    "mcp": ("mnemon mcp", "mnemon mcp --toolset memory-server", "mnemon mcp config claude-desktop --write"),
    "hook": ("mnemon hook config", "mnemon hook session-start < input.json"),
    "plugins": ("mnemon plugins --check",),
}  # fmt: skip


def lines(name: str) -> tuple[str, ...]:
    """The examples of a command; none for most."""
    return EXAMPLES.get(name, ())


def attach(group: click.Group) -> None:
    """Puts the examples below the help of each command."""
    for name, command in group.commands.items():
        if found := lines(name):
            command.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in found)
