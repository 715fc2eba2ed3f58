"""The measure of continuity: what is planted in a session is found again after compactions, a restart and a kill."""

from __future__ import annotations

import pytest
from bench.continuity import lists, measure, states, window
from bench.continuity_story import DEVELOPMENT, HELD_OUT, PlanTold, story

from palazzo.persona.bridge import WorkNotes, bridge_of
from palazzo.persona.listed import Todo, relisted
from palazzo.persona.work import SaidTurn


def test_a_session_that_was_compacted_ended_and_killed_is_found_again() -> None:
    found = measure(4, "development")
    assert (found["acknowledged"], found["compactions"], found["previous"]) == (100, 3, "ended")
    assert found["palazzo"]["facts"] >= 0.9
    assert found["palazzo"]["decisions"] >= 0.9
    assert found["palazzo"]["plan_states"] == 1
    assert found["palazzo"]["names"] == 1
    assert found["palazzo"]["cancelled_offered_as_open"] == 0
    assert found["without"]["facts"] < 0.5
    assert found["without"]["plan_states"] < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_a_story_has_two_hundred_turns_and_ends_come_behind_their_beginnings(seed: int) -> None:
    made = story(seed, HELD_OUT)
    assert len(made.turns) == 200
    for plan in made.plans:
        told = [text for _, text in made.turns if plan.named in text.lower()]
        assert len(told) == (1 if plan.state == "open" else 2)
    assert len(window(made)) < 20_000


def test_plans_told_in_every_wording_of_the_development_set_are_read() -> None:
    for seed in range(8):
        made = story(seed, DEVELOPMENT)
        items = bridge_of([SaidTurn(role, text, at) for at, (role, text) in enumerate(made.turns, 1)]).items
        for plan in made.plans:
            assert {item.state for item in items if plan.named in item.text.lower()} == {plan.state}, plan


@pytest.mark.parametrize("removed", [True, False])
def test_an_agent_that_keeps_a_list_of_its_work_is_told_every_state_of_it(removed: bool) -> None:
    for seed in range(3):
        made = story(seed)
        listed: tuple[Todo, ...] = ()
        for number, entries in lists(made, removed=removed).items():
            todos = [Todo(one["text"], one["state"], 2 * number + 2) for one in entries]  # type: ignore[arg-type]
            listed = relisted(listed, todos)
        turns = [SaidTurn(role, text, at) for at, (role, text) in enumerate(made.turns, 1)]
        found = bridge_of(turns, WorkNotes(listed=listed))
        right, resumed = states(made.plans, [(item.text, item.state) for item in found.items])
        assert (sum(right), resumed) == (len(made.plans), 0)


def test_a_plan_that_names_another_ones_thing_is_not_counted_as_that_one() -> None:
    plans = [
        PlanTold("pricing page", "open", ("Redesign the pricing page.",)),
        PlanTold("chatbot", "cancelled", ("Put a chatbot on the pricing page.",)),
    ]
    items = [("Redesign the pricing page.", "open"), ("Put a chatbot on the pricing page.", "cancelled")]
    assert states(plans, items) == ([True, True], 0)
