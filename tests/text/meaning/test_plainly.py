"""A question is read without what it is wrapped in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.meaning.plainly import asked_plainly


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Could you please tell me where the spare fuse is?", "Where the spare fuse is?"),
        ("hey, do you still know when my lease ends?", "When my lease ends?"),
        ("I forgot who fixes our roof.", "Who fixes our roof?"),
        ("Do you know if my aunt eats pork?", "My aunt eats pork?"),
        ("What was my collar size again?", "What is my collar size?"),
        ("which bus do I take, by the way?", "Which bus do I take?"),
        ("Where's the ladder? I forgot.", "Where's the ladder?"),
        ("Can you give me the name of our notary?", "What is the name of our notary?"),
        ("Weißt du noch, wo der Ersatzschlüssel liegt?", "Wo der Ersatzschlüssel liegt?"),
        ("Wie heißt unser Notar nochmal?", "Wie heißt unser Notar?"),
        ("¿Te acuerdas de cuándo llega mi tía?", "Cuándo llega mi tía?"),
        ("Peux-tu me rappeler où est la clé ?", "Où est la clé ?"),
        ("你还记得我的车停在哪里吗？", "我的车停在哪里？"),
    ],
)
def test_what_is_asked_is_taken_out_of_its_frame(said: str, asked: str) -> None:
    assert asked_plainly(said) == asked


@pytest.mark.parametrize(
    "said",
    [
        "Where is the ladder?",
        "What was my first car?",
        "Remind me to water the ferns",
        "Tell me about my garden",
        "Do you remember our week in Gdansk?",
        "I don't know what to wear",
        "My brother knows where the key is.",
        "",
    ],
)
def test_what_is_in_no_frame_stays_as_it_is(said: str) -> None:
    assert asked_plainly(said) == said


@given(st.text(max_size=300))
def test_any_text_can_be_asked(said: str) -> None:
    assert asked_plainly(asked_plainly(said)) is not None
