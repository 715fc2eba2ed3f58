"""The queue of staleness audits: when each memory is to be looked at, and what the journal says must be looked at now.

Owns `freshness.next_us` as a queue; what an audit finds is in reviews.py. It acts for the palace's own pass, below all
views, and returns ids and scopes, never content. Invariants: scheduling writes no event and moves no posterior, so it
may be repeated; a memory that is sealed, deprecated, forgotten or a verbatim turn is never in the queue's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import apsw

from palazzo.model.scope import Scope
from palazzo.store.api import AUDIT_CURSOR, QueueStep
from palazzo.store.sqlite import journal
from palazzo.store.sqlite.connection import Database
from palazzo.store.sqlite.memory import memories
from palazzo.store.sqlite.reading import bound

MOST_SHAKEN = 50
"""Older memories that one new memory brings forward at most: those of its slots first."""
_LIVE = "m.state IN ('active', 'stale') AND m.deprecated_us IS NULL AND m.kind <> 'exchange' AND p.seal = 'open'"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A memory in the queue, by row number, with what decides when its turn comes."""

    number: int
    kind: str
    fresh: int
    stale: int


def take(database: Database, step: QueueStep, turn: Callable[[str, int, int], int]) -> int:
    """Queues what was written, lets what it may contradict be looked at now, and moves the reader's cursor along.

    `turn` gives the time of the next audit by kind and by how often it was found fresh and stale.
    """

    def job(connection: apsw.Connection) -> int:
        fresh = written(connection, step.ids)
        put(connection, [(one.number, turn(one.kind, one.fresh, one.stale)) for one in fresh])
        bring_forward(connection, shaken(connection, [one.number for one in fresh]), step.now_us)
        journal.move_cursor(connection, AUDIT_CURSOR, step.last, step.now_us)
        return len(fresh)

    return database.write(job)


def written(connection: apsw.Connection, ids: Sequence[UUID]) -> tuple[Waiting, ...]:
    """The live ones among memories that were written, with their posterior. Uses memory's unique id."""
    found: list[Waiting] = []
    for memory_id in dict.fromkeys(ids):
        row = connection.execute(
            f"""SELECT m.id, m.kind, coalesce(f.fresh, 0), coalesce(f.stale, 0)
                FROM memory m JOIN place p ON p.id = m.place LEFT JOIN freshness f ON f.memory = m.id
                WHERE m.uuid = ? AND {_LIVE}""",
            (memory_id.bytes,),
        ).fetchone()
        if row is not None:
            found.append(Waiting(int(row[0]), str(row[1]), int(row[2]), int(row[3])))
    return tuple(found)


def shaken(connection: apsw.Connection, numbers: Sequence[int]) -> tuple[int, ...]:
    """Older memories that new ones could contradict: of the same slot, or with two entities in common.

    The mirror image of `beliefs.rivals`, without its places: the audit itself looks closer. Uses atom_slot and mention.
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
        rows += connection.execute(
            """SELECT o.memory FROM memory m JOIN revision r ON r.id = m.current JOIN mention a ON a.revision = r.id
               JOIN mention b ON b.entity = a.entity JOIN revision o ON o.id = b.revision
               JOIN memory x ON x.id = o.memory AND x.current = o.id
               WHERE m.id = ?1 AND x.id <> ?1 AND x.scope = m.scope AND o.valid_from_us <= r.valid_from_us
               GROUP BY o.memory HAVING count(*) >= 2 ORDER BY o.memory DESC LIMIT ?2""",
            (number, MOST_SHAKEN - min(len(rows), MOST_SHAKEN)),
        ).fetchall()
        found |= dict.fromkeys(memory for (memory,) in rows)
    return tuple(found)


def put(connection: apsw.Connection, turns: Iterable[tuple[int, int]]) -> None:
    """Gives memories (by row number) the time of their next audit; an earlier one that is set already stays."""
    connection.executemany(
        """INSERT INTO freshness(memory, next_us) VALUES (?, ?)
           ON CONFLICT (memory) DO UPDATE SET next_us = min(next_us, excluded.next_us)""",
        list(turns),
    )


def bring_forward(connection: apsw.Connection, numbers: Sequence[int], at_us: int) -> int:
    """Lets queued memories be looked at by a time; returns how many that moved."""
    connection.execute(
        "UPDATE freshness SET next_us = ? WHERE next_us > ? AND memory IN (SELECT value FROM carray(?))",
        (at_us, at_us, bound(numbers)),
    )
    return connection.changes()


def due(connection: apsw.Connection, now_us: int, limit: int) -> dict[Scope, tuple[UUID, ...]]:
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
