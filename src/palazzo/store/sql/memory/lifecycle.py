"""The life of a memory after it is written: access, states, deprecation, moving, corrections; and trails, the visits to
places.

Owns the mutable columns of memory and the table correction: in which contexts (the vector of a cue, at half precision)
a memory was wrong, so that recall leaves it out there and nowhere else. There is one trail a day unless it is named.
Removing a memory is erasure.py's. Invariants: `due_us` is the instant of the next transition by decay, of a forgotten
memory the one it was forgotten at, so the sweep is a range scan over memory_due; a correction names a memory that
exists, and purging the memory removes it.

Also owns in_mind: what readers have in mind between two calls, which memories, how present each is and when that was.
It names memories and holds no words. Invariants: a row belongs to one scope and one subject and is read by them alone;
losing the table loses no memory, only warmth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, NotFound, VersionConflict
from palazzo.model.capability import View
from palazzo.model.change import (
    AddKind,
    CompleteMemory,
    MoveMemory,
    RecordAccess,
    RecordCorrection,
    SetDeprecated,
    SetKeeping,
    SetStaleness,
    SetState,
    VisitPlace,
)
from palazzo.model.kinds import Kind, KindTable
from palazzo.model.memory import TIERS
from palazzo.model.retention import Wear, next_transition
from palazzo.store.api import Fading, LeftInMind, Look, Presence, Use
from palazzo.store.sql import indexes
from palazzo.store.sql.memory import memories, places
from palazzo.store.sql.memory.memories import Owner, attach, columns_of
from palazzo.store.sql.port import Clash, Connection, bound, one
from palazzo.store.sql.reading import SqlReading, scope_id
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.writing import SqlWriting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def record_access(writing: SqlWriting, change: RecordAccess) -> None:
    """Counts an access: the time always, the session only when it is another than the last one."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    _used(writing.connection, memory, change.session, writing.now_us)
    _reschedule(writing.connection, writing.kinds, memory, writing.now_us)
    writing.event("memory_accessed", change.memory_id.bytes)


def keep_looks(connection: Connection, looks: Iterable[Look]) -> None:
    """Keeps what was found in texts with their revisions, as far as these still say what they said."""
    told = [(look.found, look.key, look.content_hash) for look in looks]
    connection.executemany("UPDATE revision SET looked = ? WHERE id = ? AND hash = ?", told)


def keep_uses(connection: Connection, uses: Sequence[Use], kinds: KindTable) -> None:
    """Counts that memories were read, each by the day it was, and leaves breadcrumbs there. Uses the unique index on
    memory.uuid.

    It changes no answer, so there is no event of it; what is gone meanwhile has nothing to count.
    """
    if uses:
        places.drop_old_trails(connection, uses[-1].at_us)
    for use in uses:
        row = connection.execute("SELECT id, place FROM memory WHERE uuid = ?", (use.memory_id.bytes,)).fetchone()
        if row is not None:
            places.leave(connection, places.crumbs(use.at_us, use.subject, [(row[1], row[0])]))
            _used(connection, row[0], f"{datetime.fromtimestamp(use.at_us / 1e6, UTC):%Y-%m-%d}", use.at_us)
            _reschedule(connection, kinds, row[0], use.at_us)


def _used(connection: Connection, memory: int, session: str, at_us: int) -> None:
    connection.execute(
        """UPDATE memory SET accessed_us = max(accessed_us, ?),
               sessions = sessions + CASE WHEN last_session IS NOT ? THEN 1 ELSE 0 END,
           last_session = ? WHERE id = ?""",
        (at_us, session, session, memory),
    )


def _reschedule(connection: Connection, kinds: KindTable, memory: int, now_us: int) -> None:
    row: Any = one(connection, f"SELECT m.state, {_WORN} FROM {_WEARING} WHERE m.id = ?", (memory,))
    if row[0] == "deleted":
        return
    accessed, wear = _wear(kinds, row[1:])
    transition = next_transition(wear, max(0, now_us - accessed))
    due = accessed + transition[1] if transition else None
    connection.execute("UPDATE memory SET due_us = ? WHERE id = ?", (due, memory))


_WORN = "m.accessed_us, m.kind, m.durability, m.pinned, m.sessions, r.importance, r.valence, r.intensity"
_WEARING = "memory m JOIN revision r ON r.id = m.current"


