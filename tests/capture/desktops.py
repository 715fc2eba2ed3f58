"""Desktops that cannot be had in a test, as far as they are asked: each speaks the interface of the real one, as its
documentation and source have it (Hyprland's socket, GNOME's extension Focused Window D-Bus, KWin's scripting)."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageType

EXTENSION = "org.gnome.shell.extensions.FocusedWindow"
_ABOUT = f"""<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
<node><interface name="{EXTENSION}">
<method name="Get"><arg type="s" direction="out" name="window"/></method></interface></node>"""
_WORKSPACE = """const told = [];
const callDBus = (...words) => told.push(words);
const read = [];
const active = new Proxy(%s, { get: (held, name) => { read.push(name); return held[name]; } });
const workspace = { %s: active };
%s
console.log(JSON.stringify({ told, read }));
"""


@contextmanager
def hyprland(folder: Path, front: dict[str, Any]) -> Iterator[list[bytes]]:
    """Hyprland's socket of requests, one connection a request; what it was asked."""
    asked: list[bytes] = []
    path = folder / "hypr" / "mark" / ".socket.sock"
    path.parent.mkdir(parents=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen()

    def answer() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                asked.append(connection.recv(1024))
                connection.sendall(json.dumps(front).encode() if asked[-1] == b"j/activewindow" else b"unknown request")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(30)


class StubShell:
    """GNOME Shell with the extension, on the bus as org.gnome.Shell."""

    def __init__(self, front: dict[str, Any] | None) -> None:
        self.front = front
        self.asked = 0

    def heard(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or not str(message.path).endswith("/FocusedWindow"):
            return None
        if message.member == "Introspect":
            return Message.new_method_return(message, "s", [_ABOUT])
        if message.interface != EXTENSION:
            return None
        self.asked += 1
        if self.front is None:
            return Message.new_error(message, "org.gnome.gjs.JSError.Error", "No window in focus")
        return Message.new_method_return(message, "s", [json.dumps(self.front)])


class StubKWin:
    """KWin's scripting, on the bus as org.kde.KWin: scripts are run by node, with a workspace that has one window."""

    def __init__(self, front: dict[str, Any], plasma: int) -> None:
        self.front = front
        self.plasma = plasma
        self.loaded: dict[str, str] = {}
        self.read: list[str] = []
        """Which properties of the window scripts have read."""
        self.bus: Any = None

    def heard(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.destination != "org.kde.KWin":
            return None
        if (message.path, message.member) == ("/Scripting", "loadScript"):
            path, name = message.body
            self.loaded[name] = Path(path).read_text()
            return Message.new_method_return(message, "i", [7])
        if (message.path, message.member) == ("/Scripting", "unloadScript"):
            return Message.new_method_return(message, "b", [self.loaded.pop(message.body[0], None) is not None])
        if (message.path, message.member) != ("/Scripting/Script7" if self.plasma == 6 else "/7", "run"):
            return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownObject", "no such object")
        self._run(*self.loaded.values())
        return Message.new_method_return(message)

    def _run(self, script: str) -> None:
        active = "activeWindow" if self.plasma == 6 else "activeClient"
        whole = _WORKSPACE % (json.dumps(self.front), active, script)
        said = json.loads(subprocess.run(["node", "-e", whole], capture_output=True, check=True).stdout)
        self.read += said["read"]
        for place, path, interface, member, *body in said["told"]:
            self.bus.send(
                Message(
                    destination=place, path=path, interface=interface, member=member, signature="s" * len(body),
                    body=body,
                )
            )  # fmt: skip
