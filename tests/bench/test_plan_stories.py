"""Plans told and ended in ordinary words: how many are read right, and that cancelled ones are not offered as open."""

from __future__ import annotations

import pytest
from bench.plan_stories import HALVES, measure, stories


@pytest.mark.parametrize("half", HALVES)
def test_most_plans_of_a_half_stand_as_they_should(half: str) -> None:
    found, _ = measure(half)
    assert found["plans"] == 60
    assert found["right"] >= 0.7
    assert found["cancelled_offered_as_open"] <= 0.15 * found["cancelled"]


def test_a_story_names_its_plan_where_it_begins() -> None:
    for half in HALVES:
        for one in stories(half):
            assert any(one.named in text.lower() for _, text in one.blocks[0]), one.told
