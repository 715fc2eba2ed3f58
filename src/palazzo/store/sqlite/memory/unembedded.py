"""Revisions that have no vector in a space yet: which ones, and how many.

Owns the one question that needs the tables of memories and of vectors together. Knows no embedder.
"""

from __future__ import annotations

from typing import Any

import apsw

from palazzo.store.api import Space
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.seal.sealing import opened
from palazzo.store.sqlite.tables import SqliteTables


def missing(connection: apsw.Connection, space: Space, limit: int, after: int = 0) -> list[tuple[int, str]]:
    """The first revisions behind `after` that have no vector in this space, with their texts.

    Pass the last revision of one batch as `after` of the next: from the start, every batch would look at all before it.
    """
    rows: Any = connection.execute(
        f"""SELECT r.id, {opened("r.text", "r.id")} FROM revision r
           WHERE r.id > ?1 AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.id = r.id | ?2)
           ORDER BY r.id LIMIT ?3""",
        (after, vectors.id_range(space.id)[0], limit),
    )
    return list(rows)


def count_missing(connection: apsw.Connection, space: Space) -> int:
    """How many revisions have no vector in this space."""
    (revisions,) = one(connection, "SELECT count(*) FROM revision")
    return max(0, int(revisions) - vectors.space_of(SqliteTables(connection), space.id).vectors)
