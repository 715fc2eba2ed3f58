"""Adapters that look for themselves: files, windows; what is private is passed over, and nothing runs that is off."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from bench.shells import missing
from tests.capture.snapshots.conftest import looked_for

from palazzo.capture.adapters.files import Files, look, tell
from palazzo.capture.adapters.music import Music
from palazzo.capture.adapters.window import FrontWindow, by_tree, by_x11
from palazzo.capture.gate import CaptureRules, Gate
from palazzo.capture.snapshots.around import Around
from palazzo.capture.snapshots.desktop import TerritoryPart
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


@pytest.fixture
def wayland() -> Iterator[dict[str, str]]:
    """Sway without a screen, as the environment of programs that are shown on it; it refuses to run as root."""
    if absent := missing("sway", "swaymsg", "foot"):
        pytest.skip(f"{absent} is not installed; scripts/setup.sh installs it as root with apt")
    folder = Path(tempfile.mkdtemp())
    (folder / "config").write_text("output HEADLESS-1 resolution 640x480\n")
    somebody: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    if somebody:
        os.chown(folder, 65534, 65534)
    env = {
        "PATH": os.defpath, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "SWAYSOCK": str(folder / "sock"),
        "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
    }  # fmt: skip
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **somebody}
    started = [subprocess.Popen(["sway", "-c", str(folder / "config")], env=env, **quiet)]
    try:
        answers = ["swaymsg", "-s", env["SWAYSOCK"], "-t", "get_version"]
        looked_for(
            lambda: (
                started[0].poll() is not None
                or not subprocess.run(answers, capture_output=True, check=False).returncode
            )
        )
        if started[0].poll() is not None:
            pytest.skip("sway does not start here without a screen")
        shown = {**env, "WAYLAND_DISPLAY": next(folder.glob("wayland-?")).name}
        words = ["foot", "--app-id", "Editor", "-T", "hull", "sleep", "600"]
        started.append(subprocess.Popen(words, env=shown, **quiet))
        looked_for(lambda: started[1].poll() is not None or by_tree(env["SWAYSOCK"]) is not None)
        if started[1].poll() is not None:
            pytest.skip("foot does not start here: is there a font, such as that of fonts-dejavu-core?")
        yield shown
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)
        shutil.rmtree(folder)


def test_sway_tells_the_window_in_front_and_how_windows_lie(
    wayland: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAYSOCK", wayland["SWAYSOCK"])
    monkeypatch.delenv("I3SOCK", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    sight = Seen(Gate(CaptureRules(adapters=("window",)), paused=False))
    sight.until = lambda: bool(sight.seen)
    FrontWindow({"SWAYSOCK": wayland["SWAYSOCK"]}).watch(sight)
    assert sight.seen[0][:2] == ("app_activation", "Editor")
    found = TerritoryPart().capture(Around())
    assert found == {"manager": "sway", "workspace": "1", "layout": {"layout": "splith", "nodes": ["Editor"]}}


def test_what_a_player_plays_is_told_once_and_a_private_player_is_not_asked() -> None:
    pytest.importorskip("dbus_fast", reason="dbus-fast is not installed: pip install '.[dbus]'")
    if missing("dbus-daemon"):
        pytest.skip("dbus-daemon is not installed")
    from tests.capture.snapshots.player import stub_player

    with stub_player() as (address, player):
        music = Music({"DBUS_SESSION_BUS_ADDRESS": address})
        assert music.missing() == ""
        sight = Seen(Gate(CaptureRules(adapters=("music",)), paused=False))
        sight.until = lambda: bool(sight.seen)
        music.watch(sight)
        beside = {"app": "stub", "artist": "The Gulls", "title": "Night Watch"}
        assert sight.seen == [("music", "The Gulls: Night Watch", beside)]
        asked = player.asked
        barred = Seen(Gate(CaptureRules(adapters=("music",), private=("app:stub",)), paused=False))
        looks = iter((False, True))
        barred.until = lambda: next(looks, True)
        music.watch(barred)
        assert (barred.seen, player.asked) == ([], asked)
