"""Every file event of a process: counted, the process killed at one of them, or the power cut at one of them.

Owns an SQLite VFS that stands in front of the system's own and thin covers over the functions of `os` that change
files. `watch` puts them into this process for good, so it belongs into a child that ends with its work. After a cut
only what was synced is certain: of the sectors written to a file since its last sync each may have reached the disk or
not, and of the names changed since the last sync of a folder only the first ones may have.
"""

from __future__ import annotations

import os
import random
import re
import signal
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import apsw

SECTOR = 512
Kind: TypeAlias = Literal["create", "write", "sync", "truncate", "rename", "link", "delete", "folder"]
_File = apsw.VFSFile
_SYSTEM = apsw.vfs_names()[0]
"""The VFS that is the default before ours is."""
NAMES = frozenset({"create", "rename", "link", "delete", "folder"})
"""Kinds of events that change names."""


@dataclass(frozen=True, slots=True)
class DiskEvent:
    """One change of a file, or one wait for the disk; `to` is the other name of a rename or link.

    In the log of a disk the names are relative to its folder.
    """

    kind: Kind
    path: str
    offset: int = 0
    data: bytes = field(default=b"", repr=False)
    to: str = ""
    names_too: bool = False
    """Whether the names in the folder of the file are on the disk afterwards as well."""


class Disk:
    """The events below a folder since `watch`; the process ends before event number `kill_at`, counted from 1."""

    def __init__(self, folder: Path, *, kill_at: int = 0, keep: bool = False) -> None:
        self.folder = str(folder.resolve())
        self.events: list[DiskEvent] = []
        self._kill_at, self._keep = kill_at, keep
        self._handles: dict[int, int] = {}
        self._fresh: set[str] = set()

    def concerns(self, path: str) -> bool:
        """Whether a file is one of those that are watched."""
        return path.startswith(self.folder)

    def before(self) -> None:
        """Told before an event happens."""
        if len(self.events) + 1 == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def after(self, event: DiskEvent) -> None:
        """Told when it has happened."""
        data = self._written(event) if self._keep and event.data else b""
        names_too = event.names_too or (event.kind == "sync" and Path(event.path).is_dir())
        if event.kind == "create":
            self._fresh.add(event.path)
        elif event.kind == "sync" and event.names_too:  # SQLite syncs the folder with the first sync of a new file
            names_too = event.path in self._fresh
            self._fresh.discard(event.path)
        path, to = (name.removeprefix(self.folder).lstrip("/") for name in (event.path, event.to))
        self.events.append(DiskEvent(event.kind, path, event.offset, data, to, names_too))

    def _written(self, event: DiskEvent) -> bytes:
        """What is in the file: a cipher below has changed what was to be written.

        The handle stays open, for closing it would end SQLite's locks on the file.
        """
        path = Path(event.path)
        if not path.exists():
            return event.data
        inode = path.stat().st_ino
        if inode not in self._handles:
            self._handles[inode] = os.open(path, os.O_RDONLY)
        return os.pread(self._handles[inode], len(event.data), event.offset)

    def watch(self) -> None:
        """Puts itself between this process and its files."""
        self._vfs = _WatchedVFS(self)
        for name, told in _COVERED.items():
            setattr(os, name, _covered(self, getattr(os, name), told))
        apsw.VFSFile = lambda *given: _WatchedFile(self, str(given[1]), given)  # type: ignore[assignment, misc]


class _WatchedFile(_File):
    def __init__(self, disk: Disk, path: str, given: tuple[str, Any, list[int]]) -> None:
        super().__init__(*given)
        self._disk, self._path = disk, path

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        event = DiskEvent("write", self._path, offset, bytes(data))
        self._disk.before()
        super().xWrite(data, offset)
        self._disk.after(event)

    def xSync(self, flags: int) -> None:  # noqa: N802
        event = DiskEvent("sync", self._path, names_too=True)
        self._disk.before()
        super().xSync(flags)
        self._disk.after(event)

    def xLock(self, level: int) -> None:  # noqa: N802
        """A file opened for reading cannot be locked for writing; SQLite asks at every close, and goes without."""
        try:
            super().xLock(level)
        except apsw.IOError as error:
            raise apsw.BusyError("not to be had") from error

    def xTruncate(self, size: int) -> None:  # noqa: N802
        event = DiskEvent("truncate", self._path, size)
        self._disk.before()
        super().xTruncate(size)
        self._disk.after(event)


