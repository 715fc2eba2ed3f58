"""The sections of docs/benchmarks.md about growth, sustained load and isolation; see report.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def _load(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text())) if path.exists() else None


def _table(head: list[str], rows: list[list[Any]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def growth() -> str:
    """What each size costs, told and asked through the public API."""
    found = _load("growth")
    if found is None:
        return ""
    sizes = found["sizes"]
    rows = [
        ["writing, memories a second", *(one["per_s"] for one in sizes)],
        ["writing, memories a second of CPU", *(one["per_cpu_s"] for one in sizes)],
        *(
            [f"{name}, p50 / p99 ms", *(f"{one[name]['p50_ms']} / {one[name]['p99_ms']}" for one in sizes)]
            for name in ("recall", "context", "list")
        ),
        ["recall, CPU ms", *(one["recall"]["cpu_p50_ms"] for one in sizes)],
        ["open and first answer in a fresh process, ms", *(one["first_answer_ms"] for one in sizes)],
        ["resident memory of that process, MB", *(one["rss_mb"] for one in sizes)],
        ["disk, bytes per memory", *(one["bytes_per_memory"] for one in sizes)],
    ]
    head = ["memories", *(f"{one['memories']:,}" for one in sizes)]
    return (
        "## Growth through the public API\n\nOne palace is told synthetic conversations with `observe` until it holds "
        "each size; every question is new.\n\n    python -m bench.growth --json --sizes 1000 10000 100000 1000000\n\n"
        f"{_table(head, rows)}\n"
    )


def stress() -> str:
    """Writes at a steady rate with readers beside them."""
    found = _load("stress")
    if found is None:
        return ""
    rows = [
        ["minutes", found["minutes"]], ["turns a minute", found["turns_per_minute"]],
        ["longest wait of a write, ms", found["stall_max_ms"]], ["waits over 250 ms", found["stalls_over_250_ms"]],
        ["write, p50 / p99 ms", f"{found['write']['p50_ms']} / {found['write']['p99_ms']}"],
        ["recall beside it, p50 / p99 ms", f"{found['recall']['p50_ms']} / {found['recall']['p99_ms']}"],
        ["resident memory, MB", found["rss_mb"]],
        ["its growth over the second half, MB a minute", found["rss_mb_per_minute"]], ["errors", found["errors"]],
    ]  # fmt: skip
    return (
        "## Sustained load\n\nTwo writers tell turns of a conversation, two readers ask, a third thread lists, revises "
        f"and links.\n\n    python -m bench.stress --minutes 60 --json\n\n{_table(['', ''], rows)}\n"
    )


def isolation() -> str:
    """Whether other tenants change my answers."""
    found = _load("isolation")
    if found is None:
        return ""
    rows = [
        ["foreign memories written", f"{found['memories']:,}"],
        ["questions whose order, scores or reasons changed", f"{found['changed']} of {found['questions']}"],
        ["recall before / among them / after upkeep, p50 ms", " / ".join(map(str, found["p50_ms"].values()))],
    ]
    return (
        "## Isolation of tenants\n\nA user with a few hundred memories asks before and after other users wrote theirs; "
        "answers are compared bit for bit.\n\n    python -m bench.isolation --memories 1000000 --json\n\n"
        f"{_table(['', ''], rows)}\n"
    )


sections: tuple[Callable[[], str], ...] = (growth, stress, isolation)
