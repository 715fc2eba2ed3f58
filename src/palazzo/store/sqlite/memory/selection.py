"""Which memories an erasure takes: by id, place, time, source or writer, through a Reading like everything else.

Owns the conditions. Invariant: what the reader may not see is never selected, so an erasure reaches exactly as far as
the view of whoever asked for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from palazzo.model.address import PlaceGlob
from palazzo.store.sqlite.reading import Reading, SQLValue, glob_condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What to take; everything given must hold together. `place` has its times in its slice, if it has one.

    `source` is the id or label of what it came from (a thread takes its sessions along), `subject` who wrote it.
    """

    memories: tuple[UUID, ...] = ()
    place: PlaceGlob | None = None
    after_us: int | None = None
    before_us: int | None = None
    source: str = ""
    subject: str = ""
    everything: bool = False

    @property
    def empty(self) -> bool:
        return self == _NOTHING


_NOTHING = Selection()


def select(reading: Reading, wanted: Selection) -> tuple[UUID, ...]:
    """Ids of visible memories that are wanted, oldest first."""
    condition, values = _condition(wanted)
    rows = reading.connection.execute(
        f"SELECT m.uuid FROM {reading.source} WHERE {reading.where} AND {condition} ORDER BY m.id",
        (*reading.values, *values),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def count(reading: Reading, wanted: Selection) -> int:
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
