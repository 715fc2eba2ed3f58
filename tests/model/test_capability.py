"""Laws of capabilities: nothing without a grant, the vault only by name, hard locks whatever is granted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemon.errors import InvalidInput
from mnemon.model.address import ROOT, Place, PlaceGlob
from mnemon.model.capability import (
    DAY_US,
    HARD_LOCKED,
    VAULT,
    Grant,
    Level,
    allows,
    default_grants,
    is_hard_locked,
    level_at,
)

calm = settings(deadline=None)

NOW_US = 1_776_000_000_000_000

places = st.lists(st.sampled_from(["work", "forest", "vault", "a"]), max_size=3).map(lambda s: Place(tuple(s)))
globs = st.builds(PlaceGlob, places, st.sampled_from(["self", "children", "subtree"]))


def grant(level: Level, glob: PlaceGlob | str, **changes: object) -> Grant:
    fields = {
        "subject": "mcp:x",
        "subject_kind": "mcp",
        "level": level,
        "glob": PlaceGlob.parse(glob) if isinstance(glob, str) else glob,
        "start_us": NOW_US,
        "expires_us": None,
        "granted_by": "operator",
    }
    return Grant(**(fields | changes))  # type: ignore[arg-type]


grants = st.lists(st.builds(grant, st.sampled_from(Level), globs), max_size=4)


def test_each_level_is_more_than_the_last() -> None:
    assert [level.name for level in sorted(Level)] == [
        "none",
        "anchor",
        "metadata",
        "read_public",
        "read_all",
        "write",
        "forget",
    ]


@calm
@given(grants, places, st.sampled_from(Level))
def test_a_level_is_allowed_exactly_when_one_grant_reaches_it(held: list[Grant], place: Place, level: Level) -> None:
    assert allows(held, place, level, NOW_US) == (level_at(held, place, NOW_US) >= level)
    alone = any(allows([one], place, level, NOW_US) for one in held) or level is Level.none
    assert allows(held, place, level, NOW_US) == alone


@calm
@given(grants, grants, places)
def test_a_further_grant_never_takes_anything_away(held: list[Grant], more: list[Grant], place: Place) -> None:
    assert level_at([*held, *more], place, NOW_US) >= level_at(held, place, NOW_US)


@calm
@given(globs, places)
def test_the_vault_is_reached_only_by_a_grant_that_names_it(glob: PlaceGlob, below: Place) -> None:
    inside = Place(("vault", *below.segments))
    reached = level_at([grant(Level.forget, glob)], inside, NOW_US) > Level.none
    assert reached == (glob.matches(inside) and VAULT.contains(glob.place))


def test_without_a_grant_there_is_nothing() -> None:
    assert level_at([], ROOT, NOW_US) is Level.none
    assert not allows([], Place.parse("work"), Level.anchor, NOW_US)


def test_a_grant_holds_from_its_start_until_just_before_its_expiry() -> None:
    held = [grant(Level.write, "work.**", expires_us=NOW_US + 10)]
    place = Place.parse("work.foxora")
    assert [allows(held, place, Level.write, NOW_US + at) for at in (-1, 0, 9, 10)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"glob": PlaceGlob.parse("work.**#2026-04")},
        {"expires_us": NOW_US},
        {"subject": ""},
        {"subject_kind": ""},
    ],
)
def test_a_grant_that_could_be_misread_cannot_be_made(wrong: dict[str, object]) -> None:
    fields = {"glob": "work.**"} | wrong
    with pytest.raises(InvalidInput):
        grant(Level.write, fields.pop("glob"), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [*sorted(HARD_LOCKED), "kit:banking", "Password_Manager", "health-kit"])
def test_a_hard_locked_kit_stays_at_none_until_its_lock_is_lifted(kind: str) -> None:
    held = [grant(Level.forget, "**", subject="kit:purse", subject_kind=kind)]
    place = Place.parse("work")
    assert is_hard_locked(kind)
    assert level_at(held, place, NOW_US) is Level.none
    assert not allows(held, place, Level.anchor, NOW_US)
    assert not allows(held, place, Level.anchor, NOW_US, unlocked={"kit:other"})
    assert allows(held, place, Level.forget, NOW_US, unlocked={"kit:purse"})
    assert default_grants("kit:purse", kind, NOW_US) == ()


@pytest.mark.parametrize(
    ("subject", "kind", "expected"),
    [
        ("operator", "operator", {"work": 6, "life": 6, "vault.keys": 6, "": 6}),
        ("agent:primary", "agent", {"work": 5, "life.health": 5, "vault": 0, "vault.keys": 0, "": 5}),
        ("agent:other", "agent", {"work": 0}),
        ("shell", "shell", {"work.desk": 5, "forest.today": 5, "life": 0, "vault": 0, "": 0}),
        ("mcp:new", "mcp", {"work": 1, "life": 1, "vault": 0}),
        ("operator", "mcp", {"work": 1, "vault": 0}),
        ("kit:slack", "kit", {"work": 0}),
        ("who", "", {"work": 0}),
    ],
)
def test_defaults_give_each_subject_what_the_guard_page_says(subject: str, kind: str, expected: dict[str, int]) -> None:
    held = default_grants(subject, kind, NOW_US)
    assert {path: int(level_at(held, Place.parse(path), NOW_US)) for path in expected} == expected


def test_a_new_mcp_client_has_its_anchor_for_thirty_days() -> None:
    held = default_grants("mcp:new", "mcp", NOW_US)
    assert allows(held, Place.parse("work"), Level.anchor, NOW_US + 30 * DAY_US - 1)
    assert not allows(held, Place.parse("work"), Level.anchor, NOW_US + 30 * DAY_US)
