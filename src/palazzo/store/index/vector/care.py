"""Care of the vector index: its state in numbers, a check against the truth, making it again, revisions without a
vector.

`missing` and `count_missing` are the only vector functions that know a table of another module (revision).
Invariants: `verify` changes nothing and reads one moment; `rebuild` is one transaction, so a crash leaves the index
as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import apsw
import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.spaces import (  # fmt: skip
    READ_ROWS,
    REVISION_BITS,
    as_halves,
    id_range,
    one,
    snapshot,
    space_of,
    spaces,
)
from palazzo.store.sqlite.seal.sealing import opened

_BLOCK_ROWS = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorState:
    """A partition in numbers: vectors in its tail, in loose blocks and in lists, and how many lists there are."""

    space: str
    scope: int
    tail: int
    loose: int
    listed: int
    lists: int
    building: bool


def state(conn: apsw.Connection) -> tuple[VectorState, ...]:
    """The partitions that have outgrown their tail or lost a vector; smaller ones are all tail and are not named."""
    with snapshot(conn):
        names = {space.id: space.name for space in spaces(conn)}
        found = []
        for partition in vector_blocks.partitions(conn):
            key = (partition.space, partition.scope)
            tail = one(conn, "SELECT count(*) FROM vector_tail WHERE space = ? AND scope = ?", *key)
            lists = one(
                conn,
                "SELECT count(DISTINCT list) FROM vector_block WHERE space = ? AND scope = ? AND generation = ?",
                *key,
                partition.generation or -1,
            )
            found.append(
                VectorState(
                    space=names[partition.space], scope=partition.scope, tail=tail, loose=partition.loose,
                    listed=partition.listed, lists=lists, building=bool(partition.building),
                )
            )  # fmt: skip
        return tuple(found)


# -- verification ----------------------------------------------------------------------------------


def verify(conn: apsw.Connection) -> list[str]:
    """What differs between the index and the stored vectors, in words; empty when nothing does."""
    found: list[str] = []
    with snapshot(conn):
        for space in spaces(conn):
            if space.state != "retired":
                found += _verify_space(conn, space)
    return found


def _verify_space(conn: apsw.Connection, space: Space) -> list[str]:
    scopes = [
        scope
        for (scope,) in conn.execute(
            """SELECT DISTINCT scope FROM vector_tail WHERE space = ?1
               UNION SELECT DISTINCT scope FROM vector_block WHERE space = ?1""",
            (space.id,),
        )
    ]
    index = {scope: _indexed(conn, space, scope) for scope in scopes}
    seen = {scope: np.zeros(len(codes), np.bool_) for scope, codes in index.items()}
    missing_codes = different = total = 0
    for revisions, in_scopes, halves in _truth(conn, space):
        total += len(revisions)
        expected = vector_codes.encode(halves, space.metric, revisions)
        filled = vector_codes.filled(halves)
        for scope in np.unique(in_scopes).tolist():
            mine = expected.pick(np.flatnonzero(filled & (in_scopes == scope)))
            codes = index.get(scope)
            if codes is None or not len(codes):
                missing_codes += len(mine)
                continue
            first = np.searchsorted(codes.revisions, mine.revisions)
            last = np.searchsorted(codes.revisions, mine.revisions, side="right")
            missing_codes += int(np.count_nonzero(first == last))
            while (here := first < last).any():
                different += int(np.count_nonzero(_differ(codes.pick(first[here]), mine.pick(here))))
                seen[scope][first[here]] = True
                first = first + 1
    extra = sum(int(np.count_nonzero(~marks)) for marks in seen.values())
    found = []
    for count, what in (
        (missing_codes, "vectors are missing from the index"),
        (extra, "index entries belong to no vector"),
        (different, "index entries differ from their vectors"),
    ):
        if count:
            found.append(f"vector space {space.name!r}: {count} {what}")
    if total != space.vectors:
        found.append(f"vector space {space.name!r}: {total} vectors are there, {space.vectors} are counted")
    return found


def _indexed(conn: apsw.Connection, space: Space, scope: int) -> Codes:
    """Every code a search of the partition can meet, sorted by revision; one met twice is there twice."""
    partition = vector_blocks.partition_of(conn, space.id, scope)
    _, tail = vector_blocks.read_tail(conn, space, scope)
    pieces = [] if tail is None else [tail]
    for generation in {LOOSE, partition.generation}:
        rows = vector_blocks.directory(conn, space.id, scope, generation)
        pieces += vector_blocks.read_blocks(conn, space, [row.id for row in rows]).values()
    if not pieces:
        return vector_codes.encode(np.empty((0, space.dimensions), np.float16), space.metric, np.empty(0, np.int64))
    codes = vector_codes.join(pieces)
    return codes.pick(np.argsort(codes.revisions, kind="stable"))


def _differ(left: Codes, right: Codes) -> NDArray[np.bool_]:
    differing: NDArray[np.bool_] = (left.words != right.words).any(axis=0)
    if left.norms is not None and right.norms is not None:
        differing |= ~np.isclose(left.norms, right.norms, rtol=1e-5)
    return differing


def _truth(
    conn: apsw.Connection, space: Space
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float16]]]:
    """Every stored vector of a space, in order of revision: revisions, scopes, vectors, some thousand at a time."""
    cursor = conn.execute("SELECT id, scope, data FROM vector WHERE id BETWEEN ? AND ? ORDER BY id", id_range(space.id))
    while rows := list(islice(cursor, READ_ROWS)):
        revisions = np.array([row[0] for row in rows], np.int64) & ((1 << REVISION_BITS) - 1)
        yield revisions, np.array([row[1] for row in rows], np.int64), as_halves([row[2] for row in rows], space)


# -- making it again -------------------------------------------------------------------------------


def rebuild(conn: apsw.Connection, progress: Callable[[int, int], None] | None = None) -> None:
    """Drops tails, blocks and lists and makes tails and blocks again from the stored vectors, in one transaction.

    Lists are not trained here: `pending` names the partitions that deserve them.
    """
    with conn:
        conn.execute("DELETE FROM vector_tail")
        conn.execute("DELETE FROM vector_code")
        conn.execute("DELETE FROM vector_block")
        conn.execute("DELETE FROM vector_centroids")
        conn.execute(
            """UPDATE vector_partition SET stamp = stamp + 1, removals = removals + 1, due = 0,
                 generation = max(generation, building), building = 0, trained = 0, loose = 0, listed = 0"""
        )
        living = [space for space in spaces(conn) if space.state != "retired"]
        total, done = sum(space.vectors for space in living), 0
        for space in living:
            for count in _refill(conn, space):
                done += count
                if progress is not None:
                    progress(done, max(total, done))
        # A generation's number is never used again: a build that was under way must not take the new rows for its
        # own.
        conn.execute("UPDATE vector_partition SET building = generation + 1, generation = 0 WHERE generation > 0")


def _refill(conn: apsw.Connection, space: Space) -> Iterator[int]:
    waiting: dict[int, list[Codes]] = {}
    sizes: dict[int, int] = {}
    vectors = 0
    for revisions, scopes, halves in _truth(conn, space):
        vectors += len(revisions)
        codes = vector_codes.encode(halves, space.metric, revisions)
        filled = vector_codes.filled(halves)
        for scope in np.unique(scopes[filled]).tolist():
            waiting.setdefault(scope, []).append(codes.pick(np.flatnonzero(filled & (scopes == scope))))
            sizes[scope] = sizes.get(scope, 0) + len(waiting[scope][-1])
            if sizes[scope] >= _BLOCK_ROWS:
                _store_loose(conn, space.id, scope, vector_codes.join(waiting.pop(scope)))
                sizes[scope] = 0
        yield len(revisions)
    for scope, pieces in waiting.items():
        codes = vector_codes.join(pieces)
        if len(codes) >= vector_blocks.FLUSH_AT:
            _store_loose(conn, space.id, scope, codes)
        else:
            tail = zip(codes.revisions.tolist(), vector_codes.pack_rows(codes), strict=True)
            vector_blocks.append_tail(conn, space.id, scope, list(tail))
    conn.execute("UPDATE vector_space SET vectors = ? WHERE id = ?", (vectors, space.id))


def _store_loose(conn: apsw.Connection, space: int, scope: int, codes: Codes) -> None:
    vector_blocks.insert_block(conn, space, scope, (LOOSE, 0), codes)
    vector_blocks.change_partition(conn, space, scope, "loose = loose + ?", len(codes))


# -- revisions without a vector --------------------------------------------------------------------


def missing(conn: apsw.Connection, space: Space, limit: int, after: int = 0) -> list[tuple[int, str]]:
    """The first revisions behind `after` that have no vector in this space, with their texts.

    Pass the last revision of one batch as `after` of the next: from the start, every batch would look at all before it.
    """
    return [
        (revision, text)
        for revision, text in conn.execute(
            f"""SELECT r.id, {opened("r.text", "r.id")} FROM revision r
               WHERE r.id > ?1 AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.id = r.id | ?2)
               ORDER BY r.id LIMIT ?3""",
            (after, id_range(space.id)[0], limit),
        )
    ]


def count_missing(conn: apsw.Connection, space: Space) -> int:
    """How many revisions have no vector in this space."""
    revisions = one(conn, "SELECT count(*) FROM revision")
    return max(0, revisions - space_of(conn, space.id).vectors)
