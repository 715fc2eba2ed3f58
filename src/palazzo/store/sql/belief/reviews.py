"""What was found about a memory after it was written: staleness audits and their queue, freshness, outcomes, signals of
behaviour.

Owns the rows of staleness_audit, freshness, outcome and signal, and `freshness.next_us` as a queue, which acts for the
palace's own pass, below all views, and returns ids and scopes, never content. Knows no policy: figures come in
finished. Invariants: an audit is never changed once made, only answered once; scheduling writes no event and moves no
posterior, so it may be repeated; a memory that is sealed, deprecated, forgotten or a verbatim turn is never in the
queue's answer; counts of signals only grow, and a window is read per scope path, so one tenant's habits never speak
about another's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

import msgspec

from palazzo.errors import Conflict, NotFound
from palazzo.model.belief import AddSignals, Axes, RecordAudit, RecordOutcome, ResolveAudit
from palazzo.model.capability import DAY_US
from palazzo.model.graph import IMPACT_KINDS
from palazzo.model.scope import Scope
from palazzo.store.api import AUDIT_CURSOR, Doubt, Freshness, QueueStep
from palazzo.store.sql import journal
from palazzo.store.sql.memory import memories
from palazzo.store.sql.port import Connection, PalaceDatabase, bound, one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.writing import SqlWriting


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """One look at whether a memory still holds."""

    memory_id: UUID
    at_us: int
    axes: Axes
    severity: float
    evidence: str
    resolution: str | None


def record_audit(writing: SqlWriting, change: RecordAudit) -> None:
    """Keeps an audit, the memory's staleness and the time of the next look together."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    execute = writing.connection.execute
    execute(
        """INSERT INTO staleness_audit(memory, revision, at_us, semantic, temporal, behavioral, severity, evidence)
           VALUES (?, (SELECT current FROM memory WHERE id = ?1), ?, ?, ?, ?, ?, ?)""",
        (
            memory, writing.now_us, change.axes.semantic, change.axes.temporal, change.axes.behavioral,
            change.severity, change.evidence,
        ),
    )  # fmt: skip
    execute(
        """INSERT INTO freshness(memory, next_us) VALUES (?, ?)
           ON CONFLICT (memory) DO UPDATE SET next_us = excluded.next_us""",
        (memory, change.next_us),
    )
    execute("UPDATE memory SET staleness = ? WHERE id = ?", (change.severity, memory))
    writing.event("staleness_audited", change.memory_id.bytes, None, {"severity": round(change.severity, 4)})


def resolve_audit(writing: SqlWriting, change: ResolveAudit) -> None:
    """Answers the newest audit of a memory and moves the posterior; `reopen` takes that answer back.

    Raises: NotFound when the memory was never audited, Conflict when the audit is answered, or is not and is reopened.
    """
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    row = writing.connection.execute(
        "SELECT id, resolution FROM staleness_audit WHERE memory = ? ORDER BY at_us DESC, id DESC LIMIT 1", (memory,)
    ).fetchone()
    if row is None:
        raise NotFound(f"memory {change.memory_id} was never audited")
    if change.resolution == "reopen":
        _reopen(writing, change, memory, row)
        return
    if row[1] is not None:
        raise Conflict(f"the audit of memory {change.memory_id} is answered already: {row[1]}")
    execute = writing.connection.execute
    execute(
        "UPDATE staleness_audit SET resolution = ?, resolved_us = ? WHERE id = ?",
        (change.resolution, writing.now_us, row[0]),
    )
    fresh = int(change.resolution == "dismiss")
    execute(
        "UPDATE freshness SET fresh = fresh + ?, stale = stale + ?, next_us = ? WHERE memory = ?",
        (fresh, 1 - fresh, change.next_us, memory),
    )
    execute("UPDATE memory SET staleness = 0 WHERE id = ?", (memory,))
    writing.event("staleness_resolved", change.memory_id.bytes, None, {"resolution": change.resolution})


