"""The daemon as a service of the user's session: a unit for systemd, an agent for launchd.

Owns their text and where they lie. Starts and ends nothing: the person runs the command that is told. Invariants: a
daemon that ends at once is started again slowly and not for ever; a file of another making is left alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import msgspec

from palazzo.errors import Conflict
from palazzo.files import raw_files

THROTTLE_S: Final = 10
BURST: Final = 5
WITHIN_S: Final = 300
MADE: Final = "Made by Palazzo; it may be made again"
"""By which a file of our own making is known; a comment of XML has no two dashes."""


class ServiceUnit(msgspec.Struct, frozen=True):
    """A unit: its file, its text, and the commands that start and end it."""

    path: Path
    text: str
    start: str
    stop: str


def unit_for(words: list[str], system: str, home: Path) -> ServiceUnit:
    """The unit that runs this command, as the system wants it."""
    if system == "darwin":
        path = home / "Library/LaunchAgents/palazzo.plist"
        listed = "".join(f"    <string>{escape(word)}</string>\n" for word in words)
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
            f"<!-- {MADE} -->\n"
            '<plist version="1.0">\n<dict>\n  <key>Label</key>\n  <string>palazzo</string>\n'
            f"  <key>ProgramArguments</key>\n  <array>\n{listed}  </array>\n"
            "  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n"
            "  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n"
            f"  <key>ThrottleInterval</key>\n  <integer>{THROTTLE_S}</integer>\n</dict>\n</plist>\n"
        )
        return ServiceUnit(path, text, f"launchctl load {path}", f"launchctl unload {path}")
    path = home / ".config/systemd/user/palazzo.service"
    command = " ".join(_quoted(word) for word in words)
    text = (
        f"# {MADE}\n[Unit]\nDescription=Palazzo, the memory of agents\n"
        f"StartLimitIntervalSec={WITHIN_S}\nStartLimitBurst={BURST}\n\n"
        f"[Service]\nExecStart={command}\nRestart=on-failure\nRestartSec={THROTTLE_S}\n\n"
        "[Install]\nWantedBy=default.target\n"
    )
    return ServiceUnit(
        path, text, "systemctl --user enable --now palazzo", "systemctl --user disable --now palazzo"
    )  # fmt: skip


def _quoted(word: str) -> str:
    """A word as systemd reads it back: quotes and signs of its own are escaped."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"' if not word or any(sign.isspace() or sign in "\"'\\%$;" for sign in word) else word


def install(unit: ServiceUnit) -> None:
    """Writes a unit.

    Raises: Conflict when a file of another making is there, OSError.
    """
    if unit.path.exists() and MADE not in raw_files.content(unit.path).decode(errors="replace"):
        raise Conflict(f"{unit.path} was made by somebody else", hint="move it away first")
    unit.path.parent.mkdir(parents=True, exist_ok=True)
    raw_files.put(unit.path, unit.text.encode())


def command_words(palace: str | None, given: list[str]) -> list[str]:
    """The command a unit runs: this Python, so that it finds what is installed beside it."""
    where = palace if palace is None or "://" in palace else str(Path(palace).resolve())
    return [sys.executable, "-m", "palazzo", *(["--palace", where] if where else []), "serve", *given]
