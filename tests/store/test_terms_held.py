"""Which of many terms a reader's scopes hold, in what was just written and in what was flushed."""

from __future__ import annotations

from pathlib import Path

from palazzo import Memory
from palazzo.model.capability import View


def test_terms_are_found_before_and_after_a_flush_and_no_others(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as memory:
        memory.remember("The lighthouse keeper counts cormorants.")
        store = memory.engine.store
        asked = ("lighthous", "cormor", "pelican", "keeper")
        for _ in range(2):
            with store.reading(View()) as reading:
                assert reading.search.holding(asked) == {"lighthous", "cormor", "keeper"}
            store.care.rebuild()


def test_many_terms_are_found_however_often_they_are_asked_for(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as memory:
        memory.remember_many([f"The lighthouse keeper counts bird{number}." for number in range(80)])
        store = memory.engine.store
        store.care.rebuild()
        asked = tuple(f"bird{number}" for number in range(0, 160, 2))
        for _ in range(3):
            with store.reading(View()) as reading:
                assert reading.search.holding(asked) == set(asked[:40])
        memory.remember("The lighthouse keeper counts bird158 too.")
        with store.reading(View()) as reading:
            assert reading.search.holding(asked) == {*asked[:40], "bird158"}
