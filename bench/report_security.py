"""The section of docs/benchmarks.md about the guard, from the pinned results in bench/results/."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def _load(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None


def guard() -> str:
    """What the guard adds to a recall, and whether it holds between tenants."""
    found, tenants = _load("security-overhead"), _load("security-tenants")
    if found is None:
        return ""
    lines = [
        "## The guard",
        "",
        "`python -m bench.security overhead` asks the same questions of the engine alone and through `call` for a",
        f"gated subject: capability check, reduction and audit. {found['memories']:,} memories, median processor time",
        f"of {found['questions']} questions, alternating in one process.",
        "",
        "| palace | engine alone, ms | through the guard, ms |",
        "|---|---|---|",
        *(
            f"| {name} | {found[name]['engine_ms']:.2f} | {found[name]['with_guard_ms']:.2f} |"
            for name in ("plain", "encrypted")
        ),
        "",
        f"The guard adds {100 * found['guard_share']:.1f}% to a recall (at most 10% is wanted), encryption"
        f" {100 * found['encryption_share']:.1f}% (at most 25%).",
    ]
    if tenants is not None:
        lines += [
            "",
            f"`python -m bench.security tenants`: {tenants['readers']:,} random readers over {tenants['memories']:,}"
            f" memories of many owners, {tenants['calls']:,} calls of reading operations, {tenants['leaks']} leaks.",
        ]
    return "\n".join(lines) + "\n"


sections: tuple[Callable[[], str], ...] = (guard,)
