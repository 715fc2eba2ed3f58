"""Each part of a snapshot with the program it is about, or with the files that program keeps."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.capture.snapshots.conftest import looked_for, needed

from palazzo.capture.gate import CaptureRules, Gate
from palazzo.capture.snapshots import workspace
from palazzo.capture.snapshots.around import Around
from palazzo.capture.snapshots.browser import BrowserPart, screened
from palazzo.capture.snapshots.desktop import TerritoryPart, WallpaperPart
from palazzo.capture.snapshots.editors import VisualStudioCodePart
from palazzo.capture.snapshots.workspace import FolderPart, GitPart
from palazzo.errors import PartUnavailable

PATIENCE_S = 30


def private(name: str, kind: str = "app") -> Gate:
    return Gate(CaptureRules(private=(f"{kind}:{name}",)), paused=False)


def test_a_private_folder_is_in_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/quay\n")
    open_, shut = Around(folder=tmp_path), Around(folder=tmp_path, gate=private(f"{tmp_path}*", "path"))
    assert GitPart().capture(open_)["branch"] == "quay"
    assert FolderPart().capture(shut) is None
    assert GitPart().capture(shut) is None


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://docs.example/guide?page=3&lang=en", "https://docs.example/guide?page=3&lang=en"),
        ("https://ida:secret@git.example/repo", "https://git.example/repo"),
        ("https://shop.example/cart?session_id=77#pay", "https://shop.example/cart"),
        ("https://auth.example/cb?code=abc&state=1&next=home", "https://auth.example/cb?next=home"),
        ("https://files.example/s/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0/x", "https://files.example/"),
        ("https://a.example/?q=ghp_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4e5F6", "https://a.example/"),
    ],
)
def test_an_address_is_kept_without_what_lets_its_reader_in(address: str, kept: str) -> None:
    assert screened(address) == kept


def test_tabs_of_a_browser_with_an_open_port_are_taken_and_opened_again(tmp_path: Path) -> None:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium (scripts/setup.sh does it as root)")
    (tmp_path / "page.html").write_text("<title>private title</title>hello")
    server = subprocess.Popen(
        ["python3", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},  # noqa: TID251
    )  # fmt: skip
    assert server.stdout is not None
    port = server.stdout.readline().split("port ")[1].split()[0]
    url = f"http://127.0.0.1:{port}/page.html"
    browser = subprocess.Popen(
        [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=9377",
         f"--user-data-dir={tmp_path / 'profile'}", f"{url}?token=abc"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    part = BrowserPart()

    def tabs() -> list[str]:
        try:
            return (part.capture(Around()) or {"tabs": []})["tabs"]
        except PartUnavailable:
            return []

    try:
        looked_for(lambda: url in tabs())
        assert "private title" not in json.dumps(part.capture(Around()))
        other = f"{url}?page=2"
        (found,) = workspace.bring_back({"browser": part}, {"browser": {"tabs": [other]}}, Around(), dry=False)
        assert found.state == "done"
        looked_for(lambda: other in tabs())
        assert part.capture(Around(gate=private(browser_name(browser.pid)))) is None
    finally:
        browser.terminate()
        browser.wait(PATIENCE_S)
        server.terminate()
        server.wait(PATIENCE_S)
        server.stdout.close()


def browser_name(process: int) -> str:
    return Around().processes[process][1].lower()


def test_windows_of_visual_studio_code_are_known_by_what_is_open_in_them(tmp_path: Path) -> None:
    kept = tmp_path / ".config" / "Code"
    (kept / "User/globalStorage").mkdir(parents=True)
    folder, gone = tmp_path / "my project", tmp_path / "gone.code-workspace"
    folder.mkdir()
    (kept / "User/globalStorage/storage.json").write_text(
        json.dumps(
            {"windowsState": {
                "lastActiveWindow": {"folder": f"file://{str(folder).replace(' ', '%20')}"},
                "openedWindows": [{"workspaceIdentifier": {"configURIPath": f"file://{gone}"}}],
            }}
        )
    )  # fmt: skip
    part, around = VisualStudioCodePart(), Around(home=tmp_path)
    assert part.capture(around) is None, "it does not run"
    (kept / "code.lock").write_text(str(os.getpid()))
    found = part.capture(around)
    assert [one["open"] for one in found] == [str(folder), str(gone)]
    assert part.capture(Around(home=tmp_path, gate=private("code"))) is None
    (kept / "code.lock").unlink()
    done = workspace.bring_back({"vscode": part}, {"vscode": found}, around, dry=True)
    assert [(one.state, one.told) for one in done] == [("would", ()), ("failed", (f"{gone} is no longer there",))]


def test_a_wallpaper_is_known_by_its_name_and_a_lost_one_is_told(tmp_path: Path) -> None:
    picture = tmp_path / "sea.png"
    (tmp_path / ".fehbg").write_text(f"#!/bin/sh\nfeh --no-fehbg --bg-scale '{picture}'\n")
    part, around = WallpaperPart(), Around(home=tmp_path)
    found = part.capture(around)
    assert found == {"by": "feh", "how": "--bg-scale", "file": str(picture)}
    (tmp_path / ".fehbg").unlink()
    (done,) = workspace.bring_back({"wallpaper": part}, {"wallpaper": found}, around, dry=False)
    assert (done.step, done.state, done.told) == ("wallpaper", "failed", (f"{picture} is no longer there",))


@pytest.fixture
def window_manager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """i3 on a display without a screen; one that does not come up is begun anew."""
    needed("Xvfb", "i3", "i3-msg")
    (tmp_path / "config").write_text("font pango:monospace 8\n")
    for _ in range(STARTS):
        with ExitStack() as began:
            read, write = os.pipe()
            display = _running(
                began, "Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x16", "-nolisten", "tcp", keep=write
            )
            os.close(write)
            with os.fdopen(read) as told:
                monkeypatch.setenv("DISPLAY", f":{told.readline().strip()}")
            manager = _running(began, "i3", "-c", str(tmp_path / "config"))
            deadline = time.monotonic() + PATIENCE_S
            while not _answers() and time.monotonic() < deadline and display.poll() is None is manager.poll():
                pass
            if _answers():
                yield
                return
    raise AssertionError("i3 did not come up")


STARTS = 3


def _answers() -> bool:
    try:
        asked = subprocess.run(["i3-msg", "-t", "get_version"], capture_output=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return False
    return not asked.returncode


def _running(began: ExitStack, *command: str, keep: int | None = None) -> subprocess.Popen[bytes]:
    """A program that ends with the block."""
    process = subprocess.Popen(
        command, pass_fds=() if keep is None else (keep,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    began.callback(process.wait, PATIENCE_S)
    began.callback(process.terminate)
    return process


@pytest.mark.usefixtures("window_manager")
def test_the_workspace_in_front_is_taken_and_switched_back_to() -> None:
    subprocess.run(["i3-msg", 'workspace "2: code"'], capture_output=True, check=True)
    part = TerritoryPart()
    found = workspace.take([part], Around())
    assert found.territory == "2: code"
    assert found.state["territory"]["manager"] == "i3"
    subprocess.run(["i3-msg", "workspace 9"], capture_output=True, check=True)
    (dry,) = workspace.bring_back({"territory": part}, found.state, Around(), dry=True)
    assert (dry.step, dry.state) == ("territory", "would")
    (done,) = workspace.bring_back({"territory": part}, found.state, Around(), dry=False)
    assert done.state == "done"
    assert workspace.take([part], Around()).territory == "2: code"


@pytest.mark.usefixtures("window_manager")
def test_windows_of_i3_lie_again_as_they_lay_once_their_applications_are_opened() -> None:
    needed("xterm")
    part, opened = TerritoryPart(), []

    def open_(*names: str) -> None:
        for name in names:
            opened.append(subprocess.Popen(["xterm", "-class", name, "-e", "sleep", "600"], stderr=subprocess.DEVNULL))
            looked_for(lambda name=name: f'"class":"{name}"' in tree())  # type: ignore[misc]

    def tree() -> str:
        return subprocess.run(["i3-msg", "-t", "get_tree"], capture_output=True, text=True, check=True).stdout

    try:
        subprocess.run(["i3-msg", "workspace 3"], capture_output=True, check=True)
        open_("Editor", "Terminal")
        subprocess.run(["i3-msg", "split v"], capture_output=True, check=True)
        open_("Logs")
        before = part.capture(Around())
        assert before["layout"] == {
            "layout": "splith", "nodes": ["Editor", {"layout": "splitv", "nodes": ["Terminal", "Logs"]}],
        }  # fmt: skip
        for process in opened:
            process.terminate()
            process.wait(PATIENCE_S)
        looked_for(lambda: not any(f'"class":"{name}"' in tree() for name in ("Editor", "Terminal", "Logs")))
        subprocess.run(["i3-msg", "workspace 9"], capture_output=True, check=True)
        (done,) = workspace.bring_back({"territory": part}, {"territory": before}, Around(), dry=False)
        waits = tuple(f"a frame waits for {name}" for name in ("Editor", "Logs", "Terminal"))
        assert (done.state, done.told) == ("done", waits)
        open_("Logs", "Terminal", "Editor")
        assert part.capture(Around()) == before
    finally:
        for process in opened:
            process.terminate()
            process.wait(PATIENCE_S)


def test_music_is_taken_with_its_position_and_goes_on_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dbus_fast", reason="dbus-fast is not installed: pip install '.[dbus]'")
    from tests.capture.snapshots.player import stub_player

    from palazzo.capture.snapshots.music import MusicPart

    needed("dbus-daemon")
    with stub_player() as (address, player):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        part = MusicPart()
        found = workspace.take([part], Around())
        music = found.state["music"]
        assert (music["player"], music["title"], music["position_s"]) == ("stub", "Night Watch", 83)

        async def inside() -> object:
            return workspace.take([part], Around())

        assert asyncio.run(inside()) == found, "whoever asks may be in a loop of its own"
        (offered,) = workspace.bring_back({"music": part}, found.state, Around(), dry=False)
        assert (offered.step, offered.state, player.calls) == ("music", "offered", [])
        (done,) = workspace.bring_back({"music": part}, found.state, Around(), dry=False, music=True)
        assert (done.state, player.calls) == ("done", ["Play", "SetPosition 83000000"])
        assert part.capture(Around(gate=private("stub"))) is None
