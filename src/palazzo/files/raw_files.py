"""Reading files byte by byte where a palace's own files may be among them.

The system drops every lock a process has on a file as soon as that process closes any handle of it; a palace whose
locks are gone loses its log to the next visitor, and acknowledged writes with it. So nothing but this module opens a
file that could be palace.db, its log or a backup, and it does so through SQLite, which keeps a handle open for as long
as a lock hangs on the file. Knows nothing of what is read. Invariants: no handle of a palace's file is closed while
this process has locks on it; a folder that is made here has 0700, each level of it, before anything is in it; nothing
is mapped, so a file that somebody cuts short reads as shorter and ends nobody.
"""

from __future__ import annotations

import errno
import io
import mmap
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast
from urllib.parse import unquote, urlsplit

import apsw

from palazzo.errors import InvalidInput
from palazzo.files import forks

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK: Final = 1 << 20
_WRITTEN: Final = 1 << 16
"""SQLite writes less than 128 KiB at a time; of a longer piece it takes the remainder, of a whole multiple nothing."""
SHARED_MEMORY: Final = "-shm"
"""The ending of the file that is all locks and page numbers. It holds no text, and SQLite keeps no count of those who
read it, so it is never opened here."""
_VFS: Final = next(name for name in ("unix", "win32", "") if name in ("", *apsw.vfs_names()))
_READ: Final = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
_CHANGE: Final = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE


class _File(io.RawIOBase):
    """A regular file, read through SQLite."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._handle = _opened(path, _READ)
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at}.get(whence)
        self._at = offset + (self.size() if start is None else start)
        return self._at

    def tell(self) -> int:
        return self._at

    def size(self) -> int:
        with _as_os_error():
            return self._handle.xFileSize() or len(self._handle.xRead(1, 0))  # of one byte SQLite says it is empty

    def readinto(self, buffer: WriteableBuffer) -> int:
        into = memoryview(buffer).cast("B")
        wanted = min(len(into), max(0, self.size() - self._at))
        if not wanted:
            return 0
        with _as_os_error():
            data = self._handle.xRead(wanted, self._at)
        into[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            with forks.using():
                self._handle.xClose()
        super().close()


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise OSError(errno.EIO, str(error)) from error


def _opened(path: Path, flags: int) -> apsw.VFSFile:
    """Raises: OSError when there is none, or it is no regular file, or a palace's shared memory."""
    real = path.resolve()
    if not stat.S_ISREG(real.stat().st_mode) or real.name.endswith(SHARED_MEMORY):
        raise OSError(errno.EINVAL, "not a file that can be read", str(path))
    try:
        with forks.using():
            return apsw.VFSFile(_VFS, str(real), [flags, 0])
    except apsw.CantOpenError as error:
        raise PermissionError(errno.EACCES, "it cannot be opened", str(path)) from error


def reading(path: Path) -> BinaryIO:
    """A file, open for reading; it may be any, also one of an open palace.

    Raises: OSError, also for what is no regular file.
    """
    return cast(BinaryIO, io.BufferedReader(_File(path), CHUNK))


def content(path: Path) -> bytes:
    """All of a file. Raises: OSError."""
    with reading(path) as handle:
        return handle.read()


def head(path: Path, count: int) -> bytes:
    """The first bytes of a file. Raises: OSError."""
    with _File(path) as handle:
        return handle.read(count) or b""


def as_private(path: Path, flags: int) -> int:
    """Opens a file to write it; one that is made is its owner's alone. Raises: OSError."""
    return os.open(path, flags | os.O_CREAT | forks.AS_BYTES, 0o600)


def copy(path: Path, target: Path) -> None:
    """Copies the bytes of a file to a new one, its owner's alone. Raises: OSError."""
    with reading(path) as source, os.fdopen(as_private(target, os.O_WRONLY | os.O_EXCL), "wb") as into:
        while block := source.read(CHUNK):
            into.write(block)


def put(path: Path, data: bytes) -> None:
    """Puts a new file, its owner's alone, in the place of what was there, whole and on the disk. Raises: OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    handle = as_private(draft, os.O_WRONLY | os.O_EXCL)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync_to_disk(path.parent)


def holds(path: Path, pieces: Sequence[bytes]) -> list[bytes]:
    """Which of these pieces are in a file; none when it has gone."""
    overlap = max((len(piece) for piece in pieces), default=1) - 1
    missing, found = dict.fromkeys(pieces), []
    try:
        with reading(path) as handle:
            block = handle.read(CHUNK)
            while block and missing:
                seen = [piece for piece in missing if piece in block]
                found += seen
                for piece in seen:
                    del missing[piece]
                following = handle.read(CHUNK)
                block = following and block[-overlap:] + following if overlap else following
    except FileNotFoundError:
        return found
    return found


def wipe(path: Path) -> None:
    """Overwrites a file with nothing and removes it. Raises: OSError."""
    handle = _opened(path, _CHANGE)
    try:
        with _as_os_error():
            size = handle.xFileSize()
            for start in range(0, size, _WRITTEN):
                handle.xWrite(bytes(min(_WRITTEN, size - start)), start)
            handle.xSync(apsw.SQLITE_SYNC_FULL)
    finally:
        handle.xClose()
    path.unlink(missing_ok=True)


def sync_to_disk(path: Path) -> None:
    """Returns when a file, or the names in a folder, are on the disk. Raises: OSError."""
    if path.is_dir():
        if sys.platform == "win32":  # which has no handles of folders, and writes their names by itself
            return
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return
    handle = _opened(path, _CHANGE)
    try:
        with _as_os_error():
            handle.xSync(apsw.SQLITE_SYNC_FULL)
    finally:
        handle.xClose()


def _stats(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Everything below a folder and the folder itself; others may add and remove files meanwhile."""
    for here, _, names in os.walk(folder):
        for path in (Path(here), *(Path(here, name) for name in names)):
            with suppress(FileNotFoundError):
                yield path, path.stat(follow_symlinks=False)


def files_in(folder: Path) -> Iterator[tuple[Path, int]]:
    """Every regular file below a folder and its size."""
    return ((path, found.st_size) for path, found in _stats(folder) if stat.S_ISREG(found.st_mode))


def readable_by_others(folder: Path) -> list[Path]:
    """Files and folders that more than their owner may use."""
    return [
        path for path, found in _stats(folder) if found.st_mode & 0o077 and not stat.S_ISLNK(found.st_mode)
    ]  # fmt: skip


def size_of(folder: Path, name: str) -> int:
    """Bytes of the files of a folder whose names begin like this: a palace file with its log and shared memory."""
    return sum(size for path, size in files_in(folder) if path.parent == folder and path.name.startswith(name))


def named(text: str, field: str = "file") -> Path:
    """The path somebody wrote, as a path or a file URL, with the home it may begin with.

    Raises: InvalidInput for a home nobody has.
    """
    path = unquote(urlsplit(text).path) if text.startswith("file:") else text
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInput(
            f"there is no home {path.split('/', 1)[0]}", field=field, hint="write the path from /"
        ) from error


PRIVATE = 0o700


def make_private(folder: Path) -> None:
    """Makes a folder with those above it, as far as they are missing.

    Raises: OSError.
    """
    missing = []
    above = folder
    while not above.exists():
        missing.append(above)
        above = above.parent
    for one in reversed(missing):
        one.mkdir(mode=PRIVATE, exist_ok=True)
        one.chmod(PRIVATE)  # a umask may have taken the owner's own rights, too


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0
    return pages * mmap.PAGESIZE