class _WatchedVFS(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        super().__init__("watched", _SYSTEM, makedefault=True)
        self._disk = disk

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else (name or "")
        if not self._disk.concerns(path):
            return _File(_SYSTEM, name, flags)
        event = DiskEvent("create", path)
        new = bool(flags[0] & apsw.SQLITE_OPEN_CREATE) and not Path(path).exists()
        if new:
            self._disk.before()
        opened = _WatchedFile(self._disk, path, (_SYSTEM, name, flags))
        if new:
            self._disk.after(event)
        return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        event = DiskEvent("delete", filename, names_too=syncdir)
        self._disk.before()
        super().xDelete(filename, syncdir)
        self._disk.after(event)


Told = Callable[..., DiskEvent | None]


def _name(path: Any) -> str:
    return str(Path(path).absolute())


def _of(handle: int) -> str:
    return str(Path(f"/proc/self/fd/{handle}").readlink())


def _opened(path: Any, flags: int, *_: Any, **__: Any) -> DiskEvent | None:
    name = _name(path)
    if flags & os.O_CREAT and not Path(name).exists():
        return DiskEvent("create", name)
    return DiskEvent("truncate", name) if flags & os.O_TRUNC else None


def _two(kind: Kind) -> Told:
    def told(source: Any, target: Any, **_: Any) -> DiskEvent:
        return DiskEvent(kind, _name(source), to=_name(target))

    return told


def _one(kind: Kind) -> Told:
    return lambda path, *_, **__: DiskEvent(kind, _name(path))


def _appended(handle: int, data: Any) -> DiskEvent:
    import fcntl

    appends = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_APPEND
    offset = os.fstat(handle).st_size if appends else os.lseek(handle, 0, os.SEEK_CUR)
    return DiskEvent("write", _of(handle), offset, bytes(data))


_COVERED: dict[str, Told] = {
    "open": _opened,
    "write": _appended,
    "pwrite": lambda handle, data, offset: DiskEvent("write", _of(handle), offset, bytes(data)),
    "fsync": lambda handle: DiskEvent("sync", _of(handle)),
    "ftruncate": lambda handle, size: DiskEvent("truncate", _of(handle), size),
    "truncate": lambda path, size: DiskEvent("truncate", _name(path), size),
    "rename": _two("rename"),
    "replace": _two("rename"),
    "link": _two("link"),
    "unlink": _one("delete"),
    "remove": _one("delete"),
    "mkdir": _one("folder"),
    "rmdir": _one("delete"),
}  # fmt: skip


def _covered(disk: Disk, real: Callable[..., Any], told: Told) -> Callable[..., Any]:
    def cover(*given: Any, **named: Any) -> Any:
        event = told(*given, **named)
        if event is None or not disk.concerns(event.path):
            return real(*given, **named)
        disk.before()
        result = real(*given, **named)
        disk.after(event)
        return result

    return cover


def worth_walking(events: list[DiskEvent]) -> list[int]:
    """Numbers of events at which something may go wrong otherwise than at the others.

    Of a stretch of events of one kind on one file its ends stand for all; and of ends between the same neighbours the
    first and the last: a copy that comes in parts does the same for every part. A kill falls on every second of them
    and a power cut on the others.
    """
    alike = [(event.kind, event.path) for event in events]
    between = list(zip([None, *alike[:-1]], alike, [*alike[1:], None], strict=True))
    first: dict[object, int] = {}
    last: dict[object, int] = {}
    for number, around in enumerate(between, 1):
        if len(set(around)) > 1:
            first.setdefault(around, number)
            last[around] = number
    return sorted({*first.values(), *last.values()})


class _Names:
    """Which file stands under which name; files are numbers."""

    def __init__(self, files: Iterable[str]) -> None:
        self.of = {path: number for number, path in enumerate(sorted(files))}
        self.count = len(self.of)

    def apply(self, event: DiskEvent, *, kept: bool = True) -> None:
        if event.kind == "create":
            self.count += 1
        if not kept:
            return
        if event.kind == "create":
            self.of[event.path] = self.count - 1
        elif event.kind == "link":
            self.of[event.to] = self.of[event.path]
        elif event.kind == "delete":
            self.of.pop(event.path, None)
        elif event.kind == "rename":
            below = event.path + "/"
            moved = [path for path in self.of if path == event.path or path.startswith(below)]
            for path in moved:
                self.of[event.to + path[len(event.path) :]] = self.of.pop(path)


def after_cut(folder: Path, events: list[DiskEvent], coin: random.Random) -> None:
    """Turns a folder as it was before these events into what a power cut after them would leave."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    volatile, certain = _Names(found), _Names(found)
    contents = {volatile.of[name]: bytearray(path.read_bytes()) for name, path in found.items()}
    files: list[int] = []
    synced: dict[int, int] = {}
    first_unsure = 0
    for number, event in enumerate(events):
        if event.kind in NAMES:
            volatile.apply(event)
        files.append(volatile.of.get(event.path, -1))
        if event.kind == "sync":
            synced[files[-1]] = number
        if event.names_too:
            first_unsure = number + 1
    names_end = coin.randrange(first_unsure, len(events) + 1)
    for number, event in enumerate(events):
        if event.kind in NAMES:
            certain.apply(event, kept=number < names_end)
            continue
        content = contents.setdefault(files[number], bytearray())
        sure = number < synced.get(files[number], -1)
        if event.kind == "write":
            _write(content, event.offset, event.data, None if sure else coin)
        elif event.kind == "truncate" and (sure or coin.random() < 0.5):
            del content[event.offset :]
            content.extend(bytes(event.offset - len(content)))
    for path in found.values():
        path.unlink()
    for name, file in certain.of.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / name).write_bytes(contents.get(file, b""))
        (folder / name).chmod(0o600)


def _write(content: bytearray, offset: int, data: bytes, coin: random.Random | None) -> None:
    for start in range(0, len(data), SECTOR):
        if coin is not None and coin.random() < 0.5:
            continue
        part = data[start : start + SECTOR]
        at = offset + start
        if len(content) < at + len(part):
            content.extend(bytes(at + len(part) - len(content)))
        content[at : at + len(part)] = part


@dataclass(frozen=True, slots=True)
class DiskOperation:
    kind: Literal["write", "sync", "truncate", "delete", "mark"]
    file: str
    offset: int = 0
    data: bytes = b""


def _final_name(path: str) -> str:
    """A palace is made under a draft's name and then linked to its own; the log speaks of the final one."""
    return re.sub(r"^\.(palace\.db)\.[0-9a-f]{32}", r"\1", Path(path).name)


class _LoggedFile(apsw.VFSFile):
    def __init__(self, disk: PowerVFS, name: str, filename: Any, flags: list[int]) -> None:
        super().__init__("", filename, flags)
        self._disk, self._log, self._name = disk, disk.log, name

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        if self._disk.full:
            raise apsw.FullError("no space left")
        super().xWrite(data, offset)
        self._log.append(DiskOperation("write", self._name, offset, bytes(data)))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._log.append(DiskOperation("sync", self._name))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        super().xTruncate(size)
        self._log.append(DiskOperation("truncate", self._name, size))


class PowerVFS(apsw.VFS):
    """Passes everything to the system's disk and keeps the log; refuses writes while `full`. Name it in OpenOptions."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.name = name
        self.log: list[DiskOperation] = []
        self.full = False

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else (name or "")
        return _LoggedFile(self, _final_name(path), name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.log.append(DiskOperation("delete", _final_name(filename)))

    def mark(self, text: str) -> None:
        """Notes a moment in the log, such as an acknowledged commit."""
        self.log.append(DiskOperation("mark", text))


def files_after_cut(log: list[DiskOperation], cut: int, folder: Path, coin: random.Random) -> None:
    """Writes into `folder` what a power cut after operation `cut` would leave of each file."""
    last_sync = {op.file: n for n, op in enumerate(log[:cut]) if op.kind == "sync"}
    files: dict[str, bytearray] = {}
    for number, op in enumerate(log[:cut]):
        certain = number < last_sync.get(op.file, -1)
        content = files.setdefault(op.file, bytearray()) if op.kind in ("write", "truncate") else bytearray()
        if op.kind == "write":
            _write(content, op.offset, op.data, None if certain else coin)
        elif op.kind == "truncate" and (certain or coin.random() < 0.5):
            del content[op.offset :]
            content.extend(bytes(op.offset - len(content)))
        elif op.kind == "delete":
            files.pop(op.file, None)
    for name, data in files.items():
        (folder / name).write_bytes(data)
