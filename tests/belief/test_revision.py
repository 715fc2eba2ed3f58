"""The postulates of belief change, each checked against the truth table on generated states and inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.belief.oracle import (
    FUNCTIONAL,
    PLAIN,
    WORLDS,
    Models,
    best_worlds,
    formulas,
    literals,
    models,
    rules,
    together,
)

from palazzo.belief.logic import TRUE, And, Formula, Laws, Literal, Not, Or, Sentence, sentence, statement
from palazzo.belief.revision import Outcome, contract, expand, read, revise

LAWS = Laws(FUNCTIONAL)
states = st.lists(st.one_of(literals, rules, formulas), max_size=6)
CASES = settings(deadline=None)
TEA, BOAT, SAILS = (Literal(one) for one in PLAIN)


class Case:
    """A state of formulas with the sentences they make, and the models of any set of those sentences."""

    def __init__(self, said: Sequence[Formula], *inputs: Formula) -> None:
        self.state = tuple(dict.fromkeys(made for one in said if (made := sentence(one)) != TRUE))
        self._formula: dict[Sentence, Formula] = {}
        for one in (*said, *inputs):
            self._formula.setdefault(sentence(one), one)
        self.formulas = [self._formula[one] for one in self.state]
        self.held = read(self.state, LAWS)

    def models(self, said: Sequence[Sentence]) -> Models:
        return together([self._formula[one] for one in said])

    def revised(self, *inputs: Formula) -> Models:
        state: tuple[Sentence, ...] = self.state
        outcome = Outcome(self.held, (), (), state)
        for one in inputs:
            outcome = revise(state, sentence(one), LAWS)
            state = outcome.state
        assert set(read(state, LAWS)) == set(outcome.held)
        return self.models(outcome.held)

    def contracted(self, unwanted: Formula) -> tuple[Sentence, ...]:
        return contract(self.state, sentence(unwanted), LAWS).held


@CASES
@given(states, formulas)
def test_revision_keeps_the_worlds_grove_would_keep(said: list[Formula], a: Formula) -> None:
    """The one characterisation from which K*1 to K*8 follow: the best input worlds, compared belief by belief."""
    assume(models(a))
    assert Case(said, a).revised(a) == best_worlds(Case(said).formulas, models(a))


def closure(case: Case, a: Formula, b: Formula) -> bool:
    del b
    return case.revised(a) <= WORLDS  # the theory is given by its models, so it is closed by construction


def success(case: Case, a: Formula, b: Formula) -> bool:
    del b
    return case.revised(a) <= models(a)


def inclusion(case: Case, a: Formula, b: Formula) -> bool:
    del b
    return case.models(case.held) & models(a) <= case.revised(a)


def vacuity(case: Case, a: Formula, b: Formula) -> bool:
    del b
    fitting = case.models(case.held) & models(a)
    return not fitting or case.revised(a) <= fitting


def consistency(case: Case, a: Formula, b: Formula) -> bool:
    del b
    return bool(case.revised(a))


def extensionality(case: Case, a: Formula, b: Formula) -> bool:
    twin = And((a, Or((a, b)), Not(And((Not(a), b)))))
    again = Case(case.formulas, twin)
    return models(twin) == models(a) and again.revised(twin) == case.revised(a)


def superexpansion(case: Case, a: Formula, b: Formula) -> bool:
    both = And((a, b))
    return not models(both) or case.revised(a) & models(b) <= Case(case.formulas, both).revised(both)


def subexpansion(case: Case, a: Formula, b: Formula) -> bool:
    both = And((a, b))
    fitting = case.revised(a) & models(b)
    return not fitting or Case(case.formulas, both).revised(both) <= fitting


AGM: dict[str, Callable[[Case, Formula, Formula], bool]] = {
    "K*1 closure": closure, "K*2 success": success, "K*3 inclusion": inclusion, "K*4 vacuity": vacuity,
    "K*5 consistency": consistency, "K*6 extensionality": extensionality, "K*7 superexpansion": superexpansion,
    "K*8 subexpansion": subexpansion,
}  # fmt: skip


@pytest.mark.parametrize("postulate", AGM)
@CASES
@given(said=states, a=formulas, b=formulas)
@example(said=[TEA, BOAT], a=Not(And((TEA, BOAT))), b=Not(TEA))
@example(said=[], a=Or((TEA, ~TEA)), b=BOAT)  # an input that is always true adds nothing
@example(said=[Or((TEA, ~TEA))], a=BOAT, b=TEA)  # nor does one among the beliefs
def test_revision_satisfies(postulate: str, said: list[Formula], a: Formula, b: Formula) -> None:
    assume(models(a))
    assert AGM[postulate](Case(said, a, b), a, b)


@CASES
@given(states, formulas)
def test_base_inclusion_holds_when_nothing_was_given_up_before(said: list[Formula], a: Formula) -> None:
    assume(models(a))
    case = Case(said, a)
    outcome = revise(case.held, sentence(a), LAWS)
    assert set(outcome.held) <= {*case.held, sentence(a)}
    assert not outcome.reinstated


def darwiche_pearl_1(case: Case, a: Formula, m: Formula) -> bool:
    return not models(a) <= models(m) or case.revised(m, a) == case.revised(a)


def darwiche_pearl_2(case: Case, a: Formula, m: Formula) -> bool:
    return bool(models(a) & models(m)) or case.revised(m, a) == case.revised(a)


def darwiche_pearl_3(case: Case, a: Formula, m: Formula) -> bool:
    return not case.revised(a) <= models(m) or case.revised(m, a) <= models(m)


def darwiche_pearl_4(case: Case, a: Formula, m: Formula) -> bool:
    return not case.revised(a) & models(m) or bool(case.revised(m, a) & models(m))


ITERATED = {
    "DP1": darwiche_pearl_1, "DP2": darwiche_pearl_2, "DP3": darwiche_pearl_3, "DP4": darwiche_pearl_4,
}  # fmt: skip


@pytest.mark.parametrize("postulate", ITERATED)
@CASES
@given(said=states, a=formulas, m=formulas, relation=st.sampled_from(["free", "within", "against"]))
@example(said=[TEA, BOAT, SAILS], a=Not(TEA), m=Not(And((TEA, BOAT))), relation="free")
def test_repeated_revision_satisfies(
    postulate: str, said: list[Formula], a: Formula, m: Formula, relation: str
) -> None:
    """`relation` makes the premises of DP1 and DP2 frequent: the later input inside or outside the earlier one."""
    later = {"free": a, "within": And((a, m)), "against": And((a, Not(m)))}[relation]
    assume(models(later) and models(m))
    assert ITERATED[postulate](Case(said, later, m), later, m)


@CASES
@given(states, formulas)
def test_contraction_succeeds_unless_the_input_is_always_true(said: list[Formula], a: Formula) -> None:
    case = Case(said, a)
    left = case.contracted(a)
    if models(a) == WORLDS:
        assert left == case.held
    else:
        assert not case.models(left) <= models(a)


@CASES
@given(states, formulas)
def test_contraction_only_takes_away_and_takes_nothing_without_need(said: list[Formula], a: Formula) -> None:
    case = Case(said, a)
    left = case.contracted(a)
    assert set(left) <= set(case.held)
    if not case.models(case.held) <= models(a):
        assert left == case.held


@CASES
@given(states, formulas)
@example([TEA, BOAT, Or((~TEA, SAILS))], SAILS)
def test_relevance_whatever_is_lost_would_bring_the_input_back(said: list[Formula], a: Formula) -> None:
    """Hansson's sense: between what is left and the whole base there is a set that needs only the lost belief."""
    case = Case(said, a)
    left = case.contracted(a)
    for lost in set(case.held) - set(left):
        assert not case.models(left) <= models(a)
        assert case.models([*left, lost]) <= models(a)


