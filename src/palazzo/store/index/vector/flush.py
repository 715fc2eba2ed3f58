"""Moving vectors about in the index: tails into blocks, removed revisions out of everything, leftovers out of the
file.

Owns when a tail is due, which small blocks are merged, and what counts as left over. Does not know how lists are
trained. Invariants: a plan is applied only if the partition's stamp is the one it was made under; after `remove` no
row of the index or of the truth holds the revision, in any space and any generation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.tables import Tables
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE, BlockRow, VectorPartition
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.spaces import id_range, space_of, spaces, vector_ids

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


class VectorFlush(msgspec.Struct, frozen=True):
    """A block to be written in place of tail rows up to `last_seq` and of smaller blocks, if nothing changed."""

    space: int
    partition: int
    stamp: int
    last_seq: int
    moved: int
    more: bool
    merged: tuple[int, ...]
    codes: Codes


def lists_due(own: VectorPartition) -> bool:
    """Whether lists should be trained for the first time, trained anew or extended by the loose vectors."""
    if not own.generation:
        return own.loose >= LISTS_AT
    return training_due(own) or own.loose >= max(FOLD_AT, own.listed // FOLD_SHARE)


def training_due(own: VectorPartition) -> bool:
    """Whether lists, if they are due, are to be trained and not only extended."""
    return not own.generation or own.loose + own.listed >= RETRAIN_GROWTH * own.trained


def pending(tables: Tables) -> list[tuple[int, int, str]]:
    """What upkeep has to do, as (space, partition, what): 'flush', 'lists', or 'sweep' (of the whole palace)."""
    found: list[tuple[int, int, str]] = []
    with tables.moment():
        for own in vector_blocks.every_partition(tables):
            if own.due:
                found.append((own.space, own.partition, "flush"))
            if lists_due(own):
                found.append((own.space, own.partition, "lists"))
        retired = [space.id for space in spaces(tables) if space.state == "retired"]
        if retired or _leftover_blocks(tables, 1):
            found.append((retired[0] if retired else 0, 0, "sweep"))
    return found


def plan_flush(tables: Tables, space: int, partition: int) -> VectorFlush | None:
    """Prepares moving a due tail into a block, merged with smaller ones where eight have gathered; None if not due."""
    with tables.moment():
        own = vector_blocks.partition_row(tables, space, partition)
        if not own.due:
            return None
        found = space_of(tables, space)
        if found.state == "retired":
            return None
        last_seq, tail = vector_blocks.read_tail(tables, found, partition, limit=FLUSH_ROWS)
        if tail is None:
            return None
        merged = _to_merge(vector_blocks.directory(tables, space, partition, LOOSE), len(tail))
        blocks = vector_blocks.read_blocks(tables, found, merged)
    codes = vector_codes.join([*blocks.values(), tail])
    more = len(tail) == FLUSH_ROWS
    return VectorFlush(space, partition, own.stamp, last_seq, len(tail), more, tuple(merged), codes)


def _to_merge(blocks: Sequence[BlockRow], size: int) -> list[int]:
    """The small blocks, once they are seven and the tail makes eight."""
    largest = vector_blocks.FLUSH_AT * MERGED_BLOCKS
    small = [block.id for block in blocks if block.count < largest]
    return small if size < largest and len(small) >= MERGED_BLOCKS - 1 else []


def apply_flush(tables: Tables, plan: VectorFlush) -> bool:
    """Writes the planned block inside the caller's transaction; False, and nothing done, if the partition changed."""
    if vector_blocks.partition_row(tables, plan.space, plan.partition).stamp != plan.stamp:
        return False
    with tables.whole():
        tables.change(
            "DELETE FROM vector_tail WHERE space = ? AND scope = ? AND seq <= ?",
            (plan.space, plan.partition, plan.last_seq),
        )
        vector_blocks.delete_blocks(tables, plan.merged)
        vector_blocks.insert_block(tables, plan.space, plan.partition, (LOOSE, 0), plan.codes)
        vector_blocks.change_row(
            tables, plan.space, plan.partition, "due = ?, loose = loose + ?", int(plan.more), plan.moved
        )
    return True


# -- removal ---------------------------------------------------------------------------------------


def remove(tables: Tables, rows: Iterable[tuple[int, int]]) -> None:
    """Takes (partition, revision) rows out of every space: vectors, tails and blocks of every generation.

    Collect rows into one call where you can: in a large partition a call reads the revision numbers of all its blocks.
    """
    given = list(rows)
    if not given:
        return
    revisions = np.unique(np.array([revision for _, revision in given], np.int64))
    partitions: defaultdict[int, set[int]] = defaultdict(set)
    for partition, revision in given:
        partitions[partition].add(revision)
    with tables.whole():
        for space in spaces(tables):
            remove_from(tables, space.id, revisions, partitions)


