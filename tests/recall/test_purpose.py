"""A context for a task, a flow, an orchestrator or a delegation is the same call in another scope."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recall.conftest import Room

from palazzo.errors import InvalidInput
from palazzo.model.capability import View
from palazzo.model.scope import LEVELS, Scope, visible
from palazzo.recall.answer.context import ContextTurn
from palazzo.recall.read.presets import PURPOSES, READS, Purpose, view_for
from palazzo.recall.talk.dialogue import Dialogue

OWN = Scope.of(project="ferry", squad="deck", agent="planner", channel="standup", user="anna")


@pytest.fixture
def dialogue(room: Room) -> Dialogue:
    owners = {
        "everybody": Scope(), "the project": Scope.of(project="ferry"),
        "the squad": Scope.of(project="ferry", squad="deck"), "the planner": Scope(OWN.levels[:3]),
        "the welder": Scope.of(project="ferry", squad="deck", agent="welder"), "anna": OWN,
        "another project": Scope.of(project="dam"),
    }  # fmt: skip
    for name, scope in owners.items():
        room.keep(f"The hull report of {name} is done.", scope=scope)
    return Dialogue(room.recall, room.spaces, room.clock)


def owners_in(dialogue: Dialogue, purpose: Purpose, delegate: str = "") -> set[str]:
    turn = ContextTurn(message="Finish the hull report", purpose=purpose, delegate=delegate, budget_tokens=2000)
    made = dialogue.context(turn, View(scope=OWN))
    return {hit.text.removeprefix("The hull report of ").removesuffix(" is done.") for hit in made.reply.hits}


def test_each_purpose_reads_what_it_says(dialogue: Dialogue) -> None:
    shared = {"everybody", "the project", "the squad"}
    assert owners_in(dialogue, "turn") == {*shared, "the planner", "anna"}
    assert owners_in(dialogue, "task") == {*shared, "the planner", "anna"}
    assert owners_in(dialogue, "flow") == shared
    assert owners_in(dialogue, "orchestrator") == {*shared, "the planner", "the welder"}
    assert owners_in(dialogue, "delegation", "welder") == {*shared, "the welder"}


def test_nothing_of_a_conversation_goes_along_with_work_for_another(room: Room, dialogue: Dialogue) -> None:
    dialogue.hear("anna", "My door code is under the mat.")
    turn = ContextTurn(message="Paint the hull", purpose="delegation", delegate="welder", budget_tokens=2000)
    assert (
        "under the mat"
        in dialogue.context(ContextTurn(message="Paint the hull", budget_tokens=2000), View(scope=OWN)).text
    )
    handed = dialogue.context(turn, View(scope=OWN))
    assert "under the mat" not in handed.text
    assert str(handed.scope) == "project:ferry/squad:deck/agent:welder"


def test_standing_instructions_come_along_whatever_the_purpose_and_the_wording(room: Room) -> None:
    room.keep("Always sign off with the harbour number.", kind="instruction")
    for number in range(12):
        room.keep(f"The ferry logbook has a page {number}.")
    dialogue = Dialogue(room.recall, room.spaces, room.clock)
    told = "Logbook of the ferry and its pages"
    for purpose in ("turn", "task"):
        made = dialogue.context(ContextTurn(message=told, purpose=purpose), View())  # type: ignore[arg-type]
        assert "instruction" in {hit.lane for hit in made.reply.hits}


def test_a_delegation_and_nothing_else_names_who_will_do_it() -> None:
    for purpose in PURPOSES:
        with pytest.raises(InvalidInput):
            view_for(purpose, View(), "" if purpose == "delegation" else "welder")
    with pytest.raises(InvalidInput):
        view_for("errand", View())  # type: ignore[arg-type]
    assert set(READS) == set(PURPOSES)


paths = st.dictionaries(st.sampled_from(LEVELS), st.sampled_from("ab")).map(
    lambda found: Scope(tuple((level, found[level]) for level in LEVELS if level in found))
)


@given(paths, paths, st.sampled_from([one for one in PURPOSES if one != "delegation"]))
def test_no_purpose_opens_a_private_scope_or_a_sibling(own: Scope, other: Scope, purpose: Purpose) -> None:
    seen = view_for(purpose, View(scope=own))
    if visible(seen.scope, other, orchestrator=seen.orchestrator) and not visible(own, other):
        assert purpose == "orchestrator"
        assert not other.is_private
        assert own.led is not None
        assert own.led.is_prefix_of(other)
