"""The gate: what may be captured at all, decided before anything is read.

Owns the rules (which adapters are on, what is private, what alone is allowed), what each of them means as a pattern,
and the small files by which shells and hooks see, with one look whether a file is there, that the gate is open. Those
stand in the runtime folder, in memory where the system has such a place, and are gone when the gate closes.
Invariants: without a rule that switches an adapter on, it is closed; what closes it is written before whoever asked is
answered; the same patterns decide in a shell and here.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.files import raw_files
from palazzo.model.capability import CAPTURE_PAUSED, OPERATOR, is_hard_locked
from palazzo.model.ids import new_id
from palazzo.model.raw_event import RawEvent
from palazzo.model.slip import PutSlip, Slip
from palazzo.store.api import Store
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
MOST_RULES: Final = 500


class CaptureRules(msgspec.Struct, frozen=True, kw_only=True):
    """What an owner decided: adapters that are on, with the folders they look at; what is private; and, where only what
    is allowed may be captured, what that is. Entries are `app:`, `path:` or `command:` and a pattern."""

    adapters: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    allow_only: bool = False


@cache
def shipped() -> tuple[str, ...]:
    """What is private before anybody says so."""
    words = page("capture", EVERY_LANGUAGE)
    return (
        *(f"command:{one}" for one in sorted(words.words("private_commands"))),
        *(f"path:{one}" for one in words.in_order("private_paths")),
        *(f"app:{one}" for one in words.in_order("private_apps")),
    )


def rule_named(kind: str, pattern: str) -> str:
    """An entry of a list as it is kept.

    Raises: InvalidInput.
    """
    plain = " ".join(pattern.split()) if kind != "path" else pattern.strip()
    if not plain or _CONTROL.search(plain) or len(plain) > 300:
        raise InvalidInput("say which app, path or command", field="pattern")
    if kind == "path":
        plain = os.path.normpath(str(Path(plain).expanduser()))
    return f"{kind}:{plain}"


def _globs(kind: str, pattern: str) -> Iterator[str]:
    """What a rule means, as patterns a shell knows too: * for any letters."""
    if kind == "path":
        whole = str(Path(pattern).expanduser())
        yield from (whole, f"{whole.rstrip('/')}/*")
    elif kind == "command":
        yield pattern
        if "*" not in pattern:
            yield f"{pattern} *"
            yield from (f"*{mark}{pattern} *" for mark in ("| ", "|", "; ", "& ", "(", "sudo "))
    else:
        yield pattern.casefold()


class Gate:
    """The rules of one palace, and whether it is paused, as of one moment."""

    def __init__(self, rules: CaptureRules, *, paused: bool) -> None:
        self.rules = rules
        self.paused = paused
        private = (*shipped(), *rules.private)
        self._private = {kind: tuple(_of(private, kind)) for kind in ("app", "path", "command")}
        self._allowed = {kind: tuple(_of(rules.allowed, kind)) for kind in ("app", "path", "command")}
        self._titles = page("capture", EVERY_LANGUAGE).in_order("private_titles")

    def is_open(self, adapter: str) -> bool:
        """Whether an adapter may look at anything at all."""
        return not self.paused and adapter in self.rules.adapters and not is_hard_locked(adapter)

    def bars_app(self, app: str, title: str = "") -> bool:
        """Whether nothing of a window may be read but which program it belongs to; a private one of a browser shows
        itself by its title."""
        name = app.casefold()
        if is_hard_locked(name) or _any(name, self._private["app"]) or _any(title.casefold(), self._titles):
            return True
        return self.rules.allow_only and not _any(name, self._allowed["app"])

    def bars_path(self, path: str) -> bool:
        """Whether nothing at a path, or done in that folder, may be read."""
        if _any(path, self._private["path"]):
            return True
        return self.rules.allow_only and not _any(path, self._allowed["path"])

    def bars_command(self, command: str, cwd: str) -> bool:
        """Whether a command is nobody's business: by its words, or by where it was run."""
        return command[:1].isspace() or self.bars_path(cwd) or _any(command, self._private["command"])

    def refuses(self, event: RawEvent) -> str:
        """Why an event is not kept; empty where it may be. Shells and hooks asked before they read; this asks again,
        for rules change and programs err."""
        if self.paused:
            return "paused"
        if is_hard_locked(event.source):
            return "locked kit"
        if event.source not in self.rules.adapters:
            return "adapter is off"
        told = event.metadata
        if event.kind == "command":
            return "private" if self.bars_command(event.reference, str(told.get("cwd", ""))) else ""
        if event.kind == "commit":
            return "private" if self.bars_path(str(told.get("repository", ""))) else ""
        if event.kind == "file":
            return "private" if self.bars_path(event.reference) else ""
        app = str(told.get("app", event.reference))
        return "private" if self.bars_app(app, str(told.get("title", ""))) else ""

    def lines(self) -> tuple[str, ...]:
        """The rules of commands and folders, a pattern a line, for shells."""
        marks = (("c", self._private["command"]), ("p", self._private["path"]), ("a", self._allowed["path"]))
        listed = [f"{mark}:{glob}" for mark, globs in marks for glob in globs if mark != "a" or self.rules.allow_only]
        return (*listed, *(("o:",) if self.rules.allow_only else ()))


