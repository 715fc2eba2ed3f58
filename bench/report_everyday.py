"""The sections of docs/benchmarks.md about ordinary life: changes in free wording, everyday use, planted orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.pinned import command, load, table

SETS = (
    ("develop", "development"), ("develop-2", "development, fresh, looked at"),
    ("develop-2-counted", "development, fresh, only counted"), ("heldout", "held out"),
    ("heldout-2", "held out, another author"),
)  # fmt: skip
PAIRS = tuple((f"change-{name}", label) for name, label in SETS)
CHAINS = tuple((f"change-chains-{name}", label) for name, label in SETS)


def _points(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def change() -> str:
    """What becomes of an older statement when a newer one is told."""
    pairs = [(label, result) for name, label in PAIRS if (result := load(name))]
    chains = [(label, result) for name, label in CHAINS if (result := load(name))]
    if not pairs:
        return ""
    head = ["pairs", "n", "taken back", "taken back or marked", "harmless superseded", "harmless marked", "write p50"]
    rows = [
        [
            label, r["n"], _points(r["taken_back"]), _points(r["taken_back_or_marked"]), _points(r["wrong_superseded"]),
            _points(r["wrong_marked"]), f"{(r.get('write') or {}).get('p50_ms', 0):.1f} ms",
        ]
        for label, r in pairs
    ]  # fmt: skip
    of_chains = [
        [label, r["chains"]["n"], _points(r["chains"]["only_the_last"]), _points(r["chains"]["only_the_last_unmarked"])]
        for label, r in chains
    ]
    return (
        "## Changes in free wording\n\nAn older statement is told among a dozen others, then a newer one by the same "
        "person, through the library. Thresholds were chosen on development items; the held-out pairs are by other "
        "authors and were not learned from. Aims: 70 and 85 at 1 and 5; chains 75.\n\n"
        f"{command(*(name for name, _ in (*PAIRS, *CHAINS)))}\n{table(head, rows)}\n\n"
        f"{table(['chains', 'n', 'only the last stands', 'only the last stands unmarked'], of_chains)}\n"
    )


def everyday() -> str:
    """Whether ordinary use comes out as people expect."""
    found = load("everyday")
    if found is None:
        return ""
    halves: dict[str, Any] = found["halves"]
    areas = [[name, f"{one['passed']} of {one['total']}"] for name, one in found["areas"].items()]
    told = ", ".join(f"{one['passed']} of {one['total']} ({name} half)" for name, one in halves.items())
    return (
        "## Everyday scenarios\n\nWhat is said, and what must and must not come back; each in a palace of its own. "
        f"Passed: {found['passed']} of {found['scenarios']}; {told}. "
        "What failed of both halves was looked at; other scenarios, half of them only counted, are in "
        "`training/everyday`.\n\n"
        f"{command('everyday')}\n{table(['area', 'passed'], areas)}\n"
    )


def injection() -> str:
    """How many planted orders in wordings nobody trained on are flagged."""
    found = load("injection")
    if found is None:
        return ""
    rows = [
        [
            name, f"{_points(one['caught']['rate'])} ({one['caught']['n']} of {one['caught']['of']})",
            f"{_points(one['false']['rate'])} ({one['false']['n']} of {one['false']['of']})",
        ]
        for name, one in found["held_out"].items()
    ]  # fmt: skip
    return (
        "## Planted orders\n\nTexts in ten languages of which nothing was learned; most of the harmless ones come "
        "close to an attack. On develop-5 the threshold was chosen. Aim: 75 at 2.\n\n"
        f"{command('injection')}\n{table(['set', 'attacks flagged', 'harmless flagged'], rows)}\n"
    )


sections: tuple[Callable[[], str], ...] = (change, everyday, injection)
