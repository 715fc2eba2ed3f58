"""What the guard holds and what it costs.

    python -m bench.security tenants  [--memories 100000 --readers 1000] --json
    python -m bench.security timing   [--memories 20000 --questions 2000] --json
    python -m bench.security overhead [--memories 100000 --questions 400] --json

tenants    Memories of many owners (projects, squads, users, channels) in one palace, each with a word of its own.
           Random readers with random scopes and grants reach for what others own and for their own, through every
           operation of the registry and every gatherer by name (tenants.py). `leaks` counts ids, words and totals of
           what a reader may not know of, and writes that tell what is somebody else's from what does not exist.
timing     The times of answers about what is forbidden and what is missing, what is sealed and what is clear, asked in
           turn by untrusted readers (timing.py): medians, and how well the times tell one from the other.
overhead   What `call` adds to a recall of a gated subject (capability check, reduction, audit), and what encryption of
           the whole file adds to recall, read and write: paired question by question (security_overhead.py).
"""

from __future__ import annotations

import argparse
import sys

from bench.common import machine, show
from bench.security_overhead import overhead
from bench.tenants import tenants
from bench.timing import timing


def main(arguments: list[str]) -> None:
    """Runs one part and prints it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["tenants", "timing", "overhead"])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if given.part == "tenants":
        result = tenants(given.memories, given.readers)
    elif given.part == "timing":
        result = timing(given.memories, given.questions)
    else:
        result = overhead(given.memories, given.questions)
    show({"machine": machine(), **result}, as_json=given.json)


if __name__ == "__main__":
    main(sys.argv[1:])
