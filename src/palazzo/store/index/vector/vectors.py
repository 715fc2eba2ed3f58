"""The vectors of a palace: several named spaces, nearest neighbours in milliseconds, fresh ones at once, one file.

This module is their whole surface: `add` and `remove` inside a write; `search`, `exact`, `vectors_of` and
`similarities` inside a read; `plan_flush`, `apply_flush`, `build_lists` and `sweep` for upkeep; `verify` and `rebuild`
for care. It takes vectors, never text, and revisions as positive integers below 2**48; who may see them is asked
through `allowed`. The parts: spaces (spaces, truth), codes and probe (one-bit codes, lists in numbers), blocks (rows),
flush, build (inverted lists), cache, search. Invariants: everything is filed by space and partition, so rows of a
partition that is not asked for are neither read nor scored; `verify` changes nothing and reads one moment; `rebuild` is
one transaction, so a crash leaves the index as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.errors import Conflict, InvalidInput
from palazzo.model.memory import Tier
from palazzo.ports import FieldCipher
from palazzo.store.api import Metric as Metric
from palazzo.store.api import Space as Space
from palazzo.store.index.tables import Tables, number
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE
from palazzo.store.index.vector.build import ListBuild as ListBuild
from palazzo.store.index.vector.build import ListWrite as ListWrite
from palazzo.store.index.vector.build import apply_lists as apply_lists
from palazzo.store.index.vector.build import build_lists as build_lists
from palazzo.store.index.vector.cache import PartitionView
from palazzo.store.index.vector.cache import VectorCache as VectorCache
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.flush import VectorFlush as VectorFlush
from palazzo.store.index.vector.flush import apply_flush as apply_flush
from palazzo.store.index.vector.flush import pending as pending
from palazzo.store.index.vector.flush import plan_flush as plan_flush
from palazzo.store.index.vector.flush import remove as remove
from palazzo.store.index.vector.flush import remove_from
from palazzo.store.index.vector.flush import sweep as sweep
from palazzo.store.index.vector.search import Allowed as Allowed
from palazzo.store.index.vector.search import NearestVectors as NearestVectors
from palazzo.store.index.vector.search import VectorQuery as VectorQuery
from palazzo.store.index.vector.search import exact as exact
from palazzo.store.index.vector.search import measured, prepared
from palazzo.store.index.vector.search import search as search
from palazzo.store.index.vector.spaces import REVISION_BITS, as_halves, every_row, read_halves, vector_ids
from palazzo.store.index.vector.spaces import TABLES as TABLES
from palazzo.store.index.vector.spaces import activate_space as activate_space
from palazzo.store.index.vector.spaces import create_space as create_space
from palazzo.store.index.vector.spaces import id_range as id_range
from palazzo.store.index.vector.spaces import retire_space as retire_space
from palazzo.store.index.vector.spaces import space_named as space_named
from palazzo.store.index.vector.spaces import space_of as space_of
from palazzo.store.index.vector.spaces import spaces as spaces

_BLOCK_ROWS = 32_768


class VectorState(msgspec.Struct, frozen=True, kw_only=True):
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


_LARGEST_HALF = 65_504.0
_STEPS = 127


def add(
    tables: Tables, space: Space, rows: Sequence[tuple[int, int]], vectors: NDArray[np.float32], *, fresh: bool = False
) -> None:
    """Stores the vectors of (partition, revision) rows inside the caller's transaction; one that is there is replaced.
    Of revisions that are `fresh`, above every other, none is there.

    Raises: InvalidInput (nothing is written then), Conflict when the space is retired.
    """
    if space.state == "retired":
        raise Conflict(f"vector space {space.name!r} is retired")
    if not len(rows):
        return
    halves = _checked(space, rows, vectors)
    revisions = [revision for _, revision in rows]
    if min(revisions) < 1 or max(revisions) >> REVISION_BITS:
        raise InvalidInput(f"revisions are numbered from 1 to 2**{REVISION_BITS} - 1", field="revision")
    if len(set(revisions)) != len(revisions):
        raise InvalidInput("a revision is named twice", field="revision")
    first, size = id_range(space.id)[0], halves.shape[1] * 2
    data = halves.astype("<f2", copy=False).tobytes()
    stored = [
        (first | revision, partition, data[at : at + size])
        for (partition, revision), at in zip(rows, range(0, len(data), size), strict=True)
    ]
    with nullcontext() if tables.writing else tables.whole():
        span = (first | min(revisions), first | max(revisions))
        if not fresh and tables.row("SELECT 1 FROM vector WHERE id BETWEEN ? AND ? LIMIT 1", span) is not None:
            remove_from(tables, space.id, np.unique(np.array(revisions, np.int64)), {})
        tables.change_many("INSERT INTO vector (id, scope, data) VALUES (?,?,?)", stored)
        tables.change_many("UPDATE vector_space SET vectors = vectors + ? WHERE id = ?", [(len(stored), space.id)])
        _append(tables, space, rows, halves)


def _append(tables: Tables, space: Space, rows: Sequence[tuple[int, int]], halves: NDArray[np.float16]) -> None:
    """Files the codes under their partitions; a zero vector gets none, so that it never matches."""
    codes, filled = vector_codes.tail_rows(halves, space.metric), vector_codes.filled(halves).tolist()
    by_partition: dict[int, list[tuple[int, bytes]]] = {}
    for (partition, revision), code, matches in zip(rows, codes, filled, strict=True):
        if matches:
            by_partition.setdefault(partition, []).append((revision, code))
    for partition, own in by_partition.items():
        vector_blocks.append_tail(tables, space.id, partition, own)


def _checked(space: Space, rows: Sequence[tuple[int, int]], vectors: NDArray[np.float32]) -> NDArray[np.float16]:
    """The vectors as they are stored: half precision, of length one for cosine."""
    matrix = np.asarray(vectors, np.float32)
    if matrix.ndim != 2 or matrix.shape != (len(rows), space.dimensions):
        raise InvalidInput(
            f"{len(rows)} vectors of {space.dimensions} dimensions are needed, not shape {matrix.shape}",
            field="vectors",
        )
    # The sum of squares is finite exactly when every component is, short of an overflow, which is refused as well.
    squares = np.einsum("ij,ij->i", matrix, matrix)
    if not np.isfinite(squares).all():
        matrix64 = matrix.astype(np.float64)
        if not np.isfinite(matrix64).all():
            raise InvalidInput("a vector has a component that is not a finite number", field="vectors")
        squares = np.einsum("ij,ij->i", matrix64, matrix64)
        matrix = matrix64  # type: ignore[assignment]
    if space.metric == "cosine":
        lengths = np.sqrt(squares)
        lengths[lengths == 0] = 1
        matrix = matrix / lengths[:, None]
    elif float(np.abs(matrix).max()) > _LARGEST_HALF:
        raise InvalidInput(f"a vector has a component beyond {_LARGEST_HALF:,.0f}", field="vectors")
    return matrix.astype(np.float16)


def vectors_of(
    tables: Tables, space: Space, revisions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The vectors of those revisions that have one, with the revisions found, in ascending order."""
    found = [np.empty(0, np.int64)]
    halves = [np.empty((0, space.dimensions), np.float32)]
    with tables.moment():
        for numbers, rows in read_halves(tables, space, np.unique(np.asarray(revisions, np.int64))):
            found.append(numbers)
            halves.append(rows.astype(np.float32))
    every = np.concatenate(found)
    order = np.argsort(every)
    return every[order], np.concatenate(halves)[order]


