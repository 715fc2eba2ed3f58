"""Flushing, checking and rebuilding the text index, and what happens when any of it is cut short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.store.opened_tables import Opened

from palazzo.store.index.text import index as text_index
from palazzo.store.index.text.flush import FLUSH_ROWS
from palazzo.store.index.text.index import FlushPolicy, TextCache, TextQuery

SMALL = FlushPolicy(rows=10, fan_in=3, largest=100)
ALL = TextQuery(partitions=(1,), terms=("all", "n3"), limit=60)


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


def add(conn: Opened, first: int, after: int, scope: int = 1) -> None:
    text_index.add(conn, [(scope, number, ["all", f"n{number % 11}"]) for number in range(first, after)])


def flush(conn: Opened, policy: FlushPolicy = SMALL) -> None:
    while (plan := text_index.plan_flush(conn, 1, policy)) is not None:
        assert text_index.apply_flush(conn, plan)


def answer(conn: Opened, query: TextQuery = ALL) -> list[int]:
    revisions: list[int] = text_index.search(conn, TextCache(), query).revisions.tolist()
    assert revisions == text_index.exact(conn, query).revisions.tolist()
    return revisions


def test_a_scope_is_pending_only_when_its_tail_is_due(conn: Opened) -> None:
    add(conn, 1, FLUSH_ROWS)
    add(conn, 10_000, 10_010, scope=2)
    assert text_index.pending(conn) == []
    add(conn, FLUSH_ROWS, FLUSH_ROWS + 5)
    assert text_index.pending(conn) == [(1, FLUSH_ROWS + 4)]
    flush(conn, FlushPolicy())
    assert text_index.pending(conn) == []
    first, second = text_index.state(conn)
    assert (first.docs, first.tail, first.segments, first.applied) == (FLUSH_ROWS + 4, 0, 1, FLUSH_ROWS + 4)
    assert (second.docs, second.tail, second.segments, second.applied) == (10, 10, 0, 0)
    plan = conn.execute(f"EXPLAIN QUERY PLAN SELECT scope, tail FROM text_scope WHERE tail >= {FLUSH_ROWS}").fetchall()
    assert "text_scope_due" in str(plan)


def test_segments_merge_by_size_and_stay_few(conn: Opened) -> None:
    for first in range(1, 601, 10):
        add(conn, first, first + 10)
        flush(conn)
    sizes = [row[0] for row in conn.execute("SELECT docs FROM text_segment")]
    assert sum(sizes) == 600
    assert max(sizes) <= SMALL.largest
    assert len(sizes) <= 600 / SMALL.largest * 2 + 2 * SMALL.fan_in
    assert text_index.verify(conn) == []
    assert len(answer(conn)) == 60


def test_a_segment_with_many_empty_slots_is_written_again(conn: Opened) -> None:
    add(conn, 1, 31)
    flush(conn)
    text_index.remove(conn, [(1, number) for number in range(1, 31, 2)])
    assert answer(conn) == answer(conn)
    flush(conn)
    assert conn.execute("SELECT slots, docs FROM text_segment").fetchall() == [(15, 15)]
    assert text_index.verify(conn) == []


def test_rows_added_while_a_flush_is_planned_stay_in_the_tail(conn: Opened) -> None:
    add(conn, 1, 20)
    plan = text_index.plan_flush(conn, 1, SMALL)
    assert plan is not None
    add(conn, 20, 25)
    assert text_index.apply_flush(conn, plan)
    (state,) = text_index.state(conn)
    assert (state.docs, state.tail, state.applied) == (24, 5, 19)
    assert len(answer(conn)) == 24


def test_a_plan_whose_rows_changed_is_given_up(conn: Opened) -> None:
    add(conn, 1, 20)
    plan = text_index.plan_flush(conn, 1, SMALL)
    assert plan is not None
    text_index.remove(conn, [(1, 5)])
    assert not text_index.apply_flush(conn, plan)
    flush(conn)
    assert text_index.plan_flush(conn, 1, SMALL) is None
    add(conn, 20, 50)
    flush(conn)
    add(conn, 50, 60)
    first = text_index.plan_flush(conn, 1, SMALL)
    again = text_index.plan_flush(conn, 1, SMALL)
    assert first is not None
    assert again is not None
    assert text_index.apply_flush(conn, first)
    assert not text_index.apply_flush(conn, again)
    assert 5 not in answer(conn)
    assert text_index.verify(conn) == []


def test_a_merge_whose_segment_lost_a_document_is_given_up(conn: Opened) -> None:
    for first in (1, 21, 41):
        add(conn, first, first + 20)
        plan = text_index.plan_flush(conn, 1, SMALL)
        assert plan is not None
        assert text_index.apply_flush(conn, plan)
    merge = text_index.plan_flush(conn, 1, SMALL)
    assert merge is not None
    assert len(merge.replaced) == 3
    text_index.remove(conn, [(1, 30)])
    assert not text_index.apply_flush(conn, merge)
    assert 30 not in answer(conn)
    assert text_index.verify(conn) == []


def test_a_flush_killed_before_its_commit_leaves_the_index_as_it_was(open_index: Callable[[], Opened]) -> None:
    conn, reader = open_index(), open_index()
    add(conn, 1, 40)
    before = answer(conn)
    plan = text_index.plan_flush(conn, 1, SMALL)
    assert plan is not None
    conn.execute("BEGIN IMMEDIATE")
    assert text_index.apply_flush(conn, plan)
    assert answer(reader) == before
    conn.close()  # rolls back, as the next opener does after a kill
    assert answer(reader) == before
    assert text_index.verify(reader) == []
    assert text_index.apply_flush(reader, plan)
    assert answer(reader) == before


def test_a_revision_added_late_is_found_and_settles_with_the_next_flush(conn: Opened) -> None:
    add(conn, 1, 30)
    text_index.remove(conn, [(1, 7)])
    flush(conn)
    text_index.add(conn, [(1, 7, ["all", "late"])])
    assert answer(conn, TextQuery(partitions=(1,), terms=("late",))) == [7]
    add(conn, 30, 50)
    flush(conn)
    assert answer(conn, TextQuery(partitions=(1,), terms=("late",))) == [7]
    assert conn.execute("SELECT count(*) FROM text_late").fetchone() == (0,)
    assert text_index.verify(conn) == []


def test_a_revision_that_comes_back_is_seen_by_a_warm_cache(conn: Opened) -> None:
    cache = TextCache()

    def has(word: str) -> list[int]:
        return list(text_index.search(conn, cache, TextQuery(partitions=(1,), terms=(word,))).revisions.tolist())

    add(conn, 1, 20)
    for revision in (5, 18, 19):  # in the middle of the tail, and its end
        text_index.remove(conn, [(1, revision)])
        assert has("back") == []
        text_index.add(conn, [(1, revision, ["back"])])
        assert has("back") == [revision]
        text_index.remove(conn, [(1, revision)])
        assert has("back") == []
        add(conn, revision, revision + 1)
    flush(conn)
    for revision in (5, 18, 19):  # the same below and at `applied`
        text_index.remove(conn, [(1, revision)])
        assert has("back") == []
        text_index.add(conn, [(1, revision, ["back"])])
        assert has("back") == [revision]
        text_index.remove(conn, [(1, revision)])
    assert text_index.verify(conn) == []


def test_a_tail_of_late_revisions_alone_is_flushed(conn: Opened) -> None:
    add(conn, 1, 40)
    flush(conn)
    again = [(1, number) for number in range(28, 40)]
    text_index.remove(conn, again)
    text_index.add(conn, [(*key, ["all", "again"]) for key in again])
    flush(conn)
    (state,) = text_index.state(conn)
    assert (state.docs, state.tail, state.applied) == (39, 0, 39)
    assert conn.execute("SELECT count(*) FROM text_late").fetchone() == (0,)
    assert len(answer(conn, TextQuery(partitions=(1,), terms=("again",)))) == 12
    assert text_index.verify(conn) == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DELETE FROM text_posting WHERE id=(SELECT min(id) FROM text_posting)", "lack entries"),
        ("UPDATE text_segment SET lengths=zeroblob(length(lengths)) WHERE id=1", "another length"),
        ("UPDATE text_segment SET revisions=x'00' WHERE id=1", "other sizes"),
        ("DELETE FROM text_segment WHERE id=1", "in no segment"),
        ("DELETE FROM text_segment WHERE id=1", "without a segment"),
        ("DELETE FROM text_doc WHERE revision=3", "counters say"),
        ("DELETE FROM text_doc WHERE revision=3", "in a segment only: 3"),
        ("DELETE FROM text_scope", "rows without counters"),
        ("UPDATE text_scope SET applied=0", "counters say a tail of"),
        ("UPDATE text_segment SET visible=0", "in no segment"),
    ],
)
def test_verify_names_damage_and_rebuild_repairs_it(conn: Opened, damage: str, words: str) -> None:
    add(conn, 1, 50)
    flush(conn, FlushPolicy(rows=20, largest=30))
    assert text_index.verify(conn) == []
    conn.execute(damage)
    assert any(words in difference for difference in text_index.verify(conn))
    text_index.rebuild(conn)
    assert text_index.verify(conn) == []
    answer(conn)


def test_verify_compares_with_the_truth_it_is_given(conn: Opened) -> None:
    text_index.add(conn, [(1, 1, ["a"]), (1, 2, ["b"]), (1, 3, ["c"])])
    truth = [(1, 1, ["a"]), (1, 2, ["other"]), (1, 4, ["d"])]
    differences = text_index.verify(conn, truth)
    assert differences == [
        "partition 1: revision 2 has other terms",
        "partition 1: revision 4 is missing",
        "1 indexed revisions should not be there",
    ]


def test_a_rebuild_reports_progress_and_gives_the_same_answers(conn: Opened) -> None:
    add(conn, 1, FLUSH_ROWS + 100)
    add(conn, 20_000, 20_050, scope=2)
    before = answer(conn)
    seen: list[tuple[int, int]] = []
    text_index.rebuild(conn, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (FLUSH_ROWS + 149, FLUSH_ROWS + 149)
    assert seen == sorted(seen)
    assert answer(conn) == before
    states = text_index.state(conn)
    assert [(each.segments, each.tail) for each in states] == [(1, 0), (0, 50)]
    assert text_index.verify(conn) == []


def test_an_interrupted_rebuild_leaves_the_old_index_in_place(open_index: Callable[[], Opened]) -> None:
    conn, reader = open_index(), open_index()
    add(conn, 1, FLUSH_ROWS + 100)
    flush(conn, FlushPolicy())
    before = answer(conn)

    def power_cut(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        text_index.rebuild(conn, power_cut)
    assert answer(reader) == before
    assert [each.unfinished for each in text_index.state(reader)] == [1]
    assert text_index.verify(reader) == [], "they answer nothing and are nobody's truth"
    text_index.rebuild(reader)
    assert text_index.verify(reader) == []
    assert answer(reader) == before


def test_a_removal_reaches_what_an_interrupted_rebuild_left_behind(conn: Opened) -> None:
    add(conn, 1, FLUSH_ROWS + 100)

    def power_cut(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        text_index.rebuild(conn, power_cut)
    text_index.remove(conn, [(1, 9)])
    assert conn.execute("SELECT count(*) FROM text_posting").fetchone() == (0,)
    assert text_index.verify(conn) == []


def test_a_removal_during_a_rebuild_wins(open_index: Callable[[], Opened]) -> None:
    conn, other = open_index(), open_index()
    add(conn, 1, FLUSH_ROWS + 100)
    left = [2, 3]

    def remove_one(done: int, total: int) -> None:
        if left:
            text_index.remove(other, [(1, left.pop())])

    text_index.rebuild(conn, remove_one)
    assert text_index.verify(conn) == []
    (state,) = text_index.state(conn)
    assert state.docs == FLUSH_ROWS + 97
    for number in (2, 3):
        assert text_index.score(conn, TextCache(), ALL, np.array([number]))[0] == 0


def test_a_rebuild_that_is_always_disturbed_ends_in_one_transaction(open_index: Callable[[], Opened]) -> None:
    conn, other = open_index(), open_index()
    add(conn, 1, FLUSH_ROWS + 100)
    numbers = iter(range(1, 100))

    def disturb(done: int, total: int) -> None:
        if not conn.in_transaction:
            text_index.remove(other, [(1, next(numbers))])

    text_index.rebuild(conn, disturb)
    assert next(numbers) == 7, "disturbed in five attempts, and told once more at the end"
    assert text_index.verify(conn) == []
    assert [each.unfinished for each in text_index.state(conn)] == [0]
    answer(conn)


def test_two_rebuilds_at_once_leave_one_whole_index(open_index: Callable[[], Opened]) -> None:
    conn, other, reader = open_index(), open_index(), open_index()
    add(conn, 1, FLUSH_ROWS + 100)
    before = answer(reader)
    waiting = [other]

    def another(done: int, total: int) -> None:
        while waiting:
            text_index.rebuild(waiting.pop())
            assert text_index.verify(reader) == []

    text_index.rebuild(conn, another)
    assert text_index.verify(reader) == []
    assert [each.unfinished for each in text_index.state(reader)] == [0]
    assert answer(reader) == before


def test_a_rebuild_begun_while_another_is_at_work_takes_nothing_from_it(
    open_index: Callable[[], Opened],
) -> None:
    conn, other, reader = open_index(), open_index(), open_index()
    add(conn, 1, FLUSH_ROWS + 100)
    before = answer(reader)
    once = [True]

    class CutOffError(Exception):
        pass

    def cut_off(done: int, total: int) -> None:
        raise CutOffError

    def begin(done: int, total: int) -> None:
        if once:
            once.clear()
            with pytest.raises(CutOffError):
                text_index.rebuild(other, cut_off)

    text_index.rebuild(conn, begin)
    assert text_index.verify(reader) == []
    assert answer(reader) == before


def test_rows_written_during_a_rebuild_are_kept(open_index: Callable[[], Opened]) -> None:
    conn, other = open_index(), open_index()
    add(conn, 1, FLUSH_ROWS + 100)
    more = iter([(20_000, 20_010)])

    def write(done: int, total: int) -> None:
        for first, after in more:
            add(other, first, after)

    text_index.rebuild(conn, write)
    assert text_index.verify(conn) == []
    (state,) = text_index.state(conn)
    assert (state.docs, state.tail) == (FLUSH_ROWS + 109, 10)
