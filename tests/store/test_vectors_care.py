"""Verification, rebuilding and the numbers of the vector index, and the laws of its codes and lists."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.store.opened_tables import Opened

from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector import flush as vector_flush
from palazzo.store.index.vector import probe as vector_probe
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import Metric, Space, VectorCache, VectorQuery
from palazzo.store.sql.memory import search
from palazzo.store.sqlite import padding

Array = NDArray[np.float32]
METRICS: tuple[Metric, ...] = ("cosine", "dot", "l2")


@pytest.fixture
def conn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    monkeypatch.setattr(vector_blocks, "FLUSH_AT", 16)
    opened = Opened(":memory:")
    padding.register(opened, None)
    for statement in vectors.TABLES:
        opened.execute(statement)
    yield opened
    opened.close()


def filled(conn: Opened, metric: Metric = "cosine", count: int = 50) -> Space:
    """A space whose vectors are partly in a block and partly in the tail, one of them zero."""
    into = vectors.space_of(conn, vectors.create_space(conn, metric, "model", 12, metric, 1))
    data = some(count)
    data[6] = 0
    vectors.add(conn, into, [(1 + n % 2, n + 1) for n in range(count - 3)], data[:-3])
    for number, scope, _ in vectors.pending(conn):
        if (plan := vectors.plan_flush(conn, number, scope)) is not None:
            assert vectors.apply_flush(conn, plan)
    vectors.add(conn, into, [(1, count - 2 + n) for n in range(3)], data[-3:])
    return into


def some(count: int, dimensions: int = 12, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)


# -- verification ----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_a_sound_index_verifies(conn: Opened, metric: Metric) -> None:
    filled(conn, metric)
    assert vectors.verify(conn) == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DELETE FROM vector_tail WHERE revision = 49", "1 vectors are missing"),
        ("DELETE FROM vector_block", "46 vectors are missing"),
        ("DELETE FROM vector WHERE id & 0xffff = 3", "1 index entries belong to no vector"),
        ("UPDATE vector_tail SET code = zeroblob(8) WHERE revision = 48", "1 index entries differ"),
        ("UPDATE vector_space SET vectors = 7", "50 vectors are there, 7 are counted"),
        ("UPDATE vector SET scope = 9 WHERE id & 0xffff = 48", "1 vectors are missing"),
    ],
)
def test_verify_names_what_differs_and_rebuild_mends_it(conn: Opened, damage: str, words: str) -> None:
    into = filled(conn)
    conn.execute(damage)
    assert any(words in line for line in vectors.verify(conn))
    told: list[tuple[int, int]] = []
    vectors.rebuild(conn, lambda done, total: told.append((done, total)))
    assert vectors.verify(conn) == []
    assert told[-1][0] == vectors.space_of(conn, into.id).vectors <= told[-1][1]


def test_a_rebuild_is_seen_by_a_cache_that_knew_the_old_index(conn: Opened) -> None:
    into, cache = filled(conn), VectorCache()
    query = VectorQuery(space=into, partitions=(1, 2), vector=some(1, seed=3)[0], limit=60)
    before = vectors.search(conn, cache, query)
    conn.execute("UPDATE vector SET scope = 3 WHERE id & 0xffff = 5")
    vectors.rebuild(conn)
    after = vectors.search(conn, cache, query)
    assert set(before.revisions.tolist()) - set(after.revisions.tolist()) == {5}
    assert len(vectors.search(conn, cache, VectorQuery(space=into, partitions=(3,), vector=query.vector))) == 1


def test_a_rebuild_that_is_rolled_back_leaves_the_index_as_it_was(conn: Opened) -> None:
    filled(conn)
    before = [
        conn.execute(f"SELECT * FROM {t} ORDER BY 1, 2, 3").fetchall() for t in ("vector_tail", "vector_partition")
    ]
    conn.execute("BEGIN")
    vectors.rebuild(conn)
    conn.execute("ROLLBACK")
    after = [
        conn.execute(f"SELECT * FROM {t} ORDER BY 1, 2, 3").fetchall() for t in ("vector_tail", "vector_partition")
    ]
    assert before == after


def test_revisions_without_a_vector_are_listed_from_where_the_caller_stopped(conn: Opened) -> None:
    conn.execute("CREATE TABLE revision (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    conn.executemany("INSERT INTO revision VALUES (?,?)", [(n, f"text {n}") for n in range(1, 61)])
    into = filled(conn)
    assert search.count_missing_vectors(conn.connection, into) == 10
    assert search.missing_vectors(conn.connection, into, 3) == [(51, "text 51"), (52, "text 52"), (53, "text 53")]
    assert [r for r, _ in search.missing_vectors(conn.connection, into, 99, after=57)] == [58, 59, 60]


# -- codes -----------------------------------------------------------------------------------------

numbers = st.integers(0, 10_000)


@settings(max_examples=40, deadline=None)
@given(count=st.integers(1, 40), dimensions=st.integers(1, 200), seed=numbers, metric=st.sampled_from(METRICS))
def test_codes_survive_packing_into_blocks_and_into_rows(
    count: int, dimensions: int, seed: int, metric: Metric
) -> None:
    revisions = np.sort(np.random.default_rng(seed).choice(1 << 40, count, replace=False)) >> (seed % 2 * 20)
    halves = some(count, dimensions, seed).astype(np.float16)
    codes = vector_codes.encode(halves, metric, revisions)
    words = vector_codes.word_count(dimensions)
    kept = vector_codes.unpack_revisions(vector_codes.pack_revisions(revisions), count)
    for back in (
        vector_codes.unpack(vector_codes.pack(codes), kept, words),
        vector_codes.unpack_rows(vector_codes.pack_rows(codes), revisions, words),
        vector_codes.join([codes.pick(np.arange(count // 2)), codes.pick(np.arange(count // 2, count))]),
    ):
        assert back.revisions.tolist() == revisions.tolist()
        assert (back.words == codes.words).all()
        assert (back.norms is None) == (codes.norms is None) == (metric == "cosine")
        if back.norms is not None and codes.norms is not None:
            assert back.norms.tolist() == codes.norms.tolist()


@settings(max_examples=40, deadline=None)
@given(cuts=st.sets(st.integers(1, 299), max_size=6), seed=numbers, metric=st.sampled_from(METRICS))
def test_candidates_do_not_depend_on_how_codes_are_cut_into_pieces(cuts: set[int], seed: int, metric: Metric) -> None:
    halves = some(300, 70, seed).astype(np.float16)
    codes = vector_codes.encode(halves, metric, np.arange(1, 301))
    probe = vector_probe.Probe(some(1, 70, seed + 1)[0], metric)
    pieces = [codes.pick(part) for part in np.split(np.arange(300), sorted(cuts))]
    whole = probe.nearest([codes], 10)
    assert len(whole) == 10
    assert set(probe.nearest(pieces, 10).revisions.tolist()) == set(whole.revisions.tolist())
    only = np.arange(2, 301, 2)
    some_of_them = probe.nearest([codes.pick(only - 1)], 10)
    assert set(probe.nearest(pieces, 10, only=only).revisions.tolist()) == set(some_of_them.revisions.tolist())
    assert sorted(probe.nearest(pieces, 300).revisions.tolist()) == codes.revisions.tolist()
    assert probe.nearest(pieces, 10, only=np.empty(0, np.int64)).revisions.tolist() == []


@pytest.mark.parametrize(("metric", "read"), [("cosine", 7), ("dot", 20), ("l2", 20)])
def test_a_stream_is_left_when_it_yields_nothing_any_more(metric: Metric, read: int) -> None:
    query = some(1, 128)[0]
    near = query + 0.5 * some(4 * 200, 128, 1)
    data = np.concatenate((near, -near, -near, -near, -near))[: 20 * 200]
    codes = vector_codes.encode(data.astype(np.float16), metric, np.arange(1, 4001))
    taken: list[int] = []

    def stream() -> Iterator[list[vector_codes.Codes]]:
        for piece in np.split(np.arange(4000), 20):
            taken.append(int(piece[0]))
            yield [codes.pick(piece)]

    found = vector_probe.Probe(query, metric).nearest([], 100, streams=[stream()])
    assert len(taken) == read
    assert len(found) == 100
    assert found.revisions.max() <= 800


@pytest.mark.parametrize("metric", METRICS)
def test_codes_promise_the_true_neighbours(metric: Metric) -> None:
    data = some(4000, 256) * np.linspace(0.5, 2, 4000, dtype=np.float32)[:, None]
    if metric == "cosine":
        data /= np.linalg.norm(data, axis=1, keepdims=True)
    halves = data.astype(np.float16)
    codes = vector_codes.encode(halves, metric, np.arange(4000))
    found = 0
    for n in range(20):
        query = data[n * 7] + 0.8 * np.linalg.norm(data[n * 7]) / 16 * some(1, 256, 50 + n)[0]
        best = np.argsort(-vector_codes.similarity(halves, query, metric))[:5]
        found += len(
            set(best.tolist()) & set(vector_probe.Probe(query, metric).nearest([codes], 200).revisions.tolist())
        )
    assert found >= 85


# -- lists -----------------------------------------------------------------------------------------


def trained(sample: NDArray[np.float16], count: int, metric: Metric) -> Array:
    *pieces, means = vector_codes.train(sample, count, metric)
    assert pieces
    assert not any(piece is not None for piece in pieces)
    assert means is not None
    return means


@pytest.mark.parametrize("metric", METRICS)
def test_clusters_become_lists_and_a_query_is_led_to_its_own(metric: Metric) -> None:
    centres = some(16, 32) * 5
    data = (np.repeat(centres, 40, axis=0) + some(640, 32, 1)).astype(np.float16)
    means = trained(data, 16, metric)
    lists = vector_codes.Lists(means, metric)
    homes = lists.home(data)
    assert len(np.unique(homes)) >= 12
    for cluster in range(16):
        members = homes[cluster * 40 : cluster * 40 + 40]
        first = lists.ranked(centres[cluster])[:3]
        assert np.isin(members, first).mean() > 0.9 or metric == "dot"


def test_the_number_of_lists_grows_with_the_root_of_the_vectors() -> None:
    assert vector_codes.list_count(1) == 64
    assert vector_codes.list_count(1_000_000) == 3968
    assert vector_codes.list_count(10**12) == 32_768


def test_training_survives_a_sample_smaller_than_the_lists_wanted() -> None:
    means = trained(some(5, 8).astype(np.float16), 64, "cosine")
    assert means.shape == (1, 8)


def test_no_mean_is_that_of_fewer_than_four_vectors() -> None:
    """Else a purged vector would live on in the mean of its list."""
    sample = some(300, 8).astype(np.float16)
    sample[:3] += np.float16(50)
    means = trained(sample, 40, "l2")
    sizes = np.bincount(vector_codes.Lists(means, "l2").home(sample), minlength=len(means))
    assert len(means) > 10
    assert sizes.min() >= 3
    for mean in means:
        assert np.abs(sample.astype(np.float32) - mean).max(axis=1).min() > 1e-2


def test_lists_are_due_when_loose_vectors_are_many_or_all_have_doubled() -> None:
    def partition(loose: int, listed: int = 0, trained: int = 0) -> vector_blocks.VectorPartition:
        return vector_blocks.VectorPartition(
            space=1, partition=1, generation=int(listed > 0), loose=loose, listed=listed, trained=trained
        )

    assert not vector_flush.lists_due(partition(199_999))
    assert vector_flush.lists_due(partition(200_000))
    assert not vector_flush.lists_due(partition(60_000, 1_000_000, 900_000))
    assert vector_flush.lists_due(partition(62_500, 1_000_000, 900_000))
    assert vector_flush.lists_due(partition(1_000, 400_000, 200_000))
