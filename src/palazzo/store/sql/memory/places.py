"""Places: the tree that says what a memory is about. A place appears on first use, with its parents. Also how much came
where and when, and trails, the visits to places.

Owns breadcrumb. Invariants: depth at most 6 below the root; a new place inherits its parent's seal, so nothing placed
below a sealed or vault place is ever open; whoever is not the operator knows of its own visits alone, and of memories
it sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from palazzo.errors import Conflict
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.memory import OWNER
from palazzo.store.api import Breadcrumb, MapPoint, PlaceInfo, TrailPart
from palazzo.store.sql.port import Connection, one
from palazzo.store.sql.reading import SqlReading, SQLValue, glob_condition
from palazzo.store.sql.seal.sealing import opened

SEALS = ("open", "sealed", "vault")
"""From the weakest to the strongest."""
TRAILS_KEPT: Final = 90
"""Days after which the trail of a day goes; named trails stay."""
Crumb = tuple[str, int, int, int, str]
"""Trail, time, place, memory and subject of a visit."""
_DAY: Final = "-".join(("[0-9]" * 4, "[0-9]" * 2, "[0-9]" * 2))
_TRAILS: Final = f"""WITH RECURSIVE named(trail) AS (SELECT min(trail) FROM breadcrumb UNION ALL
        SELECT (SELECT min(trail) FROM breadcrumb WHERE trail > named.trail) FROM named WHERE named.trail IS NOT NULL)
    SELECT trail FROM named WHERE trail >= ? OR trail NOT GLOB '{_DAY}'"""
"""Named trails and those of days from one on, each found by a step of the primary key: no visit is walked through."""


def place_id(connection: Connection, place: Place, now_us: int) -> int:
    """The number of a place, made with its parents on first use (inside a write transaction)."""
    found = connection.execute("SELECT id FROM place WHERE path = ?", (place.path,)).fetchone()
    if found:
        return int(found[0])
    parent, seal = None, "open"
    if place.segments:
        parent = place_id(connection, Place(place.segments[:-1]), now_us)
        (seal,) = one(connection, "SELECT seal FROM place WHERE id = ?", (parent,))
    if place.segments == ("vault",):
        seal = "vault"
    connection.execute(
        "INSERT INTO place(path, parent, seal, created_us) VALUES (?, ?, ?, ?)", (place.path, parent, seal, now_us)
    )
    return connection.last_insert_rowid()


def set_seal(connection: Connection, place: Place, seal: str, now_us: int) -> int:
    """Seals, opens or vaults a place and what below it had the same seal or a weaker one; returns how many changed.

    Raises: Conflict when the place above is sealed more strongly: nothing below a vault is ever outside it.
    """
    number = place_id(connection, place, now_us)
    had, above = one(
        connection, "SELECT p.seal, u.seal FROM place p LEFT JOIN place u ON u.id = p.parent WHERE p.id = ?", (number,)
    )
    if above is not None and SEALS.index(above) > SEALS.index(seal):
        raise Conflict(f"the place above is {above}", hint="change the seal there")
    weaker = [*SEALS[: SEALS.index(seal)], had]
    below = place.path + "." if place.segments else ""
    connection.execute(
        f"""UPDATE place SET seal = ? WHERE (path = ? OR (path >= ? AND path < ?))
            AND seal IN ({",".join("?" * len(weaker))})""",
        (seal, place.path, below, below[:-1] + "/" if below else "\U0010ffff", *weaker),
    )
    return connection.changes()


def in_vaults(connection: Connection) -> list[tuple[int]]:
    """Memories in vaults that are not sealed as such yet, by their numbers. Uses memory_place."""
    rows: Any = connection.execute(
        """SELECT m.id FROM place p CROSS JOIN memory m ON m.place = p.id
           WHERE p.seal = 'vault' AND m.tier <> 'confidential'"""
    )
    return list(rows)


def children(reading: SqlReading, place: Place, limit: int = 1000, *, empty: bool = True) -> tuple[PlaceInfo, ...]:
    """The places directly below, with counts of what this reader sees in them.

    Uses the unique index on path, by which it groups too (by id it would scan every place), and memory_place.

    A place is named by whoever first put something there: without `empty` it is told only to those who see a memory in
    it or below it, so that no name of somebody else's reaches them.
    """
    condition, values = glob_condition(PlaceGlob(place=place, reach="children", slice=None))
    rows = reading.connection.execute(
        f"""SELECT o.path, o.seal, o.memories, o.newest_us FROM (
                SELECT p.path, p.seal, count(m.id) AS memories, max(m.created_us) AS newest_us
                FROM place p LEFT JOIN memory m ON m.place = p.id AND {reading.memory_where}
                WHERE {condition} AND {reading.place_where} GROUP BY p.path, p.seal) o
            WHERE ? = 1 OR o.memories > 0 OR EXISTS (
                SELECT 1 FROM place p JOIN memory m ON m.place = p.id
                WHERE p.path > o.path || '.' AND p.path < o.path || '/' AND {reading.where})
            ORDER BY o.path LIMIT ?""",
        (*reading.memory_values, *values, *reading.place_values, empty, *reading.values, limit),
    )
    return tuple(PlaceInfo(Place.parse(path), seal, count, newest) for path, seal, count, newest in rows)


def _within(glob: PlaceGlob | None) -> tuple[str, tuple[SQLValue, ...]]:
    return ("TRUE", ()) if glob is None else glob_condition(glob)


def counted(reading: SqlReading, glob: PlaceGlob | None = None) -> tuple[PlaceInfo, ...]:
    """From the hot columns where they are read; else uses memory_place, which has every column that is asked for."""
    return reading.tallied(("places", glob), partial(_counted, reading, glob))


def _known(reading: SqlReading, glob: PlaceGlob | None) -> dict[int, tuple[Place, str]]:
    """Path and seal of the places of a glob that this reader may know of, by number, in the order of their paths."""
    condition, values = _within(glob)
    rows: Any = reading.connection.execute(
        f"SELECT p.id, p.path, p.seal FROM place p WHERE {condition} AND {reading.place_where} ORDER BY p.path",
        (*values, *reading.place_values),
    )
    return {number: (Place.parse(path), seal) for number, path, seal in rows}


def _census(reading: SqlReading) -> list[tuple[int, str, int, int]] | None:
    """Counts by place and kind of all that this reader sees, from the hot columns."""
    return reading.tallied("census", partial(reading.hot.counted, reading, lambda rows, keys: rows.census(keys)))


def _counted(reading: SqlReading, glob: PlaceGlob | None) -> tuple[PlaceInfo, ...]:
    if (census := _census(reading)) is not None:
        counts: Counter[int] = Counter()
        newest: dict[int, int] = {}
        for number, _, count, last in census:
            counts[number] += count
            newest[number] = max(last, newest.get(number, 0))
        return tuple(
            PlaceInfo(place, seal, counts[number], newest[number])
            for number, (place, seal) in _known(reading, glob).items() if number in newest
        )  # fmt: skip
    condition, values = _within(glob)
    rows = reading.connection.execute(
        f"""SELECT p.path, p.seal, count(*), max(m.created_us) FROM place p JOIN memory m ON m.place = p.id
            WHERE {condition} AND {reading.where} GROUP BY p.path, p.seal ORDER BY p.path""",
        (*values, *reading.values),
    )
    return tuple(PlaceInfo(Place.parse(path), seal, count, newest) for path, seal, count, newest in rows)


def kinds(reading: SqlReading, glob: PlaceGlob | None = None) -> tuple[tuple[str, int], ...]:
    """From the hot columns where they are read; else scans memory: whoever asks wants to see the whole palace."""
    return reading.tallied(("kinds", glob), partial(_kinds, reading, glob))


def _kinds(reading: SqlReading, glob: PlaceGlob | None) -> tuple[tuple[str, int], ...]:
    if (census := _census(reading)) is not None:
        counts: Counter[str] = Counter()
        wanted = None if glob is None else _known(reading, glob)
        for number, kind, count, _ in census:
            if wanted is None or number in wanted:
                counts[kind] += count
        return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    condition, values = _within(glob)
    rows: Any = reading.connection.execute(
        f"""SELECT m.kind, count(*) FROM memory m JOIN place p ON p.id = m.place
            WHERE {condition} AND {reading.where} GROUP BY m.kind ORDER BY 2 DESC, 1""",
        (*values, *reading.values),
    )
    return tuple(rows)


def placed(
    reading: SqlReading, edges: Sequence[int], glob: PlaceGlob | None = None
) -> tuple[tuple[Place, int, int], ...]:  # fmt: skip
    """From the hot columns where they are read; else uses memory_place: each place and span is one range of it, counted
    without a sort."""
    return reading.tallied(("placed", tuple(edges), glob), partial(_placed, reading, edges, glob))


def _placed(
    reading: SqlReading, edges: Sequence[int], glob: PlaceGlob | None
) -> tuple[tuple[Place, int, int], ...]:  # fmt: skip
    spans = tuple(value for n, span in enumerate(pairwise(edges)) for value in (n, *span))
    if not spans:
        return ()
    if (came := reading.hot.counted(reading, lambda rows, keys: rows.came(keys, edges))) is not None:
        known = _known(reading, glob)
        return tuple((known[number][0], n, count) for number, n, count in came if number in known)
    condition, values = _within(glob)
    rows = reading.connection.execute(
        f"""WITH span(n, start, stop) AS (VALUES {",".join(["(?,?,?)"] * (len(edges) - 1))})
            SELECT * FROM (
                SELECT p.path, s.n, (
                    SELECT count(*) FROM memory m
                    WHERE m.place = p.id AND m.created_us >= s.start AND m.created_us < s.stop
                    AND {reading.memory_where}) AS came
                FROM place p CROSS JOIN span s WHERE {condition} AND {reading.place_where}
                AND EXISTS (SELECT 1 FROM memory m WHERE m.place = p.id AND m.created_us >= ?))
            WHERE came > 0""",
        (*spans, *reading.memory_values, *values, *reading.place_values, edges[0]),
    )
    return tuple((Place.parse(path), n, count) for path, n, count in rows)


def standing(reading: SqlReading, limit: int, glob: PlaceGlob | None = None) -> tuple[MapPoint, ...]:
    """Uses the primary key, backwards: the newest are shown, in the order they came."""
    condition, values = _within(glob)
    rows: Any = reading.connection.execute(
        f"""SELECT m.id, m.uuid, p.path, m.kind FROM memory m CROSS JOIN place p ON p.id = m.place
            WHERE {condition} AND {reading.where} ORDER BY m.id DESC LIMIT ?""",
        (*values, *reading.values, limit),
    ).fetchall()
    return tuple(MapPoint(key, UUID(bytes=uuid), path, kind) for key, uuid, path, kind in reversed(rows))


def topics(
    reading: SqlReading, limit: int, among: int, glob: PlaceGlob | None = None
) -> tuple[tuple[str, int], ...]:  # fmt: skip
    """Uses memory_current for the newest; of those the JSON is read."""
    return reading.tallied(("topics", limit, among, glob), partial(_topics, reading, limit, among, glob))


def _topics(reading: SqlReading, limit: int, among: int, glob: PlaceGlob | None) -> tuple[tuple[str, int], ...]:
    condition, values = _within(glob)
    detail = opened("r.detail", "r.id")
    rows: Any = reading.connection.execute(
        f"""SELECT j.value, count(*) FROM (
                SELECT {detail} AS detail FROM {reading.source} WHERE {condition} AND {reading.where}
                ORDER BY r.id DESC LIMIT ?) n, json_each(n.detail, '$.topics') j
            WHERE n.detail IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?""",
        (*values, *reading.values, among, limit),
    )
    return tuple(rows)


def day_of(at_us: int) -> str:
    """The name of the trail of a moment's day (UTC)."""
    return datetime.fromtimestamp(at_us / 1_000_000, UTC).date().isoformat()


