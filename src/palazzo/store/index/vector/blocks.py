"""Rows of the vector index: the partition's own row, its tail, its blocks of codes and the means of its lists.

A partition is one space and one scope. Reads and writes rows; decides nothing about when to flush or what to
cluster, and is always called inside somebody's transaction. Invariants: a block is never changed, only replaced
under a new id; whatever removes or moves codes changes the partition's stamp in the same transaction, so a cache
that compares stamps is never behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.spaces import erasing, one

FLUSH_AT = 2048
"""A tail of this many vectors is due for a flush; smaller scopes stay in their tail for ever."""
LOOSE = 0
"""The generation of blocks that belong to no list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """The partition's row; see the table for what each column means."""

    space: int
    scope: int
    stamp: int = 0
    removals: int = 0
    due: int = 0
    generation: int = 0
    building: int = 0
    trained: int = 0
    loose: int = 0
    listed: int = 0


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A block without its arrays."""

    id: int
    list: int
    count: int


_PARTITION = "space, scope, stamp, removals, due, generation, building, trained, loose, listed"


def _partition(row: Sequence[int]) -> Partition:
    return Partition(**dict(zip(_PARTITION.split(", "), row, strict=True)))


def partition_of(conn: apsw.Connection, space: int, scope: int) -> Partition:
    """The partition's row; one that has none yet has the defaults."""
    row = conn.execute(
        f"SELECT {_PARTITION} FROM vector_partition WHERE space = ? AND scope = ?", (space, scope)
    ).fetchone()
    return Partition(space=space, scope=scope) if row is None else _partition(row)


def partitions(conn: apsw.Connection) -> list[Partition]:
    """Every partition that has a row, those of retired spaces left out."""
    return [
        _partition(row)
        for row in conn.execute(
            f"""SELECT {_PARTITION} FROM vector_partition
                WHERE space IN (SELECT id FROM vector_space WHERE state <> 'retired')"""
        )
    ]


def change_partition(conn: apsw.Connection, space: int, scope: int, changes: str, *values: int) -> None:
    """Applies SET clauses (our own constants) to the partition's row, made first if need be, and changes its stamp."""
    conn.execute("INSERT OR IGNORE INTO vector_partition (space, scope) VALUES (?,?)", (space, scope))
    conn.execute(
        f"UPDATE vector_partition SET stamp = stamp + 1, {changes} WHERE space = ? AND scope = ?",
        (*values, space, scope),
    )


# -- tail ------------------------------------------------------------------------------------------


def append_tail(conn: apsw.Connection, space: int, scope: int, codes: Sequence[tuple[int, bytes]]) -> None:
    """Adds (revision, code) rows to the tail; marks the partition as due whenever it has grown by another FLUSH_AT."""
    last = tail_end(conn, space, scope)
    conn.executemany(
        "INSERT INTO vector_tail VALUES (?,?,?,?,?)",
        [(space, scope, last + 1 + n, revision, code) for n, (revision, code) in enumerate(codes)],
    )
    if last // FLUSH_AT != (last + len(codes)) // FLUSH_AT:
        conn.execute(
            """INSERT INTO vector_partition (space, scope, due) VALUES (?,?,1)
               ON CONFLICT (space, scope) DO UPDATE SET due = 1""",
            (space, scope),
        )


def tail_end(conn: apsw.Connection, space: int, scope: int) -> int:
    """The last position of the tail, 0 when it is empty."""
    return one(conn, "SELECT coalesce(max(seq), 0) FROM vector_tail WHERE space = ? AND scope = ?", space, scope)


def read_tail(
    conn: apsw.Connection, space: Space, scope: int, after: int = 0, limit: int = -1
) -> tuple[int, Codes | None]:
    """The tail's codes behind position `after` and the position they reach; None when there are none."""
    rows: list[Any] = conn.execute(
        """SELECT seq, revision, code FROM vector_tail WHERE space = ? AND scope = ? AND seq > ?
           ORDER BY seq LIMIT ?""",
        (space.id, scope, after, limit),
    ).fetchall()
    if not rows:
        return after, None
    revisions = np.array([row[1] for row in rows], np.int64)
    words = vector_codes.word_count(space.dimensions)
    return rows[-1][0], vector_codes.unpack_rows([row[2] for row in rows], revisions, words)


# -- blocks ----------------------------------------------------------------------------------------


