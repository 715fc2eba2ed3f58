"""Tables of the indexes as the tests open them: the port, and the connection under it for what a test looks at itself.

There are two: over the connection that a palace uses, and over Python's own sqlite3, in as few lines as it takes.
The second knows no arrays of keys, numbers its placeholders as PostgreSQL does and starts its transactions by hand, so
whatever an index asks beyond the port fails over it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.tables import Row, Tables, Value
from palazzo.store.sql.tables import SqlTables
from palazzo.store.sqlite import padding

T = TypeVar("T")


class Opened(SqlTables):
    """The port over apsw; everything else a connection can do is left to it."""

    def __init__(self, name: str | Path) -> None:
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        connection = apsw.Connection(str(name), flags=flags)
        padding.register(connection, None)
        super().__init__(connection)

    @property
    def connection(self) -> Any:
        return self._connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __enter__(self) -> Opened:
        self._connection.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._connection.__exit__(*raised)


class PlainTables:
    """The port over sqlite3."""

    def __init__(self, name: str | Path) -> None:
        self._connection = sqlite3.connect(str(name), isolation_level=None, uri=True)
        self._has_written = False

    def execute(self, statement: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        """A statement as it stands: what a test looks at or does itself."""
        if not self._connection.in_transaction:
            self._has_written = False
        return self._connection.execute(statement, values)

    def close(self) -> None:
        self._connection.close()

    def _run(self, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
        numbers = count(1)
        numbered = "".join(f"?{next(numbers)}" if each == "?" else each for each in statement)
        return self.execute(numbered, values)

    @property
    def writing(self) -> bool:
        return self._connection.in_transaction and self._has_written

    def rows(self, statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        return iter(self._run(statement, values).fetchall())

    def row(self, statement: str, values: Sequence[Value] = (), /) -> Row | None:
        found = self._run(statement, values).fetchall()
        self._has_written |= not statement.lstrip().startswith("SELECT")
        return found[0] if found else None

    def rows_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        found = self._run(_WANTED + statement, (json.dumps(keys.tolist()), *values)).fetchall()
        return iter(found[::-1])  # they may come in any order

    def held(self, _name: Hashable, ask: Callable[[], T], /) -> T:
        return ask()

    def change(self, statement: str, values: Sequence[Value] = (), /) -> int:
        self._run(statement, values)
        self._has_written = True
        (changed,) = self.execute("SELECT changes()").fetchone()
        return int(changed)

    def change_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> int:
        return self.change(_WANTED + statement, (json.dumps(keys.tolist()), *values))

    def change_many(self, statement: str, rows: Iterable[Sequence[Value]], /) -> None:
        for values in rows:
            self.change(statement, values)

    def moment(self) -> AbstractContextManager[object]:
        return self._block("BEGIN", "ROLLBACK", "ROLLBACK")

    def whole(self) -> AbstractContextManager[object]:
        return self._block("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", within="SAVEPOINT part")

    @contextmanager
    def _block(self, begin: str, end: str, undo: str, within: str = "") -> Iterator[None]:
        if self._connection.in_transaction:
            if not within:
                yield
                return
            begin, end, undo = within, "RELEASE part", "ROLLBACK TO part"
        self.execute(begin)
        try:
            yield
        except BaseException:
            self.execute(undo)
            raise
        self.execute(end)


_WANTED = "WITH wanted(id) AS (SELECT value FROM json_each(?)) "

AnyTables = Opened | PlainTables
ENGINES: dict[str, Callable[[str | Path], AnyTables]] = {"apsw": Opened, "sqlite3": PlainTables}


def is_a_port(tables: AnyTables) -> Tables:
    """Both are what an index takes; a type checker says so."""
    return tables
