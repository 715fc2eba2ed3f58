"""The journal: every change of memory state, in order, without gaps. Readers keep cursors of their own.

Owns event and cursor. Invariant: seq runs 1, 2, 3, ... without a gap; an event is written in the transaction of the
change it tells of.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import apsw
import msgspec

from palazzo.model.change import Event
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading


def last_seq(connection: apsw.Connection) -> int:
    """The number of the newest event; 0 in an empty palace."""
    return int(one(connection, "SELECT coalesce(max(seq), 0) FROM event")[0])


def events_after(reading: SqliteReading, seq: int, limit: int = 1000) -> tuple[Event, ...]:
    """Events newer than `seq`, oldest first, about memories this reader may see (or about no memory).

    An edge is told of only to those who see both its ends.
    """
    whole = reading.view.all_scopes
    visible = f"SELECT 1 FROM memory m JOIN place p ON p.id = m.place WHERE {reading.where} AND m.uuid"
    rows = reading.connection.execute(
        f"""SELECT seq, at_us, kind, subject, memory, revision, detail FROM event v
            WHERE seq > ? AND (v.memory IS NULL AND ? OR EXISTS ({visible} = v.memory))
            AND (v.kind NOT IN ('edge_added', 'edge_removed') OR ?
                OR EXISTS ({visible} = unhex(v.detail ->> '$.target', '-')))
            ORDER BY seq LIMIT ?""",
        (seq, whole, *reading.values, whole, *reading.values, limit),
    )
    return tuple(_event(row) for row in rows)


def tail(connection: apsw.Connection, seq: int, limit: int = 1000) -> tuple[Event, ...]:
    """Events newer than `seq` for the palace's own passes (indexes, sweep), which act below all views."""
    rows = connection.execute(
        "SELECT seq, at_us, kind, subject, memory, revision, detail FROM event WHERE seq > ? ORDER BY seq LIMIT ?",
        (seq, limit),
    )
    return tuple(_event(row) for row in rows)


def _event(row: tuple[Any, ...]) -> Event:
    seq, at_us, kind, subject, memory, revision, detail = row
    return Event(
        seq, at_us, kind, subject, UUID(bytes=memory) if memory else None, revision,
        msgspec.json.decode(detail) if detail else {},
    )  # fmt: skip


def cursor(connection: apsw.Connection, name: str) -> int:
    """Where a journal reader stands; 0 when it has never read."""
    row = connection.execute("SELECT seq FROM cursor WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def move_cursor(connection: apsw.Connection, name: str, seq: int, now_us: int) -> None:
    """Moves a reader's cursor forward; never back, so two workers cannot undo each other."""
    connection.execute(
        """INSERT INTO cursor VALUES (?,?,?) ON CONFLICT (name) DO UPDATE SET
           seq = excluded.seq, moved_us = excluded.moved_us WHERE excluded.seq > cursor.seq""",
        (name, seq, now_us),
    )


def gaps(connection: apsw.Connection) -> list[str]:
    """Names the first gap in the numbering; empty when there is none."""
    count, low, high = one(connection, "SELECT count(*), min(seq), max(seq) FROM event")
    if not count or (low == 1 and high == count):
        return []
    row = one(
        connection,
        "SELECT seq FROM event v WHERE NOT EXISTS (SELECT 1 FROM event WHERE seq = v.seq + 1) ORDER BY seq LIMIT 1",
    )
    return [f"journal: {count} events numbered {low}..{high}; first gap after {row[0] if low == 1 else 0}"]
