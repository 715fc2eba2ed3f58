"""Damaged rows set aside: readers see the palace without them, and everything else as it is.

Owns which rows are set aside and how: a view of the connection's own, in memory, stands before each table that has
damaged rows, so no statement needs to know. A damaged index is set aside as a whole. Writers see the tables themselves.
Nothing is written: the row stays as it is, for a person to restore or purge. Invariant: what decides about access is
never set aside, for without a row that denies, more would be allowed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import apsw

from palazzo.model.fork_lock import ForkLock
from palazzo.store.api.keeping import Damaged
from palazzo.store.sqlite.indexes import TABLES as TABLES_OF_INDEXES
from palazzo.store.sqlite.rows import TABLES, without

KEPT = frozenset({"capability_grant", "token", "lifted_lock", "palace", "erasure", "erasure_memory", "erasure_stretch"})
"""Tables whose rows are never set aside: an erasure that nobody sees would never be finished."""
LOOK_AGAIN_S = 60.0
"""How long a look that found nothing new is believed: an error that is no damage costs one look, not many."""


class Aside:
    """The rows of one palace that this process sets aside. Threads share it."""

    def __init__(self) -> None:
        self.damaged: tuple[Damaged, ...] = ()
        self.then: list[Callable[[], None]] = []
        """What is done when other rows are set aside: whoever keeps what was read lets go of it."""
        self._covered: WeakKeyDictionary[apsw.Connection, tuple[Damaged, ...]] = WeakKeyDictionary()
        self._lock = ForkLock()
        self._looked_s = -LOOK_AGAIN_S

    def due(self) -> bool:
        """Whether a look for damage may find something that the last one did not."""
        return time.monotonic() - self._looked_s >= LOOK_AGAIN_S

    def learn(self, found: Sequence[Damaged]) -> bool:
        """Takes note of what a look found; True when that is more than was known."""
        with self._lock:
            self._looked_s = time.monotonic()
            fresh = not set(found) <= set(self.damaged)
            if set(found) != set(self.damaged):
                self.damaged = tuple(found)
        for act in self.then:
            act()
        return fresh

    def cover(self, connection: apsw.Connection) -> None:
        """Lets a connection that only reads see the tables without what is set aside."""
        if damaged := self.damaged:
            cover(connection, damaged)
            self._covered[connection] = damaged

    def covers(self, connection: apsw.Connection) -> bool:
        """Whether a connection sees what is set aside as set aside, and nothing else."""
        return self._covered.get(connection, ()) == self.damaged


def cover(connection: apsw.Connection, damaged: Sequence[Damaged]) -> None:
    """Puts a view without the damaged rows before each table that has any, for this connection alone."""
    for index in {one.table for one in damaged} & TABLES_OF_INDEXES.keys():
        for table in TABLES_OF_INDEXES[index]:
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE 0")
    for table in {one.table for one in damaged} & TABLES.keys() - KEPT:
        rows = [one for one in damaged if one.table == table]
        connection.execute(
            f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE {without(TABLES[table], rows)}"
        )
