"""Slots: which attribute of what has which value, all of them, and when two texts fill the same one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.text.facts.slots.find import SlotFact, find_slots, slot_match


def facts(text: str) -> list[tuple[str, str, str]]:
    return [(fact.subject, fact.predicate, fact.value) for fact in find_slots(text)]


def only(text: str) -> SlotFact:
    found = find_slots(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My name is Ines Duarte.", ("the user", "name", "Ines Duarte")),
        ("Ana is 41 years old.", ("Ana", "age", "41")),
        ("The user turned 31.", ("the user", "age", "31")),
        ("Ana was born on 3 March 1990.", ("Ana", "birthday", "3 March 1990")),
        ("I work at Bosch.", ("the user", "employer", "Bosch")),
        ("Ana is a dentist.", ("Ana", "role", "dentist")),
        ("The user was promoted to Chief Engineer.", ("the user", "role", "Chief Engineer")),
        ("I live in Porto.", ("the user", "city", "Porto")),
        ("The user moved to Ghent.", ("the user", "city", "Ghent")),
        ("Ana is divorced.", ("Ana", "relationship status", "divorced")),
        ("I'm vegan.", ("the user", "diet", "vegan")),
        ("The user is allergic to cashews.", ("the user", "allergy", "cashews")),
        ("I drive a Skoda Octavia.", ("the user", "car", "Skoda Octavia")),
        ("My phone number is 555-0142.", ("the user", "phone number", "555-0142")),
        ("My favourite composer is Satie.", ("the user", "favorite composer", "Satie")),
        ("We use Kafka for events.", ("the user", "tool for events", "Kafka")),
        ("The deadline for the thesis is June 12.", ("thesis", "deadline", "June 12")),
        ("The status of the refund is pending.", ("refund", "status", "pending")),
        ("The budget for the trip is $3,000.", ("trip", "budget", "$3,000")),
        ("I have 5 cats.", ("the user", "number of cats", "5")),
        ("The rehearsal is at 3 pm.", ("rehearsal", "time", "3 pm")),
        ("The library's opening time is 9 am.", ("The library", "opening time", "9 am")),
        ("The retry limit of the worker was set to 7.", ("worker", "retry limit", "7")),
        ("The user loves sailing.", ("the user", "likes sailing", "like")),
        ("The user doesn't like olives.", ("the user", "likes olives", "dislike")),
        ("Ana Silva's blood pressure status: Normal", ("Ana Silva", "blood pressure status", "Normal")),
    ],
)
def test_common_facts_are_found(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in facts(text)


def test_all_matches_are_returned() -> None:
    found = facts("I live in Turin and work at Fiat as a welder.")
    assert ("the user", "city", "Turin") in found
    assert ("the user", "employer", "Fiat") in found
    assert ("the user", "role", "welder") in found
    assert {predicate for _, predicate, _ in facts("Ana is vegan and allergic to soy.")} == {"diet", "allergy"}


def test_a_change_names_the_old_and_the_new_value() -> None:
    fact = only("The team's sprint length changed from two weeks to three weeks.")
    assert (fact.value, fact.old_value, fact.change_cue) == ("three weeks", "two weeks", True)
    moved = only("The user moved from Ghent to Liège.")
    assert (moved.predicate, moved.value, moved.old_value) == ("city", "Liège", "Ghent")


@pytest.mark.parametrize(
    "text", ["I used to live in Ghent.", "The user no longer lives in Ghent.", "I don't live in Ghent anymore."]
)
def test_what_is_over_is_negated_and_is_its_own_old_value(text: str) -> None:
    fact = only(text)
    assert (fact.predicate, fact.value, fact.negated, fact.old_value) == ("city", "Ghent", True, "Ghent")
    assert fact.change_cue


def test_a_relative_clause_tells_of_the_noun_before_it() -> None:
    found = facts("The user tunes the search latency, which has recently improved to 80ms.")
    assert ("", "search latency", "80ms") in found


def test_a_past_home_is_no_current_home() -> None:
    fact = only("The user lived in Ghent as a child.")
    assert fact.predicate == "former city"
    assert not fact.functional


def test_several_valued_attributes_are_not_functional() -> None:
    assert not only("The user is allergic to cashews.").functional


@pytest.mark.parametrize(
    "text",
    [
        "Maybe the deadline for the thesis is June 19.",
        "An unverified note says that the deadline for the thesis is June 19.",
        "The user heard that the deadline for the thesis is June 19.",
    ],
)
def test_what_is_not_vouched_for_has_low_confidence(text: str) -> None:
    assert max(fact.confidence for fact in find_slots(text)) < 0.4
    assert only("The deadline for the thesis is June 19.").confidence > 0.8


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My job title is welder.", "I work as a fitter."),
        ("The budget for the trip is $3,000.", "The trip's budget is $4,000."),
        ("The deadline for the thesis is June 12.", "The due date of the thesis is June 19."),
        ("I live in Porto.", "The user moved to Ghent."),
        ("Ana Silva's salary is 3000 euros.", "Ana's income is 3500 euros."),
    ],
)
def test_the_same_slot_is_recognised_in_other_words(one: str, other: str) -> None:
    assert any(slot_match(a, b) for a in find_slots(one) for b in find_slots(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana lives in Porto.", "The user lives in Ghent."),
        ("The deadline for the thesis is June 12.", "The deadline for the visa is June 19."),
        ("My favourite composer is Satie.", "My favourite colour is blue."),
        ("The physical health status of Ana is good.", "The mental health status of Ana is fair."),
        ("Sprint 2 has a deadline of May 4.", "Sprint 3 has a deadline of May 18."),
    ],
)
def test_other_people_things_and_attributes_are_other_slots(one: str, other: str) -> None:
    assert not any(slot_match(a, b) for a in find_slots(one) for b in find_slots(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "It's like a dream.",
        "Painting's a joy.",
        "🎉🎉",
        "你好",
        "is is is",
        "'s of the for",
        "x" * 5000,
        ": : :",
    ],
)
def test_text_without_a_slot_gives_none_and_never_fails(text: str) -> None:
    assert find_slots(text) == ()


_WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "user",
            "Ana",
            "'s",
            "my",
            "is",
            "are",
            "was",
            "has",
            "have",
            "lives",
            "moved",
            "to",
            "from",
            "of",
            "for",
            "in",
            "at",
            "deadline",
            "budget",
            "name",
            "5",
            "$40",
            "3",
            "pm",
            "May",
            "12",
            ",",
            ".",
            ":",
            "and",
            "not",
            "no",
            "longer",
            "now",
            "likes",
            "uses",
            "Kafka",
            "changed",
            "set",
            "status",
            "open",
            '"',
            "'",
            "which",
            "who",
            "because",
        ]
    ),
    max_size=30,
).map(" ".join)


@given(_WORDS)
@settings(max_examples=400, deadline=None)
def test_every_value_stands_in_the_text(text: str) -> None:
    for fact in find_slots(text):
        assert 0 <= fact.start < fact.end <= len(text)
        assert 0.0 <= fact.confidence <= 1.0
        assert slot_match(fact, fact) == 1.0


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_searched(text: str) -> None:
    assert find_slots(text) == find_slots(text)


@pytest.mark.parametrize(
    "unit", ["is the ", "a: ", "has 5 cats and ", "moved from A to B ", "on May 3 at ", "x ", "Ana's ", "[ "]
)
def test_long_text_takes_linear_work(unit: str) -> None:
    # 50 KB; a quadratic frame would make the suite hang.
    find_slots(unit * (50_000 // len(unit)))


def test_being_in_a_technology_is_not_being_in_a_city() -> None:
    assert not [fact for fact in find_slots("Heron's backend is in Rust.") if fact.predicate == "city"]
    assert [fact.value for fact in find_slots("The office is in Berlin.") if fact.predicate == "city"] == ["Berlin"]


def test_a_plural_in_front_is_no_verb_without_its_subject() -> None:
    assert not [fact for fact in find_slots("Deploys to production happen on Tuesdays.") if "uses" in fact.predicate]


def test_a_figure_of_a_thing_that_cannot_be_named_fills_no_slot() -> None:
    for text in ("The laptop that Anna uses costs 900 euros.", "The phone Ben bought weighs 200 grams."):
        assert not [fact for fact in find_slots(text) if not fact.subject]
    assert [fact.subject for fact in find_slots("The laptop costs 900 euros.")] == ["The laptop"]
    assert [fact.predicate for fact in find_slots("Just turned 30.")] == ["age"]


@pytest.mark.parametrize("text", ["Hit 12,000 steps before lunch.", "Reached 40 degrees in the greenhouse", "hit 3"])
def test_a_text_may_begin_with_the_verb_that_reaches_a_figure(text: str) -> None:
    assert all(text[fact.start : fact.end] for fact in find_slots(text))


@pytest.mark.parametrize("text", ["Ilka reviews changes to the rota.", "Bram logs moves to the annex."])
def test_what_somebody_does_with_changes_is_no_change(text: str) -> None:
    assert not any(fact.change_cue and fact.functional for fact in find_slots(text))