def _wear(kinds: KindTable, row: tuple[Any, ...]) -> tuple[int, Wear]:
    """When a memory was used last, and how fast it fades."""
    accessed, kind, durability, pinned, sessions, importance, valence, intensity = row
    return accessed, Wear(
        kind=kinds.get(kind), durability=durability, sessions=sessions, arousal=abs(valence) * intensity,
        importance=importance, pinned=bool(pinned),
    )  # fmt: skip


def complete(writing: SqlWriting, change: CompleteMemory) -> int | None:
    """Fills in what was not known when a memory was kept; its number when that makes it more guarded.

    Raises: NotFound, VersionConflict when it was revised or forgotten since.
    """
    row: Any = writing.connection.execute(
        f"""SELECT m.id, m.scope, m.kind, m.tier, m.name, m.state, m.accessed_us, m.pinned, m.durability, m.sessions,
                   r.id, r.number, r.created_us, {opened("r.text", "r.id")}
            FROM memory m JOIN revision r ON r.id = m.current WHERE m.uuid = ?""",
        (change.memory_id.bytes,),
    ).fetchone()
    if row is None:
        raise NotFound(f"no memory {change.memory_id}")
    memory, scope, kind, tier, name, state, *worn, revision, number, created_us, text = row
    if number != 1 or state == "deleted":
        raise VersionConflict(f"memory {change.memory_id} was changed since it was kept")
    content = replace(change.content, text=text)
    owner = Owner(change.memory_id, memory, scope, kind, number, tier, name)
    cipher = writing.cipher if tier != "clear" else None
    found = () if cipher is not None else indexes.indexed_terms(content, kind)[1:]
    writing.texts += [(indexes.partition(scope, field), revision, words) for field, words in found]
    writing.rows["completed"].append((*columns_of(content, owner, created_us, revision, cipher), revision))
    attach(writing, change.attachments, owner, revision)
    accessed, pinned, durability, sessions = worn
    wear = Wear(
        kind=writing.kinds.get(kind), durability=durability, sessions=sessions, arousal=content.affect.arousal,
        importance=content.importance, pinned=bool(pinned),
    )  # fmt: skip
    transition = next_transition(wear, max(0, writing.now_us - accessed))
    writing.rows["rescheduled"].append((accessed + transition[1] if transition else None, memory))
    writing.event("memory_completed", change.memory_id.bytes, number, change.attachments.noted)
    if TIERS.index(change.tier) <= TIERS.index(tier):
        return None
    writing.flush()
    writing.connection.execute("UPDATE memory SET tier = ? WHERE id = ?", (change.tier, memory))
    return int(memory)


def set_state(writing: SqlWriting, change: SetState) -> None:
    """Moves a memory to a state of its life. Deleting is soft: it can be restored until it is purged."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    (before,) = one(writing.connection, "SELECT state FROM memory WHERE id = ?", (memory,))
    if before == change.state:
        _reschedule(writing.connection, writing.kinds, memory, writing.now_us)
        return
    writing.connection.execute(
        "UPDATE memory SET state = ?, due_us = ? WHERE id = ?", (change.state, writing.now_us, memory)
    )
    _reschedule(writing.connection, writing.kinds, memory, writing.now_us)
    kind = (
        "memory_forgotten" if change.state == "deleted"
        else "memory_restored" if before == "deleted"
        else "state_changed"
    )  # fmt: skip
    writing.event(kind, change.memory_id.bytes, None, {"from": before, "to": change.state, "reason": change.reason})  # type: ignore[arg-type]


def set_keeping(writing: SqlWriting, change: SetKeeping) -> None:
    """Says how a memory fades from now on; it is as if it had just been used."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    kept = change.durability is None
    (before,) = one(writing.connection, "SELECT durability FROM memory WHERE id = ?", (memory,))
    writing.connection.execute(
        """UPDATE memory SET pinned = coalesce(?, pinned), durability = CASE WHEN ? THEN durability ELSE ? END,
           accessed_us = ? WHERE id = ?""",
        (change.pinned, kept, None if change.durability == "kind" else change.durability, writing.now_us, memory),
    )
    _reschedule(writing.connection, writing.kinds, memory, writing.now_us)
    told = {"pinned": change.pinned, "durability": change.durability, "before": before or "kind"}
    writing.event("keeping_set", change.memory_id.bytes, None, told)


