"""What is already known: current, visible memories by their wording and by the slot they fill, and taken addresses.

Owns the exact, indexed lookups that intake makes before it writes. Knows nothing of similarity beyond equality.
Invariant: everything but `taken` passes the reader's filter; `taken` says only that an address is in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from mnemon.model.address import Place
from mnemon.model.edge import Edge, Node
from mnemon.model.memory import Memory
from mnemon.model.scope import Scope
from mnemon.store.memories import COLUMNS, atoms_of, memory_from
from mnemon.store.reading import Reading

CHUNK = 200
ENDS = ("source", "target")


def with_wording(reading: Reading, keys: Sequence[bytes]) -> dict[bytes, list[Memory]]:
    """Memories whose current text has one of these wording keys, oldest first. Uses revision_hash."""
    found: dict[bytes, list[Memory]] = {}
    for start in range(0, len(keys), CHUNK):
        some = keys[start : start + CHUNK]
        rows = reading.connection.execute(
            f"""SELECT {COLUMNS} FROM {reading.source}
                WHERE r.hash IN ({",".join("?" * len(some))}) AND {reading.where} ORDER BY r.id""",
            (*some, *reading.values),
        )
        for row in rows:
            found.setdefault(row[28], []).append(memory_from(row))
    return found


def with_slots(
    reading: Reading, slots: Iterable[tuple[str, str]], limit: int = 8
) -> dict[tuple[str, str], list[Memory]]:
    """Memories whose current revision states one of these (subject, predicate), newest first. Uses atom_slot."""
    found: dict[tuple[str, str], list[Memory]] = {}
    statement = f"""SELECT {COLUMNS} FROM (SELECT DISTINCT revision FROM atom WHERE subject = ? AND predicate = ?) a
        JOIN {reading.source} WHERE r.id = a.revision AND {reading.where} ORDER BY r.id DESC LIMIT ?"""
    for slot in slots:
        rows = reading.connection.execute(statement, (*slot, *reading.values, limit)).fetchall()
        if rows:
            found[slot] = [memory_from(row, (atoms_of(reading.connection, int(row[13])),)) for row in rows]  # type: ignore[arg-type]
    return found


def taken(reading: Reading, scope: Scope, addresses: Iterable[tuple[Place, str, str]]) -> set[tuple[Place, str, str]]:
    """Which (place, name, kind) are in use in a scope, by whatever memory. Uses memory_address."""
    execute = reading.connection.execute
    row = execute("SELECT id FROM scope WHERE path = ?", (str(scope),)).fetchone()
    if row is None:
        return set()
    return {
        (place, name, kind)
        for place, name, kind in addresses
        if execute(
            """SELECT 1 FROM memory WHERE place = (SELECT id FROM place WHERE path = ?) AND name = ? AND kind = ?
               AND scope = ?""",
            (place.path, name, kind, row[0]),
        ).fetchone()
    }


def conflicts(reading: Reading, limit: int = 100) -> tuple[Edge, ...]:
    """Open disagreements, newest first: contradicts edges whose ends this reader sees. Uses edge_contradicts."""
    ends = (f"EXISTS (SELECT 1 FROM {reading.source} WHERE m.id = e.{end} AND {reading.where})" for end in ENDS)
    rows = reading.connection.execute(
        f"""SELECT (SELECT uuid FROM memory WHERE id = e.source), e.source_revision,
                   (SELECT uuid FROM memory WHERE id = e.target), e.target_revision, e.weight, e.created_us
            FROM edge e INDEXED BY edge_contradicts
            WHERE e.kind = 'contradicts' AND {" AND ".join(ends)}
            ORDER BY e.id DESC LIMIT ?""",
        (*reading.values, *reading.values, limit),
    )
    return tuple(
        Edge(
            "contradicts", Node(UUID(bytes=source), source_revision or None),
            Node(UUID(bytes=target), target_revision or None), weight, created_us,
        )
        for source, source_revision, target, target_revision, weight, created_us in rows
    )  # fmt: skip
