"""Named things in a text, and when two names mean one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.facts.entities import KINDS, alias_key, find_entities

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)
NAMES = st.text(alphabet="abcdeABC .-'é", max_size=20)


def found(text: str) -> dict[str, str]:
    return {mention.name: mention.kind for mention in find_entities(text)}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Yesterday I met Ingrid at the pool", "Ingrid", "person"),
        ("Ingrid's brother cooks", "Ingrid", "person"),
        ("Thanks Tobias, see you", "Tobias", "person"),
        ("My colleague Zorba Quill retired", "Zorba Quill", "person"),
        ("Dr. Lindqvist called back", "Dr. Lindqvist", "person"),
        ("Zarek works nights", "Zarek", "person"),
        ("We flew to Lisbon in May", "Lisbon", "location"),
        ("we flew to lisbon", "lisbon", "location"),
        ("She moved to Tarnwick", "Tarnwick", "location"),
        ("We hiked around Whitefell Lake", "Whitefell Lake", "location"),
        ("Trip to New York next week", "New York", "location"),
        ("He studies at the University of Graz", "University of Graz", "organization"),
        ("I work at Brightwell", "Brightwell", "organization"),
        ("I joined Siemens in 2019", "Siemens", "organization"),
        ("The backend runs on PostgreSQL", "PostgreSQL", "technology"),
        ("the backend runs on postgres", "postgres", "technology"),
        ("We write it in Rust", "Rust", "technology"),
        ("I prefer C++ over Java", "C++", "technology"),
        ("Tickets for the Harvest Festival", "Harvest Festival", "event"),
        ("Deploy the Heron project today", "Heron", "project"),
        ("I speak Portuguese", "Portuguese", "concept"),
        ("Ping me on Slack please", "Slack", "service"),
        ("Mail jo.doe@example.org about it", "jo.doe@example.org", "person"),
        ("Ask @marla about it", "marla", "person"),
        ("Filed under #gardening", "gardening", "concept"),
        ("See https://example.org/a/b.", "example.org/a/b", "service"),
        ("Edit src/app/main.py now", "src/app/main.py", "file"),
        ("Look at notes.md", "notes.md", "file"),
        ("In C:\\Users\\me\\a.txt", "C:\\Users\\me\\a.txt", "file"),
        ("李明说他很忙", "李明", "person"),
        ("田中さんは元気です", "田中", "person"),
    ],
)
def test_a_named_thing_is_found_with_its_kind(text: str, name: str, kind: str) -> None:
    assert found(text).get(name) == kind


@pytest.mark.parametrize(
    "text",
    [
        "The weather is nice today.",
        "Traveling opens the mind. Nature helps too.",
        "I think I'm done. Thanks! Wow, great.",
        "See you on Monday in June",
        "Will you come? May I ask?",
        "It is and/or 24/7",
        "THIS IS VERY LOUD TEXT",
        "i spark joy and go slack",
        "```python\nclass Foo(Bar): pass\n@app.route\n```",
        "the colour #ff0000",
        "P A B",
        "",
    ],
)
def test_ordinary_words_name_nothing(text: str) -> None:
    assert found(text) == {}


def test_two_given_names_side_by_side_in_a_list_are_two_people() -> None:
    assert found("I saw Anna and Tobias") == {"Anna": "person", "Tobias": "person"}


def test_a_place_that_is_also_a_given_name_follows_the_word_before_it() -> None:
    assert found("We stayed in Florence")["Florence"] == "location"
    assert found("I called Charlotte")["Charlotte"] == "person"


@given(ANY_TEXT)
def test_mentions_lie_in_the_text_in_order_without_overlap(text: str) -> None:
    end = 0
    for mention in find_entities(text):
        assert mention.start >= end
        assert mention.text == text[mention.start : mention.end]
        assert mention.name
        assert mention.kind in KINDS
        end = mention.end


@given(ANY_TEXT)
def test_an_alias_key_is_its_own_key(text: str) -> None:
    key = alias_key(text)
    assert alias_key(key) == key
