"""Runs the benchmarks one after the other, pins what they print in bench/results/, and writes docs/benchmarks.md.

    python -m bench.everything --data FOLDER            bounded: under half an hour on two cores
    python -m bench.everything --data FOLDER --full     the sizes the page is published with
    python -m bench.everything --data FOLDER --only latency-100000

Owns the list of runs; each is a command a reader can give on its own. A run that fails or lacks its data is named at
the end and its earlier result is left in place.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import report

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Run:
    """One result: its file, its command, and the command at full size if that differs."""

    name: str
    words: str
    full: str = ""
    only_full: bool = False


RUNS: tuple[Run, ...] = (
    Run("writes", "bench.writes --memories 20000"),
    Run("latency-10000", "bench.latency --memories 10000"),
    Run("latency-100000", "bench.latency --memories 100000", only_full=True),
    Run("latency-1000000", "bench.latency --memories 1000000", only_full=True),
    Run("safety", "bench.safety --processes 8 --seconds 20", "bench.safety --processes 8 --seconds 180"),
    Run(
        "safety-encrypted",
        "bench.safety --processes 8 --seconds 20 --encrypted",
        "bench.safety --processes 8 --seconds 180 --encrypted",
    ),
    Run("intake-secrets", "bench.screen --data {data}"),
    Run("intake-dates", "bench.dates --data {data}"),
    Run("intake-screen", "bench.intake screen --data {data}"),
    Run("intake-duplicates", "bench.intake duplicates --data {data}"),
    Run("intake-supersession", "bench.intake supersession --data {data}"),
    Run("intake-junk", "bench.intake junk --data {data}"),
    Run("intake-speed", "bench.intake speed --data {data}"),
    Run("retrieval-locomo-builtin", "bench.retrieval --data {data}/locomo/locomo_dev.json"),
    Run("retrieval-locomo-minilm", "bench.retrieval --data {data}/locomo/locomo_dev.json --embedder minilm"),
    Run("retrieval-locomo-none", "bench.retrieval --data {data}/locomo/locomo_dev.json --embedder none"),
    Run("retrieval-beam-builtin", "bench.retrieval --data {data}/beam_100k --format beam"),
    Run("compare-retrieval-builtin", "bench.compare retrieval --data {data}/locomo/locomo_dev.json --questions 40",
        "bench.compare retrieval --data {data}/locomo/locomo_dev.json"),
    Run("compare-retrieval-minilm",
        "bench.compare retrieval --data {data}/locomo/locomo_dev.json --embedder minilm --questions 40",
        "bench.compare retrieval --data {data}/locomo/locomo_dev.json --embedder minilm"),
    Run("compare-updates", "bench.compare updates --data {data} --questions 10", "bench.compare updates --data {data}"),
    Run("compare-scale-3000", "bench.compare scale --memories 3000 --seconds 10"),
    Run("compare-scale-10000", "bench.compare scale --memories 10000", only_full=True),
    Run("compare-scale-100000", "bench.compare scale --memories 100000", only_full=True),
)  # fmt: skip


def wanted(full: bool, only: Sequence[str]) -> list[Run]:
    """The runs to make, in order."""
    chosen = [run for run in RUNS if run.name in only] if only else list(RUNS)
    return [run for run in chosen if full or only or not run.only_full]


def make(run: Run, data: Path, full: bool) -> str:
    """Runs one and pins what it printed; returns why it could not, or nothing."""
    words = ((full and run.full) or run.words).format(data=data).split()
    done = subprocess.run([sys.executable, "-m", *words, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return f"exit code {done.returncode}"
    (RESULTS / f"{run.name}.json").write_text(json.dumps(json.loads(done.stdout), indent=1) + "\n")
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of development data")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="names of results to make again")
    given = parser.parse_args()
    failed = []
    for run in wanted(given.full, given.only):
        began = time.perf_counter()
        print(f"{run.name:28} ", end="", file=sys.stderr, flush=True)
        why = "its data is not there" if "{data}" in run.words and not given.data.exists() else ""
        why = why or make(run, given.data, given.full)
        print(why or f"{time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        failed += [f"{run.name}: {why}"] if why else []
    report.PAGE.write_text(report.page())
    print(f"wrote {report.PAGE.name}", file=sys.stderr)
    if failed:
        sys.exit("not made: " + "; ".join(failed))


if __name__ == "__main__":
    main()
