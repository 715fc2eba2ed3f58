"""Raw events in the tables: what was done on the machine, for as many days as the setting says.

Owns the table raw_event, and which happenings behind memories and which counts came from one. Invariants: where the
palace has a key the words of an event are sealed; every event that came, kept or refused, leaves one audit line without
its words; one with an id that comes again is kept once; numbers are never used again, so whoever reads them from a
number on misses none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from palazzo.model.raw_event import (
    COUNTED,
    COUNTED_DAYS,
    KEPT,
    SEEN_AS,
    AddRawEvents,
    PruneRawEvents,
    RawEvent,
    RawSelection,
)
from palazzo.model.retention import DAY_US
from palazzo.model.scope import Scope
from palazzo.store.api import AuditLine
from palazzo.store.sql.guard import audit
from palazzo.store.sql.port import Connection
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import opened, sealed
from palazzo.store.sql.writing import SqlWriting

_TOLD = f"x.id, x.kind, x.source, {opened('x.reference', 'x.id')}, {opened('x.metadata', 'x.id')}, x.at_us, s.path"

_EVENTS = f"""(?1 = '' OR x.source = ?1 OR {opened("x.reference", "x.id")} = ?1
        OR substr({opened("x.reference", "x.id")}, 1, ?2) = ?3)
    AND (?4 = '' OR x.kind = ?4) AND x.at_us >= ?5 AND x.at_us < ?6"""
_EVER: Final = 1 << 62


def _values(wanted: RawSelection) -> tuple[Any, ...]:
    below = wanted.source.rstrip("/") + "/"
    first = -_EVER if wanted.after_us is None else wanted.after_us
    return wanted.source, len(below), below, wanted.kind, first, _EVER if wanted.before_us is None else wanted.before_us


def add(writing: SqlWriting, change: AddRawEvents) -> None:
    """Keeps events, sealed where there is a key, and writes down what was decided about each."""
    kept = []
    for event in change.events:
        if _came_before(writing.connection, event):
            continue
        kept.append(event)
        writing.connection.execute(
            """INSERT INTO raw_event(kind, source, scope, subject, reference, metadata, at_us)
               VALUES (?,?,?,?,'','',?)""",
            (event.kind, event.source, writing.scope(event.scope), writing.subject, event.at_us),
        )
        number = writing.connection.last_insert_rowid()
        metadata = msgspec.json.encode(event.metadata).decode()
        writing.connection.execute(
            "UPDATE raw_event SET reference = ?, metadata = ? WHERE id = ?",
            (sealed(writing.cipher, event.reference, number), sealed(writing.cipher, metadata, number), number),
        )
    decided = [(one.kind, one.source, KEPT) for one in kept]
    decided += [(one.kind, one.source, one.reason) for one in change.refused]
    audit.append(
        writing.connection,
        *(
            AuditLine(
                at_us=writing.now_us, subject=writing.subject, action="capture",
                decision="allowed" if why == KEPT else "denied",
                detail=msgspec.json.encode({"kind": kind, "source": source, "decision": why}).decode(),
            )
            for kind, source, why in decided
        ),
    )  # fmt: skip
    writing.event("raw_events_added", None, None, {"kept": len(kept), "refused": len(change.refused)})


def _came_before(connection: Connection, event: RawEvent) -> bool:
    """Whether an event with an id is there: a shell that had no answer tells it a second way. Uses raw_event_at."""
    if not (mark := event.metadata.get("id")):
        return False
    rows: Any = connection.execute(
        f"SELECT {opened('x.metadata', 'x.id')} FROM raw_event x WHERE x.at_us = ? AND x.source = ?",
        (event.at_us, event.source),
    )
    return any(msgspec.json.decode(told).get("id") == mark for (told,) in rows)


def prune(writing: SqlWriting, change: PruneRawEvents) -> None:
    """Uses raw_event_at. Counts of events go when nothing looks at them any more."""
    for families in COUNTED.values():
        _uncount(writing.connection, families, -_EVER, writing.now_us // DAY_US - COUNTED_DAYS)
    writing.connection.execute("DELETE FROM raw_event WHERE at_us < ?", (change.before_us,))
    if gone := writing.connection.changes():
        writing.event("raw_events_pruned", None, None, {"count": gone})


APPLY: dict[type, Callable[[SqlWriting, Any], None]] = {AddRawEvents: add, PruneRawEvents: prune}


def _event(row: Any) -> RawEvent:
    number, kind, source, reference, metadata, at_us, path = row
    return RawEvent(
        kind=kind, source=source, reference=reference, at_us=at_us, metadata=msgspec.json.decode(metadata),
        scope=Scope.parse(path), number=number,
    )  # fmt: skip


def newest(reading: SqlReading, wanted: RawSelection = RawSelection(), limit: int = 50) -> tuple[RawEvent, ...]:
    """Uses raw_event_at."""
    rows = reading.connection.execute(
        f"""SELECT {_TOLD} FROM raw_event x JOIN scope s ON s.id = x.scope
            WHERE x.scope IN ({reading.scope_list}) AND {_EVENTS} ORDER BY x.at_us DESC, x.id DESC LIMIT ?7""",
        (*_values(wanted), limit),
    )
    return tuple(map(_event, rows))


def after(connection: Connection, number: int, limit: int) -> tuple[RawEvent, ...]:
    """Events from a number on, in order. Uses the primary key."""
    rows = connection.execute(
        f"SELECT {_TOLD} FROM raw_event x JOIN scope s ON s.id = x.scope WHERE x.id > ? ORDER BY x.id LIMIT ?",
        (number, limit),
    )
    return tuple(map(_event, rows))


def tally(connection: Connection) -> tuple[tuple[str, int, int], ...]:
    """How many events of each source there are, and when the newest was. Uses raw_event_source."""
    rows: Any = connection.execute("SELECT source, count(*), max(at_us) FROM raw_event GROUP BY source ORDER BY source")
    return tuple((source, count, at_us) for source, count, at_us in rows)


def kept(connection: Connection) -> bool:
    """Whether there is any event. Uses the first row there is."""
    return connection.execute("SELECT 1 FROM raw_event LIMIT 1").fetchone() is not None


def _uncount(connection: Connection, families: tuple[str, ...], first: int, last: int) -> int:
    """Removes the counts of families, and of what is below them, from one day to another; returns how many."""
    gone = 0
    for family in families:
        connection.execute(
            "DELETE FROM signal WHERE (family = ?1 OR substr(family, 1, ?2) = ?3) AND day BETWEEN ?4 AND ?5",
            (family, len(family) + 1, f"{family}.", first, last),
        )
        gone += connection.changes()
    return gone


def _drop_counts(connection: Connection, wanted: RawSelection) -> int:
    """Removes the counts of the days of events that go: of an adapter all, for they outlast its events."""
    days: list[Any] = connection.execute(
        f"SELECT DISTINCT x.kind, x.at_us / {DAY_US} FROM raw_event x WHERE {_EVENTS}", _values(wanted)
    ).fetchall()
    gone = sum(_uncount(connection, COUNTED.get(kind, ()), day, day) for kind, day in days)
    kinds = SEEN_AS.values() if not wanted.source else filter(None, [SEEN_AS.get(wanted.source)])
    first, last = (value // DAY_US for value in _values(wanted)[-2:])
    return gone + sum(_uncount(connection, COUNTED[kind], first, last) for kind in kinds if wanted.kind in ("", kind))


def drop(connection: Connection, wanted: RawSelection) -> dict[str, int]:
    """Removes events, the counts of their days and the happenings around memories that came of them; says how many rows
    of each table (inside a write transaction). A happening that a memory was made from goes with the memory."""
    counts = _drop_counts(connection, wanted)
    connection.execute(f"DELETE FROM raw_event AS x WHERE {_EVENTS}", _values(wanted))
    gone = connection.changes()
    first, last = _values(wanted)[-2:]
    happened: list[Any] = connection.execute(
        """SELECT x.id, x.kind, x.label, x.metadata, x.at_us FROM provenance_node x
           WHERE x.kind IN ('command', 'file', 'app_activation') AND x.metadata IS NOT NULL
             AND x.at_us >= ? AND x.at_us < ? AND NOT EXISTS (SELECT 1 FROM provenance_source s WHERE s.node = x.id)""",
        (first, last),
    ).fetchall()
    rows = [
        (number,)
        for number, kind, label, metadata, at_us in happened
        if (adapter := msgspec.json.decode(metadata).get("source")) and wanted.takes(kind, adapter, label, at_us)
    ]
    connection.executemany("DELETE FROM provenance_edge WHERE source = ?1 OR target = ?1", rows)
    connection.executemany("DELETE FROM provenance_node WHERE id = ?", rows)
    return {"raw_event": gone, "provenance_node": len(rows), "signal": counts}


def remove_naming(connection: Connection, pattern: re.Pattern[str]) -> int:
    """Removes every event whose words name somebody; returns how many (inside a write transaction)."""
    rows: list[Any] = connection.execute(
        f"SELECT x.id, {opened('x.reference', 'x.id')}, {opened('x.metadata', 'x.id')} FROM raw_event x"
    ).fetchall()
    gone = [(number,) for number, *told in rows if any(pattern.search(one) for one in told)]
    connection.executemany("DELETE FROM raw_event WHERE id = ?", gone)
    return len(gone)
