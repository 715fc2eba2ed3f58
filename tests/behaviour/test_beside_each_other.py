"""The same fact about different services, environments, users or products stands beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory

APART = [
    ("Session length is 20 minutes in the kiosk.", "Session length is 8 hours in the back office."),
    ("The quota is 5 GB for trial accounts.", "The quota is 200 GB for paying accounts."),
    ("A scan of the east wing takes 40 minutes.", "A scan of the west wing takes 15 minutes."),
    ("Water pressure is 3 bar on the ground floor.", "Water pressure is 2 bar under the roof."),
    ("Delivery costs 4 euros within Belgium.", "Delivery costs 11 euros to Norway."),
    ("The tank of the blue tractor holds 90 litres.", "The tank of the red tractor holds 140 litres."),
]
CHANGED = [
    ("Session length is 20 minutes in the kiosk.", "Session length is now 35 minutes in the kiosk."),
    ("The quota is 5 GB for trial accounts.", "The quota is 10 GB for trial accounts now."),
    ("The tank of the blue tractor holds 90 litres.", "The tank of the blue tractor now holds 110 litres."),
]


@pytest.mark.parametrize(("first", "second"), APART)
def test_a_figure_for_another_case_takes_nothing_back(tmp_path: Path, first: str, second: str) -> None:
    with Memory(tmp_path, embedder="none", upkeep=False) as memory:
        memory.remember(first)
        memory.remember(second)
        assert {first, second} <= {held.text for held in memory.list()}


@pytest.mark.parametrize(("first", "second"), CHANGED)
def test_a_figure_for_the_same_case_does(tmp_path: Path, first: str, second: str) -> None:
    with Memory(tmp_path, embedder="none", upkeep=False) as memory:
        memory.remember(first)
        memory.remember(second)
        assert [held.text for held in memory.list()] == [second]


def test_what_one_thing_gave_up_is_taken_back_of_that_thing_alone(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none", upkeep=False) as memory:
        for told in ("The night crew uses paper maps.", "The harbour crew uses paper maps."):
            memory.observe([told])
        memory.observe(["We switched the night crew from paper maps to tablets."])
        left = {held.text for held in memory.list() if held.kind != "exchange"}
        assert "The harbour crew uses paper maps." in left
        assert "The night crew uses paper maps." not in left
