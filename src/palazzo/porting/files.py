"""Foreign files that nobody vouches for: opening them within limits, and the entries a reader of a format gives.

Owns what may be read at all (sizes, zip archives, JSON and folders), the values a reader gives, each entry it could not
read with the reason, and what every reader does with a time or a text from outside. Knows no format and no palace.
Nothing of an archive is ever written to the disk, so no name in it can lead anywhere; a member is read through a
counter, so what it claims about its size does not matter. Invariants: no more than the limits say is ever held in
memory, and whatever is beyond them is a coded refusal; an entry's text is printable, its time lies between 1970 and the
moment of the import, and its id is the same whenever the same file is read.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

import msgspec

from palazzo.errors import InvalidInput
from palazzo.files import raw_files
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.message import Role
from palazzo.model.zone import microseconds

_DRIVE = re.compile(r"^[A-Za-z]:")
_RATIO_FREE: Final = 1 << 20
"""Below this size a member may be compressed as well as it likes: a megabyte harms nobody."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a file is read. The defaults fit the largest exports people have, not those made to harm."""

    file_bytes: int = 2 << 30
    entry_bytes: int = 1 << 20
    total_bytes: int = 4 << 30
    document_bytes: int = 512 << 20
    members: int = 200_000
    ratio: int = 200
    depth: int = 200


def size_of(path: Path, limits: Limits) -> int:
    """The size of a regular file.

    Raises: InvalidInput when it is missing, no file, or over the limit.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read: {error.strerror}", field="source") from error
    if not stat.S_ISREG(found.st_mode) or path.resolve().name.endswith(raw_files.SHARED_MEMORY):
        raise InvalidInput(f"{path.name} is no file", field="source")
    if found.st_size > limits.file_bytes:
        raise InvalidInput(
            f"{path.name} has {found.st_size >> 20} MiB, more than the {limits.file_bytes >> 20} that are read",
            field="source", hint="split the export, or import its parts one by one",
        )  # fmt: skip
    return found.st_size


def beginning(path: Path, count: int) -> bytes:
    """The first bytes of a file.

    Raises: InvalidInput when it cannot be read.
    """
    try:
        return raw_files.head(path, count)
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read: {error.strerror}", field="source") from error


def document(path: Path, limits: Limits) -> bytes:
    """The bytes of a file that is read as a whole.

    Raises: InvalidInput.
    """
    if size_of(path, limits) > limits.document_bytes:
        raise InvalidInput(
            f"{path.name} is larger than the {limits.document_bytes >> 20} MiB that are read at once", field="source",
            hint="split the export, or import its parts one by one",
        )  # fmt: skip
    try:
        return raw_files.content(path)
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read: {error.strerror}", field="source") from error


def parsed(data: bytes, name: str, limits: Limits) -> Any:
    """A JSON document.

    Raises: InvalidInput when it is none, or nested deeper than the limit.
    """
    _refuse_depth(data, name, limits)
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} is no JSON that can be read", field="source", hint="export it again") from error


_MARKS = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


def _refuse_depth(data: bytes, name: str, limits: Limits) -> None:
    depth = 0
    for match in _MARKS.finditer(data):
        mark = match[0]
        if mark in (b"[", b"{"):
            depth += 1
            if depth > limits.depth:
                raise InvalidInput(f"{name} is nested deeper than {limits.depth} levels", field="source")
        elif mark in (b"]", b"}"):
            depth -= 1


class ZipArchive:
    """A zip archive whose members can be read by name, within limits."""

    def __init__(self, opened: zipfile.ZipFile, limits: Limits) -> None:
        self._zip = opened
        self._limits = limits
        self._read = 0
        infos = opened.infolist()
        if len(infos) > limits.members:
            raise InvalidInput(f"the archive has {len(infos)} members, more than {limits.members}", field="source")
        self._infos = {}
        for info in infos:
            if info.is_dir():
                continue
            if fault := _unsafe(info):
                raise InvalidInput(
                    f"the archive is refused: a member {fault}", field="source",
                    hint="no program that exports conversations makes such archives",
                )  # fmt: skip
            self._infos[info.filename] = info

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files in it."""
        return tuple(self._infos)

    def read(self, name: str) -> bytes:
        """The bytes of one member.

        Raises: InvalidInput when it is over a limit, encrypted or damaged.
        """
        info, limits = self._infos[name], self._limits
        if info.flag_bits & 0x1:
            raise InvalidInput("a member of the archive is encrypted", field="source", hint="unpack it first")
        pieces: list[bytes] = []
        size = 0
        try:
            with self._zip.open(info) as handle:
                while piece := handle.read(1 << 20):
                    size += len(piece)
                    self._read += len(piece)
                    if size > limits.document_bytes or self._read > limits.total_bytes:
                        raise InvalidInput("the archive unpacks to more than is read", field="source")
                    if size > max(_RATIO_FREE, info.compress_size * limits.ratio):
                        raise InvalidInput(
                            f"the archive is refused: a member unpacks to more than {limits.ratio} times its size",
                            field="source",
                        )  # fmt: skip
                    pieces.append(piece)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
            raise InvalidInput(
                "a member of the archive is damaged", field="source", hint="download it again"
            ) from error
        return b"".join(pieces)


