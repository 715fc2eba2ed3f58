from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.meaning.asked import read_traits, speaker_label


@pytest.mark.parametrize(
    ("text", "words", "intent"),
    [
        ("When did the shipment leave?", 2, "temporal"),
        ("Why was the parser rewritten?", 2, "causal"),
        ("How do I rotate the keys?", 2, "procedural"),
        ("Which tool is better than make?", 2, "comparative"),
        ("What instruments does Olga play?", 2, "exploratory"),
        ("Where is the spare key?", 2, "lookup"),
    ],
)
def test_the_intent_follows_the_wording(text: str, words: int, intent: str) -> None:
    assert read_traits(text, words).intent == intent


def test_a_question_for_several_things_in_few_words_is_told_from_a_specific_one() -> None:
    assert read_traits("Which instruments does Olga play?", 2).several
    assert not read_traits("Which instruments did Olga bring to the rehearsal in the old harbour hall?", 6).several


def test_a_told_sentence_is_a_statement_and_a_question_or_a_request_is_not() -> None:
    assert read_traits("I signed the lease without reading it again", 4).statement
    assert not read_traits("Did I sign the lease without reading it?", 4).statement
    assert not read_traits("Please help me read the lease I was sent", 4).statement


def test_questions_about_what_the_agent_said_are_recognised() -> None:
    assert read_traits("Which library did you recommend for charts?", 3).about_agent
    assert not read_traits("Which library did I pick for charts?", 3).about_agent


def test_asking_for_work_is_a_request() -> None:
    assert read_traits("Could you show me how to write a login form?", 4).request
    assert not read_traits("Where is the login form?", 2).request


def test_a_speaker_label_is_taken_off() -> None:
    assert speaker_label("Olga: we moved house") == ("Olga", "we moved house")
    assert speaker_label("we moved house") == ("", "we moved house")


@given(st.text(max_size=400), st.integers(0, 20))
def test_any_text_can_be_read(text: str, words: int) -> None:
    traits = read_traits(text, words)
    assert not (traits.statement and traits.question)


def test_a_question_for_all_there_were_is_told_from_one_for_what_holds() -> None:
    for text in ("Which towns has Olga lived in?", "What LGBTQ+ events have we been to?", "What books have I read?"):
        assert read_traits(text, 2).collects
    for text in ("Which address have I moved to?", "What books do I have?", "How many books have I read?"):
        assert not read_traits(text, 2).collects
