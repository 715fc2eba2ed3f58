"""Who may ask for a context in another scope, and what recall tells a caller beside its hits."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from palazzo.engine import Engine
from palazzo.errors import NotPermitted
from palazzo.model.capability import Level
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller

PLANNER = Scope.of(project="ferry", squad="deck", agent="planner")


@pytest.fixture
def report(ask: Any) -> None:
    for agent in ("planner", "welder"):
        ask("remember", text=f"The hull report of {agent} is done.", project="ferry", squad="deck", agent_id=agent)


def caller(subject: str) -> Caller:
    return Caller(subject=subject, scope=PLANNER, default=Level.read_public)


def context(engine: Engine, who: Caller, **given: Any) -> Any:
    return call(engine, who, "context", {"message": "Finish the hull report", **given})


@pytest.mark.usefixtures("report")
def test_an_orchestrator_reads_below_what_it_leads_and_says_so(engine: Engine) -> None:
    made = context(engine, caller("orchestrator:lead"), purpose="orchestrator")
    assert "welder" in made.text
    assert made.scope == "project:ferry/squad:deck"
    with pytest.raises(NotPermitted):
        context(engine, caller("agent:planner"), purpose="orchestrator")


@pytest.mark.usefixtures("report")
def test_only_who_may_choose_a_scope_hands_work_to_another(engine: Engine) -> None:
    free = caller("agent:planner")
    made = context(engine, free, purpose="delegation", delegate="welder")
    assert "welder" in made.text
    assert "planner" not in made.text
    bound = replace(caller("agent:planner"), chooses_scope=False)
    with pytest.raises(NotPermitted):
        context(engine, bound, purpose="delegation", delegate="welder")
    assert "welder" not in context(engine, bound, purpose="flow").text


def test_recall_takes_a_mode_and_tells_its_weights_and_gist(ask: Any) -> None:
    ask("remember", text="The hull report is long and dry and nobody has read it.", place="work.hull", kind="fact")
    found = ask("recall", cue="hull report", mode="recent", fusion="rank", mood=0.5, budget_tokens=8)
    assert found.weights
    assert found.hits == ()
    assert found.gist == "Memories that match: 1 in work"


def test_feedback_without_an_embedder_says_why_it_did_nothing(ask: Any) -> None:
    made = ask("remember", text="The hull report is long.", place="work.hull", kind="fact")
    told = ask("feedback", memory=str(made.id), cue="Who wrote the report?")
    assert not told.suppressed
    assert "embedder" in told.why
