"""Adapters that look for themselves: files, windows; what is private is passed over, and nothing runs that is off."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from bench.shells import missing

from palazzo.capture.adapters.files import Files, look, tell
from palazzo.capture.adapters.music import Music
from palazzo.capture.adapters.window import FrontWindow, by_x11
from palazzo.capture.gate import CaptureRules, Gate
from palazzo.capture.watching import Watchers
from palazzo.engine import Engine

LOOKS = 500


class Seen:
    """A sight that keeps what was seen."""

    def __init__(self, gate: Gate, folders: tuple[str, ...] = ()) -> None:
        self._gate = gate
        self.folders = folders
        self.seen: list[tuple[str, str, Mapping[str, Any]]] = []
        self.until: Callable[[], bool] = lambda: True

    def wait(self, seconds: float) -> bool:
        time.sleep(min(seconds, 0.02))
        return self.until()

    def is_open(self) -> bool:
        return True

    def bars_app(self, app: str, title: str = "") -> bool:
        return self._gate.bars_app(app, title)

    def bars_path(self, path: str) -> bool:
        return self._gate.bars_path(path)

    def saw(self, kind: str, reference: str, metadata: Mapping[str, Any]) -> None:
        self.seen.append((kind, reference, metadata))


def test_files_that_are_added_changed_moved_and_removed_are_told_by_name(tmp_path: Path) -> None:
    sight = Seen(Gate(CaptureRules(adapters=("files",)), paused=False), (str(tmp_path),))
    for name in ("kept.py", "gone.py", "moved.py"):
        (tmp_path / name).write_text("x")
    before = look(sight)
    (tmp_path / "kept.py").write_text("longer")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "moved.py").rename(tmp_path / "there.py")
    (tmp_path / "new.py").write_text("x")
    (tmp_path / "key.pem").write_text("x")
    tell(before, look(sight), sight)
    told = {Path(path).name: beside["change"] for _, path, beside in sight.seen}
    assert told == {"kept.py": "modified", "gone.py": "deleted", "there.py": "moved", "new.py": "added"}


def test_a_private_folder_is_not_descended_into(tmp_path: Path) -> None:
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "today.md").write_text("x")
    rules = CaptureRules(adapters=("files",), private=(f"path:{tmp_path / 'diary'}",))
    assert look(Seen(Gate(rules, paused=False), (str(tmp_path),))) == {}


def test_an_adapter_runs_while_it_is_on_and_its_events_are_kept(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    engine.capture.keeper.change(adapters=("files",), folders=(str(folder),))
    watch = Watchers(engine.capture, engine.clock, (Files(),))
    try:
        assert watch.settle() == ("files",)
        found: tuple[tuple[str, int, int], ...] = ()
        for number in range(LOOKS):
            (folder / f"hull{number % 3}.py").write_text(str(number))
            found = engine.store.raw_events.tally()
            if found:
                break
            time.sleep(0.02)  # the adapter looks in its own time
        assert [name for name, _, _ in found] == ["files"]
        engine.capture.keeper.change(adapters=())
        watch.settle()
    finally:
        watch.close()


def test_where_no_desktop_is_windows_and_music_say_why() -> None:
    assert "no desktop tells" in FrontWindow({}).missing()
    assert Music({}).missing()


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[dict[str, str]]:
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


@pytest.mark.parametrize("way", ["i3", "x11"])
def test_the_window_in_front_is_told_by_its_window_manager(
    screen: dict[str, str], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", screen["DISPLAY"])
    desktop = {"DISPLAY": screen["DISPLAY"]} | ({"I3SOCK": screen["I3SOCK"]} if way == "i3" else {})
    window = FrontWindow(desktop)
    terminal = subprocess.Popen(["xterm", "-T", "hull", "-e", "sleep", "60"], env=screen, stdin=subprocess.DEVNULL)
    sight = Seen(Gate(CaptureRules(adapters=("window",)), paused=False))
    looks = iter(range(LOOKS))
    sight.until = lambda: bool(sight.seen) or next(looks, LOOKS) >= LOOKS - 1
    try:
        for _ in range(LOOKS):
            if Path(screen["I3SOCK"]).exists() and by_x11() is not None:
                break
            time.sleep(0.02)  # the window comes in its own time
        assert window.missing() == ""
        window.watch(sight)
    finally:
        terminal.terminate()
        terminal.wait()
    assert [(kind, app.lower()) for kind, app, _ in sight.seen][:1] == [("app_activation", "xterm")]
    assert sight.seen[0][2]["title"]