def crumbs(at_us: int, subject: str, visits: Iterable[tuple[int, int]], trail: str = "") -> list[Crumb]:
    """Visits to places, with the memories that were read or written there (0: none), by their numbers."""
    return [(trail or day_of(at_us), at_us, place, memory, subject) for place, memory in visits]


def leave(connection: Connection, visits: Sequence[Crumb]) -> None:
    """Leaves breadcrumbs at places."""
    connection.executemany(
        "INSERT OR IGNORE INTO breadcrumb(trail, at_us, place, memory, subject) VALUES (?,?,?,?,?)", visits
    )


def drop_old_trails(connection: Connection, now_us: int) -> None:
    """Lets the trails of days go that are long past. Uses the primary key of breadcrumb."""
    first = day_of(now_us - TRAILS_KEPT * 86_400_000_000)
    connection.execute(f"DELETE FROM breadcrumb WHERE trail >= '1970' AND trail < ? AND trail GLOB '{_DAY}'", (first,))


def trail(reading: SqlReading, part: TrailPart) -> tuple[Breadcrumb, ...]:
    """Uses the primary key of breadcrumb: a day's trail has its day as name, and named ones are few."""
    source, values = _crumbs(reading, part)
    rows = reading.connection.execute(
        f"SELECT b.at_us, p.path, b.subject, b.trail, m.uuid FROM {source} ORDER BY b.at_us DESC LIMIT ?",
        (*values, part.limit),
    )
    return tuple(
        Breadcrumb(at, Place.parse(path), subject, UUID(bytes=memory) if memory else None, name)
        for at, path, subject, name, memory in rows
    )


