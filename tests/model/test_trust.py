"""The trust formulas give the figures of the specification and stay between 0 and 1 whatever goes in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.model.belief import Evidence, Trust, accuracy, needs_confirmation

calm = settings(deadline=None)

counts = st.integers(-3, 50)
evidences = st.builds(
    Evidence,
    sources=counts,
    said_by_person=st.booleans(),
    replaced_contradiction=st.booleans(),
    successes=counts,
    failures=counts,
)
figures = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (Evidence(), 0.5),
        (Evidence(sources=4), 0.8),
        (Evidence(said_by_person=True), 0.8),
        (Evidence(said_by_person=True, replaced_contradiction=True), 0.6),
        (Evidence(successes=3), 0.65),
        (Evidence(failures=2), 0.3),
        (Evidence(failures=9), 0.0),
        (Evidence(sources=9, said_by_person=True), 1.0),
    ],
)
def test_accuracy_adds_up_as_specified(evidence: Evidence, expected: float) -> None:
    assert accuracy(evidence) == expected


@calm
@given(evidences)
def test_accuracy_lies_between_0_and_1(evidence: Evidence) -> None:
    assert 0 <= accuracy(evidence) <= 1


def test_below_eight_tenths_an_agent_is_told_to_confirm() -> None:
    assert [needs_confirmation(value) for value in (0.79, 0.8, 1.0, float("nan"))] == [
        True,
        False,
        False,
        True,
    ]
    assert not needs_confirmation(accuracy(Evidence(sources=4)))


@pytest.mark.parametrize(
    ("part", "weight"), [("relevance", 0.35), ("accuracy", 0.25), ("freshness", 0.20), ("utility", 0.20)]
)
def test_each_part_of_trust_has_its_weight(part: str, weight: float) -> None:
    parts = dict.fromkeys(("relevance", "accuracy", "freshness", "utility"), 0.0)
    assert Trust(**(parts | {part: 1.0})).score == pytest.approx(weight)


@calm
@given(figures, figures, figures, figures)
def test_trust_lies_between_0_and_1_whatever_goes_in(one: float, two: float, three: float, four: float) -> None:
    trust = Trust(relevance=one, accuracy=two, freshness=three, utility=four)
    assert 0 <= trust.score <= 1


def test_full_marks_give_full_trust() -> None:
    assert Trust(relevance=1, accuracy=1, freshness=1, utility=1).score == pytest.approx(1)
