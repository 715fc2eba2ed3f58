"""The tables of the belief room: what a reader sees of them, and that a purge leaves nothing behind."""

from __future__ import annotations

from palazzo.model.belief import (
    Axes,
    Displace,
    RecordAudit,
    RecordOutcome,
    ResolveAudit,
    Stand,
)  # fmt: skip
from palazzo.model.capability import View
from palazzo.model.change import PurgeMemory
from palazzo.model.memory import Atom
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory

VIEW = View()
SLOT = ("ann", "colour")
TABLES = ("displaced", "staleness_audit", "freshness", "outcome")


def colour(value: str) -> Atom:
    return Atom(*SLOT, value, functional=True)


def test_a_purge_leaves_no_row_of_a_memory_in_any_of_these_tables(store: SqliteStore) -> None:
    made, other = (place_memory(t, atoms=(colour(t),)) for t in ("blue", "red"))
    store.commit([made, other])
    store.commit([
        Displace(Stand(made.memory_id, 0, 1), Stand(other.memory_id, 0)),
        Displace(Stand(other.memory_id, 0, 1), Stand(made.memory_id, 0)),
        RecordAudit(memory_id=made.memory_id, axes=Axes(semantic=1), severity=1.0, evidence="{}", next_us=5),
        RecordOutcome(made.memory_id, success=True),
    ])  # fmt: skip
    store.commit([ResolveAudit(made.memory_id, "dismiss", 9)])
    with store.reading(VIEW) as reading:
        found = reading.reviews.freshness_of(made.memory_id)
        assert (found.fresh, found.stale, found.next_us) == (1, 0, 9)
    with store.database.read() as connection:
        assert list(connection.execute("SELECT successes, failures FROM outcome")) == [(1, 0)]
    store.commit([PurgeMemory(made.memory_id)])
    with store.database.read() as connection:
        for table in TABLES:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    assert store.care.verify() == []
