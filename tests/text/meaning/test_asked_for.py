"""Whether a text has the sort of thing that a question asks for."""

from __future__ import annotations

import pytest

from palazzo.text.meaning.answering import gives, names_somebody, reading


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who feeds the hens?", "Zelda feeds the hens."),
        ("Who mended the fence?", "A carpenter from the village mended the fence."),
        ("Who looks after the archive?", "The archive is looked after by the records team."),
    ],
)
def test_who_is_answered_by_a_name_wherever_it_stands_and_by_what_somebody_is(question: str, text: str) -> None:
    assert names_somebody(text, reading(question).terms)


def test_whoever_the_question_names_is_not_who_it_asks_for() -> None:
    assert not names_somebody("Zelda sings.", reading("Who taught Zelda?").terms)


@pytest.mark.parametrize(
    ("sort", "text"),
    [
        ("number", "They invited eighty people."), ("number", "The pond is cleaned every autumn."),
        ("time", "The kiosk opens at seven."), ("time", "I stretch before I go to bed."),
    ],
)  # fmt: skip
def test_figures_and_times_are_told_in_words_too(sort: str, text: str) -> None:
    assert gives(text, sort)  # type: ignore[arg-type]
    assert not gives("The pond has carp.", sort)  # type: ignore[arg-type]
