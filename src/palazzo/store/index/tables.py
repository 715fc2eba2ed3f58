"""The table port: all that the text and the vector index ask of an engine; and the deadline inside a search.

Owns the contract between the indexes and whoever keeps their tables. Knows no engine: each implements `Tables` in some
twenty-five lines, and the indexes, their laws and their ranking are the same over every one of them.

Statements are written once, in what SQLite and PostgreSQL both understand: plain `?` for each value, in order; `ON
CONFLICT` and `RETURNING`; joins with their condition in WHERE; `CASE` where one of them would compare with `max(a, b)`
or count a condition as a number. An engine may translate the placeholders, nothing else. Numbers are 64-bit integers,
arrays are blobs in little-endian order. The number of a partition stands in the column `scope`.

Whoever searches may say when it is too late. The check stands between the pieces of work that are done in memory; how a
single long statement is stopped is the engine's to know. Invariant: a search that is stopped raises and returns
nothing, so no half answer is taken for a whole one, and nothing half read is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import PartUnavailable
from palazzo.store.api import PASSED, Late, never

Value = int | str | bytes | None
Row = tuple[Any, ...]
T = TypeVar("T")
EVERY = 1 << 62
"""For LIMIT: as many as there are."""


class Tables(Protocol):
    """The tables of one palace, in one session of its engine, used by one thread at a time.

    Every statement sees what this session has written before, committed or not. Deleting leaves nothing readable behind
    as far as the engine can see to that: an index erases by deleting. Errors of the engine pass through the indexes
    untouched, for the engine's own callers to translate; a key that is there already is such an error.
    """

    @property
    def writing(self) -> bool:
        """Whether a transaction under way has written: what is read then may be undone, so no cache may keep it."""

    def rows(self, statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        """The rows of a SELECT, in the order it asks for. Whoever reads them may stop early, and may write meanwhile to
        other tables than those read."""

    def row(self, statement: str, values: Sequence[Value] = (), /) -> Row | None:
        """The first row, or None; also of a change that gives one by RETURNING, which is then made whole."""

    def rows_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> Iterator[Row]:
        """The rows of a SELECT that finds a list of keys in a table `wanted` of one column, `id`; in any order.

        There is at least one key. A key given twice is there twice.
        """

    def held(self, name: Hashable, ask: Callable[[], T], /) -> T:
        """What `ask` gives; a session that only reads may give again what it gave before, while nobody has written."""

    def change(self, statement: str, values: Sequence[Value] = (), /) -> int:
        """Runs an INSERT, UPDATE or DELETE and returns how many rows it changed."""

    def change_of(self, keys: NDArray[np.int64], statement: str, values: Sequence[Value] = (), /) -> int:
        """The same for a list of at least one key, which the statement finds as in `rows_of`."""

    def change_many(self, statement: str, rows: Iterable[Sequence[Value]], /) -> None:
        """Runs a change once for the values of each row."""

    def moment(self) -> AbstractContextManager[object]:
        """All reads inside see one moment: that of the transaction under way, or of one that ends with the block."""

    def whole(self) -> AbstractContextManager[object]:
        """What is written inside is written as a whole or, when an error leaves the block, not at all.

        Inside a transaction it is a part of it, which its end makes lasting; else it is a transaction of its own.
        """


def number(tables: Tables, statement: str, *values: Value) -> int:
    """The single number a statement gives; 0 when it gives no row."""
    row = tables.row(statement, values)
    return 0 if row is None else int(row[0])


def identity(row: Row | None) -> int:
    """The key that an INSERT gave by RETURNING."""
    if row is None:
        raise RuntimeError("an INSERT with RETURNING gave no row")
    return int(row[0])


Piece = TypeVar("Piece")


def check(late: Late) -> None:
    """Stops a search that is late.

    Raises: PartUnavailable.
    """
    if late():
        raise PartUnavailable(PASSED, part="search")


def timely(pieces: Iterable[Piece], late: Late) -> Iterable[Piece]:
    """The pieces one by one, as long as there is time.

    Raises: PartUnavailable.
    """
    return pieces if late is never else _checked(pieces, late)


def _checked(pieces: Iterable[Piece], late: Late) -> Iterator[Piece]:
    for piece in pieces:
        check(late)
        yield piece
