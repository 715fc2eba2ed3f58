"""When memory may shape action, as an agent and its operator use it: leases, the governor, outcomes, candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, InvalidInput, NotFound, NotPermitted, Refused
from palazzo.testing.clock import FixedClock

Opened = Callable[[str], Memory]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False) as made:
        for subject in ("agent:desk", "agent:shed"):
            made.grant(subject, "write")
        yield made


@pytest.fixture
def agent(tmp_path: Path, clock: FixedClock, memory: Memory) -> Iterator[Memory]:
    del memory
    with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False, subject="agent:desk") as made:
        yield made


def test_a_lease_an_agent_asks_for_carries_nothing_until_a_person_grants_it(
    memory: Memory, agent: Memory, clock: FixedClock
) -> None:
    asked = agent.lease("Keep the changelog of the harbour project.", within="work.harbour", minutes=30, budget=20)
    assert (asked.state, asked.holds, asked.owner) == ("asked", False, "agent:desk")
    assert agent.govern("reversible_write", lease=str(asked.id)).mode == "ask_for_missing_authority"
    with pytest.raises(NotPermitted):
        agent.lease_decide(str(asked.id), "grant")
    assert memory.lease_decide(str(asked.id), "grant").holds
    found = agent.govern("reversible_write", lease=str(asked.id))
    assert (found.mode, found.may_act) == ("proceed_with_verification", True)
    assert agent.govern("external", lease=str(asked.id)).mode == "require_approval"
    clock.advance(minutes=31)
    found = agent.govern("reversible_write", lease=str(asked.id))
    assert (found.mode, found.reasons) == ("ask_for_missing_authority", ("the lease has run out",))
    with pytest.raises(Conflict):
        memory.lease_decide(str(asked.id), "refuse")


def test_leases_outlive_the_process_and_are_told_to_their_owner_and_the_operator(
    memory: Memory, agent: Memory, tmp_path: Path, clock: FixedClock
) -> None:
    given = memory.lease("Water the plants.", owner="agent:desk", minutes=600)
    assert given.holds
    with Memory(tmp_path / "palace", embedder="none", clock=clock, subject="agent:shed") as other:
        assert len(other.leases()) == 0
        with pytest.raises(NotFound):
            other.lease_end(str(given.id))
    assert [one.objective for one in agent.leases()] == ["Water the plants."]
    assert agent.lease_end(str(given.id)).state == "ended"
    assert not memory.leases()[0].holds


def test_what_is_no_authority_stays_none_and_doubt_asks_for_a_check(memory: Memory, agent: Memory) -> None:
    sure = memory.remember("The pier is closed in winter.", verbatim=True, kind="fact")
    unsure = agent.expand("pier = open", confidence=0.4)
    for basis in ("visible_tool", "past_success", "handoff", "retrieved_memory", "delivery"):
        assert agent.govern("reversible_write", basis=[basis]).mode == "ask_for_missing_authority"
    assert agent.govern("read", memories=[str(sure.id)]).mode == "proceed"
    doubted = agent.govern("read", memories=[str(sure.id), str(unsure.memory)])
    assert (doubted.mode, doubted.unconfirmed) == ("proceed_with_verification", (unsure.memory,))
    assert agent.govern("protected", basis=["task"]).mode == "defer_or_dry_run"
    assert agent.govern("read", anomaly="two sessions answer to one name").mode == "pause_recover"


def test_what_came_of_an_action_is_kept_and_moves_trust(memory: Memory, agent: Memory) -> None:
    relied = memory.remember("The backup runs at four.", verbatim=True, kind="fact")
    before = memory.outcome(str(relied.id), "well").own
    made = agent.outcome_report(
        "Check the nightly backup.", "There was none.", authority="task", verified="listed the folder",
        failure="evidence", risk="Two nights are missing.", memories=[str(relied.id)],
    )  # fmt: skip
    assert (made.by, made.failure) == ("agent:desk", "evidence")
    assert memory.outcome(str(relied.id), "well").own < before
    assert [one.effect for one in memory.outcomes()] == ["There was none."]
    assert agent.govern("reversible_write", basis=["past_success"]).mode == "ask_for_missing_authority"
    with pytest.raises(Refused):
        agent.outcome_report(
            "Log in.", "My AWS key is AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY."
        )


def test_a_candidate_names_its_evidence_and_a_person_decides_and_nothing_is_applied_by_it(
    memory: Memory, agent: Memory
) -> None:
    seen = memory.remember("Three deploys failed without the migration first.", verbatim=True, kind="event")
    made = agent.mature("procedural", "Run the migration before a deploy.", [str(seen.id)], reversible=True)
    assert (made.state, made.next) == ("candidate", "remember with the kind procedure")
    held = len(memory.list())
    with pytest.raises(NotPermitted):
        agent.mature_decide(str(made.id), "accept")
    assert agent.govern("reversible_write", candidate=str(made.id)).mode == "ask_for_missing_authority"
    assert memory.mature_decide(str(made.id), "accept").state == "accepted"
    assert len(memory.list()) == held
    assert [one.state for one in agent.maturations()] == ["accepted"]
    with pytest.raises(Conflict):
        memory.mature_decide(str(made.id), "reject")
    with pytest.raises(InvalidInput):
        agent.mature("semantic", "The moon is made of basalt.", [])


def test_what_may_not_be_promoted_is_no_evidence(memory: Memory, agent: Memory) -> None:
    old = memory.remember("The gate is green.", verbatim=True, kind="fact")
    memory.remember("The shed is dry.", verbatim=True, kind="fact")
    memory.deprecate(str(old.id))
    with pytest.raises((Conflict, NotFound)):
        agent.mature("semantic", "The gate stays green.", [str(old.id)])


def test_leases_go_with_the_user_they_speak_of(memory: Memory) -> None:
    memory.lease("Call Ottoline Brackenholt about the loom.", minutes=60, user_id="ottoline")
    memory.lease("Sweep the yard.", minutes=60)
    memory.forget_user("ottoline", yes=True)
    assert [one.objective for one in memory.leases()] == ["Sweep the yard."]


def test_a_lease_carries_as_many_actions_as_its_budget_and_says_why_it_carries_no_more(
    memory: Memory, agent: Memory
) -> None:
    lease = str(agent.lease("Rotate the certificates of the harbour.", budget=2).id)
    assert agent.govern("reversible_write", lease=lease).reasons == ("the lease was asked for and is not granted yet",)
    memory.lease_decide(lease, "grant")
    for spent in (1, 2):
        assert agent.govern("reversible_write", lease=lease).may_act
        agent.outcome_report("rotate one certificate", "it is served", authority=lease, verified="openssl")
        assert agent.leases()[0].spent == spent
    assert agent.govern("reversible_write", lease=lease).reasons == ("the budget of the lease is spent",)
    assert not agent.leases()[0].holds
    other = str(memory.lease("Tidy the shed.", owner="agent:desk", minutes=5).id)
    agent.lease_end(other)
    assert agent.govern("reversible_write", lease=other).reasons == ("the lease was ended or refused",)
