"""Writes docs/benchmarks.md from the pinned results in bench/results/: one section a file, the command beside it.

    python -m bench.report            writes the page
    python -m bench.report --check    fails when the page is not what the results say

A result file is what a benchmark printed with --json; sections appear in the order below, missing files are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import plots, report_belief, report_intake, report_peers, report_recall, report_scale, report_security

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"

INTRO = """# Benchmarks

Every figure on this page was printed by the command above its table and is pinned in `bench/results/`; the page is
generated from those files by `python -m bench.report`. Machine class: {machine}. Milliseconds are this machine's;
compare the columns of one table, which were measured in one run.
"""

SEED_P99_MS = {
    "point_read": 0.5, "place_walk": 0.8, "deep_navigation": 3.0, "trail": 1.0, "text_two_rare_words": 5.0,
    "edge_hops": 3.0,
    "provenance_walk": 4.0, "capability_check": 0.5, "stale": 1.0, "vector": 30.0, "text_question": 10.0,
}  # fmt: skip
"""What each pattern's median at a million memories must stay under."""


def load(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return dict(json.loads(path.read_text())) if path.exists() else None


def table(head: list[str], rows: list[list[Any]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def writes() -> str:
    found = load("writes")
    if found is None:
        return ""
    rows = [
        ["batches of 500, one process", found["batch_per_s"]],
        ["single durable commits, one thread", found["single_per_s"]],
        ["single durable commits, eight threads (group commit)", found["threads8_single_per_s"]],
        ["batches, eight processes in total", found["processes8_per_s"]],
        ["raw SQLite: one table, one FTS5 row, batches", found["raw_sqlite_per_s"]],
        ["raw SQLite: the same, single durable commits", found["raw_single_per_s"]],
    ]
    return (
        "## Writes\n\nWhole memories a second: place, memory, revision, tag, provenance, text index, 384-dimensional "
        "vector, "
        "journal and audit in one durable transaction; embedding excluded.\n\n"
        f"    python -m bench.writes --memories {found['memories']} --json\n\n{table(['what', 'per second'], rows)}\n\n"
        f"Eight processes reach {found['processes8_share']:.0%} of one process's batch rate; calls that met a locked "
        f"palace: {found['locked_errors']}. One batch commit costs {1 / found['ratio_to_raw']:.1f}× the raw reference, "
        "which "
        "keeps no places, revisions, tags, provenance, journal or audit. A single durable commit is one disk sync: "
        "its "
        f"rate is {found['single_per_s'] / found['raw_single_per_s']:.0%} of what the raw reference reaches on "
        "the same disk in one run.\n"
    )


def latency() -> str:
    sizes = [(n, found) for n in (10_000, 100_000, 1_000_000) if (found := load(f"latency-{n}"))]
    if not sizes:
        return ""
    names = list(sizes[-1][1]["p50_ms"])
    rows = [
        [name, *(f"{found['p50_ms'][name]} / {found['p99_ms'][name]}" for _, found in sizes), SEED_P99_MS.get(name, "")]
        for name in names
    ]
    head = ["pattern, p50 / p99 ms", *(f"{n:,}" for n, _ in sizes), "p50 at 1M must be under"]
    other = [
        [label, *(found.get(key, "") for _, found in sizes)]
        for label, key in (
            ("open and first answer by text, ms", "open_text_ms"), ("open, text and vector answer, ms", "open_ms"),
            ("resident memory after all patterns, MB", "rss_mb"), ("disk, bytes per memory", "bytes_per_memory"),
            ("text top-10 agreement with exact BM25", "text_agreement"), ("build, s", "build_s"),
        )
    ]  # fmt: skip
    return (
        "## Reads and growth\n\nTen patterns and natural questions (three very common words, three of middling "
        "frequency) over random "
        "targets, each call opening its own reading; memories of 25 words with a 384-dimensional vector, 5,000 places, "
        "an edge for every tenth memory.\n\n    python -m bench.latency --memories N --json\n\n"
        f"{table(head, rows)}\n\n{table(['', *(f'{n:,}' for n, _ in sizes)], other)}\n\n"
        "![Median latency against size](figures/latency-size.svg)\n"
    )


def safety() -> str:
    runs = [(name, found) for name in ("safety", "safety-encrypted") if (found := load(name))]
    if not runs:
        return ""
    keys = ("processes", "seconds", "kills", "acknowledged", "lost", "torn", "verify", "journal", "memories")
    rows = [[key, *(found[key] for _, found in runs)] for key in keys]
    return (
        "## Safety\n\nProcesses write, revise, read, build indexes and back up one palace; every few seconds one is "
        "killed with SIGKILL "
        "and replaced. Afterwards everything that was acknowledged is looked for, every batch must be whole or absent, "
        "`verify` must be clean.\n\n    python -m bench.safety --processes 8 --seconds 180 [--encrypted] --json\n\n"
        f"{table(['', *(name for name, _ in runs)], rows)}\n"
    )


def encryption() -> str:
    found = load("security-encryption")
    if not found:
        return ""
    names = ("recall", "point_read", "text_question", "vector", "write")
    rows = [
        [name, found[name]["plain"]["p50_ms"], found[name]["encrypted"]["p50_ms"], f"{found[name]['overhead']:+.1%}"]
        for name in names
    ]
    return (
        f"## Encryption\n\nThe same questions to two copies of a palace of {found['memories']:,} memories, one of them "
        "encrypted as a whole, in turn; CPU milliseconds, median.\n\n"
        f"    python -m bench.security_encryption --memories {found['memories']} --json\n\n"
        f"{table(['', 'plain', 'encrypted', 'overhead'], rows)}\n"
    )


SECTIONS: tuple[Callable[[], str], ...] = (
    writes, latency, *report_scale.sections, safety, encryption, *report_security.sections, *report_intake.sections,
    *report_recall.sections, *report_belief.sections, *report_peers.sections,
)  # fmt: skip


def page() -> str:
    first = next((found for name in ("writes", "latency-100000", "safety") if (found := load(name))), {})
    machine = first.get("machine", {})
    described = f"{machine.get('cores')} cores, {machine.get('system')}, Python {machine.get('python')}"
    return "\n".join([INTRO.format(machine=described), *(text for section in SECTIONS if (text := section()))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    made = page()
    if parser.parse_args().check:
        sys.exit(0 if PAGE.read_text() == made else "docs/benchmarks.md is not what bench/results says: run it again")
    PAGE.write_text(made)
    plots.write()


if __name__ == "__main__":
    main()