def _reopen(writing: SqlWriting, change: ResolveAudit, memory: int, row: tuple[Any, ...]) -> None:
    number, resolution = row
    if resolution is None:
        raise Conflict(f"the audit of memory {change.memory_id} has no answer to take back")
    execute = writing.connection.execute
    execute("UPDATE staleness_audit SET resolution = NULL, resolved_us = NULL WHERE id = ?", (number,))
    fresh = int(resolution == "dismiss")
    execute(
        "UPDATE freshness SET fresh = fresh - ?, stale = stale - ?, next_us = ? WHERE memory = ?",
        (fresh, 1 - fresh, change.next_us, memory),
    )
    execute(
        "UPDATE memory SET staleness = (SELECT severity FROM staleness_audit WHERE id = ?) WHERE id = ?",
        (number, memory),
    )
    writing.event("staleness_resolved", change.memory_id.bytes, None, {"resolution": change.resolution})


def doubts(reading: SqlReading, keys: Sequence[int]) -> dict[int, Doubt]:
    """The audits behind the caveats of flagged memories, by revision key. Uses staleness_audit_memory.

    An audit of another revision says nothing about this one.
    """
    rows = reading.connection.execute(
        f"""SELECT r.id, a.semantic, a.temporal, a.behavioral, a.evidence
            FROM {reading.source} JOIN staleness_audit a ON a.id = (
                SELECT id FROM staleness_audit WHERE memory = m.id ORDER BY at_us DESC, id DESC LIMIT 1)
            WHERE r.id IN (SELECT value FROM carray(?)) AND a.revision = r.id AND a.resolution IS NULL
              AND {reading.where}""",
        (bound(keys), *reading.values),
    )
    found: dict[int, Doubt] = {}
    kept: list[tuple[int, float, float, float, str]] = list(rows)
    for key, semantic, temporal, behavioral, text in kept:
        evidence = msgspec.json.decode(text, type=dict[str, object])
        axes = Axes(semantic=semantic, temporal=temporal, behavioral=behavioral)
        found[key] = Doubt(axes, evidence, _words(reading, str(evidence.get("contradicted_by", ""))))
    return found


def _words(reading: SqlReading, memory_id: str) -> str:
    if not memory_id:
        return ""
    row = one(
        reading.connection,
        f"""SELECT coalesce({opened("r.key_fact", "r.id")}, {opened("r.text", "r.id")}) FROM {reading.source}
            WHERE m.uuid = ? AND {reading.where}""",
        (UUID(memory_id).bytes, *reading.values),
    )
    return str(row[0]) if row else ""


def last_answer_us(reading: SqlReading) -> int | None:
    found: tuple[int | None] = one(
        reading.connection,
        f"""SELECT max(a.resolved_us) FROM staleness_audit a JOIN memory m ON m.id = a.memory
            JOIN place p ON p.id = m.place WHERE {reading.where}""",
        reading.values,
    )
    return found[0]


def freshness_of(reading: SqlReading, memory_id: UUID) -> Freshness:
    row = one(
        reading.connection,
        """SELECT f.fresh, f.stale, f.next_us, (SELECT max(resolved_us) FROM staleness_audit WHERE memory = f.memory)
           FROM freshness f WHERE f.memory = (SELECT id FROM memory WHERE uuid = ?)""",
        (memory_id.bytes,),
    )
    return Freshness(*row) if row else Freshness()


