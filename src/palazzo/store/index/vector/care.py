"""Care of the vector index: its state in numbers, a check against the truth, making it again.

Invariants: `verify` changes nothing and reads one moment; `rebuild` is one transaction, so a crash leaves the index
as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Metric, Space
from palazzo.store.index.tables import Tables, number
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.spaces import (
    as_halves,
    every_row,
    spaces,
)  # fmt: skip

_BLOCK_ROWS = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorState:
    """A partition in numbers: vectors in its tail, in loose blocks and in lists, and how many lists there are."""

    space: str
    partition: int
    tail: int
    loose: int
    listed: int
    lists: int
    building: bool


def state(tables: Tables) -> tuple[VectorState, ...]:
    """The partitions that have outgrown their tail or lost a vector; smaller ones are all tail and are not named."""
    with tables.moment():
        names = {space.id: space.name for space in spaces(tables)}
        found = []
        for own in vector_blocks.every_partition(tables):
            key = (own.space, own.partition)
            tail = number(tables, "SELECT count(*) FROM vector_tail WHERE space = ? AND scope = ?", *key)
            lists = number(
                tables,
                "SELECT count(DISTINCT list) FROM vector_block WHERE space = ? AND scope = ? AND generation = ?",
                *key,
                own.generation or -1,
            )
            found.append(
                VectorState(
                    space=names[own.space], partition=own.partition, tail=tail, loose=own.loose,
                    listed=own.listed, lists=lists, building=bool(own.building),
                )
            )  # fmt: skip
        return tuple(found)


# -- verification ----------------------------------------------------------------------------------


def verify(tables: Tables) -> list[str]:
    """What differs between the index and the stored vectors, in words; empty when nothing does."""
    found: list[str] = []
    with tables.moment():
        for space in spaces(tables):
            if space.metric not in get_args(Metric) or type(space.dimensions) is not int or space.dimensions < 1:
                found.append(f"vector space {space.name!r}: its row says nothing of its vectors that can be")
            elif space.state != "retired":
                found += _verify_space(tables, space)
    return found


def _verify_space(tables: Tables, space: Space) -> list[str]:
    partitions = [
        partition
        for (partition,) in tables.rows(
            """SELECT DISTINCT scope FROM vector_tail WHERE space = ?
               UNION SELECT DISTINCT scope FROM vector_block WHERE space = ?""",
            (space.id, space.id),
        )
    ]
    index = {partition: _indexed(tables, space, partition) for partition in partitions}
    seen = {partition: np.zeros(len(codes), np.bool_) for partition, codes in index.items()}
    missing_codes = different = total = 0
    for revisions, in_partitions, halves in _truth(tables, space):
        total += len(revisions)
        expected = vector_codes.encode(halves, space.metric, revisions)
        filled = vector_codes.filled(halves)
        for partition in np.unique(in_partitions).tolist():
            mine = expected.pick(np.flatnonzero(filled & (in_partitions == partition)))
            codes = index.get(partition)
            if codes is None or not len(codes):
                missing_codes += len(mine)
                continue
            first = np.searchsorted(codes.revisions, mine.revisions)
            last = np.searchsorted(codes.revisions, mine.revisions, side="right")
            missing_codes += int(np.count_nonzero(first == last))
            while (here := first < last).any():
                different += int(np.count_nonzero(_differ(codes.pick(first[here]), mine.pick(here))))
                seen[partition][first[here]] = True
                first = first + 1
    extra = sum(int(np.count_nonzero(~marks)) for marks in seen.values())
    miscounted = sum(_miscounted(tables, space, partition) for partition in partitions)
    found = []
    for count, what in (
        (missing_codes, "vectors are missing from the index"),
        (extra, "index entries belong to no vector"),
        (different, "index entries differ from their vectors"),
        (miscounted, "blocks hold another number than is told of them"),
    ):
        if count:
            found.append(f"vector space {space.name!r}: {count} {what}")
    if total != space.vectors:
        found.append(f"vector space {space.name!r}: {total} vectors are there, {space.vectors} are counted")
    return found


def _indexed(tables: Tables, space: Space, partition: int) -> Codes:
    """Every code a search of the partition can meet, sorted by revision; one met twice is there twice."""
    own = vector_blocks.partition_row(tables, space.id, partition)
    _, tail = vector_blocks.read_tail(tables, space, partition)
    pieces = [] if tail is None else [tail]
    for generation in {LOOSE, own.generation}:
        rows = vector_blocks.directory(tables, space.id, partition, generation)
        pieces += vector_blocks.read_blocks(tables, space, [row.id for row in rows]).values()
    if not pieces:
        return vector_codes.encode(np.empty((0, space.dimensions), np.float16), space.metric, np.empty(0, np.int64))
    codes = vector_codes.join(pieces)
    return codes.pick(np.argsort(codes.revisions, kind="stable"))


def _miscounted(tables: Tables, space: Space, partition: int) -> int:
    """How many blocks a search would take for longer or shorter than they are."""
    own = vector_blocks.partition_row(tables, space.id, partition)
    wrong = 0
    for generation in {LOOSE, own.generation}:
        rows = vector_blocks.directory(tables, space.id, partition, generation)
        held = vector_blocks.read_blocks(tables, space, [row.id for row in rows])
        wrong += sum(row.count != len(held[row.id]) for row in rows)
    return wrong


def _differ(left: Codes, right: Codes) -> NDArray[np.bool_]:
    differing: NDArray[np.bool_] = (left.words != right.words).any(axis=0)
    if left.norms is not None and right.norms is not None:
        differing |= ~np.isclose(left.norms, right.norms, rtol=1e-5)
    return differing


def _truth(tables: Tables, space: Space) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float16]]]:
    """Every stored vector of a space, in order of revision: revisions, partitions, vectors, some thousand at a time."""
    for rows in every_row(tables, space):
        revisions = np.array([row[0] for row in rows], np.int64)
        yield revisions, np.array([row[1] for row in rows], np.int64), as_halves([row[2] for row in rows], space)


# -- making it again -------------------------------------------------------------------------------


def rebuild(tables: Tables, progress: Callable[[int, int], None] | None = None) -> None:
    """Drops tails, blocks and lists and makes tails and blocks again from the stored vectors, in one transaction.

    Lists are not trained here: `pending` names the partitions that deserve them.
    """
    with tables.whole():
        tables.change("DELETE FROM vector_tail")
        tables.change("DELETE FROM vector_code")
        tables.change("DELETE FROM vector_block")
        tables.change("DELETE FROM vector_centroids")
        tables.change(
            """UPDATE vector_partition SET stamp = stamp + 1, removals = removals + 1, due = 0,
                 generation = CASE WHEN building > generation THEN building ELSE generation END,
                 building = 0, trained = 0, loose = 0, listed = 0"""
        )
        living = [space for space in spaces(tables) if space.state != "retired"]
        total, done = sum(space.vectors for space in living), 0
        for space in living:
            for count in _refill(tables, space):
                done += count
                if progress is not None:
                    progress(done, max(total, done))
        # A generation's number is never used again: a build that was under way must not take the new rows for its
        # own.
        tables.change("UPDATE vector_partition SET building = generation + 1, generation = 0 WHERE generation > 0")


def _refill(tables: Tables, space: Space) -> Iterator[int]:
    waiting: dict[int, list[Codes]] = {}
    sizes: dict[int, int] = {}
    vectors = 0
    for revisions, partitions, halves in _truth(tables, space):
        vectors += len(revisions)
        codes = vector_codes.encode(halves, space.metric, revisions)
        filled = vector_codes.filled(halves)
        for partition in np.unique(partitions[filled]).tolist():
            waiting.setdefault(partition, []).append(codes.pick(np.flatnonzero(filled & (partitions == partition))))
            sizes[partition] = sizes.get(partition, 0) + len(waiting[partition][-1])
            if sizes[partition] >= _BLOCK_ROWS:
                _store_loose(tables, space.id, partition, vector_codes.join(waiting.pop(partition)))
                sizes[partition] = 0
        yield len(revisions)
    for partition, pieces in waiting.items():
        codes = vector_codes.join(pieces)
        if len(codes) >= vector_blocks.FLUSH_AT:
            _store_loose(tables, space.id, partition, codes)
        else:
            tail = zip(codes.revisions.tolist(), vector_codes.pack_rows(codes), strict=True)
            vector_blocks.append_tail(tables, space.id, partition, list(tail))
    tables.change("UPDATE vector_space SET vectors = ? WHERE id = ?", (vectors, space.id))


def _store_loose(tables: Tables, space: int, partition: int, codes: Codes) -> None:
    vector_blocks.insert_block(tables, space, partition, (LOOSE, 0), codes)
    vector_blocks.change_row(tables, space, partition, "loose = loose + ?", len(codes))
