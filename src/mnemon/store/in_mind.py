"""What readers have in mind between two calls: which memories, how present each is, and when that was.

Owns the table in_mind. It names memories and holds no words, so nothing in it has to be sealed, and what a reader may
no longer see is simply not there any more. Invariants: a row belongs to one scope and one subject and is read by them
alone; purging a memory or forgetting a user removes theirs. Losing the table loses no memory, only warmth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import apsw

from mnemon.model.memory import Memory
from mnemon.model.view import View
from mnemon.store import memories, scopes
from mnemon.store.reading import Reading


class Presence(NamedTuple):
    """A memory that is in mind, by its id."""

    memory_id: UUID
    activation: float
    touched_us: int


@dataclass(frozen=True, slots=True)
class Left:
    """What a reader left in mind: those of the memories that it still sees, as they are now, and when it was kept."""

    held: tuple[tuple[Memory, Presence], ...]
    at_us: int


def left(reading: Reading) -> Left | None:
    """What this reader left in mind; None if nothing was kept. Uses the primary key of in_mind."""
    rows: list[Any] = reading.connection.execute(
        f"""SELECT r.id, m.uuid, x.activation, x.touched_us, x.saved_us
            FROM in_mind x JOIN {reading.source}
            WHERE x.scope = (SELECT id FROM scope WHERE path = ?) AND x.subject = ? AND m.id = x.memory
              AND {reading.where}""",
        (str(reading.view.scope), reading.view.subject, *reading.values),
    ).fetchall()
    if not rows:
        return None
    loaded = memories.by_keys(reading, [row[0] for row in rows])
    held = tuple(
        (loaded[key], Presence(UUID(bytes=uuid), activation, touched_us))
        for key, uuid, activation, touched_us, _ in rows
        if key in loaded
    )
    return Left(held, max(row[4] for row in rows))


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
        [(scope, view.subject, one.activation, one.touched_us, now_us, one.memory_id.bytes) for one in held],
    )
