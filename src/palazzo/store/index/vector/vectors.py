"""The vectors of a palace: several named spaces, nearest neighbours in milliseconds, fresh ones at once, one file.

This module is their whole surface: `add` and `remove` inside a write; `search`, `exact`, `vectors_of` and
`similarities` inside a read; `plan_flush`, `apply_flush`, `build_lists` and `sweep` for upkeep; `verify` and
`rebuild` for care. It takes vectors, never text, and revisions as positive integers below 2**48; who may see them
is asked through `allowed`. Invariant: everything is filed by space and partition, so rows of a partition that is
not asked for are neither read nor scored. The parts: vector_spaces (spaces, truth), vector_codes and vector_probe
(one-bit codes), vector_blocks (rows), vector_flush, vector_lists, vector_build and vector_switch (inverted lists),
vector_cache, vector_search, vector_care.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import Conflict, InvalidInput
from palazzo.model.memory import Tier
from palazzo.ports import FieldCipher
from palazzo.store.api import Metric, Space
from palazzo.store.index.tables import Tables
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.build import ListBuild, build_lists
from palazzo.store.index.vector.cache import VectorCache
from palazzo.store.index.vector.care import VectorState, rebuild, state, verify
from palazzo.store.index.vector.codes import similarity
from palazzo.store.index.vector.flush import VectorFlush, apply_flush, pending, plan_flush, remove, remove_from, sweep
from palazzo.store.index.vector.search import Allowed, NearestVectors, VectorQuery, exact, prepared, search
from palazzo.store.index.vector.spaces import (  # fmt: skip
    REVISION_BITS,
    TABLES,
    activate_space,
    create_space,
    id_range,
    read_halves,
    retire_space,
    space_named,
    space_of,
    spaces,
    vector_ids,
)
from palazzo.store.index.vector.switch import ListWrite, apply_lists

__all__ = [
    "TABLES",
    "Allowed",
    "ListBuild",
    "ListWrite",
    "Metric",
    "NearestVectors",
    "Space",
    "VectorCache",
    "VectorFlush",
    "VectorQuery",
    "VectorState",
    "activate_space",
    "add",
    "apply_flush",
    "apply_lists",
    "build_lists",
    "create_space",
    "exact",
    "id_range",
    "partitions_of",
    "pending",
    "plan_flush",
    "rebuild",
    "remove",
    "retire_space",
    "search",
    "similarities",
    "space_named",
    "space_of",
    "spaces",
    "state",
    "sweep",
    "vectors_of",
    "verify",
]  # fmt: skip

_LARGEST_HALF = 65_504.0
_STEPS = 127


def add(tables: Tables, space: Space, rows: Sequence[tuple[int, int]], vectors: NDArray[np.float32]) -> None:
    """Stores the vectors of (partition, revision) rows inside the caller's transaction; one that is there is replaced.

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
        # A new revision is above every other: one look at the end of the table tells that none of them is there.
        span = (first | min(revisions), first | max(revisions))
        if tables.row("SELECT 1 FROM vector WHERE id BETWEEN ? AND ? LIMIT 1", span) is not None:
            remove_from(tables, space.id, np.unique(np.array(revisions, np.int64)), {})
        tables.change_many("INSERT INTO vector (id, scope, data) VALUES (?,?,?)", stored)
        tables.change("UPDATE vector_space SET vectors = vectors + ? WHERE id = ?", (len(stored), space.id))
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
) -> NDArray[np.float32]:
    """The exact similarity of each given revision, in their order; NaN where there is no vector or it is zero.

    What a search for the same vector has `scored` already is not computed again.

    Raises: InvalidInput.
    """
    scores = np.full(len(revisions), np.nan, np.float32)
    query = prepared(space, vector)
    if query is None:
        return scores
    asked = np.asarray(revisions, np.int64)
    known = [scored.get(revision) for revision in asked.tolist()]
    left = np.array([row for row, score in enumerate(known) if score is None], np.intp)
    scores[:] = [np.nan if score is None else score for score in known]
    wanted, back = np.unique(asked[left], return_inverse=True)
    found = np.full(len(wanted), np.nan, np.float32)
    with tables.moment():
        for numbers, rows in read_halves(tables, space, wanted):
            found[np.searchsorted(wanted, numbers)] = similarity(rows, query, space.metric)
    scores[left] = found[back]
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
