"""Plans told and ended in ordinary words: how many are read right, and that cancelled ones are not offered as open."""

from __future__ import annotations

from itertools import product

import pytest
from bench.plan_stories import FILES, HALVES, measure, stories


@pytest.mark.parametrize("half", HALVES)
def test_most_plans_of_a_half_stand_as_they_should(half: str) -> None:
    found, _ = measure(half)
    assert found["plans"] == 60
    assert found["right"] >= 0.7
    assert found["cancelled_offered_as_open"] <= 0.15 * found["cancelled"]


@pytest.mark.parametrize("half", HALVES)
def test_a_plan_is_found_to_be_over_by_an_end_without_a_word_of_it(half: str) -> None:
    found, _ = measure(half, "ends")
    assert found["plans"] == 20
    assert found["right"] >= 0.45
    assert found["cancelled_offered_as_open"] <= 0.4 * found["cancelled"]


def test_a_story_names_its_plans_where_it_begins() -> None:
    for half, name in product(HALVES, FILES):
        for one in stories(half, name):
            for named in (one.named, *(other for _, other in one.beside)):
                assert any(named in text.lower() for _, text in one.blocks[0]), one.told
