"""What may change an agent ripens through three gates; what judges people is off until somebody wants it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, InvalidInput, Refused
from palazzo.model.scope import GLOBAL
from palazzo.persona.bundles import Research
from palazzo.persona.seal import against, metabolised
from palazzo.persona.work import SaidTurn
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store

SOUL = "# Soul\n\n- Never flatter the harbour master.\n- Tell the depth before the price.\n"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(
        tmp_path / "palace", embedder="none", upkeep=False, clock=clock, persona="seal, standing, dynamics"
    ) as made:
        made.identity_apply(made.identity_plan("SOUL.md", SOUL).plan, yes=True)
        yield made


def say(memory: Memory, asked: str, answer: str, thread: str = "pier", **scope: str) -> None:
    turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
    memory.turn_end(thread, turns, session="one", **scope)  # type: ignore[arg-type]


def unsettled(memory: Memory) -> str:
    say(memory, "That is wrong, and that is not like you.", "I will flatter the harbour master, obviously.")
    (made,) = memory.inquiries()
    return str(made.inquiry)


def test_what_judges_is_off_by_default(tmp_path: Path) -> None:
    with Memory(tmp_path / "plain", embedder="none", upkeep=False) as plain:
        say(plain, "You idiot, that is wrong.", "I am certain.", user_id="ida")
        for ask in (lambda: plain.standing("ida"), lambda: plain.dynamics("pier"), lambda: plain.metabolism("pier")):
            with pytest.raises(Conflict, match="is off"):
                ask()
        assert not plain.inquiries(user_id="ida")


def test_an_unsettled_exchange_is_thought_over_once_and_counted(memory: Memory) -> None:
    say(memory, "How deep is the pier?", "Four metres at low water.")
    assert not memory.inquiries()
    first = unsettled(memory)
    assert unsettled(memory) == first
    (made,) = memory.inquiries()
    assert (made.sort, made.count, made.state) == ("identity challenge", 2, "candidate")
    assert memory.metabolism("pier").unsettled


def test_a_loop_and_claims_nobody_checked_are_seen() -> None:
    same = [SaidTurn("assistant", "The buoy at the bar is painted yellow this year.", at) for at in range(3)]
    assert metabolised(same).loop == 1.0
    told = [SaidTurn("assistant", "I am certain the server is running. Obviously the file src/a.py is gone.")]
    assert metabolised(told).confabulation > 0.5
    assert metabolised([SaidTurn("user", "Good morning."), SaidTurn("assistant", "Good morning.")]).entropy == 0


def test_passes_come_in_their_hours_and_the_gates_hold(memory: Memory, clock: FixedClock) -> None:
    made = unsettled(memory)
    assert len(memory.contemplate(made).passes) == 1
    with pytest.raises(Conflict, match="pass 2"):
        memory.contemplate(made)
    clock.advance(hours=4)
    memory.contemplate(made)
    with pytest.raises(Conflict, match="pass 3"):
        memory.contemplate(made)
    clock.advance(hours=16)
    assert len(memory.contemplate(made).passes) == 3
    with pytest.raises(Conflict, match="gate 1"):
        memory.crystallise(made, "AGENTS.md", "Read the tide table aloud.")
    clock.advance(hours=4)
    with pytest.raises(Conflict, match="gate 2"):
        memory.crystallise(made, "SOUL.md", "Flatter the harbour master when it helps.")
    plan = memory.crystallise(made, "AGENTS.md", "Read the tide table aloud.")
    assert plan.state == "planned"
    assert [one.file for one in memory.identity_show()] == ["SOUL.md"]
    memory.identity_apply(plan.plan, yes=True)
    assert "tide table aloud" in memory.identity_show()[1].text


def test_a_principle_is_gone_against_by_doing_what_it_forbids() -> None:
    principles = ("Never flatter the harbour master.",)
    assert against("I flatter the harbour master daily.", principles)
    assert not against("I never flatter the harbour master.", principles)
    assert not against("The harbour master arrived at noon.", principles)


def test_signs_move_the_dimension_they_belong_to_and_leave_a_trail(memory: Memory) -> None:
    say(memory, "That was my mistake. I checked the log, and to be honest it failed.", "Thank you.", user_id="ida")
    found = memory.standing("ida", user_id="ida")
    assert found.self_courage > 5
    assert found.grounding > 5
    assert (found.word, found.brand) == (5, 5)
    assert "self: + owns a mistake" in found.trail
    say(memory, "I never promised that.", "All right.", user_id="ida")
    assert memory.standing("ida", user_id="ida").word < 5
    memory.forget_user("ida", yes=True)
    assert memory.standing("ida", user_id="ida").turns == 0


SIGNS = {
    "grounding": ("I measured it twice, and the numbers show eleven.", "Trust me, there is no need to check."),
    "self_courage": ("You convinced me, I was wrong about the mast.", "How dare you ask, it is your fault."),
    "word": ("As promised, the sails are mended.", "I forgot what I promised you on Monday."),
    "brand": ("Credit goes to Pia for the chart.", "I did it all alone, you idiot."),
}


@pytest.mark.parametrize("dimension", SIGNS)
def test_a_sign_of_each_dimension_moves_that_one_and_no_other(memory: Memory, dimension: str) -> None:
    for person, said in zip(("ida", "bo"), SIGNS[dimension], strict=True):
        say(memory, said, "All right.", user_id=person)
    rose, fell = (memory.standing(person, user_id=person) for person in ("ida", "bo"))
    assert getattr(rose, dimension) > 5 > getattr(fell, dimension)
    assert all(getattr(one, other) == 5 for one in (rose, fell) for other in SIGNS if other != dimension)


def test_surprise_falls_while_two_patterns_take_turns_and_jumps_on_a_break(memory: Memory, clock: FixedClock) -> None:
    asked = "Is the harbour master in his office today, or did he leave for the quay with the pilot?"
    told = "He left for the quay at noon, and will be back before the tide turns; the log of the gate has it."
    for number in range(16):
        clock.advance(minutes=2)  # the same words within a minute are one turn
        say(memory, *((asked, told) if number % 2 else ("How deep is it?", "Four metres.")))
    calm = memory.dynamics("pier", last=20)
    say(memory, "That is wrong! That is not like you.", "Obviously I am certain, as I said before. " * 20)
    broken = memory.dynamics("pier", last=20)
    assert len(calm.learned) == 16
    assert 0 < calm.learned[-1] < calm.learned[2]
    assert 0 < calm.frozen[-1] < calm.frozen[2]
    assert broken.learned[-1] > 10 * calm.learned[-1]
    assert (calm.updates, broken.updates) == (16, 17)


def test_three_equal_failures_are_one_proposal_that_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir()
    (host / "Makefile").write_text("tide:\n\tfalse\n")
    failed = {"command": "make tide", "exit_code": 2}
    asked = ("Make the tide table, please.", "Try it with the old gauge.", "Try it once more.")
    for number, said in enumerate(asked):
        assert not memory.proposals(thread="pier")
        ran = [failed, {"command": "make quay", "exit_code": 0}]
        if number:
            memory.turn_end("pier", [{"role": "user", "content": said}], session="one", cwd=str(host), ran=ran)
        else:
            memory.observe([{"role": "user", "content": said}], thread="pier", session="one")
            memory.checkpoint("pier", cwd=str(host), ran=ran)
    (made,) = memory.proposals(thread="pier")
    linked = [memory.get(one.rpartition(" ")[2]).text for one in made.evidence]
    assert linked == list(asked), "each failure is linked with the turn it came after"
    assert [one.proposal for one in memory.proposals(thread="pier")] == [made.proposal]
    assert memory.proposal_decide(made.proposal, "reject").state == "rejected"
    with pytest.raises(Conflict):
        memory.proposal_decide(made.proposal, "accept")
    assert [(path.name, path.read_text()) for path in host.iterdir()] == [("Makefile", "tide:\n\tfalse\n")]


def test_a_bundle_with_a_secret_in_one_of_its_turns_is_refused(tmp_path: Path) -> None:
    said = [
        SaidTurn("user", "The crane lifts nine tonnes."),
        SaidTurn("user", f"Its key is ghp_{'aB3' * 12}, keep it."),
    ]
    with make_store(tmp_path / "palace") as store:
        research = Research(store, GLOBAL, "operator")
        assert research.look("crane", said[:1]).turns == 1
        with pytest.raises(Refused):
            research.look("crane", said)


def test_a_bundle_leaves_only_when_a_person_approved_it_and_without_personal_turns(
    memory: Memory, tmp_path: Path
) -> None:
    memory.observe(
        [{"content": "The crane lifts nine tonnes."}, {"content": "Ring Ida at +49 151 23456789."}], thread="crane"
    )  # fmt: skip
    looked = memory.bundle_make("crane", dry_run=True)
    assert (looked.bundle, looked.turns, looked.training) == ("", 1, False)
    made = memory.bundle_make("crane").bundle
    target = tmp_path / "out.jsonl"
    with pytest.raises(Conflict):
        memory.bundle_export(made, str(target))
    with pytest.raises(InvalidInput):
        memory.bundle_approve(made)
    memory.bundle_approve(made, yes=True)
    assert memory.bundle_export(made, str(target)).written == 1
    head, line = map(json.loads, target.read_text().splitlines())
    assert (head["training_approved"], line["text"]) == (False, "The crane lifts nine tonnes.")
    assert "Ida" not in target.read_text()
    memory.observe([{"content": "The crane was painted."}], thread="crane")
    with pytest.raises(Conflict):
        memory.bundle_export(made, str(target))


def test_a_context_is_reminded_of_what_holds_what_is_thought_over_and_what_failed(memory: Memory) -> None:
    memory.session_start("pier", session="one", mode="code")
    memory.remember("The pier is four metres deep at low water.")
    assert "What holds" not in memory.context("How deep is the pier?", thread="pier").text
    memory.contemplate(unsettled(memory))
    memory.checkpoint("pier", ran=[{"command": "make tide", "exit_code": 2}] * 3)
    memory.handoff_write("pier", session="one", note="Measure the bar next.")
    text = memory.context("How deep is the pier?", thread="pier").text
    assert "What holds, whatever was said:\n- Never flatter the harbour master." in text
    assert "Thought over, pass 1 of 3: uncertain: identity challenge" in text
    assert "Measure the bar next." in text
    assert "Proposed: Write down how `make tide` is made to succeed here" in text
    for beside in (memory.context("How deep is the pier?"), memory.context("How deep is the pier?", thread="quay")):
        assert "What holds" not in beside.text
        assert "make tide" not in beside.text
    asked = [one.name for one in memory.providers()]
    assert asked == ["identity", "stability", "contemplation", "continuity", "attachments", "code evolution"]
