"""The sections of docs/benchmarks.md that stand Palazzo beside its peers, from the pinned results in bench/results/.

Invariant: where a peer has the better figure, the page says so; lists and verdicts are computed, not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bench.pinned import command, load, table

OURS = "palazzo"
SIZES = (3_000, 10_000, 100_000)
BOTH = "text and vectors"
FACTOR = 5
"""How many times faster than the fastest comparable peer is aimed at."""

COLUMNS: tuple[tuple[str, str, bool], ...] = (
    ("recall.p50_ms", "recall p50 ms", False),
    ("recall.p99_ms", "recall p99 ms", False),
    ("recall.cpu_p50_ms", "recall CPU ms", False),
    ("single_per_s", "single writes/s", True),
    ("single.p99_ms", "write p99 ms", False),
    ("batch_per_s", "writes/s in batches of 500", True),
    ("rss_mb", "resident MB of a reader", False),
    ("own_mb", "of it no file's pages", False),
    ("disk_bytes_per_memory", "disk bytes each", False),
    ("disk_bytes_per_memory_after_singles", "after single writes", False),
    ("cold_start_ms", "cold start ms", False),
    ("cold_start_cpu_ms", "cold start CPU ms", False),
)
"""Path in the result, heading, whether more is better."""

FINDING = (
    *((key, key.replace("r@", "R@").replace("ndcg", "NDCG"), True) for key in
      ("r@5", "r@10", "r@20", "any@10", "all@10", "ndcg@10")),
    ("p50_ms", "p50 ms", False),
)  # fmt: skip
UPDATING = (
    ("correct", "correct", True), ("old_not_in_first_5", "old value not in first five", True),
    ("new_in_first_5", "new value in first five", True),
)  # fmt: skip

Found = Mapping[str, dict[str, Any]]


def _ran(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: told for name, told in found["systems"].items() if "failed" not in told}


def _failed(found: Mapping[str, Any]) -> str:
    lost = [f"{name} ({told['failed']})" for name, told in found["systems"].items() if "failed" in told]
    return f"\nNot run: {'; '.join(lost)}.\n" if lost else ""


def _named(name: str, told: Mapping[str, Any]) -> str:
    return f"**{name}**" if name.startswith(OURS) else f"{name} {told.get('version', '')}".strip()


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _span(bounds: Sequence[float]) -> str:
    return " to ".join(_percent(bound) for bound in bounds)


def _behind(told: Mapping[str, Any]) -> str:
    """How far Palazzo is ahead of a system over the same questions."""
    ahead = told.get("palazzo_ahead")
    return f"{100 * ahead['difference']:+.1f} ({_span(ahead['interval'])})" if ahead else ""


def _verdict(found: Found, key: str, bounds: str) -> str:
    """Whether our interval stands clear of every peer's."""
    ours = found.get(OURS)
    peers = {name: told for name, told in found.items() if not name.startswith(OURS)}
    if ours is None or not peers:
        return ""
    best = max(peers, key=lambda name: float(peers[name][key]))
    clear = ours[bounds][0] > max(told[bounds][1] for told in peers.values())
    apart = "no peer's interval overlaps Palazzo's" if clear else "the intervals overlap"
    return f"Best peer: {best} with {_percent(peers[best][key])}; {apart}.\n"


def retrieval() -> str:
    """Evidence found on LoCoMo by each system with the same embedder."""
    parts = []
    for embedder, label in (("builtin", "built-in"), ("minilm", "MiniLM")):
        name = f"compare-retrieval-{embedder}"
        found = load(name)
        if found is None or not (ran := _ran(found)):
            continue
        rows = [
            [
                _named(system, told), _percent(told["r@5"]), f"**{_percent(told['r@10'])}**",
                _span(told["r@10_interval"]), _behind(told), _percent(told["r@20"]), _percent(told["any@10"]),
                _percent(told["all@10"]), _percent(told["ndcg@10"]), told["p50_ms"],
            ]
            for system, told in sorted(ran.items(), key=lambda pair: -pair[1]["r@10"])
        ]  # fmt: skip
        head = [
            "system", "R@5", "R@10", "95%", "Palazzo ahead by (95%, paired)", "R@20", "any@10", "all@10", "NDCG@10",
            "p50 ms",
        ]  # fmt: skip
        count = next(iter(ran.values()))["n"]
        parts.append(
            f"### LoCoMo, {count} questions, every system with the {label} embedder\n\n{command(name)}\n"
            f"{table(head, rows)}\n\n{_verdict(ran, 'r@10', 'r@10_interval')}{_where(ran, FINDING)}{_failed(found)}"
        )
    if not parts:
        return ""
    intro = (
        "## Beside the peers: what is found\n\nThe same turns, the same questions, the same embedder in the same "
        "process where a system takes one (SQLite FTS5 and the MCP memory server take none). Peers get the speaker's "
        "name in front of each text. mem0 runs with `infer=False` as its package installs, for without a key it cannot "
        "infer and its keyword scoring needs a model download; what it would do with a language model is not measured "
        "here. palazzo-fast and palazzo-deep are Palazzo with those presets. Intervals: 95% bootstraps over questions; "
        "the paired one is of the difference on each question. The systems' adapters are in `bench/peers/`, one file "
        "each; `--systems NAME` makes one row again.\n"
    )
    return "\n".join([intro, *parts])


