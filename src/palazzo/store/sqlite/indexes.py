"""The text index and the vector index as a whole: which tables they are, and whether they can be used.

An index is derived. One that is damaged anywhere is set aside as a whole, so that readers go without it, and made again
from the revisions and the stored vectors. Invariant: nothing here touches what an index is derived from, except for
stored vectors that are none: a vector is made again from its text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import apsw

from palazzo.errors import CorruptPalace
from palazzo.store.api.keeping import Damaged
from palazzo.store.index.tables import Tables
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite.tables import SqliteTables

TEXT, VECTOR = "text index", "vector index"
TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    TEXT: ("text_posting", "text_segment", "text_late", "text_doc", "text_scope"),
    VECTOR: (
        "vector_tail", "vector_code", "vector_block", "vector_centroids", "vector_partition", "vector", "vector_space",
    ),
}  # fmt: skip
"""The tables of each index."""
_VERIFY: Final[Mapping[str, Callable[[Tables], list[str]]]] = {
    TEXT: text_index.verify, VECTOR: vectors.verify,
}  # fmt: skip
_UNUSABLE = (apsw.Error, CorruptPalace, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
"""What reading a damaged index ends in."""


def damaged(connection: apsw.Connection) -> list[Damaged]:
    """The indexes that are not what they should be."""
    return [Damaged(name, "", "") for name in _VERIFY if not is_whole(connection, name)]


def is_whole(connection: apsw.Connection, name: str) -> bool:
    """Whether an index can be read to its end and agrees with itself."""
    try:
        return not _VERIFY[name](SqliteTables(connection))
    except _UNUSABLE:
        return False


def empty_text(connection: apsw.Connection) -> None:
    """Takes everything out of the text index (inside a write transaction). Its generations go on: caches go by them."""
    for table in ("text_posting", "text_segment", "text_late", "text_doc"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("DELETE FROM text_scope WHERE scope < 0")
    connection.execute(
        """UPDATE text_scope SET docs = 0, length = 0, tail = 0, high = 0, applied = 0,
             generation = generation + 1, structure = structure + 1"""
    )


def drop_unusable_vectors(connection: apsw.Connection) -> int:
    """Takes out stored vectors that are none, and what counts them; returns how many. Their texts are embedded again.

    Reads every row of `vector`, of each only its header.
    """
    connection.execute(
        """DELETE FROM vector WHERE typeof(data) <> 'blob' OR typeof(scope) <> 'integer' OR scope < 0
           OR length(data) <> 2 * (SELECT dimensions FROM vector_space WHERE id = vector.id >> 48)"""
    )
    removed = connection.changes()
    connection.execute(
        """DELETE FROM vector_partition WHERE typeof(space) <> 'integer' OR typeof(scope) <> 'integer'
           OR typeof(stamp) <> 'integer' OR typeof(removals) <> 'integer' OR typeof(generation) <> 'integer'
           OR typeof(building) <> 'integer'"""
    )
    return removed