def add_kind(writing: SqlWriting, change: AddKind) -> None:
    """Keeps a kind of the palace's own.

    Raises: Conflict when there is another of that name.
    """
    if change.kind.name in writing.kinds:
        if writing.kinds.get(change.kind.name) != change.kind:
            raise Conflict(f"there already is a kind {change.kind.name!r}", hint="choose another name")
        return
    told = msgspec.json.encode(change.kind).decode()
    added = "INSERT OR IGNORE INTO own_kind VALUES (?,?,?,?)"
    writing.connection.execute(added, (change.kind.name, told, writing.now_us, writing.subject))
    writing.event("kind_added", None, None, {"kind": change.kind.name})


def own_kinds(connection: Connection) -> dict[str, Kind]:
    """The kinds that people of this palace added, by name."""
    rows: Any = connection.execute("SELECT name, told FROM own_kind")
    return {name: msgspec.json.decode(told, type=Kind) for name, told in rows}


def set_deprecated(writing: SqlWriting, change: SetDeprecated) -> None:
    """Marks a memory as no longer believed, or believed again.

    Raises: VersionConflict when `expected` is no longer current.
    """
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    if change.expected is not None:
        row = one(
            writing.connection,
            "SELECT r.number FROM memory m JOIN revision r ON r.id = m.current WHERE m.id = ?",
            (memory,),
        )
        if row[0] != change.expected:
            raise VersionConflict(f"memory {change.memory_id} is at revision {row[0]}, not {change.expected}")
    writing.connection.execute(
        "UPDATE memory SET deprecated_us = ? WHERE id = ?", (writing.now_us if change.deprecated else None, memory)
    )
    kind = "memory_deprecated" if change.deprecated else "memory_undeprecated"
    writing.event(kind, change.memory_id.bytes, None, {"reason": change.reason} if change.reason else None)  # type: ignore[arg-type]


def set_staleness(writing: SqlWriting, change: SetStaleness) -> None:
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    writing.connection.execute("UPDATE memory SET staleness = ? WHERE id = ?", (change.staleness, memory))
    writing.event("staleness_set", change.memory_id.bytes, None, {"staleness": round(change.staleness, 4)})


def move(writing: SqlWriting, change: MoveMemory) -> None:
    """Puts a memory at another place.

    Raises: Conflict when its name is taken there.
    """
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    try:
        writing.connection.execute("UPDATE memory SET place = ? WHERE id = ?", (writing.place(change.place), memory))
    except Clash as error:
        raise Conflict(f"{change.place.path} already has a memory of this name and kind") from error
    writing.event("memory_moved", change.memory_id.bytes, None, {"place": change.place.path})


def due(connection: Connection, kinds: KindTable, now_us: int, forgotten_us: int, limit: int) -> tuple[Fading, ...]:
    """Memories whose next transition is due, longest due first: a range scan of memory_due."""
    rows: Any = connection.execute(
        f"""SELECT m.uuid, m.state, {_WORN} FROM {_WEARING}
            WHERE m.due_us <= ? AND (m.state <> 'deleted' OR m.due_us <= ?) ORDER BY m.due_us LIMIT ?""",
        (now_us, forgotten_us, limit),
    )
    return tuple(Fading(UUID(bytes=uuid), state, *_wear(kinds, rest)) for uuid, state, *rest in rows)


def count_due(connection: Connection, now_us: int) -> int:
    counted = "SELECT count(*) FROM memory WHERE due_us <= ? AND state <> 'deleted'"
    return int(one(connection, counted, (now_us,))[0])


def tally(connection: Connection) -> tuple[tuple[str, str, int], ...]:
    rows: Any = connection.execute("SELECT kind, state, count(*) FROM memory GROUP BY kind, state")
    return tuple(rows)


def fading(connection: Connection, kinds: KindTable, memory_id: UUID) -> Fading | None:
    found: Any = connection.execute(f"SELECT m.state, {_WORN} FROM {_WEARING} WHERE m.uuid = ?", (memory_id.bytes,))
    row = found.fetchone()
    return Fading(memory_id, row[0], *_wear(kinds, row[1:])) if row else None


def stalest(reading: SqlReading, limit: int = 5) -> tuple[tuple[UUID, float], ...]:
    """Visible memories flagged as stale, most severe first. Uses memory_stale."""
    rows = reading.connection.execute(
        f"""SELECT m.uuid, m.staleness FROM main.memory m INDEXED BY memory_stale JOIN place p ON p.id = m.place
            WHERE m.staleness > 0.7 AND m.id IN (SELECT id FROM memory) AND {reading.where}
            ORDER BY m.staleness DESC LIMIT ?""",
        (*reading.values, limit),
    )
    return tuple((UUID(bytes=uuid), staleness) for uuid, staleness in rows)


