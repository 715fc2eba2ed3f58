"""The table port over a connection of SQLite, and how a statement of it is stopped that runs past a deadline.

Owns what only SQLite says its own way: keys bound as an array, savepoints, the state of a transaction, the progress
handler, and small answers that a connection keeps between two writes. Invariants: of tables nothing is kept here, so
an object may be made for a single call; an answer is kept only by a connection that reads, inside a reading that has
looked whether anybody wrote since. What is deleted is overwritten because every connection of a palace is opened so
(secure_delete).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import PartUnavailable
from palazzo.model.fork_lock import ForkLock
from palazzo.store.api import PASSED, Late
from palazzo.store.index.tables import Row, Value
from palazzo.store.sql.port import WRITING, Connection, Keys, Stopped
from palazzo.text.words.remembered import emptied_by

_WANTED = "WITH wanted(id) AS (SELECT value FROM carray(?)) "
STEPS: Final = 10_000
"""Steps of SQLite's machine between two looks at the time: about half a millisecond."""


MOST_HELD: Final = 4_096
"""Answers that one connection keeps; a palace of many tenants asks about many partitions."""
T = TypeVar("T")


class HeldAnswers:
    """What a connection that only reads keeps of small answers, for as long as the file stands as it stood."""

    __slots__ = ("_version", "answers", "kept")

    def __init__(self) -> None:
        self.answers: dict[Hashable, Any] | None = None
        """What the reading under way may use; None while there is none that looked whether anybody wrote."""
        self.kept: dict[Hashable, Any] = {}
        self._version = -1

    def begin(self, version: int) -> None:
        """To be called inside a reading that has read something: SQLite then knows whether anybody wrote."""
        if version != self._version or len(self.kept) > MOST_HELD:
            self.kept, self._version = {}, version
        self.answers = self.kept

    def forget(self) -> None:
        """Lets go of them, and of the names of scopes they are kept by."""
        self.kept, self._version = {}, -1


_moments: Final[WeakKeyDictionary[Connection, HeldAnswers]] = WeakKeyDictionary()
_lock = ForkLock()


def keep_moments(connection: Connection) -> None:
    """Lets a connection that only reads keep small answers."""
    with _lock:
        _moments[connection] = HeldAnswers()


def _forget() -> None:
    with _lock:
        for moment in tuple(_moments.values()):
            moment.forget()


emptied_by(_forget)


def end_moment(connection: Connection) -> None:
    """Ends the reading of a connection."""
    if (moment := _moments.get(connection)) is not None:
        moment.answers = None


def begin_moment(connection: Connection) -> int:
    """The journal position of a read transaction that begins with this; -1 where what is read is not settled."""
    moment = _moments.get(connection)
    if moment is None or not connection.in_transaction:
        return -1
    row: Any = connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()
    moment.begin(connection.data_version())
    return int(row[0])


class SqlTables:
    """The tables of one palace file, through one connection."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def writing(self) -> bool:
        return self._connection.txn_state("main") == WRITING

    def rows(self, statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        return self._connection.execute(statement, values)

    def row(self, statement: str, values: Sequence[Value] = (), /) -> Row | None:
        found: Row | None = self._connection.execute(statement, values).fetchone()
        return found

    def rows_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        return self._connection.execute(_WANTED + statement, _bound(keys, values))

    def held(self, name: Hashable, ask: Callable[[], T]) -> T:
        moment = _moments.get(self._connection)
        if moment is None or moment.answers is None:
            return ask()
        answers = moment.answers
        if name not in answers:
            answers[name] = ask()
        found: T = answers[name]
        return found

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
    return (Keys(np.ascontiguousarray(keys, np.int64)), *values)


@contextmanager
def _within(connection: Connection, begin: str, end: str) -> Iterator[None]:
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
def interrupting(connection: Connection, late: Late) -> Iterator[None]:
    """Statements of a connection stop soon after it is too late.

    Raises: PartUnavailable.
    """
    connection.set_progress_handler(late, STEPS)
    try:
        yield
    except Stopped:
        raise PartUnavailable(PASSED, part="search") from None
    finally:
        connection.set_progress_handler(None)
