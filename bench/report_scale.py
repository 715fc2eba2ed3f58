"""The sections of docs/benchmarks.md about growth, sustained load and isolation; see report.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.pinned import command, load, table


def growth() -> str:
    """What each size costs, told and asked through the public API."""
    found = load("growth")
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
        ["of it no page of a file, MB", *(one["own_mb"] for one in sizes)],
        ["disk, bytes per memory", *(one["bytes_per_memory"] for one in sizes)],
    ]
    drawn = "\n".join(
        f"![{title}](figures/growth-{name}.svg)"
        for name, title in (
            ("recall", "Recall against size"), ("writing", "Writing against size"),
            ("open", "First answer against size"),
            ("memory", "Resident memory against size"), ("disk", "Disk against size"),
        )
    )  # fmt: skip
    head = ["memories", *(f"{one['memories']:,}" for one in sizes)]
    return (
        "## Growth through the public API\n\nOne palace is told synthetic conversations with `observe` until it holds "
        "each size; every question is new. Aims at 100,000: recall p50 at most 8 ms; at 1,000,000: at most 20 ms, open "
        "and first answer under 300 ms, under 500 MB resident, under 4,000 bytes of disk each; from 100,000 to "
        "1,000,000 less than three times the latency and at most a fifth of the writing speed lost.\n\n"
        f"{command('growth')}\n{table(head, rows)}\n\n{drawn}\n"
    )


def stress() -> str:
    """Writes at a steady rate with readers beside them, for minutes."""
    runs = [(name, found) for name in ("stress", "soak") if (found := load(name))]
    if not runs:
        return ""

    def both(found: dict[str, Any], kind: str) -> str:
        return f"{found[kind]['p50_ms']} / {found[kind]['p99_ms']}"

    def row(label: str, tell: Callable[[dict[str, Any]], Any]) -> list[Any]:
        return [label, *(tell(found) for _, found in runs)]

    rows = [
        row("minutes", lambda found: found["minutes"]),
        row("memories written a minute", lambda found: f"{found['writes_per_minute']:,}"),
        row("turns told a minute", lambda found: f"{found['turns_per_minute']:,}"),
        row("memories at the end", lambda found: f"{found['memories']:,}"),
        row("longest wait of a write, ms", lambda found: found["stall_max_ms"]),
        row("waits over 250 ms", lambda found: f"{found['stalls_over_250_ms']} of {found['write']['n']}"),
        row("write, p50 / p99 ms", lambda found: both(found, "write")),
        row("recall beside it, p50 / p99 ms", lambda found: both(found, "recall")),
        row("resident memory at the end, MB", lambda found: found["rss_mb"]),
        row("its growth over the second half, MB a minute", lambda found: found["rss_mb_per_minute"]),
        row("without pages of files, MB", lambda found: found["own_mb"]),
        row("its growth over the second half, MB a minute", lambda found: found["own_mb_per_minute"]),
        row("errors", lambda found: found["errors"]),
    ]  # fmt: skip
    return (
        "## Sustained load\n\nTwo writers tell five turns of a conversation a call, so that 10,000 memories a "
        "minute are written (each turn and what is drawn from it); two readers ask without pause but for 20 ms; one "
        "more thread lists, revises and links as a pass over the palace does. All in one process, so that they share "
        "one interpreter. `make bench-full` runs another benchmark beside it, growth among them. "
        "Wanted: no wait over 250 ms, flat memory.\n\n"
        f"{command('stress', 'soak')}\n{table(['', *(name for name, _ in runs)], rows)}\n\n"
        "![Resident memory under load](figures/stress-memory.svg)\n"
    )


def isolation() -> str:
    """Whether other tenants change my answers."""
    found = load("isolation")
    if found is None:
        return ""
    rows = [
        ["foreign memories written", f"{found['memories']:,}"],
        ["questions whose order, scores or reasons changed", f"{found['changed']} of {found['questions']}"],
        ["recall before / among them / after upkeep, p50 ms", " / ".join(map(str, found["p50_ms"].values()))],
    ]
    return (
        "## Isolation of tenants\n\nA user with a few hundred memories asks before and after other users wrote theirs; "
        f"answers are compared bit for bit.\n\n{command('isolation')}\n{table(['', ''], rows)}\n"
    )


sections: tuple[Callable[[], str], ...] = (growth, stress, isolation)
