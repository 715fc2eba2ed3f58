"""What capture costs: at the prompt of real shells with the daemon up, down and hung, and in the daemon itself.

Two shells of a kind run side by side, one with the hook and one without; the same line is typed into both in turn, who
is first changing each time, twenty-five lines a second in all. Of each line are taken the time to the next prompt and
the processor time of the shell itself (from the scheduler, in nanoseconds). What the hook adds is the difference of the
medians and of the 99th percentiles over all lines.
`prompt_p99_ms`: by shell, what it adds to the 99th percentile of the time to the next prompt, the worst of the daemon
up, down and hung (each in `prompts`); on a busy machine both percentiles are those of the other programs.
`prompt_cpu_p99_ms`: the same of processor time, which a busy machine changes little.
`events_per_s`: raw events a second that one connection hands over one by one, audited and durable. `cpu_share`: the
share of one core that 10,000 of them an hour take, from the processor time of the daemon.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
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
TYPED_S = 0.04
"""Between two lines: faster than anybody types, and slow enough that one is done with."""
WARM = 25


def served(folder: Path, **variables: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """A daemon of a palace, and where it says it is: `url`, `socket`."""
    command = [sys.executable, "-m", "palazzo", "--palace", str(folder), "serve", "--port", "0"]
    env = {**os.environ, **variables}  # noqa: TID251
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=env)
    assert process.stderr is not None
    told = json.loads(process.stderr.readline())
    threading.Thread(target=process.stderr.read, daemon=True).start()  # a log nobody reads stops whoever writes it
    return process, told


def processor_ms(process: int) -> float:
    """Milliseconds that the threads of a process have run; those that ended meanwhile are missing."""
    total = 0.0
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0]) / 1e6
    return total


def typed(shell: RealShell) -> tuple[float, float]:
    """Milliseconds from a typed line to the next prompt, and of them in the processor."""
    sleep(TYPED_S)
    before = processor_ms(shell.pid)
    took = shell.run("true") * 1000
    return took, processor_ms(shell.pid) - before


def added(name: str, base: Path, text: str, count: int) -> dict[str, Any]:
    """What a hook adds to a prompt."""
    with RealShell(name, base / "with", text) as hooked, RealShell(name, base / "without", "") as bare:
        for _ in range(WARM):  # whatever a shell does once
            typed(hooked)
            typed(bare)
        found: dict[int, list[tuple[float, float]]] = {hooked.pid: [], bare.pid: []}
        for number in range(count):
            for shell in (hooked, bare) if number % 2 else (bare, hooked):
                found[shell.pid].append(typed(shell))
    with_it, without = (tuple(zip(*found[one.pid], strict=True)) for one in (hooked, bare))
    told: dict[str, Any] = {}
    for number, what in enumerate(("wall", "cpu")):
        one, other = sorted(with_it[number]), sorted(without[number])
        told[what] = {
            "p50": round(median(one) - median(other), 3), "p99": round(p99(one) - p99(other), 3),
            "without_p50": round(median(other), 3), "without_p99": round(p99(other), 3),
        }  # fmt: skip
    return told


def p99(values: list[float]) -> float:
    """The 99th percentile of sorted values."""
    return values[min(len(values) - 1, len(values) * 99 // 100)]


def at_the_prompt(folder: Path, base: Path, count: int) -> dict[str, Any]:
    """By shell: what the hook adds, with the daemon up, down and hung."""
    told: dict[str, Any] = {}
    for name in ("bash", "zsh", "fish"):
        if missing(name):
            told[name] = f"{name} is not installed"
            continue
        text = hook(str(folder), name)
        found = {"down": added(name, base, text, count)}
        process, _ = served(folder)
        found["up"] = added(name, base, text, count)
        process.send_signal(signal.SIGSTOP)
        found["hung"] = added(name, base, text, count)
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait()
        told[name] = found
    return told


def worst(shells: dict[str, Any], what: str) -> dict[str, Any]:
    """By shell, the largest 99th percentile of the three."""
    return {
        name: one if isinstance(one, str) else max(state[what]["p99"] for state in one.values())
        for name, one in shells.items()
    }  # fmt: skip


def in_the_daemon(folder: Path, count: int) -> tuple[float, float]:
    """Events a second over the socket, and processor seconds of the daemon for each."""
    process, told = served(folder)
    try:
        seen = psutil.Process(process.pid)
        connection = Daemon.reach(Path(told["socket"]))
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
        "prompt_p99_ms": worst(shells, "wall"), "prompt_cpu_p99_ms": worst(shells, "cpu"), "prompts": shells,
        "events_per_s": round(per_s, 1), "cpu_share": round(each_s * HOURLY / 3600, 5),
    }  # fmt: skip
