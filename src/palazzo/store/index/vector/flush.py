"""Moving vectors about in the index: tails into blocks, removed revisions out of everything, leftovers out of the
file.

Owns when a tail is due, which small blocks are merged, and what counts as left over. Does not know how lists are
trained. Invariants: a plan is applied only if the partition's stamp is the one it was made under; after `remove` no
row of the index or of the truth holds the revision, in any space and any generation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE, BlockRow, Partition
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.spaces import erasing, id_range, snapshot, space_of, spaces, vector_ids

MERGED_BLOCKS = 8
"""Eight blocks of 2,048 become one of 16,384, and no larger ones: a removal rewrites the block of the revision."""
FLUSH_ROWS = 16_384
LISTS_AT = 200_000
"""From here on lists pay: a scan of all codes takes 1 ms on a fast machine and 3 ms on a slow one."""
FOLD_AT = 16_384
FOLD_SHARE = 16
"""Loose vectors are folded into the lists once they are this part of them: each fold rewrites every list."""
RETRAIN_GROWTH = 2
SWEEP_CODES = 65_536
SWEEP_ROWS = 2048


@dataclass(frozen=True, slots=True)
class FlushPlan:
    """A block to be written in place of tail rows up to `last_seq` and of smaller blocks, if nothing changed."""

    space: int
    scope: int
    stamp: int
    last_seq: int
    moved: int
    more: bool
    merged: tuple[int, ...]
    codes: Codes


def lists_due(partition: Partition) -> bool:
    """Whether lists should be trained for the first time, trained anew or extended by the loose vectors."""
    if not partition.generation:
        return partition.loose >= LISTS_AT
    return training_due(partition) or partition.loose >= max(FOLD_AT, partition.listed // FOLD_SHARE)


def training_due(partition: Partition) -> bool:
    """Whether lists, if they are due, are to be trained and not only extended."""
    return not partition.generation or partition.loose + partition.listed >= RETRAIN_GROWTH * partition.trained


def pending(conn: apsw.Connection) -> list[tuple[int, int, str]]:
    """What upkeep has to do, as (space, scope, what): 'flush', 'lists', or 'sweep' (of the whole palace)."""
    found: list[tuple[int, int, str]] = []
    with snapshot(conn):
        for partition in vector_blocks.partitions(conn):
            if partition.due:
                found.append((partition.space, partition.scope, "flush"))
            if lists_due(partition):
                found.append((partition.space, partition.scope, "lists"))
        retired = [space.id for space in spaces(conn) if space.state == "retired"]
        if retired or _leftover_blocks(conn, 1):
            found.append((retired[0] if retired else 0, 0, "sweep"))
    return found


def plan_flush(conn: apsw.Connection, space: int, scope: int) -> FlushPlan | None:
    """Prepares moving a due tail into a block, merged with smaller ones where eight have gathered; None if not due."""
    with snapshot(conn):
        partition = vector_blocks.partition_of(conn, space, scope)
        if not partition.due:
            return None
        found = space_of(conn, space)
        if found.state == "retired":
            return None
        last_seq, tail = vector_blocks.read_tail(conn, found, scope, limit=FLUSH_ROWS)
        if tail is None:
            return None
        merged = _to_merge(vector_blocks.directory(conn, space, scope, LOOSE), len(tail))
        blocks = vector_blocks.read_blocks(conn, found, merged)
    codes = vector_codes.join([*blocks.values(), tail])
    more = len(tail) == FLUSH_ROWS
    return FlushPlan(space, scope, partition.stamp, last_seq, len(tail), more, tuple(merged), codes)


def _to_merge(blocks: Sequence[BlockRow], size: int) -> list[int]:
    """The small blocks, once they are seven and the tail makes eight."""
    largest = vector_blocks.FLUSH_AT * MERGED_BLOCKS
    small = [block.id for block in blocks if block.count < largest]
    return small if size < largest and len(small) >= MERGED_BLOCKS - 1 else []


def apply_flush(conn: apsw.Connection, plan: FlushPlan) -> bool:
    """Writes the planned block inside the caller's transaction; False, and nothing done, if the partition changed."""
    if vector_blocks.partition_of(conn, plan.space, plan.scope).stamp != plan.stamp:
        return False
    with conn, erasing(conn):
        conn.execute(
            "DELETE FROM vector_tail WHERE space = ? AND scope = ? AND seq <= ?",
            (plan.space, plan.scope, plan.last_seq),
        )
        vector_blocks.delete_blocks(conn, plan.merged)
        vector_blocks.insert_block(conn, plan.space, plan.scope, (LOOSE, 0), plan.codes)
        vector_blocks.change_partition(
            conn, plan.space, plan.scope, "due = ?, loose = loose + ?", int(plan.more), plan.moved
        )
    return True


# -- removal ---------------------------------------------------------------------------------------


def remove(conn: apsw.Connection, rows: Iterable[tuple[int, int]]) -> None:
    """Takes (scope, revision) rows out of every space: vectors, tails and blocks of every generation.

    Collect rows into one call where you can: in a large scope a call reads the revision numbers of all its blocks.
    """
    given = list(rows)
    if not given:
        return
    revisions = np.unique(np.array([revision for _, revision in given], np.int64))
    scopes: defaultdict[int, set[int]] = defaultdict(set)
    for scope, revision in given:
        scopes[scope].add(revision)
    with conn:
        for space in spaces(conn):
            remove_from(conn, space.id, revisions, scopes)


