from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.recall.read.cue import Cue, read_cue
from palazzo.testing.clock import FixedClock

NAMES = ("Olga", "Piet")
NOW = FixedClock.START_US


def test_names_of_speakers_are_left_out_of_the_meaning_but_kept_among_the_terms() -> None:
    plan = read_cue(Cue(text="What did Olga's brother build?"), NAMES, NOW)
    assert "olga" not in plan.meaning.lower()
    assert "olga" in plan.terms
    assert plan.speakers == ("olga",)
    assert not plan.content[plan.terms.index("olga")]


def test_a_name_inside_another_word_names_nobody() -> None:
    assert read_cue(Cue(text="the pieta in the chapel"), NAMES, NOW).speakers == ()


def test_dates_become_ranges_against_the_moment_of_the_cue() -> None:
    plan = read_cue(Cue(text="what happened yesterday?"), NAMES, NOW)
    ((begin, end),) = plan.ranges_us
    assert begin <= NOW - 86_400_000_000 < end <= NOW
    assert read_cue(Cue(text="what happened?"), NAMES, NOW).ranges_us == ()


def test_a_known_label_says_who_speaks_and_an_unknown_one_stays_text() -> None:
    assert read_cue(Cue(text="Olga: I moved to the coast last year"), NAMES, NOW).said_by == "olga"
    assert read_cue(Cue(text="Reminder: buy milk"), NAMES, NOW).words == "Reminder: buy milk"


def test_an_address_is_recognised_and_a_broken_one_is_words() -> None:
    assert read_cue(Cue(text="work/plan.fact"), NAMES, NOW).kref is not None
    assert read_cue(Cue(text="kref:// not an address"), NAMES, NOW).kref is None


@given(st.text(max_size=300))
def test_any_cue_gives_a_plan(text: str) -> None:
    plan = read_cue(Cue(text=text), NAMES, NOW)
    assert len(plan.content) == len(plan.terms)
    assert "\x00" not in plan.words


@pytest.mark.parametrize(
    ("cue", "ranges"),
    [
        ("Which books had she read as of 9 June 2025?", 1),
        ("Keep it below 2000 words", 0),
        ("What does June grow in her garden?", 0),
        ("When did April's shop open?", 0),
        ("What did we plant in April?", 1),
        ("What was built in 2019?", 1),
    ],
)
def test_a_time_is_read_where_one_is_named_and_nowhere_else(cue: str, ranges: int) -> None:
    assert len(read_cue(Cue(text=cue), (), FixedClock.START_US).ranges_us) == ranges


@pytest.mark.parametrize(
    ("cue", "about_agent"),
    [
        ("Which trail would you suggest?", False),
        ("What do you recommend for a rainy day?", False),
        ("Which trail did you suggest?", True),
        ("the recipe you gave me", True),
        ("your advice about the roof", True),
    ],
)
def test_a_cue_is_about_the_agents_words_when_it_asks_for_what_was_said(cue: str, about_agent: bool) -> None:
    assert read_cue(Cue(text=cue), (), FixedClock.START_US).traits.about_agent is about_agent
