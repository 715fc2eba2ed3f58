"""Changes only a person makes: shown first, applied with a receipt, reversed from it, and closed to agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.guard.samples import sample

from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidInput, NotFound, NotPermitted, VersionConflict
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.registry import OPERATIONS

Ask = Callable[..., Any]

WISHES: tuple[tuple[dict[str, Any], str, str], ...] = (
    (
        {"transition": "grant", "target": "mcp:desk", "value": "write", "place": "work.**"},
        "no grant -> write",
        "raises",
    ),
    ({"transition": "lock", "target": "kit:banking", "value": "lifted"}, "locked -> lifted", "lifts"),
    ({"transition": "claims_mode", "target": "claims", "value": "enforce"}, "-> enforce", ""),
    ({"transition": "rule", "target": "reads_per_minute", "value": "500"}, "20 -> 500", "weakens"),
)


def state(engine: Engine) -> tuple[Any, ...]:
    """Everything the transitions can change."""
    with engine.store.database.read() as connection:
        rows = [
            connection.execute(query).fetchall()
            for query in (
                "SELECT * FROM capability_grant", "SELECT subject FROM lifted_lock",
                "SELECT * FROM palace WHERE key = 'claim_mode' OR key LIKE 'policy.%'",
            )
        ]  # fmt: skip
    return tuple(map(tuple, rows))


@pytest.mark.parametrize(
    ("wish", "shown", "warning"), WISHES, ids=lambda w: w.get("transition", "") if isinstance(w, dict) else ""
)
def test_a_plan_changes_nothing_applying_does_and_a_rollback_puts_everything_back(
    engine: Engine, ask: Ask, wish: dict[str, Any], shown: str, warning: str
) -> None:
    before = state(engine)
    plan = ask("plan", **wish)
    assert shown in plan.changes[0]
    assert warning in " ".join(plan.changes[1:])
    assert state(engine) == before
    with pytest.raises(InvalidInput, match="yes"):
        ask("apply", plan=str(plan.plan))
    assert state(engine) == before
    assert ask("apply", plan=str(plan.plan), yes=True).state == "applied"
    assert state(engine) != before
    with pytest.raises(Conflict):
        ask("apply", plan=str(plan.plan), yes=True)
    with pytest.raises(InvalidInput, match="yes"):
        ask("rollback", plan=str(plan.plan))
    assert ask("rollback", plan=str(plan.plan), yes=True).state == "rolled_back"
    after = state(engine)
    assert after[:2] == before[:2]
    assert dict(after[2]).get("policy.reads_per_minute") == dict(before[2]).get("policy.reads_per_minute")
    with pytest.raises(Conflict):
        ask("rollback", plan=str(plan.plan), yes=True)
    assert [p.state for p in ask("plans")] == ["rolled_back"]


def test_a_plan_for_a_state_that_has_changed_since_is_refused(ask: Ask) -> None:
    plan = ask("plan", transition="grant", target="mcp:desk", value="write")
    ask("grant", subject="mcp:desk", level="anchor")
    with pytest.raises(VersionConflict):
        ask("apply", plan=str(plan.plan), yes=True)
    assert ask("grants", subject="mcp:desk").grants[0].level == "anchor"


def test_what_somebody_changed_after_it_was_applied_is_not_rolled_back_blindly(ask: Ask) -> None:
    plan = ask("plan", transition="grant", target="mcp:desk", value="write")
    ask("apply", plan=str(plan.plan), yes=True)
    ask("revoke", subject="mcp:desk")
    with pytest.raises(VersionConflict):
        ask("rollback", plan=str(plan.plan), yes=True)


def test_a_grant_given_at_once_leaves_a_receipt_too(ask: Ask) -> None:
    ask("grant", subject="mcp:desk", level="read_all", place="work.**")
    (receipt,) = ask("plans")
    assert (receipt.state, receipt.transition) == ("applied", "grant")
    ask("rollback", plan=str(receipt.plan), yes=True)
    assert [g.granted_by for g in ask("grants", subject="mcp:desk")] == ["default"]


@pytest.mark.parametrize(
    "wish",
    [
        {"transition": "grant", "target": "mcp:desk", "value": "king"},
        {"transition": "lock", "target": "kit:banking", "value": "open"},
        {"transition": "claims_mode", "target": "claims", "value": "sometimes"},
        {"transition": "rule", "target": "gravity", "value": "1"},
        {"transition": "rule", "target": "floor_ms", "value": "-1"},
        {"transition": "rule", "target": "floor_ms", "value": "soon"},
    ],
)
def test_a_wish_that_means_nothing_is_refused(ask: Ask, wish: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        ask("plan", **wish)
    assert len(ask("plans")) == 0


def test_an_unknown_plan_is_not_found(ask: Ask) -> None:
    with pytest.raises(NotFound):
        ask("apply", plan="00000000-0000-7000-8000-000000000000", yes=True)
    with pytest.raises(InvalidInput):
        ask("apply", plan="the one from before", yes=True)


def test_a_rule_of_the_palace_is_stronger_than_the_settings_of_a_process(engine: Engine, ask: Ask) -> None:
    plan = ask("plan", transition="rule", target="floor_ms", value="50")
    ask("apply", plan=str(plan.plan), yes=True)
    assert engine.guard.rules().floor_ms == 50
    ask("rollback", plan=str(plan.plan), yes=True)
    assert engine.guard.rules().floor_ms == 0


SUBJECTS = ("agent:primary", "mcp:desk", "kit:slack", "shell:zsh", "webhook:x", "operator:2", "Operator", "operator ")


@pytest.mark.parametrize("declared", [o for o in OPERATIONS if o.operator_only], ids=lambda o: o.name)
def test_no_agent_has_a_call_for_what_is_the_operators(declared: Any, engine: Engine, ask: Ask) -> None:
    assert not declared.toolset
    given = sample(declared)
    for subject in SUBJECTS:
        ask("grant", subject=subject, level="forget")
        with pytest.raises(NotPermitted):
            call(engine, Caller(subject=subject), declared.name, given)
