"""Examples for the help of commands: what people type most, each a whole line that works.

Owns the lines only. Invariant: every line can be parsed by its command, which a test tries.
"""

from __future__ import annotations

from typing import Final

import click

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