@CASES
@given(states, formulas)
def test_core_retainment_whatever_is_lost_takes_part_in_the_input(said: list[Formula], a: Formula) -> None:
    case = Case(said, a)
    left = case.contracted(a)
    subsets = [list(c) for n in range(len(case.held) + 1) for c in combinations(case.held, n)]
    for lost in set(case.held) - set(left):
        assert any(not case.models(some) <= models(a) and case.models([*some, lost]) <= models(a) for some in subsets)


@settings(deadline=None)
@given(states, formulas, formulas)
def test_uniformity_inputs_implied_by_the_same_parts_take_the_same_away(
    said: list[Formula], a: Formula, b: Formula
) -> None:
    case = Case(said, a, b)
    subsets = [list(c) for n in range(len(case.held) + 1) for c in combinations(case.held, n)]
    alike = all((case.models(some) <= models(a)) == (case.models(some) <= models(b)) for some in subsets)
    if alike:
        assert case.contracted(a) == case.contracted(b)
    twin = And((a, Or((a, b))))
    assert Case(said, twin).contracted(twin) == case.contracted(a)


@CASES
@given(states, formulas)
def test_levi_revision_is_contraction_by_the_negation_then_expansion(said: list[Formula], a: Formula) -> None:
    assume(models(a))
    case = Case(said, a)
    by_steps = expand(contract(case.held, sentence(Not(a)), LAWS).held, sentence(a))
    assert set(by_steps) == set(revise(case.held, sentence(a), LAWS).held)


