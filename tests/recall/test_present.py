from __future__ import annotations

from collections.abc import Sequence

from tests.recall.conftest import Room

from palazzo.belief.conflicts import decide
from palazzo.intake.pipeline import Pipeline
from palazzo.model.capability import View
from palazzo.model.message import Manner, Message


def tell(room: Room, texts: Sequence[str], *, speaker: str = "Olga", manner: Manner = "observe") -> None:
    """Tells texts a day apart, each in a session of its own."""
    intake = Pipeline(room.store, room.clock, room.spaces, decide)
    for number, text in enumerate(texts):
        room.clock.advance(days=1)
        intake.take([Message(text=text, thread="t", session=f"{speaker}-{number}", speaker=speaker)], manner)


def test_a_replaced_favourite_is_not_returned_at_all_and_the_reply_names_what_replaced_it(room: Room) -> None:
    tell(room, ["My favourite colour is blue.", "My favourite colour is black now."])
    reply = room.ask("What is my favourite colour?")
    assert "black" in reply.hits[0].text
    assert not any("blue" in hit.text for hit in reply.hits)
    assert len(reply.quality.replaced) == 1


def test_a_turn_that_only_repeated_the_old_value_goes_with_it(room: Room) -> None:
    tell(
        room, ["I live in Bergen.", "As I said, I live in Bergen.", "I live in Bergen.", "I moved to Tromso last week."]
    )
    assert not any("Bergen" in text for text in room.texts("Where do I live now?"))


def test_what_was_remembered_word_for_word_goes_with_its_statement_too(room: Room) -> None:
    tell(room, ["My dentist is Dr Moss.", "My dentist is now Dr Fern."], manner="remember")
    assert not any("Moss" in text for text in room.texts("Who is my dentist?"))


def test_the_past_and_an_earlier_moment_still_find_the_old_value(room: Room) -> None:
    tell(room, ["My favourite colour is blue."])
    before = room.clock.now_us()
    tell(room, ["My favourite colour is black now."])
    assert any("blue" in text for text in room.texts("What was my favourite colour before it changed?"))
    assert any("blue" in text for text in room.texts("What is my favourite colour?", View(as_of_us=before)))


def test_a_question_about_the_past_shows_what_a_memory_said_before_and_that_it_no_longer_holds(room: Room) -> None:
    tell(room, ["The gate code is 4411.", "The gate code is 9923 now."], manner="remember")
    hits = room.ask("What was the gate code previously?").hits
    earlier = [hit for hit in hits if hit.lane == "earlier"]
    assert [hit.text for hit in earlier] == ["The gate code is 4411."]
    assert "9923" in earlier[0].caveat
    assert earlier[0].provenance.startswith("remember from")


def test_an_older_figure_stands_behind_the_first_five_with_a_caveat_and_is_not_lost(room: Room) -> None:
    rest = [f"The orchard on hill {number} has old apple trees and a gate." for number in range(6)]
    tell(
        room,
        [
            "The orchard holds 80 apple trees, and I hired a helper for the harvest.",
            *rest,
            "Since the planting the apple trees in the orchard have now reached 95, says the book I keep there.",
        ],
    )
    hits = room.ask("How many apple trees are in the orchard?").hits
    assert not any("80 apple trees" in hit.text for hit in hits[:5])
    old = next(hit for hit in hits if "80 apple trees" in hit.text)
    assert "95" in old.caveat


def test_a_turn_that_says_more_than_what_was_replaced_is_kept_for_its_other_matter(room: Room) -> None:
    tell(
        room,
        [
            "My favourite tea is oolong, and the roof of the boathouse leaks over the blue canoe near the door.",
            "My favourite tea is sencha now.",
        ],
    )
    assert any("boathouse" in text for text in room.texts("Where does the boathouse leak?"))


def test_figures_of_two_people_do_not_replace_each_other(room: Room) -> None:
    tell(room, ["I own 12 kayaks at the lake."], speaker="Olga")
    tell(room, ["I own 3 kayaks at the lake."], speaker="Piet")
    assert len(room.texts("How many kayaks are owned at the lake?")[:2]) == 2
    assert not room.ask("How many kayaks are owned at the lake?").hits[0].caveat.startswith("replaced")
    assert not room.ask("How many kayaks are owned at the lake?").hits[1].caveat.startswith("replaced")
