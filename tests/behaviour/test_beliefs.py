"""What is believed, as a user asks for it: rules, formulas, what follows from them, and what rests on what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import InvalidInput
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", clock=clock) as made:
        yield made


def held(memory: Memory) -> set[str]:
    return {one.says for one in memory.as_of()}


def test_a_rule_is_believed_and_what_follows_from_it_names_its_grounds(memory: Memory) -> None:
    rule = memory.expand("if weather = rain and not (bike = mended) then travel = bus", kind="rule")
    assert memory.get(str(rule.memory)).kind == "rule"
    assert not memory.holds("travel = bus").holds
    memory.revise("weather = rain and bike != mended and colour = red")
    found = memory.holds("travel = bus")
    assert found.holds
    assert not found.denied
    assert {one.says for one in found.grounds} == {
        "not (user weather rain) or user bike mended or user travel bus", "user weather rain", "not (user bike mended)",
    }  # fmt: skip
    assert memory.holds("travel = tram").denied
    assert memory.holds("travel = bus or travel = tram").holds


def test_a_revision_by_an_alternative_gives_up_what_cannot_stay(memory: Memory) -> None:
    memory.revise("team.tool = jira and team.chat = matrix")
    changed = memory.revise("not (team.tool = jira) and (team.tool = linear or team.tool = trello)")
    assert changed.dropped == ("team tool jira",)
    assert held(memory) >= {"team chat matrix", "team tool linear or team tool trello"}
    assert not memory.holds("team.tool = linear").holds
    memory.revise("team.tool != trello")
    assert memory.holds("team.tool = linear").holds


def test_what_is_added_without_fitting_is_told(memory: Memory) -> None:
    assert memory.expand("door = green").consistent
    clash = memory.expand("door = blue")
    assert not clash.consistent
    assert clash.dropped == ()
    assert held(memory) == {"user door green", "user door blue"}
    assert memory.expand("languages += rust").consistent
    assert memory.expand("languages += zig").consistent


def test_a_rule_is_given_up_by_what_follows_from_it(memory: Memory) -> None:
    memory.expand("if guest = ada then cake = lemon", kind="rule")
    memory.revise("guest = ada")
    memory.contract("cake = lemon")
    assert not memory.holds("cake = lemon").holds
    assert memory.holds("guest = ada").holds or memory.holds("if guest = ada then cake = lemon").holds


def test_what_follows_can_be_asked_of_the_past(memory: Memory, clock: FixedClock) -> None:
    memory.revise("I use vim as my editor.")
    before = clock.now()
    clock.advance(days=3)
    memory.revise("I use Helix as my editor.", occasion="change")
    assert memory.holds("I use vim as my editor.", as_of=before).holds
    assert memory.holds("I use vim as my editor.").denied


def test_plain_words_are_no_formula_and_a_rule_wants_one(memory: Memory) -> None:
    for text in ("We met = at noon", "= green", "door =", "door = green or", "(door = green", "hm, who knows"):
        with pytest.raises(InvalidInput):
            memory.expand(text)
    with pytest.raises(InvalidInput, match="formula"):
        memory.expand("I use vim as my editor.", kind="rule")


def test_plain_statements_are_joined_to_a_rule_and_to_a_choice(memory: Memory) -> None:
    memory.expand("If my office is in Bonn, then my manager is Karl.")
    assert not memory.holds("My manager is Karl.").holds
    memory.revise("My office is in Bonn or my office is in Kiel.")
    assert not memory.holds("My office is in Bonn.").holds
    assert memory.holds("My office is in Bonn or my office is in Kiel.").holds
    memory.revise("My office is in Bonn.")
    assert memory.holds("My manager is Karl.").holds
    with pytest.raises(InvalidInput, match="both sides"):
        memory.expand("if it pours then who knows")


def test_what_rests_on_a_premise_that_goes_is_marked_and_stays(memory: Memory) -> None:
    premise = memory.revise("Hosting is at Atlas.", about="site", slot="host", value="atlas").memory
    plan = memory.remember("The nightly copy runs over the private network.", kind="decision", verbatim=True)
    report = memory.remember("The copy takes eleven minutes.", kind="fact", verbatim=True)
    memory.relate(str(plan.id), str(premise), kind="depends_on")
    memory.relate(str(report.id), str(plan.id), kind="derived_from")
    gone = memory.contract("site.host = atlas")
    assert set(gone.shaken) == {plan.id, report.id}
    (hit,) = [hit for hit in memory.recall("how does the nightly copy run?") if hit.memory.id == plan.id]
    assert "something it rests on is no longer believed" in hit.caveat
    assert memory.staleness(str(plan.id)).flagged
    assert {one.memory.id for one in memory.review().stale} >= {plan.id}
    memory.resolve(str(plan.id), "dismiss")
    assert not memory.staleness(str(plan.id)).flagged


def test_what_rests_on_a_revised_premise_is_free_again_when_that_is_taken_back(memory: Memory) -> None:
    premise = memory.revise("Port 5433.", about="db", slot="port", value="5433").memory
    script = memory.remember("The tunnel script forwards to the database.", kind="fact", verbatim=True)
    memory.relate(str(script.id), str(premise), kind="depends_on")
    assert memory.revise("Port 6000.", about="db", slot="port", value="6000").shaken == (script.id,)
    memory.recheck()
    assert memory.staleness(str(script.id)).flagged
    memory.revert(str(premise), 1)
    assert not memory.staleness(str(script.id)).flagged


def test_the_pass_marks_what_rests_on_a_memory_that_was_deprecated(memory: Memory) -> None:
    premise = memory.remember("The warehouse has a loading dock.", kind="fact", verbatim=True)
    plan = memory.remember("Deliveries come by lorry.", kind="fact", verbatim=True)
    memory.relate(str(plan.id), str(premise.id), kind="depends_on")
    memory.recheck()
    memory.deprecate(str(premise.id), reason="it was torn down")
    assert memory.recheck().flagged == 1
    assert memory.staleness(str(plan.id)).caveat == "may have changed: something it rests on is no longer believed"
