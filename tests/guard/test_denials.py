"""What is denied stays denied, whatever else is granted; whoever changes a grant is told what that changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import Memory
from palazzo.engine import Engine
from palazzo.errors import NotFound, NotPermitted
from palazzo.guard.access import Access, effects
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import Grant, Level
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.guard.run import NONE_LEFT

PLACES = ("work", "work.desk", "work.desk.drawer", "life", "life.diary", "other")
DESK = Caller(subject="mcp:desk")


@pytest.fixture
def palace(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none") as memory:
        for place in PLACES:
            memory.remember(f"The heron of {place} is grey.", place=place, name="heron", kind="fact", verbatim=True)
        yield memory


def seen(engine: Engine) -> set[str]:
    return {one.place for one in call(engine, DESK, "list", {"limit": 50})}


def may_write(engine: Engine, place: str) -> bool:
    try:
        call(engine, DESK, "remember", {"text": f"A reed grows near {place}.", "place": place})
    except NotPermitted:
        return False
    return True


def test_a_denial_beside_a_wider_grant_holds_for_reading_writing_and_forgetting(palace: Memory) -> None:
    palace.grant("mcp:desk", "forget")
    palace.grant("mcp:desk", "none", place="life.**")
    assert seen(palace.engine) == {"work", "work.desk", "work.desk.drawer", "other"}
    assert may_write(palace.engine, "work")
    assert not may_write(palace.engine, "life")
    assert not may_write(palace.engine, "life.new.deeper")
    counted = call(palace.engine, DESK, "burn", {"everything": True})
    assert counted.memories == len(seen(palace.engine)) + 1
    for name, given_ in (("get", {"memory": "life/heron.fact"}), ("forget", {"memory": "life.diary/heron.fact"})):
        with pytest.raises(NotFound):
            call(palace.engine, DESK, name, given_)


def test_a_denial_holds_against_a_grant_for_a_place_within_it(palace: Memory) -> None:
    palace.grant("mcp:desk", "write", place="work.desk.**")
    palace.grant("mcp:desk", "none", place="work.**")
    with pytest.raises(NotPermitted):
        seen(palace.engine)
    palace.grant("mcp:desk", "read_public", place="other")
    assert seen(palace.engine) == {"other"}


def test_a_lower_grant_for_a_narrower_place_limits_the_wider_one_and_a_higher_one_widens_it(palace: Memory) -> None:
    palace.grant("mcp:desk", "write")
    palace.grant("mcp:desk", "read_public", place="work.**")
    palace.grant("mcp:desk", "write", place="work.desk")
    assert [may_write(palace.engine, place) for place in ("life", "work", "work.desk", "work.desk.drawer")] == [
        True, False, True, False,
    ]  # fmt: skip
    assert "work.desk.drawer" in seen(palace.engine)


def test_a_denial_that_has_not_begun_or_has_ended_denies_nothing(palace: Memory) -> None:
    palace.grant("mcp:desk", "read_public")
    palace.grant("mcp:desk", "none", place="life.**", days=0.0000000001)
    assert "life" in seen(palace.engine)


def told(palace: Memory, place: str) -> tuple[set[tuple[str, str, str]], str]:
    found = palace.revoke("mcp:desk", place=place)
    return {(one.place, one.before, one.after) for one in found.effects}, found.note


def test_taking_a_limit_away_says_what_becomes_allowed(palace: Memory) -> None:
    palace.grant("mcp:desk", "write")
    made = palace.grant("mcp:desk", "none", place="life.**")
    assert [(one.place, one.before, one.after) for one in made.effects] == [("life.**", "write", "none")]
    palace.grant("mcp:desk", "read_public", place="work.*")
    assert told(palace, "work.*") == ({("work.*", "read_public", "write")}, "")
    assert told(palace, "life.**") == ({("life.**", "none", "write")}, "")


def test_taking_the_last_grant_away_says_that_the_default_holds(palace: Memory) -> None:
    palace.grant("mcp:desk", "none")
    changed, note = told(palace, "**")
    assert changed == {("**", "none", "anchor")}
    assert note == NONE_LEFT
    palace.grant("agent:nobody", "write", place="work.**")
    found = palace.revoke("agent:nobody", place="work.**")
    assert [(one.place, one.before, one.after) for one in found.effects] == [("work.**", "write", "none")]


segments = st.lists(st.sampled_from(["a", "b", "vault"]), max_size=3).map(tuple)
globs = st.builds(PlaceGlob, segments.map(Place), st.sampled_from(["self", "children", "subtree"]))


def held(of: list[tuple[Level, PlaceGlob]]) -> Access:
    made = {
        str(glob): Grant(
            subject="mcp:x", subject_kind="mcp", level=level, glob=glob, start_us=0, expires_us=None, granted_by="o"
        )
        for level, glob in of
    }
    return Access("mcp:x", tuple(made.values()), 1, frozenset({"vault"}), vault_open=True)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(Level), globs), max_size=4),
    st.lists(st.tuples(st.sampled_from(Level), globs), max_size=4),
    st.lists(st.sampled_from(["a", "b", "c", "vault"]), max_size=5).map(tuple).map(Place),
)
def test_every_place_whose_level_changes_is_in_a_line_and_no_other_change_is_told(
    one: list[tuple[Level, PlaceGlob]], two: list[tuple[Level, PlaceGlob]], place: Place
) -> None:
    before, after = held(one), held(two)
    lines = [line for line in effects(before, after) if line.glob.matches(place)]
    change = (before.level(place), after.level(place))
    if change[0] != change[1]:
        assert change in {(line.before, line.after) for line in lines}
    assert all(line.before != line.after for line in effects(before, after))