def visits(reading: SqlReading, part: TrailPart) -> int:
    source, values = _crumbs(reading, part)
    counted = f"SELECT count(*) FROM (SELECT 1 FROM {source} LIMIT ?) o"
    return int(one(reading.connection, counted, (*values, part.limit))[0])


def _crumbs(reading: SqlReading, part: TrailPart) -> tuple[str, tuple[SQLValue, ...]]:
    """The visits of a part that this reader may know of, as what follows FROM."""
    condition, ends = _within(part.glob)
    where = [f"b.at_us >= ? AND {condition} AND {reading.place_where}"]
    values: list[SQLValue] = [part.since_us, *ends, *reading.place_values]
    if part.until_us is not None:
        where.append("b.at_us <= ?")
        values.append(part.until_us)
    if part.trail:
        where.append("b.trail = ?")
        values.append(part.trail)
    else:
        where.append(f"b.trail IN ({_TRAILS})")
        values.append(day_of(part.since_us))
    who = part.subject if reading.view.subject == OWNER else reading.view.subject
    if who:
        where.append("b.subject = ?")
        values.append(who)
    if part.subject and part.subject != who:
        where.append("0")
    return (
        f"""breadcrumb b JOIN place p ON p.id = b.place
            LEFT JOIN memory m ON m.id = b.memory AND {reading.memory_where}
            WHERE (b.memory = 0 OR m.id IS NOT NULL) AND {" AND ".join(where)}"""
    ), (*reading.memory_values, *values)