def record_outcome(writing: SqlWriting, change: RecordOutcome) -> None:
    """Counts one success or failure of relying on a memory."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    good = int(change.success)
    writing.connection.execute(
        """INSERT INTO outcome VALUES (?,?,?,?) ON CONFLICT (memory) DO UPDATE SET
           successes = outcome.successes + excluded.successes,
               failures = outcome.failures + excluded.failures,
           last_us = excluded.last_us""",
        (memory, good, 1 - good, writing.now_us),
    )
    writing.event("outcome_recorded", change.memory_id.bytes, None, {"success": change.success})


def add_signals(writing: SqlWriting, change: AddSignals) -> None:
    """Adds counts to their days."""
    scope = writing.scope(change.scope)
    writing.connection.executemany(
        """INSERT INTO signal VALUES (?,?,?,?,?)
           ON CONFLICT (scope, family, day, dimension) DO UPDATE SET count = signal.count + excluded.count""",
        [(scope, one.family, one.day, one.dimension, one.count) for one in change.signals],
    )
    writing.event("signals_added", None, None, {"count": len(change.signals)})


def signal_window(reading: SqlReading, first_day: int, last_day: int) -> dict[str, dict[str, int]]:
    """Counts by family and dimension over days, both included. Uses the primary key, one range per family."""
    marks = ",".join(map(str, reading.scopes)) or "-1"
    rows = reading.connection.execute(
        f"""SELECT family, dimension, sum(count) FROM signal
            WHERE scope IN ({marks}) AND family IN (SELECT DISTINCT family FROM signal WHERE scope IN ({marks}))
              AND day BETWEEN ? AND ? GROUP BY family, dimension""",
        (first_day, last_day),
    )
    found: dict[str, dict[str, int]] = {}
    for family, dimension, count in rows:
        found.setdefault(family, {})[dimension] = int(count)
    return found


MOST_SHAKEN = 50
"""Older memories that one new memory brings forward at most: those of its slots first."""
MOST_NAMED = 200
"""Memories that name an entity which are looked at for that, the latest ones."""
_LIVE = "m.state IN ('active', 'stale') AND m.deprecated_us IS NULL AND m.kind <> 'exchange' AND p.seal = 'open'"


class Waiting(msgspec.Struct, frozen=True):
    """A memory in the queue, by row number, with what decides when its turn comes."""

    number: int
    kind: str
    fresh: int
    stale: int
    ends_us: int | None = None
    """Until when it says that it holds."""


def take_audits(database: PalaceDatabase, step: QueueStep, turn: Callable[[str, int, int], int]) -> int:
    """Queues what was written, lets what it may contradict be looked at now, and moves the reader's cursor along.

    `turn` gives the time of the next audit by kind and by how often it was found fresh and stale.
    """

    def job(connection: Connection) -> int:
        fresh = written(connection, step.ids)
        put(connection, [(one.number, _first_turn(one, step.now_us, turn)) for one in fresh])
        bring_forward(connection, shaken(connection, [one.number for one in fresh]), step.now_us)
        bring_forward(connection, resting_on(connection, step.gone), step.now_us)
        journal.move_cursor(connection, AUDIT_CURSOR, step.last, step.now_us)
        return len(fresh)

    return database.write(job)


def _first_turn(found: Waiting, now_us: int, turn: Callable[[str, int, int], int]) -> int:
    """By its kind, and no later than a day after the end of what it is about."""
    usual = turn(found.kind, found.fresh, found.stale)
    return usual if found.ends_us is None or found.ends_us <= now_us else min(usual, found.ends_us + DAY_US)


def written(connection: Connection, ids: Sequence[UUID]) -> tuple[Waiting, ...]:
    """The live ones among memories that were written, with their posterior. Uses memory's unique id."""
    found: list[Waiting] = []
    for memory_id in dict.fromkeys(ids):
        row = connection.execute(
            f"""SELECT m.id, m.kind, coalesce(f.fresh, 0), coalesce(f.stale, 0), r.valid_to_us
                FROM memory m JOIN place p ON p.id = m.place JOIN revision r ON r.id = m.current
                LEFT JOIN freshness f ON f.memory = m.id
                WHERE m.uuid = ? AND {_LIVE}""",
            (memory_id.bytes,),
        ).fetchone()
        if row is not None:
            found.append(Waiting(int(row[0]), str(row[1]), int(row[2]), int(row[3]), row[4]))
    return tuple(found)


