from __future__ import annotations

import pytest

from palazzo.errors import NotFound
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import Grant, Level, View
from palazzo.model.change import (
    AddGrant,
    MoveMemory,
    RecordAccess,
    RevokeGrant,
    VisitPlace,
)  # fmt: skip
from palazzo.store.api import TrailPart
from palazzo.store.sql import journal
from palazzo.store.sql.guard import audit, guarding
from palazzo.store.sql.memory import places
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()


def test_every_change_leaves_one_event_and_numbers_have_no_gap(store: SqliteStore) -> None:
    a = place_memory("a")
    store.commit([a, place_memory("b")], subject="agent:primary")
    store.commit([RecordAccess(a.memory_id, "s1")])
    with pytest.raises(NotFound):
        store.commit([place_memory("c"), RevokeGrant("nobody", "work")])
    store.commit([place_memory("d")])
    with store.database.read() as connection:
        events = journal.tail(connection, 0)
    assert [e.seq for e in events] == [1, 2, 3, 4]
    assert [e.kind for e in events] == ["memory_placed", "memory_placed", "memory_accessed", "memory_placed"]
    assert events[0].subject == "agent:primary"


def test_a_cursor_moves_forward_only(store: SqliteStore) -> None:
    def move(seq: int) -> int:
        store.database.write(lambda connection: journal.move_cursor(connection, "dream", seq, 1))
        with store.database.read() as connection:
            return journal.cursor(connection, "dream")

    assert [move(5), move(3), move(9)] == [5, 5, 9]


def test_the_audit_chain_names_an_altered_and_a_missing_line(store: SqliteStore) -> None:
    for n in range(4):
        store.commit([place_memory(f"m{n}")])
    with store.database.read() as connection:
        assert audit.verify(connection) == []
        assert len(audit.lines(connection)) == 4
    store.database.write(lambda c: c.execute("UPDATE audit SET subject = 'mallory' WHERE id = 3") and None)
    with store.database.read() as connection:
        assert audit.verify(connection) == ["audit: line 3 was altered"]
    store.database.write(lambda c: c.execute("DELETE FROM audit WHERE id = 2") and None)
    with store.database.read() as connection:
        assert audit.verify(connection) == ["audit: line 2 is missing"]


def test_access_counts_distinct_sessions_and_postpones_decay(store: SqliteStore, clock: FixedClock) -> None:
    change = place_memory("x", kind="context")
    store.commit([change])

    def due() -> int:
        with store.database.read() as connection:
            return int(connection.execute("SELECT due_us FROM memory").fetchone()[0])

    first = due()
    clock.advance(days=1)
    for session in ("a", "a", "b"):
        store.commit([RecordAccess(change.memory_id, session)])
    with store.reading(VIEW) as reading:
        memory = reading.memories.get(change.memory_id)
    assert memory.sessions == 2
    assert memory.accessed_us == clock.now_us()
    assert due() > first


def test_what_is_due_is_found_when_its_time_comes(store: SqliteStore, clock: FixedClock) -> None:
    change = place_memory("x", kind="transient")
    store.commit([change, place_memory("y", kind="identity")])
    assert store.lives.due(clock.now_us(), 0, 10) == ()
    clock.advance(days=30)
    (due,) = store.lives.due(clock.now_us(), 0, 10)
    assert (due.memory_id, due.state, due.wear.kind.name) == (change.memory_id, "active", "transient")


def test_a_moved_memory_keeps_its_history_at_the_new_place(store: SqliteStore) -> None:
    change = place_memory("x", place="forest.today")
    store.commit([change])
    store.commit([MoveMemory(change.memory_id, Place.parse("work.desk"))])
    with store.reading(VIEW) as reading:
        assert reading.memories.get(change.memory_id).place.path == "work.desk"


def test_trails_hold_the_days_visits_newest_first(store: SqliteStore, clock: FixedClock) -> None:
    store.commit([place_memory("x", place="work.desk")], subject="agent:primary")
    clock.advance(seconds=5)
    store.commit([VisitPlace(Place.parse("life")), VisitPlace(Place.parse("life.goals"), trail="planning")])
    with store.reading(VIEW) as reading:
        today = reading.places.trail(TrailPart(since_us=0, trail=places.day_of(clock.now_us())))
        named = reading.places.trail(TrailPart(since_us=0, trail="planning"))
    assert [(b.place.path, b.subject) for b in today] == [("life", "operator"), ("work.desk", "agent:primary")]
    assert [b.place.path for b in named] == ["life.goals"]


def test_grants_are_kept_replaced_and_revoked(store: SqliteStore) -> None:
    def grant(level: Level) -> Grant:
        return Grant(
            subject="mcp:x", subject_kind="mcp", level=level, glob=PlaceGlob.parse("work.**"), start_us=0,
            expires_us=None, granted_by="operator",
        )  # fmt: skip

    store.commit([AddGrant(grant(Level.anchor))])
    store.commit([AddGrant(grant(Level.write))])
    with store.database.read() as connection:
        assert [g.level for g in guarding.grants_of(connection, "mcp:x")] == [Level.write]
    store.commit([RevokeGrant("mcp:x", "work.**")])
    with store.database.read() as connection:
        assert guarding.grants_of(connection, "mcp:x") == ()


def test_verify_is_clean_after_ordinary_use_and_names_what_is_broken(store: SqliteStore) -> None:
    store.commit([place_memory(f"memory number {n}") for n in range(30)])
    assert store.care.verify() == []
    store.database.write(lambda c: c.execute("DELETE FROM text_doc WHERE revision = 7") and None)
    assert any("text index" in problem for problem in store.care.verify())
    store.care.rebuild()
    assert store.care.verify() == []
    store.database.write(lambda c: c.execute("DELETE FROM event WHERE seq = 12") and None)
    assert any("first gap after 11" in problem for problem in store.care.verify())
