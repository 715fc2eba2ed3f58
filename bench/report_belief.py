"""The belief sections of docs/benchmarks.md, from the pinned results bench/results/belief-*.json.

`sections` gives each section's text; a section whose result is missing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bench.pinned import command, load, table

NAMES = {
    "automemorybench": "AutoMemoryBench", "halumem": "HaluMem", "beam_100k": "BEAM 100K",
    "histories": "generated histories", "together": "together",
}  # fmt: skip
HEAD = ["", "as labelled: precision", "recall", "adjudicated: precision", "recall"]
LABELS = (
    "Labels are the corpora's own: which text updates which. *As labelled* counts every text without a label as fresh. "
    "*Adjudicated* leaves out, as neither right nor wrong, texts whose value a later one names as the old one and "
    "repetitions of a labelled old value; those rules were added after errors of the first runs were looked at, so the "
    "first reading is the safe one. Share, counts, 95% interval. "
)


def _share(found: Mapping[str, Any]) -> str:
    if not found["of"]:
        return "-"
    low, high = found["interval"]
    return f"{found['hits'] / found['of']:.2f} ({found['hits']} of {found['of']}; {low:.2f} to {high:.2f})"


def _both(found: Mapping[str, Any]) -> list[list[Any]]:
    return [
        [
            NAMES.get(name, name),
            *(_share(found[reading][name][part]) for reading in ("as labelled", "adjudicated") for part in
              ("precision", "recall")),
        ]
        for name in found["as labelled"]
    ]  # fmt: skip


CHAIN_HEAD = ["", "recall", "direct: precision", "chain: precision", "statements of the old value taken back"]
STYLE_HEAD = ["style", "first run: recall", "precision", "now: recall", "precision"]
CHAINS = (
    "Labels are the corpora's own. *Direct* counts only the labelled older statement as right. *Chain* also counts the "
    "other statements of the replaced value: those that hold the old value the update names and every content word "
    "that both sides share (`bench/slots.py`: a rule over the corpora's fields and words, nothing by hand). "
    'When an income went from 15 to 18 and then to 22, "went from 15 to 18" is as untrue as "is 18", though only the '
    "second carries a label. Share, counts, 95% interval. "
)
GENERATED = (
    "Generated statements with known fates, nine attributes a style, with near misses (somebody else, another "
    "attribute, a plan, the past, one more beside the first, a target, the same value). The first run, before anything "
    "was developed on a style, says how sentences fare that nobody tuned on. Recall is over every statement of the "
    "old value."
)


def contradiction() -> str:
    found = load("belief-contradiction")
    if found is None:
        return ""
    rows = [
        [
            NAMES.get(name, name), _share(row["recall"]), _share(row["precision"]),
            _share(found["chain"][name]["precision"]), _share(found["chain"][name]["members"]),
        ]
        for name, row in found["direct"].items()
    ]  # fmt: skip
    styles = [
        [style, *(_share(run[name]) for run in (found["first sight"][style], now) for name in ("recall", "precision"))]
        for style, now in found["generated"].items()
    ]
    return (
        "## Belief: contradiction at write\n\nThe older side of an update and the ten texts nearest to the newer one "
        "are remembered through the engine without a model, then the newer one; a hit supersedes or disputes the "
        f"memory of the older side. {CHAINS}Must reach: recall 0.80 at precision 0.90.\n\n"
        f"{command('belief-contradiction')}\n{table(CHAIN_HEAD, rows)}\n\n{GENERATED}\n\n{table(STYLE_HEAD, styles)}\n"
    )


def staleness() -> str:
    found = load("belief-staleness")
    if found is None:
        return ""
    return (
        "## Belief: staleness (TCSE)\n\nMemories placed without the check at write and audited when everything later "
        "of their conversation is there, and generated habits with a month of signals; each axis over its part. The "
        f"temporal axis cannot flag alone. {LABELS}Must reach together: precision 0.85, recall 0.75.\n\n"
        f"{command('belief-staleness')}\n{table(HEAD, _both(found))}\n"
    )


def why() -> str:
    found = load("belief-why")
    if found is None:
        return ""
    figures = [[name, value] for name, value in found["why"].items()]
    return (
        f"## Belief: why\n\n`why` over {found['memories']:,} memories, half of them with a turn, four sources and a "
        "chain behind them; CPU milliseconds of the call. Must reach: p99 under 5 ms.\n\n"
        f"{command('belief-why')}\n{table(['', 'ms'], figures)}\n"
    )


sections: tuple[Callable[[], str], ...] = (contradiction, staleness, why)
