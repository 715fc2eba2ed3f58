"""Writes docs/benchmarks.md from the pinned results in bench/results/: one section a file, the command beside it.

    python -m bench.report            writes the page
    python -m bench.report --check    fails when the page is not what the results say

A result file is what a benchmark printed with --json; sections appear in the order below, missing files are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from bench import (
    plots,
    report_belief,
    report_everyday,
    report_intake,
    report_mind,
    report_peers,
    report_recall,
    report_scale,
    report_security,
    report_server,
    report_work,
)  # fmt: skip
from bench.pinned import command, load, made, table
from bench.plan import RUNS

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"

INTRO = """# Benchmarks

Every figure on this page was printed by the command above its table, on the day behind that command, and is pinned in
`bench/results/` with the versions and the class of machine; the page is generated from those files by
`python -m bench.report`. `code` is a digest of Palazzo's source: results with the same one measured the same program.
`make bench` makes a bounded version of every result it can and this page anew (under half an hour on two cores),
`make bench-full` the sizes published here in two and a quarter hours (after an interruption
`python -m bench.everything --full --continue` goes on); `DATA` stands for the folder of development data.
Machine class: {machine}. Palazzo {version}. Results from {days}. Milliseconds are this machine's; compare columns of
one table, which were measured in one run.
"""

SEED_P99_MS = {
    "point_read": 0.5, "place_walk": 0.8, "deep_navigation": 3.0, "trail": 1.0, "text_two_rare_words": 5.0,
    "edge_hops": 3.0,
    "provenance_walk": 4.0, "capability_check": 0.5, "stale": 1.0, "vector": 30.0, "text_question": 10.0,
}  # fmt: skip
"""What each pattern's median at a million memories must stay under."""


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
        f"{command('writes')}\n{table(['what', 'per second'], rows)}\n\n"
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
        "an edge for every tenth memory.\n\n"
        f"{command(*(f'latency-{n}' for n, _ in sizes))}\n{table(head, rows)}\n\n"
        f"{table(['', *(f'{n:,}' for n, _ in sizes)], other)}\n\n"
        "![Median latency against size](figures/latency-size.svg)\n"
    )


def safety() -> str:
    runs = [(name, found) for name in ("safety", "safety-encrypted") if (found := load(name))]
    if not runs:
        return ""
    keys = ("processes", "seconds", "kills", "acknowledged", "lost", "torn", "verify", "journal", "memories")
    rows = [[key, *(found[key] for _, found in runs)] for key in keys]
    names = {name for _, found in runs for name in found.get("operations", {})}
    rows += [
        [f"{name.replace('_', ' ')}, completed", *(found.get("operations", {}).get(name, "") for _, found in runs)]
        for name in sorted(names)
    ]
    return (
        "## Safety\n\nProcesses write, revise, read, purge, burn, forget users, back up, verify, encrypt copies and "
        "rebuild one palace; every few seconds one is killed with SIGKILL "
        "and replaced. Afterwards everything that was acknowledged is looked for, every batch must be whole or absent, "
        "`verify` must be clean.\n\n"
        f"{command('safety', 'safety-encrypted')}\n{table(['', *(name for name, _ in runs)], rows)}\n"
    )


SECTIONS: tuple[Callable[[], str], ...] = (
    writes, latency, *report_scale.sections, safety, *report_security.sections,
    *report_server.sections, *report_intake.sections,
    *report_recall.sections, *report_everyday.sections, *report_work.sections, *report_belief.sections,
    *report_mind.sections, *report_peers.sections,
)  # fmt: skip


def page() -> str:
    told = [one for run in RUNS if (one := made(run.name))]
    newest = max(told, key=lambda one: str(one["on"]), default={})
    days = sorted({str(one["on"]) for one in told})
    described = (
        f"{newest.get('cores')} cores, {newest.get('memory_gb', '?')} GB, {newest.get('system')}, "
        f"Python {newest.get('python')}"
    )
    intro = INTRO.format(
        machine=described, version=newest.get("palazzo", ""), days=" to ".join(dict.fromkeys((days[0], days[-1])))
    ) if days else "# Benchmarks\n\nNothing is pinned.\n"  # fmt: skip
    absent = [run.name for run in RUNS if load(run.name) is None]
    last = f"## Not measured\n\nNo result is pinned for: {', '.join(absent)}.\n" if absent else ""
    return "\n".join([intro, *(text for section in SECTIONS if (text := section())), *([last] if last else [])])


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
