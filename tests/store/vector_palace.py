"""A palace file with vectors, thresholds that dozens of them reach, and the passes of upkeep, for the vector tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.store.opened_tables import Opened

from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import build as vector_build
from palazzo.store.index.vector import codes, vectors
from palazzo.store.index.vector import flush as vector_flush
from palazzo.store.index.vector.vectors import ListBuild, ListWrite, Space, VectorCache, VectorQuery

Array = NDArray[np.float32]
Connect = Callable[[], Opened]
DIMENSIONS = 24


@contextmanager
def opening(path: Path) -> Iterator[Connect]:
    """Opens connections to one file, as many as are asked for; the first makes the tables."""
    opened: list[Opened] = []

    def connect() -> Opened:
        conn = Opened(path)
        conn.pragma("journal_mode", "wal")
        conn.pragma("synchronous", "off")
        if not opened:
            for statement in vectors.TABLES:
                conn.execute(statement)
        opened.append(conn)
        return conn

    yield connect
    for conn in opened:
        conn.close()


@contextmanager
def small() -> Iterator[None]:
    """Thresholds that dozens of vectors reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_blocks, "FLUSH_AT", 8)
        patch.setattr(vector_flush, "LISTS_AT", 40)
        patch.setattr(vector_flush, "FOLD_AT", 10)
        patch.setattr(codes, "_LEAST_MEMBERS", 1)
        patch.setattr(vector_build, "PIECE_ROWS", 32)
        patch.setattr(codes, "PIECE_ROWS", 32)
        patch.setattr(vector_build, "_WRITE_CODES", 16)
        patch.setattr(vector_build, "_PASS_CODES", 30)
        yield


def space(conn: Opened, metric: str = "cosine") -> Space:
    return vectors.space_of(conn, vectors.create_space(conn, "a", "model", DIMENSIONS, metric, 1))


def some(count: int, seed: int = 0) -> Array:
    """Vectors in a dozen clusters, the shape lists are for."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(4).standard_normal((12, DIMENSIONS))
    noise = random.standard_normal((count, DIMENSIONS)) * 0.4
    return (centres[random.integers(0, 12, count)] + noise).astype(np.float32)


def add(conn: Opened, into: Space, data: Array, first: int = 1, batch: int = 5) -> None:
    for start in range(0, len(data), batch):
        part = data[start : start + batch]
        vectors.add(conn, into, [(1, first + start + n) for n in range(len(part))], part)


def flush(conn: Opened) -> int:
    done = 0
    for number, scope, what in vectors.pending(conn):
        if what == "flush" and (plan := vectors.plan_flush(conn, number, scope)) is not None:
            assert vectors.apply_flush(conn, plan)
            done += 1
    return done


def build(conn: Opened, into: Space, stopping: Callable[[], bool] | None = None) -> bool:
    @contextmanager
    def read() -> Iterator[Opened]:
        conn.execute("BEGIN")
        try:
            yield conn
        finally:
            conn.execute("ROLLBACK")

    def write(job: Callable[[Opened], bool]) -> bool:
        return job(conn)

    return vectors.build_lists(read, write, into.id, 1, stopping=stopping)


def sweep(conn: Opened) -> None:
    while vectors.sweep(conn):
        pass


def agrees(conn: Opened, into: Space, cache: VectorCache, seed: int = 1, limit: int = 12) -> None:
    query = VectorQuery(space=into, partitions=(1,), vector=some(1, seed)[0], limit=limit)
    found, expected = vectors.search(conn, cache, query), vectors.exact(conn, query)
    assert found.revisions.tolist() == expected.revisions.tolist()
    assert found.scores.tolist() == expected.scores.tolist()


def counts(conn: Opened) -> tuple[int, int, int]:
    (state,) = vectors.state(conn)
    return state.tail, state.loose, state.listed


def listed(conn: Opened, count: int = 80, metric: str = "cosine") -> Space:
    into = space(conn, metric)
    add(conn, into, some(count))
    while flush(conn):
        pass
    assert build(conn, into)
    sweep(conn)
    return into


def steps(going: ListBuild, reader: Opened) -> Iterator[ListWrite]:
    while not going.finished:
        if (write := going.advance(reader)) is not None:
            yield write
