"""Window: which program is in front, and for how long: X11 by EWMH, Sway and i3 by IPC, Hyprland by its socket.

Each desktop is asked in its own words, with programs and sockets it has by itself. GNOME on Wayland tells only an
extension (Focused Window D-Bus), KDE only a script inside KWin, which is given one for each question: it reads one
property of the active window and calls back; both are asked over the session bus (`dbus-fast`, in the extra `capture`).
Invariants: which program it is comes first, and of a private one the title is neither looked at nor, where the desktop
tells them apart (X11, KDE), asked for; nothing is asked while the gate is closed, not even to find out whether somebody
would answer; the script is taken out of KWin again, whatever came of it.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from palazzo.errors import PartUnavailable
from palazzo.ports import Sight

EVERY_S: Final = 1.0
LEAST_S: Final = 1.0
PATIENCE_S: Final = 3.0
_MAGIC: Final = b"i3-ipc"
_TREE: Final = 4
NONE: Final = (
    "no desktop tells which window is in front: X11 (xprop), Sway, i3, Hyprland do; KDE on Wayland needs"
    " the package dbus-fast, GNOME on Wayland its extension Focused Window D-Bus"
)
Front = tuple[str, Callable[[], str]]
"""A program, and what asks for the title of its window."""


def _said(*words: str) -> str:
    """What a program says; empty when it fails.

    Raises: PartUnavailable when it does not answer.
    """
    try:
        done = subprocess.run(  # noqa: S603 - programs of the desktop, with words of our own
            words, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PartUnavailable(f"{words[0]} does not answer", part="window") from error
    return done.stdout if done.returncode == 0 else ""


def by_x11() -> Front | None:
    """The window a window manager calls active."""
    found = re.search(r"window id # (0x[0-9a-f]+)", _said("xprop", "-root", "_NET_ACTIVE_WINDOW"))
    if found is None or int(found[1], 16) == 0:
        return None
    known = re.findall(r'"((?:[^"\\]|\\.)*)"', _said("xprop", "-id", found[1], "WM_CLASS"))
    if not known:
        return None

    def title() -> str:
        told = _said("xprop", "-id", found[1], "_NET_WM_NAME", "WM_NAME")
        named = re.search(r'= "((?:[^"\\]|\\.)*)"', told)
        return named[1] if named else ""

    return known[-1], title


def by_tree(path: str) -> Front | None:
    """The focused window of i3 or Sway, by their IPC."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE_S)
        connection.connect(path)
        connection.sendall(_MAGIC + struct.pack("=II", 0, _TREE))
        head = _exactly(connection, len(_MAGIC) + 8)
        tree = json.loads(_exactly(connection, struct.unpack("=II", head[len(_MAGIC) :])[0]))
    node = _focused(tree)
    if node is None:
        return None
    properties: Mapping[str, Any] = node.get("window_properties") or {}
    app = node.get("app_id") or properties.get("class") or ""
    return (str(app), lambda: str(node.get("name") or "")) if app else None


