"""Laws of retention: monotone, inverted by its closed form, with the same instants in every function."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.errors import InvalidInput
from palazzo.model.kinds import KINDS, Durability, Kind
from palazzo.model.retention import (
    DAY_US,
    HOUR_US,
    LIFECYCLE,
    LifecyclePolicy,
    Wear,
    crossing_us,
    next_transition,
    retention,
    state_at,
)

calm = settings(deadline=None)

STATES = ("active", "stale", "archived", "deleted")

kinds = st.sampled_from(list(KINDS.values()))
durabilities = st.sampled_from([None, "permanent", "semester", "decaying", "transient"])
ages = st.integers(0, 4_000 * DAY_US)
sessions = st.integers(0, 10_000)
arousals = st.floats(0, 1)
wears = st.builds(Wear, kind=kinds, durability=durabilities, sessions=sessions, arousal=arousals, pinned=st.booleans())
policies = st.builds(
    lambda marks, transient, days: LifecyclePolicy(
        deleted_below=marks[0],
        archived_below=marks[1],
        stale_below=marks[2],
        transient_deleted_below=transient,
        archived_after_stale_days=days,
    ),
    st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted),
    st.floats(0, 1),
    st.floats(0, 400),
) | st.just(LIFECYCLE)


def left(wear: Wear, age_us: int) -> float:
    return retention(
        kind=wear.kind,
        durability=wear.durability,
        age_us=age_us,
        sessions=wear.sessions,
        arousal=wear.arousal,
    )


def test_identity_after_ten_sessions_and_two_hundred_days_keeps_779_thousandths() -> None:
    assert left(Wear(kind=KINDS["identity"], sessions=10), 200 * DAY_US) == pytest.approx(0.779, abs=0.0005)


def test_permanent_stays_semester_is_linear_over_two_years_and_transient_lasts_hours() -> None:
    fact = KINDS["fact"]
    assert left(Wear(kind=fact, durability="permanent"), 10_000 * DAY_US) == 1
    semester = Wear(kind=fact, durability="semester")
    assert [left(semester, days * DAY_US) for days in (0, 365, 730, 900)] == [1, 0.5, 0, 0]
    transient = Wear(kind=KINDS["transient"])
    assert left(transient, HOUR_US) == pytest.approx(0.368, abs=0.0005)


@calm
@given(wears, ages, ages)
def test_retention_lies_between_0_and_1_and_never_rises_with_time(wear: Wear, one: int, other: int) -> None:
    assert 1 >= left(wear, min(one, other)) >= left(wear, max(one, other)) >= 0


@calm
@given(kinds, durabilities, ages, st.tuples(sessions, sessions), st.tuples(arousals, arousals))
def test_retention_never_falls_with_more_sessions_or_more_arousal(
    kind: Kind, durability: Durability | None, age_us: int, visits: tuple[int, int], felt: tuple[float, float]
) -> None:
    less = Wear(kind=kind, durability=durability, sessions=min(visits), arousal=min(felt))
    more = Wear(kind=kind, durability=durability, sessions=max(visits), arousal=max(felt))
    assert left(less, age_us) <= left(more, age_us)


@pytest.mark.parametrize("arousal", [-3.0, float("nan")])
def test_values_out_of_range_count_as_the_nearest_or_none(arousal: float) -> None:
    plain = left(Wear(kind=KINDS["fact"]), 9 * DAY_US)
    assert left(Wear(kind=KINDS["fact"], arousal=arousal, sessions=-2), 9 * DAY_US) == plain
    assert left(Wear(kind=KINDS["fact"]), -5) == 1
    assert left(Wear(kind=KINDS["fact"], arousal=7), DAY_US) == left(Wear(kind=KINDS["fact"], arousal=1), DAY_US)


@calm
@given(wears, st.floats(0.001, 1))
def test_the_crossing_is_within_a_second_of_where_retention_passes_the_threshold(wear: Wear, threshold: float) -> None:
    at_us = crossing_us(
        threshold, kind=wear.kind, durability=wear.durability, sessions=wear.sessions, arousal=wear.arousal
    )
    if at_us is None:
        assert left(wear, 10_000 * DAY_US) == 1
    else:
        assert left(wear, at_us + 1_000_000) < threshold
        assert left(wear, max(at_us - 1_000_000, 0)) >= threshold


@pytest.mark.parametrize("durability", ["permanent", "semester", "decaying", "transient"])
def test_nothing_falls_below_zero_and_everything_lies_below_more_than_one(durability: str) -> None:
    for threshold, expected in ((0.0, None), (-1.0, None), (float("nan"), None), (1.5, 0)):
        crossed = crossing_us(threshold, kind=KINDS["fact"], durability=durability, sessions=0, arousal=0)
        assert crossed == expected


@calm
@given(wears, ages, policies)
def test_a_memory_swept_when_due_is_in_the_state_that_was_foretold(
    wear: Wear, age_us: int, policy: LifecyclePolicy
) -> None:
    before = state_at(wear, age_us, policy)
    foretold = next_transition(wear, age_us, policy)
    if foretold is None:
        assert state_at(wear, age_us + 10**6 * DAY_US, policy) == before
    else:
        state, at_us = foretold
        assert at_us > age_us
        assert STATES.index(state) > STATES.index(before)
        assert state_at(wear, at_us, policy) == state
        assert state_at(wear, at_us - 1, policy) == before


@calm
@given(wears, ages)
def test_the_state_agrees_with_retention_away_from_the_thresholds(wear: Wear, age_us: int) -> None:
    state, remains = state_at(wear, age_us), left(wear, age_us)
    if wear.pinned or remains >= 0.3001:
        assert state == "active"
    elif remains < 0.2999:
        assert state != "active"
        if remains < 0.0999:
            assert state in ("archived", "deleted")


@calm
@given(kinds, durabilities, ages, sessions, st.booleans())
def test_what_is_pinned_permanent_or_an_instruction_is_never_deleted_by_decay(
    kind: Kind, durability: Durability | None, age_us: int, visits: int, pinned: bool
) -> None:
    wear = Wear(kind=kind, durability=durability, sessions=visits, pinned=pinned)
    if pinned or durability == "permanent" or kind.name == "instruction":
        assert state_at(wear, age_us + 10**5 * DAY_US) != "deleted"


@pytest.mark.parametrize("durability", ["semester", "decaying", "transient"])
def test_an_instruction_marked_to_fade_is_archived_at_most(durability: Durability) -> None:
    assert state_at(Wear(kind=KINDS["instruction"], durability=durability), 10**5 * DAY_US) == "archived"


def walk(wear: Wear, unit_us: int) -> list[tuple[str, float]]:
    seen: list[tuple[str, float]] = []
    age_us = 0
    while step := next_transition(wear, age_us):
        seen.append((step[0], round(step[1] / unit_us, 1)))
        age_us = step[1]
    return seen


def test_a_fading_memory_walks_through_every_state_in_turn() -> None:
    task = walk(Wear(kind=KINDS["task"]), DAY_US)
    assert task == [("stale", 36.1), ("archived", 66.1), ("deleted", 138.2)]
    transient = walk(Wear(kind=KINDS["transient"]), HOUR_US)
    assert transient == [("stale", 1.2), ("archived", 2.3), ("deleted", 3.0)]


def test_thirty_days_of_staleness_archive_what_fades_slowly() -> None:
    identity = Wear(kind=KINDS["identity"])
    stale_us = crossing_us(0.3, kind=identity.kind, durability=None, sessions=0, arousal=0)
    assert stale_us is not None
    assert state_at(identity, stale_us + 30 * DAY_US - 1) == "stale"
    assert state_at(identity, stale_us + 30 * DAY_US) == "archived"


@pytest.mark.parametrize(
    "wrong",
    [
        {"stale_below": 0.05},
        {"deleted_below": -0.1},
        {"stale_below": 1.1},
        {"transient_deleted_below": float("nan")},
        {"archived_after_stale_days": -1},
        {"purged_after_days": float("inf")},
    ],
)
def test_a_lifecycle_out_of_order_or_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        LifecyclePolicy(**wrong)


def test_an_unknown_durability_is_refused() -> None:
    with pytest.raises(InvalidInput):
        retention(kind=KINDS["fact"], durability="forever", age_us=0, sessions=0, arousal=0)
