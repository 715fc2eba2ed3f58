"""Windows of desktops that cannot be had in a test: asked in the words of their real interfaces, which stubs speak."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.shells import missing

from palazzo.capture.adapters import window
from palazzo.capture.adapters.window import NONE, FrontWindow
from palazzo.capture.gate import CaptureRules, Gate

pytest.importorskip("dbus_fast", reason="dbus-fast is not installed: pip install '.[dbus]'")

from tests.capture.desktops import StubKWin, StubShell, hyprland
from tests.capture.snapshots.player import on_bus
from tests.capture.test_watching import Seen

without_bus = pytest.mark.skipif(bool(missing("dbus-daemon", "gdbus")), reason="dbus-daemon or gdbus is not installed")
TITLE = 'it\'s "calm" \\ grey, müde'


class Shut(Seen):
    """A sight while capture is paused."""

    def is_open(self) -> bool:
        return False


def told(front: FrontWindow, private: str = "app:diary") -> list[tuple[str, str]]:
    """What is seen in one look: the program and the title."""
    sight = Seen(Gate(CaptureRules(adapters=("window",), private=(private,)), paused=False))
    looks = iter((False, True))
    sight.until = lambda: next(looks, True)
    front.watch(sight)
    return [(reference, str(beside["title"])) for _, reference, beside in sight.seen]


def test_hyprland_is_asked_by_its_socket(tmp_path: Path) -> None:
    desktop = {"HYPRLAND_INSTANCE_SIGNATURE": "mark", "XDG_RUNTIME_DIR": str(tmp_path)}
    front = {"address": "0x55d1", "mapped": True, "class": "Editor", "title": TITLE, "pid": 7}
    assert FrontWindow(desktop).missing() == NONE
    with hyprland(tmp_path, front) as asked:
        assert FrontWindow(desktop).missing() == ""
        paused = Shut(Gate(CaptureRules(adapters=("window",)), paused=True))
        looks = iter((False, False, True))
        paused.until = lambda: next(looks, True)
        FrontWindow(desktop).watch(paused)
        assert not asked, "neither to say whether windows can be seen nor while capture is paused a window is asked for"
        assert told(FrontWindow(desktop)) == [("Editor", TITLE)]
        assert asked == [b"j/activewindow"]
        assert told(FrontWindow(desktop), "app:editor") == []
        front.clear()  # an empty workspace
        assert told(FrontWindow(desktop)) == []


@without_bus
def test_gnome_is_asked_by_its_extension_and_only_when_it_is_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "PATIENCE_S", 60.0)
    shell = StubShell({"title": TITLE, "wm_class": "Editor", "pid": 7, "focus": True})
    desktop = {"WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}
    with on_bus("org.gnome.Shell", shell) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        front = FrontWindow(desktop)
        assert (front.missing(), shell.asked) == ("", 0)
        assert told(front) == [("Editor", TITLE)]
        shell.front = None
        assert told(front) == []
    with on_bus("org.gnome.Other", shell) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        assert FrontWindow(desktop).missing() == NONE


@without_bus
@pytest.mark.skipif(bool(missing("node")), reason="node is not installed, which runs the script in KWin's place")
@pytest.mark.parametrize("plasma", [5, 6])
def test_kde_is_asked_by_a_script_that_reads_the_title_only_where_it_may_be_known(
    plasma: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "PATIENCE_S", 60.0)
    stub: Any = StubKWin({"resourceClass": "Editor", "caption": TITLE}, plasma)
    with on_bus("org.kde.KWin", stub) as address:
        desktop = {"WAYLAND_DISPLAY": "w", "XDG_CURRENT_DESKTOP": "KDE", "DBUS_SESSION_BUS_ADDRESS": address}
        front = FrontWindow(desktop)
        assert (front.missing(), stub.read) == ("", [])
        assert told(front, "app:editor") == []
        assert stub.read == ["resourceClass"]
        assert told(front) == [("Editor", TITLE)]
        assert stub.loaded == {}, "no script is left behind"
