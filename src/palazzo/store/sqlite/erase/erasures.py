"""Which memories an erasure takes, and erasures on record: written down before one begins, struck off when it is
complete.

Owns the conditions (by id, place, time, source or writer, through a SqliteReading like everything else) and the tables
erasure, erasure_memory and erasure_stretch. They hold ids, positions and, for a person, the name to forget, never
content. Invariants: what the reader may not see is never selected; an erasure is on record from the transaction in
which its memories are chosen until every copy of them is gone, so a process that ends in between leaves the next one
enough to finish; where a purged memory came from is on record from the transaction that purged it, because nothing else
in the palace knows it then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import apsw

from palazzo.store.api import Erasing, Selection, Stretches
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading, SQLValue, bound, glob_condition
from palazzo.store.sqlite.writing import SqliteWriting

WHOLE = (-1, -1)
"""Stands for a source of which no stretch is known."""

TABLES: tuple[str, ...] = (
    """CREATE TABLE erasure (
        id INTEGER PRIMARY KEY, begun_us INTEGER NOT NULL, subject TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('memories', 'user', 'everything')), user TEXT NOT NULL,
        names TEXT NOT NULL, pseudonym TEXT NOT NULL, mentions INTEGER NOT NULL, unreadable INTEGER NOT NULL
    )""",
    """CREATE TABLE erasure_memory (
        erasure INTEGER NOT NULL REFERENCES erasure(id), memory BLOB NOT NULL,
        PRIMARY KEY (erasure, memory)
    ) WITHOUT ROWID""",
    """CREATE TABLE erasure_stretch (
        node BLOB NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
        PRIMARY KEY (node, span_start, span_end)
    ) WITHOUT ROWID""",
)  # fmt: skip


def begin(connection: apsw.Connection, intent: Erasing, memories: Iterable[UUID], now_us: int) -> int:
    """Puts an erasure on record with the memories it is to take (inside a write transaction); returns its number."""
    connection.execute(
        """INSERT INTO erasure(begun_us, subject, kind, user, names, pseudonym, mentions, unreadable)
           VALUES (?,?,?,?,?,?,?,?)""",
        (
            now_us, intent.subject, intent.kind, intent.user, "\n".join(intent.names), intent.pseudonym,
            intent.mentions, intent.unreadable,
        ),
    )  # fmt: skip
    number = connection.last_insert_rowid()
    connection.executemany(
        "INSERT OR IGNORE INTO erasure_memory VALUES (?,?)", [(number, memory.bytes) for memory in memories]
    )
    return number


def unfinished(connection: apsw.Connection) -> tuple[Erasing, ...]:
    """The erasures that are not complete, oldest first; in a file older than these tables there are none."""
    if one(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'erasure'") is None:
        return ()
    rows: list[Any] = connection.execute(
        "SELECT id, kind, subject, user, names, pseudonym, mentions, unreadable FROM erasure ORDER BY id"
    ).fetchall()
    return tuple(
        Erasing(
            number=number, kind=kind, subject=subject, user=user, names=tuple(filter(None, names.split("\n"))),
            pseudonym=pseudonym, mentions=bool(mentions), unreadable=bool(unreadable),
        )
        for number, kind, subject, user, names, pseudonym, mentions, unreadable in rows
    )  # fmt: skip


def owed(connection: apsw.Connection) -> bool:
    """Whether memories were purged whose words may still stand in the archive."""
    if one(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'erasure_stretch'") is None:
        return False
    return one(connection, "SELECT 1 FROM erasure_stretch LIMIT 1") is not None


def waiting(connection: apsw.Connection, number: int, limit: int) -> tuple[UUID, ...]:
    """Memories an erasure has still to purge. Uses the primary key and the unique index on memory.uuid."""
    rows = connection.execute(
        """SELECT e.memory FROM erasure_memory e JOIN memory m ON m.uuid = e.memory
           WHERE e.erasure = ? ORDER BY m.id LIMIT ?""",
        (number, limit),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def taken(connection: apsw.Connection, number: int) -> tuple[UUID, ...]:
    """Every memory of an erasure, purged or not."""
    rows = connection.execute("SELECT memory FROM erasure_memory WHERE erasure = ?", (number,))
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def owe(writing: SqliteWriting) -> None:
    """Notes where the memories this job purged came from, before their provenance goes with them."""
    purged = writing.purged
    known: list[Any] = writing.connection.execute(
        "SELECT id, uuid FROM provenance_node WHERE id IN (SELECT value FROM carray(?))", (bound(sorted(purged.nodes)),)
    ).fetchall()
    nodes = dict(known)
    spans = {node: {WHOLE} for node in purged.nodes - {node for node, _, _ in purged.stretches}}
    for node, start, end in purged.stretches:
        spans.setdefault(node, set()).add((start, end))
    writing.connection.executemany(
        "INSERT OR IGNORE INTO erasure_stretch VALUES (?,?,?)",
        [(nodes[node], *span) for node, found in spans.items() for span in sorted(found)],
    )


def stretches(connection: apsw.Connection) -> dict[UUID, Stretches | None]:
    """What purged memories were made from, by happening; None for one that no memory comes from any more.

    Uses the unique index on provenance_node.uuid and provenance_source_node.
    """
    found: dict[UUID, list[tuple[int, int]]] = {}
    rows = connection.execute("SELECT node, span_start, span_end FROM erasure_stretch ORDER BY node, span_start")
    for node, start, end in rows:
        known = found.setdefault(UUID(bytes=node), [])
        if (start, end) != WHOLE:
            known.append((start, end))
    return {node: None if _silent(connection, node) else tuple(spans) for node, spans in found.items()}


def _silent(connection: apsw.Connection, node: UUID) -> bool:
    row = one(
        connection,
        "SELECT 1 FROM provenance_node n JOIN provenance_source s ON s.node = n.id WHERE n.uuid = ? LIMIT 1",
        (node.bytes,),
    )
    return row is None


def settle(connection: apsw.Connection, nodes: Iterable[UUID]) -> None:
    """Strikes off where purged memories came from: the archive has nothing of it any more."""
    connection.executemany("DELETE FROM erasure_stretch WHERE node = ?", [(node.bytes,) for node in nodes])


def end(connection: apsw.Connection, number: int) -> None:
    """Strikes off an erasure that is complete."""
    connection.execute("DELETE FROM erasure_memory WHERE erasure = ?", (number,))
    connection.execute("DELETE FROM erasure WHERE id = ?", (number,))


def strike_off_all(connection: apsw.Connection) -> None:
    """Empties the record: for a copy of the palace that has no archive of its own."""
    for table in ("erasure_stretch", "erasure_memory", "erasure"):
        connection.execute(f"DELETE FROM {table}")


def select_memories(reading: SqliteReading, wanted: Selection) -> tuple[UUID, ...]:
    """Ids of visible memories that are wanted, oldest first."""
    condition, values = _condition(wanted)
    rows = reading.connection.execute(
        f"SELECT m.uuid FROM {reading.source} WHERE {reading.where} AND {condition} ORDER BY m.id",
        (*reading.values, *values),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def count_selected(reading: SqliteReading, wanted: Selection) -> int:
    """How many visible memories are wanted."""
    condition, values = _condition(wanted)
    rows = reading.connection.execute(
        f"SELECT count(*) FROM {reading.source} WHERE {reading.where} AND {condition}", (*reading.values, *values)
    )
    return int(next(rows)[0])


def _condition(wanted: Selection) -> tuple[str, tuple[SQLValue, ...]]:
    parts: list[str] = []
    values: list[SQLValue] = []
    if wanted.memories:
        parts.append(f"m.uuid IN ({','.join('?' * len(wanted.memories))})")
        values += [memory.bytes for memory in wanted.memories]
    if wanted.place is not None:
        condition, ends = glob_condition(wanted.place)
        parts.append(condition)
        values += ends
        if wanted.place.slice is not None:
            parts.append("r.valid_from_us >= ? AND r.valid_from_us < ?")
            values += wanted.place.slice.bounds_us()
    for column, bound_us in (("m.created_us >= ?", wanted.after_us), ("m.created_us < ?", wanted.before_us)):
        if bound_us is not None:
            parts.append(column)
            values.append(bound_us)
    if wanted.source:
        parts.append(
            """EXISTS (SELECT 1 FROM revision v JOIN provenance_source s ON s.revision = v.id
               JOIN provenance_node n ON n.id = s.node WHERE v.memory = m.id
               AND (n.label = ? OR substr(n.label, 1, ?) = ? OR lower(hex(n.uuid)) = ?))"""
        )
        below = wanted.source + "/"
        values += [wanted.source, len(below), below, wanted.source.replace("-", "").lower()]
    if wanted.subject:
        parts.append(
            """EXISTS (SELECT 1 FROM tag_move t JOIN event v ON v.seq = t.seq
               WHERE t.memory = m.id AND t.tag = 'current' AND v.subject = ?)"""
        )
        values.append(wanted.subject)
    return " AND ".join(parts) or ("1" if wanted.everything else "0"), tuple(values)
