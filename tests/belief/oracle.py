"""A truth table for small languages: worlds as numbers, a formula as the set of worlds where it is true.

Shares no code with palazzo.belief beyond the shape of formulas, so that the two can be held against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import strategies as st

from palazzo.belief.logic import And, Formula, Literal, Not, Or, Statement

COLOUR = [Statement("ann", "colour", value) for value in ("blue", "black", "red")]
PLAIN = [Statement("ann", "likes", "tea"), Statement("bob", "owns", "boat"), Statement("bob", "sails", "yes")]
STATEMENTS = COLOUR + PLAIN
FUNCTIONAL = (("ann", "colour"),)

World = frozenset[Statement]
ALL_WORLDS: tuple[World, ...] = tuple(
    frozenset(one for one, true in zip(STATEMENTS, choice, strict=True) if true)
    for choice in product((False, True), repeat=len(STATEMENTS))
)
WORLDS: frozenset[World] = frozenset(world for world in ALL_WORLDS if len(world & frozenset(COLOUR)) <= 1)
"""The worlds the law of functional slots allows."""

Models = frozenset[World]


def true_in(formula: Formula, world: World) -> bool:
    if isinstance(formula, Literal):
        return (formula.statement in world) == formula.positive
    if isinstance(formula, Not):
        return not true_in(formula.part, world)
    if isinstance(formula, And):
        return all(true_in(part, world) for part in formula.parts)
    return any(true_in(part, world) for part in formula.parts)


def models(formula: Formula) -> Models:
    return frozenset(world for world in WORLDS if true_in(formula, world))


def together(formulas: Sequence[Formula]) -> Models:
    return frozenset(world for world in WORLDS if all(true_in(one, world) for one in formulas))


def best_worlds(state: Sequence[Formula], among: Models) -> Models:
    """The worlds that satisfy the state best, compared from its first formula to its last (Grove's sphere)."""
    found = among
    for formula in state:
        narrowed = frozenset(world for world in found if true_in(formula, world))
        found = narrowed or found
    return found


literals = st.builds(Literal, st.sampled_from(STATEMENTS), st.booleans())
clauses = st.lists(literals, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts)))
rules = st.builds(
    lambda premises, conclusion: Or((*(~premise for premise in premises), conclusion)),
    st.lists(st.builds(Literal, st.sampled_from(STATEMENTS)), min_size=1, max_size=2),
    st.builds(Literal, st.sampled_from(STATEMENTS)),
)
formulas: st.SearchStrategy[Formula] = st.recursive(
    literals,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=5,
)
