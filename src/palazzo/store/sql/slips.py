"""Slips: what is kept about the work itself, one row for each kind, scope and name.

Owns the table slip. Knows nothing of what the kinds mean. Invariants: a slip is changed as a whole and its version
counts up by one; where the palace has a key, what is told is sealed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from palazzo.errors import NotFound, VersionConflict
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.slip import DropSlip, PutSlip, Slip, SlipKind
from palazzo.store.sql.port import Connection
from palazzo.store.sql.seal.sealing import opened, sealed
from palazzo.store.sql.writing import SqlWriting

_SLIP = f"""x.uuid, x.kind, x.name, x.subject, x.state, {opened("x.told", "x.id")}, s.path, x.version, x.until_us,
    x.made_us, x.changed_us"""


def put(writing: SqlWriting, change: PutSlip) -> None:
    """Raises: VersionConflict when somebody else changed it since."""
    made, scope = change.slip, writing.scope(change.slip.scope)
    row: Any = writing.connection.execute(
        "SELECT id, version FROM slip WHERE kind = ? AND scope = ? AND name = ?", (made.kind, scope, made.name)
    ).fetchone()
    number, version = row or (None, 0)
    if change.expected is not None and change.expected != version:
        raise VersionConflict(f"the {made.kind} {made.name} is at version {version}, not {change.expected}")
    if number is None:
        writing.connection.execute(
            """INSERT INTO slip(uuid, kind, scope, name, subject, state, told, version, until_us, made_us, changed_us)
               VALUES (?,?,?,?,?,?,'',1,?,?,?)""",
            (
                made.id.bytes, made.kind, scope, made.name, made.subject, made.state, made.until_us,
                made.made_us or writing.now_us, writing.now_us,
            ),
        )  # fmt: skip
        number = writing.connection.last_insert_rowid()
    writing.connection.execute(
        "UPDATE slip SET subject = ?, state = ?, told = ?, version = ?, until_us = ?, changed_us = ? WHERE id = ?",
        (
            made.subject, made.state, sealed(writing.cipher, made.told, number), version + 1, made.until_us,
            writing.now_us, number,
        ),
    )  # fmt: skip
    writing.event("slip_put", None, None, {"kind": made.kind, "state": made.state})


def drop(writing: SqlWriting, change: DropSlip) -> None:
    """Raises: NotFound."""
    writing.connection.execute(
        "DELETE FROM slip WHERE kind = ? AND scope = ? AND name = ?",
        (change.kind, writing.scope(change.scope), change.name),
    )
    if not writing.connection.changes():
        raise NotFound(f"no {change.kind} {change.name}")
    writing.event("slip_dropped", None, None, {"kind": change.kind})


APPLY: dict[type, Callable[[SqlWriting, Any], None]] = {PutSlip: put, DropSlip: drop}


def _slip(row: Any) -> Slip:
    return Slip(
        id=UUID(bytes=row[0]), kind=row[1], name=row[2], subject=row[3], state=row[4], told=row[5],
        scope=Scope.parse(row[6]), version=row[7], until_us=row[8], made_us=row[9], changed_us=row[10],
    )  # fmt: skip


def get(connection: Connection, kind: SlipKind, name: str, scope: Scope = GLOBAL) -> Slip | None:
    """Uses the unique index of slip."""
    row = connection.execute(
        f"""SELECT {_SLIP} FROM slip x JOIN scope s ON s.id = x.scope
            WHERE x.kind = ? AND s.path = ? AND x.name = ?""",
        (kind, str(scope), name),
    ).fetchone()
    return _slip(row) if row else None


def newest(
    connection: Connection, kind: SlipKind, scope: Scope | None = GLOBAL, *, state: str = "", subject: str = "",
    limit: int = 200,
) -> tuple[Slip, ...]:  # fmt: skip
    """Uses slip_newest."""
    rows = connection.execute(
        f"""SELECT {_SLIP} FROM slip x JOIN scope s ON s.id = x.scope
            WHERE x.kind = ?1 AND (CAST(?2 AS TEXT) IS NULL OR s.path = ?2) AND (?3 = '' OR x.state = ?3)
              AND (?4 = '' OR x.subject = ?4) ORDER BY x.changed_us DESC, x.id DESC LIMIT ?5""",
        (kind, None if scope is None else str(scope), state, subject, limit),
    )
    return tuple(_slip(row) for row in rows)


def remove_naming(connection: Connection, pattern: re.Pattern[str]) -> int:
    """Removes every slip whose words name somebody; returns how many (inside a write transaction)."""
    rows: list[Any] = connection.execute(f"SELECT id, name, subject, {opened('told', 'id')} FROM slip").fetchall()
    gone = [number for number, *told in rows if any(pattern.search(one) for one in told)]
    connection.executemany("DELETE FROM slip WHERE id = ?", [(number,) for number in gone])
    return len(gone)
