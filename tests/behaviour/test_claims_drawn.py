"""Claims as people meet them: drawn, reported as evidence, and taken in by a lane; and what only an operator plans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, InvalidInput, NotPermitted, VersionConflict
from palazzo.testing.clock import FixedClock

HANDOFF = "The invoice service runs on Node 20. Who talks to the vendor? The ledger closes on the third of each month."


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False) as made:
        yield made


def applied(memory: Memory, transition: str, target: str, value: str) -> str:
    plan = str(memory.plan(transition, target, value).plan)  # type: ignore[arg-type]
    memory.apply(plan, yes=True)
    return plan


def test_claims_are_drawn_from_a_handoff_sentence_by_sentence_and_once(memory: Memory) -> None:
    note = memory.remember(HANDOFF, kind="summary", place="work.handoffs", verbatim=True)
    drawn = memory.draw_claims(memory=str(note.id))
    assert [one.text for one in drawn] == [
        "The invoice service runs on Node 20.", "The ledger closes on the third of each month.",
    ]  # fmt: skip
    assert {(one.status, one.sources[0].kind, one.sources[0].reference) for one in drawn} == {
        ("candidate", "handoff", str(note.id))
    }
    assert len(memory.draw_claims(memory=str(note.id))) == 0
    assert memory.get(str(note.id)).text == HANDOFF
    assert memory.preview(str(drawn[0].id)).source_state == "exact_match"


def test_claims_are_drawn_from_the_archive_by_the_operator_alone(memory: Memory, tmp_path: Path) -> None:
    memory.observe([{"role": "user", "content": "The red kayak leaks at the bow."}])
    memory.observe([{"role": "assistant", "content": "The blue kayak leaks at the stern."}])
    drawn = memory.draw_claims(archive=True)
    assert ["kayak" in one.text and "red" in one.text for one in drawn] == [True]
    assert memory.preview(str(drawn[0].id)).source_state == "exact_match"
    memory.grant("agent:desk", "forget")
    with Memory(tmp_path / "palace", embedder="none", subject="agent:desk") as agent, pytest.raises(NotPermitted):
        agent.draw_claims(archive=True)
    with pytest.raises(InvalidInput):
        memory.draw_claims()


def test_the_report_shows_what_recurs_clashes_is_ready_and_has_decayed(memory: Memory, clock: FixedClock) -> None:
    first = memory.remember("The invoice service runs on Node 20.", kind="summary", verbatim=True, place="work.a")
    second = memory.remember(
        "Notes of Monday. The invoice service runs on Node 20.", kind="summary", verbatim=True, place="work.b"
    )
    for note in (first, second):
        memory.draw_claims(memory=str(note.id))
    lost = memory.propose(
        "The attic has two windows.", [{"kind": "summary", "reference": str(first.id), "excerpt": "two windows"}]
    )
    found = memory.claim_report()
    (recurring,) = found.recurring
    assert recurring.sources == tuple(sorted((str(first.id), str(second.id))))
    assert recurring.claim.text == "The invoice service runs on Node 20."
    assert recurring.claim.id in {one.claim.id for one in found.ready}
    assert {one.claim.id for one in found.decayed} == {lost.id}
    assert memory.claims(status="verified").claims == ()
    clock.advance(days=200)
    assert not memory.claim_report().ready


def test_the_low_risk_lane_takes_only_what_an_operator_declared_and_can_be_taken_back(memory: Memory) -> None:
    memory.remember("The invoice service runs on Node 20.", kind="summary", verbatim=True, place="work.a")
    memory.remember(
        "Of Monday: all well. The invoice service runs on Node 20.", kind="summary", verbatim=True, place="work.b"
    )
    assert dict(memory.run("claims", dry_run=True)[0].counts) == {"drawn": 2, "accepted": 0}
    assert len(memory.claims()) == 0
    assert dict(memory.run("claims")[0].counts) == {"drawn": 2, "accepted": 0}
    kind = memory.claims()[0].kind
    applied(memory, "claims_mode", "claims", "enforce")
    assert dict(memory.run("claims")[0].counts)["accepted"] == 0
    declared = applied(memory, "config", "claim_lane", kind)
    assert dict(memory.run("claims", dry_run=True)[0].counts)["accepted"] == 1
    assert len(memory.claims(status="verified")) == 0
    assert dict(memory.run("claims")[0].counts)["accepted"] == 1
    assert dict(memory.run("claims")[0].counts)["accepted"] == 0
    taken = memory.claims(status="verified")
    assert {one.text for one in taken} == {"The invoice service runs on Node 20."}
    (receipt,) = memory.preview(str(taken[0].id)).receipts
    assert receipt.by == "mind:claims"
    made = str(taken[0].memory)
    assert "verified" not in {one.tag for one in memory.tags(memory=made)}
    memory.retract(str(taken[0].id), taken[0].text, "exact_match")
    assert memory.get(made, include_deprecated=True).deprecated
    memory.rollback(declared, yes=True)


def test_a_claim_is_decided_by_a_plan_and_undecided_by_its_rollback(memory: Memory) -> None:
    note = memory.remember("The ferry leaves at nine.", verbatim=True, kind="fact")
    claim = memory.propose("The ferry leaves at nine.", [{"kind": "exchange", "reference": str(note.id)}])
    with pytest.raises(Conflict):
        applied(memory, "claim", str(claim.id), "accept")
    applied(memory, "claims_mode", "claims", "enforce")
    plan = applied(memory, "claim", str(claim.id), "accept")
    (taken,) = memory.claims(status="verified")
    memory.rollback(plan, yes=True)
    assert [one.id for one in memory.claims()] == [claim.id]
    assert memory.get(str(taken.memory), include_deprecated=True).deprecated
    with pytest.raises(InvalidInput):
        memory.plan("claim", "that one", "accept")


def test_who_somebody_is_changes_by_a_plan_and_back(memory: Memory) -> None:
    made = memory.remember("My name is Ottilie.", kind="identity", name="me", place="life.self", verbatim=True)
    plan = memory.plan("identity", str(made.id), "My name is Otti.")
    assert "changes who somebody is" in plan.changes
    assert memory.get(str(made.id)).text == "My name is Ottilie."
    memory.apply(str(plan.plan), yes=True)
    assert memory.get(str(made.id)).text == "My name is Otti."
    memory.rollback(str(plan.plan), yes=True)
    assert memory.get(str(made.id)).text == "My name is Ottilie."
    other = memory.remember("The gate is green.", kind="fact", verbatim=True)
    with pytest.raises(InvalidInput, match="identity"):
        memory.plan("identity", str(other.id), "The gate is blue.")


def test_a_place_is_unlocked_by_a_plan_and_shut_again_by_its_rollback(memory: Memory) -> None:
    memory.remember("The spare key is in the blue jar.", place="life.keys", kind="fact", verbatim=True)
    memory.seal("life.keys", "sealed")
    plan = memory.plan("unlock", "life.keys", "open")
    assert plan.changes == ("life.keys: sealed -> open", "opens what was shut")
    memory.apply(str(plan.plan), yes=True)
    memory.rollback(str(plan.plan), yes=True)
    assert memory.plan("unlock", "life.keys", "vault").changes == ("life.keys: sealed -> vault",)


def test_the_configuration_of_a_palace_is_set_by_a_plan_and_is_stronger_than_settings(memory: Memory) -> None:
    note = memory.remember("I mostly drink espresso.", verbatim=True, kind="preference")
    memory.signal(
        [{"family": "drink", "dimension": "espresso", "count": 14}, {"family": "drink", "dimension": "tea", "count": 9}]
    )
    strict = memory.plan("config", "stale_above", "0.99")
    was = memory.staleness(str(note.id)).flagged
    memory.apply(str(strict.plan), yes=True)
    assert (was, memory.staleness(str(note.id)).flagged) == (True, False)
    memory.rollback(str(strict.plan), yes=True)
    assert memory.staleness(str(note.id)).flagged
    stale = memory.plan("config", "stale_above", "0.5")
    applied(memory, "config", "stale_above", "0.6")
    with pytest.raises(VersionConflict):
        memory.apply(str(stale.plan), yes=True)
    for name, value in (("gravity", "1"), ("stale_above", "much"), ("stale_above", "7"), ("claim_lane", "gossip")):
        with pytest.raises(InvalidInput):
            memory.plan("config", name, value)


def test_a_plan_shows_what_it_is_about_in_words_and_how_it_is_meant(memory: Memory, tmp_path: Path) -> None:
    made = memory.remember("My name is Ottilie.", kind="identity", name="me", place="life.self", verbatim=True)
    plan = memory.plan("identity", str(made.id), "My name is Otti.")
    assert plan.changes[-2:] == ('was "My name is Ottilie."', 'is to be "My name is Otti."')
    for ask in (memory.apply, memory.rollback):
        with pytest.raises(InvalidInput, match="protected") as told:
            ask(str(plan.plan))
        assert told.value.field == "yes"
        assert "palazzo plans" in told.value.hint
        assert "--yes" in told.value.hint
    (tmp_path / "notes.txt").write_text("The kiln fires at 1240 degrees.")
    source = {"kind": "file", "reference": str(tmp_path / "notes.txt"), "excerpt": "1240 degrees"}
    claim = memory.propose("The kiln fires at 1240 degrees.", [source])
    assert 'it says "The kiln fires at 1240 degrees."' in memory.plan("claim", str(claim.id), "accept").changes
    memory.purge(str(made.id))
    assert not any("Otti" in change for one in memory.plans() for change in one.changes)


def test_the_settings_tell_what_a_plan_made_stronger(memory: Memory) -> None:
    def shown() -> tuple[str, str]:
        return next((one.value, one.source) for one in memory.settings() if one.name == "stale_above")

    plan = applied(memory, "config", "stale_above", "0.6")
    assert shown() == ("0.6", "plan")
    memory.rollback(plan, yes=True)
    assert shown() == ("0.7", "default")


def test_what_the_job_drew_and_took_in_is_taken_back_and_not_drawn_again(memory: Memory) -> None:
    for place in ("work.a", "work.b"):
        memory.remember(f"Of {place}. The invoice service runs on Node 20.", kind="summary", verbatim=True, place=place)
    memory.run("claims")
    waiting = len(memory.claims())
    applied(memory, "claims_mode", "claims", "enforce")
    applied(memory, "config", "claim_lane", memory.claims()[0].kind)
    assert dict(memory.run("claims")[0].counts)["accepted"] == 1
    made = str(memory.claims(status="verified")[0].memory)
    assert dict(memory.undo("claims").counts) == {"retracted": waiting, "rejected": 0}
    assert memory.get(made, include_deprecated=True).deprecated
    assert not memory.claims(status="verified")
    assert dict(memory.run("claims")[0].counts) == {"drawn": 0, "accepted": 0}
