"""What readers have in mind between two calls: which memories, how present each is, and when that was.

Owns the table in_mind. It names memories and holds no words, so nothing in it has to be sealed, and what a reader may
no longer see is simply not there any more. Invariants: a row belongs to one scope and one subject and is read by them
alone; purging a memory or forgetting a user removes theirs. Losing the table loses no memory, only warmth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import apsw

from palazzo.model.capability import View
from palazzo.store.api import LeftInMind, Presence
from palazzo.store.sqlite import reading as scopes
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.memory import memories
from palazzo.store.sqlite.reading import SqliteReading


def left(reading: SqliteReading) -> LeftInMind | None:
    """What this reader left in mind; None if nothing was kept. Uses the primary key of in_mind."""
    rows: list[Any] = reading.connection.execute(
        f"""SELECT m.uuid, x.activation, x.touched_us, x.saved_us FROM {_KEPT} JOIN memory m ON m.id = x.memory""",
        _whose(reading),
    ).fetchall()
    if not rows:
        return None
    held = [Presence(UUID(bytes=uuid), activation, touched_us) for uuid, activation, touched_us, _ in rows]
    return seen(reading, held, max(row[3] for row in rows))


def kept_us(reading: SqliteReading) -> int:
    """When this reader's mind was kept last; 0 for never."""
    (found,) = one(reading.connection, f"SELECT coalesce(max(x.saved_us), 0) FROM {_KEPT}", _whose(reading))
    return int(found)


def seen(reading: SqliteReading, held: Sequence[Presence], at_us: int) -> LeftInMind:
    """Those of these memories that this reader sees, as they are now. Uses the unique index on memory.uuid."""
    presence = {found.memory_id.bytes: found for found in held}
    rows: list[Any] = reading.connection.execute(
        f"""SELECT r.id, m.uuid FROM {reading.source}
            WHERE m.uuid IN ({",".join("?" * len(presence))}) AND {reading.where}""",
        (*presence, *reading.values),
    ).fetchall()
    loaded = memories.by_keys(reading, [key for key, _ in rows])
    return LeftInMind(tuple((loaded[key], presence[uuid]) for key, uuid in rows if key in loaded), at_us)


_KEPT = """(SELECT * FROM in_mind WHERE scope = (SELECT id FROM scope WHERE path = ?) AND subject = ?) x"""


def _whose(reading: SqliteReading) -> tuple[str, str]:
    return str(reading.view.scope), reading.view.subject


def keep(
    connection: apsw.Connection, view: View, held: Sequence[Presence], now_us: int, forgotten_us: int
) -> None:  # fmt: skip
    """Keeps what a reader has in mind instead of what it had before (inside a write transaction).

    What anybody left before `forgotten_us` goes as well.
    """
    scope = scopes.scope_id(connection, view.scope)
    connection.execute(
        "DELETE FROM in_mind WHERE (scope = ? AND subject = ?) OR saved_us < ?", (scope, view.subject, forgotten_us)
    )
    connection.executemany(
        """INSERT OR REPLACE INTO in_mind(scope, subject, memory, activation, touched_us, saved_us)
           SELECT ?, ?, id, ?, ?, ? FROM memory WHERE uuid = ?""",
        [(scope, view.subject, *known[1:], now_us, known.memory_id.bytes) for known in held],
    )
