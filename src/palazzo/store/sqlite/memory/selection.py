"""Which memories an erasure takes: by id, place, time, source or writer, through a SqliteReading like everything else.

Owns the conditions. Invariant: what the reader may not see is never selected, so an erasure reaches exactly as far as
the view of whoever asked for it.
"""

from __future__ import annotations

from uuid import UUID

from palazzo.store.api import Selection
from palazzo.store.sqlite.reading import SqliteReading, SQLValue, glob_condition


def select(reading: SqliteReading, wanted: Selection) -> tuple[UUID, ...]:
    """Ids of visible memories that are wanted, oldest first."""
    condition, values = _condition(wanted)
    rows = reading.connection.execute(
        f"SELECT m.uuid FROM {reading.source} WHERE {reading.where} AND {condition} ORDER BY m.id",
        (*reading.values, *values),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def count(reading: SqliteReading, wanted: Selection) -> int:
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
