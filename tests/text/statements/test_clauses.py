"""Clauses: where one sentence holds several, and that the cut loses no token."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.text.statements.clauses import Clause, split_clauses
from palazzo.text.words.grammar import tokenize


def cut(text: str) -> list[tuple[str, bool]]:
    tokens = tokenize(text)
    found = split_clauses(tokens, 0, len(tokens.words), question=text.endswith("?"))
    return [(" ".join(tokens.words[clause.body : clause.last]), clause.asks) for clause in found]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("I like tea and she likes coffee", 2),
        ("I like tea and coffee", 1),
        ("I said that he was ill and that he left", 1),
        ("She was so tired she fell asleep", 1),
        ("I felt accepted and supported", 1),
        ("It rained; we stayed at home", 2),
    ],
)
def test_only_clauses_with_a_subject_and_verb_of_their_own_are_cut(text: str, count: int) -> None:
    assert len(cut(text)) == count


def test_a_question_at_the_end_is_marked_as_asking() -> None:
    assert [asks for _, asks in cut("I lost my keys, what should I do?")] == [False, True]


def test_a_tag_does_not_make_a_statement_of_a_question() -> None:
    assert cut("You went home, right?")[-1][1]


_WORDS = st.lists(
    st.sampled_from(
        ["I", "she", "we", "and", "but", "so", ",", ";", "-", "because", "can", "you", "went", "Rome", "to", "is"]
    ),
    min_size=1,
    max_size=25,
).map(" ".join)


@given(_WORDS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_clauses_cover_every_token_once_and_in_order(text: str, question: bool) -> None:
    tokens = tokenize(text)
    found: list[Clause] = split_clauses(tokens, 0, len(tokens.words), question=question)
    assert found[0].first == 0
    assert found[-1].last == len(tokens.words)
    for one, following in pairwise(found):
        assert one.last == following.first
    for clause in found:
        assert clause.first <= clause.body < clause.last
