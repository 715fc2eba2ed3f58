"""The life of a memory after it is written: access, states, deprecation, moving. Removing it is erasure.py's.

Owns the mutable columns of memory. Invariant: `due_us` is the instant of the next transition by decay, so the sweep
is a range scan over memory_due.
"""

from __future__ import annotations

from uuid import UUID

import apsw

from palazzo.errors import Conflict
from palazzo.model.address import Place
from palazzo.model.change import MoveMemory, RecordAccess, SetDeprecated, SetStaleness, SetState
from palazzo.model.retention import Wear, next_transition
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading
from palazzo.store.sqlite.writing import SqliteWriting


def record_access(writing: SqliteWriting, change: RecordAccess) -> None:
    """Counts an access: the time always, the session only when it is another than the last one."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    writing.connection.execute(
        """UPDATE memory SET accessed_us = max(accessed_us, ?), sessions = sessions + (last_session IS NOT ?),
           last_session = ? WHERE id = ?""",
        (writing.now_us, change.session, change.session, memory),
    )
    _reschedule(writing, memory)
    writing.event("memory_accessed", change.memory_id.bytes)


def _reschedule(writing: SqliteWriting, memory: int) -> None:
    kind, durability, pinned, accessed, sessions, valence, intensity = one(
        writing.connection,
        """SELECT m.kind, m.durability, m.pinned, m.accessed_us, m.sessions, r.valence, r.intensity
           FROM memory m JOIN revision r ON r.id = m.current WHERE m.id = ?""",
        (memory,),
    )
    wear = Wear(
        kind=writing.kinds.get(kind), durability=durability, sessions=sessions, arousal=abs(valence) * intensity,
        pinned=bool(pinned),
    )  # fmt: skip
    transition = next_transition(wear, max(0, writing.now_us - accessed))
    due = accessed + transition[1] if transition else None
    writing.connection.execute("UPDATE memory SET due_us = ? WHERE id = ?", (due, memory))


def set_state(writing: SqliteWriting, change: SetState) -> None:
    """Moves a memory to a state of its life. Deleting is soft: it can be restored until it is purged."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    (before,) = one(writing.connection, "SELECT state FROM memory WHERE id = ?", (memory,))
    if before == change.state:
        return
    writing.connection.execute("UPDATE memory SET state = ? WHERE id = ?", (change.state, memory))
    _reschedule(writing, memory)
    kind = (
        "memory_forgotten" if change.state == "deleted"
        else "memory_restored" if before == "deleted"
        else "state_changed"
    )  # fmt: skip
    writing.event(kind, change.memory_id.bytes, None, {"from": before, "to": change.state, "reason": change.reason})  # type: ignore[arg-type]


def set_deprecated(writing: SqliteWriting, change: SetDeprecated) -> None:
    """Marks a memory as no longer believed, or believed again."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    writing.connection.execute(
        "UPDATE memory SET deprecated_us = ? WHERE id = ?", (writing.now_us if change.deprecated else None, memory)
    )
    kind = "memory_deprecated" if change.deprecated else "memory_undeprecated"
    writing.event(kind, change.memory_id.bytes, None, {"reason": change.reason} if change.reason else None)  # type: ignore[arg-type]


def set_staleness(writing: SqliteWriting, change: SetStaleness) -> None:
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    writing.connection.execute("UPDATE memory SET staleness = ? WHERE id = ?", (change.staleness, memory))
    writing.event("staleness_set", change.memory_id.bytes, None, {"staleness": round(change.staleness, 4)})


def move(writing: SqliteWriting, change: MoveMemory) -> None:
    """Puts a memory at another place.

    Raises: Conflict when its name is taken there.
    """
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    try:
        writing.connection.execute("UPDATE memory SET place = ? WHERE id = ?", (writing.place(change.place), memory))
    except apsw.ConstraintError as error:
        raise Conflict(f"{change.place.path} already has a memory of this name and kind") from error
    writing.event("memory_moved", change.memory_id.bytes, None, {"place": change.place.path})


def due(connection: apsw.Connection, now_us: int, limit: int = 1000) -> tuple[UUID, ...]:
    """Memories whose next transition by decay is due, oldest first: a range scan of memory_due."""
    rows = connection.execute(
        "SELECT uuid FROM memory WHERE due_us IS NOT NULL AND due_us <= ? ORDER BY due_us LIMIT ?", (now_us, limit)
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def stalest(reading: SqliteReading, limit: int = 5) -> tuple[tuple[UUID, float], ...]:
    """Visible memories flagged as stale, most severe first. Uses memory_stale."""
    rows = reading.connection.execute(
        f"""SELECT m.uuid, m.staleness FROM main.memory m INDEXED BY memory_stale JOIN place p ON p.id = m.place
            WHERE m.staleness > 0.7 AND m.id IN (SELECT id FROM memory) AND {reading.where}
            ORDER BY m.staleness DESC LIMIT ?""",
        (*reading.values, limit),
    )
    return tuple((UUID(bytes=uuid), staleness) for uuid, staleness in rows)


def at_place(reading: SqliteReading, place: Place, limit: int = 100) -> tuple[UUID, ...]:
    """Ids of the visible memories standing at exactly this place. Uses memory_address."""
    rows = reading.connection.execute(
        f"""SELECT m.uuid FROM memory m JOIN place p ON p.id = m.place
            WHERE m.place = (SELECT id FROM place WHERE path = ?) AND {reading.where} LIMIT ?""",
        (place.path, *reading.values, limit),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)
