from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.belief.staleness import LONGEST_SUM, Habit, Observed, asserted, severity, two_sided

LANGUAGES = {"language": {"python": 8, "rust": 222}}


def test_the_worked_example_of_the_seed_is_certain() -> None:
    found = asserted("The user prefers Python", LANGUAGES)
    assert found is not None
    habit, seen = found
    assert (habit.dimension, habit.frequency, seen) == ("python", 0.8, Observed(8, 230))
    assert severity(habit, seen) == pytest.approx(1.0)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.01, 0.99))
def test_the_test_agrees_with_summing_the_binomial(count: int, total: int, frequency: float) -> None:
    count = min(count, total)
    mass = [math.comb(total, k) * frequency**k * (1 - frequency) ** (total - k) for k in range(total + 1)]
    lower, upper = sum(mass[: count + 1]), sum(mass[count:])
    expected = min(max(1 - 2 * min(lower, upper), 0), 1)
    assert two_sided(count, total, frequency) == pytest.approx(expected, abs=1e-9)


def test_beyond_the_longest_sum_the_answer_stays_the_same() -> None:
    exact, near = (two_sided(int(total * 0.505), total, 0.5) for total in (LONGEST_SUM, LONGEST_SUM + 2))
    assert near == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(
    ("text", "share", "stale"),
    [
        ("She prefers Python", 0.95, False),  # more of it does not make a preference untrue
        ("She prefers Python", 0.74, False),  # significant with many events, not material
        ("She prefers Python", 0.30, True),
        ("She rarely writes Python", 0.02, False),
        ("She rarely writes Python", 0.60, True),
        ("She never uses Python", 0.40, True),
        ("Python is 60% of her work", 0.95, True),
        ("Python is 60% of her work", 0.62, False),
    ],
)
def test_only_a_material_deviation_against_the_habit_counts(text: str, share: float, *, stale: bool) -> None:
    total = 400
    found = asserted(text, {"language": {"python": round(total * share), "rust": total - round(total * share)}})
    assert found is not None
    assert (severity(*found) > 0.7) is stale


def test_a_text_that_asserts_no_habit_is_left_alone() -> None:
    assert asserted("Python was created in 1991", LANGUAGES) is None
    assert asserted("She prefers tea", LANGUAGES) is None


def test_few_events_say_nothing() -> None:
    assert severity(Habit("language", "python", 0.8, "less"), Observed(0, 10)) == 0.0
