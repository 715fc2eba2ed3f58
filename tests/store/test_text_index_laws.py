"""Laws of the text index over random histories: search, exact and a plain BM25 written out here agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.store.opened_tables import ENGINES, AnyTables

from palazzo.store.index.text import index as text_index
from palazzo.store.index.text.index import FlushPolicy, TextCache, TextHits, TextQuery

WORDS = [f"word{number}" for number in range(12)]
Truth = dict[tuple[int, int], list[str]]

documents = st.lists(st.sampled_from(WORDS) | st.just(WORDS[0]), max_size=10)
scopes = st.integers(1, 3)
steps = st.one_of(
    st.tuples(st.just("add"), scopes, st.lists(documents, min_size=1, max_size=9)),
    st.tuples(st.just("remove"), scopes, st.lists(st.integers(0, 60), min_size=1, max_size=6)),
    st.tuples(st.just("add again"), scopes, documents),
    st.tuples(st.just("flush"), scopes, st.integers(1, 4)),
    st.tuples(st.just("lost flush"), scopes, st.just(0)),
    st.tuples(st.just("search"), scopes, st.just(0)),
)
SMALL = FlushPolicy(rows=3, fan_in=2, largest=24)


def plain_bm25(truth: Truth, query: TextQuery) -> dict[int, float]:
    mine = {revision: Counter(terms) for (scope, revision), terms in truth.items() if scope in query.partitions}
    lengths = {revision: sum(counts.values()) for revision, counts in mine.items()}
    average = sum(lengths.values()) / len(mine) if sum(lengths.values()) else 1.0
    scores: dict[int, float] = {}
    for term in set(query.terms):
        frequency = sum(term in counts for counts in mine.values())
        idf = log(1 + (len(mine) - frequency + 0.5) / (frequency + 0.5))
        for revision, counts in mine.items():
            if term in counts:
                norm = 1.2 * (0.25 + 0.75 * lengths[revision] / average)
                scores[revision] = scores.get(revision, 0.0) + idf * counts[term] * 2.2 / (counts[term] + norm)
    return scores


def assert_agree(hits: TextHits, right: dict[int, float], limit: int) -> None:
    """The scores are right, best first, newest first among equals, and nobody better was left out."""
    order = sorted(right, key=lambda revision: (-np.float32(right[revision]), -revision))
    assert len(hits.revisions) == min(limit, len(right))
    assert hits.scores.tolist() == pytest.approx([right[revision] for revision in order[:limit]], rel=1e-4)
    assert hits.scores.tolist() == pytest.approx([right[each] for each in hits.revisions.tolist()], rel=1e-4)
    pairs = list(zip((-hits.scores).tolist(), (-hits.revisions).tolist(), strict=True))
    assert pairs == sorted(pairs)


def flush(conn: AnyTables, scope: int, times: int) -> None:
    for _ in range(times):
        plan = text_index.plan_flush(conn, scope, SMALL)
        if plan is not None:
            assert text_index.apply_flush(conn, plan)


def lost_flush(conn: AnyTables, scope: int) -> None:
    """A process that dies before its commit."""
    conn.execute("BEGIN IMMEDIATE")
    plan = text_index.plan_flush(conn, scope, SMALL)
    if plan is not None:
        text_index.apply_flush(conn, plan)
    conn.execute("ROLLBACK")


class History:
    """The index, and what should be in it."""

    def __init__(self, engine: str) -> None:
        self.conn = ENGINES[engine](":memory:")
        for statement in text_index.TABLES:
            self.conn.execute(statement)
        self.cache = TextCache()
        self.truth: Truth = {}
        self.removed: list[tuple[int, int]] = []
        self.last = 0

    def play(self, kind: str, scope: int, value: object) -> None:
        if kind == "add":
            assert isinstance(value, list)
            rows = []
            for terms in value:
                self.last += 1
                rows.append((scope, self.last, terms))
            self._add(rows)
        elif kind == "remove":
            assert isinstance(value, list)
            gone = [(scope, number) for number in value]
            text_index.remove(self.conn, gone)
            self.removed += [key for key in gone if self.truth.pop(key, None) is not None]
        elif kind == "add again" and self.removed:
            assert isinstance(value, list)
            self._add([(*self.removed.pop(0), value)])
        elif kind == "flush":
            assert isinstance(value, int)
            flush(self.conn, scope, value)
        elif kind == "lost flush":
            lost_flush(self.conn, scope)
        elif kind == "search":
            self.check((scope,), WORDS[:2], 5)

    def _add(self, rows: list[tuple[int, int, list[str]]]) -> None:
        text_index.add(self.conn, rows)
        self.truth.update({(scope, revision): terms for scope, revision, terms in rows})

    def check(self, scopes: Sequence[int], terms: Sequence[str], limit: int) -> None:
        query = TextQuery(partitions=tuple(scopes), terms=tuple(terms), limit=limit)
        right = plain_bm25(self.truth, query)
        assert_agree(text_index.exact(self.conn, query), right, limit)
        assert_agree(text_index.search(self.conn, self.cache, query), right, limit)
        assert_agree(text_index.search(self.conn, TextCache(), query), right, limit)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=120, deadline=None)
@given(
    history=st.lists(steps, max_size=25),
    asked=st.lists(scopes, min_size=1, max_size=3),
    terms=st.lists(st.sampled_from([*WORDS, "absent"]), max_size=6),
    limit=st.integers(1, 20),
)
def test_search_is_bm25_after_any_history(
    engine: str, history: list[tuple[str, int, object]], asked: list[int], terms: list[str], limit: int
) -> None:
    index = History(engine)
    for step in history:
        index.play(*step)
    index.check(asked, terms, limit)
    truth = [(scope, revision, each) for (scope, revision), each in index.truth.items()]
    assert text_index.verify(index.conn, truth) == []


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=80, deadline=None)
@given(
    history=st.lists(steps, min_size=4, max_size=20),
    terms=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    kept=st.sets(st.integers(1, 60)),
    limit=st.integers(1, 8),
)
def test_filters_give_the_best_of_what_they_leave(
    engine: str, history: list[tuple[str, int, object]], terms: list[str], kept: set[int], limit: int
) -> None:
    index = History(engine)
    for step in history:
        index.play(*step)
    only = np.array(sorted(kept), np.int64)

    def allowed(revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(revisions, only)

    query = TextQuery(partitions=(1, 2), terms=tuple(terms), limit=limit)
    right = {revision: score for revision, score in plain_bm25(index.truth, query).items() if revision in kept}
    assert_agree(text_index.search(index.conn, index.cache, query, allowed), right, limit)
    narrow = TextQuery(partitions=(1, 2), terms=tuple(terms), limit=limit, only=only)
    assert_agree(text_index.search(index.conn, index.cache, narrow), right, limit)
    assert_agree(text_index.exact(index.conn, narrow, allowed), right, limit)
    scores = text_index.score(index.conn, index.cache, query, only)
    assert scores.tolist() == pytest.approx([right.get(revision, 0.0) for revision in only.tolist()], rel=1e-4)