def shaken(connection: Connection, numbers: Sequence[int]) -> tuple[int, ...]:
    """Older memories that new ones could contradict: of the same slot, or with two entities in common.

    The mirror image of `beliefs.rivals`, without its places: the audit itself looks closer. Uses atom_slot.
    """
    found: dict[int, None] = {}
    for number in numbers:
        rows: list[Any] = connection.execute(
            """SELECT DISTINCT o.memory FROM memory m
               JOIN revision r ON r.id = m.current JOIN atom a ON a.revision = r.id
               JOIN atom b ON b.subject = a.subject AND b.predicate = a.predicate AND b.revision <> a.revision
               JOIN revision o ON o.id = b.revision JOIN memory x ON x.id = o.memory AND x.current = o.id
               WHERE m.id = ?1 AND x.id <> ?1 AND x.scope = m.scope AND o.valid_from_us <= r.valid_from_us LIMIT ?2""",
            (number, MOST_SHAKEN),
        ).fetchall()
        found |= dict.fromkeys(memory for (memory,) in rows)
        found |= dict.fromkeys(islice(_named_together(connection, number), max(0, MOST_SHAKEN - len(rows))))
    return tuple(found)


def _named_together(connection: Connection, number: int) -> Iterator[int]:
    """Older memories with two entities in common, newest first; of an entity that is named all the time, the latest
    memories. Uses mention_revision and the primary key of mention."""
    named = connection.execute(
        "SELECT a.entity, a.revision FROM memory m JOIN mention a ON a.revision = m.current WHERE m.id = ?", (number,)
    ).fetchall()
    times = Counter(
        revision
        for entity, own in named
        for (revision,) in connection.execute(
            "SELECT revision FROM mention WHERE entity = ? AND revision < ? ORDER BY revision DESC LIMIT ?",
            (entity, own, MOST_NAMED),
        ).fetchall()
    )
    for revision in sorted((revision for revision, count in times.items() if count > 1), reverse=True):
        for (memory,) in connection.execute(
            """SELECT x.id FROM memory m JOIN revision r ON r.id = m.current JOIN revision o ON o.id = ?2
               JOIN memory x ON x.id = o.memory AND x.current = o.id
               WHERE m.id = ?1 AND x.id <> ?1 AND x.scope = m.scope AND o.valid_from_us <= r.valid_from_us""",
            (number, revision),
        ).fetchall():
            yield int(memory)


def resting_on(connection: Connection, ids: Sequence[UUID]) -> tuple[int, ...]:
    """The memories that rest directly on some. Uses memory's unique id and edge_target."""
    kinds = ", ".join(f"'{kind}'" for kind in IMPACT_KINDS)
    return tuple(
        int(number)
        for memory_id in dict.fromkeys(ids)
        for (number,) in connection.execute(
            f"""SELECT DISTINCT e.source FROM memory m JOIN edge e ON e.target = m.id AND e.kind IN ({kinds})
                WHERE m.uuid = ? LIMIT ?""",
            (memory_id.bytes, MOST_SHAKEN),
        )
    )


def put(connection: Connection, turns: Iterable[tuple[int, int]]) -> None:
    """Gives memories (by row number) the time of their next audit; an earlier one that is set already stays."""
    connection.executemany(
        """INSERT INTO freshness(memory, next_us) VALUES (?, ?)
           ON CONFLICT (memory) DO UPDATE SET next_us = min(freshness.next_us, excluded.next_us)""",
        list(turns),
    )


def bring_forward(connection: Connection, numbers: Sequence[int], at_us: int) -> int:
    """Lets queued memories be looked at by a time; returns how many that moved."""
    connection.execute(
        "UPDATE freshness SET next_us = ? WHERE next_us > ? AND memory IN (SELECT value FROM carray(?))",
        (at_us, at_us, bound(numbers)),
    )
    return connection.changes()


def audits_due(connection: Connection, now_us: int, limit: int) -> dict[Scope, tuple[UUID, ...]]:
    """Memories whose turn has come, longest overdue first, by scope. Uses freshness_next."""
    rows = connection.execute(
        f"""SELECT m.uuid, s.path FROM main.freshness f INDEXED BY freshness_next CROSS JOIN memory m
            JOIN place p ON p.id = m.place JOIN scope s ON s.id = m.scope
            WHERE f.next_us <= ? AND m.id = f.memory AND {_LIVE} ORDER BY f.next_us LIMIT ?""",
        (now_us, limit),
    )
    found: dict[Scope, list[UUID]] = {}
    for uuid, path in rows:
        found.setdefault(memories.scope_of(str(path)), []).append(UUID(bytes=uuid))
    return {scope: tuple(ids) for scope, ids in found.items()}
