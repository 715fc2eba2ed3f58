"""A disk that loses power: an SQLite VFS that logs every write and sync, and files rebuilt as a cut would leave them.

After a cut only what was synced is certain. Of the writes since a file's last sync each sector may or may not have
reached the disk; `after_cut` decides by coin.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw

SECTOR = 512


@dataclass(frozen=True, slots=True)
class Operation:
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
        self._log.append(Operation("write", self._name, offset, bytes(data)))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._log.append(Operation("sync", self._name))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        super().xTruncate(size)
        self._log.append(Operation("truncate", self._name, size))


class PowerVFS(apsw.VFS):
    """Passes everything to the system's disk and keeps the log; refuses writes while `full`. Name it in OpenOptions."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.name = name
        self.log: list[Operation] = []
        self.full = False

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else (name or "")
        return _LoggedFile(self, _final_name(path), name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.log.append(Operation("delete", _final_name(filename)))

    def mark(self, text: str) -> None:
        """Notes a moment in the log, such as an acknowledged commit."""
        self.log.append(Operation("mark", text))


def after_cut(log: list[Operation], cut: int, folder: Path, coin: random.Random) -> None:
    """Writes into `folder` what a power cut after operation `cut` would leave of each file."""
    last_sync = {op.file: n for n, op in enumerate(log[:cut]) if op.kind == "sync"}
    files: dict[str, bytearray] = {}
    for number, op in enumerate(log[:cut]):
        certain = number < last_sync.get(op.file, -1)
        content = files.setdefault(op.file, bytearray()) if op.kind in ("write", "truncate") else bytearray()
        if op.kind == "write":
            _write(content, op, None if certain else coin)
        elif op.kind == "truncate" and (certain or coin.random() < 0.5):
            del content[op.offset :]
            content.extend(bytes(op.offset - len(content)))
        elif op.kind == "delete":
            files.pop(op.file, None)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _write(content: bytearray, op: Operation, coin: random.Random | None) -> None:
    for start in range(0, len(op.data), SECTOR):
        if coin is not None and coin.random() < 0.5:
            continue
        part = op.data[start : start + SECTOR]
        at = op.offset + start
        if len(content) < at + len(part):
            content.extend(bytes(at + len(part) - len(content)))
        content[at : at + len(part)] = part