def _focused(node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if node.get("focused"):
        return node
    for one in (*node.get("nodes", ()), *node.get("floating_nodes", ())):
        if (found := _focused(one)) is not None:
            return found
    return None


def _exactly(connection: socket.socket, size: int) -> bytes:
    whole = b""
    while len(whole) < size:
        part = connection.recv(size - len(whole))
        if not part:
            raise PartUnavailable("the window manager went away", part="window")
        whole += part
    return whole


def by_hyprland(path: str) -> Front | None:
    """The active window of Hyprland."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE_S)
        connection.connect(path)
        connection.sendall(b"j/activewindow")
        told = b""
        while part := connection.recv(1 << 16):
            told += part
    found = json.loads(told or b"{}")
    app = str(found.get("class") or "")
    return (app, lambda: str(found.get("title") or "")) if app else None


_GNOME: Final = (
    "--session", "--dest", "org.gnome.Shell", "--object-path", "/org/gnome/shell/extensions/FocusedWindow",
)  # fmt: skip
_EXTENSION: Final = "org.gnome.shell.extensions.FocusedWindow"


def gnome_tells() -> bool:
    """Whether the extension of GNOME is there; no window is asked for."""
    return _EXTENSION in _said("gdbus", "introspect", *_GNOME)


def by_gnome() -> Front | None:
    """The focused window, as an extension of GNOME tells it: a tuple with a text in it, which is JSON."""
    told = _said("gdbus", "call", *_GNOME, "--method", f"{_EXTENSION}.Get")
    if not told.strip():
        return None
    seen = json.loads(ast.literal_eval(told.strip())[0])
    app = str(seen.get("wm_class") or "")
    return (app, lambda: str(seen.get("title") or "")) if app else None


def by_kde(address: str) -> Front | None:
    """The active window of KDE."""
    app = told_of_front(address, "resourceClass")
    return (app, partial(told_of_front, address, "caption")) if app else None


class FrontWindow:
    """Watches which program is in front."""

    name = "window"
    about = "Which program is in front, its title, and for how long."

    def __init__(self, desktop: Mapping[str, str]) -> None:
        """`desktop` are the variables by which a desktop says where it is."""
        self._desktop = desktop

    def _way(self) -> Callable[[], Front | None] | None:
        told = self._desktop
        for name in ("SWAYSOCK", "I3SOCK"):
            if (path := told.get(name, "")) and Path(path).exists():
                return lambda: by_tree(path)
        if mark := told.get("HYPRLAND_INSTANCE_SIGNATURE", ""):
            for above in (told.get("XDG_RUNTIME_DIR", "/run/user/0"), "/tmp"):  # noqa: S108 - where Hyprland has it
                path = f"{above}/hypr/{mark}/.socket.sock"
                if Path(path).exists():
                    return lambda: by_hyprland(path)
        named, wayland = told.get("XDG_CURRENT_DESKTOP", "").lower(), told.get("WAYLAND_DISPLAY")
        bus = told.get("DBUS_SESSION_BUS_ADDRESS", "")
        if wayland and "kde" in named and bus and find_spec("dbus_fast") is not None:
            return partial(by_kde, bus)
        if wayland and "gnome" in named and shutil.which("gdbus"):
            return by_gnome if gnome_tells() else None
        if told.get("DISPLAY") and shutil.which("xprop"):
            return by_x11
        return None

    def missing(self) -> str:
        """Why no window can be seen here."""
        return "" if self._way() is not None else NONE

    def watch(self, sight: Sight) -> None:
        """Tells what was in front when something else is, or when it is told to stop."""
        way = self._way()
        if way is None:
            raise PartUnavailable(NONE, part="window")
        app = title = ""
        since = time.monotonic()
        while True:
            stop = sight.wait(EVERY_S)
            front = way() if not stop and sight.is_open() else None
            now, named = self._named(front, sight)
            if (now, named) != (app, title) or stop:
                lasted = time.monotonic() - since
                if app and lasted >= LEAST_S:
                    sight.saw("app_activation", app, {"app": app, "title": title, "seconds": round(lasted, 1)})
                if now and now != app:
                    sight.saw("app_activation", now, {"app": now, "title": named, "seconds": 0})
                app, title, since = now, named, time.monotonic()
            if stop:
                return

    @staticmethod
    def _named(front: Front | None, sight: Sight) -> tuple[str, str]:
        """The program and its title, if they may be known; the title of a private program is not asked for."""
        if front is None or sight.bars_app(front[0]):
            return "", ""
        title = front[1]()
        return ("", "") if sight.bars_app(front[0], title) else (front[0], title)


_KWIN: Final = "org.kde.KWin"
_SCRIPTING: Final = "org.kde.kwin.Scripting"
_INTERFACE: Final = "ai.palazzo.Front"
_SCRIPT: Final = """var front = workspace.activeWindow || workspace.activeClient;
callDBus("{name}", "/", "{interface}", "Told", front ? String(front.{wanted}) : "");
"""
"""Plasma 6 calls it a window, Plasma 5 a client."""


def told_of_front(address: str, wanted: Literal["resourceClass", "caption"]) -> str:
    """One property of the active window; empty where none is active.

    Raises: PartUnavailable when KWin does not answer.
    """
    try:
        return asyncio.run(_asked(address, wanted))
    except (OSError, EOFError, TimeoutError) as error:
        raise PartUnavailable("KWin does not answer on the session bus", part="window") from error


async def _asked(address: str, wanted: str) -> str:
    from dbus_fast import Message, MessageType
    from dbus_fast.aio import MessageBus

    bus = await MessageBus(bus_address=address).connect()
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def heard(message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != _INTERFACE:
            return None
        if not answer.done():
            answer.set_result(str(message.body[0]) if message.body else "")
        return Message.new_method_return(message)

    async def call(path: str, interface: str, member: str, *body: str) -> list[Any] | None:
        given = Message(
            destination=_KWIN, path=path, interface=interface, member=member, signature="s" * len(body), body=[*body]
        )
        reply = await bus.call(given)
        return list(reply.body) if reply is not None and reply.message_type is MessageType.METHOD_RETURN else None

    bus.add_message_handler(heard)
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".js") as script:
            script.write(_SCRIPT.format(name=bus.unique_name, interface=_INTERFACE, wanted=wanted))
            script.flush()
            async with asyncio.timeout(PATIENCE_S):
                made = await call("/Scripting", _SCRIPTING, "loadScript", script.name, script.name)
                if not made:
                    raise OSError("no KWin on this bus")
                try:
                    if await call(f"/Scripting/Script{made[0]}", "org.kde.kwin.Script", "run") is None:
                        await call(f"/{made[0]}", "org.kde.kwin.Script", "run")  # where Plasma 5 has it
                    return await answer
                finally:
                    await asyncio.wait_for(call("/Scripting", _SCRIPTING, "unloadScript", script.name), PATIENCE_S)
    finally:
        bus.disconnect()
