"""A palace with capture, and what shells see of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.shells import missing

from palazzo.bootstrap import create_engine, load_settings
from palazzo.engine import Engine
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def engine(tmp_path: Path, clock: FixedClock) -> Iterator[Engine]:
    settings = load_settings({"palace": str(tmp_path / "p"), "embedder": "none", "upkeep": False})
    with create_engine(settings, clock=clock) as made:
        yield made
        if made.runtime is not None:
            shutil.rmtree(made.runtime, ignore_errors=True)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A display without a screen with i3 on it, as the environment of programs that are shown there."""
    absent = missing("Xvfb", "i3", "xterm", "xprop")
    if absent:
        pytest.skip(f"{absent} is not installed")
    env = {"PATH": os.defpath, "HOME": str(tmp_path)}
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"], pass_fds=(write,),
        stderr=subprocess.DEVNULL, env=env,
    )  # fmt: skip
    os.close(write)
    told = b""
    while not told.endswith(b"\n"):
        told += os.read(read, 16)
    number = told.decode().strip()
    os.close(read)
    asked = ("# i3 config file (v4)", "font pango:monospace 8", f"ipc-socket {tmp_path / 'i3.sock'}", "")
    (tmp_path / "i3").write_text("\n".join(asked))
    env |= {"DISPLAY": f":{number}"}
    manager = subprocess.Popen(["i3", "-c", str(tmp_path / "i3")], env=env, stderr=subprocess.DEVNULL)
    try:
        yield env | {"I3SOCK": str(tmp_path / "i3.sock")}
    finally:
        for process in (manager, server):
            process.send_signal(signal.SIGTERM)
            process.wait(10)
