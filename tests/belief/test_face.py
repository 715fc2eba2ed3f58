from __future__ import annotations

import inspect

import pytest

from palazzo.belief import face
from palazzo.belief.claims import ClaimDesk
from palazzo.belief.face import Beliefs
from palazzo.belief.logic import statement
from palazzo.belief.operations import Assertion
from palazzo.belief.staleness import DAY_US
from palazzo.errors import NotPermitted
from palazzo.model.belief import BehaviourSignal, Claimed
from palazzo.model.capability import View
from palazzo.model.change import AddEdge
from palazzo.model.graph import Node
from palazzo.model.memory import Atom
from palazzo.store.api import EdgeWalk
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

AGENTS = ("agent:primary", "mcp:client", "kit:slack", "shell")


@pytest.fixture
def beliefs(store: SqliteStore) -> Beliefs:
    return Beliefs(store)


def test_a_belief_is_stated_revised_asked_for_and_explained(beliefs: Beliefs, clock: FixedClock) -> None:
    made = beliefs.revise(
        Assertion(atoms=(Atom("ann", "lives_in", "Bern"),), kind="residence", text="Ann lives in Bern")
    )
    then = clock.now_us()
    clock.advance(days=1)
    beliefs.revise(Assertion(atoms=(Atom("ann", "lives_in", "Basel"),), kind="residence"), occasion="change")
    assert beliefs.held() == ("ann lives_in basel",)
    assert beliefs.held(View(as_of_us=then)) == ("ann lives_in bern",)
    assert made.memory_id is not None
    assert "it replaced revision 1" in beliefs.why(made.memory_id).text
    beliefs.rollback(made.memory_id, 1)
    assert beliefs.follows(statement("ann", "lives_in", "bern")).holds
    beliefs.contract(statement("ann", "lives_in", "bern"))
    assert beliefs.held() == ()


def test_the_graph_is_walked_by_impact_path_and_traverse(store: SqliteStore, beliefs: Beliefs) -> None:
    a, b, c = (place_memory(text) for text in "abc")
    store.commit([a, b, c])
    store.commit([
        AddEdge("depends_on", Node(b.memory_id), Node(a.memory_id)),
        AddEdge("derived_from", Node(c.memory_id), Node(b.memory_id)),
    ])  # fmt: skip
    assert [step.memory_id for step in beliefs.impact(a.memory_id)] == [b.memory_id, c.memory_id]
    assert [step.memory_id for step in beliefs.path(a.memory_id, c.memory_id)] == [
        a.memory_id,
        b.memory_id,
        c.memory_id,
    ]
    reached = beliefs.traverse(c.memory_id, EdgeWalk(direction="out", depth=1))
    assert [step.memory_id for step in reached] == [b.memory_id]
    assert beliefs.trust(c.memory_id).trust == 0.5


def test_signals_reach_the_audit(store: SqliteStore, beliefs: Beliefs, clock: FixedClock) -> None:
    made = place_memory("The user prefers Python.", kind="preference")
    store.commit([made])
    day = clock.now_us() // DAY_US
    beliefs.signal([BehaviourSignal(family="language", dimension="rust", day=day, count=200)])
    beliefs.signal([BehaviourSignal(family="language", dimension="python", day=day, count=3)])
    assert beliefs.staleness().look(made.memory_id).flagged


@pytest.mark.parametrize("subject", AGENTS)
def test_an_agent_reaches_no_decision_through_anything_it_is_given(
    store: SqliteStore, beliefs: Beliefs, subject: str
) -> None:
    """By trying: what the face returns to an agent is searched for any call named like a decision, and each is made."""
    claims = beliefs.claims(subject=subject)
    claim_id = claims.propose("Deploys are on Tuesdays.", (Claimed(kind="file", reference="ops.md"),))
    staleness = beliefs.staleness(subject=subject)
    made = place_memory("The user prefers Python.", kind="preference")
    store.commit([made])
    staleness.audit([made.memory_id])
    forbidden = ("accept", "reject", "decide", "verify", "retract", "unlock", "set_mode", "set_claim_mode", "defer")
    for given in (beliefs, claims, staleness):
        names = {name for name, _ in inspect.getmembers(given) if not name.startswith("_")}
        assert not names & set(forbidden), type(given)
    with pytest.raises(NotPermitted):
        staleness.resolve(made.memory_id, "confirm_stale")
    with pytest.raises(NotPermitted):
        ClaimDesk(store, View(), subject=subject)
    assert claims.get(claim_id).status == "candidate"
    assert claims.mode() == "observe"
    assert "ClaimDesk" not in vars(face)
