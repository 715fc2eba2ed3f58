"""Topics and keywords of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.meaning.topics import TOPICS, keywords, topics
from palazzo.text.words.tokens import terms, word_terms

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The vet says our puppy needs rest", "pets"),
        ("We deploy the backend with docker", "software"),
        ("I booked a flight and a hotel", "travel"),
        ("My daughter visits her grandmother", "family"),
        ("I baked bread for dinner", "food"),
        ("The mortgage eats most of my income", "finance"),
        ("I have an exam at the university", "education"),
        ("She plays the cello in an orchestra", "music"),
        ("My doctor changed the medication", "health"),
    ],
)
def test_a_text_gets_the_topic_of_its_words(text: str, topic: str) -> None:
    assert topic == topics(text)[0]


@pytest.mark.parametrize("text", ["", "ok", "It is what it is", "1 2 3", "🙂"])
def test_a_text_about_nothing_has_no_topic(text: str) -> None:
    assert topics(text) == ()


def test_keywords_are_the_names_and_nouns_as_written() -> None:
    found = keywords("Yesterday I really tried the new bakery in Utrecht with Ingrid", 3)
    assert set(found) == {"bakery", "Utrecht", "Ingrid"}


def test_a_repeated_word_is_one_keyword_and_weighs_more() -> None:
    found = keywords("kiln firing, kiln glazing, kilns everywhere, plus one teapot", 2)
    assert found[0] == "kiln"
    assert len(found) == len(set(found)) == 2


def test_chinese_text_has_keywords() -> None:
    assert keywords("我喜欢北京烤鸭", 3)


@given(ANY_TEXT, st.integers(min_value=0, max_value=9))
def test_topics_and_keywords_are_bounded_and_without_repeats(text: str, limit: int) -> None:
    found = topics(text)
    assert len(found) == len(set(found)) <= 4
    assert set(found) <= set(TOPICS)
    words = keywords(text, limit)
    assert len(words) == len(set(words)) <= limit


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=["Zs", "Cc"]), max_size=12))
def test_the_terms_of_a_word_are_the_terms_of_the_text(word: str) -> None:
    assert list(word_terms(word)) == terms(word)
