"""Many writers telling of the same slot at once: none gets an error, and one value stands."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from palazzo import Memory

CITIES = ("Oslo", "Bergen", "Turku", "Tampere", "Malmo", "Lund", "Aarhus", "Odense")


def test_threads_that_change_one_slot_at_the_same_time_all_succeed_and_one_value_stands(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", durable=False, embedder="none") as memory:
        memory.remember("My home city is Kiruna.")

        def tell(number: int) -> int:
            told = memory.remember(f"My home city is {CITIES[number % len(CITIES)]}.")
            return len(told.memories)

        with ThreadPoolExecutor(16) as pool:
            kept = list(pool.map(tell, range(96)))
        assert all(kept)
        found = {hit.text for hit in memory.recall("What is my home city?")}
        assert len({city for city in CITIES if any(city in text for text in found)}) == 1


@pytest.mark.parametrize("newer", ["Kiruna", "Oslo"])
def test_what_takes_back_two_of_which_one_took_back_the_other_is_kept(tmp_path: Path, newer: str) -> None:
    with Memory(tmp_path / "palace", durable=False, embedder="none") as memory:
        held = {"Kiruna": str(memory.remember("My home city is Kiruna.").memories[0])}
        memory.deprecate(held["Kiruna"])
        held["Oslo"] = str(memory.remember("My home city is Oslo.").memories[0])
        memory.undeprecate(held["Kiruna"])
        (older,) = held.keys() - {newer}
        memory.relate(source=held[newer], target=held[older], kind="supersedes")
        assert memory.remember("My home city is Lund.").memories
        assert [one.text for one in memory.list().memories] == ["My home city is Lund."]
