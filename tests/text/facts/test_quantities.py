"""Quantities: figures with what they count or measure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.text.facts.quantities import find_quantities, stem
from palazzo.text.words.grammar import tokenize


def read(text: str) -> list[tuple[float, str]]:
    return [(quantity.value, quantity.unit) for quantity in find_quantities(tokenize(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I own 5 cats and two dogs", [(5, "cat"), (2, "dog")]),
        ("a budget of $3,000", [(3000, "$")]),
        ("$5k a month", [(5000, "$")]),
        ("from 65% to 78%", [(65, "%"), (78, "%")]),
        ("12 hard chess problems", [(12, "problem")]),
        ("1,200 calls per day and 60 calls/minute", [(1200, "call per day"), (60, "call per minute")]),
        ("on April 21 at 3 PM", [(421, "date"), (900, "clock")]),
        ("the 3rd of May", [(503, "date")]),
        ("it takes 250ms", [(250, "ms")]),
        ("at 10:30 pm", [(1350, "clock")]),
        ("150 commits and 12 branches merged", [(150, "commit"), (12, "branch")]),
    ],
)
def test_figures_are_read_with_their_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", ["version 2.3.1", "since 2024", "v1.0.0", "one of them", "the 2nd"])
def test_versions_years_and_ordinals_are_no_quantities(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("word", "base"), [("studying", "study"), ("cities", "city"), ("boxes", "box"), ("went", "go"), ("ana's", "ana")]
)
def test_words_have_a_common_form(word: str, base: str) -> None:
    assert stem(word) == base


@given(st.text(alphabet="0123456789.,:/$%kmah pAMay-th", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_jumble_of_figures_is_read_without_failing(text: str) -> None:
    for quantity in find_quantities(tokenize(text)):
        assert quantity.first < quantity.last
