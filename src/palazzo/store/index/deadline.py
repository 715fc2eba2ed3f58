"""Deadlines inside a search: whoever searches may say when it is too late, and a long search then stops soon.

Owns the two ways to stop: a check between the pieces of work that are done in memory, and SQLite's progress handler for
a statement that runs long. Knows no clock. Invariant: a search that is stopped raises and returns nothing, so no half
answer is taken for a whole one, and nothing half read is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import apsw

from palazzo.errors import PartUnavailable
from palazzo.store.api import PASSED, Late, never

STEPS: Final = 10_000
"""Steps of SQLite's machine between two looks at the time: about half a millisecond."""
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
