"""What capture costs: at the prompt of real shells with the daemon up, down and hung, and in the daemon itself.

`prompt_p99_ms`: by shell, the 99th percentile of what the hook adds to a prompt: the time from a typed line to the next
prompt with the hook, less the same percentile without it, the worst of the daemon up, down and hung (each in
`prompts`); ten lines a second are typed.
`events_per_s`: raw events a second that one connection hands over one by one, audited and durable. `cpu_share`: the
share of one core that 10,000 of them an hour take, from the processor time of the daemon.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import psutil

from bench.shells import RealShell, missing
from palazzo.bootstrap import create_engine, load_settings
from palazzo.bootstrap.parts import runtime_folder
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.surfaces.shell.command import hook
from palazzo.surfaces.socket.client import Daemon

HOURLY = 10_000
TYPED_S = 0.1
"""Between two lines: ten a second is faster than anybody types, and slow enough that one is done with."""


def served(folder: Path) -> tuple[subprocess.Popen[str], Path]:
    """A daemon of a palace, and its socket."""
    command = [sys.executable, "-m", "palazzo", "--palace", str(folder), "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    socket = Path(json.loads(process.stderr.readline())["socket"])
    threading.Thread(target=process.stderr.read, daemon=True).start()  # a log nobody reads stops whoever writes it
    return process, socket


def prompts(name: str, home: Path, text: str, count: int) -> list[float]:
    """Milliseconds from a typed line to the next prompt."""
    with RealShell(name, home, text) as shell:
        for _ in range(5):
            shell.run("true")  # whatever a shell does once
        found = []
        for _ in range(count):
            sleep(TYPED_S)
            found.append(shell.run("true") * 1000)
        return found


def p99(values: list[float]) -> float:
    """The 99th percentile."""
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


def at_the_prompt(folder: Path, base: Path, count: int) -> dict[str, Any]:
    """By shell: what the hook adds, with the daemon up, down and hung."""
    told: dict[str, Any] = {}
    for name in ("bash", "zsh", "fish"):
        if missing(name):
            told[name] = f"{name} is not installed"
            continue
        text = hook(str(folder), name)
        bare = prompts(name, base / "plain", "", count)
        found = {"down": prompts(name, base / "down", text, count)}
        process, _ = served(folder)
        found["up"] = prompts(name, base / "up", text, count)
        process.send_signal(signal.SIGSTOP)
        found["hung"] = prompts(name, base / "hung", text, count)
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait()
        told[name] = {
            "p99": {state: round(p99(values) - p99(bare), 2) for state, values in found.items()},
            "p50": {state: round(median(values) - median(bare), 2) for state, values in found.items()},
            "without": {"p50": round(median(bare), 2), "p99": round(p99(bare), 2)},
        }
    return told


def in_the_daemon(folder: Path, count: int) -> tuple[float, float]:
    """Events a second over the socket, and processor seconds of the daemon for each."""
    process, socket = served(folder)
    try:
        seen = psutil.Process(process.pid)
        connection = Daemon.reach(socket)
        assert connection is not None
        given = {"kind": "command", "source": "shell", "reference": "git diff", "metadata": {"cwd": "/srv/barge"}}
        with connection:
            connection.call("capture_events", {"events": [given]})
            before, began = seen.cpu_times(), perf_counter()
            for number in range(count):
                connection.call("capture_events", {"events": [{**given, "reference": f"make part-{number}"}]})
            took, after = perf_counter() - began, seen.cpu_times()
        spent = (after.user + after.system) - (before.user + before.system)
        return count / took, spent / count
    finally:
        process.terminate()
        process.wait()


def measured(prompts_wanted: int, events: int) -> dict[str, Any]:
    """What capture adds to prompts, and what it takes of the daemon."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "palace"
        with create_engine(load_settings({"palace": str(folder), "embedder": "none"})) as engine:
            call(engine, Caller(), "capture_enable", {"adapter": "shell"})
        try:
            shells = at_the_prompt(folder, Path(base), prompts_wanted)
            per_s, each_s = in_the_daemon(folder, events)
        finally:
            shutil.rmtree(runtime_folder(folder), ignore_errors=True)
    return {
        "prompt_p99_ms": {n: max(one["p99"].values()) if isinstance(one, dict) else one for n, one in shells.items()},
        "prompts": shells, "events_per_s": round(per_s, 1), "cpu_share": round(each_s * HOURLY / 3600, 5),
    }  # fmt: skip