def partitions_of(tables: Tables, space: Space, revisions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The partition each revision's vector is in, in their order; 0 where there is none."""
    wanted = vector_ids(space.id, np.asarray(revisions, np.int64))
    known: dict[int, int] = {}
    if len(wanted):
        known = dict(tables.rows_of(wanted, "SELECT v.id, v.scope FROM wanted w CROSS JOIN vector v WHERE v.id = w.id"))
    return np.array([known.get(number, 0) for number in wanted.tolist()], np.int64)


def similarities(
    tables: Tables,
    space: Space,
    vector: NDArray[np.float32],
    revisions: NDArray[np.int64],
    scored: Mapping[int, float] = MappingProxyType({}),
    views: Sequence[PartitionView] = (),
) -> NDArray[np.float32]:
    """The exact similarity of each given revision, in their order; NaN where there is no vector or it is zero.

    What a search for the same vector has `scored` already is not computed again, and vectors that `views` of this
    moment remember are not read again.

    Raises: InvalidInput.
    """
    query = prepared(space, vector)
    if query is None:
        return np.full(len(revisions), np.nan, np.float32)
    asked = np.asarray(revisions, np.int64)
    scores = np.array(list(map(scored.get, asked.tolist())), np.float32)  # what is not known is no number
    left = np.flatnonzero(np.isnan(scores))
    if len(left):
        with tables.moment():
            parts = [told for _, told in measured(tables, space, query, asked[left], views)]
        scores[left] = np.concatenate(parts)
    scores[np.isneginf(scores)] = np.nan
    return scores


# -- vectors of guarded memories -------------------------------------------------------------------


def eight_bits(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row in steps of a 127th of its largest component."""
    steps = np.abs(vectors).max(axis=1, keepdims=True) / _STEPS
    steps[steps == 0] = 1
    found: NDArray[np.float32] = (np.rint(vectors / steps) * steps).astype(np.float32)
    return found


def guarded_vectors(cipher: FieldCipher | None, tier: Tier, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors as a memory of this tier may keep them; guarding one again gives a vector with the same 256 steps.

    A vector tells much of its text. A sensitive memory's is kept in 256 steps a component; a confidential one's goes
    through a keyed rotation first, which keeps every distance between turned vectors, so a turned query finds it.
    """
    rows = np.asarray(vectors, np.float32)
    if tier == "confidential" and cipher is not None:
        rows = cipher.turn(rows)
    return rows if tier == "clear" else eight_bits(rows)
