"""Deadlines inside a search: whoever searches may say when it is too late, and a long search then stops soon.

Owns the check between the pieces of work that are done in memory; how a single long statement is stopped is the
engine's to know. Knows no clock. Invariant: a search that is stopped raises and returns nothing, so no half
answer is taken for a whole one, and nothing half read is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from palazzo.errors import PartUnavailable
from palazzo.store.api import PASSED, Late, never

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
