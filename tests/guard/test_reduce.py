"""What the guard finds in a result: ids however deep, each once, and figures only where a type can hold them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from palazzo.guard.reduce import coarse, ids_in
from palazzo.guard.rules import Rules


@dataclass(frozen=True)
class Figure:
    name: str
    value: float = 0.0


class Leaf(msgspec.Struct, frozen=True):
    id: UUID
    about: UUID | None = None
    figures: tuple[Figure, ...] = ()


class Branch(msgspec.Struct, frozen=True):
    score: float
    relevance: float
    trust: float
    reasons: tuple[Figure, ...]
    leaf: Leaf | None
    others: tuple[UUID, ...]
    match: str = "high"
    parts: Figure | None = Figure("exact")


class Tree(msgspec.Struct, frozen=True):
    latency_ms: float
    candidates: int
    branches: tuple[Branch, ...]
    more: tuple[Branch | Leaf, ...] = ()


IDS = st.integers(0, 9).map(lambda number: UUID(int=number))
FIGURES = st.lists(st.builds(Figure, st.just("f")), max_size=2).map(tuple)
LEAVES = st.builds(Leaf, IDS, st.none() | IDS, FIGURES)
BRANCHES = st.builds(
    Branch, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), FIGURES, st.none() | LEAVES,
    st.lists(IDS, max_size=3).map(tuple),
)  # fmt: skip
TREES = st.builds(
    Tree, st.just(1.5), st.just(9), st.lists(BRANCHES, max_size=4).map(tuple),
    st.lists(BRANCHES | LEAVES, max_size=3).map(tuple),
)  # fmt: skip


def every_id(value: Any) -> list[UUID]:
    """The plain walk over everything there is."""
    if isinstance(value, UUID):
        return [value]
    if isinstance(value, tuple):
        return [found for one in value for found in every_id(one)]
    if dataclasses.is_dataclass(value):
        return [found for field in dataclasses.fields(value) for found in every_id(getattr(value, field.name))]
    if isinstance(value, msgspec.Struct):
        return [found for name in value.__struct_fields__ for found in every_id(getattr(value, name))]
    return []


@given(TREES, st.integers(1, 12))
def test_the_first_ids_of_a_result_are_those_of_a_walk_over_all_of_it(tree: Tree, at_most: int) -> None:
    assert ids_in(tree, at_most) == list(dict.fromkeys(every_id(tree)))[:at_most]


@given(TREES)
def test_no_figure_of_a_hit_is_left_exact_for_an_untrusted_reader(tree: Tree) -> None:
    shown = coarse(tree, Rules())
    assert (shown.latency_ms, shown.candidates) == (0.0, 0)
    for branch in (*shown.branches, *(one for one in shown.more if isinstance(one, Branch))):
        assert branch.reasons == ()
        assert branch.parts is None
        assert {branch.score, branch.relevance} <= {0.85, 0.6, 0.4, 0.0}
    assert every_id(shown) == every_id(tree)