def record_correction(writing: SqlWriting, change: RecordCorrection) -> None:
    """Writes down that a memory was wrong in a context.

    Raises: NotFound.
    """
    import numpy as np

    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    context = np.asarray(change.context, np.float16).tobytes()
    writing.connection.execute(
        "INSERT OR REPLACE INTO correction VALUES (?,?,?,?)", (memory, writing.now_us, change.space, context)
    )
    writing.event("memory_corrected", change.memory_id.bytes)


def corrections_against(
    reading: SqlReading, keys: Sequence[int], space: str, since_us: int
) -> list[tuple[int, NDArray[np.float32]]]:
    """Key and context of the corrections of these visible revisions since a moment. Uses the primary key.

    Most palaces have none, which is asked once between two writes.
    """
    import numpy as np

    def there_are() -> bool:
        return reading.connection.execute("SELECT 1 FROM correction LIMIT 1").fetchone() is not None

    if not reading.held("corrections", there_are):
        return []

    rows = reading.connection.execute(
        f"""SELECT r.id, x.context FROM {reading.source} JOIN correction x ON x.memory = m.id
            WHERE r.id IN (SELECT value FROM carray(?)) AND {reading.where} AND x.at_us >= ? AND x.space = ?""",
        (bound(keys), *reading.values, since_us, space),
    )
    return [(key, np.frombuffer(context, np.float16).astype(np.float32)) for key, context in rows]


def visit_place(writing: SqlWriting, change: VisitPlace) -> None:
    """Leaves a breadcrumb."""
    memory = writing.memory(change.memory_id)[0] if change.memory_id else 0
    visits = [(writing.place(change.place), memory)]
    places.leave(writing.connection, places.crumbs(writing.now_us, writing.subject, visits, change.trail))


def left_in_mind(reading: SqlReading) -> LeftInMind | None:
    """What this reader left in mind; None if nothing was kept. Uses the primary key of in_mind."""
    rows: list[Any] = reading.connection.execute(
        f"""SELECT m.uuid, x.activation, x.touched_us, x.source, x.saved_us FROM {_KEPT}
            JOIN memory m ON m.id = x.memory""",
        _whose(reading),
    ).fetchall()
    if not rows:
        return None
    held = [Presence(UUID(bytes=uuid), *presence) for uuid, *presence, _ in rows]
    return seen_in_mind(reading, held, max(row[4] for row in rows))


def kept_in_mind_us(reading: SqlReading) -> int:
    (found,) = one(reading.connection, f"SELECT coalesce(max(x.saved_us), 0) FROM {_KEPT}", _whose(reading))
    return int(found)


def seen_in_mind(reading: SqlReading, held: Sequence[Presence], at_us: int) -> LeftInMind:
    """Those of these memories that this reader sees, as they are now. Uses the unique index on memory.uuid."""
    presence = {found.memory_id.bytes: found for found in held}
    rows: list[Any] = reading.connection.execute(
        f"""SELECT r.id, m.uuid FROM {reading.source}
            WHERE m.uuid IN ({",".join("?" * len(presence))}) AND {reading.where}""",
        (*presence, *reading.values),
    ).fetchall()
    loaded = memories.by_keys(reading, [key for key, _ in rows])
    return LeftInMind(tuple((loaded[key], presence[uuid]) for key, uuid in rows if key in loaded), at_us)


_KEPT = """(SELECT * FROM in_mind WHERE scope = (SELECT id FROM scope WHERE path = ?) AND subject = ?) x"""


def _whose(reading: SqlReading) -> tuple[str, str]:
    return str(reading.view.scope), reading.view.subject


def keep_in_mind(
    connection: Connection, view: View, held: Sequence[Presence], now_us: int, forgotten_us: int
) -> None:  # fmt: skip
    """Keeps what a reader has in mind instead of what it had before (inside a write transaction).

    What anybody left before `forgotten_us` goes as well.
    """
    scope = scope_id(connection, view.scope)
    connection.execute(
        "DELETE FROM in_mind WHERE (scope = ? AND subject = ?) OR saved_us < ?", (scope, view.subject, forgotten_us)
    )
    connection.executemany(
        """INSERT OR REPLACE INTO in_mind(scope, subject, memory, activation, touched_us, source, saved_us)
           SELECT ?, ?, id, ?, ?, ?, ? FROM memory WHERE uuid = ?""",
        [(scope, view.subject, *known[1:], now_us, known.memory_id.bytes) for known in held],
    )
