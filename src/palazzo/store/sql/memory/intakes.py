"""Accounts of what was taken in: per message its fates, without content, found by memory or by the intake's own id.

Owns the table intake. An account is no memory state, so it leaves no journal event; it is written in the transaction
of the memories it speaks of. Invariant: an account is seen only by readers of the scope its message came from, and the
ids in it that this reader may not see are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import NotFound, VersionConflict
from palazzo.model.change import CloseIntake, RecordIntake
from palazzo.model.message import Fate, Intake
from palazzo.store.api import KeptMessage
from palazzo.store.sql.port import Connection, one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.writing import SqlWriting

CHUNK = 200
FIRST = 5
"""Fields every fate has; another memory and a score follow where there are any."""


def record(writing: SqlWriting, change: RecordIntake) -> None:
    """Keeps the account of one message."""
    writing.rows["intake"].append(
        (
            change.intake_id.bytes, change.at_us, writing.now_us, writing.scope(change.scope), change.digest,
            _told(change.fates), change.pending or None,
        )
    )  # fmt: skip


def close(writing: SqlWriting, change: CloseIntake) -> None:
    """Notes that a message is understood, and what became of it. Uses the unique index on intake.uuid.

    Raises: VersionConflict when somebody else was faster.
    """
    told = None if change.fates is None else _told(change.fates)
    writing.connection.execute(
        "UPDATE intake SET pending = NULL, fates = coalesce(?, fates) WHERE uuid = ? AND pending IS NOT NULL",
        (told, change.intake_id.bytes),
    )
    if not writing.connection.changes():
        raise VersionConflict(f"the message {change.intake_id} is understood already")


def _told(fates: Sequence[Fate]) -> str:
    found = [
        (f.start, f.end, f.outcome, f.reason, f.memory_id and f.memory_id.hex)
        + (() if f.other is None and f.score is None else (f.other and f.other.hex, f.score))
        for f in fates
    ]
    return msgspec.json.encode(found).decode()


def backlog(connection: Connection) -> int:
    """How many messages are still to be understood. Uses intake_pending."""
    (count,) = one(connection, "SELECT count(*) FROM intake WHERE pending IS NOT NULL")
    return int(count)


def waiting(connection: Connection, limit: int) -> list[KeptMessage]:
    """The oldest messages that are still to be understood. Uses intake_pending and provenance_source_node."""
    rows: list[Any] = connection.execute(
        """SELECT i.uuid, i.pending, (SELECT min(s.revision) FROM provenance_node n
                  JOIN provenance_source s ON s.node = n.id WHERE n.uuid = i.uuid)
           FROM intake i WHERE i.pending IS NOT NULL ORDER BY i.id LIMIT ?""",
        (limit,),
    ).fetchall()
    return [KeptMessage(UUID(bytes=uuid), told, key or 0) for uuid, told, key in rows]


def taken_in(connection: Connection) -> list[tuple[UUID, int]]:
    rows: list[Any] = connection.execute("SELECT uuid, made_us FROM intake").fetchall()
    return [(UUID(bytes=uuid), made_us) for uuid, made_us in rows]


def _intake(row: Sequence[Any]) -> Intake:
    fates = tuple(
        Fate(
            start=start, end=end, outcome=outcome, reason=reason, memory_id=UUID(memory) if memory else None,
            other=UUID(other) if other else None, score=score,
        )
        for start, end, outcome, reason, memory, other, score in (
            fate if len(fate) > FIRST else (*fate, None, None) for fate in msgspec.json.decode(row[2])
        )
    )  # fmt: skip
    return Intake(UUID(bytes=row[0]), row[1], fates)


def get(reading: SqlReading, intake_id: UUID) -> Intake:
    """One account by its id. Uses the unique index on intake.uuid.

    Raises: NotFound, also when it is of a scope this reader does not see.
    """
    row = reading.connection.execute(
        f"SELECT uuid, at_us, fates FROM intake WHERE uuid = ? AND scope IN ({_scopes(reading)})", (intake_id.bytes,)
    ).fetchone()
    if row is None:
        raise NotFound(f"no intake {intake_id}")
    return _seen(reading, _intake(row))


def of_memory(reading: SqlReading, memory_id: UUID, limit: int = 100) -> tuple[Intake, ...]:
    seen = reading.connection.execute(
        f"SELECT m.id FROM {reading.source} WHERE m.uuid = ? AND {reading.where}", (memory_id.bytes, *reading.values)
    ).fetchone()
    if seen is None:
        raise NotFound(f"no memory {memory_id}")
    rows = reading.connection.execute(
        f"""SELECT DISTINCT i.uuid, i.at_us, i.fates, i.id FROM revision v JOIN provenance_source s ON s.revision = v.id
            JOIN provenance_node n ON n.id = s.node JOIN intake i ON i.uuid = n.uuid
            WHERE v.memory = ? AND i.scope IN ({_scopes(reading)}) ORDER BY i.id LIMIT ?""",
        (seen[0], limit),
    )
    return tuple(_seen(reading, _intake(row[:3])) for row in rows)


def _seen(reading: SqlReading, intake: Intake) -> Intake:
    """The account without the ids this reader may not see; it does not exist for who may see nothing it made."""
    named = {one for fate in intake.fates for one in (fate.memory_id, fate.other) if one is not None}
    if not named:
        return intake
    marks = ",".join("?" * len(named))
    every = [one.bytes for one in named]
    rows = reading.connection.execute(
        f"""SELECT m.uuid FROM memory m JOIN place p ON p.id = m.place
            WHERE m.uuid IN ({marks}) AND NOT (m.scope IN ({_scopes(reading)}) AND {reading.place_where})""",
        (*every, *reading.place_values),
    )
    known = named - {UUID(bytes=found) for (found,) in rows}
    if not known:
        raise NotFound(f"no intake {intake.id}")
    fates = tuple(
        replace(
            fate, memory_id=fate.memory_id if fate.memory_id in known else None,
            other=fate.other if fate.other in known else None,
            score=fate.score if fate.other is None or fate.other in known else None,
        )
        for fate in intake.fates
    )  # fmt: skip
    return replace(intake, fates=fates)


def repeated(
    connection: Connection, digests: Sequence[bytes], since_us: int, *, unchanged: bool = False
) -> dict[bytes, Intake]:
    """The newest account of each of these messages taken in since a moment. Uses intake_digest.

    With `unchanged`, only of those whose memories are as the message left them: what was forgotten or revised since
    is told anew. The digest carries the message's scope, so nothing leaks.
    """
    found: dict[bytes, Intake] = {}
    for start in range(0, len(digests), CHUNK):
        some = digests[start : start + CHUNK]
        marks = ",".join("?" * len(some))
        rows: list[Any] = connection.execute(
            f"""SELECT uuid, at_us, fates, digest, made_us FROM intake
                WHERE substr(digest, 1, 8) IN ({marks}) AND digest IN ({marks}) AND made_us >= ? ORDER BY id""",
            (*(digest[:8] for digest in some), *some, since_us),
        ).fetchall()
        for *account, digest, made_us in rows:
            intake = _intake(account)
            if not unchanged or _as_left(connection, intake, made_us):
                found[digest] = intake
            else:
                found.pop(digest, None)
    return found


def _as_left(connection: Connection, intake: Intake, made_us: int) -> bool:
    """Whether every memory of an account still holds what it held then. Uses the unique index on memory.uuid."""
    named = {fate.memory_id for fate in intake.fates if fate.memory_id is not None}
    return all(
        connection.execute(
            """SELECT 1 FROM memory m JOIN revision r ON r.id = m.current WHERE m.uuid = ? AND m.state <> 'deleted'
               AND m.deprecated_us IS NULL AND r.created_us <= ?""",
            (one.bytes, made_us),
        ).fetchone()
        for one in named
    )


def _scopes(reading: SqlReading) -> str:
    return ",".join(map(str, reading.scopes)) or "-1"
