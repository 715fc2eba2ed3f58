"""What intake asks before it writes: known wordings, slots and neighbours, taken names, disagreements, accounts."""

from __future__ import annotations

from palazzo.model.capability import View
from palazzo.model.change import RecordIntake
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.scope import Scope
from palazzo.store.sql.memory import intakes
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

ANNA, BEN = Scope.of(user="anna"), Scope.of(user="ben")
CITY = (Atom("the user", "city", "Bonn", functional=True),)


def test_a_message_is_recognised_again_only_within_the_window(store: SqliteStore, clock: FixedClock) -> None:
    account = RecordIntake(intake_id=new_id(clock.now_us()), at_us=1, digest=b"d" * 16, fates=())
    store.commit([account])
    with store.database.read() as connection:
        assert list(intakes.repeated(connection, [b"d" * 16, b"e" * 16], clock.now_us())) == [b"d" * 16]
        assert intakes.repeated(connection, [b"d" * 16], clock.now_us() + 1) == {}
        assert intakes.repeated(connection, [b"e" * 16], 0) == {}


def test_what_is_called_so_is_found_without_a_look_into_every_place(store: SqliteStore) -> None:
    store.commit([place_memory(f"jar {n}", place=f"cellar.shelf{n}", name=f"jar-{n}") for n in range(300)])
    asked: list[str] = []
    with store.database.read() as connection:
        connection.set_exec_trace(lambda _, statement, __: (asked.append(statement), True)[1])
        reading = PalaceReading.begin(connection, View(), None, store)
        assert [memory.text for memory in reading.known.titled("jar-7")] == ["jar 7"]
        connection.set_exec_trace(None)
        statement = next(one for one in asked if "m.name" in one)
        plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", ("", "", "", 1)))
    assert "memory_name" in plan
    assert "SCAN" not in plan.replace("SCAN CONSTANT ROW", "")
