"""Rows of the vector index: the partition's own row, its tail, its blocks of codes and the means of its lists.

A partition is a number the caller gives, within a space. Reads and writes rows; decides nothing about when to flush
or what to cluster, and is always called inside somebody's transaction. Invariants: a block is never changed, only
replaced under a new id; whatever removes or moves codes changes the partition's stamp in the same transaction, so a
cache that compares stamps is never behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index.tables import EVERY, Tables, identity, number
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.codes import Codes

FLUSH_AT = 2048
"""A tail of this many vectors is due for a flush; smaller partitions stay in their tail for ever."""
LOOSE = 0
"""The generation of blocks that belong to no list."""


class VectorPartition(msgspec.Struct, frozen=True, kw_only=True):
    """The partition's row; see the table for what each column means."""

    space: int
    partition: int
    stamp: int = 0
    removals: int = 0
    due: int = 0
    generation: int = 0
    building: int = 0
    trained: int = 0
    loose: int = 0
    listed: int = 0


class BlockRow(msgspec.Struct, frozen=True):
    """A block without its arrays."""

    id: int
    list: int
    count: int


_PARTITION = "space, scope, stamp, removals, due, generation, building, trained, loose, listed"


def _as_row(row: Sequence[int]) -> VectorPartition:
    space, partition, stamp, removals, due, generation, building, trained, loose, listed = row
    return VectorPartition(
        space=space, partition=partition, stamp=stamp, removals=removals, due=due, generation=generation,
        building=building, trained=trained, loose=loose, listed=listed,
    )  # fmt: skip


def partition_row(tables: Tables, space: int, partition: int) -> VectorPartition:
    """The partition's row; one that has none yet has the defaults."""
    row = tables.row(f"SELECT {_PARTITION} FROM vector_partition WHERE space = ? AND scope = ?", (space, partition))
    return VectorPartition(space=space, partition=partition) if row is None else _as_row(row)


def every_partition(tables: Tables) -> list[VectorPartition]:
    """Every partition that has a row, those of retired spaces left out."""
    return [
        _as_row(row)
        for row in tables.rows(
            f"""SELECT {_PARTITION} FROM vector_partition
                WHERE space IN (SELECT id FROM vector_space WHERE state <> 'retired')"""
        )
    ]


def change_row(tables: Tables, space: int, partition: int, changes: str, *values: int) -> None:
    """Applies SET clauses (our own constants) to the partition's row, made first if need be, and changes its stamp."""
    tables.change("INSERT INTO vector_partition (space, scope) VALUES (?,?) ON CONFLICT DO NOTHING", (space, partition))
    tables.change(
        f"UPDATE vector_partition SET stamp = stamp + 1, {changes} WHERE space = ? AND scope = ?",
        (*values, space, partition),
    )


# -- tail ------------------------------------------------------------------------------------------


def append_tail(tables: Tables, space: int, partition: int, codes: Sequence[tuple[int, bytes]]) -> None:
    """Adds (revision, code) rows to the tail; marks the partition as due whenever it has grown by another FLUSH_AT."""
    last = tail_end(tables, space, partition)
    tables.change_many(
        "INSERT INTO vector_tail (space, scope, seq, revision, code) VALUES (?,?,?,?,?)",
        [(space, partition, last + 1 + n, revision, code) for n, (revision, code) in enumerate(codes)],
    )
    if last // FLUSH_AT != (last + len(codes)) // FLUSH_AT:
        tables.change(
            """INSERT INTO vector_partition (space, scope, due) VALUES (?,?,1)
               ON CONFLICT (space, scope) DO UPDATE SET due = 1""",
            (space, partition),
        )


def tail_end(tables: Tables, space: int, partition: int) -> int:
    """The last position of the tail, 0 when it is empty."""
    return number(
        tables, "SELECT coalesce(max(seq), 0) FROM vector_tail WHERE space = ? AND scope = ?", space, partition
    )