def remove_from(conn: apsw.Connection, space: int, revisions: NDArray[np.int64], scopes: dict[int, set[int]]) -> None:
    """Takes revisions out of one space, from the scopes named and from those their vectors are filed under."""
    ids = apsw.carray(vector_ids(space, revisions))
    places = {scope: set(found) for scope, found in scopes.items()}
    for revision, scope in conn.execute(
        "SELECT v.id - ?2, v.scope FROM carray(?1) a CROSS JOIN vector v ON v.id = a.value",
        (ids, id_range(space)[0]),
    ):
        places.setdefault(scope, set()).add(revision)
    with erasing(conn):
        conn.execute("DELETE FROM vector WHERE id IN (SELECT value FROM carray(?))", (ids,))
    if gone := conn.changes():
        conn.execute("UPDATE vector_space SET vectors = vectors - ? WHERE id = ?", (gone, space))
    for scope, found in places.items():
        _remove_codes(conn, space, scope, np.array(sorted(found), np.int64))


def _remove_codes(conn: apsw.Connection, space: int, scope: int, revisions: NDArray[np.int64]) -> None:
    with erasing(conn):
        conn.execute(
            "DELETE FROM vector_tail WHERE space = ? AND scope = ? AND revision IN (SELECT value FROM carray(?))",
            (space, scope, apsw.carray(revisions)),
        )
    changed = conn.changes() > 0
    lost = {"loose": 0, "listed": 0}
    homes = vector_blocks.blocks_holding(conn, space, scope, revisions)
    if homes:
        changed = True
        partition = vector_blocks.partition_of(conn, space, scope)
        blocks = vector_blocks.read_blocks(conn, space_of(conn, space), list(homes))
        for number, codes in blocks.items():
            generation, home = homes[number]
            kept = codes.pick(~np.isin(codes.revisions, revisions))
            vector_blocks.delete_blocks(conn, (number,))
            if len(kept):
                vector_blocks.insert_block(conn, space, scope, (generation, home), kept)
            if generation in (LOOSE, partition.generation):
                lost["listed" if generation else "loose"] += len(codes) - len(kept)
    if changed:
        vector_blocks.change_partition(
            conn, space, scope, "removals = removals + 1, loose = loose - ?, listed = listed - ?",
            lost["loose"], lost["listed"],
        )  # fmt: skip


# -- leftovers -------------------------------------------------------------------------------------


def sweep(conn: apsw.Connection) -> int:
    """Drops a bounded part of what is no longer used, inside the caller's transaction; 0 when nothing is left.

    Left over are generations of lists that were replaced or never completed, and everything of a retired space.
    """
    gone = 0
    with conn:
        numbers = _leftover_blocks(conn, SWEEP_CODES)
        vector_blocks.delete_blocks(conn, numbers)
        conn.execute(
            """DELETE FROM vector_centroids WHERE NOT EXISTS (SELECT 1 FROM vector_partition p
                 WHERE p.space = vector_centroids.space AND p.scope = vector_centroids.scope
                   AND vector_centroids.generation IN (p.generation, p.building))"""
        )
        gone = len(numbers) + conn.changes()
        retired = [space.id for space in spaces(conn) if space.state == "retired"]
        if retired and not gone:
            with erasing(conn):
                gone = _sweep_space(conn, retired[0])
    return gone


def _leftover_blocks(conn: apsw.Connection, most: int) -> list[int]:
    """Blocks of no generation in use, until they hold `most` codes; reads the index vector_block_list."""
    found: list[int] = []
    codes = 0
    for number, count in conn.execute(
        """SELECT b.id, b.count FROM vector_block b JOIN vector_partition p ON p.space = b.space AND p.scope = b.scope
           WHERE b.generation NOT IN (0, p.generation, p.building)
              OR b.space IN (SELECT id FROM vector_space WHERE state = 'retired')"""
    ):
        found.append(number)
        codes += count
        if codes >= most:
            break
    return found


def _sweep_space(conn: apsw.Connection, space: int) -> int:
    """Removes some rows of a retired space, and the space itself with the last of them."""
    conn.execute(
        "DELETE FROM vector WHERE id IN (SELECT id FROM vector WHERE id BETWEEN ? AND ? LIMIT ?)",
        (*id_range(space), SWEEP_ROWS),
    )
    gone = conn.changes()
    conn.execute(
        """DELETE FROM vector_tail WHERE (space, scope, seq) IN
             (SELECT space, scope, seq FROM vector_tail WHERE space = ? LIMIT ?)""",
        (space, SWEEP_ROWS),
    )
    gone += conn.changes()
    if not gone:
        for table in ("vector_partition", "vector_centroids"):
            conn.execute(f"DELETE FROM {table} WHERE space = ?", (space,))
        conn.execute("DELETE FROM vector_space WHERE id = ?", (space,))
        return 1
    return gone
