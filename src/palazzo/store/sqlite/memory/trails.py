"""Trails: visits to places, one trail a day unless it is named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from palazzo.model.address import Place
from palazzo.model.change import VisitPlace
from palazzo.store.sqlite.reading import SqliteReading
from palazzo.store.sqlite.writing import SqliteWriting


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    at_us: int
    place: Place
    subject: str
    memory_id: UUID | None


def day_of(at_us: int) -> str:
    """The name of the trail of a moment's day (UTC)."""
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).date().isoformat()


def visit(writing: SqliteWriting, change: VisitPlace) -> None:
    """Leaves a breadcrumb."""
    memory = writing.memory(change.memory_id)[0] if change.memory_id else 0
    leave(writing, writing.place(change.place), change.trail, memory)


def leave(writing: SqliteWriting, place: int, trail: str = "", memory: int = 0) -> None:
    writing.connection.execute(
        "INSERT OR IGNORE INTO breadcrumb(trail, at_us, place, memory, subject) VALUES (?,?,?,?,?)",
        (trail or day_of(writing.now_us), writing.now_us, place, memory, writing.subject),
    )


def trail(reading: SqliteReading, name: str, limit: int = 200) -> tuple[Breadcrumb, ...]:
    """The newest breadcrumbs of a trail that lie where this reader may look. Uses the primary key of breadcrumb."""
    rows = reading.connection.execute(
        f"""SELECT b.at_us, p.path, b.subject, (SELECT uuid FROM memory WHERE id = b.memory)
            FROM breadcrumb b JOIN place p ON p.id = b.place
            WHERE b.trail = ? AND {reading.place_where} ORDER BY b.at_us DESC LIMIT ?""",
        (name, *reading.place_values, limit),
    )
    return tuple(Breadcrumb(at, Place.parse(path), who, UUID(bytes=m) if m else None) for at, path, who, m in rows)