def updates() -> str:
    """Which value comes first after an update."""
    found = load("compare-updates")
    if found is None or not (ran := _ran(found)):
        return ""
    rows = [
        [
            _named(name, told), f"**{_percent(told['correct'])}**", _span(told["correct_interval"]), _behind(told),
            _percent(told["old_not_in_first_5"]), _percent(told["new_in_first_5"]),
        ]
        for name, told in sorted(ran.items(), key=lambda pair: -pair[1]["correct"])
    ]  # fmt: skip
    head = [
        "system", "correct", "95%", "Palazzo ahead by (95%, paired)", "old value not in first five",
        "new value in first five",
    ]  # fmt: skip
    return (
        "## Beside the peers: after an update\n\nCorrect: the turn with the new value is among the first five and the "
        f"turn with the old one is not ({next(iter(ran.values()))['n']} labelled updates). A system that finds neither "
        f"is not correct.\n\n{command('compare-updates')}\n"
        f"{table(head, rows)}\n\n{_verdict(ran, 'correct', 'correct_interval')}{_where(ran, UPDATING)}"
        f"{_failed(found)}"
    )


def kill() -> str:
    """What outlives SIGKILL."""
    found = load("compare-kill")
    if found is None or not (ran := _ran(found)):
        return ""
    rows = [
        [
            _named(name, told), told["keeps"], told["kills"], told["acknowledged"], told["would_not_open"],
            told["lost"], f"{told['not_found']} of {told['asked']}", "yes" if told["survives"] else "**no**",
            "" if told.get("syncs_per_write") is None else f"{told['syncs_per_write']:g}",
            "; ".join(told["complaints"]),
        ]
        for name, told in ran.items()
    ]  # fmt: skip
    head = [
        "system", "keeps", "kills", "acknowledged", "would not open", "lost (read by id)", "not found by search",
        "survives a kill", "disk syncs a single write", "complaints",
    ]  # fmt: skip
    return (
        "## Beside the peers: after a kill\n\nA process keeps notes, one by one or in batches of 20, and says after "
        "each call what was acknowledged; after a random number of calls and a random few milliseconds it and whatever "
        "it started get SIGKILL. The next one opens the same store, reads the acknowledged notes and asks for a sample "
        "of them by their own words (first 20 hits), then writes on. At the end everything is looked for again. A kill "
        "is not a power cut: what the operating system had accepted stays. The last but one column is counted with "
        "strace: calls that force data to the disk before a single write is acknowledged; where it is 0, a power cut "
        "takes what was acknowledged.\n\n"
        f"{command('compare-kill')}\n{table(head, rows)}\n{_failed(found)}"
    )


def _value(told: Mapping[str, Any], path: str) -> float | None:
    value: Any = told
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def _ahead(ran: Found, columns: Sequence[tuple[str, str, bool]]) -> Iterator[str]:
    """Where a peer has the better figure."""
    ours = ran.get(OURS, {})
    for path, label, more in columns:
        mine = _value(ours, path)
        better = []
        for name, told in ran.items():
            theirs = _value(told, path)
            if name.startswith(OURS) or theirs is None or mine is None:
                continue
            if theirs > mine if more else theirs < mine:
                kept = f" ({told['keeps']} only)" if told.get("keeps", BOTH) != BOTH else ""
                better.append(f"{name} {theirs:g}{kept}")
        if better:
            yield f"{label}: Palazzo {mine:g}; {', '.join(better)}"


def _where(ran: Found, columns: Sequence[tuple[str, str, bool]]) -> str:
    """The list of those figures, or that there is none."""
    better = list(_ahead(ran, columns))
    if not better:
        return "\nNo peer is better in any column.\n" if OURS in ran else ""
    return "\nWhere a peer is better:\n\n" + "\n".join(f"- {one}" for one in better) + "\n"