def _of(rules: Iterable[str], kind: str) -> Iterator[str]:
    for rule in rules:
        named, _, pattern = rule.partition(":")
        if named == kind:
            yield from _globs(kind, pattern)


def _any(text: str, globs: Iterable[str]) -> bool:
    """Whether a text is one of these; * is any letters, and everything else as it is written."""
    return any(fnmatchcase(text, glob.replace("[", "[[]").replace("?", "[?]")) for glob in globs)


class GateKeeper:
    """Reads and changes the rules of one palace, and shows the state of the gate to shells."""

    def __init__(self, store: Store, runtime: Path | None) -> None:
        """`runtime` is where the files for shells stand; None: nowhere, so no shell finds the gate open."""
        self._store = store
        self.runtime = runtime

    def gate(self) -> Gate:
        """The gate as it is now."""
        paused = CAPTURE_PAUSED in self._store.guarding.policies()
        return Gate(self._kept()[0], paused=paused)

    def _kept(self) -> tuple[CaptureRules, int]:
        slip = self._store.slips.get("capture", "rules")
        if slip is None:
            return CaptureRules(), 0
        return msgspec.json.decode(slip.told, type=CaptureRules), slip.version

    def change(self, subject: str = OPERATOR, /, **fields: object) -> Gate:
        """Keeps other rules; what they close is closed when this returns.

        Raises: InvalidInput, VersionConflict.
        """
        before, version = self._kept()
        rules = replace(before, **fields)
        if len(rules.private) + len(rules.allowed) > MOST_RULES:
            raise InvalidInput(f"at most {MOST_RULES} rules", field="pattern", hint="use a pattern with * in it")
        self.close()  # between the two, nothing is captured
        now_us = self._store.clock.now_us()
        slip = Slip(
            id=new_id(now_us), kind="capture", name="rules", subject=subject, state="kept",
            told=msgspec.json.encode(rules).decode(),
        )  # fmt: skip
        self._store.commit([PutSlip(slip, expected=version)], subject=subject)
        return self.publish()

    def close(self) -> None:
        """Takes the files away by which shells see an open gate."""
        if self.runtime is not None and self.runtime.is_dir():
            for mark in (*self.runtime.glob("*.open"), *self.runtime.glob("*.stamp")):
                mark.unlink(missing_ok=True)

    def publish(self) -> Gate:
        """Shows shells and hooks the gate as it is now."""
        gate = self.gate()
        if self.runtime is None:
            return gate
        wanted = {f"{name}.open" for name in gate.rules.adapters if gate.is_open(name)}
        if not wanted:
            self.close()
            return gate
        if self._shown(gate) and wanted == {mark.name for mark in self.runtime.glob("*.open")}:
            return gate
        self.close()
        self.runtime.mkdir(parents=True, exist_ok=True, mode=0o700)
        stands = self.runtime.stat()
        if hasattr(os, "getuid") and (stands.st_uid != os.getuid() or stands.st_mode & 0o077):
            raise PartUnavailable(
                f"{self.runtime} belongs to somebody else, so no shell is let in", part="capture",
                hint="remove that folder, then switch the adapter on again",
            )  # fmt: skip
        stamp = self.runtime / f"{secrets.token_hex(6)}.stamp"
        stamp.touch(mode=0o600)
        for name in sorted(wanted):
            raw_files.put(self.runtime / name, ("\n".join((str(stamp), *gate.lines())) + "\n").encode())
        return gate

    def _shown(self, gate: Gate) -> bool:
        marks = list(self.runtime.glob("*.open")) if self.runtime is not None else []
        if not marks:
            return False
        stamp, *lines = raw_files.content(marks[0]).decode().splitlines()
        return Path(stamp).exists() and tuple(lines) == gate.lines()


def adapter_named(name: str, there: Iterable[str]) -> str:
    """The name of an adapter.

    Raises: InvalidInput.
    """
    known = tuple(there)
    if name not in known or not _NAME.fullmatch(name) or is_hard_locked(name):
        raise InvalidInput(f"no adapter {name!r}", field="adapter", hint=f"one of {', '.join(known)}")
    return name
