"""The pinned results in bench/results/ as the report reads them: figures, and the command and day that made them.

Knows no benchmark. Invariant: a command shown on the page is the one that printed the figures below it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.plan import RUNS

RESULTS = Path(__file__).parent / "results"


def _whole(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None


def load(name: str) -> dict[str, Any] | None:
    """The figures of a result, or None where there is none."""
    found = _whole(name)
    if found is not None:
        found.pop("made", None)
    return found


def made(name: str) -> dict[str, Any]:
    """Command, day, version and machine of a result; empty where it does not say."""
    return dict((_whole(name) or {}).get("made", {}))


def command(*names: str) -> str:
    """The commands of results as a block for the page, each with its day; a result that is not there has none."""
    lines = []
    for name in names:
        if _whole(name) is None:
            continue
        told = made(name)
        planned = next((f"python -m {run.command(full=True)} --json" for run in RUNS if run.name == name), "")
        said = told.get("command", planned.format(data="DATA"))
        day = f"  # {told['on']}" if "on" in told else ""
        program = f", code {told['code']}" if "code" in told else ""
        lines.append(f"    {said}{day}{program}")
    return "\n".join(lines) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table for the page."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])