def _unsafe(info: zipfile.ZipInfo) -> str:
    name = info.orig_filename
    if "\x00" in name or name.startswith(("/", "\\")) or _DRIVE.match(name):
        return "has an absolute or broken name"
    if ".." in PurePosixPath(name.replace("\\", "/")).parts:
        return "has a name that leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a symbolic link"
    return ""


@contextmanager
def archive(path: Path, limits: Limits) -> Iterator[ZipArchive]:
    """Opens a zip archive.

    Raises: InvalidInput.
    """
    size_of(path, limits)
    with ExitStack() as held:
        try:
            opened = held.enter_context(zipfile.ZipFile(held.enter_context(raw_files.reading(path))))
        except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
            raise InvalidInput(f"{path.name} is no zip archive that can be read", field="source") from error
        yield ZipArchive(opened, limits)


def walk(folder: Path, suffixes: frozenset[str], limits: Limits) -> Iterator[Path]:
    """The files of a folder with one of these endings, in order; hidden folders and links are passed over.

    Raises: InvalidInput when there are more than the limit.
    """
    count = 0
    for here, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not Path(here, name).is_symlink())
        for name in sorted(files):
            path = Path(here, name)
            if path.suffix.lower() not in suffixes or name.startswith(".") or path.is_symlink():
                continue
            count += 1
            if count > limits.members:
                raise InvalidInput(f"the folder has more than {limits.members} notes", field="source")
            yield path


Manner = Literal["remember", "observe"]
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_ID_LENGTH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing to take in. `observe`d entries are turns of a conversation, `remember`ed ones stand for themselves.

    `links` are ids of entries of the same file that this one points at.
    """

    id: str
    text: str
    at_us: int | None = None
    manner: Manner = "remember"
    role: Role = "user"
    speaker: str = ""
    thread: str = ""
    kind: str = ""
    title: str = ""
    """What it is called where it comes from: an entry with a title is a document of its own, and the same title again a
    further edition of it."""
    importance: float | None = None
    verbatim: bool = False
    facts: tuple[str, ...] = ()
    """What its fields say of what it is about, a statement each."""
    owner: tuple[tuple[str, str], ...] = ()
    """Whose it is there, as (level, value): user, agent or channel. An import into a scope has that scope instead."""
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    links: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)


class Unread(msgspec.Struct, frozen=True):
    """An entry that was not taken: which one, why, and what to do about it."""

    id: str
    reason: str
    hint: str = ""


Item = Entry | Unread
Items = Iterator[Item]


def bounded(items: Iterable[Item], limits: Limits, hint: str) -> Items:
    """The items, with what is longer than an entry may be named instead of read."""
    for item in items:
        if isinstance(item, Entry) and len(item.text.encode()) > limits.entry_bytes:
            yield Unread(item.id, "longer than an entry may be", hint)
        else:
            yield item


def shown(value: object, limit: int = _ID_LENGTH) -> str:
    """A value of the file as the id or the name of something: one printable line of bounded length."""
    text = " ".join(str(value)[: limit * 2].split())
    return "".join(c for c in _CONTROL.sub("", text) if c.isprintable())[:limit]


def clean(text: str) -> str:
    """A text without NULs, other control characters and broken surrogates, and with plain line ends."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def text_of(value: Any) -> str:
    """A text field: what is no text is empty."""
    return clean(value) if isinstance(value, str) else ""


def clamped(us: int | None, now_us: int) -> int | None:
    """A time inside what can be: never before 1970, never after the import."""
    return None if us is None else min(max(us, 0), now_us)


def from_seconds(value: Any) -> int | None:
    """Seconds since 1970, a number or a text of one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return int(seconds * 1_000_000) if math.isfinite(seconds) and abs(seconds) < 1e12 else None


def from_iso(value: Any) -> int | None:
    """A time in RFC 3339 or ISO 8601, UTC where no zone is given; None when it is none."""
    if not isinstance(value, str) or not 8 <= len(value) <= 40:
        return None
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return microseconds(found if found.tzinfo else found.replace(tzinfo=UTC))
