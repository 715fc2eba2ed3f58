from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.belief.oracle import FUNCTIONAL, PLAIN, formulas, models

from palazzo.belief.logic import Formula, Laws, Literal, sentence
from palazzo.belief.revision import HALF_YEAR_US, Grounds, HeldBelief, Rank, Shadow, arrange, rank_of, read, revise

LAWS = Laws(FUNCTIONAL)
NOW = 10 * HALF_YEAR_US


def rank(position: int) -> Rank:
    return (1.0 / (1 + position), 0, 0, f"{position:04}")


def test_more_sources_outrank_fewer() -> None:
    one, three = (rank_of(Grounds(criterion="evidence", evidence=n), NOW) for n in (1, 3))
    assert three > one


def test_newer_outranks_older_where_recency_counts() -> None:
    old, new = (rank_of(Grounds(criterion="recency", since_us=us), NOW) for us in (0, NOW))
    assert new > old


def test_half_a_year_of_age_weighs_as_one_source() -> None:
    aged = rank_of(Grounds(criterion="recency", since_us=NOW - HALF_YEAR_US), NOW)
    assert aged[0] == rank_of(Grounds(criterion="evidence", evidence=1), NOW)[0] == 0.5


def test_what_others_rest_on_outranks_its_equal() -> None:
    alone, needed = (rank_of(Grounds(criterion="confidence", confidence=0.8, dependents=n), NOW) for n in (0, 2))
    assert needed > alone


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2), st.text(max_size=2)), unique=True))
def test_different_beliefs_never_rank_alike(parts: list[tuple[int, int, int, str]]) -> None:
    ranks = [
        rank_of(Grounds(criterion="evidence", evidence=1 + e, dependents=d, since_us=s, name=n), NOW)
        for e, d, s, n in parts
    ]
    assert len(set(ranks)) == len({(e, d, s, n) for e, d, s, n in parts})


@settings(deadline=None)
@given(st.lists(formulas, min_size=1, max_size=6), st.lists(st.integers(0, 9), min_size=12, max_size=12))
def test_whatever_the_ranks_the_greedy_reading_is_what_is_held(said: list[Formula], figures: list[int]) -> None:
    """Also after the figures have moved since the beliefs were given up."""
    state = tuple(dict.fromkeys(map(sentence, said)))
    held = read(state, LAWS)
    gone = [one for one in state if one not in held]
    order = arrange(
        [HeldBelief(one, (figures[n] / 10, 0, 0, f"h{n}")) for n, one in enumerate(held)],
        [Shadow(one, (figures[6 + n] / 10, 0, 0, f"s{n}"), frozenset(held)) for n, one in enumerate(gone)],
        LAWS,
    )
    assert set(read(order, LAWS)) == set(held)


@settings(deadline=None)
@given(st.lists(formulas, min_size=1, max_size=5), st.lists(formulas, min_size=1, max_size=3))
def test_ranks_and_displacements_alone_rebuild_the_state(said: list[Formula], inputs: list[Formula]) -> None:
    """What the store keeps (each belief's rank, and what it was given up for) is the whole epistemic state."""
    state = read(tuple(dict.fromkeys(map(sentence, said))), LAWS)
    ranks = {one: rank(n) for n, one in enumerate(state)}
    gone: dict[frozenset[object], Shadow] = {}
    for number, formula in enumerate(inputs):
        if not models(formula):
            continue
        new = sentence(formula)
        ranks.setdefault(new, rank(100 + number))
        outcome = revise(state, new, LAWS)
        for one in outcome.dropped:
            by = gone[one].by if one in gone else frozenset()
            gone[one] = Shadow(one, ranks[one], by | {new})
        for one in outcome.reinstated:
            gone.pop(one, None)
        gone.pop(new, None)
        built = arrange([HeldBelief(one, ranks[one]) for one in outcome.held], list(gone.values()), LAWS)
        assert set(read(built, LAWS)) == set(outcome.held)
        state = built


def test_a_shadow_without_its_displacer_is_gone_for_good() -> None:
    a, b = (sentence(Literal(one)) for one in PLAIN[:2])
    shadow = Shadow(a, rank(0), frozenset({b}))
    assert arrange([], [shadow], LAWS) == ()
