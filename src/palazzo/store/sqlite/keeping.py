"""Looking after the file of a palace, and erasing from it: the nouns of a palace that only SQLite answers so.

Owns the joint between the contract (store.api) and the modules of this engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from palazzo.errors import StorageError
from palazzo.files.forks import FileLock
from palazzo.store.api import Erasing, Finding, Progress, Reading, Steps
from palazzo.store.sql.erase import erasure, leftovers
from palazzo.store.sql.keeping import SqlCare, SqlErasures
from palazzo.store.sqlite import backup, care
from palazzo.store.sqlite.erase import leftovers as files

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore

ERASURE_LOCK: Final = "erasure.lock"


class SqliteCare(SqlCare):
    """Looking after the file."""

    __slots__ = ()
    _store: SqliteStore

    def verify(self, progress: Steps | None = None) -> list[str]:
        return care.verify(self._store, progress)

    def doctor(self) -> list[Finding]:
        return care.doctor(self._store)

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