def insert_block(conn: apsw.Connection, space: int, scope: int, home: tuple[int, int], codes: Codes) -> int:
    """Stores codes as a block of (generation, list) and returns its id."""
    conn.execute(
        """INSERT INTO vector_block (space, scope, generation, list, count, first, last)
           VALUES (?,?,?,?,?,?,?)""",
        (space, scope, *home, len(codes), int(codes.revisions.min()), int(codes.revisions.max())),
    )
    number = conn.last_insert_rowid()
    conn.execute(
        "INSERT INTO vector_code VALUES (?,?,?)",
        (number, vector_codes.pack_revisions(codes.revisions), vector_codes.pack(codes)),
    )
    return number


def delete_blocks(conn: apsw.Connection, ids: Sequence[int]) -> None:
    """Removes blocks by id."""
    rows = [(number,) for number in ids]
    with erasing(conn):
        conn.executemany("DELETE FROM vector_code WHERE id = ?", rows)
        conn.executemany("DELETE FROM vector_block WHERE id = ?", rows)


def directory(conn: apsw.Connection, space: int, scope: int, generation: int) -> list[BlockRow]:
    """The blocks of a generation, by list; reads the covering index vector_block_list alone."""
    return [
        BlockRow(*row)
        for row in conn.execute(
            """SELECT id, list, count FROM vector_block WHERE space = ? AND scope = ? AND generation = ?
               ORDER BY list""",
            (space, scope, generation),
        )
    ]


def read_blocks(conn: apsw.Connection, space: Space, ids: Sequence[int]) -> dict[int, Codes]:
    """The codes of those blocks that are there, by id."""
    if not ids:
        return {}
    words = vector_codes.word_count(space.dimensions)
    return {
        number: vector_codes.unpack(codes, vector_codes.unpack_revisions(revisions, count), words)
        for number, count, revisions, codes in conn.execute(
            """SELECT b.id, b.count, c.revisions, c.codes FROM carray(?) a
               CROSS JOIN vector_block b ON b.id = a.value CROSS JOIN vector_code c ON c.id = b.id""",
            (apsw.carray(np.array(ids, np.int64)),),
        )
    }


def blocks_holding(
    conn: apsw.Connection, space: int, scope: int, revisions: NDArray[np.int64]
) -> dict[int, tuple[int, int]]:
    """The (generation, list) of every block that holds one of these revisions (sorted); reads all lists' revisions."""
    rows: list[Any] = conn.execute(
        """SELECT b.id, b.generation, b.list, b.count, c.revisions FROM vector_block b
           CROSS JOIN vector_code c ON c.id = b.id
           WHERE b.space = ? AND b.scope = ? AND b.last >= ? AND b.first <= ?""",
        (space, scope, int(revisions[0]), int(revisions[-1])),
    ).fetchall()
    found: dict[int, tuple[int, int]] = {}
    for width, kind in ((4, "<u4"), (8, "<i8")):
        group = [row for row in rows if len(row[4]) == width * row[3]]
        if not group:
            continue
        everything = np.frombuffer(b"".join([row[4] for row in group]), kind)
        needles = revisions if width == 8 else revisions[revisions >> 32 == 0].astype(np.uint32)
        hits = np.flatnonzero(np.isin(everything, needles))
        ends = np.cumsum([row[3] for row in group])
        for n in np.unique(np.searchsorted(ends, hits, side="right")).tolist():
            found[group[n][0]] = (group[n][1], group[n][2])
    return found


# -- means -----------------------------------------------------------------------------------------


def write_means(conn: apsw.Connection, space: int, scope: int, generation: int, means: NDArray[np.float16]) -> None:
    """Stores the means of a generation's lists."""
    conn.execute(
        "INSERT INTO vector_centroids (space, scope, generation, means) VALUES (?,?,?,?)",
        (space, scope, generation, means.astype("<f2", copy=False).tobytes()),
    )


def read_means(conn: apsw.Connection, space: Space, scope: int, generation: int) -> NDArray[np.float16] | None:
    """The means of a generation's lists, or None."""
    row = conn.execute(
        "SELECT means FROM vector_centroids WHERE space = ? AND scope = ? AND generation = ?",
        (space.id, scope, generation),
    ).fetchone()
    return None if row is None else np.frombuffer(row[0], "<f2").reshape(-1, space.dimensions)
