"""Migrations: named functions, each applied with its own record in one transaction, in order.

Owns which schema a palace has and how it gets to this one's. Invariants: a palace with a migration this release does
not know is refused untouched; a backup is made before anything changes; a failing migration leaves the file as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from mnemon.errors import MigrationFailed, NewerSchema
from mnemon.store import erasures, schema
from mnemon.store.connection import Database, translated


@dataclass(frozen=True, slots=True)
class Migration:
    name: str
    apply: Callable[[apsw.Connection], None]


def _first_schema(connection: apsw.Connection) -> None:
    for statement in schema.TABLES:
        connection.execute(statement)


def _erasures(connection: apsw.Connection) -> None:
    for statement in erasures.TABLES:
        connection.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (
    Migration("0001_first_schema", _first_schema),
    Migration("0002_erasures", _erasures),
)

_RECORD = "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_us INTEGER NOT NULL) WITHOUT ROWID"


def applied(connection: apsw.Connection) -> tuple[str, ...]:
    """Names of the migrations this file has, in order; empty for a new file."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").fetchone()
    if not found:
        return ()
    return tuple(name for (name,) in connection.execute("SELECT name FROM migration ORDER BY name"))


def pending(connection: apsw.Connection, known: Sequence[Migration] = MIGRATIONS) -> tuple[Migration, ...]:
    """What would be applied.

    Raises: NewerSchema when the file has a migration that is not known here.
    """
    names = applied(connection)
    unknown = sorted(set(names) - {migration.name for migration in known})
    if unknown:
        raise NewerSchema(f"this palace has migrations this release does not know: {', '.join(unknown)}")
    return tuple(migration for migration in known if migration.name not in names)


def migrate(
    database: Database, now_us: int, backup: Callable[[Path], None] | None = None,
    known: Sequence[Migration] = MIGRATIONS,
) -> tuple[str, ...]:  # fmt: skip
    """Brings the file to this release's schema and returns the names applied. Several processes may call it at once.

    Raises: NewerSchema, MigrationFailed.
    """
    with database.read() as connection:
        waiting = pending(connection, known)
        old = bool(applied(connection))
    if not waiting:
        return ()
    if old and backup is not None:
        backup(database.path.parent / "backups" / f"before-{waiting[-1].name}-{now_us}.db")
    done: list[str] = []
    for migration in waiting:

        def job(connection: apsw.Connection, migration: Migration = migration) -> None:
            connection.execute(_RECORD)
            if migration.name in applied(connection):
                return
            with translated():
                migration.apply(connection)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.name, now_us))
            done.append(migration.name)

        try:
            database.write(job)
        except Exception as error:
            raise MigrationFailed(
                f"migration {migration.name} failed: {error}", hint="the palace is as it was; see backups/ beside it"
            ) from error
    return tuple(done)
