"""Building lists and sweeping leftovers, with additions, removals, crashes and rival builds in between."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.store.opened_tables import Opened
from tests.store.vector_palace import (
    DIMENSIONS,
    Connect,
    add,
    agrees,
    build,
    counts,
    flush,
    listed,
    opening,
    small,
    some,
    space,
    steps,
    sweep,
)

from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import build as vector_build
from palazzo.store.index.vector import flush as vector_flush
from palazzo.store.index.vector import search as vector_search
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.probe import Candidates, Probe
from palazzo.store.index.vector.vectors import ListBuild, VectorCache, VectorQuery


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


@pytest.mark.parametrize("metric", ["cosine", "dot", "l2"])
def test_lists_hold_every_flushed_vector_once(conn: Opened, metric: str) -> None:
    into = listed(conn, metric=metric)
    assert counts(conn) == (0, 0, 80)
    assert vectors.pending(conn) == []
    assert vectors.verify(conn) == []
    agrees(conn, into, VectorCache(), limit=99)


def test_new_vectors_are_folded_into_the_lists_and_growth_trains_new_ones(conn: Opened) -> None:
    into, cache = listed(conn), VectorCache()
    generation = conn.execute("SELECT generation FROM vector_partition").fetchone()
    add(conn, into, some(24, 1), first=101)
    while flush(conn):
        pass
    assert vectors.pending(conn) == [(into.id, 1, "lists")]
    assert build(conn, into)
    assert counts(conn) == (0, 0, 104)
    assert conn.execute("SELECT generation FROM vector_partition").fetchone() == generation
    agrees(conn, into, cache, limit=200)
    add(conn, into, some(80, 2), first=201)
    while flush(conn):
        pass
    assert build(conn, into)
    sweep(conn)
    assert counts(conn) == (0, 0, 184)
    assert conn.execute("SELECT generation FROM vector_partition").fetchone() != generation
    agrees(conn, into, cache, limit=200)
    assert vectors.verify(conn) == []
    assert conn.execute("SELECT count(*) FROM vector_centroids").fetchone() == (1,)
    assert not build(conn, into)


def test_a_vector_that_is_loose_and_listed_at_once_is_found_once(connect: Connect) -> None:
    conn, reader = connect(), connect()
    into, cache = listed(conn), VectorCache()
    add(conn, into, some(24, 1), first=101)
    while flush(conn):
        pass
    written = 0
    for write in steps(ListBuild(into.id, 1), reader):
        if write.switch is not None:
            break
        written += 1
        assert vectors.apply_lists(conn, write)
        agrees(reader, into, cache, limit=200)
        assert counts(conn)[1] == 24
    assert written > 1
    assert counts(conn) == (0, 24, 104)
    assert vectors.verify(reader) == []
    assert build(conn, into)
    assert counts(conn) == (0, 0, 104)
    sweep(conn)
    held = [c for (c,) in conn.execute("SELECT count FROM vector_block")]
    assert sum(held) == 104


@pytest.mark.parametrize("change", ["remove", "replace", "zero"])
@pytest.mark.parametrize("fold", [False, True])
def test_a_vector_changed_while_a_build_has_it_in_hand_does_not_come_back(
    connect: Connect, change: str, fold: bool
) -> None:
    conn, reader = connect(), connect()
    into, cache = listed(conn) if fold else space(conn), VectorCache()
    add(conn, into, some(60, 1), first=101)
    while flush(conn):
        pass
    doomed = iter(range(101, 161))
    for write in steps(ListBuild(into.id, 1), reader):
        for _ in range(3):
            if (revision := next(doomed, None)) is None:
                continue
            if change == "remove":
                vectors.remove(conn, [(1, revision)])
            else:
                fresh = some(1, revision) if change == "replace" else np.zeros((1, DIMENSIONS), np.float32)
                vectors.add(conn, into, [(1, revision)], fresh)
        flush(conn)
        if not vectors.apply_lists(conn, write):
            break
        agrees(reader, into, cache, limit=200)
        assert vectors.verify(reader) == []
    while flush(conn) or build(conn, into):
        pass
    sweep(conn)
    agrees(reader, into, cache, limit=200)
    assert vectors.verify(reader) == []


def test_a_fold_overtaken_by_another_one_is_refused(connect: Connect) -> None:
    conn, reader = connect(), connect()
    into = listed(conn)
    add(conn, into, some(24, 1), first=101)
    while flush(conn):
        pass
    late = list(steps(ListBuild(into.id, 1), reader))
    assert build(conn, into)
    refused = [write for write in late if write.replaced and not vectors.apply_lists(conn, write)]
    assert refused
    assert vectors.verify(reader) == []
    agrees(reader, into, VectorCache(), limit=200)
    sweep(conn)
    assert sum(c for (c,) in conn.execute("SELECT count FROM vector_block")) == 104


def test_what_a_fold_put_into_the_old_lists_while_new_ones_were_trained_is_kept(connect: Connect) -> None:
    conn, reader = connect(), connect()
    into = listed(conn)
    add(conn, into, some(90, 1), first=101)
    while flush(conn):
        pass
    training = steps(ListBuild(into.id, 1), reader)
    begin = next(training)
    assert begin.means is not None
    add(conn, into, some(16, 2), first=301)
    while flush(conn):
        pass
    conn.execute("UPDATE vector_partition SET trained = 1000")
    assert build(conn, into)
    assert counts(conn) == (0, 0, 186)
    assert vectors.apply_lists(conn, begin)
    for write in training:
        if write.switch is not None:  # the plan of the switch is out of date, and names vectors that are gone
            vectors.remove(conn, [(1, revision) for revision in (301, 302, 101)])
        assert vectors.apply_lists(conn, write)
    assert counts(conn) == (0, 14, 169)
    agrees(reader, into, VectorCache(), limit=200)
    assert vectors.verify(reader) == []


@pytest.mark.parametrize("applied", [0, 1, 3])
def test_a_build_that_a_rebuild_overtook_writes_nothing_more(connect: Connect, applied: int) -> None:
    conn, reader = connect(), connect()
    into = listed(conn)
    add(conn, into, some(90, 1), first=101)
    while flush(conn):
        pass
    writes = steps(ListBuild(into.id, 1), reader)
    for _ in range(applied):
        assert vectors.apply_lists(conn, next(writes))
    kept = next(writes)
    vectors.rebuild(conn)
    if applied:
        assert not vectors.apply_lists(conn, kept)
    assert build(conn, into)
    assert not vectors.apply_lists(conn, kept)
    sweep(conn)
    assert counts(conn) == (0, 0, 170)
    assert vectors.verify(reader) == []


def test_lists_skip_most_vectors_and_still_find_the_nearest(conn: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_search, "_LEAST_DEPTH", 300)
    monkeypatch.setattr(vector_search, "LEAST_LOOKED_AT", 1)
    monkeypatch.setattr(vector_search, "_BITS_PER_CANDIDATE", 1)
    monkeypatch.setattr(vector_build, "_WRITE_CODES", 4096)
    monkeypatch.setattr(vector_build, "_PASS_CODES", 4096)
    monkeypatch.setattr(vector_blocks, "FLUSH_AT", 500)
    into = space(conn)
    add(conn, into, some(3000), batch=500)
    while flush(conn):
        pass
    assert build(conn, into)
    looked_at: list[int] = []
    nearest = Probe.nearest

    def watched(
        self: Probe,
        pieces: Iterator[Codes],
        count: int,
        *,
        few: bool,
        streams: Sequence[Iterator[Sequence[Codes]]] = (),
    ) -> Candidates:
        whole = [list(stream) for stream in streams]
        looked_at.append(sum(len(piece) for stream in whole for group in stream for piece in group))
        return nearest(self, pieces, count, few=few, streams=whole)

    monkeypatch.setattr(Probe, "nearest", watched)
    found = 0
    for n in range(30):
        query = VectorQuery(space=into, partitions=(1,), vector=some(1, 500 + n)[0], limit=5)
        best = set(vectors.exact(conn, query).revisions.tolist())
        found += len(best & set(vectors.search(conn, VectorCache(), query).revisions.tolist()))
    assert 0 < max(looked_at) < 900
    assert found / 150 > 0.9


@pytest.mark.parametrize("pieces", [0, 1, 5, 20, 26])
def test_a_build_that_is_told_to_stop_does_so_within_one_piece(conn: Opened, pieces: int) -> None:
    into, asked = space(conn), 0
    add(conn, into, some(90))
    while flush(conn):
        pass

    def stopping() -> bool:
        nonlocal asked
        asked += 1
        return asked > pieces

    assert not build(conn, into, stopping)
    assert asked == pieces + 1
    assert vectors.verify(conn) == []
    agrees(conn, into, VectorCache(), limit=99)
    assert build(conn, into)
    sweep(conn)
    assert counts(conn) == (0, 0, 90)


@pytest.mark.parametrize("stop", range(1, 60, 4))
def test_a_build_that_dies_halfway_leaves_a_sound_index_and_the_next_one_completes(connect: Connect, stop: int) -> None:
    conn, reader = connect(), connect()
    into, cache = space(conn), VectorCache()
    add(conn, into, some(90))
    while flush(conn):
        pass
    first = ListBuild(into.id, 1)
    for _ in range(stop):
        if first.finished:
            break
        if (write := first.advance(reader)) is not None:
            assert vectors.apply_lists(conn, write)
    agrees(reader, into, cache, limit=99)
    assert vectors.verify(reader) == []
    if (into.id, 1, "lists") in vectors.pending(conn):
        assert build(conn, into)
    assert not _applied(conn, first, reader)
    sweep(conn)
    assert counts(conn) == (0, 0, 90)
    agrees(reader, into, cache, limit=99)
    assert vectors.verify(reader) == []


def _applied(conn: Opened, late: ListBuild, reader: Opened) -> bool:
    """Whether a build that another one has overtaken still gets a write through."""
    while not late.finished:
        if (write := late.advance(reader)) is not None:
            if vectors.apply_lists(conn, write):
                return True
            late.lose()
    return False


def test_a_write_of_a_build_that_is_rolled_back_changes_nothing(connect: Connect) -> None:
    conn, reader = connect(), connect()
    into, cache = space(conn), VectorCache()
    add(conn, into, some(90))
    while flush(conn):
        pass
    going = ListBuild(into.id, 1)
    while not going.finished:
        write = going.advance(reader)
        if write is None:
            continue
        conn.execute("BEGIN IMMEDIATE")
        assert vectors.apply_lists(conn, write)
        agrees(conn, into, cache, limit=99)
        conn.execute("ROLLBACK")
        agrees(reader, into, cache, limit=99)
        assert vectors.verify(reader) == []
        assert vectors.apply_lists(conn, write)
    sweep(conn)
    assert counts(conn) == (0, 0, 90)
    assert vectors.verify(reader) == []


def test_threads_that_share_a_cache_each_see_their_own_moment(connect: Connect) -> None:
    writer = connect()
    into, cache, readers = listed(writer), VectorCache(60_000), [connect() for _ in range(3)]
    done = threading.Event()
    failures: list[AssertionError] = []

    def reading(conn: Opened, number: int) -> None:
        seed = number
        while not done.is_set():
            seed += 3
            conn.execute("BEGIN")
            try:
                agrees(conn, into, cache, seed=seed, limit=300)
            except AssertionError as error:
                failures.append(error)
                return
            finally:
                conn.execute("ROLLBACK")

    threads = [threading.Thread(target=reading, args=(conn, n)) for n, conn in enumerate(readers)]
    for thread in threads:
        thread.start()
    for n in range(12):
        add(writer, into, some(16, n), first=200 + 16 * n)
        flush(writer)
        vectors.remove(writer, [(1, 200 + 16 * n), (1, 1 + n)])
        build(writer, into)
        sweep(writer)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert vectors.verify(writer) == []


def test_a_retired_space_with_lists_is_swept_in_bounded_pieces(conn: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    into = listed(conn)
    monkeypatch.setattr(vector_flush, "SWEEP_CODES", 20)
    monkeypatch.setattr(vector_flush, "SWEEP_ROWS", 10)
    vectors.retire_space(conn, into.id)
    assert vectors.plan_flush(conn, into.id, 1) is None
    assert [what for _, _, what in vectors.pending(conn)] == ["sweep"]
    pieces = 0
    while vectors.sweep(conn):
        pieces += 1
    assert pieces > 10
    assert vectors.spaces(conn) == ()
    assert vectors.pending(conn) == []
    for table in ("vector", "vector_partition", "vector_block", "vector_code", "vector_centroids"):
        assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
