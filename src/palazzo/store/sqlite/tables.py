"""The table port over a connection of SQLite, and how a statement of it is stopped that runs past a deadline.

Owns what only SQLite says its own way: keys bound as an array, savepoints, the state of a transaction, the progress
handler. Knows no table. Invariant: nothing is kept here, so an object may be made for a single call. What is deleted is
overwritten because every connection of a palace is opened so (secure_delete).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.errors import PartUnavailable
from palazzo.store.api import PASSED, Late
from palazzo.store.index.tables import Row, Value

_WANTED = "WITH wanted(id) AS (SELECT value FROM carray(?)) "
STEPS: Final = 10_000
"""Steps of SQLite's machine between two looks at the time: about half a millisecond."""


class SqliteTables:
    """The tables of one palace file, through one connection."""

    __slots__ = ("_connection",)

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @property
    def writing(self) -> bool:
        return self._connection.txn_state("main") == apsw.SQLITE_TXN_WRITE

    def rows(self, statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        return self._connection.execute(statement, values)

    def row(self, statement: str, values: Sequence[Value] = (), /) -> Row | None:
        return self._connection.execute(statement, values).fetchone()

    def rows_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        return self._connection.execute(_WANTED + statement, _bound(keys, values))

    def change(self, statement: str, values: Sequence[Value] = (), /) -> int:
        self._connection.execute(statement, values)
        return self._connection.changes()

    def change_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> int:
        self._connection.execute(_WANTED + statement, _bound(keys, values))
        return self._connection.changes()

    def change_many(self, statement: str, rows: Iterable[Sequence[Value]], /) -> None:
        self._connection.executemany(statement, rows)

    def moment(self) -> AbstractContextManager[object]:
        return _within(self._connection, "BEGIN", "ROLLBACK")

    def whole(self) -> AbstractContextManager[object]:
        if self._connection.in_transaction:
            return self._connection  # a savepoint
        return _within(self._connection, "BEGIN IMMEDIATE", "COMMIT")


def _bound(keys: NDArray[np.int64], values: Sequence[Value]) -> tuple[Any, ...]:
    return (apsw.carray(np.ascontiguousarray(keys, np.int64)), *values)


@contextmanager
def _within(connection: apsw.Connection, begin: str, end: str) -> Iterator[None]:
    """A transaction around the block, unless there is one."""
    if connection.in_transaction:
        yield
        return
    connection.execute(begin)
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute(end)


@contextmanager
def interrupting(connection: apsw.Connection, late: Late) -> Iterator[None]:
    """Statements of a connection stop soon after it is too late.

    Raises: PartUnavailable.
    """
    connection.set_progress_handler(late, STEPS)
    try:
        yield
    except apsw.InterruptError:
        raise PartUnavailable(PASSED, part="search") from None
    finally:
        connection.set_progress_handler(None)
