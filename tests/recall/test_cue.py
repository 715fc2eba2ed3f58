from __future__ import annotations

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
