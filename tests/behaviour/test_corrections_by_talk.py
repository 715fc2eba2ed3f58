"""What people put right while they talk takes the place of what was wrong, as a whole statement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as made:
        yield made


def told(memory: Memory, *lines: str) -> list[str]:
    """The statements that stand after these lines were said one after the other, without resolved dates."""
    for line in lines:
        memory.observe([{"content": line, "role": "user"}])
    return [held.text.partition(" (20")[0] for held in memory.list(limit=100) if held.kind != "exchange"]


@pytest.mark.parametrize(
    ("said", "put_right", "now", "wrong"),
    [
        ("The train to Basel leaves at 7 am on Friday.", "Sorry, I meant 9 am.", "leaves at 9 am on Friday", "7 am"),
        ("The venue holds 50 guests.", "Oops, 15, not 50.", "holds 15 guests", "50"),
        ("The workshop is in hall Mistral.", "Wrong hall: Sirocco.", "in hall Sirocco", "Mistral"),
        ("Our new vet is called Sandra.", "Actually her name is Sonja, I misheard.", "vet is called Sonja", "Sandra"),
        ("Ole hates latex.", "Sorry, not Ole, it's Olga who hates latex.", "Olga hates latex", "Ole hates"),
        ("Le loyer est de 640 euros.", "Erreur, c'est 650 euros.", "650 euros", "640"),
        ("My niece was born in 2013.", "I misspoke, born in 2015.", "born in 2015", "2013"),
        ("Our stand is in row 17.", "actually row 19", "in row 19", "17"),
        ("The small lamp flickers.", "No, the other one, the tall lamp.", "tall lamp flickers", "small lamp"),
        ("The Volvo is at the garage.", "I meant the other one, the Skoda.", "Skoda is at the garage", "Volvo"),
        ("The board meeting is on Wednesday.", "No wait, it's on Thursday.", "on Thursday", "Wednesday"),
        ("My landlord is called Petr Novak.", "Sorry, I meant Pavel Novak.", "Pavel Novak", "Petr"),
        ("My shift starts on Monday.", "sorry not Monday, Tuesday - Ada has Monday", "starts on Tuesday", "on Monday"),
        ("The choir meets at seven.", "No wait, at eight.", "meets at eight", "seven"),
        ("My aunt keeps three donkeys.", "Sorry, four.", "keeps four donkeys", "three"),
        ("We ordered 300 bricks for the wall.", "Make that 350.", "350 bricks for the wall", "300"),
        ("My locker code at the gym is 4411.", "Typo, my locker code at the gym is 4141.", "4141", "4411"),
        ("The kickoff is in Lyon.", "I got that wrong, the kickoff is in Lille.", "Lille", "Lyon"),
        ("Der Zug nach Bern fährt um 7 Uhr.", "Nein, ich meinte 9 Uhr.", "um 9 Uhr", "7 Uhr"),
        ("Die Prüfung ist am Montag.", "Entschuldigung, am Mittwoch, nicht am Montag.", "am Mittwoch", "Montag"),
        ("Ma sœur habite à Nantes.", "Pardon, je voulais dire Rennes.", "Rennes", "Nantes"),
        ("Mi vuelo sale el lunes.", "Perdón, el martes, no el lunes.", "el martes", "lunes"),
        ("The glazier wants 45 an hour.", "That's not quite right, it's 55.", "wants 55 an hour", "45"),
        ("The bins go out on Monday.", "Scratch Monday, Wednesday.", "on Wednesday", "Monday"),
        ("The radio takes an AA4 battery.", "Correction: AA6.", "an AA6 battery", "AA4"),
        ("The boots were 120 in the sale.", "I got that wrong, they were 135.", "boots were 135 in", "120"),
    ],
)  # fmt: skip
def test_a_value_that_is_put_right_stands_in_the_whole_statement(
    memory: Memory, said: str, put_right: str, now: str, wrong: str
) -> None:
    left = told(memory, "My cat is called Biscuit.", said, put_right)
    assert any(now in text for text in left)
    assert not any(wrong in text for text in left)
    assert any("Biscuit" in text for text in left)


def test_a_slip_in_the_same_message_is_put_right_before_it_is_kept(memory: Memory) -> None:
    left = told(memory, "The ferry to Skye goes at 6 pm on Sunday. No, sorry, 8 pm.")
    assert left == ["The ferry to Skye goes at 8 pm on Sunday."]
    assert not any("6 pm" in held.text for held in memory.list(limit=10))


def test_turns_of_one_call_are_put_right_too(memory: Memory) -> None:
    memory.observe([
        {"content": "The recital is on 3 May.", "role": "user"}, {"content": "Noted.", "role": "assistant"},
        {"content": "Sorry, 13 May, not 3 May.", "role": "user"},
    ])  # fmt: skip
    left = [held.text for held in memory.list(limit=20)]
    assert any(text.startswith("The recital is on 13 May") for text in left)
    assert "The recital is on 3 May." not in left


def test_what_is_about_something_else_is_not_put_right(memory: Memory) -> None:
    left = told(
        memory, "The Falcon review is on 5 August.", "The Osprey review is on 12 August.",
        "Sorry, wrong date: the Falcon review is on 6 August.",
    )  # fmt: skip
    assert any("Falcon review is on 6 August" in text for text in left)
    assert any("Osprey review is on 12 August" in text for text in left)
    assert not any("5 August" in text for text in left)


@pytest.mark.parametrize(
    "said", ["No, I don't eat meat.", "Sorry, I have to go now.", "Actually, I play the oboe.", "Oh, nice!",
             "I like rye bread, not toast.", "No worries, see you on Friday."],
)  # fmt: skip
def test_what_only_opens_like_a_correction_changes_nothing(memory: Memory, said: str) -> None:
    before = ["The table is booked for 8 people.", "My sister plays the flute."]
    left = told(memory, *before, said)
    assert any("8 people" in text for text in left)
    assert any("flute" in text for text in left)


def test_the_account_says_what_was_corrected(memory: Memory) -> None:
    told(memory, "The table is booked for 40 people.")
    kept = memory.observe([{"content": "Sorry, 14, not 40.", "role": "user"}])
    assert ("superseded", "corrected") in [(f.outcome, f.reason) for a in kept.accounts for f in a.fates]


@pytest.mark.parametrize("again", ["Scratch that, it's 7 June.", "strike that, 7 June"])
def test_what_is_struck_and_said_anew_is_put_right_and_not_forgotten(memory: Memory, again: str) -> None:
    assert told(memory, "The regatta is on 5 June.", again) == ["The regatta is on 7 June."]


def test_a_figure_struck_in_its_own_message_stands_right_in_it(memory: Memory) -> None:
    assert told(memory, "The garage costs 90 a month. Scratch that, 95.") == ["The garage costs 95 a month."]


def test_what_was_asked_to_be_kept_is_put_right_by_what_is_kept_next(memory: Memory) -> None:
    memory.remember("The glaze takes 40 g of sugar.")
    memory.remember("Correction: it's 60 g")
    kept = [held.text for held in memory.list(limit=10) if held.kind != "exchange"]
    assert kept == ["The glaze takes 60 g of sugar."]


def test_a_value_looks_back_four_turns_in_a_call_as_in_a_thread(memory: Memory) -> None:
    between = ["I like rye bread.", "My aunt sings.", "It rained.", "The cellar is damp."]
    turns = [{"content": line, "role": "user"} for line in ("The tent weighs 3 kg.", *between, "Sorry, 4 kg.")]
    memory.observe(turns)
    assert "The tent weighs 3 kg." in [held.text for held in memory.list(limit=50)]
