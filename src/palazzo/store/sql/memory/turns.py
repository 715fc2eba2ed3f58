"""Turns: the order of a conversation. Which turn came before and after, which session, who spoke.

Owns session and turn. Invariant: a position is taken once per session; asking for the next one inside a write
transaction gives the highest so far plus one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from palazzo.model.message import Turn
from palazzo.store.api import ToldTurn, Window, distinct
from palazzo.store.sql.port import bound, one
from palazzo.store.sql.reading import SqlReading, writable
from palazzo.store.sql.writing import SqlWriting

EVERY_KEY: Final = 1 << 62
"""Beyond every key of a revision."""


def add(writing: SqlWriting, scope: int, revision: int, turn: Turn) -> None:
    """Puts a revision into its conversation."""
    session = _session_id(writing, scope, turn)
    position = turn.position if turn.position >= 0 else writing.next_positions.get(session, -1)
    if position < 0:
        (last,) = one(writing.connection, "SELECT max(position) FROM turn WHERE session = ?", (session,))
        position = 0 if last is None else last + 1
    writing.next_positions[session] = max(position + 1, writing.next_positions.get(session, 0))
    writing.rows["turn"].append((session, position, revision, turn.speaker, turn.role))


def _session_id(writing: SqlWriting, scope: int, turn: Turn) -> int:
    key = (scope, turn.thread, turn.session)
    if key not in writing.sessions:
        row = writing.connection.execute(
            "SELECT id FROM session WHERE scope = ? AND thread = ? AND name = ?", key
        ).fetchone()
        if row is None:
            writing.connection.execute(
                "INSERT INTO session(scope, thread, name, began_us) VALUES (?,?,?,?)", (*key, writing.now_us)
            )
            writing.sessions[key] = writing.connection.last_insert_rowid()
        else:
            writing.sessions[key] = int(row[0])
    return writing.sessions[key]


_NO_TURNS = Window(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), (), ())


def windows(reading: SqlReading, keys: Sequence[int] | NDArray[np.int64], before: int, after: int) -> Window:
    """The visible turns within a few positions of those of these revisions, themselves included.

    Uses turn_revision for the seats, the primary key of turn for each seat around them once, and memory_current.
    """
    hot = reading.hot.windows(reading, np.asarray(keys, np.int64), before, after)
    if hot is not None:
        return hot
    seats = reading.connection.execute(
        "SELECT w.session << 32 | w.position FROM carray(?) c JOIN turn w ON w.revision = c.value", (bound(keys),)
    ).fetchall()
    if not seats:
        return _NO_TURNS
    taken = np.fromiter(chain.from_iterable(seats), np.int64, len(seats))
    wanted = distinct((taken[:, None] + np.arange(-before, after + 1)).ravel())
    rows: Any = reading.connection.execute(
        f"""SELECT w.revision, c.value, w.speaker, w.role FROM carray(?) c
            CROSS JOIN turn w ON w.session = c.value >> 32 AND w.position = c.value & 4294967295
            {reading.shown("w.revision")} WHERE {reading.where} ORDER BY c.value""",
        (bound(wanted), *reading.values),
    ).fetchall()
    if not rows:
        return _NO_TURNS
    revisions, places, speakers, roles = zip(*rows, strict=True)
    reading.seen.update(revisions)
    found = np.array(places, np.int64)
    return Window(np.array(revisions, np.int64), found >> 32, found & 0xFFFFFFFF, speakers, roles)


def told(reading: SqlReading, keys: Sequence[int]) -> dict[int, ToldTurn]:
    """Thread, session, speaker and role of those of these visible revisions that are turns. Uses turn_revision."""
    hot = reading.hot.told(reading, keys)
    if hot is not None:
        return hot
    joins, where, values = reading.gate(keys, "w.revision")
    rows = reading.connection.execute(
        f"""SELECT w.revision, s.thread, s.name, w.speaker, w.role FROM carray(?) c
            CROSS JOIN turn w ON w.revision = c.value CROSS JOIN session s ON s.id = w.session {joins} WHERE {where}""",
        (bound(keys), *values),
    )
    return {key: ToldTurn(*where) for key, *where in rows}


def in_thread(reading: SqlReading, keys: Sequence[int], thread: str) -> list[int]:
    """Which of these revisions are turns of a thread. Uses turn_revision."""
    rows = reading.connection.execute(
        f"""SELECT w.revision FROM carray(?) c JOIN turn w ON w.revision = c.value
            JOIN session s ON s.id = w.session AND s.thread = ? {reading.shown("w.revision")}
            WHERE {reading.where}""",
        (bound(keys), writable(thread), *reading.values),
    )
    return [key for (key,) in rows]


def latest(reading: SqlReading, thread: str, limit: int, before: int | None = None) -> list[tuple[int, str]]:
    """The newest visible turns of a thread, oldest first: revision, and who spoke, by name or else by role.

    Uses the unique index of session and the primary key of turn, newest sitting first.
    """
    end = EVERY_KEY if before is None else before
    begun = "(SELECT w.revision FROM turn w WHERE w.session = s.id ORDER BY w.position LIMIT 1) < ?"
    sittings = reading.connection.execute(
        f"""SELECT s.id FROM session s WHERE s.thread = ? AND s.scope IN ({reading.scope_list}) AND {begun}
            ORDER BY s.id DESC LIMIT ?""",
        (writable(thread), end, limit),
    ).fetchall()
    found: list[tuple[int, str]] = []
    for (sitting,) in sittings:
        rows: Any = reading.connection.execute(
            f"""SELECT w.revision, iif(w.speaker = '', w.role, w.speaker) FROM turn w {reading.shown("w.revision")}
                WHERE w.session = ? AND {reading.where} AND w.revision < ? ORDER BY w.position DESC LIMIT ?""",
            (sitting, *reading.values, end, limit - len(found)),
        ).fetchall()
        found += rows
        if len(found) >= limit:
            break
    return found[::-1]


def speakers(reading: SqlReading, limit: int = 200) -> tuple[str, ...]:
    marks = ",".join(map(str, reading.scopes)) or "-1"
    rows = reading.connection.execute(
        f"""SELECT DISTINCT w.speaker FROM (SELECT id FROM session WHERE scope IN ({marks}) ORDER BY id DESC LIMIT 50) s
            JOIN turn w ON w.session = s.id AND w.position < 8 {reading.shown("w.revision")}
            WHERE w.speaker <> '' AND {reading.where} LIMIT ?""",
        (*reading.values, limit),
    )
    return tuple(name for (name,) in rows)
