"""Looking after a palace on a server, and erasing from it: the nouns of a palace that only PostgreSQL answers so.

Owns the joint between the contract (store.api) and the modules of this engine. Copies, the log and the bytes on disk
are the server's own; what is asked of them here is refused with the next step, or answered with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from palazzo.errors import PartUnavailable
from palazzo.store.api import Erasing, Finding, Progress, Reading, Steps
from palazzo.store.postgres import care, handing
from palazzo.store.postgres.connection import LOCK, PostgresConnection
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.keeping import SqlCare, SqlErasures

if TYPE_CHECKING:
    from palazzo.store.postgres.palace import PostgresStore

ERASURES: Final = LOCK + 1
"""The first half of the lock of an erasure."""


class PostgresCare(SqlCare):
    """Looking after the palace."""

    __slots__ = ()
    _store: PostgresStore

    def verify(self, progress: Steps | None = None) -> list[str]:
        return care.verify(self._store, progress)

    def doctor(self) -> list[Finding]:
        return care.doctor(self._store)

    def overview(self) -> dict[str, Any]:
        return {**super().overview(), "palace": self._store.label, "bytes": care.size(self._store)}

    def backup(self, target: Path, progress: Progress | None = None, before: Callable[[], None] | None = None) -> None:  # noqa: ARG002 - the contract's words
        raise PartUnavailable(
            "a palace on PostgreSQL is backed up with the server's own tools",
            part="backup",
            hint="`pg_dump --schema palazzo`, or the server's continuous archive; `palazzo export` writes one palace",
        )

    def copies(self) -> tuple[str, ...]:
        return ()

    def drop_copies(self, names: Sequence[str]) -> None:
        """There are none."""

    def copied(self, path: Path) -> AbstractContextManager[Reading]:
        from palazzo.store.sqlite import backup

        return backup.palace_copy(path)


class PostgresErasures(SqlErasures):
    """Erasures on record."""

    __slots__ = ()
    _store: PostgresStore

    @contextmanager
    def alone(self, *, wait: bool = True) -> Iterator[bool]:
        connection = self._store.database.connect()
        told = f"({ERASURES}, {self._store.database.palace})"
        try:
            if wait:
                connection.plain(f"SET lock_timeout = 0; SELECT pg_advisory_lock{told}")
                yield True
            else:
                row = connection.session.execute(f"SELECT pg_try_advisory_lock{told}").fetchone()
                yield bool(row and row[0])
        finally:
            connection.close()

    def waiting(self, number: int, limit: int) -> tuple[tuple[UUID, ...], list[bytes]]:
        with self._store.database.read() as connection:
            return erasure.waiting(connection, number, limit), []

    def end(self, number: int) -> None:
        def job(connection: PostgresConnection) -> None:
            handing.tidy(connection)
            erasure.end(connection, number)

        self._store.database.write(job)

    def erase_from_backups(self, memories: tuple[UUID, ...], intent: Erasing) -> tuple[tuple[str, str], ...]:  # noqa: ARG002 - the contract's words
        return ()

    def empty_log(self) -> bool:
        return True

    def traces(self, pieces: Sequence[bytes]) -> tuple[int, tuple[str, ...]]:  # noqa: ARG002 - the contract's words
        return 0, ()
