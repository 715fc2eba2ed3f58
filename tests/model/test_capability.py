"""Laws of capabilities: nothing without a grant, none denies whatever is granted, the narrower grant decides."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.errors import InvalidInput
from palazzo.model.address import ROOT, Place, PlaceGlob
from palazzo.model.capability import (
    DAY_US,
    HARD_LOCKED,
    Grant,
    Level,
    default_grants,
    is_hard_locked,
    level_at,
    reach_of,
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


UNIVERSE = [Place(segments) for n in range(5) for segments in product(["work", "forest", "vault", "a"], repeat=n)]


def decided(held: list[Grant], place: Place) -> Level:
    """The reference, by sets of places: a none decides, else the lowest of the grants that no other lies within."""
    extents = {str(one.glob): frozenset(p for p in UNIVERSE if _within(one.glob, p)) for one in held}
    here = [one for one in held if _within(one.glob, place)]
    if any(one.level is Level.none for one in here):
        return Level.none
    inmost = [
        one for one in here if not any(extents[str(other.glob)] < extents[str(one.glob)] for other in here)
    ]  # fmt: skip
    return min((one.level for one in inmost), default=Level.none)


def _within(glob: PlaceGlob, place: Place) -> bool:
    above, here = glob.place.segments, place.segments
    if here[: len(above)] != above:
        return False
    return {"self": len(here) == len(above), "children": len(here) == len(above) + 1, "subtree": True}[glob.reach]


@calm
@given(grants, places)
def test_the_level_is_that_of_the_narrowest_grant_and_none_denies(held: list[Grant], place: Place) -> None:
    held = list({str(one.glob): one for one in held}.values())
    wanted = decided(held, place)
    assert level_at(held, place, held) == wanted
    for level in Level:
        reached = any(glob.matches(place) for glob in reach_of(held, level, held))
        assert reached == (wanted >= level) or level is Level.none


@calm
@given(grants, globs, places)
def test_a_grant_of_none_takes_away_what_it_covers_and_nothing_else(
    held: list[Grant], glob: PlaceGlob, place: Place
) -> None:
    held = [one for one in held if one.glob != glob]
    denied = [*held, grant(Level.none, glob)]
    before = level_at(held, place, held)
    assert level_at(denied, place, denied) == (Level.none if glob.matches(place) else before)


@calm
@given(grants, places)
def test_no_level_comes_from_several_grants_together(held: list[Grant], place: Place) -> None:
    assert level_at(held, place, held) in {Level.none, *(one.level for one in held if one.glob.matches(place))}


def test_without_a_grant_there_is_nothing() -> None:
    assert level_at([], ROOT, []) is Level.none
    assert reach_of([], Level.anchor, []) == ()


def test_what_is_denied_as_a_whole_is_no_reach_at_all() -> None:
    held = [grant(Level.write, "work.**"), grant(Level.none, "**")]
    assert reach_of(held, Level.anchor, held) == ()
    assert level_at(held, Place.parse("work.desk"), held) is Level.none


def test_a_grant_holds_from_its_start_until_just_before_its_expiry() -> None:
    held = grant(Level.write, "work.**", expires_us=NOW_US + 10)
    assert [held.in_force(NOW_US + at) for at in (-1, 0, 9, 10)] == [False, True, True, False]


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
def test_a_hard_locked_kind_is_known_however_it_is_written_and_has_no_default(kind: str) -> None:
    assert is_hard_locked(kind)
    assert default_grants("kit:purse", kind, NOW_US) == ()


@pytest.mark.parametrize(
    ("subject", "kind", "expected"),
    [
        ("operator", "operator", {"work": 6, "life": 6, "": 6}),
        ("agent:primary", "agent", {"work": 5, "life.health": 5, "": 5}),
        ("agent:other", "agent", {"work": 0}),
        ("shell", "shell", {"work.desk": 5, "forest.today": 5, "life": 0, "": 0}),
        ("mcp:new", "mcp", {"work": 1, "life": 1}),
        ("operator", "mcp", {"work": 1}),
        ("kit:slack", "kit", {"work": 0}),
        ("who", "", {"work": 0}),
    ],
)
def test_defaults_give_each_subject_what_the_guard_page_says(subject: str, kind: str, expected: dict[str, int]) -> None:
    held = default_grants(subject, kind, NOW_US)
    assert {path: int(level_at(held, Place.parse(path), held)) for path in expected} == expected


def test_a_new_mcp_client_has_its_anchor_for_thirty_days() -> None:
    (held,) = default_grants("mcp:new", "mcp", NOW_US)
    assert held.in_force(NOW_US + 30 * DAY_US - 1)
    assert not held.in_force(NOW_US + 30 * DAY_US)
