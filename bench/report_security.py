"""The section of docs/benchmarks.md about the guard, from the pinned results in bench/results/."""

from __future__ import annotations

from collections.abc import Callable

from bench.pinned import command, load


def guard() -> str:
    """What the guard adds to a recall, and whether it holds between tenants."""
    found, tenants = load("security-overhead"), load("security-tenants")
    if found is None:
        return ""
    lines = [
        "## The guard",
        "",
        "The first command asks the same questions of the engine alone and through `call` for a gated subject:",
        f"capability check, reduction and audit. {found['memories']:,} memories, median processor time of",
        f"{found['questions']} questions, alternating in one process. The second lets random readers call every",
        "reading operation of a palace with many owners and looks for what is not theirs in the answers.",
        "",
        command("security-overhead", "security-tenants"),
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
            f"Tenants: {tenants['readers']:,} random readers over {tenants['memories']:,}"
            f" memories of many owners, {tenants['calls']:,} calls of reading operations, {tenants['leaks']} leaks.",
        ]
    return "\n".join(lines) + "\n"


sections: tuple[Callable[[], str], ...] = (guard,)
