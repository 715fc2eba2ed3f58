"""Runs the benchmarks, pins what they print in bench/results/, and writes docs/benchmarks.md.

    python -m bench.everything --data FOLDER            bounded: under half an hour on two cores
    python -m bench.everything --data FOLDER --full     the sizes the page is published with
    python -m bench.everything --data FOLDER --full --continue
    python -m bench.everything --data FOLDER --only latency-100000

The runs are those of `bench.plan`; each is a command a reader can give on its own. Those marked `alone` run one
after the other, the rest two at a time. `--continue` keeps results that the same command made from the code as it is
now: the full sizes take hours. A run that fails or lacks its data is named at the end with its reason and its earlier
result is left in place, with its own day beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench import plots, report
from bench.common import code, placeless
from bench.pinned import RESULTS, made
from bench.plan import RUNS, Run, wanted

AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run: how long it took, or why there is no new result."""

    name: str
    seconds: float = 0.0
    cpu_s: float = 0.0
    """CPU seconds of it and of what it started: a busy machine inflates them less."""
    why: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.why}" if self.why else f"{self.name:30} {self.seconds:8.0f} {self.cpu_s:8.0f}"


def make(run: Run, data: Path, full: bool) -> Outcome:
    """Runs one and pins what it printed."""
    if "{data}" in run.words and not data.is_dir():
        return Outcome(run.name, why="not run: its data is not there")
    words = run.command(full).format(data=data).split()
    tell(f"{run.name}: python -m {' '.join(words)}")
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", *words, "--json"], stdout=subprocess.PIPE, text=True) as process:
        lines = (process.stdout.read() if process.stdout else "").strip().splitlines()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not lines:
        return Outcome(run.name, why=f"exit code {process.returncode}: python -m {' '.join(words)}")
    (RESULTS / f"{run.name}.json").write_text(json.dumps(json.loads(lines[-1]), indent=1) + "\n")
    return Outcome(run.name, time.perf_counter() - began, used.ru_utime + used.ru_stime)


def is_made(run: Run, data: Path, full: bool) -> bool:
    """Whether the pinned result is what this command made of the code as it is now."""
    words = run.command(full).format(data=data).split()
    told = made(run.name)
    return told.get("code") == code() and told.get("command") == f"python -m {placeless([*words, '--json'])}"


def make_all(runs: list[Run], data: Path, full: bool) -> list[Outcome]:
    """Those that run alone one after the other, then the rest two at a time."""

    def one(run: Run) -> Outcome:
        outcome = make(run, data, full)
        tell(str(outcome))
        return outcome

    outcomes = [one(run) for run in runs if run.alone]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return outcomes + list(pool.map(one, (run for run in runs if not run.alone)))


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of development data")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--continue", action="store_true", dest="go_on", help="keep what this code has made already")
    parser.add_argument("--only", nargs="*", default=[], help="names of results to make again")
    given = parser.parse_args()
    unknown = set(given.only) - {run.name for run in RUNS}
    if unknown:
        parser.error(f"no such result: {', '.join(sorted(unknown))}; there are {', '.join(run.name for run in RUNS)}")
    if not given.data.is_dir():
        tell(
            f"no data folder at {given.data}: runs that need it are left out (--data FOLDER, or make bench DATA=FOLDER)"
        )
    runs, started = wanted(given.full, given.only), time.perf_counter()
    kept = [run.name for run in runs if given.go_on and is_made(run, given.data, given.full)]
    if kept:
        tell(f"kept, made from this code by the same commands: {', '.join(kept)}")
    outcomes = make_all([run for run in runs if run.name not in kept], given.data, given.full)
    done = [one for one in outcomes if not one.why]
    spent = Outcome("together", time.perf_counter() - started, sum(one.cpu_s for one in done))
    tell("\n".join(["", f"{'result':30} {'seconds':>8} {'of CPU':>8}", *map(str, done), str(spent)]))
    if done:
        report.PAGE.write_text(report.page())
        plots.write()
        tell(f"wrote {report.PAGE.name} and its figures from what bench/results holds")
    failed = [str(one) for one in outcomes if one.why]
    if failed:
        sys.exit("not made:\n  " + "\n  ".join(failed))


if __name__ == "__main__":
    main()
