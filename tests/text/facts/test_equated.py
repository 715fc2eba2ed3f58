"""Two names that a text says are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.facts.aliases import EQUATING, equated
from palazzo.text.facts.relations import find_relations


def same(text: str) -> set[frozenset[str]]:
    return {frozenset((f.subject, f.object)) for f in find_relations(text) if f.predicate == "also_known_as"}


@pytest.mark.parametrize(
    "text",
    [
        "Robert Miles, also known as Bob, joined.",
        "Robert Miles (aka Bob) called.",
        "Robert Miles, a.k.a. Bob, called.",
        "Bob is short for Robert Miles.",
        "Bob is a nickname for Robert Miles.",
        "Robert Miles goes by Bob at work.",
        "So Robert Miles is also known as 'Bob'.",
        "Bob and Robert Miles are the same person.",
        "Bob is the same man as Robert Miles.",
        "We met Robert Miles, nicknamed Bob, in May.",
    ],
)
def test_names_said_to_be_one_are_tied(text: str) -> None:
    assert same(text) == {frozenset(("Robert Miles", "Bob"))}


def test_names_of_tools_may_be_lower_case() -> None:
    assert same("Our k8s cluster is full; k8s stands for Kubernetes.") == {frozenset(("k8s", "Kubernetes"))}


@pytest.mark.parametrize(
    "text",
    [
        "Is Bob short for Robert?",
        "Bob is not short for Robert.",
        "Bob and Robert are the same age.",
        "The road is known as a shortcut.",
        "He goes by bus.",
        "She goes by train on Mondays.",
        "This is the same thing as that.",
        "My name is Bob.",
        "The meeting was short for once.",
    ],
)
def test_what_is_asked_denied_or_names_nothing_ties_no_names(text: str) -> None:
    assert same(text) == set()


@given(st.text(max_size=300), st.sampled_from(sorted(EQUATING)))
def test_any_text_is_safe_and_what_is_found_lies_in_it(text: str, word: str) -> None:
    whole = f"{text} {word} {text}"
    for one in equated(whole, len(text) + 1, word):
        assert one.name in whole[one.start : one.end]
        assert one.other in whole[one.start : one.end]
