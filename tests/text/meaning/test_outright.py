"""A question for a time or a figure is answered by no text that has none."""

from __future__ import annotations

import pytest

from palazzo.text.meaning.outright import asked_outright, lacks_what_is_asked, shows, sides_asked, tells_other_side


@pytest.mark.parametrize(
    ("question", "sort"),
    [("When is the regatta?", "time"), ("What's Mrs. Baird's phone number?", "number"),
     ("How tall is the mast?", "number"),
     ("Who steers the boat?", ""), ("Is the regatta on Sunday?", ""), ("Wann ist die Regatta?", ""),
     ("What's the name of the boat?", ""), ("Into which scale should I turn prices?", "")],
)  # fmt: skip
def test_what_a_question_asks_for_outright(question: str, sort: str) -> None:
    assert asked_outright(question) == sort


@pytest.mark.parametrize(
    ("text", "sort", "has"),
    [("The regatta starts at Cowes.", "time", False), ("The regatta is on satruday.", "time", True),
     ("The gulls scream at sunrise.", "time", True), ("I sail before work.", "time", True),
     ("we row on wensdys", "time", True),
     ("Thu rowing, Sat regatta", "time", True), ("Mrs. Baird is my neighbour.", "number", False),
     ("The mast is twelve metres.", "number", True)],
)  # fmt: skip
def test_whether_a_text_has_it(text: str, sort: str, has: bool) -> None:
    assert shows(text, sort) is has  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("When does the library open?", "The library shuts at six.", True),
        ("When does the library open?", "The library opens at nine and shuts at six.", False),
        ("Wann öffnet das Bad?", "Das Bad schließt um acht.", True),
        ("When does the ferry arrive?", "The ferry departs at 7:10.", True),
        ("How wide is the table?", "The table is 2.4 metres long.", True),
        ("How long have I known Ida?", "I met Ida in high school in 2004.", False),
        ("When does my contract end?", "I started there on a contract until May.", False),
        ("Is the bakery open on Mondays?", "The bakery is closed on Mondays.", False),
    ],
)
def test_one_side_of_a_thing_is_no_answer_to_a_question_for_the_other(question: str, text: str, other: bool) -> None:
    assert tells_other_side(sides_asked(question), text) is other


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("How much does the anvil weigh?", "The anvil is 60 cm long.", True),
        ("How much does the anvil weigh?", "The anvil is 60 cm long and 80 kg.", False),
        ("What was the price of the kayak?", "The kayak is 4.20 m.", True),
        ("What was the price of the kayak?", "The kayak was 900.", False),
        ("How long does the crossing last?", "The crossing leaves at 7:45.", True),
        ("How long does the crossing last?", "The crossing is 45 minutes.", False),
        ("How many oars are there?", "There are 6 oars of 2 m.", False),
        ("When does the crossing begin?", "It begins at 7:45.", False),
    ],
)  # fmt: skip
def test_a_figure_in_another_measure_is_none_of_what_is_asked(question: str, text: str, lacks: bool) -> None:
    assert lacks_what_is_asked(question, text) is lacks
