"""Flushing tails, building lists and sweeping leftovers, with additions, removals and crashes in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from numpy.typing import NDArray

from mnemon.store import vector_blocks, vector_build, vector_flush, vector_lists, vector_search, vectors
from mnemon.store.vector_codes import Codes
from mnemon.store.vector_probe import Probe
from mnemon.store.vectors import ListBuild, ListWrite, Space, VectorCache, VectorQuery

Array = NDArray[np.float32]
Connect = Callable[[], apsw.Connection]
DIMENSIONS = 24


@contextmanager
def small() -> Iterator[None]:
    """Thresholds that dozens of vectors reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_blocks, "FLUSH_AT", 8)
        patch.setattr(vector_flush, "LISTS_AT", 40)
        patch.setattr(vector_flush, "FOLD_AT", 10)
        patch.setattr(vector_lists, "_LEAST_MEMBERS", 1)
        patch.setattr(vector_build, "PIECE_ROWS", 32)
        patch.setattr(vector_lists, "PIECE_ROWS", 32)
        patch.setattr(vector_build, "_WRITE_CODES", 16)
        patch.setattr(vector_build, "_PASS_CODES", 30)
        yield


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with small():
        yield


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    opened: list[apsw.Connection] = []

    def opening() -> apsw.Connection:
        conn = apsw.Connection(str(tmp_path / "palace.db"))
        conn.pragma("journal_mode", "wal")
        conn.pragma("synchronous", "off")
        if not opened:
            for statement in vectors.TABLES:
                conn.execute(statement)
        opened.append(conn)
        return conn

    yield opening
    for conn in opened:
        conn.close()


@pytest.fixture
def conn(connect: Connect) -> apsw.Connection:
    return connect()


def space(conn: apsw.Connection, metric: str = "cosine") -> Space:
    return vectors.space_of(conn, vectors.create_space(conn, "a", "model", DIMENSIONS, metric, 1))


