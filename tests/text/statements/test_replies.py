"""A short answer and its question make one statement in the answerer's own person, or none."""

from __future__ import annotations

import pytest

from palazzo.text.statements.replies import statement_of


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("Which bank are you with?", "Sparda", "The bank I am with is Sparda."),
        ("Lovely! And where do your parents live?", "Malmö", "My parents live in Malmö."),
        ("When did you adopt him?", "in 2021", "I adopted him in 2021."),
        ("How many horses do you keep?", "four", "I keep four horses."),
        ("How old is your nephew?", "nine", "My nephew is nine years old."),
        ("What's the name of the boat?", "It's Petrel", "The name of the boat is Petrel."),
        ("What does your husband do?", "locksmith", "My husband works as a locksmith."),
        (
            "Do you have a driving licence?",
            "No, only for a moped.",
            "I don't have a driving licence, only for a moped.",
        ),
        ("Do you smoke?", "yes", "I smoke."),
        ("Do you want the aisle or the window?", "aisle", ""),
        ("Do you ski or snowboard?", "snowboard", "I snowboard."),
        ("What colour is your front door?", "dark blue", "My front door's colour is dark blue."),
        ("What should I call you?", "Lotte", "Call me Lotte."),
        ("Which hotel?", "the Bristol", "The hotel is the Bristol."),
        ("Could you tell me your customer number?", "88-1204", "My customer number is 88-1204."),
        ("Please confirm the hall — the gym or the old barn?", "the barn", "The hall is the barn."),
        ("What's the hall - the gym or the old barn?", "the barn", "The hall is the barn."),
        ("Could you confirm the gym or the barn?", "the barn", ""),
        ("Shall I send it now?", "yes", ""),
        ("How are you today?", "tired", ""),
        ("Which course is it for?", "pottery", ""),
        ("Which platform is it?", "nine", "The platform is nine."),
        ("Where do you live?", "why do you ask?", ""),
        ("Where do you live?", "not sure I want to say", ""),
        ("Where do you live?", "I told you yesterday", ""),
    ],
)
def test_a_short_answer_is_read_with_its_question(question: str, answer: str, said: str) -> None:
    assert statement_of(question, answer) == said


def test_a_question_of_one_word_asks_about_what_was_said_before_it() -> None:
    assert (
        statement_of("When?", "in October", "My sister is getting married.")
        == "My sister is getting married in October."
    )
    assert statement_of("When?", "in October") == ""