def remove_from(tables: Tables, space: int, revisions: NDArray[np.int64], partitions: dict[int, set[int]]) -> None:
    """Takes revisions out of one space, from the partitions named and from those their vectors are filed under."""
    ids = vector_ids(space, revisions)
    places = {partition: set(found) for partition, found in partitions.items()}
    for revision, partition in tables.rows_of(
        ids, "SELECT v.id - ?, v.scope FROM wanted w CROSS JOIN vector v WHERE v.id = w.id", (id_range(space)[0],)
    ):
        places.setdefault(partition, set()).add(revision)
    gone = tables.change_of(ids, "DELETE FROM vector WHERE id IN (SELECT id FROM wanted)")
    if gone:
        tables.change("UPDATE vector_space SET vectors = vectors - ? WHERE id = ?", (gone, space))
    for partition, found in places.items():
        _remove_codes(tables, space, partition, np.array(sorted(found), np.int64))


def _remove_codes(tables: Tables, space: int, partition: int, revisions: NDArray[np.int64]) -> None:
    from_tail = tables.change_of(
        revisions,
        "DELETE FROM vector_tail WHERE space = ? AND scope = ? AND revision IN (SELECT id FROM wanted)",
        (space, partition),
    )
    changed = from_tail > 0
    lost = {"loose": 0, "listed": 0}
    homes = vector_blocks.blocks_holding(tables, space, partition, revisions)
    if homes:
        changed = True
        own = vector_blocks.partition_row(tables, space, partition)
        blocks = vector_blocks.read_blocks(tables, space_of(tables, space), list(homes))
        for number, codes in blocks.items():
            generation, home = homes[number]
            kept = codes.pick(~np.isin(codes.revisions, revisions))
            vector_blocks.delete_blocks(tables, (number,))
            if len(kept):
                vector_blocks.insert_block(tables, space, partition, (generation, home), kept)
            if generation in (LOOSE, own.generation):
                lost["listed" if generation else "loose"] += len(codes) - len(kept)
    if changed:
        vector_blocks.change_row(
            tables, space, partition, "removals = removals + 1, loose = loose - ?, listed = listed - ?",
            lost["loose"], lost["listed"],
        )  # fmt: skip


# -- leftovers -------------------------------------------------------------------------------------


def sweep(tables: Tables) -> int:
    """Drops a bounded part of what is no longer used, inside the caller's transaction; 0 when nothing is left.

    Left over are generations of lists that were replaced or never completed, and everything of a retired space.
    """
    gone = 0
    with tables.whole():
        numbers = _leftover_blocks(tables, SWEEP_CODES)
        vector_blocks.delete_blocks(tables, numbers)
        gone = len(numbers) + tables.change(
            """DELETE FROM vector_centroids WHERE NOT EXISTS (SELECT 1 FROM vector_partition p
                 WHERE p.space = vector_centroids.space AND p.scope = vector_centroids.scope
                   AND vector_centroids.generation IN (p.generation, p.building))"""
        )
        retired = [space.id for space in spaces(tables) if space.state == "retired"]
        if retired and not gone:
            gone = _sweep_space(tables, retired[0])
    return gone


def _leftover_blocks(tables: Tables, most: int) -> list[int]:
    """Blocks of no generation in use, until they hold `most` codes; reads the index vector_block_list."""
    found: list[int] = []
    codes = 0
    for number, count in tables.rows(
        """SELECT b.id, b.count FROM vector_block b JOIN vector_partition p ON p.space = b.space AND p.scope = b.scope
           WHERE b.generation NOT IN (0, p.generation, p.building)
              OR b.space IN (SELECT id FROM vector_space WHERE state = 'retired')"""
    ):
        found.append(number)
        codes += count
        if codes >= most:
            break
    return found


def _sweep_space(tables: Tables, space: int) -> int:
    """Removes some rows of a retired space, and the space itself with the last of them."""
    gone = tables.change(
        "DELETE FROM vector WHERE id IN (SELECT id FROM vector WHERE id BETWEEN ? AND ? LIMIT ?)",
        (*id_range(space), SWEEP_ROWS),
    )
    gone += tables.change(
        """DELETE FROM vector_tail WHERE (space, scope, seq) IN
             (SELECT space, scope, seq FROM vector_tail WHERE space = ? LIMIT ?)""",
        (space, SWEEP_ROWS),
    )
    if not gone:
        for table in ("vector_partition", "vector_centroids"):
            tables.change(f"DELETE FROM {table} WHERE space = ?", (space,))
        tables.change("DELETE FROM vector_space WHERE id = ?", (space,))
        return 1
    return gone
