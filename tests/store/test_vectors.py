"""What the vector index promises to those who write and search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.store.opened_tables import Opened

from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.store.index.vector import search as vector_search
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import NearestVectors, Space, VectorCache, VectorQuery

Connect = Callable[[], Opened]
Array = NDArray[np.float32]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    opened: list[Opened] = []

    def opening() -> Opened:
        conn = Opened(tmp_path / "palace.db")
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
def conn(connect: Connect) -> Opened:
    return connect()


def in_memory() -> Opened:
    conn = Opened(":memory:")
    for statement in vectors.TABLES:
        conn.execute(statement)
    return conn


def space(conn: Opened, metric: str = "cosine", dimensions: int = 16, name: str = "a") -> Space:
    return vectors.space_of(conn, vectors.create_space(conn, name, "model", dimensions, metric, 1))


def some(count: int, dimensions: int = 16, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)


def add(conn: Opened, into: Space, data: Array, scope: int = 1, first: int = 1) -> None:
    vectors.add(conn, into, [(scope, first + n) for n in range(len(data))], data)


def near(conn: Opened, into: Space, vector: Array, scopes: tuple[int, ...] = (1,), limit: int = 5) -> list[int]:
    query = VectorQuery(space=into, partitions=scopes, vector=vector, limit=limit)
    return list(vectors.search(conn, VectorCache(), query).revisions.tolist())


def same(left: NearestVectors, right: NearestVectors) -> None:
    assert left.revisions.tolist() == right.revisions.tolist()
    assert left.scores.tolist() == right.scores.tolist()


# -- spaces ----------------------------------------------------------------------------------------


def test_the_first_space_is_active_and_later_ones_fill_until_activated(conn: Opened) -> None:
    old, new = space(conn), space(conn, name="b")
    assert (old.state, new.state) == ("active", "filling")
    vectors.activate_space(conn, new.id)
    assert [s.state for s in vectors.spaces(conn)] == ["filling", "active"]
    assert vectors.space_named(conn) == vectors.space_of(conn, new.id)
    assert vectors.space_named(conn, "a") == vectors.space_of(conn, old.id)
    assert vectors.space_named(conn, "c") is None


def test_a_space_needs_a_name_that_is_free_a_known_metric_and_dimensions(conn: Opened) -> None:
    space(conn)
    with pytest.raises(Conflict):
        space(conn)
    for name, dimensions, metric in (("", 8, "cosine"), ("b", 0, "cosine"), ("b", 9000, "dot"), ("b", 8, "hamming")):
        with pytest.raises(InvalidInput):
            vectors.create_space(conn, name, "m", dimensions, metric, 1)
    with pytest.raises(NotFound):
        vectors.activate_space(conn, 99)


def test_a_retired_space_is_empty_to_readers_and_its_name_is_free_after_the_sweep(conn: Opened) -> None:
    old = space(conn)
    add(conn, old, some(40))
    vectors.retire_space(conn, old.id)
    assert vectors.space_named(conn, "a") is None
    with pytest.raises(Conflict):
        vectors.activate_space(conn, old.id)
    with pytest.raises(Conflict):
        add(conn, vectors.space_of(conn, old.id), some(1), first=50)
    assert near(conn, vectors.space_of(conn, old.id), some(1)[0]) == []
    while vectors.sweep(conn):
        pass
    assert vectors.spaces(conn) == ()
    for table in ("vector", "vector_tail", "vector_partition", "vector_block", "vector_code", "vector_centroids"):
        assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert space(conn).id != old.id


def test_a_new_model_fills_its_space_while_the_old_one_answers_and_the_switch_leaves_no_gap(connect: Connect) -> None:
    writer, reader = connect(), connect()
    old, data = space(writer), some(30)
    add(writer, old, data)
    new = space(writer, name="b", dimensions=24)
    richer = some(30, 24, seed=1)
    for n in range(30):
        vectors.add(writer, new, [(1, n + 1)], richer[n : n + 1])
        active = vectors.space_named(reader)
        assert active is not None
        assert active.name == "a"
        assert near(reader, active, data[n])[0] == n + 1
        assert near(reader, vectors.space_of(reader, new.id), richer[0])[0] == 1
    vectors.activate_space(writer, new.id)
    active = vectors.space_named(reader)
    assert active is not None
    assert near(reader, active, richer[7])[0] == 8
    vectors.retire_space(writer, old.id)
    while vectors.sweep(writer):
        assert near(reader, active, richer[7])[0] == 8
    assert vectors.verify(reader) == []


# -- adding ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_component_that_is_no_finite_number_is_refused_and_nothing_is_written(conn: Opened, bad: float) -> None:
    into, data = space(conn), some(3)
    data[1, 5] = bad
    with pytest.raises(InvalidInput):
        add(conn, into, data)
    assert conn.execute("SELECT count(*) FROM vector").fetchone() == (0,)
    with pytest.raises(InvalidInput):
        near(conn, into, data[1])


def test_vectors_of_another_length_or_number_are_refused(conn: Opened) -> None:
    into = space(conn)
    for shape in ((2, 15), (1, 16), (3, 16)):
        with pytest.raises(InvalidInput):
            vectors.add(conn, into, [(1, 1), (1, 2)], np.ones(shape, np.float32))
    with pytest.raises(InvalidInput):
        vectors.add(conn, into, [(1, 1)], np.ones(16, np.float32))
    with pytest.raises(InvalidInput):
        near(conn, into, np.ones(15, np.float32))


def test_revisions_must_be_positive_small_enough_and_named_once(conn: Opened) -> None:
    into = space(conn)
    for revisions in ((0, 1), (1, 1 << 48), (7, 7)):
        with pytest.raises(InvalidInput):
            vectors.add(conn, into, [(1, r) for r in revisions], some(2))
    assert conn.execute("SELECT count(*) FROM vector").fetchone() == (0,)
    assert vectors.space_of(conn, into.id).vectors == 0


def test_a_component_too_large_for_half_precision_is_refused_except_for_cosine(conn: Opened) -> None:
    huge = np.full((1, 16), 1e30, np.float32)
    with pytest.raises(InvalidInput):
        add(conn, space(conn, "dot", name="d"), huge)
    into = space(conn, name="c")
    add(conn, into, huge)
    assert vectors.similarities(conn, into, huge[0], np.array([1]))[0] == pytest.approx(1, abs=1e-3)


def test_a_zero_vector_is_stored_but_never_found(conn: Opened) -> None:
    for metric in ("cosine", "dot", "l2"):
        into = space(conn, metric, name=metric)
        data = some(5)
        data[2] = 0
        add(conn, into, data)
        assert sorted(near(conn, into, data[0], limit=9)) == [1, 2, 4, 5]
        found, kept = vectors.vectors_of(conn, into, np.array([3]))
        assert found.tolist() == [3]
        assert not kept.any()
        assert np.isnan(vectors.similarities(conn, into, data[0], np.array([3]))).all()
    assert vectors.verify(conn) == []


def test_a_query_of_zeros_matches_nothing_by_angle(conn: Opened) -> None:
    into = space(conn)
    add(conn, into, some(5))
    assert near(conn, into, np.zeros(16, np.float32)) == []


def test_adding_a_revision_again_replaces_its_vector_everywhere(conn: Opened) -> None:
    into, data = space(conn), some(40)
    add(conn, into, data)
    moved = -data[4:6]
    vectors.add(conn, into, [(1, 5), (2, 6)], moved)
    assert near(conn, into, moved[0])[0] == 5
    assert near(conn, into, moved[1])[0] != 6
    assert near(conn, into, moved[1], scopes=(2,)) == [6]
    assert 5 not in near(conn, into, data[4], limit=20)
    assert vectors.space_of(conn, into.id).vectors == 40
    assert vectors.verify(conn) == []


def test_an_addition_rolled_back_was_never_there(conn: Opened) -> None:
    into, data, cache = space(conn), some(8), VectorCache()
    query = VectorQuery(space=into, partitions=(1,), vector=data[7], limit=3)
    add(conn, into, data[:4])
    conn.execute("BEGIN IMMEDIATE")
    add(conn, into, data[4:], first=5)
    assert vectors.search(conn, cache, query).revisions[0] == 8
    conn.execute("ROLLBACK")
    add(conn, into, data[4:], first=105)
    assert vectors.search(conn, cache, query).revisions[0] == 108
    same(vectors.search(conn, cache, query), vectors.exact(conn, query))
    assert vectors.verify(conn) == []


# -- reading vectors -------------------------------------------------------------------------------


def test_stored_vectors_come_back_in_half_precision_and_of_length_one(conn: Opened) -> None:
    into, data = space(conn), some(6)
    add(conn, into, data)
    found, back = vectors.vectors_of(conn, into, np.array([6, 99, 2, 2]))
    assert found.tolist() == [2, 6]
    unit = data[[1, 5]] / np.linalg.norm(data[[1, 5]], axis=1, keepdims=True)
    np.testing.assert_allclose(back, unit, atol=1e-3)


def test_similarities_follow_the_order_asked_for_and_leave_unknown_revisions_out(conn: Opened) -> None:
    for metric in ("cosine", "dot", "l2"):
        into, data = space(conn, metric, name=metric), some(6)
        add(conn, into, data)
        scores = vectors.similarities(conn, into, data[3], np.array([4, 77, 1, 4]))
        expected = {"cosine": 1.0, "dot": float(data[3] @ data[3]), "l2": 1.0}[metric]
        assert scores[0] == scores[3] == pytest.approx(expected, rel=2e-2)
        assert np.isnan(scores[1])
        assert scores[2] < scores[0]


# -- searching -------------------------------------------------------------------------------------

scopes_of_rows = st.lists(st.integers(1, 3), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(
    rows=scopes_of_rows, seed=st.integers(0, 999), metric=st.sampled_from(["cosine", "dot", "l2"]),
    asked=st.sets(st.integers(1, 4)), limit=st.integers(0, 70), modulus=st.integers(1, 7), narrow=st.booleans(),
)  # fmt: skip
def test_search_equals_the_brute_force_answer(
    rows: list[int], seed: int, metric: str, asked: set[int], limit: int, modulus: int, narrow: bool
) -> None:
    conn = in_memory()
    into = space(conn, metric, dimensions=10)
    data = some(len(rows), 10, seed)
    data[::5] = data[0]  # equal vectors, so that ties have to be broken alike
    vectors.add(conn, into, [(scope, n + 1) for n, scope in enumerate(rows)], data)
    query = VectorQuery(
        space=into, partitions=tuple(sorted(asked)), vector=some(1, 10, seed + 1)[0], limit=limit,
        only=np.arange(1, 40, 2) if narrow else None,
    )  # fmt: skip

    def allowed(revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.equal(revisions % modulus, 0)

    same(vectors.search(conn, VectorCache(), query), vectors.exact(conn, query))
    hits = vectors.search(conn, VectorCache(), query, allowed)
    same(hits, vectors.exact(conn, query, allowed))
    assert all(rows[r - 1] in asked and r % modulus == 0 for r in hits.revisions.tolist())
    conn.close()


def test_equal_scores_come_newest_first(conn: Opened) -> None:
    into, data = space(conn), np.repeat(some(3), 40, axis=0)
    add(conn, into, data)
    assert near(conn, into, data[45], limit=40) == list(range(80, 40, -1))
    query = VectorQuery(space=into, partitions=(1,), vector=data[45], limit=40)
    assert vectors.exact(conn, query).revisions.tolist() == list(range(80, 40, -1))


def test_what_another_connection_commits_is_found_by_the_next_search(connect: Connect) -> None:
    writer, reader = connect(), connect()
    into, data, cache = space(writer), some(50), VectorCache()

    def first(vector: Array) -> int:
        query = VectorQuery(space=into, partitions=(1,), vector=vector, limit=1)
        return int(vectors.search(reader, cache, query).revisions[0])

    for n in range(50):
        vectors.add(writer, into, [(1, n + 1)], data[n : n + 1])
        assert first(data[n]) == n + 1
    vectors.remove(writer, [(1, 50)])
    assert first(data[49]) != 50


def test_a_reader_keeps_to_its_own_moment_though_the_cache_knows_newer_ones(connect: Connect) -> None:
    writer, reader, other = connect(), connect(), connect()
    into, data, cache = space(writer), some(20), VectorCache()
    add(writer, into, data[:10])
    query = VectorQuery(space=into, partitions=(1,), vector=data[15], limit=20)
    reader.execute("BEGIN")
    assert len(vectors.search(reader, cache, query)) == 10
    add(writer, into, data[10:], first=11)
    assert len(vectors.search(other, cache, query)) == 20
    assert len(vectors.search(reader, cache, query)) == 10
    reader.execute("ROLLBACK")
    assert len(vectors.search(reader, cache, query)) == 20


def test_a_filter_that_keeps_few_is_answered_by_widening_the_rounds(
    conn: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "_LEAST_DEPTH", 8)
    monkeypatch.setattr(vector_search, "_BITS_PER_CANDIDATE", 8)
    into, data = space(conn), some(400)
    add(conn, into, data)
    asked: list[int] = []

    def allowed(revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        asked.extend(revisions.tolist())
        return np.equal(revisions % 40, 0)

    query = VectorQuery(space=into, partitions=(1,), vector=data[0], limit=10)
    same(vectors.search(conn, VectorCache(), query, allowed), vectors.exact(conn, query, lambda r: r % 40 == 0))
    assert len(asked) == len(set(asked)) == 400
    nothing = vectors.search(conn, VectorCache(), query, lambda r: np.zeros(len(r), np.bool_))
    assert len(nothing) == 0


def test_a_long_list_of_permitted_revisions_goes_through_the_codes(
    conn: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "ONLY_EXACT", 20)
    into, data = space(conn, dimensions=64), some(600, 64)
    add(conn, into, data)
    add(conn, into, data[:50], scope=2, first=1001)
    only = np.concatenate((np.arange(1, 601, 3), np.arange(1001, 1051)))
    query = VectorQuery(space=into, partitions=(1,), vector=data[300], limit=10, only=only, effort=4)
    same(vectors.search(conn, VectorCache(), query), vectors.exact(conn, query))


def test_more_effort_finds_more_of_what_short_codes_miss(conn: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_search, "_LEAST_DEPTH", 10)
    monkeypatch.setattr(vector_search, "_BITS_PER_CANDIDATE", 1)
    into, data = space(conn, dimensions=24), some(2000, 24)
    add(conn, into, data)

    def recall(effort: float) -> float:
        found = 0
        for n in range(40):
            query = VectorQuery(space=into, partitions=(1,), vector=some(1, 24, 900 + n)[0], limit=10, effort=effort)
            best = set(vectors.exact(conn, query).revisions.tolist())
            found += len(best & set(vectors.search(conn, VectorCache(), query).revisions.tolist()))
        return found / 400

    few, many, all_of_them = recall(1), recall(4), recall(50)
    assert few < many < all_of_them == 1.0


def test_the_cache_stays_within_its_bound_and_answers_the_same_without_room(conn: Opened) -> None:
    into, data = space(conn), some(300)
    for scope in range(1, 11):
        add(conn, into, data[scope * 20 :][:20], scope=scope, first=scope * 100)
    tight, roomy = VectorCache(2000), VectorCache()
    for scope in range(1, 11):
        query = VectorQuery(space=into, partitions=(scope,), vector=data[5])
        same(vectors.search(conn, tight, query), vectors.search(conn, roomy, query))
        assert tight.nbytes <= 2000
    assert roomy.nbytes > 2000
    roomy.forget()
    assert roomy.nbytes == 0


# -- removing --------------------------------------------------------------------------------------


def test_a_removed_revision_leaves_no_row_in_any_space(conn: Opened) -> None:
    one, two, data = space(conn), space(conn, "dot", name="b"), some(20)
    add(conn, one, data)
    add(conn, two, data)
    vectors.remove(conn, [(1, 3), (9, 3), (1, 20), (1, 777)])
    for into in (one, two):
        assert not {3, 20} & set(near(conn, into, data[2], limit=20))
        assert vectors.vectors_of(conn, into, np.array([3, 20]))[0].tolist() == []
        assert vectors.space_of(conn, into.id).vectors == 18
    assert conn.execute("SELECT count(*) FROM vector_tail WHERE revision IN (3, 20)").fetchone() == (0,)
    assert vectors.verify(conn) == []


def test_removal_finds_a_revision_filed_under_another_scope_than_the_one_named(conn: Opened) -> None:
    into, data = space(conn), some(4)
    add(conn, into, data, scope=5)
    vectors.remove(conn, [(1, 2)])
    assert sorted(near(conn, into, data[1], scopes=(5,))) == [1, 3, 4]
    assert vectors.verify(conn) == []


def test_a_vector_that_is_replaced_is_never_scored_by_what_it_was(connect: Connect) -> None:
    conn, other = connect(), connect()
    into, cache = space(conn), VectorCache()
    data = some(40)
    add(conn, into, data)

    def best(reader: Opened) -> tuple[int, float]:
        found = vectors.search(reader, cache, VectorQuery(space=into, partitions=(1,), vector=data[7], limit=1))
        return int(found.revisions[0]), round(float(found.scores[0]), 2)

    assert best(conn) == best(other) == (8, 1.0)
    other.execute("BEGIN")
    assert best(other) == (8, 1.0)
    vectors.add(conn, into, [(1, 8)], -data[7:8])
    assert best(conn) != (8, 1.0)
    assert best(other) == (8, 1.0)
    other.execute("ROLLBACK")
    assert best(other) == best(conn)


def test_remembered_vectors_stay_within_their_share(conn: Opened) -> None:
    into, cache = space(conn, dimensions=64), VectorCache(30_000)
    data = some(200, 64)
    add(conn, into, data)
    for row in range(0, 200, 10):
        query = VectorQuery(space=into, partitions=(1,), vector=data[row], limit=5)
        found = vectors.search(conn, cache, query)
        assert np.array_equal(found.revisions, vectors.exact(conn, query).revisions)
        assert cache.nbytes <= 40_000


def test_the_memory_of_stored_vectors_lets_its_oldest_go_and_never_all_at_once() -> None:
    cache = VectorCache(limit_bytes=100 * 1_000)
    table = cache.stored((1, 1), 0, (1, 1))
    for revision in range(1_000):
        cache.keep_stored((1, 1), table, {revision: b"v" * 800})
        assert cache.nbytes <= 100_000
        assert revision in table.rows
    assert len(table.rows) > 80
    assert min(table.rows) > 850


def test_stored_vectors_have_the_room_that_the_index_leaves_and_a_third_of_it_in_any_case() -> None:
    cache = VectorCache(limit_bytes=90_000)
    table = cache.stored((1, 1), 0, (1, 1))
    cache.keep_stored((1, 1), table, dict.fromkeys(range(85), b"v" * 800))
    assert len(table.rows) == 85
    for block in range(10):
        cache.put(block, b"", 20_000)
        assert cache.nbytes <= 90_000 + 30_000
    assert 25 <= len(table.rows) <= 30


def test_of_a_crowd_that_never_fits_no_vector_is_remembered() -> None:
    cache = VectorCache(limit_bytes=90_000)
    table = cache.stored((1, 1), 0, (1, 1))
    cache.keep_stored((1, 1), table, {7: b"v" * 800}, 1_400)
    assert list(table.rows) == [7]
    cache.keep_stored((1, 1), table, {8: b"v" * 800}, 1_500)
    assert list(table.rows) == [7]


def test_stored_vectors_of_before_a_removal_give_their_room_back() -> None:
    cache = VectorCache(limit_bytes=3 * 100 * 1_000)
    cache.keep_stored((1, 1), cache.stored((1, 1), 0, (1, 1)), {7: b"v" * 800})
    assert cache.nbytes == 1_000
    assert cache.stored((1, 1), 1, (2, 1)).rows == {}
    assert cache.nbytes == 0