def some(count: int, seed: int = 0) -> Array:
    """Vectors in a dozen clusters, the shape lists are for."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(4).standard_normal((12, DIMENSIONS))
    noise = random.standard_normal((count, DIMENSIONS)) * 0.4
    return (centres[random.integers(0, 12, count)] + noise).astype(np.float32)


def add(conn: apsw.Connection, into: Space, data: Array, first: int = 1, batch: int = 5) -> None:
    for start in range(0, len(data), batch):
        part = data[start : start + batch]
        vectors.add(conn, into, [(1, first + start + n) for n in range(len(part))], part)


def flush(conn: apsw.Connection) -> int:
    done = 0
    for number, scope, what in vectors.pending(conn):
        if what == "flush" and (plan := vectors.plan_flush(conn, number, scope)) is not None:
            assert vectors.apply_flush(conn, plan)
            done += 1
    return done


def build(conn: apsw.Connection, into: Space, stopping: Callable[[], bool] | None = None) -> bool:
    @contextmanager
    def read() -> Iterator[apsw.Connection]:
        conn.execute("BEGIN")
        try:
            yield conn
        finally:
            conn.execute("ROLLBACK")

    def write(job: Callable[[apsw.Connection], bool]) -> bool:
        return job(conn)

    return vectors.build_lists(read, write, into.id, 1, stopping=stopping)


def sweep(conn: apsw.Connection) -> None:
    while vectors.sweep(conn):
        pass


def agrees(conn: apsw.Connection, into: Space, cache: VectorCache, seed: int = 1, limit: int = 12) -> None:
    query = VectorQuery(space=into, scopes=(1,), vector=some(1, seed)[0], limit=limit)
    found, expected = vectors.search(conn, cache, query), vectors.exact(conn, query)
    assert found.revisions.tolist() == expected.revisions.tolist()
    assert found.scores.tolist() == expected.scores.tolist()


def counts(conn: apsw.Connection) -> tuple[int, int, int]:
    (state,) = vectors.state(conn)
    return state.tail, state.loose, state.listed


# -- flushing --------------------------------------------------------------------------------------


def test_a_small_tail_is_not_due_and_a_full_one_moves_into_a_block(conn: apsw.Connection) -> None:
    into, data = space(conn), some(8)
    add(conn, into, data[:7])
    assert vectors.pending(conn) == []
    add(conn, into, data[7:], first=8)
    assert vectors.pending(conn) == [(into.id, 1, "flush")]
    assert flush(conn) == 1
    assert counts(conn) == (0, 8, 0)
    assert vectors.pending(conn) == []
    agrees(conn, into, VectorCache())


def test_small_blocks_are_merged_eight_at_a_time(conn: apsw.Connection) -> None:
    into, cache = space(conn), VectorCache()
    for n in range(70):
        add(conn, into, some(8, n), first=1 + 8 * n)
        flush(conn)
        agrees(conn, into, cache, limit=600)
    sizes = [count for (count,) in conn.execute("SELECT count FROM vector_block ORDER BY count DESC")]
    assert sum(sizes) == 560
    assert sizes == [64] * 8 + [8] * 6


def test_a_flush_planned_before_a_removal_is_not_applied(conn: apsw.Connection) -> None:
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


def test_what_is_added_while_a_flush_is_planned_stays_in_the_tail(conn: apsw.Connection) -> None:
    into, data = space(conn), some(13)
    add(conn, into, data[:8])
    plan = vectors.plan_flush(conn, into.id, 1)
    add(conn, into, data[8:], first=9)
    assert plan is not None
    assert vectors.apply_flush(conn, plan)
    assert counts(conn) == (5, 8, 0)
    agrees(conn, into, VectorCache(), limit=20)
    assert vectors.verify(conn) == []


def test_a_tail_longer_than_one_flush_takes_stays_due(conn: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_flush, "FLUSH_ROWS", 8)
    into = space(conn)
    add(conn, into, some(20))
    assert flush(conn) == flush(conn) == 1
    assert counts(conn) == (4, 16, 0)
    flush(conn)
    assert counts(conn) == (0, 20, 0)
    assert flush(conn) == 0
    assert vectors.verify(conn) == []


def test_a_removed_revision_is_in_no_block_of_any_generation(conn: apsw.Connection) -> None:
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
    monkeypatch.setattr(vector_lists, "_LEAST_MEMBERS", 4)
    path = tmp_path / "palace.db"
    conn = apsw.Connection(str(path))
    conn.pragma("journal_mode", "wal")
    conn.pragma("secure_delete", "fast")
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
    assert conn.pragma("secure_delete") == 2
    conn.close()


# -- lists -----------------------------------------------------------------------------------------


def listed(conn: apsw.Connection, count: int = 80, metric: str = "cosine") -> Space:
    into = space(conn, metric)
    add(conn, into, some(count))
    while flush(conn):
        pass
    assert build(conn, into)
    sweep(conn)
    return into


@pytest.mark.parametrize("metric", ["cosine", "dot", "l2"])
def test_lists_hold_every_flushed_vector_once(conn: apsw.Connection, metric: str) -> None:
    into = listed(conn, metric=metric)
    assert counts(conn) == (0, 0, 80)
    assert vectors.pending(conn) == []
    assert vectors.verify(conn) == []
    agrees(conn, into, VectorCache(), limit=99)


def test_new_vectors_are_folded_into_the_lists_and_growth_trains_new_ones(conn: apsw.Connection) -> None:
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


def steps(going: ListBuild, reader: apsw.Connection) -> Iterator[ListWrite]:
    while not going.finished:
        if (write := going.advance(reader)) is not None:
            yield write


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
        assert vectors.apply_lists(conn, write)
    assert counts(conn) == (0, 16, 170)
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


def test_lists_skip_most_vectors_and_still_find_the_nearest(
    conn: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        self: Probe, pieces: Iterator[Codes], count: int, streams: Sequence[Iterator[Codes]] = ()
    ) -> NDArray[np.int64]:
        whole = [list(stream) for stream in streams]
        looked_at.append(sum(len(piece) for stream in whole for piece in stream))
        return nearest(self, pieces, count, streams=whole)

    monkeypatch.setattr(Probe, "nearest", watched)
    found = 0
    for n in range(30):
        query = VectorQuery(space=into, scopes=(1,), vector=some(1, 500 + n)[0], limit=5)
        best = set(vectors.exact(conn, query).revisions.tolist())
        found += len(best & set(vectors.search(conn, VectorCache(), query).revisions.tolist()))
    assert 0 < max(looked_at) < 900
    assert found / 150 > 0.9


@pytest.mark.parametrize("pieces", [0, 1, 5, 20, 26])
def test_a_build_that_is_told_to_stop_does_so_within_one_piece(conn: apsw.Connection, pieces: int) -> None:
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


def _applied(conn: apsw.Connection, late: ListBuild, reader: apsw.Connection) -> bool:
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

    def reading(conn: apsw.Connection, number: int) -> None:
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


def test_a_retired_space_with_lists_is_swept_in_bounded_pieces(
    conn: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
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


# -- everything at once ----------------------------------------------------------------------------


class Upkeep(RuleBasedStateMachine):
    """Writers, readers and two background passes take turns in any order; the index always agrees with the truth."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = small()
        self.patch.__enter__()
        # A shared in-memory file: a second connection sees commits as another process would, without the disk.
        name = f"file:/vectors{id(self)}?vfs=memdb"
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self.writer = apsw.Connection(name, flags=flags)
        self.reader = apsw.Connection(name, flags=flags)
        for statement in vectors.TABLES:
            self.writer.execute(statement)
        self.space = space(self.writer)
        self.cache = VectorCache(40_000)
        self.next = 1
        self.alive: list[int] = []
        self.plan: vectors.FlushPlan | None = None
        self.builds: list[ListBuild] = []
        self._add(45)
        while flush(self.writer):
            pass

    def teardown(self) -> None:
        self.reader.close()
        self.writer.close()
        self.patch.__exit__(None, None, None)

    @rule(count=st.integers(1, 30))
    def add(self, count: int) -> None:
        self._add(count)

    def _add(self, count: int) -> None:
        revisions = list(range(self.next, self.next + count))
        vectors.add(self.writer, self.space, [(1, r) for r in revisions], some(count, self.next))
        self.next += count
        self.alive += revisions

    @rule(count=st.integers(1, 5))
    def add_and_roll_back(self, count: int) -> None:
        self.writer.execute("BEGIN IMMEDIATE")
        vectors.add(self.writer, self.space, [(1, self.next + n) for n in range(count)], some(count, 77))
        agrees(self.writer, self.space, self.cache, seed=self.next)
        self.writer.execute("ROLLBACK")

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        revision = data.draw(st.sampled_from(self.alive))
        vectors.add(self.writer, self.space, [(1, revision)], some(1, revision + 5000))

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(self.alive), min_size=1, max_size=6, unique=True))
        vectors.remove(self.writer, [(1, r) for r in gone])
        self.alive = [r for r in self.alive if r not in gone]

    @rule()
    def plan_a_flush(self) -> None:
        self.plan = vectors.plan_flush(self.reader, self.space.id, 1)

    @precondition(lambda self: self.plan is not None)
    @rule()
    def apply_the_flush(self) -> None:
        assert self.plan is not None
        vectors.apply_flush(self.writer, self.plan)

    @rule()
    def flush(self) -> None:
        while flush(self.writer):
            pass

    @precondition(lambda self: len(self.builds) < 2)
    @rule()
    def begin_a_build(self) -> None:
        self.builds.append(ListBuild(self.space.id, 1))

    @precondition(lambda self: self.builds)
    @rule(which=st.integers(0, 1), steps=st.integers(1, 25))
    def advance_a_build(self, which: int, steps: int) -> None:
        going = self.builds[which % len(self.builds)]
        for _ in range(steps):
            write = going.advance(self.reader)
            if write is not None and not vectors.apply_lists(self.writer, write):
                going.lose()
            if going.finished:
                self.builds.remove(going)
                break

    @precondition(lambda self: self.builds)
    @rule(which=st.integers(0, 1))
    def lose_a_build(self, which: int) -> None:
        self.builds.pop(which % len(self.builds))

    @rule()
    def sweep(self) -> None:
        sweep(self.writer)

    @rule()
    def rebuild(self) -> None:
        vectors.rebuild(self.writer)

    @invariant()
    def search_agrees_with_the_truth(self) -> None:
        agrees(self.reader, self.space, self.cache, seed=self.next, limit=len(self.alive) + 5)
        query = VectorQuery(space=self.space, scopes=(1,), vector=some(1)[0], limit=len(self.alive) + 5)
        assert sorted(vectors.search(self.reader, self.cache, query).revisions.tolist()) == sorted(self.alive)

    @invariant()
    def the_index_verifies(self) -> None:
        assert vectors.verify(self.reader) == []

    @invariant()
    def the_partition_counts_what_it_holds(self) -> None:
        for state in vectors.state(self.reader):
            rows = self.reader.execute(
                """SELECT coalesce(sum(count) FILTER (WHERE b.generation = 0), 0),
                          coalesce(sum(count) FILTER (WHERE b.generation = p.generation AND b.generation > 0), 0)
                   FROM vector_partition p LEFT JOIN vector_block b USING (space, scope)"""
            ).fetchone()
            assert (state.loose, state.listed) == rows


Upkeep.TestCase.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
TestUpkeep = Upkeep.TestCase
