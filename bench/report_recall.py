"""The sections of docs/benchmarks.md about recall, from the pinned results in bench/results/."""

from __future__ import annotations

from collections.abc import Callable

from bench.pinned import command, load, table

RUNS = (
    ("retrieval-locomo-builtin", "LoCoMo, built-in embedder"),
    ("retrieval-locomo-minilm", "LoCoMo, MiniLM folder"),
    ("retrieval-locomo-none", "LoCoMo, text only"),
    ("retrieval-beam-builtin", "BEAM 100K, built-in"),
    ("retrieval-plus-minilm", "LoCoMo-Plus, MiniLM"),
    ("retrieval-dev-builtin", "DevMemBench (sessions), built-in"),
)


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def quality() -> str:
    """What recall finds, per set of questions and per category."""
    found = [(label, result) for name, label in RUNS if (result := load(name))]
    if not found:
        return ""
    head = ["questions", "n", "BM25 R@10", "R@5", "R@10", "95%", "R@20", "any@10", "all@10", "NDCG@10", "tokens"]
    rows = [
        [
            label, r["n"], _points(r["bm25_r@10"]), _points(r["r@5"]), f"**{_points(r['r@10'])}**",
            "-".join(_points(x) for x in r["r@10_interval"]), _points(r["r@20"]), _points(r["any@10"]),
            _points(r["all@10"]), _points(r["ndcg@10"]), r["tokens@10"],
        ]
        for label, r in found
    ]  # fmt: skip
    parts = [
        "## What recall finds\n\nR@k: share of the evidence turns among the first k hits; a hit drawn from a turn "
        "counts as that turn. BM25 over the same turns stands beside every figure. No model is called but the "
        "embedder. LoCoMo with the audited key, all five categories. These are the development conversations: weights, "
        "intents and lanes were chosen by hand while looking at all of them, none was held back, so expect less on "
        "others; the interval covers the questions drawn, not that choice.\n",
        f"{command(*(name for name, _ in RUNS))}\n{table(head, rows)}\n",
        "![Evidence found against tokens](figures/quality-tokens.svg)\n",
    ]
    for label, result in found:
        if "locomo" in result["format"] or result["format"] == "beam":
            names = result["by_category"]
            cells = [
                [name, figures["n"], _points(figures["bm25_r@10"]), _points(figures["r@10"])]
                for name, figures in names.items()
            ]
            parts.append(f"{label}, R@10 by category:\n\n{table(['category', 'n', 'BM25', 'recall'], cells)}\n")
    sessions = [
        [label, _points(r["session_r@5"]), _points(r["session_r@10"])] for label, r in found if r["format"] == "locomo"
    ]
    if sessions:
        parts.append(f"Sessions, by their best turn:\n\n{table(['', 'R@5', 'R@10'], sessions)}\n")
    return "\n".join(parts)


def ablation() -> str:
    """What each signal buys, and what it costs."""
    found = load("ablation-locomo-builtin")
    if found is None:
        return ""
    cost = load("ablation-cost-locomo-builtin") or found
    rows = [
        [
            name, _points(row["r@10"]), f"{row['difference']:+.1f}", f"{row['ndcg_difference']:+.1f}",
            f"{cost['variants'][name]['cpu']:.2f}",
        ]
        for name, row in found["variants"].items()
    ]  # fmt: skip
    return (
        "## What each signal of recall buys, and what it costs\n\n"
        f"Built-in embedder, LoCoMo, {found['n']} questions; differences in points, under "
        "one is noise at a thousand questions, under two at three hundred. The last column is the CPU time of a "
        "recall as a share of that "
        f"with everything ({cost['cpu_ms']} ms at the median), from the second command: {cost['n']} questions, every "
        "variant asked one after the other, so the first pays about a tenth more for cold "
        "caches. A signal that is left out is still computed: almost all of the time goes "
        "into searching, reading and neighbours, which signals share; the lines for presets and fusion show what more "
        "or fewer candidates cost.\n\n"
        f"{command('ablation-locomo-builtin', 'ablation-cost-locomo-builtin')}\n"
        f"{table(['', 'R@10', 'difference', 'NDCG@10', 'CPU'], rows)}\n"
    )


def updates() -> str:
    """Whether an old value still comes up for a question about the present."""
    found = load("updates-builtin")
    if found is None:
        return ""
    names = (
        ("present: no text with the old value among the first five", "old_not_in_first_5"),
        ("present: a text with the new value among the first five", "new_in_first_5"),
        ("past: a text with the old value among the first ten", "past_finds_old"),
        ("as of the moment before: the same", "as_of_finds_old"),
    )
    corpora = [name for name, value in found.items() if isinstance(value, dict) and "old_not_in_first_5" in value]
    rows = [
        [label, *(f"{_points(found[name][key]['share'])} ({found[name][key]['hits']}/{found[name][key]['of']})"
                  for name in corpora)]
        for label, key in names
    ]  # fmt: skip
    return (
        "## After an update\n\nStories told in order, then asked; how each corpus is read is in "
        "`bench/update_cases.py`. Built-in embedder. The aim is 97 in the first row. These are the development data: "
        "the rules of `src/palazzo/recall/rank/rank.py` were written while looking at the BEAM questions.\n\n"
        f"{command('updates-builtin')}\n{table(['', *corpora], rows)}\n"
    )


sections: tuple[Callable[[], str], ...] = (quality, ablation, updates)