@CASES
@given(states, formulas)
def test_harper_contraction_is_what_revision_by_the_negation_leaves(said: list[Formula], a: Formula) -> None:
    assume(models(Not(a)))
    case = Case(said, a, Not(a))
    revised = revise(case.held, sentence(Not(a)), LAWS).held
    assert set(case.contracted(a)) == set(case.held) & set(revised)


@CASES
@given(states, formulas, formulas)
def test_nothing_given_up_by_contraction_returns_by_itself(said: list[Formula], a: Formula, b: Formula) -> None:
    """After a contraction an input that fits changes nothing else, so vacuity holds along the whole way."""
    case = Case(said, a, b)
    outcome = contract(case.state, sentence(a), LAWS)
    assert set(read(outcome.state, LAWS)) == set(outcome.held)
    if LAWS.consistent(*outcome.held, sentence(b)):
        after = revise(outcome.state, sentence(b), LAWS)
        assert set(after.held) == {*outcome.held, sentence(b)} - {TRUE}


def test_recovery_fails_on_purpose() -> None:
    """Giving up "tea or boat" loses both; learning again that one of them holds does not say which."""
    base = (sentence(TEA), sentence(BOAT))
    either = sentence(Or((TEA, BOAT)))
    left = contract(base, either, LAWS).held
    assert left == ()
    again = expand(left, either)
    assert not all(LAWS.entails(again, lost) for lost in base)


def test_a_correction_brings_back_what_the_corrected_belief_had_displaced() -> None:
    blue, black = statement("ann", "colour", "blue"), statement("ann", "colour", "black")
    first = revise((sentence(blue),), sentence(black), LAWS)
    assert (first.dropped, first.reinstated) == ((sentence(blue),), ())
    second = revise(first.state, sentence(~black), LAWS)
    assert second.reinstated == (sentence(blue),)
    given_up = contract(first.state, sentence(black), LAWS)
    assert given_up.held == ()


def test_an_impossible_input_changes_nothing() -> None:
    blue, black = statement("ann", "colour", "blue"), statement("ann", "colour", "black")
    state = (sentence(TEA),)
    outcome = revise(state, sentence(And((blue, black))), LAWS)
    assert (outcome.held, outcome.state) == (state, state)
