"""Runs the benchmarks one after the other, pins what they print in bench/results/, and writes docs/benchmarks.md.

    python -m bench.everything --data FOLDER            bounded: under half an hour on two cores
    python -m bench.everything --data FOLDER --full     the sizes the page is published with
    python -m bench.everything --data FOLDER --only latency-100000

The runs are those of `bench.plan`; each is a command a reader can give on its own. A run that fails or lacks its data
is named at the end with its reason and its earlier result is left in place, with its own day beside it.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from bench import plots, report
from bench.pinned import RESULTS
from bench.plan import RUNS, Run, wanted


def make(run: Run, data: Path, full: bool) -> str:
    """Runs one and pins what it printed; returns why it could not, or nothing."""
    words = run.command(full).format(data=data).split()
    done = subprocess.run([sys.executable, "-m", *words, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return f"exit code {done.returncode}: python -m {' '.join(words)}"
    (RESULTS / f"{run.name}.json").write_text(json.dumps(json.loads(lines[-1]), indent=1) + "\n")
    return ""


def cpu_s() -> float:
    """CPU seconds of all runs so far: what a busy machine does not inflate."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of development data")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="names of results to make again")
    given = parser.parse_args()
    unknown = set(given.only) - {run.name for run in RUNS}
    if unknown:
        parser.error(f"no such result: {', '.join(sorted(unknown))}; there are {', '.join(run.name for run in RUNS)}")
    there = given.data.is_dir()
    if not there:
        tell(
            f"no data folder at {given.data}: runs that need it are left out (--data FOLDER, or make bench DATA=FOLDER)"
        )
    failed, made, started = [], [f"{'result':30} {'seconds':>8} {'of CPU':>8}"], time.perf_counter()
    for run in wanted(given.full, given.only):
        began, cpu = time.perf_counter(), cpu_s()
        tell(f"{run.name}: python -m {run.command(given.full).format(data=given.data)}")
        why = "not run: its data is not there" if "{data}" in run.words and not there else ""
        why = why or make(run, given.data, given.full)
        if why:
            failed.append(f"{run.name}: {why}")
        else:
            made.append(f"{run.name:30} {time.perf_counter() - began:8.0f} {cpu_s() - cpu:8.0f}")
        tell(why or made[-1])
    tell("\n".join(["", *made, f"{'together':30} {time.perf_counter() - started:8.0f} {cpu_s():8.0f}"]))
    if made[1:]:
        report.PAGE.write_text(report.page())
        plots.write()
        tell(f"wrote {report.PAGE.name} and its figures from what bench/results holds")
    if failed:
        sys.exit("not made:\n  " + "\n  ".join(failed))


if __name__ == "__main__":
    main()
