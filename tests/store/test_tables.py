"""The table port over each of its engines: what the indexes rely on, and that an index answers the same over all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.store.opened_tables import ENGINES, AnyTables
from tests.store.vector_palace import DIMENSIONS, small, some

from palazzo.store.index.tables import EVERY, number
from palazzo.store.index.text import index as text_index
from palazzo.store.index.text.index import FlushPolicy, TextCache, TextQuery
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import VectorCache, VectorQuery

Connect = Callable[[], AnyTables]


@pytest.fixture(params=ENGINES)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connect]:
    opened: list[AnyTables] = []

    def opening() -> AnyTables:
        tables = ENGINES[request.param](tmp_path / "tables.db")
        if not opened:
            tables.execute("PRAGMA journal_mode=wal")
            tables.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        opened.append(tables)
        return tables

    yield opening
    for tables in opened:
        tables.close()


def names(tables: AnyTables) -> list[str]:
    return [name for (name,) in tables.rows("SELECT name FROM thing ORDER BY id LIMIT ?", (EVERY,))]


def fill(tables: AnyTables) -> None:
    tables.change_many("INSERT INTO thing (id, name) VALUES (?,?)", [(1, "one"), (2, "two"), (5, "five")])


def broken_off(tables: AnyTables) -> None:
    with tables.whole():
        fill(tables)
        raise ValueError("enough")


def test_a_change_tells_how_many_rows_it_changed_and_a_returned_key_is_given(connect: Connect) -> None:
    tables = connect()
    fill(tables)
    assert tables.row("INSERT INTO thing (name) VALUES (?) RETURNING id", ("six",)) == (6,)
    assert tables.change("UPDATE thing SET name = name || ? WHERE id < ?", ("!", 3)) == 2
    assert tables.change("INSERT INTO thing (id, name) VALUES (?,?) ON CONFLICT DO NOTHING", (1, "again")) == 0
    assert names(tables) == ["one!", "two!", "five", "six"]
    assert number(tables, "SELECT count(*) FROM thing WHERE id > ?", 4) == 2
    assert tables.row("SELECT name FROM thing WHERE id = ?", (9,)) is None


def test_keys_are_found_whether_they_come_in_order_or_not_and_those_that_are_not_there_give_no_row(
    connect: Connect,
) -> None:
    tables = connect()
    fill(tables)
    statement = "SELECT w.id, t.name || ? FROM wanted w CROSS JOIN thing t WHERE t.id = w.id AND t.id < ?"
    found = tables.rows_of(np.array([5, 9, 1], np.int64), statement, ("?", 100))
    assert sorted(found) == [(1, "one?"), (5, "five?")]
    every_other = np.arange(10, dtype=np.int64)[1::2]
    assert tables.change_of(every_other, "DELETE FROM thing WHERE id IN (SELECT id FROM wanted) AND id > ?", (1,)) == 1
    assert names(tables) == ["one", "two"]


def test_a_moment_does_not_see_what_others_commit_meanwhile_and_the_next_one_does(connect: Connect) -> None:
    tables, other = connect(), connect()
    with tables.moment():
        assert names(tables) == []
        fill(other)
        assert names(tables) == []
    assert names(tables) == ["one", "two", "five"]


def test_an_error_undoes_the_whole_and_leaves_what_the_transaction_did_before(connect: Connect) -> None:
    tables, other = connect(), connect()
    with pytest.raises(ValueError, match="enough"):
        broken_off(tables)
    assert names(tables) == []
    with tables.whole():
        tables.change("INSERT INTO thing (id, name) VALUES (?,?)", (9, "before"))
        with pytest.raises(ValueError, match="enough"):
            broken_off(tables)
        assert names(tables) == ["before"]
        assert names(other) == []
    assert names(tables) == names(other) == ["before"]


def test_a_session_says_that_it_is_writing_from_its_first_change_to_its_end(connect: Connect) -> None:
    tables = connect()
    with tables.moment():
        names(tables)
        assert not tables.writing
    with tables.whole():
        fill(tables)
        assert tables.writing
    assert not tables.writing


# -- the indexes over them -------------------------------------------------------------------------


def open_indexes(engine: str, path: Path) -> AnyTables:
    tables = ENGINES[engine](path / f"{engine}.db")
    for statement in (*text_index.TABLES, *vectors.TABLES):
        tables.execute(statement)
    return tables


def told(tables: AnyTables) -> list[object]:
    """A history of both indexes, and all that they answer along the way."""
    random = np.random.default_rng(3)
    answers: list[object] = []
    words = [f"w{n}" for n in range(40)]
    texts, nearby = TextCache(), VectorCache()
    space = vectors.space_of(tables, vectors.create_space(tables, "a", "model", DIMENSIONS, "cosine", 1))
    data = some(150)
    for first in range(1, 150, 10):
        revisions = range(first, first + 10)
        rows = [(1 + n % 2, n, [words[i] for i in random.integers(0, 40, 12)]) for n in revisions]
        with tables.whole():
            text_index.add(tables, rows)
            vectors.add(tables, space, [(1 + n % 2, n) for n in revisions], data[first - 1 : first + 9])
        while (step := text_index.plan_flush(tables, 1, FlushPolicy(rows=20, fan_in=2, largest=60))) is not None:
            assert text_index.apply_flush(tables, step)
        for number_, part, what in vectors.pending(tables):
            if what == "flush" and (plan := vectors.plan_flush(tables, number_, part)) is not None:
                assert vectors.apply_flush(tables, plan)
        with tables.whole():
            text_index.remove(tables, [(1 + first % 2, first)])
            vectors.remove(tables, [(1 + first % 2, first)])
        found = text_index.search(tables, texts, TextQuery(partitions=(1, 2), terms=("w1", "w2", "w3"), limit=10))
        near = vectors.search(tables, nearby, VectorQuery(space=space, partitions=(1, 2), vector=data[7], limit=10))
        answers += [found.revisions.tolist(), found.scores.tolist(), near.revisions.tolist(), near.scores.tolist()]
    text_index.rebuild(tables)
    vectors.rebuild(tables)
    return [
        *answers,
        text_index.verify(tables),
        vectors.verify(tables),
        text_index.state(tables),
        vectors.state(tables),
    ]


def test_the_indexes_answer_the_same_over_every_engine(tmp_path: Path) -> None:
    with small():
        opened = [open_indexes(engine, tmp_path) for engine in ENGINES]
        first, *others = [told(tables) for tables in opened]
    for tables in opened:
        tables.close()
    assert first[-4:-2] == [[], []]
    assert all(other == first for other in others)
