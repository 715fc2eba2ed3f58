"""Tags: mutable pointers from a memory to one of its revisions. Each move is a row with an interval.

Invariants: at most one open interval per memory and tag; `initial` is always revision 1 and cannot be moved; moving
`current` also moves `memory.current`, in the same transaction.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from palazzo.errors import InvalidInput, NotFound
from palazzo.model.address import Kref
from palazzo.model.memory import TagMove
from palazzo.store.sql.port import one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.writing import SqlWriting

RESERVED = frozenset({"current", "initial"})


def point(writing: SqlWriting, memory: int, tag: str, revision: int, seq: int) -> None:
    """Closes the tag's open interval and opens one at `revision` (row numbers)."""
    if tag == "initial":
        raise InvalidInput("the tag 'initial' always names the first revision", field="tag", hint="use another name")
    execute = writing.connection.execute
    execute(
        "UPDATE tag_move SET until_us = ? WHERE memory = ? AND tag = ? AND until_us IS NULL",
        (writing.now_us, memory, tag),
    )
    execute(
        "INSERT INTO tag_move(memory, tag, seq, revision, from_us) VALUES (?,?,?,?,?)",
        (memory, tag, seq, revision, writing.now_us),
    )
    if tag == "current":
        # An audit speaks of the revision it looked at; another one is fresh until it is looked at itself.
        execute("UPDATE memory SET current = ?, staleness = 0 WHERE id = ?", (revision, memory))


def move(writing: SqlWriting, memory_id: UUID, tag: str, number: int) -> None:
    """Points a tag at a revision by number.

    Raises: NotFound when the memory has no such revision.
    """
    writing.flush()
    memory, _ = writing.memory(memory_id)
    row = writing.connection.execute(
        "SELECT id FROM revision WHERE memory = ? AND number = ?", (memory, number)
    ).fetchone()
    if row is None:
        raise NotFound(f"memory {memory_id} has no revision {number}")
    seq = writing.event("tag_moved", memory_id.bytes, number, {"tag": tag})
    point(writing, memory, tag, row[0], seq)


def remove(writing: SqlWriting, memory_id: UUID, tag: str) -> None:
    """Ends a tag; its history stays.

    Raises: InvalidInput for reserved tags, NotFound when the memory does not carry it.
    """
    if tag in RESERVED:
        raise InvalidInput(f"the tag {tag!r} cannot be removed", field="tag")
    writing.flush()
    memory, _ = writing.memory(memory_id)
    writing.connection.execute(
        "UPDATE tag_move SET until_us = ? WHERE memory = ? AND tag = ? AND until_us IS NULL",
        (writing.now_us, memory, tag),
    )
    if not writing.connection.changes():
        raise NotFound(f"memory {memory_id} has no tag {tag!r}")
    writing.event("tag_removed", memory_id.bytes, None, {"tag": tag})


def resolve(reading: SqlReading, memory: int, kref: Kref) -> int | None:
    """The revision row a kref's query asks for; None when it asks for nothing special.

    Raises: NotFound.
    """
    if kref.revision is not None or kref.tag == "initial":
        number = kref.revision or 1
        row = reading.connection.execute(
            "SELECT id FROM revision WHERE memory = ? AND number = ?", (memory, number)
        ).fetchone()
    elif kref.tag is not None:
        row = _pointed(reading, memory, kref.tag, reading.view.as_of_us)
    elif kref.at is not None:
        row = _pointed(reading, memory, "current", int(kref.at.timestamp() * 1_000_000))
    else:
        return None
    if row is None:
        raise NotFound(f"nothing at {kref}")
    return int(row[0])


def _pointed(reading: SqlReading, memory: int, tag: str, at_us: int | None) -> tuple[int] | None:
    """Where a tag points, now or as of a time: one lookup, not a replay. Uses the primary key of tag_move."""
    condition, times = "until_us IS NULL", []
    if at_us is not None:
        condition, times = "from_us <= ? AND (until_us IS NULL OR until_us > ?)", [at_us, at_us]
    row: tuple[int] | None = one(
        reading.connection,
        f"SELECT revision FROM tag_move WHERE memory = ? AND tag = ? AND {condition} ORDER BY seq DESC LIMIT 1",
        (memory, tag, *times),
    )
    return row


def carried(reading: SqlReading, limit: int) -> tuple[tuple[str, int, int], ...]:
    """Scans the moves that hold: whoever asks wants to see the whole palace. Uses the primary key of tag_move."""
    return reading.tallied(("tags", limit), partial(_carried, reading, limit))


def _carried(reading: SqlReading, limit: int) -> tuple[tuple[str, int, int], ...]:
    at = reading.view.as_of_us
    then = "" if at is None else f" AND t2.from_us <= {int(at)}"
    holds = "t2.until_us IS NULL" if at is None else f"(t2.until_us IS NULL OR t2.until_us > {int(at)})"
    rows: Any = reading.connection.execute(
        f"""SELECT t2.tag, count(*), max(t2.from_us) FROM tag_move t2 JOIN memory m ON m.id = t2.memory
            JOIN place p ON p.id = m.place WHERE {holds}{then} AND t2.tag <> 'current' AND {reading.where}
            GROUP BY t2.tag ORDER BY 2 DESC, t2.tag LIMIT ?""",
        (*reading.values, limit),
    )
    return tuple(rows)


def moves(reading: SqlReading, memory_id: UUID) -> tuple[TagMove, ...]:
    rows = reading.connection.execute(
        f"""SELECT t2.tag, (SELECT number FROM revision WHERE id = t2.revision), t2.from_us, t2.until_us
            FROM {reading.source} JOIN tag_move t2 ON t2.memory = m.id
            WHERE m.uuid = ? AND {reading.where} ORDER BY t2.seq, t2.tag""",
        (memory_id.bytes, *reading.values),
    )
    return tuple(TagMove(*row) for row in rows)
