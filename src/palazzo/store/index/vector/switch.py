"""Writing inverted lists: applying the small writes of a build, and switching from old lists to new ones.

Every function here that writes is called inside the caller's transaction. Invariants: a vector removed or replaced
while the build went on never comes back (if `removals` moved, codes are made again from the truth); the switch
moves out exactly what the new lists hold and keeps what only the old ones held, so nothing is lost whatever
happened meanwhile; a build whose number is no longer the partition's, or whose lists somebody else rewrote, is
refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index.tables import Tables
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE, VectorPartition
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.spaces import read_halves, space_of

LEFT_OVER = -1
"""The generation of blocks that only wait for the sweep."""
_LOOSE_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class Switch:
    """What a switch does, as planned under a stamp: loose blocks to drop, codes that stay or become loose."""

    stamp: int
    dropped: tuple[int, ...]
    loose: Codes | None
    listed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWrite:
    """One short write of a build: the beginning (`means`), blocks of some lists in place of `replaced`, or the end."""

    space: int
    partition: int
    generation: int
    removals: int
    blocks: tuple[tuple[int, Codes], ...] = ()
    replaced: tuple[int, ...] = ()
    means: NDArray[np.float16] | None = None
    switch: Switch | None = None
    trained: int = 0


def plan_switch(tables: Tables, own: VectorPartition, generation: int) -> Switch:
    """Works out what leaves the loose blocks because this generation holds it, and what only the old lists hold."""
    space = space_of(tables, own.space)
    held = sorted_revisions(tables, own, (generation,))
    dropped: list[int] = []
    loose: list[Codes] = []
    for number, revisions in _revisions(tables, own, LOOSE).items():
        left = ~_within(revisions, held)
        if not left.all():
            dropped.append(number)
            loose += _picked(tables, space, number, left)
    if generation == own.building and own.generation:
        for number, revisions in _revisions(tables, own, own.generation).items():
            loose += _picked(tables, space, number, ~_within(revisions, held))
    return Switch(own.stamp, tuple(dropped), vector_codes.join(loose) if loose else None, len(held))


def _picked(tables: Tables, space: Space, number: int, chosen: NDArray[np.bool_]) -> list[Codes]:
    if not chosen.any():
        return []
    return [codes.pick(chosen) for codes in vector_blocks.read_blocks(tables, space, [number]).values()]


def _revisions(tables: Tables, own: VectorPartition, generation: int) -> dict[int, NDArray[np.int64]]:
    """The revisions of each block of a generation, by the block's id."""
    return {
        number: vector_codes.unpack_revisions(blob, count)
        for number, count, blob in tables.rows(
            """SELECT b.id, b.count, c.revisions FROM vector_block b CROSS JOIN vector_code c
               WHERE c.id = b.id AND b.space = ? AND b.scope = ? AND b.generation = ?""",
            (own.space, own.partition, generation),
        )
    }


def sorted_revisions(tables: Tables, own: VectorPartition, generations: tuple[int, ...]) -> NDArray[np.int64]:
    """Every revision in these generations, once."""
    found = [np.empty(0, np.int64)]
    for generation in set(generations):
        found += _revisions(tables, own, generation).values()
    return np.unique(np.concatenate(found))


def _within(revisions: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(held):
        return np.zeros(len(revisions), np.bool_)
    places = np.minimum(np.searchsorted(held, revisions), len(held) - 1)
    return np.equal(held[places], revisions)


def apply_lists(tables: Tables, write: ListWrite) -> bool:
    """Applies one write of a build inside the caller's transaction; False, and nothing done, if the build has lost."""
    own = vector_blocks.partition_row(tables, write.space, write.partition)
    if write.means is not None:
        return _begin(tables, own, write, write.means)
    if not write.generation or write.generation not in (own.generation, own.building):
        return False
    if write.switch is not None:
        _switch(tables, own, write, write.switch)
        return True
    there, held = _count_blocks(tables, write.replaced)
    if there != len(write.replaced):
        return False
    space = space_of(tables, write.space)
    with tables.whole():
        vector_blocks.delete_blocks(tables, write.replaced)
        added = 0
        for number, codes in write.blocks:
            kept = codes if own.removals == write.removals else _made_again(tables, space, codes)
            if len(kept):
                vector_blocks.insert_block(tables, write.space, write.partition, (write.generation, number), kept)
                added += len(kept)
        if write.generation == own.generation:
            vector_blocks.change_row(tables, write.space, write.partition, "listed = listed + ?", added - held)
    return True


def _begin(tables: Tables, own: VectorPartition, write: ListWrite, means: NDArray[np.float16]) -> bool:
    if write.generation <= max(own.generation, own.building):
        return False
    with tables.whole():
        vector_blocks.write_means(tables, write.space, write.partition, write.generation, means)
        vector_blocks.change_row(tables, write.space, write.partition, "building = ?", write.generation)
    return True


def _switch(tables: Tables, own: VectorPartition, write: ListWrite, planned: Switch) -> None:
    """The new lists answer from here on. A plan that is out of date is made again here, which takes longer."""
    switch = planned if planned.stamp == own.stamp else plan_switch(tables, own, write.generation)
    with tables.whole():
        tables.change_many(
            "UPDATE vector_block SET generation = ? WHERE id = ?", [(LEFT_OVER, number) for number in switch.dropped]
        )
        if switch.loose is not None:
            for start in range(0, len(switch.loose), _LOOSE_ROWS):
                part = switch.loose.pick(np.arange(start, min(start + _LOOSE_ROWS, len(switch.loose))))
                vector_blocks.insert_block(tables, write.space, write.partition, (LOOSE, 0), part)
        loose = sum(row.count for row in vector_blocks.directory(tables, write.space, write.partition, LOOSE))
        new = write.generation == own.building
        vector_blocks.change_row(
            tables, write.space, write.partition, "generation = ?, building = ?, trained = ?, loose = ?, listed = ?",
            write.generation, 0 if new else own.building, write.trained if new else own.trained,
            loose, switch.listed,
        )  # fmt: skip


def _count_blocks(tables: Tables, ids: tuple[int, ...]) -> tuple[int, int]:
    """How many of these blocks are there, and how many codes they hold."""
    if not ids:
        return 0, 0
    counts = [
        count
        for (count,) in tables.rows_of(
            np.array(ids, np.int64),
            "SELECT b.count FROM wanted w CROSS JOIN vector_block b WHERE b.id = w.id AND b.generation >= 0",
        )
    ]
    return len(counts), sum(counts)


def _made_again(tables: Tables, space: Space, codes: Codes) -> Codes:
    """The codes of the vectors as they are now, for revisions that still have one that is not zero."""
    pieces = [
        vector_codes.encode(halves, space.metric, revisions).pick(vector_codes.filled(halves))
        for revisions, halves in read_halves(tables, space, codes.revisions)
    ]
    return vector_codes.join(pieces) if pieces else codes.pick(np.zeros(len(codes), np.bool_))