def read_tail(
    tables: Tables, space: Space, partition: int, after: int = 0, limit: int = EVERY
) -> tuple[int, Codes | None]:
    """The tail's codes behind position `after` and the position they reach; None when there are none."""
    rows: list[Any] = list(
        tables.rows(
            """SELECT seq, revision, code FROM vector_tail WHERE space = ? AND scope = ? AND seq > ?
           ORDER BY seq LIMIT ?""",
            (space.id, partition, after, limit),
        )
    )
    if not rows:
        return after, None
    revisions = np.array([row[1] for row in rows], np.int64)
    words = vector_codes.word_count(space.dimensions)
    return rows[-1][0], vector_codes.unpack_rows([row[2] for row in rows], revisions, words)


# -- blocks ----------------------------------------------------------------------------------------


def insert_block(tables: Tables, space: int, partition: int, home: tuple[int, int], codes: Codes) -> int:
    """Stores codes as a block of (generation, list) and returns its id."""
    made = tables.row(
        """INSERT INTO vector_block (space, scope, generation, list, count, first, last)
           VALUES (?,?,?,?,?,?,?) RETURNING id""",
        (space, partition, *home, len(codes), int(codes.revisions.min()), int(codes.revisions.max())),
    )
    block = identity(made)
    tables.change(
        "INSERT INTO vector_code (id, revisions, codes) VALUES (?,?,?)",
        (block, vector_codes.pack_revisions(codes.revisions), vector_codes.pack(codes)),
    )
    return block


def delete_blocks(tables: Tables, ids: Sequence[int]) -> None:
    """Removes blocks by id."""
    rows = [(block,) for block in ids]
    tables.change_many("DELETE FROM vector_code WHERE id = ?", rows)
    tables.change_many("DELETE FROM vector_block WHERE id = ?", rows)


def directory(tables: Tables, space: int, partition: int, generation: int) -> list[BlockRow]:
    """The blocks of a generation, by list; reads the covering index vector_block_list alone."""
    return [
        BlockRow(*row)
        for row in tables.rows(
            """SELECT id, list, count FROM vector_block WHERE space = ? AND scope = ? AND generation = ?
               ORDER BY list""",
            (space, partition, generation),
        )
    ]


def read_blocks(tables: Tables, space: Space, ids: Sequence[int]) -> dict[int, Codes]:
    """The codes of those blocks that are there, by id."""
    if not ids:
        return {}
    words = vector_codes.word_count(space.dimensions)
    return {
        block: vector_codes.unpack(codes, vector_codes.unpack_revisions(revisions, count), words)
        for block, count, revisions, codes in tables.rows_of(
            np.array(ids, np.int64),
            """SELECT b.id, b.count, c.revisions, c.codes FROM wanted w CROSS JOIN vector_block b
               CROSS JOIN vector_code c WHERE b.id = w.id AND c.id = b.id""",
        )
    }


def blocks_holding(
    tables: Tables, space: int, partition: int, revisions: NDArray[np.int64]
) -> dict[int, tuple[int, int]]:
    """The (generation, list) of every block that holds one of these revisions (sorted); reads all lists' revisions."""
    rows: list[Any] = list(
        tables.rows(
            """SELECT b.id, b.generation, b.list, b.count, c.revisions FROM vector_block b
           CROSS JOIN vector_code c
               WHERE c.id = b.id AND b.space = ? AND b.scope = ? AND b.last >= ? AND b.first <= ?""",
            (space, partition, int(revisions[0]), int(revisions[-1])),
        )
    )
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


def write_means(tables: Tables, space: int, partition: int, generation: int, means: NDArray[np.float16]) -> None:
    """Stores the means of a generation's lists."""
    tables.change(
        "INSERT INTO vector_centroids (space, scope, generation, means) VALUES (?,?,?,?)",
        (space, partition, generation, means.astype("<f2", copy=False).tobytes()),
    )


def read_means(tables: Tables, space: Space, partition: int, generation: int) -> NDArray[np.float16] | None:
    """The means of a generation's lists, or None."""
    row = tables.row(
        "SELECT means FROM vector_centroids WHERE space = ? AND scope = ? AND generation = ?",
        (space.id, partition, generation),
    )
    return None if row is None else np.frombuffer(row[0], "<f2").reshape(-1, space.dimensions)
