"""The sections of docs/benchmarks.md that stand Mnemon beside its peers, from the pinned results in bench/results/.

Invariant: where a peer has the better figure, the page says so; the lists are computed, not written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
OURS = "mnemon"

SCALE_COLUMNS: tuple[tuple[str, str, bool], ...] = (
    ("recall.p50_ms", "recall p50 ms", False),
    ("recall.p99_ms", "p99 ms", False),
    ("single_per_s", "single writes/s", True),
    ("single.p50_ms", "write p50 ms", False),
    ("batch_per_s", "writes/s in batches of 500", True),
    ("rss_mb", "resident MB", False),
    ("disk_bytes_per_memory", "disk bytes each", False),
    ("cold_start_ms", "cold start ms", False),
)
"""Path in the result, heading, whether more is better."""


def _load(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None


def _table(head: list[str], rows: list[list[Any]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def _ran(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: told for name, told in found["systems"].items() if "failed" not in told}


def _failed(found: Mapping[str, Any]) -> str:
    lost = [f"{name}: {told['failed']}" for name, told in found["systems"].items() if "failed" in told]
    return f"\n\nNot run: {'; '.join(lost)}." if lost else ""


def _named(name: str, told: Mapping[str, Any]) -> str:
    return f"**{name}**" if name.startswith(OURS) else f"{name} {told.get('version', '')}".strip()


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _span(bounds: list[float]) -> str:
    return "-".join(_percent(bound) for bound in bounds)


def _verdict(found: Mapping[str, dict[str, Any]], key: str, bounds: str) -> str:
    """Whether our interval stands clear of every peer's."""
    ours = found.get(OURS)
    peers = {name: told for name, told in found.items() if not name.startswith(OURS)}
    if ours is None or not peers:
        return ""
    best = max(peers, key=lambda name: float(peers[name][key]))
    clear = ours[bounds][0] > max(told[bounds][1] for told in peers.values())
    apart = "the intervals do not overlap" if clear else "the intervals overlap"
    return f"Best peer: {best} with {_percent(peers[best][key])}; {apart}.\n"


def retrieval() -> str:
    """Evidence found on LoCoMo by each system with the same embedder."""
    parts = []
    for embedder in ("builtin", "minilm"):
        found = _load(f"compare-retrieval-{embedder}")
        if found is None:
            continue
        ran = _ran(found)
        rows = [
            [
                _named(name, told), _percent(told["r@5"]), f"**{_percent(told['r@10'])}**",
                _span(told["r@10_interval"]), _percent(told["r@20"]), _percent(told["any@10"]),
                _percent(told["all@10"]), _percent(told["ndcg@10"]), told["p50_ms"], told["turns_per_s"],
            ]
            for name, told in sorted(ran.items(), key=lambda pair: -pair[1]["r@10"])
        ]  # fmt: skip
        head = ["system", "R@5", "R@10", "95%", "R@20", "any@10", "all@10", "NDCG@10", "p50 ms", "turns/s in"]
        count = next(iter(ran.values()))["n"]
        parts.append(
            f"### LoCoMo, {count} questions, every system with the {embedder} embedder\n\n"
            f"    python -m bench.compare retrieval --data locomo_dev.json --embedder {embedder} [--systems NAME] "
            f"--json\n\n{_table(head, rows)}\n\n{_verdict(ran, 'r@10', 'r@10_interval')}{_failed(found)}"
        )
    if not parts:
        return ""
    intro = (
        "## Beside the peers: what is found\n\nThe same turns, the same questions, the same embedder in the same "
        "process where a system takes one (SQLite FTS5 and the MCP memory server take none). Peers get the speaker's "
        "name in front of each text. mem0 runs with `infer=False`, for without a key it cannot infer; what it would do "
        "with a language model is not measured here. The systems' adapters are in `bench/peers/`, one file each.\n"
    )
    return "\n".join([intro, *parts])


def updates() -> str:
    """Which value comes first after an update."""
    found = _load("compare-updates")
    if found is None:
        return ""
    ran = _ran(found)
    rows = [
        [
            _named(name, told), f"**{_percent(told['correct'])}**", _span(told["correct_interval"]),
            _percent(told["old_not_in_first_5"]), _percent(told["new_in_first_5"]),
        ]
        for name, told in sorted(ran.items(), key=lambda pair: -pair[1]["correct"])
    ]  # fmt: skip
    head = ["system", "correct", "95%", "old value not in first five", "new value in first five"]
    return (
        "## Beside the peers: after an update\n\nCorrect: the turn with the new value is among the first five and the "
        f"turn with the old one is not ({next(iter(ran.values()))['n']} labelled updates). A system that finds neither "
        "is not correct.\n\n    python -m bench.compare updates --data DATA [--systems NAME] --json\n\n"
        f"{_table(head, rows)}\n\n{_verdict(ran, 'correct', 'correct_interval')}{_failed(found)}"
    )


def _value(told: Mapping[str, Any], path: str) -> float | None:
    value: Any = told
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def _ahead(ran: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    """Where a peer that keeps text and vectors has the better figure."""
    ours = ran[OURS]
    for path, label, more in SCALE_COLUMNS:
        mine = _value(ours, path)
        for name, told in ran.items():
            theirs = _value(told, path)
            if name.startswith(OURS) or theirs is None or mine is None:
                continue
            if theirs > mine if more else theirs < mine:
                yield f"{name} ({told['keeps']}) in {label}: {theirs:g} against {mine:g}"


def scale() -> str:
    """Speed, size and safety at a number of memories."""
    parts = []
    for memories in (3_000, 10_000, 100_000):
        found = _load(f"compare-scale-{memories}")
        if found is None:
            continue
        ran = _ran(found)
        rows = [
            [
                _named(name, told), told["keeps"],
                *("" if (value := _value(told, path)) is None else f"{value:g}" for path, _, _ in SCALE_COLUMNS),
                f"{told['kill']['missing']} of {told['kill']['acknowledged']}",
            ]
            for name, told in ran.items()
        ]  # fmt: skip
        head = ["system", "keeps", *(label for _, label, _ in SCALE_COLUMNS), "lost after kill -9"]
        better = list(_ahead(ran)) if OURS in ran else []
        parts.append(
            f"### {memories:,} memories\n\n    python -m bench.compare scale --memories {memories} [--systems NAME] "
            f"--json\n\n{_table(head, rows)}\n\n"
            + ("A peer is better here: " + "; ".join(better) + ".\n" if better else "No peer is better here.\n")
            + _failed(found)
        )
    if not parts:
        return ""
    intro = (
        "## Beside the peers: speed, size, safety\n\nTexts of 25 words, embedded by the shared embedder inside every "
        "figure; each system in a process of its own. Mnemon's writes include everything intake does with a turn "
        "(screening, propositions, slots, entities, duplicates, contradictions, the archive); the peers store the text "
        "and its vector. Recall is a natural question; Mnemon's includes ranking and the reasons. Cold start: imports, "
        "open and the first answer. Kill: single writes until SIGKILL, then everything acknowledged is asked for.\n"
    )
    return "\n".join([intro, *parts])


sections: tuple[Callable[[], str], ...] = (retrieval, updates, scale)
