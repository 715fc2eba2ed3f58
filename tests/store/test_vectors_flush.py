"""Flushing tails into blocks, and removing revisions from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.store.opened_tables import Opened
from tests.store.vector_palace import (
    Connect,
    add,
    agrees,
    build,
    counts,
    flush,
    opening,
    small,
    some,
    space,
    sweep,
)

from palazzo.store.index.vector import codes, vectors
from palazzo.store.index.vector import flush as vector_flush
from palazzo.store.index.vector.vectors import VectorCache


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small():
        yield


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    with opening(tmp_path / "palace.db") as connect:
        yield connect


@pytest.fixture
def conn(connect: Connect) -> Opened:
    return connect()


def test_a_small_tail_is_not_due_and_a_full_one_moves_into_a_block(conn: Opened) -> None:
    into, data = space(conn), some(8)
    add(conn, into, data[:7])
    assert vectors.pending(conn) == []
    add(conn, into, data[7:], first=8)
    assert vectors.pending(conn) == [(into.id, 1, "flush")]
    assert flush(conn) == 1
    assert counts(conn) == (0, 8, 0)
    assert vectors.pending(conn) == []
    agrees(conn, into, VectorCache())


def test_small_blocks_are_merged_eight_at_a_time(conn: Opened) -> None:
    into, cache = space(conn), VectorCache()
    for n in range(70):
        add(conn, into, some(8, n), first=1 + 8 * n)
        flush(conn)
        agrees(conn, into, cache, limit=600)
    sizes = [count for (count,) in conn.execute("SELECT count FROM vector_block ORDER BY count DESC")]
    assert sum(sizes) == 560
    assert sizes == [64] * 8 + [8] * 6


def test_a_flush_planned_before_a_removal_is_not_applied(conn: Opened) -> None:
    into = space(conn)
    add(conn, into, some(8))
    plan = vectors.plan_flush(conn, into.id, 1)
    assert plan is not None
    vectors.remove(conn, [(1, 3)])
    assert not vectors.apply_flush(conn, plan)
    again = vectors.plan_flush(conn, into.id, 1)
    assert again is not None
    assert vectors.apply_flush(conn, again)
    assert not vectors.apply_flush(conn, again)
    assert vectors.verify(conn) == []
    assert vectors.pending(conn) == []


def test_what_is_added_while_a_flush_is_planned_stays_in_the_tail(conn: Opened) -> None:
    into, data = space(conn), some(13)
    add(conn, into, data[:8])
    plan = vectors.plan_flush(conn, into.id, 1)
    add(conn, into, data[8:], first=9)
    assert plan is not None
    assert vectors.apply_flush(conn, plan)
    assert counts(conn) == (5, 8, 0)
    agrees(conn, into, VectorCache(), limit=20)
    assert vectors.verify(conn) == []


def test_a_tail_longer_than_one_flush_takes_stays_due(conn: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_flush, "FLUSH_ROWS", 8)
    into = space(conn)
    add(conn, into, some(20))
    assert flush(conn) == flush(conn) == 1
    assert counts(conn) == (4, 16, 0)
    flush(conn)
    assert counts(conn) == (0, 20, 0)
    assert flush(conn) == 0
    assert vectors.verify(conn) == []


def test_a_removed_revision_is_in_no_block_of_any_generation(conn: Opened) -> None:
    into = space(conn)
    add(conn, into, some(64))
    while flush(conn):
        pass
    assert build(conn, into)
    add(conn, into, some(16, 1), first=(1 << 32) + 1)
    while flush(conn):
        pass
    gone = [5, 6, 7, 64, (1 << 32) + 2]
    vectors.remove(conn, [(1, r) for r in gone])
    held: set[int] = set()
    for count, blob in conn.execute("SELECT count, revisions FROM vector_block JOIN vector_code USING (id)"):
        held |= set(np.frombuffer(blob, "<i8" if len(blob) == 8 * count else "<u4").tolist())
    assert not held & set(gone)
    assert len(held) == 75
    assert vectors.verify(conn) == []
    agrees(conn, into, VectorCache(), limit=99)
    vectors.remove(conn, [(1, r) for r in held])
    for table in ("vector", "vector_tail", "vector_block", "vector_code"):
        assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert counts(conn) == (0, 0, 0)


@pytest.mark.parametrize("dimensions", [64, 3072])
def test_the_file_keeps_no_bytes_of_a_removed_vector(
    tmp_path: Path, dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "_LEAST_MEMBERS", 4)
    path = tmp_path / "palace.db"
    conn = Opened(path)
    conn.pragma("journal_mode", "wal")
    conn.pragma("secure_delete", "on")  # as every connection of a palace is opened
    for statement in vectors.TABLES:
        conn.execute(statement)
    into = vectors.space_of(conn, vectors.create_space(conn, "a", "m", dimensions, "cosine", 1))
    data = np.random.default_rng(0).standard_normal((90, dimensions)).astype(np.float32)
    for n in range(90):
        vectors.add(conn, into, [(1, n + 1)], data[n : n + 1])
        flush(conn)
    assert build(conn, into)
    sweep(conn)
    code = np.packbits(data[30] >= 0, bitorder="little").tobytes()
    vector = (data[30] / np.linalg.norm(data[30])).astype("<f2").tobytes()[:64]
    column = code[:8]
    conn.pragma("wal_checkpoint", "truncate")
    assert vector in path.read_bytes()
    assert column in path.read_bytes()
    vectors.remove(conn, [(1, 31)])
    conn.pragma("wal_checkpoint", "truncate")
    assert vector not in path.read_bytes()
    assert column not in path.read_bytes()
    conn.close()
