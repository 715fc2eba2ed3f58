"""What can be many is added to, and what has one value at a time is not."""

from __future__ import annotations

import pytest

from palazzo.text.change.beside import adds_another, of_other_times, says_alike


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tomas is allergic to pollen.", "Tomas is allergic to shellfish."),
        ("I speak Finnish.", "I speak Swahili."),
        ("We've been to Iceland.", "We've been to Malta."),
        ("My aunt collects teapots.", "My aunt collects fossils."),
        ("I love the smell of rain.", "I love the sound of trains."),
        ("Ravi coaches the under-twelves.", "Ravi Nair heads the scout group."),
    ],
)
def test_a_second_thing_that_is_liked_known_or_had_stands_beside_the_first(old: str, new: str) -> None:
    assert adds_another(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I drive a Skoda.", "I drive a Fiat."),
        ("We have four hens.", "We have six hens."),
        ("I like my tea weak.", "I like my tea strong."),
        ("I speak Finnish at home.", "I now speak English at home."),
        ("My gym is on Bell Street.", "My gym is on Quay Road."),
    ],
)
def test_another_value_of_what_has_one_is_no_addition(old: str, new: str) -> None:
    assert not adds_another(old, new)


@pytest.mark.parametrize(
    ("new", "alike"),
    [
        ("Nell draws horses.", True),
        ("Nell draws in chalk.", True),
        ("Nell draws in chalk now.", False),
        ("Nell draws 20 horses a day.", False),
        ("Nell no longer draws in ink.", False),
        ("These days it is chalk that Nell draws in.", False),
    ],
)
def test_what_begins_alike_and_ends_otherwise_without_a_word_of_change_may_be_more(new: str, *, alike: bool) -> None:
    assert says_alike("Nell draws in ink.", new) is alike


def test_what_is_so_this_month_stands_beside_what_is_so_next_month() -> None:
    assert of_other_times("Ida hosts the club this month.", "Next month it's Per.")
    assert not of_other_times("Ida hosts the club this month.", "Per hosts the club this month.")
    assert not of_other_times("Ida hosts the club.", "Next month it's Per.")


@pytest.mark.parametrize(
    ("old", "new", "apart"),
    [
        ("I watered the figs at 6:15.", "I watered the figs at 21:40.", True),
        ("The parcel van rang at noon.", "The parcel van rang at 5 pm.", True),
        ("The shop closes at 18:00.", "The shop closes at 19:30.", False),
        ("The match was moved to 14:00.", "The match was moved to 16:30.", False),
        ("I watered the figs at 6:15.", "I watered the limes.", False),
    ],
)
def test_one_deed_at_two_times_of_day_is_two(old: str, new: str, *, apart: bool) -> None:
    assert of_other_times(old, new) is apart
