"""What people say of themselves stays theirs: first-person facts of several speakers, and names of others."""

from __future__ import annotations

import pytest
from tests.intake.conftest import Palace

from palazzo.model.message import Message

OTHERS = [
    "Erika Lund lives in Tromsø.",
    "My brother's name is Jasper.",
    "The neighbour's dog is called Biscuit.",
    "Our landlord's name is Mr. Okafor.",
    "Petra said her name is Petra Winkel.",
]
OWN = [
    ("My name is Ilse Vogt.", "My name is Marek Dolny."),
    ("I live in Utrecht.", "I live in Antwerp."),
    ("I work at Lumen.", "I work at Halcyon."),
    ("I am 34 years old.", "I am 52 years old."),
    ("My favourite tea is oolong.", "My favourite tea is sencha."),
    ("My birthday is March 9.", "My birthday is July 21."),
]


@pytest.mark.parametrize("known", OTHERS)
@pytest.mark.parametrize("manner", ["remember", "observe"])
def test_telling_ones_own_name_changes_nothing_that_is_known_of_others(palace: Palace, known: str, manner: str) -> None:
    call = palace.remember if manner == "remember" else palace.observe
    call(known)
    before = palace.texts()
    result = call("My name is Rowan Hale.")
    assert {fate.outcome for fate in result.fates} <= {"stored", "kept"}
    assert set(before) <= set(palace.texts())


@pytest.mark.parametrize(("first", "second"), OWN)
@pytest.mark.parametrize("speakers", [("Ilse", "Marek"), ("Ilse", ""), ("", "Marek")])
@pytest.mark.parametrize("manner", ["remember", "observe"])
def test_a_fact_of_one_speaker_never_supersedes_that_of_another(
    palace: Palace, first: str, second: str, speakers: tuple[str, str], manner: str
) -> None:
    call = palace.remember if manner == "remember" else palace.observe
    outcomes: set[str] = set()
    for speaker, text in zip(speakers, (first, second), strict=True):
        result = call(Message(text=text, speaker=speaker, thread="talk"))
        outcomes |= {fate.outcome for fate in result.fates}
    assert outcomes <= {"stored", "kept"}
    assert len(palace.texts()) == 2


@pytest.mark.parametrize("speaker", ["", "Ilse"])
def test_a_speakers_own_fact_is_still_superseded_by_their_next_one(palace: Palace, speaker: str) -> None:
    for text in ("I live in Utrecht.", "I moved to Antwerp."):
        palace.observe(Message(text=text, speaker=speaker, thread="talk"))
    (left,) = palace.texts()
    assert "Antwerp" in left


def test_in_one_batch_of_two_speakers_each_keeps_what_is_theirs(palace: Palace) -> None:
    palace.observe(
        Message(text="I live in Utrecht.", speaker="Ilse", addressee="Marek", thread="talk"),
        Message(text="I live in Antwerp.", speaker="Marek", addressee="Ilse", thread="talk"),
        Message(text="I moved to Ghent.", speaker="Marek", addressee="Ilse", thread="talk"),
    )
    assert palace.texts() == ["Ilse lives in Utrecht.", "Marek moved to Ghent."]


def test_a_named_memory_keeps_its_words_while_its_slot_belongs_to_the_speaker(palace: Palace) -> None:
    palace.remember(Message(text="I live in Utrecht.", speaker="Ilse", name="home"))
    (memory,) = palace.memories()
    assert memory.text == "I live in Utrecht."
    assert [(a.subject, a.predicate, a.value) for a in memory.revision.content.atoms] == [("ilse", "city", "Utrecht")]
