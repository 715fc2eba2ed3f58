"""A correction that names a thing puts it where it belongs in the sentence before it, and nothing else does."""

from __future__ import annotations

import pytest

from palazzo.text.change.corrections import corrected, corrected_within, find_correction


@pytest.mark.parametrize(
    ("said", "put_right", "now"),
    [
        ("We rented the small van for the move.", "No, I meant the big one.", "We rented the big van for the move."),
        ("The tent is in bay F.", "typo, bay P", "The tent is in bay P."),
        ("Grandma's stew is beef.", "I misspoke, it's lamb.", "Grandma's stew is lamb."),
        ("We park behind the church.", "Change that to the library.", "We park behind the library."),
        ("The bus stops at Ashby.", "actually it's Corby, Ashby was the old line", "The bus stops at Corby."),
        ("Ines brings the drill tonight.", "Not Ines, her cousin Bram.", "her cousin Bram brings the drill tonight."),
        ("My tutor is called Anja Petterson.", "It's spelled Pettersen.", "My tutor is called Anja Pettersen."),
        ("The office is on the fifth floor.", "no, sixth floor", "The office is on the sixth floor."),
        ("The heartbeat interval is 30 seconds.", "let's say 45 instead", "The heartbeat interval is 45 seconds."),
        ("The spare fuse is in the drawer.", "wait, it's in the shed", "The spare fuse is in the shed."),
        ("The backup runs daily.", "hourly, not daily", "The backup runs hourly."),
        ("I wrote my thesis about moss.", "I wrote moss but I meant lichen", "I wrote my thesis about lichen."),
        ("Lavoro a Parma.", "No, scusa, volevo dire Modena.", "Lavoro a Modena."),
        ("De trein gaat om 7 uur.", "Sorry, ik bedoelde 8 uur.", "De trein gaat om 8 uur."),
    ],
)  # fmt: skip
def test_the_thing_that_was_wrong_gives_way(said: str, put_right: str, now: str) -> None:
    correction = find_correction(put_right)
    assert correction is not None
    assert corrected(said, correction) == now


@pytest.mark.parametrize(
    "said", ["no it's fine", "make it shorter", "Sorry, busy day.", "No, thanks.", "Oops, forgot my keys.",
             "Actually, it's great.", "Wait, the kids!", "No, the other one."],
)  # fmt: skip
def test_what_names_no_such_thing_changes_nothing(said: str) -> None:
    correction = find_correction(said)
    assert correction is None or corrected("My landlord is Mrs. Adair.", correction) is None


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("The vet opens at eight, no wait, at nine.", "The vet opens at nine."),
        ("We ordered 60 bricks, sorry, 16 bricks, for the oven.", "We ordered 16 bricks, for the oven."),
        ("Our street is number 8 - no, 18 - Moss Lane.", "Our street is number 18 Moss Lane."),
        ("My nephew is called Piet, I mean Piotr.", "My nephew is called Piotr."),
        ("Der Kurs beginnt am Montag, nein, am Freitag.", "Der Kurs beginnt am Freitag."),
        ("I keep three hens, no ducks.", None),
        ("The tour starts at 5, sorry for the late word.", None),
        ("No, I sleep in Bonn, not in Trier.", None),
    ],
)
def test_a_sentence_that_puts_itself_right_is_read_as_it_is_meant(said: str, meant: str | None) -> None:
    assert corrected_within(said) == meant


@pytest.mark.parametrize(
    ("said", "put_right", "now"),
    [
        ("We keep three ducks.", "sorry, three geese", "We keep three geese."),
        ("The gym is on the 2nd floor.", "*5th", "The gym is on the 5th floor."),
        ("We move on Thursday.", "Actually Friday.", "We move on Friday."),
        ("Kim's birthday is March 9.", "oops, April 9", "Kim's birthday is April 9."),
    ],
)
def test_a_figure_takes_what_it_counts_along_and_a_day_its_place(said: str, put_right: str, now: str) -> None:
    correction = find_correction(put_right)
    assert correction is not None
    assert corrected(said, correction) == now
