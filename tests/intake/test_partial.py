"""A statement that says two things loses only the one that changed."""

from __future__ import annotations

import pytest
from tests.intake.conftest import Palace

from palazzo.belief.why import why
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.text.change.parts import without_a_part

PARTS = [
    ("We grow leeks and beans.", "We no longer grow beans.", "We grow leeks."),
    ("I play the lute, the viola and the oboe.", "I gave up the viola.", "I play the lute and the oboe."),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "stays"), PARTS)
def test_what_did_not_change_stays(palace: Palace, old: str, new: str, stays: str) -> None:
    (kept,) = palace.remember(old).memory_ids
    result = palace.remember(new)
    (fate,) = [fate for fate in result.fates if fate.outcome == "superseded"]
    assert fate.other == kept
    assert fate.memory_id != kept, "the newer one is a memory of its own"
    assert sorted(palace.texts()) == sorted([new, stays])
    with palace.store.reading(View()) as reading:
        assert [one.content.text for one in reading.memories.history(kept)] == [old, stays]
        assert f'It replaced "{old}"' in why(reading, fate.memory_id).text
        assert reading.provenance.sources_of(kept), "it has the sources it had"


def test_the_pass_leaves_what_did_not_change_as_well(palace: Palace) -> None:
    old, new, stays = PARTS[0]
    (kept,) = palace.remember(old).memory_ids
    filler = [
        f"{name} collects {thing}." for name, thing in zip("ABCDEFGHIJ", ["stamps", "oaks", "jars"] * 4, strict=False)
    ]
    palace.remember(*(Message(text=text, source="message") for text in (*filler, new)))
    palace.engine.settling.run()
    assert stays in palace.texts()
    assert old not in palace.texts()
    with palace.store.reading(View()) as reading:
        assert reading.memories.get(kept).text == stays


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Ms. Ruiz is vegetarian and diabetic.", {"Ms. Ruiz is vegetarian.", "Ms. Ruiz is diabetic."}),
        ("My sister Ana lives in Porto and works as a nurse.",
         {"My sister Ana lives in Porto.", "My sister Ana works as a nurse."}),
        ("I live in Berlin.", set()),
        ("My usual is a large cocoa, extra hot.", set()),
        ("I have piano lessons with a man named Lee, Thursdays.", set()),
        ("Our standup is at 9:30 in room Vega.", {"Our standup is at 9:30.", "Our standup is in room Vega."}),
        ("The boat is in trouble with the harbour office.", set()),
        ("This year I want to see Riga and read Homer.",
         {"This year I want to see Riga.", "This year I want to read Homer."}),
        ("I want to sand the deck, patch the sail and learn knots.",
         {"I want to sand the deck and patch the sail.", "I want to sand the deck and learn knots.",
          "I want to patch the sail and learn knots."}),
        ("I gave up sweets, only nuts now.", set()),
        ("I'm a tiler at Kosel in Trier.", set()),
        ("We have two goats, Zilly and Mop.", set()),
        ("She says Ana lives in Porto and works at a clinic.", set()),
        ("Neither Ines nor Bo sings.", set()),
        ("We drink tea and cocoa.", {"We drink tea.", "We drink cocoa."}),
        ("The midwife, Agnieszka, visits us on Wednesdays.", set()),
        ("", set()),
        ("I cook and she", set()),
        ("we ran, we", set()),
        ("Remember that the supported version for the Heron project is 3.10 for the Delta team.", set()),
    ],
)  # fmt: skip
def test_a_statement_is_taken_apart_where_it_says_several_things(text: str, parts: set[str]) -> None:
    assert set(without_a_part(text)) == parts


def test_what_is_done_to_one_thing_twice_keeps_its_verb() -> None:
    parts = without_a_part("The kiln is fired with gas and owned by the guild.")
    assert {"The kiln is fired with gas.", "The kiln is owned by the guild."} <= set(parts)


def test_a_statement_of_one_thing_is_replaced_as_a_whole(palace: Palace) -> None:
    (kept,) = palace.remember("I work night shifts at the bakery.").memory_ids
    result = palace.remember("I switched to day shifts at the bakery last month.")
    assert kept in result.memory_ids
    assert "I work night shifts at the bakery." not in palace.texts()


def test_what_says_more_than_what_changed_is_kept_where_it_cannot_be_taken_apart(palace: Palace) -> None:
    old, new = "Ich heiße Jorinde und wohne in Emden.", "Wir sind letzte Woche nach Husum gezogen."
    palace.remember(old)
    palace.remember(new)
    assert {old, new} <= set(palace.texts())
