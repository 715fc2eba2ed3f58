"""Places: the tree that says what a memory is about. A place appears on first use, with its parents.

Invariants: depth at most 6 below the root; a new place inherits its parent's seal, so nothing placed below a sealed
or vault place is ever open.
"""

from __future__ import annotations

import apsw

from palazzo.errors import Conflict
from palazzo.model.address import Place, PlaceGlob
from palazzo.store.api import PlaceInfo
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading, glob_condition

SEALS = ("open", "sealed", "vault")
"""From the weakest to the strongest."""


def place_id(connection: apsw.Connection, place: Place, now_us: int) -> int:
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


def set_seal(connection: apsw.Connection, place: Place, seal: str, now_us: int) -> int:
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


def children(reading: SqliteReading, place: Place, limit: int = 1000, *, empty: bool = True) -> tuple[PlaceInfo, ...]:
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
                WHERE {condition} AND {reading.place_where} GROUP BY p.path) o
            WHERE ? OR o.memories > 0 OR EXISTS (
                SELECT 1 FROM place p JOIN memory m ON m.place = p.id
                WHERE p.path > o.path || '.' AND p.path < o.path || '/' AND {reading.where})
            ORDER BY o.path LIMIT ?""",
        (*reading.memory_values, *values, *reading.place_values, empty, *reading.values, limit),
    )
    return tuple(PlaceInfo(Place.parse(path), seal, count, newest) for path, seal, count, newest in rows)