def _aims(ran: Found, survivors: frozenset[str]) -> Iterator[list[str]]:
    """The aims at 100,000 memories against the peers that keep text and vectors and survive a kill."""
    peers = {name: told for name, told in ran.items() if not name.startswith(OURS)}
    rivals = {name: told for name, told in peers.items() if name in survivors and told["keeps"] == BOTH}
    rows = [name for name in (OURS, "palazzo-fast", "palazzo-verbatim") if name in ran]
    for path, label, more, names in (
        ("recall.p50_ms", "recall p50, ms", False, [name for name in rows if name != "palazzo-verbatim"]),
        ("single_per_s", "single durable writes a second", True, [name for name in rows if name != "palazzo-fast"]),
        ("batch_per_s", "writes a second in batches of 500", True, [name for name in rows if name != "palazzo-fast"]),
    ):
        known = {name: value for name, told in rivals.items() if (value := _value(told, path)) is not None}
        if not known:
            continue
        best = (max if more else min)(known, key=lambda name: known[name])
        for name in names:
            mine = _value(ran[name], path)
            if mine is not None:
                times = mine / known[best] if more else known[best] / mine
                reached = "reached" if times >= FACTOR else "not reached"
                yield [f"{label} ({name})", f"{mine:g}", f"{known[best]:g} ({best})", f"{times:.2f}×", reached]
    for path, label in (
        ("disk_bytes_per_memory", "disk bytes each"), ("rss_mb", "resident MB of a reader"),
        ("own_mb", "of it no file's pages"),
    ):  # fmt: skip
        mine = _value(ran[OURS], path)
        known = {name: value for name, told in rivals.items() if (value := _value(told, path)) is not None}
        if mine is not None and known:
            least = min(known, key=lambda name: known[name])
            reached = "reached" if mine < known[least] else "not reached"
            yield [
                f"{label} ({OURS})",
                f"{mine:g}",
                f"{known[least]:g} ({least})",
                f"{known[least] / mine:.2f}×",
                reached,
            ]


def _survivors() -> frozenset[str]:
    found = load("compare-kill")
    return frozenset(name for name, told in _ran(found).items() if told["survives"]) if found else frozenset()


def _lives(system: str) -> str:
    """Whether the system of a row survives a kill; Palazzo's rows are one system."""
    ran = _ran(load("compare-kill") or {"systems": {}})
    told = ran.get(OURS if system.startswith(OURS) else system)
    return "not measured" if told is None else "yes" if told["survives"] else "**no**"


def _scale_part(memories: int, survivors: frozenset[str]) -> str:
    name = f"compare-scale-{memories}"
    found = load(name)
    if found is None or not (ran := _ran(found)):
        return ""
    rows = [
        [
            _named(system, told), told["keeps"], _lives(system),
            *("" if (value := _value(told, path)) is None else f"{value:g}" for path, _, _ in COLUMNS),
        ]
        for system, told in ran.items()
    ]  # fmt: skip
    head = ["system", "keeps", "survives a kill", *(label for _, label, _ in COLUMNS)]
    said = [f"### {memories:,} memories\n\n{command(name)}\n{table(head, rows)}\n{_where(ran, COLUMNS)}"]
    if memories == SIZES[-1] and OURS in ran and (aims := list(_aims(ran, survivors))):
        told = table(["aim", "Palazzo", "best peer", "ratio", ""], aims)
        said.append(
            f"The aims, against the peers that keep text and vectors and survive a kill: recall and durable writes "
            f"{FACTOR} times faster than the fastest of them, less disk and less memory than each.\n\n{told}\n"
        )
    return "\n".join(said) + _failed(found)


def scale() -> str:
    """Speed and size at a number of memories."""
    survivors = _survivors()
    parts = [part for memories in SIZES if (part := _scale_part(memories, survivors))]
    if not parts:
        return ""
    intro = (
        "## Beside the peers: speed and size\n\nTexts of 25 words, embedded by the shared embedder inside every "
        "figure; each step of each system in a process of its own. palazzo observes the texts as turns and does all "
        "that intake does with them (screening, propositions, slots, entities, duplicates, contradictions, the "
        "archive); palazzo-verbatim remembers each word for word; palazzo-fast asks with the preset `fast`. The peers "
        "store the text and its vector. Recall is a natural question; Palazzo's includes ranking over all signals and "
        "the reasons, Chroma's is the nearest vectors alone, LanceDB's and MemPalace's are hybrid. CPU is the asking "
        "process's own, of all its threads. Single writes return when the system calls them kept (which of them are on "
        "the disk then, the table above says). The reader opens the loaded store and answers 320 "
        "questions; servers it starts count; pages of mapped files are the system's to take back. "
        "Cold start: imports, weights, open and the first answer, median of three "
        "processes.\n"
    )
    return "\n".join([intro, *parts])


sections: tuple[Callable[[], str], ...] = (retrieval, updates, kill, scale)
