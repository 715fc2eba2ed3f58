from __future__ import annotations

import pytest

from palazzo.errors import Conflict, NotFound
from palazzo.model.address import Kref, Place
from palazzo.model.capability import View
from palazzo.model.change import PurgeMemory
from palazzo.model.memory import Detail
from palazzo.store.sql import journal
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory

VIEW = View()


def test_a_taken_address_is_a_conflict_and_the_whole_batch_is_undone(store: SqliteStore) -> None:
    store.commit([place_memory("one", name="same")])
    with pytest.raises(Conflict):
        store.commit([place_memory("two"), place_memory("three", name="same")])
    with store.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM memory").fetchone() == (1,)
        assert journal.gaps(connection) == []


def test_a_purged_memory_leaves_no_row_but_its_id_in_the_journal(store: SqliteStore) -> None:
    keep, gone = place_memory("stays"), place_memory("zanzibar goes", detail=Detail(prospects=("travel",)))
    store.commit([keep, gone])
    store.commit([PurgeMemory(gone.memory_id)])
    with store.reading(VIEW) as reading, pytest.raises(NotFound):
        reading.memories.get(gone.memory_id)
    assert store.care.verify() == []
    with store.database.read() as connection:
        last = journal.tail(connection, 0)[-1]
    assert (last.kind, last.memory_id) == ("memory_purged", gone.memory_id)
    again = place_memory("new one")
    store.commit([again])
    with store.reading(VIEW) as reading:
        assert reading.memories.get(again.memory_id).revision.key == 3


def test_counting_what_stands_at_places_reads_no_row_of_memory(store: SqliteStore) -> None:

    store.commit([place_memory("x", place="work.desk")])
    asked: list[str] = []
    with store.reading(VIEW) as reading:
        reading.connection.exec_trace = lambda _cursor, statement, _values: asked.append(statement) or True
        reading.places.children(Place.parse("work"))
        reading.connection.exec_trace = None
        (statement,) = asked
        plan = [row[3] for row in reading.connection.execute(
            f"EXPLAIN QUERY PLAN {statement}", (None,) * statement.count("?"))]  # fmt: skip
    assert [step for step in plan if " m " in step and "COVERING INDEX memory_place" not in step] == []
    assert not any(step.startswith("SCAN p") for step in plan)


def test_an_unfinished_statement_does_not_pin_later_readings_to_its_moment(store: SqliteStore) -> None:
    store.commit([place_memory(f"m {n}") for n in range(300)])
    with store.reading(VIEW) as reading:
        unfinished = iter(reading.connection.execute("SELECT * FROM revision"))
        next(unfinished)
    store.commit([place_memory("later", name="later")])
    with store.reading(VIEW) as reading:
        assert reading.memories.at_address(Kref.parse("work/later.fact")).text == "later"
