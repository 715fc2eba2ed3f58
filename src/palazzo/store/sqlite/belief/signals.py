"""Signals of behaviour: so many events of a dimension per day, summed as they come in.

Owns the rows of signal. Knows no memory and no meaning. Invariant: counts only grow, and a window is read per scope
path, so one tenant's habits never speak about another's.
"""

from __future__ import annotations

from palazzo.model.belief import AddSignals
from palazzo.store.sqlite.reading import SqliteReading
from palazzo.store.sqlite.writing import SqliteWriting


def add(writing: SqliteWriting, change: AddSignals) -> None:
    """Adds counts to their days."""
    scope = writing.scope(change.scope)
    writing.connection.executemany(
        """INSERT INTO signal VALUES (?,?,?,?,?)
           ON CONFLICT (scope, family, day, dimension) DO UPDATE SET count = count + excluded.count""",
        [(scope, one.family, one.day, one.dimension, one.count) for one in change.signals],
    )
    writing.event("signals_added", None, None, {"count": len(change.signals)})


def window(reading: SqliteReading, first_day: int, last_day: int) -> dict[str, dict[str, int]]:
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
