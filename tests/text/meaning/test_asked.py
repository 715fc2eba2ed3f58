from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.meaning.asked import figures_for, gives_another, wanted_figure


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("How many hens are in my coop?", "My coop holds 12 hens.", "I have 15 hens in the coop since spring."),
        (
            "How many stamps are in the album?",
            "The album has 300 stamps.",
            "The collection of stamps in the album has now reached 340.",
        ),
        ("What is the occupancy rate of the guest house?", "Occupancy of the guest house is 60%.",
         "The guest house is at an occupancy rate of 75% now."),
        ("When is the piano lesson with Ines?", "The piano lesson with Ines is on March 3 at 4 PM.",
         "I moved the piano lesson with Ines to March 5 at 2 PM."),
        ("What is the deadline for the first draft?", "The deadline for the first draft is June 1.",
         "The new draft deadline is June 9."),
        ("How much does the boat mooring cost?", "The mooring for the boat costs $90.", "Mooring the boat costs $110."),
        ("What is the response time of the booking page?", "The booking page has a response time of 900 ms.",
         "The response time of the booking page has improved to 400 ms."),
    ],
)  # fmt: skip
def test_a_newer_figure_for_the_same_thing_is_seen(question: str, old: str, new: str) -> None:
    wanted = wanted_figure(question)
    assert wanted is not None
    assert gives_another(wanted, old, new)


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("How many hens are in my coop?", "My coop holds 12 hens.", "The coop still holds 12 hens, says Ada."),
        ("How many hens are in my coop?", "My coop holds 12 hens.", "My coop has 3 windows."),
        ("What is the deadline for the first draft?", "The deadline for the first draft is June 1.",
         "The deadline for draft 2 is July 1."),
        ("How many days a week do I row?", "I row three days a week.", "I rested from rowing for 10 days."),
        ("What is the occupancy rate of the inn?", "Occupancy of the inn is 60%.",
         "We want the occupancy rate of the inn to reach 90%."),
    ],
)  # fmt: skip
def test_another_thing_another_measure_or_an_aim_is_no_newer_figure(question: str, old: str, new: str) -> None:
    wanted = wanted_figure(question)
    assert wanted is not None
    assert not gives_another(wanted, old, new)


@pytest.mark.parametrize(
    "question",
    ["How many times has Ada flown to Oslo?", "Where does Ada live?", "Why did the boiler stop?", "", "how many"],
)
def test_a_question_for_occasions_or_for_something_else_wants_no_figure(question: str) -> None:
    assert wanted_figure(question) is None


def test_figures_in_code_do_not_count() -> None:
    wanted = wanted_figure("How many retries does the worker make?")
    assert wanted is not None
    assert figures_for("The worker code:\n```\nmake_retries = 3 retries of the worker\n```", wanted) == ()


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_safe(question: str, old: str, new: str) -> None:
    wanted = wanted_figure(f"How many {question}")
    if wanted is not None:
        assert not gives_another(wanted, old, old)
        gives_another(wanted, old, new)
