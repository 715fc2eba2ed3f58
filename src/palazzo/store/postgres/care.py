"""Care of a palace on a server: verify, rebuild, doctor; and the nouns of a palace, care and erasures, that only
PostgreSQL answers so.

Owns the references between tables, which the schema here does not declare: whoever deletes sees to them, this looks.
Copies, the log and the bytes on disk are the server's own; what is asked of them here is refused with the next step, or
answered with nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from palazzo.errors import PartUnavailable
from palazzo.store.api import Erasing, Finding, Progress, Reading, Steps
from palazzo.store.postgres import handing
from palazzo.store.postgres.connection import LOCK, PostgresConnection
from palazzo.store.sql import care as shared
from palazzo.store.sql import migrations
from palazzo.store.sql.care import rebuild as rebuild
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.keeping import SqlCare, SqlErasures
from palazzo.store.sql.port import Connection, one

if TYPE_CHECKING:
    from palazzo.store.postgres.palace import PostgresStore

_TABLE: Final = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)\n\)", re.DOTALL)
_REFERENCE: Final = re.compile(r"(\w+) INTEGER[^,]*? REFERENCES (\w+)\((\w+)\)")


@lru_cache(maxsize=1)
def references() -> tuple[tuple[str, str, str, str], ...]:
    """Table, column, and what that refers to."""
    return tuple(
        (table, column, parent, key)
        for table, body in _TABLE.findall(migrations.first_schema())
        for column, parent, key in _REFERENCE.findall(body)
    )


ERASURES: Final = LOCK + 1
"""The first half of the lock of an erasure."""


def verify(store: PostgresStore, progress: Steps | None = None) -> list[str]:
    return shared.verify(store, progress, _server_problems, _dangling)


def _server_problems(_connection: Connection) -> list[str]:
    """Pages and indexes are the server's own to check (`pg_amcheck`)."""
    return []


def _dangling(connection: Connection) -> list[str]:
    found = []
    for table, column, parent, key in references():
        (count,) = one(
            connection,
            f"""SELECT count(*) FROM {table} a WHERE a.{column} IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM {parent} b WHERE b.{key} = a.{column})""",
        )
        if count:
            found.append(f"{table}: {count} rows refer to a missing {parent}")
    return found


def doctor(store: PostgresStore) -> list[Finding]:
    with shared.whole(store) as connection:
        first = Finding("server", "good", _server(connection))
        return [
            *shared.findings(connection, store, first, _dangling(connection)),
            shared.unfinished(connection) or Finding("erasure", "good", "no erasure is under way"),
            Finding("files", "good", "encryption, copies and the log of this palace are the server's own"),
        ]


def _server(connection: Connection) -> str:
    (version,) = one(connection, "SELECT current_setting('server_version')")
    return f"PostgreSQL {version} answers"


def size(store: PostgresStore) -> int:
    """Bytes of the partitions this palace lies in; others may lie there, too."""
    with store.database.glance() as connection:
        (count,) = one(
            connection,
            """SELECT coalesce(sum(pg_column_size(r.text) + coalesce(pg_column_size(r.detail), 0) + 200), 0)
               FROM revision r""",
        )
        return int(count)


class PostgresCare(SqlCare):
    """Looking after the palace."""

    __slots__ = ()
    _store: PostgresStore

    def verify(self, progress: Steps | None = None) -> list[str]:
        return verify(self._store, progress)

    def doctor(self) -> list[Finding]:
        return doctor(self._store)

    def overview(self) -> dict[str, Any]:
        return {**super().overview(), "palace": self._store.label, "bytes": size(self._store)}

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
