from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.belief.oracle import ALL_WORLDS, FUNCTIONAL, formulas, models, together, true_in

from palazzo.belief.logic import (
    FALSE,
    TRUE,
    And,
    Formula,
    Laws,
    Literal,
    Not,
    Or,
    conjunction,
    implies,
    literal_of,
    negation,
    sentence,
    statement,
)  # fmt: skip
from palazzo.errors import InvalidInput
from palazzo.model.memory import Atom

LAWS = Laws(FUNCTIONAL)
A, B, C = (statement("x", name, "1") for name in "abc")


@settings(deadline=None)
@given(st.lists(formulas, max_size=5))
def test_consistency_is_what_the_truth_table_says(said: list[Formula]) -> None:
    assert LAWS.consistent(*map(sentence, said)) == bool(together(said))


@settings(deadline=None)
@given(st.lists(formulas, max_size=4), formulas)
def test_entailment_is_what_the_truth_table_says(said: list[Formula], conclusion: Formula) -> None:
    assert LAWS.entails(map(sentence, said), sentence(conclusion)) == (together(said) <= models(conclusion))


@settings(deadline=None)
@given(formulas, formulas)
def test_sentences_are_equal_exactly_when_the_formulas_mean_the_same(a: Formula, b: Formula) -> None:
    same = all(true_in(a, world) == true_in(b, world) for world in ALL_WORLDS)
    assert (sentence(a) == sentence(b)) == same


@settings(deadline=None)
@given(formulas)
def test_a_negation_is_true_where_the_sentence_is_not(a: Formula) -> None:
    assert negation(sentence(a)) == sentence(Not(a))
    assert conjunction([sentence(a), sentence(Not(a))]) == FALSE


def test_a_functional_slot_takes_one_value() -> None:
    blue, black = statement("ann", "colour", "blue"), statement("ann", "colour", "black")
    assert not LAWS.consistent(sentence(blue), sentence(black))
    assert Laws().consistent(sentence(blue), sentence(black))
    assert LAWS.entails([sentence(blue)], sentence(~black))


def test_a_rule_carries_its_conclusion() -> None:
    rule = sentence(implies([A, B], C))
    assert LAWS.entails([rule, sentence(A), sentence(B)], sentence(C))
    assert not LAWS.entails([rule, sentence(A)], sentence(C))


def test_spelling_of_a_value_does_not_make_another_statement() -> None:
    assert statement("ann", "colour", " Blue ") == statement("ann", "colour", "blue")
    assert statement("ann", "colour", "blue") != statement("ann", "color", "blue")
    assert literal_of(Atom("ann", "colour", "Blue", negated=True)) == ~statement("ann", "colour", "blue")


def test_what_is_always_true_is_the_empty_sentence() -> None:
    assert sentence(Or((A, Not(A)))) == TRUE
    assert sentence(And((A, Not(A)))) == FALSE


def test_a_formula_without_a_manageable_form_is_refused() -> None:
    pairs = [And((statement("x", f"p{n}", "1"), statement("x", f"q{n}", "1"))) for n in range(14)]
    with pytest.raises(InvalidInput, match="entangled"):
        sentence(Or(tuple(pairs)))


def test_a_literal_reads_as_a_sentence() -> None:
    assert str(Literal(A.statement)) == "x a 1"
    assert str(~A) == "not (x a 1)"
