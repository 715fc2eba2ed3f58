"""Ties between named things, read out of sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.facts.relations import find_relations

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)
WORDS = st.lists(
    st.sampled_from(
        [
            "My",
            "my",
            "sister",
            "Anna",
            "'s",
            ",",
            "works",
            "for",
            "Acme",
            "and",
            "lives",
            "in",
            "Oslo",
            ".",
            "I",
            "the user",
            "is",
        ]
    ),
    max_size=14,
).map(" ".join)


def found(text: str) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.predicate, fact.object) for fact in find_relations(text)}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("My sister Ingrid paints", ("Ingrid", "sibling_of", "the user")),
        ("My best friend is Tobias", ("Tobias", "friend_of", "the user")),
        ("Ingrid is my aunt", ("Ingrid", "aunt_or_uncle_of", "the user")),
        ("My dog is called Rex", ("Rex", "owned_by", "the user")),
        ("My mother's name is Ines", ("Ines", "parent_of", "the user")),
        ("Paul's wife Lena sings", ("Lena", "married_to", "Paul")),
        ("The user's boss Karl Weber left", ("Karl Weber", "manages", "the user")),
        ("I work for Brightwell", ("the user", "works_at", "Brightwell")),
        ("The user works at Brightwell.", ("the user", "works_at", "Brightwell")),
        ("I'm a senior engineer at Acme Robotics", ("the user", "works_at", "Acme Robotics")),
        ("We live in Turin", ("the user", "lives_in", "Turin")),
        ("Ingrid moved to Turin last year", ("Ingrid", "lives_in", "Turin")),
        ("My brother lives in Madrid", ("the user's brother", "lives_in", "Madrid")),
        ("The user's brother lives in Madrid", ("the user's brother", "lives_in", "Madrid")),
        ("I was born in Kyoto", ("the user", "born_in", "Kyoto")),
        ("I'm married to Paul", ("the user", "married_to", "Paul")),
        ("Marta reports to Jonas", ("Marta", "reports_to", "Jonas")),
        ("Heron was created by Mia", ("Mia", "created", "Heron")),
        ("The billing service depends on Redis", ("billing service", "depends_on", "Redis")),
        ("I prefer green tea over coffee", ("the user", "prefers", "green tea over coffee")),
        ("The user is allergic to peanuts", ("the user", "allergic_to", "peanuts")),
        ("I graduated from Uppsala University", ("the user", "graduated_from", "Uppsala University")),
    ],
)
def test_a_tie_is_read_with_its_ends_in_the_right_order(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in found(text)


def test_a_second_verb_keeps_the_subject_of_the_first() -> None:
    text = "My cousin Ines works for Brightwell and lives in Turin"
    assert ("Ines", "lives_in", "Turin") in found(text)
    assert ("Brightwell", "lives_in", "Turin") not in found(text)


def test_a_relative_clause_belongs_to_the_name_before_it() -> None:
    assert ("Jonas", "manages", "Zurich team") in found("Marta reports to Jonas, who manages the Zurich team")


def test_coordinated_objects_are_several_facts() -> None:
    languages = {fact[2] for fact in found("Lena speaks German, French and Dutch") if fact[1] == "speaks"}
    assert languages == {"German", "French", "Dutch"}


@pytest.mark.parametrize(
    "text",
    [
        "I don't work for Brightwell anymore",
        "Do you live in Turin?",
        "I want to move to Turin",
        "I used to live in Turin",
        "She would work at Brightwell",
        "If I work for Brightwell",
        "I no longer live in Turin",
        "It is my turn",
        "",
    ],
)
def test_questions_wishes_negations_and_the_past_state_nothing(text: str) -> None:
    assert found(text) == set()


def test_a_past_job_is_less_certain_than_a_present_one() -> None:
    (now,) = find_relations("I work for Brightwell")
    (before,) = find_relations("I worked for Brightwell")
    assert before.confidence < now.confidence


@given(st.one_of(ANY_TEXT, WORDS))
def test_facts_stay_inside_the_text_and_the_vocabulary(text: str) -> None:
    for fact in find_relations(text):
        assert fact.subject
        assert fact.object
        assert fact.subject != fact.object
        assert 0 <= fact.start < fact.end <= len(text)
        assert 0.0 < fact.confidence <= 1.0


@pytest.mark.parametrize(
    "text",
    [
        "I'm going out with Anna tonight.", "Anna and Ben are together in Porto.", "The path leads nowhere.",
        "Is Anna married to Ben?", "Anna does not manage Ben.", "Anna and Ben are not married.",
        "I wish Anna mentored Ben.",
    ],
)  # fmt: skip
def test_an_evening_a_path_a_question_or_a_denial_ties_nobody(text: str) -> None:
    assert found(text) == set()
