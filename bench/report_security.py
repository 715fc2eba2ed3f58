"""The section of docs/benchmarks.md about the guard, from the pinned results in bench/results/."""

from __future__ import annotations

from collections.abc import Callable

from bench.pinned import command, load

_PAIRS = {
    "by id": "forbidden or missing, by id", "by address": "forbidden or missing, by address",
    "by word": "forbidden or missing, by a word", "sealed or clear": "sealed or clear, by id",
}  # fmt: skip


def _share(found: dict[str, float]) -> str:
    return f"{found['share']:+.1%} ({found['low']:+.1%} to {found['high']:+.1%})"


def guard() -> str:
    """What the guard adds to a recall, and whether it holds between tenants."""
    found, tenants = load("security-overhead"), load("security-tenants")
    if found is None:
        return ""
    times = found["recall_ms"]
    lines = [
        "## The guard and encryption",
        "",
        "The first command asks the same questions of the engine alone and through `call` for a gated subject",
        "(capability check, reduction and audit), of a palace and of its encrypted copy, in turn in one process:",
        f"{found['memories']:,} memories, {found['questions']} questions, processor time. A share is the median of the",
        "paired ratios, with its 95% interval. The second lets random readers call every operation of a palace with",
        "many owners and looks for what is not theirs in the answers.",
        "",
        command("security-overhead", "security-tenants"),
        "| palace | engine alone, ms | through the guard, ms | the guard adds |",
        "|---|---|---|---|",
        *(
            f"| {name} | {times[name]['engine']:.2f} | {times[name]['guard']:.2f} | {_share(found['guard'][name])} |"
            for name in ("plain", "encrypted")
        ),
        "",
        "| | encryption adds |",
        "|---|---|",
        *(f"| {name} | {_share(found['encryption'][name])} |" for name in ("recall", "read", "write")),
        "",
        "At most 10% is wanted for the guard, 25% for encryption.",
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
