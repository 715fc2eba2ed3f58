from __future__ import annotations

from palazzo.model.capability import View
from palazzo.model.change import (
    SetStaleness,
)  # fmt: skip
from palazzo.store.api import Store
from palazzo.testing.palace import place_memory

VIEW = View()


def test_the_stalest_come_first_and_only_above_the_flag(store: Store) -> None:
    a, b, c = (place_memory(t) for t in "abc")
    store.commit([a, b, c])
    store.commit([SetStaleness(a.memory_id, 0.75), SetStaleness(b.memory_id, 0.9), SetStaleness(c.memory_id, 0.3)])
    with store.reading(VIEW) as reading:
        assert [m for m, _ in reading.memories.stalest()] == [b.memory_id, a.memory_id]


def test_the_doctor_finds_a_healthy_palace_healthy(store: Store) -> None:
    store.commit([place_memory("x")])
    assert {f.level for f in store.care.doctor() if f.check != "vectors" and f.check != "disk"} == {"good"}
