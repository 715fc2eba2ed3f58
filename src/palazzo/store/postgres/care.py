"""Care of a palace on a server: verify, rebuild, doctor; what of them only PostgreSQL knows.

Owns the references between tables, which the schema here does not declare: whoever deletes sees to them, this looks.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from palazzo.store.api import Finding
from palazzo.store.sql import care as shared
from palazzo.store.sql import migrations
from palazzo.store.sql.care import Progress, rebuild
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.graph import edges
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


def verify(store: PostgresStore, progress: Progress | None = None) -> list[str]:
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
        dangling, lost = _dangling(connection), edges.orphans(connection)
        orphans = (
            Finding("orphans", "bad", "; ".join(dangling[:3]), "`palazzo verify` lists them; restore a backup")
            if dangling
            else Finding("orphans", "good", f"no dangling rows, {lost} unused provenance nodes")
        )
        unfinished = len(erasure.unfinished(connection)) or int(erasure.owed(connection))
        return [
            Finding("server", "good", _server(connection)),
            shared.fields(connection, store),
            Finding("schema", "good", f"{len(migrations.applied(connection))} migrations applied"),
            shared.lag(connection, store.upkeep.trouble),
            orphans,
            shared.vector_gap(connection),
            shared.unread_messages(connection),
            shared.sealed_texts(connection, keyed=store.cipher is not None),
            Finding(
                "erasure", "bad", f"{unfinished} erasures were begun and are not complete: what they take may be there",
                "open the palace for writing: that finishes them; running them again does, too",
            ) if unfinished else Finding("erasure", "good", "no erasure is under way"),
            Finding("files", "good", "encryption, copies and the log of this palace are the server's own"),
        ]  # fmt: skip


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


__all__ = ["doctor", "rebuild", "size", "verify"]
