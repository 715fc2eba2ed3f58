"""The kinds table holds what the concept page promises, says why, and refuses nonsense."""

from __future__ import annotations

import pytest
from msgspec.structs import fields

from palazzo.errors import InvalidInput, UnknownKind
from palazzo.model.kinds import KINDS, Kind, KindTable

YEAR = 365


@pytest.mark.parametrize(
    ("name", "layer", "stability", "lifespan", "conflict", "entrenched_by"),
    [
        ("identity", "semantic", 365, None, "ask", "evidence"),
        ("relationship", "semantic", 270, 5 * YEAR, "temporal", "evidence"),
        ("preference", "semantic", 180, YEAR / 2, "temporal", "recency"),
        ("event", "episodic", 120, None, "keep_both", "evidence"),
        ("activity", "episodic", 60, YEAR / 2, "keep_both", "recency"),
        ("task", "episodic", 30, 7, "temporal", "recency"),
        ("context", "episodic", 14, 1, "temporal", "recency"),
        ("transient", "raw", 1, 1, "use_new", "recency"),
    ],
)
def test_the_figures_of_the_concept_page_are_in_the_table(
    name: str, layer: str, stability: float, lifespan: float | None, conflict: str, entrenched_by: str
) -> None:
    kind = KINDS[name]
    assert (kind.layer, kind.base_stability_days, kind.lifespan_days) == (layer, stability, lifespan)
    assert (kind.conflict, kind.entrenched_by) == (conflict, entrenched_by)


def test_every_named_kind_is_there_with_a_reason() -> None:
    named = "identity relationship preference event activity task context transient fact"
    others = "decision instruction residence employment reflection error procedure summary exchange claim"
    more = f"{others} bundle asset rule schema document section digest"
    assert set(KINDS) == set(f"{named} {more}".split())
    assert all(kind.why and kind.name == name for name, kind in KINDS.items())


def test_homes_last_three_years_and_jobs_two() -> None:
    assert KINDS["residence"].lifespan_days == 3 * YEAR
    assert KINDS["employment"].lifespan_days == 2 * YEAR


def test_instructions_never_fade_and_decaying_is_the_rule() -> None:
    assert KINDS["instruction"].durability == "permanent"
    assert {KINDS[name].durability for name in ("identity", "preference", "event", "task")} == {"decaying"}
    assert KINDS["transient"].durability == "transient"


def test_a_functional_slot_holds_one_value_and_a_star_stands_for_any_ending() -> None:
    assert KINDS["preference"].holds_one("favorite_color")
    assert not KINDS["preference"].holds_one("likes")
    assert KINDS["residence"].holds_one("lives_in")
    assert not KINDS["residence"].holds_one("lives_in_summer")


def test_an_unknown_kind_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownKind) as error:
        KindTable().get("wish")
    assert error.value.known == KindTable().names
    assert "identity" in str(error.value)


def test_the_built_in_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        KINDS["wish"] = KINDS["task"]  # type: ignore[index]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "My Kind"},
        {"name": ""},
        {"layer": "deep"},
        {"durability": "forever"},
        {"conflict": "keep both"},
        {"entrenched_by": "luck"},
        {"base_stability_days": 0},
        {"base_stability_days": float("nan")},
        {"base_stability_days": float("inf")},
        {"lifespan_days": -1},
    ],
)
def test_a_kind_with_a_figure_out_of_range_cannot_be_made(wrong: dict[str, object]) -> None:
    good = {field.name: getattr(KINDS["task"], field.name) for field in fields(Kind)}
    with pytest.raises(InvalidInput):
        Kind(**(good | wrong))
