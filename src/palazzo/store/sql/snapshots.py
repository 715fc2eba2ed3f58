"""Snapshots: how workspaces stood, at places and with memories.

Owns the table snapshot. Knows nothing of what a state says. Invariants: where the palace has a key, state and territory
are sealed; a reader sees one where it sees its place, and one of a memory only where it sees the memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.scope import Scope
from palazzo.model.snapshot import DropSnapshot, KeepSnapshot, Snapshot
from palazzo.store.sql.port import Connection
from palazzo.store.sql.reading import SqlReading, SQLValue, glob_condition
from palazzo.store.sql.seal.sealing import opened, sealed
from palazzo.store.sql.writing import SqlWriting

_SEEN = f"""SELECT x.uuid, p.path, m.uuid, s.path, x.subject, {opened("x.territory", "x.id")}, x.captured_us,
    {opened("x.state", "x.id")} FROM snapshot x LEFT JOIN memory m ON m.id = x.memory
    JOIN place p ON p.id = coalesce(m.place, x.place) JOIN scope s ON s.id = x.scope"""


def keep(writing: SqlWriting, change: KeepSnapshot) -> None:
    """Raises: NotFound for a memory that is not there."""
    taken = change.snapshot
    writing.flush()
    memory = None if taken.memory_id is None else writing.memory(taken.memory_id)[0]
    writing.connection.execute(
        """INSERT INTO snapshot(uuid, place, memory, scope, subject, territory, captured_us, state, bytes)
           VALUES (?,?,?,?,?,'',?,'',?)""",
        (
            taken.id.bytes, writing.place(taken.place), memory, writing.scope(taken.scope), taken.subject,
            taken.captured_us, taken.size,
        ),
    )  # fmt: skip
    number = writing.connection.last_insert_rowid()
    writing.connection.execute(
        "UPDATE snapshot SET territory = ?, state = ? WHERE id = ?",
        (sealed(writing.cipher, taken.territory, number), sealed(writing.cipher, taken.state, number), number),
    )
    about = None if taken.memory_id is None else taken.memory_id.bytes
    writing.event("snapshot_kept", about, None, {"snapshot": str(taken.id), "bytes": taken.size})


def drop(writing: SqlWriting, change: DropSnapshot) -> None:
    """Raises: NotFound."""
    writing.connection.execute("DELETE FROM snapshot WHERE uuid = ?", (change.snapshot_id.bytes,))
    if not writing.connection.changes():
        raise NotFound(f"no snapshot {change.snapshot_id}")
    writing.event("snapshot_dropped", None, None, {"snapshot": str(change.snapshot_id)})


APPLY: dict[type, Callable[[SqlWriting, Any], None]] = {KeepSnapshot: keep, DropSnapshot: drop}


def _visible(reading: SqlReading) -> tuple[str, tuple[SQLValue, ...]]:
    """The view over x, m and p."""
    marks = ",".join(map(str, reading.scopes)) or "-1"
    condition = f"x.scope IN ({marks}) AND (x.memory IS NULL OR {reading.memory_where}) AND {reading.place_where}"
    values = (*reading.memory_values, *reading.place_values)
    if reading.view.as_of_us is None:
        return condition, values
    return f"{condition} AND x.captured_us <= ?", (*values, reading.view.as_of_us)


def _snapshot(row: Any) -> Snapshot:
    return Snapshot(
        id=UUID(bytes=row[0]), place=Place.parse(row[1]), memory_id=UUID(bytes=row[2]) if row[2] else None,
        scope=Scope.parse(row[3]), subject=row[4], territory=row[5], captured_us=row[6], state=row[7],
    )  # fmt: skip


def get(reading: SqlReading, digits: str) -> Snapshot:
    """A scan of the ids: there are few."""
    wanted = digits.replace("-", "").casefold()
    if not re.fullmatch(r"[0-9a-f]{4,32}", wanted):
        raise InvalidInput("a snapshot is named by its id", field="snapshot", hint="`palazzo snapshot list` shows them")
    condition, values = _visible(reading)
    rows: list[Any] = reading.connection.execute(
        f"{_SEEN} WHERE {condition} AND (lower(hex(x.uuid)) LIKE ? OR lower(hex(x.uuid)) LIKE ?) LIMIT 2",
        (*values, f"{wanted}%", f"%{wanted}"),
    ).fetchall()
    if len(rows) > 1:
        raise Conflict(f"several snapshots have an id with {digits}", hint="give more of it")
    if not rows:
        raise NotFound(f"no snapshot {digits}", hint="`palazzo snapshot list` shows them")
    return _snapshot(rows[0])


def newest(
    reading: SqlReading, glob: PlaceGlob | None = None, memory_id: UUID | None = None, limit: int = 50
) -> tuple[Snapshot, ...]:
    """Uses snapshot_memory for those of a memory."""
    condition, values = _visible(reading)
    where, more = ("TRUE", ()) if glob is None else glob_condition(glob)
    if memory_id is not None:
        where, more = f"{where} AND m.uuid = ?", (*more, memory_id.bytes)
    rows = reading.connection.execute(
        f"{_SEEN} WHERE {condition} AND {where} ORDER BY x.captured_us DESC, x.id DESC LIMIT ?",
        (*values, *more, limit),
    )
    return tuple(_snapshot(row) for row in rows)


def remove_naming(connection: Connection, pattern: re.Pattern[str]) -> int:
    """Removes every snapshot whose words name somebody; returns how many (inside a write transaction)."""
    rows: list[Any] = connection.execute(
        f"SELECT id, {opened('territory', 'id')}, {opened('state', 'id')} FROM snapshot"
    ).fetchall()
    gone = [number for number, *told in rows if any(pattern.search(one) for one in told)]
    connection.executemany("DELETE FROM snapshot WHERE id = ?", [(number,) for number in gone])
    return len(gone)
