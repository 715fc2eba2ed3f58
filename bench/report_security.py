"""The section of docs/benchmarks.md about the guard, from the pinned results in bench/results/."""

from __future__ import annotations

from collections.abc import Callable

from bench.pinned import command, load

_PAIRS = {
    "by id": "forbidden or missing, by id", "by address": "forbidden or missing, by address",
    "by word": "forbidden or missing, by a word", "sealed or clear": "sealed or clear, by id",
}  # fmt: skip


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
        "operation of a palace with many owners and looks for what is not theirs in the answers.",
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
    if (timed := load("security-timing")) is not None:
        lines += [
            "",
            f"Times of answers to untrusted readers over {timed['memories']:,} memories, asked in turn. Told apart: the"
            " chance that an answer about the first takes longer than one about the second; a half is no way to tell.",
            "",
            command("security-timing"),
            "| asked | first, median ms | second, median ms | told apart | z of the rank test |",
            "|---|---|---|---|---|",
            *(
                f"| {_PAIRS[name]} | {pair['median_ms']:.3f} | {pair['other_median_ms']:.3f} |"
                f" {pair['told_apart']:.2f} | {pair['z']:.1f} |"
                for name, pair in timed["pairs"].items()
            ),
        ]
    return "\n".join(lines) + "\n"


sections: tuple[Callable[[], str], ...] = (guard,)
