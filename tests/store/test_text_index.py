"""What the text index promises to those who write and search."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.store.opened_tables import Opened

from palazzo.errors import InvalidInput
from palazzo.store.index.text import cache as text_cache
from palazzo.store.index.text import index as text_index
from palazzo.store.index.text import scoring as text_scoring
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.documents import term_hash
from palazzo.store.index.text.index import FlushPolicy, TextCache, TextQuery

SMALL = FlushPolicy(rows=4, fan_in=2, largest=64)


@pytest.fixture
def open_index(tmp_path: Path) -> Iterator[Callable[[], Opened]]:
    opened: list[Opened] = []

    def connect() -> Opened:
        conn = Opened(tmp_path / "palace.db")
        opened.append(conn)
        conn.pragma("journal_mode", "wal")
        conn.pragma("synchronous", "off")
        for statement in text_index.TABLES:
            conn.execute(statement)
        return conn

    yield connect
    for conn in opened:
        conn.close()


@pytest.fixture
def conn(open_index: Callable[[], Opened]) -> Opened:
    return open_index()


def flush(conn: Opened, scope: int = 1, policy: FlushPolicy = SMALL) -> int:
    steps = 0
    while (plan := text_index.plan_flush(conn, scope, policy)) is not None:
        assert text_index.apply_flush(conn, plan)
        steps += 1
    return steps


def found(conn: Opened, *terms: str, scopes: tuple[int, ...] = (1,), cache: TextCache | None = None) -> list[int]:
    query = TextQuery(partitions=scopes, terms=terms)
    return list(text_index.search(conn, cache or TextCache(), query).revisions.tolist())


def corpus(docs: int, seed: int = 0) -> list[tuple[int, int, list[str]]]:
    """Rows of scope 1 with words of very different frequency."""
    rng = np.random.default_rng(seed)
    return [
        (1, number + 1, [f"w{word}" for word in rng.zipf(1.3, int(rng.integers(3, 15))).tolist() if word < 2000])
        for number in range(docs)
    ]


def test_a_document_with_more_of_the_words_comes_first(conn: Opened) -> None:
    text_index.add(conn, [(1, 1, ["red", "fox"]), (1, 2, ["red", "hen"]), (1, 3, ["blue", "hen"])])
    assert found(conn, "red", "hen")[0] == 2
    assert found(conn, "cow") == []


def test_equal_documents_come_newest_first(conn: Opened) -> None:
    text_index.add(conn, [(1, number, ["same", "words"]) for number in range(1, 40)])
    flush(conn)
    text_index.add(conn, [(1, 40, ["same", "words"])])
    query = TextQuery(partitions=(1,), terms=("same",), limit=5)
    assert text_index.search(conn, TextCache(), query).revisions.tolist() == [40, 39, 38, 37, 36]


def test_a_document_without_terms_is_accepted_and_never_found(conn: Opened) -> None:
    text_index.add(conn, [(1, 1, []), (1, 2, ["word"]), *((1, number, []) for number in range(3, 9))])
    flush(conn)
    assert found(conn, "word") == [2]
    assert found(conn) == []
    assert text_index.verify(conn) == []


def test_thousands_of_terms_in_a_document_and_in_a_query_are_taken(conn: Opened) -> None:
    many = [f"t{number}" for number in range(5000)]
    text_index.add(conn, [(1, 1, many), (1, 2, ["t1"] * 100_000), (1, 3, ["t2"]), (1, 4, [])])
    flush(conn)
    query = TextQuery(partitions=(1,), terms=tuple(many))
    hits = text_index.search(conn, TextCache(), query)
    assert set(hits.revisions.tolist()) == {1, 2, 3}
    assert hits.revisions.tolist() == text_index.exact(conn, query).revisions.tolist()
    assert text_index.verify(conn) == []


@pytest.mark.parametrize(
    "term", ["", "\x00", "naïve", "東京", "\ud800", "👩‍👩‍👧", "x" * 100_000, "'; DROP TABLE text_doc; --"]
)
def test_any_string_is_a_term(conn: Opened, term: str) -> None:
    text_index.add(conn, [(1, 1, [term, "other"]), (1, 2, ["other"])])
    assert found(conn, term) == [1]


def test_a_word_given_twice_counts_once_and_a_weight_counts(conn: Opened) -> None:
    text_index.add(conn, [(1, 1, ["cat", "x"]), (1, 2, ["dog", "x"])])
    cache = TextCache()
    plain = text_index.search(conn, cache, TextQuery(partitions=(1,), terms=("cat",)))
    twice = text_index.search(conn, cache, TextQuery(partitions=(1,), terms=("cat", "cat")))
    heavy = text_index.search(conn, cache, TextQuery(partitions=(1,), terms=("cat", "dog"), weights={"cat": 3.0}))
    silent = text_index.search(conn, cache, TextQuery(partitions=(1,), terms=("cat", "dog"), weights={"cat": 0.0}))
    assert plain.scores.tolist() == twice.scores.tolist()
    assert heavy.revisions.tolist() == [1, 2]
    assert heavy.scores[0] == pytest.approx(3 * plain.scores[0], rel=1e-5)
    assert silent.revisions.tolist() == [2]


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_is_no_weight_is_refused(conn: Opened, weight: float) -> None:
    with pytest.raises(InvalidInput):
        text_index.search(conn, TextCache(), TextQuery(partitions=(1,), terms=("a",), weights={"a": weight}))


def test_the_same_revision_twice_in_a_scope_is_refused(conn: Opened) -> None:
    text_index.add(conn, [(1, 1, ["a"])])
    with pytest.raises(apsw.ConstraintError):
        text_index.add(conn, [(1, 1, ["b"])])


def test_another_connections_writes_are_seen_by_the_next_query(open_index: Callable[[], Opened]) -> None:
    writer, reader = open_index(), open_index()
    cache = TextCache()
    text_index.add(writer, [(1, number, ["old", f"n{number}"]) for number in range(1, 10)])
    assert len(found(reader, "old", cache=cache)) == 9
    text_index.add(writer, [(1, 10, ["old", "new"])])
    assert found(reader, "new", cache=cache) == [10]
    flush(writer)
    assert len(found(reader, "old", cache=cache)) == 10
    text_index.add(writer, [(1, 11, ["old"])])
    text_index.remove(writer, [(1, 3), (1, 10)])
    assert sorted(found(reader, "old", cache=cache)) == [1, 2, 4, 5, 6, 7, 8, 9, 11]


def test_what_a_rolled_back_write_added_is_not_remembered(conn: Opened) -> None:
    cache = TextCache()
    text_index.add(conn, [(1, number, ["base"]) for number in range(1, 9)])
    assert len(found(conn, "base", cache=cache)) == 8
    for settle in (False, True):
        for word, other in (("first", "second"), ("second", "first")):
            conn.execute("BEGIN IMMEDIATE")
            text_index.add(conn, [(1, 9, ["base", word])])
            if settle:
                flush(conn)
            assert found(conn, word, cache=cache) == [9]
            assert found(conn, other, cache=cache) == []
            conn.execute("ROLLBACK")
            assert found(conn, word, cache=cache) == []
    text_index.add(conn, [(1, 9, ["base", "third"])])
    assert found(conn, "first", cache=cache) == []
    assert found(conn, "third", cache=cache) == [9]


def test_a_reader_of_an_older_moment_shares_the_cache_and_sees_its_own_moment(
    open_index: Callable[[], Opened],
) -> None:
    writer, old, new = open_index(), open_index(), open_index()
    cache = TextCache()
    text_index.add(writer, [(1, number, ["a"]) for number in range(1, 8)])
    old.execute("BEGIN")
    assert len(found(old, "a", cache=cache)) == 7
    text_index.add(writer, [(1, 8, ["a"])])
    assert len(found(new, "a", cache=cache)) == 8
    assert len(found(old, "a", cache=cache)) == 7
    flush(writer)
    text_index.remove(writer, [(1, 1)])
    assert len(found(new, "a", cache=cache)) == 7
    assert 1 not in found(new, "a", cache=cache)
    assert sorted(found(old, "a", cache=cache)) == [1, 2, 3, 4, 5, 6, 7]
    old.execute("ROLLBACK")


def test_a_scope_scores_as_if_it_were_alone(conn: Opened) -> None:
    text_index.add(conn, [(1, number, ["shared", f"own{number % 3}"]) for number in range(1, 30)])
    query = TextQuery(partitions=(1,), terms=("shared", "own1"))
    before = text_index.search(conn, TextCache(), query)
    text_index.add(conn, [(2, number, ["shared"] * (number % 5)) for number in range(100, 6000)])
    flush(conn, scope=2, policy=FlushPolicy())
    after = text_index.search(conn, TextCache(), query)
    assert before.revisions.tolist() == after.revisions.tolist()
    assert before.scores.tolist() == after.scores.tolist()


def test_several_scopes_are_one_collection_to_their_reader(conn: Opened) -> None:
    text_index.add(conn, [(1, 1, ["rare", "a"]), (2, 2, ["a"]), (2, 3, ["a", "rare"]), (3, 4, ["rare"])])
    assert sorted(found(conn, "rare", scopes=(1, 2))) == [1, 3]
    assert sorted(found(conn, "rare", scopes=(2, 1, 2, 9))) == [1, 3]


def test_candidates_are_asked_about_until_enough_are_allowed(conn: Opened) -> None:
    text_index.add(conn, [(1, number, ["word"] * (1 + number % 7)) for number in range(1, 2001)])
    flush(conn, policy=FlushPolicy(rows=500))
    rounds: list[int] = []

    def every_hundredth(revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        rounds.append(len(revisions))
        return np.equal(revisions % 100, 0)

    query = TextQuery(partitions=(1,), terms=("word",), limit=12)
    hits = text_index.search(conn, TextCache(), query, every_hundredth)
    assert hits.revisions.tolist() == text_index.exact(conn, query, every_hundredth).revisions.tolist()
    assert len(hits.revisions) == 12
    assert rounds[0] < 40

    def nobody(revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.zeros(len(revisions), np.bool_)

    assert len(text_index.search(conn, TextCache(), query, nobody).revisions) == 0


def test_no_candidate_is_asked_about_twice(conn: Opened) -> None:
    text_index.add(conn, [(1, number, ["word"]) for number in range(1, 500)])
    asked: list[int] = []

    def few(revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        asked.extend(revisions.tolist())
        return revisions < 5

    text_index.search(conn, TextCache(), TextQuery(partitions=(1,), terms=("word",), limit=3), few)
    assert len(asked) == len(set(asked))


def test_score_gives_each_revision_its_score_in_the_order_asked(conn: Opened) -> None:
    text_index.add(conn, corpus(300))
    flush(conn)
    query = TextQuery(partitions=(1,), terms=("w1", "w2", "w7"), limit=1000)
    hits = text_index.search(conn, TextCache(), query)
    asked = np.concatenate((hits.revisions[::-1], [10_000, hits.revisions[0]]))
    scores = text_index.score(conn, TextCache(), query, asked)
    assert scores[:-2] == pytest.approx(hits.scores[::-1], rel=1e-5)
    assert scores[-2] == 0
    assert scores[-1] == pytest.approx(hits.scores[0], rel=1e-5)


def test_only_scores_the_given_rows_with_the_statistics_of_all(conn: Opened) -> None:
    text_index.add(conn, corpus(300))
    flush(conn)
    only = np.arange(1, 301, 17, dtype=np.int64)
    query = TextQuery(partitions=(1,), terms=("w1", "w3"), only=only)
    hits = text_index.search(conn, TextCache(), query)
    assert set(hits.revisions.tolist()) <= set(only.tolist())
    assert hits.revisions.tolist() == text_index.exact(conn, query).revisions.tolist()
    assert hits.scores == pytest.approx(text_index.score(conn, TextCache(), query, hits.revisions))


@pytest.mark.parametrize("wanted", [1, 10, 200])
def test_leaving_common_words_to_re_scoring_changes_no_answer(
    conn: Opened, monkeypatch: pytest.MonkeyPatch, wanted: int
) -> None:
    monkeypatch.setattr(text_scoring, "_RESCORE", 0)  # re-score as soon as the bounds permit it
    text_index.add(conn, corpus(3000))
    flush(conn, policy=FlushPolicy(rows=700))
    cache = TextCache()
    rng = np.random.default_rng(5)
    for _ in range(25):
        terms = tuple(f"w{word}" for word in (1, 2, *rng.zipf(1.2, 4).tolist()))
        query = TextQuery(partitions=(1,), terms=terms, limit=wanted)
        hits, right = text_index.search(conn, cache, query), text_index.exact(conn, query)
        assert hits.revisions.tolist() == right.revisions.tolist()
        assert hits.scores == pytest.approx(right.scores, rel=1e-5)


def test_a_rare_word_in_long_documents_does_not_hide_short_ones_full_of_common_words(
    conn: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_scoring, "_RESCORE", 0)
    long_ones = [(1, number, ["rare", *(f"filler{number}x{word}" for word in range(33))]) for number in range(1, 31)]
    short_ones = [(1, number, ["common"] * (number % 6 + 1) + ["x"] * (number % 2)) for number in range(31, 1000)]
    text_index.add(conn, long_ones + short_ones + [(1, number, ["other"] * 4) for number in range(1000, 2000)])
    flush(conn, policy=FlushPolicy(rows=500))
    query = TextQuery(partitions=(1,), terms=("rare", "common"), limit=10)
    right = text_index.exact(conn, query).revisions.tolist()
    assert min(right) > 30
    assert text_index.search(conn, TextCache(), query).revisions.tolist() == right


def test_common_words_alone_are_answered_within_the_budget(conn: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    text_index.add(conn, corpus(4000))
    flush(conn, policy=FlushPolicy(rows=1000))
    query = TextQuery(partitions=(1,), terms=("w1", "w2", "w3"), limit=10)
    right = set(text_index.exact(conn, query).revisions.tolist())
    added: list[int] = []
    monkeypatch.setattr(text_scoring, "CANDIDATES", 400)
    add = text_scoring.Scorer._add

    def noted(self: text_scoring.Scorer, sums: NDArray[np.float32], term: text_scoring._Term) -> None:
        added.append(term.frequency)
        add(self, sums, term)

    monkeypatch.setattr(text_scoring.Scorer, "_add", noted)
    monkeypatch.setattr(text_scoring.Scorer.best, "__defaults__", (1500,))
    hits = text_index.search(conn, TextCache(), query)
    assert len(added) == 1
    assert len(hits.revisions) == 10
    assert len(right & set(hits.revisions.tolist())) >= 8


def test_a_cache_stays_within_its_bytes_and_still_answers(conn: Opened) -> None:
    text_index.add(conn, corpus(2000))
    flush(conn, policy=FlushPolicy(rows=300))
    small, large = TextCache(20_000), TextCache()
    for number in range(1, 200):
        assert found(conn, f"w{number}", "w1", cache=small) == found(conn, f"w{number}", "w1", cache=large)
        assert small.nbytes <= 20_000
    assert large.nbytes > 20_000
    large.forget()
    assert large.nbytes == 0


def test_threads_share_a_cache(open_index: Callable[[], Opened]) -> None:
    text_index.add(open_index(), corpus(1000))
    connections = [open_index() for _ in range(4)]
    flush(connections[0], policy=FlushPolicy(rows=200))
    cache = TextCache(100_000)
    expected = {word: found(connections[0], f"w{word}") for word in range(1, 40)}
    wrong: list[int] = []

    def look(conn: Opened) -> None:
        wrong.extend(word for word in expected if found(conn, f"w{word}", cache=cache) != expected[word])

    threads = [threading.Thread(target=look, args=(each,)) for each in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_tail_too_long_for_the_cache_is_searched_all_the_same(conn: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_cache, "TAIL_BLOCK", 16)
    text_index.add(conn, corpus(200))
    cache = TextCache()
    query = TextQuery(partitions=(1,), terms=("w1", "w4"), limit=30)
    hits = text_index.search(conn, cache, query)
    assert hits.revisions.tolist() == text_index.exact(conn, query).revisions.tolist()
    assert cache.nbytes < 2000


@pytest.mark.parametrize("before", [0, 1, 39])
def test_removing_leaves_no_entry(conn: Opened, before: int) -> None:
    secret = 0x0123_4567_89AB
    text_index.add(conn, [(1, number, ["common", f"x{number % 5}"]) for number in range(1, before + 1)])
    text_index.add(conn, [(1, secret, ["common", "unmistakable"])])
    text_index.add(conn, [(1, secret + number, ["common"]) for number in range(1, 10)])
    flush(conn, policy=FlushPolicy(rows=8, largest=64))
    trace, term = secret.to_bytes(8, "little"), term_hash("unmistakable").to_bytes(4, "little")
    assert any(trace in row[0] for row in conn.execute("SELECT revisions FROM text_segment"))
    text_index.remove(conn, [(1, secret), (1, 999_999), (7, 1)])
    assert not any(trace in row[0] for row in conn.execute("SELECT revisions FROM text_segment"))
    assert not any(term in row[0] for row in conn.execute("SELECT terms FROM text_posting"))
    assert not any(
        row[0] & 0xFFFFFFFF == term_hash("unmistakable") for row in conn.execute("SELECT id FROM text_posting")
    )
    assert conn.execute("SELECT count(*) FROM text_doc WHERE revision=?", (secret,)).fetchone() == (0,)
    assert found(conn, "unmistakable") == []
    assert text_index.verify(conn) == []


def test_removing_everything_leaves_nothing(conn: Opened) -> None:
    text_index.add(conn, corpus(100))
    flush(conn)
    text_index.remove(conn, [(1, number) for number in range(1, 101)])
    for table in ("text_doc", "text_segment", "text_posting", "text_late"):
        assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    (state,) = text_index.state(conn)
    assert (state.docs, state.tail, state.segments) == (0, 0, 0)
    text_index.add(conn, [(1, 101, ["again"])])
    assert found(conn, "again") == [101]


def test_a_large_list_is_alone_in_its_row_and_read_when_needed(conn: Opened) -> None:
    text_index.add(conn, [(1, number, ["everywhere", f"r{number}"]) for number in range(1, 6001)])
    flush(conn, policy=FlushPolicy())
    (header,) = text_segments.headers_of(conn, 1)
    wanted = header.id, term_hash("everywhere")
    by_term = text_segments.find(conn, [wanted, (header.id, term_hash("nowhere"))])
    assert list(by_term) == [wanted]
    assert by_term[wanted].packed is None
    assert by_term[wanted].count == 6000
    assert len(found(conn, "everywhere")) == 50
    assert found(conn, "everywhere", "r77")[0] == 77
