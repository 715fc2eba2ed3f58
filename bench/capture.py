"""What capture costs: at the prompt (bench.prompts), and a snapshot of a workspace with tmux, Neovim and git.

    python -m bench.capture --json

`snapshot_ms` is the time from asking to the state (the 99th percentile, and the median beside it), `snapshot_bytes` the
size of it, `restore_ms` the time until tmux has everything again, `compared` whether the workspace that was brought
back is the one that was taken.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.prompts import measured
from palazzo.capture.snapshots import workspace
from palazzo.capture.snapshots.around import Around

PARTS = ("folder", "git", "tmux", "editors")
PROJECTS = ("api", "docs", "site")
LOOKS = 200


def _tmux(*words: str) -> str:
    done = subprocess.run(["tmux", "-f", os.devnull, *words], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def _project(folder: Path) -> None:
    (folder / "src").mkdir(parents=True)
    for name in ("server.py", "store.py", "test_store.py", "README.md"):
        (folder / "src" / name).write_text("".join(f"line {n}\n" for n in range(400)))
    subprocess.run(["git", "init", "-q", "-b", "feature/pagination", str(folder)], check=True)


def set_up(root: Path) -> None:
    """Two sessions of three windows: an editor with four files beside a shell, tests, logs."""
    for name in PROJECTS:
        folder = root / "projects" / name
        _project(folder)
        files = " ".join(
            f"-c 'badd +{n * 31} src/{one}'" for n, one in enumerate(("store.py", "test_store.py", "README.md"), 1)
        )
        signal = f"tmux wait-for -S {name}"
        editor = f"nvim --clean +120 src/server.py {files} -c \"call system('{signal}')\""
        _tmux("new-session", "-d", "-s", name, "-n", "edit", "-c", str(folder), f"{editor}; exec sh")
        _tmux("split-window", "-d", "-h", "-t", f"{name}:edit", "-c", str(folder / "src"))
        _tmux("split-window", "-d", "-v", "-t", f"{name}:edit", "-c", str(folder))
        for window in ("tests", "logs"):
            _tmux("new-window", "-d", "-t", f"{name}:", "-n", window, "-c", str(folder))
        _tmux("wait-for", name)


def measure(rounds: int) -> dict[str, Any]:
    """Figures of snapshots on this machine."""
    missing = [one for one in ("tmux", "nvim", "git") if shutil.which(one) is None]
    if missing:
        return {"skipped": f"not installed: {', '.join(missing)}"}
    parts = tuple(workspace.OWN[name] for name in PARTS)
    root = Path(tempfile.mkdtemp(prefix="snap"))
    os.environ["TMUX_TMPDIR"] = str(root)  # noqa: TID251 - a server of our own
    os.environ.pop("TMUX", None)  # noqa: TID251
    try:
        set_up(root)
        folder = root / "projects" / "api"
        took, used = [], []
        for _ in range(rounds):
            began, spent = time.perf_counter(), time.process_time()
            found = workspace.take(parts, Around(folder=folder))
            took.append((time.perf_counter() - began) * 1000)
            used.append((time.process_time() - spent) * 1000)
        state = workspace.encoded(found.state)
        _tmux("kill-server")
        began = time.perf_counter()
        done = workspace.bring_back(workspace.OWN, found.state, Around(folder=folder), dry=False)
        restore_ms = (time.perf_counter() - began) * 1000
        compared = any(_same(parts, found.state, folder) for _ in range(LOOKS))
        took.sort()
        used.sort()
        return {
            "snapshot_ms": round(took[min(rounds - 1, rounds * 99 // 100)], 1),
            "snapshot_ms_median": round(took[rounds // 2], 1), "snapshot_cpu_ms": round(used[rounds // 2], 1),
            "snapshot_bytes": len(state.encode()), "restore_ms": round(restore_ms, 1), "compared": compared,
            "restored": sum(one.state == "done" for one in done), "rounds": rounds,
        }  # fmt: skip
    finally:
        subprocess.run(["tmux", "kill-server"], capture_output=True, check=False)
        shutil.rmtree(root, ignore_errors=True)


def _same(parts: Any, before: dict[str, Any], folder: Path) -> bool:
    return not workspace.differences(before, workspace.take(parts, Around(folder=folder)).state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50, help="how often a snapshot is taken")
    parser.add_argument("--prompts", type=int, default=500, help="how many prompts of each shell")
    parser.add_argument("--events", type=int, default=2000, help="how many events are handed over")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args()
    found = measure(given.rounds) | measured(given.prompts, given.events)
    if given.json:
        json.dump(found, sys.stdout)
        print()
    else:
        print("\n".join(f"{name:20} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
