"""Care of a palace in a file: verify (does everything agree?), rebuild (make the derived parts again), doctor (what is
wrong and what to do about it); and the nouns of a palace, care and erasures, that only SQLite answers so.

Reads below all views, because it looks at the palace and not at anybody's memories; it returns names, counts and ids,
never content. Invariant: verify and doctor change nothing that is stored; the doctor only empties a log that an erasure
could not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from palazzo.errors import LocksLost, StorageError
from palazzo.files import raw_files
from palazzo.files.forks import FileLock
from palazzo.store.api import Erasing, Finding, Progress, Reading, Steps
from palazzo.store.sql import care as shared
from palazzo.store.sql import migrations
from palazzo.store.sql.care import rebuild as rebuild
from palazzo.store.sql.erase import erasure, leftovers
from palazzo.store.sql.keeping import SqlCare, SqlErasures
from palazzo.store.sql.port import Connection
from palazzo.store.sqlite import backup, held_locks, padding
from palazzo.store.sqlite import leftovers as files

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore

LONG_LOG_BYTES = 64 << 20
"""What the log is cut back to when it is begun anew; a longer one that stays is held by a reader, or nobody came."""
LOG_WAIT_S = 1.0
ERASURE_LOCK: Final = "erasure.lock"


def verify(store: SqliteStore, progress: Steps | None = None) -> list[str]:
    return shared.verify(store, progress, _file_problems, _dangling)


def _file_problems(connection: Connection) -> list[str]:
    return [f"file: {text}" for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"]


def _dangling(connection: Connection) -> list[str]:
    rows = connection.execute('SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT 20')
    return [f"{table}: row {row} refers to a missing {parent}" for table, row, parent in rows]


def doctor(store: SqliteStore) -> list[Finding]:
    with shared.whole(store) as connection:
        found = shared.findings(connection, store, _integrity(connection), _dangling(connection))
    return [*found, _locks(store), _modes(store), _disk(store), _wal(store), _erasure(store), *_padding(store)]


def broken(store: SqliteStore) -> list[str]:
    """What SQLite finds wrong with the file, a few of it; empty when it is sound."""
    with store.database.read() as connection:
        return [text for (text,) in connection.execute("PRAGMA integrity_check(5)") if text != "ok"]


def _integrity(connection: Connection) -> Finding:
    problems = [text for (text,) in connection.execute("PRAGMA quick_check(5)") if text != "ok"]
    if problems:
        return Finding("integrity", "bad", "; ".join(problems), "restore the newest backup, then `palazzo verify`")
    return Finding("integrity", "good", "the file is sound")


def _locks(store: SqliteStore) -> Finding:
    """The locks that keep the log from being removed under this process."""
    with store.database.read() as connection:
        migrations.applied(connection)
        state = held_locks.state(store.database.path)
    if state == "lost":
        return Finding("locks", "bad", "this process has lost its locks on the palace", LocksLost.hint or "")
    told = "held" if state == "held" else "this system does not show which locks are held"
    return Finding("locks", "good", told)


def _modes(store: SqliteStore) -> Finding:
    if os.name != "posix":
        return Finding("permissions", "good", "file modes do not apply here")
    wide = [str(path.relative_to(store.folder)) for path in raw_files.readable_by_others(store.folder)]
    if wide:
        return Finding(
            "permissions", "warning", f"others can read {', '.join(wide[:8])}", f"chmod -R go= {store.folder}"
        )
    return Finding("permissions", "good", "only the owner can read the palace")


def _disk(store: SqliteStore) -> Finding:
    size = raw_files.size_of(store.folder, "palace.db")
    free = shutil.disk_usage(store.folder).free
    detail = f"palace {size / 1e6:.1f} MB, free {free / 1e9:.1f} GB"
    if free < max(2 * size, 200_000_000):
        return Finding(
            "disk", "warning", detail, "less than twice the palace's size is free: backups and migrations need it"
        )
    return Finding("disk", "good", detail)


def _wal(store: SqliteStore) -> Finding:
    """How long the log is. A long one is moved into the file and emptied, unless a reader holds it."""
    size = raw_files.size_of(store.folder, "palace.db-wal")
    if size <= LONG_LOG_BYTES:
        return Finding("wal", "good", f"the log has {size / 1e6:.1f} MB")
    told = f"the log has {size / 1e6:.0f} MB"
    if store.options.file.read_only:
        return Finding("wal", "warning", told, "open the palace for writing once, and let `palazzo doctor` empty it")
    if store.database.truncate_log(LOG_WAIT_S):
        return Finding("wal", "good", f"{told} and was emptied")
    readers = held_locks.readers(store.database.path)
    named = f" (process {', '.join(map(str, readers))})" if readers else ""
    return Finding(
        "wal", "warning", f"{told}, and somebody reads an older moment of the palace{named}: it grows until that ends",
        "end what has been reading for long: an export, a backup, a program that keeps a reading open; then "
        "`palazzo doctor` empties the log",
    )  # fmt: skip


def _erasure(store: SqliteStore) -> Finding:
    """Empties the log when an erasure could not, for a reader held it."""
    with store.database.read() as connection:
        waiting = leftovers.pending(connection)
        unfinished = shared.unfinished(connection)
    if unfinished:
        return unfinished
    if waiting and (store.options.file.read_only or not files.empty_log(store)):
        return Finding(
            "erasure", "warning", "erased text is still in the write-ahead log, for somebody is reading",
            "close what has the palace open for long, then `palazzo doctor` again",
        )  # fmt: skip
    return Finding("erasure", "good", "nothing that was erased waits in the log")


def _padding(store: SqliteStore) -> list[Finding]:
    if store.options.file.key is None:
        return []
    size = (store.folder / "palace.db").stat().st_size
    if not padding.padded(size):
        told = f"{size} bytes are no whole number of buckets of {padding.BUCKET // 1024} KiB"
        return [Finding("padding", "warning", told, "the next write pads it; see whether another release writes here")]
    return [Finding("padding", "good", f"{size // padding.BUCKET} buckets of {padding.BUCKET // 1024} KiB")]


class SqliteCare(SqlCare):
    """Looking after the file."""

    __slots__ = ()
    _store: SqliteStore

    def verify(self, progress: Steps | None = None) -> list[str]:
        return verify(self._store, progress)

    def doctor(self) -> list[Finding]:
        return doctor(self._store)

    def backup(self, target: Path, progress: Progress | None = None, before: Callable[[], None] | None = None) -> None:
        backup.backup(self._store.database, target, progress, before)

    def copies(self) -> tuple[str, ...]:
        return backup.copies(self._store.folder)

    def drop_copies(self, names: Sequence[str]) -> None:
        backup.drop(self._store.folder, names)

    def copied(self, path: Path) -> AbstractContextManager[Reading]:
        return backup.palace_copy(path)


class SqliteErasures(SqlErasures):
    """Erasures on record, and what the file still holds of them."""

    __slots__ = ()
    _store: SqliteStore

    @contextmanager
    def alone(self, *, wait: bool = True) -> Iterator[bool]:
        lock = FileLock(self._store.folder / ERASURE_LOCK)
        try:
            with lock.held() if wait else lock.tried() as alone:
                yield wait or bool(alone)
        except OSError as error:
            raise StorageError(f"the palace cannot be locked for an erasure: {error.strerror}") from error

    def waiting(self, number: int, limit: int) -> tuple[tuple[UUID, ...], list[bytes]]:
        with self._store.database.read() as connection:
            batch = erasure.waiting(connection, number, limit)
            return batch, leftovers.pieces_of(connection, batch)

    def end(self, number: int) -> None:
        leftovers.mark(self._store, lambda connection: erasure.end(connection, number))

    def erase_from_backups(self, memories: tuple[UUID, ...], intent: Erasing) -> tuple[tuple[str, str], ...]:
        return files.erase_from_backups(self._store, memories, intent)

    def empty_log(self) -> bool:
        return files.empty_log(self._store)

    def traces(self, pieces: Sequence[bytes]) -> tuple[int, tuple[str, ...]]:
        """When a trace is found the file is written anew and searched again."""
        looked = files.chosen_pieces(self._store.folder, pieces)
        left = self._traces(looked)
        if left:
            self._store.database.compact()
            self.empty_log()
            left = self._traces(looked)
        return len(looked), left

    def _traces(self, pieces: list[bytes]) -> tuple[str, ...]:
        folder = self._store.folder
        found = files.search_pieces(folder, pieces)
        with self._store.database.read() as connection:
            lost = {piece for _, piece in found if not leftovers.piece_said(connection, piece)}
        return tuple(sorted({str(path.relative_to(folder)) for path, piece in found if piece in lost}))
