"""What people say in passing, in lists, in part and about somebody else, and what stands afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock

NOW = datetime.fromisoformat("2026-06-10T12:00:00+02:00")  # a Wednesday


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=FixedClock(NOW), zone="+02:00", durable=False, upkeep=False) as made:
        yield made


def say(memory: Memory, *texts: str, days_ago: float = 0) -> None:
    for text in texts:
        role, _, words = text.rpartition(">> ")
        turn = {"content": words, "role": role or "user", "at": NOW - timedelta(days=days_ago)}
        memory.observe([turn])


def told(memory: Memory) -> list[str]:
    return [one.text for one in memory.list(limit=100) if one.kind != "exchange"]


PARTS = [
    ("Storage is 60 a month, payable by the 5th.", "Storage is 75 a month now.", ""),
    ("The house phone is 55 euros a month with 300 minutes at Swisscom.", "The house phone is 48 a month now.", ""),
    ("The shop opens at nine in Kiel and ten in Lund.", "The Lund shop opens at eleven now.", ""),
    ("The loom is in the loft and the wheel in the barn.", "The loom is in the shed now.", ""),
    ("Choir is Tuesdays and Fridays at 7.", "Choir moved to 8.", ""),
    ("I play bridge, golf and the harp.", "I quit golf.", "I play bridge and the harp."),
    ("Chess is at 18:30 in room Elm with the juniors.", "Chess is now in room Oak.",
     "Chess is at 18:30 with the juniors."),
]  # fmt: skip


@pytest.mark.parametrize(("before", "now", "stays"), PARTS)
def test_a_change_takes_an_item_out_of_a_list_and_rewords_nothing(
    memory: Memory, before: str, now: str, stays: str
) -> None:
    say(memory, before, days_ago=60)
    say(memory, now)
    assert now in told(memory)
    assert set(told(memory)) - {now} <= {stays or before}


@pytest.mark.parametrize("happened", ["Nadia quit the choir.", "The boiler broke.", "They've cut my shifts to two."])
def test_a_few_words_that_tell_what_happened_are_kept(memory: Memory, happened: str) -> None:
    say(memory, happened)
    assert told(memory) == [happened]


@pytest.mark.parametrize("talk", ["Phew, the line was endless", "argh, spreadsheets", "I'm so bored in class rn"])
def test_a_sigh_is_no_fact(memory: Memory, talk: str) -> None:
    say(memory, talk)
    assert told(memory) == []


def test_who_is_named_in_a_question_is_whom_the_next_sentence_speaks_of(memory: Memory) -> None:
    say(memory, "What could I cook for my nephew? He is allergic to eggs.")
    assert told(memory) == ["My nephew is allergic to eggs."]


def test_an_answer_with_a_word_more_about_it_tells_both(memory: Memory) -> None:
    say(memory, "assistant>> What's your cat called?", "Pixel, she's a Siamese")
    assert sorted(told(memory)) == ["My cat is called Pixel.", "Pixel is a Siamese"]


def test_what_answers_a_question_as_a_newer_word_of_another_day_does_is_marked(memory: Memory) -> None:
    say(memory, "Partners get 900 requests a minute.", days_ago=30)
    say(memory, "bumped the partner limit to 2400 just now")
    newer, older = memory.recall("What's the rate limit for partners?")[:2]
    assert "2400" in newer.text
    assert "may have changed" in older.caveat


def test_what_holds_beside_a_newer_answer_of_another_day_is_not_marked(memory: Memory) -> None:
    say(memory, "We keep a cat called Miso.", days_ago=30)
    say(memory, "We also keep a parrot called Rex.")
    found = memory.recall("Which pets do we keep?")
    assert {"Miso", "Rex"} <= {word.strip(".") for hit in found for word in hit.text.split()}
    assert not any("may have changed" in hit.caveat for hit in found)


def test_items_with_a_note_behind_them_stay_with_their_heading(memory: Memory) -> None:
    say(memory, "Films seen in May:\n* Solaris - adored it\n* Stalker - twice!")
    assert told(memory) == ["Films seen in May: Solaris - adored it, Stalker - twice!"]


def test_what_a_message_says_beside_what_it_is_nearest_to_is_found_too(memory: Memory) -> None:
    say(memory, "Our Freya got into Durham, she's reading history. We dropped Freya off last weekend.")
    say(memory, "Freya's room is tiny.")
    assert "Durham" in memory.recall("Which university is Freya at?")[0].text


def test_a_list_below_its_heading_is_one_statement(memory: Memory) -> None:
    say(memory, "Hello! Repairs in the cabin:\n- leaking gutter\n- rusty hinge on the gate\n- cracked pane")
    assert told(memory) == ["Repairs in the cabin: leaking gutter, rusty hinge on the gate, cracked pane."]


def test_lines_that_say_something_of_somebody_stay_statements_of_their_own(memory: Memory) -> None:
    say(memory, "News from the lab:\n- Ravi starts on Monday\n- Lena is away until Friday")
    assert sorted(told(memory)) == ["Lena is away until Friday.", "Ravi starts on Monday."]


def test_what_happened_on_a_day_holds_since_that_day_though_it_replaces_something(memory: Memory) -> None:
    say(memory, "We live in Delft.", days_ago=90)
    say(memory, "We moved to Breda two weeks ago.")
    (one,) = [one for one in memory.list(limit=10) if one.kind != "exchange"]
    assert one.valid_from is not None
    assert one.valid_from.astimezone(NOW.tzinfo).date().isoformat() == "2026-05-27"


def test_everything_about_her_means_whom_the_speaker_has_just_named(memory: Memory) -> None:
    say(memory, "My partner Ilka and I own a barge.", "My cousin Dan fixes clocks.", days_ago=9)
    say(memory, "Ilka walked out on me. Please forget everything about her.")
    assert told(memory) == ["My cousin Dan fixes clocks."]


def test_what_needs_not_be_remembered_is_not(memory: Memory) -> None:
    say(memory, "No need to remember this, but I had a row with the neighbours.")
    assert list(memory.list(limit=10)) == []


CORRECTED = [
    ("The christening is on 4 May and Tilda turns one.", "no sorry, it's the 11th",
     "The christening is on 11 May and Tilda turns one."),
    ("La boda de Inés es el 20 de junio y vienen 90 invitados.", "No, perdona, es el 27.",
     "La boda de Inés es el 27 de junio y vienen 90 invitados."),
    ("Die Prüfung ist am 3. Juli um 9 Uhr.", "Ne, Moment, die ist am 10., gleiche Zeit.",
     "Die Prüfung ist am 10. Juli um 9 Uhr."),
    ("The grant is 30k.", "No, 35k for two years.", "The grant is 35k for two years."),
    ("My parrot is 11 years old.", "wait no he's 12 already", "My parrot is 12 years old."),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "correction", "right"), CORRECTED)
def test_a_correction_puts_right_the_one_value_and_leaves_the_rest(
    memory: Memory, wrong: str, correction: str, right: str
) -> None:
    say(memory, wrong, correction)
    assert told(memory) == [right]


def test_from_now_on_is_no_condition(memory: Memory) -> None:
    say(memory, "From now on keep it to one paragraph unless I say so, and no jokes please.")
    assert "one paragraph" in memory.context("How does a heat pump work?").text


DAYS = [
    ("Grandpa's surgery went fine, he's home on Saturday.", "2026-06-13", None),
    ("We signed the papers, the handover's on the 25th.", "2026-06-25", None),
    ("The exhibition runs through Friday.", "2026-06-10", "2026-06-12"),
    ("Rehearsals start on Monday and go on until the 26th.", "2026-06-15", "2026-06-26"),
    ("Our niece is staying with us from the 20th until Christmas.", "2026-06-20", "2026-12-25"),
    ("The flat costs 900, up from 850 in March.", "2026-03-01", None),
    ("I'm joining the fire brigade next week.", "2026-06-15", None),
    ("Our ferry departs at 21:40 on the 29th and docks on the 30th.", "2026-06-29", None),
]


@pytest.mark.parametrize(("said", "begins", "ends"), DAYS)
def test_a_day_is_read_by_the_clause_that_it_stands_in(
    memory: Memory, said: str, begins: str, ends: str | None
) -> None:
    say(memory, said)
    first = next(one for one in memory.list(limit=10)[::-1] if one.kind != "exchange")
    days = [side and side.astimezone(NOW.tzinfo).date().isoformat() for side in (first.valid_from, first.valid_to)]
    assert days[0] == begins
    assert first.kind == "event" or days[1] == ends


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Did I mention I'm colour-blind?", "I'm colour-blind"),
        ("I told you my niece is a pilot, right?", "my niece is a pilot"),
        ("You know I can't stand coriander, don't you?", "I can't stand coriander"),
    ],
)
def test_what_is_told_by_asking_whether_it_was_told_is_a_fact(memory: Memory, said: str, fact: str) -> None:
    say(memory, said)
    assert told(memory) == [fact]


@pytest.mark.parametrize(
    "asked", ["Did I tell you my shoe size?", "Did I say the call was at 9 or 10?", "You know what I mean, right?"]
)
def test_what_is_asked_after_is_none(memory: Memory, asked: str) -> None:
    say(memory, asked)
    assert told(memory) == []


def test_it_is_what_was_named_before_also_where_it_was_moved(memory: Memory) -> None:
    say(memory, "My haircut is at 9.", "It got moved to 11.")
    assert told(memory) == ["My haircut got moved to 11."]


def test_an_exception_among_things_is_no_error(memory: Memory) -> None:
    say(memory, "I eat everything except olives.")
    assert [one.kind for one in memory.list(limit=10) if one.kind != "exchange"] == ["fact"]


def test_of_what_is_called_off_no_part_stands(memory: Memory) -> None:
    say(memory, "We drive to Ghent on 9 May.", days_ago=20)
    say(memory, "The Ghent trip is cancelled, the van failed its inspection.")
    assert told(memory) == ["The Ghent trip is cancelled, the van failed its inspection."]


def test_a_statement_of_several_things_one_of_which_is_gone_stands_and_is_marked(memory: Memory) -> None:
    both = "We've got two boats, a Folke and a Drake."
    say(memory, both, days_ago=60)
    say(memory, "Sold the Folke on Sunday, at last.")
    assert both in told(memory)
    (hit,) = (hit for hit in memory.recall("Which boats do we have?") if hit.text == both)
    assert "may have changed" in hit.caveat
