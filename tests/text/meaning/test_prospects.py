"""Situations to come in which a statement will matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.model.kinds import KINDS
from palazzo.text.meaning.kinds import classify
from palazzo.text.meaning.topics import MAX_PROSPECTS, MIN_PROSPECTS, TOPICS, prospects
from palazzo.text.words.lexicon import page
from palazzo.text.words.tokens import content_terms

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)


def situations_for(text: str) -> str:
    return " | ".join(prospects(text, classify(text).kind))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I'm allergic to peanuts", "restaurant"),
        ("The user is allergic to shellfish.", "restaurant"),
        ("My goal is to open a bakery someday", "motivation"),
        ("The report is due on Monday", "week"),
        ("I live in Graz", "weather"),
        ("I work as a nurse", "resume"),
        ("I hate crowded bars", "recommending"),
        ("We use Postgres for the backend", "schema"),
        ("Our dog is called Rex", "veterinarian"),
        ("My aunt died in March", "comfort"),
        ("I always run before breakfast", "routine"),
        ("I value honesty above everything", "principles"),
        ("Always cite your sources", "reply"),
        ("The build fails with a traceback", "debugging"),
    ],
)
def test_a_statement_brings_situations_of_its_concern(text: str, word: str) -> None:
    assert word in situations_for(text), situations_for(text)


@pytest.mark.parametrize("text", ["Thanks!", "Good morning", "ok", "", "...", "🙂"])
def test_small_talk_has_no_future(text: str) -> None:
    assert prospects(text, classify(text).kind) == ()


@pytest.mark.parametrize(
    "text", ["I'm allergic to peanuts", "I decided to quit smoking", "My goal is to save for a house", "I live in Rome"]
)
def test_situations_are_in_other_words_than_the_statement(text: str) -> None:
    found = prospects(text, classify(text).kind)
    assert MIN_PROSPECTS <= len(found) <= MAX_PROSPECTS
    for phrase in found:
        assert not set(content_terms(phrase)) & set(content_terms(text))


def test_every_topic_and_concern_offers_enough_situations() -> None:
    by_concern, by_topic = (page("prospects").listings(entry) for entry in ("by_concern", "by_topic"))
    assert set(by_topic) == set(TOPICS)
    for listing in (*by_concern.values(), *by_topic.values()):
        pool = listing.strip().split("\n")
        assert len(pool) == len(set(pool)) >= MIN_PROSPECTS


@given(ANY_TEXT, st.sampled_from(sorted(KINDS)))
def test_prospects_are_bounded_and_repeatable_for_any_text(text: str, kind: str) -> None:
    found = prospects(text, kind)
    assert len(found) == len(set(found)) <= MAX_PROSPECTS
    assert found == prospects(text, kind)
