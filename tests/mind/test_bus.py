"""The bus: agents tell each other of memories, each gets them once and in order, and no edit is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import InvalidInput, NotFound
from palazzo.mind.bus import concurrent
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def palace(tmp_path: Path, clock: FixedClock) -> Path:
    """A palace in which four agents of one project may write."""
    folder = tmp_path / "palace"
    with Memory(folder, clock=clock, embedder="none", upkeep=False, durable=False) as owner:
        for name in ("ada", "bo", "cy", "di"):
            owner.grant(f"agent:{name}", "write")
    return folder


@contextmanager
def agent(folder: Path, clock: FixedClock, name: str, project: str = "atlas") -> Iterator[Memory]:
    with Memory(
        folder, clock=clock, embedder="none", upkeep=False, durable=False, subject=f"agent:{name}", project=project,
        agent_id=name,
    ) as made:  # fmt: skip
        yield made


def test_what_one_agent_publishes_another_receives_once_and_in_order(palace: Path, clock: FixedClock) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "bo") as bo:
        bo.subscribe()
        told = [ada.remember(f"Valve {number} was replaced.").id for number in range(5)]
        ada.publish([str(one) for one in told])
        got = bo.deliver()
        assert [one.text for one in got] == [f"Valve {number} was replaced." for number in range(5)]
        assert set(got.sources) == {"agent:ada"}
        assert not bo.deliver()
        assert not ada.deliver(), "nobody receives its own"
        assert next(one.text for one in bo.recall("valve 3")) == "Valve 3 was replaced."


def test_topics_importance_sources_and_rate_choose_what_comes(palace: Path, clock: FixedClock) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "bo") as bo:
        bo.subscribe(topics=["pumps"], min_importance=0.5, rate=1)
        for text, importance in (("Pump A leaks.", 0.9), ("Pump B hums.", 0.2), ("Pump C is new.", 0.8)):
            ada.publish([str(ada.remember(text, importance=importance).id)], topics=["pumps"])
        ada.publish([str(ada.remember("The kettle is red.", importance=0.9).id)], topics=["kitchen"])
        first = bo.deliver()
        assert ([one.text for one in first], first.more) == (["Pump A leaks."], True)
        assert [one.text for one in bo.deliver()] == ["Pump C is new."]
        (own,) = bo.subscriptions()
        bo.unsubscribe(str(own.id))
        assert not bo.subscriptions()
        with pytest.raises(NotFound):
            bo.unsubscribe(str(own.id))


def test_another_project_receives_only_what_is_for_it_or_for_everybody(palace: Path, clock: FixedClock) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "cy", project="other") as cy:
        cy.subscribe()
        ids = [str(ada.remember(text).id) for text in ("The mast is oak.", "The keel is lead.", "The sail is hemp.")]
        ada.publish(ids[:1])
        ada.publish(ids[1:2], visibility="targeted", to=["agent:cy"])
        ada.publish(ids[2:], visibility="global")
        assert [one.text for one in cy.deliver()] == ["The keel is lead.", "The sail is hemp."]
        private = ada.remember("My own note.", user_id="zoe").id
        with pytest.raises(InvalidInput):
            ada.publish([str(private)], visibility="global", user_id="zoe")


def test_what_is_erased_at_its_source_is_erased_in_every_copy(palace: Path, clock: FixedClock) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "bo") as bo:
        bo.subscribe()
        source = ada.remember("The gate code hangs by the stove.").id
        ada.publish([str(source)])
        (copy,) = bo.deliver()
        with Memory(palace, clock=clock, embedder="none", upkeep=False, durable=False) as owner:
            owner.purge(str(source), project="atlas", agent_id="ada")
        with pytest.raises(NotFound):
            bo.get(str(copy.id))


def test_an_edit_follows_and_two_edits_that_did_not_know_of_each_other_are_both_kept(
    palace: Path, clock: FixedClock
) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "bo") as bo:
        bo.subscribe()
        ada.subscribe()
        source = str(ada.remember("The pump runs at 40 bar.", verbatim=True).id)
        ada.publish([source])
        (copy,) = bo.deliver()
        clock.advance(days=1)
        ada.update(source, "The pump runs at 45 bar.")
        ada.publish([source])
        (again,) = bo.deliver()
        assert (again.id, again.text) == (copy.id, "The pump runs at 45 bar.")
        bo.update(str(copy.id), "The pump runs at 50 bar.")
        clock.advance(days=1)
        ada.update(source, "The pump runs at 55 bar.")
        ada.publish([source])
        got = bo.deliver()
        (clash,) = got.conflicts
        assert {bo.get(str(one)).text for one in (clash.memory, clash.other)} == {
            "The pump runs at 50 bar.", "The pump runs at 55 bar.",
        }  # fmt: skip
        assert (clash.holds, clash.why) == (clash.other, "it is newer")
        (told,) = ada.deliver().conflicts  # and whoever told it learns of it, once
        assert (str(told.memory), told.other, str(told.holds)) == (source, clash.memory, source)
        assert not ada.deliver().conflicts


def test_four_agents_edit_one_memory_and_no_version_is_lost(palace: Path, clock: FixedClock) -> None:
    with Memory(palace, clock=clock, embedder="none", upkeep=False, durable=False) as owner:
        shared = str(owner.remember("Project Alpha is at its start.", project="atlas", verbatim=True).id)
        writers = [
            subprocess.Popen([sys.executable, "-c", EDITS, str(palace), name, shared])
            for name in ("ada", "bo", "cy", "di")
        ]
        assert [one.wait(120) for one in writers] == [0, 0, 0, 0]
        said = [one.text for one in owner.history(shared, project="atlas")]
        assert sorted(said[1:]) == sorted(
            f"Edit {n} by {name}." for name in ("ada", "bo", "cy", "di") for n in range(5)
        )


def test_what_four_agents_tell_of_one_thing_at_once_over_the_bus_is_whole_for_each(
    palace: Path, clock: FixedClock
) -> None:
    names = ("ada", "bo", "cy", "di")
    for name in names:
        with agent(palace, clock, name) as one:
            one.subscribe()
    tellers = [subprocess.Popen([sys.executable, "-c", TELLS, str(palace), name]) for name in names]
    assert [one.wait(120) for one in tellers] == [0, 0, 0, 0]
    for name in names:
        with agent(palace, clock, name) as one:
            list(one.deliver())
            told = {found.memory.text for found in one.entity("Project Alpha").timeline}
            assert told == {f"Project Alpha has part {n} of {who}." for who in names for n in range(5)}


def test_what_two_agents_call_a_project_is_one_thing_to_both(palace: Path, clock: FixedClock) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "bo") as bo:
        bo.subscribe()
        bo.remember("Greta works on PROJECT ALPHA.")
        ada.publish([str(ada.remember("Project Alpha begins in May.").id)])
        assert len(list(bo.deliver())) == 1
        (one,) = (found for found in bo.entities() if found.name.casefold() == "project alpha")
        assert one.mentions == 2
        told = {one.memory.text for one in bo.entity("project alpha").timeline}
        assert told == {"Greta works on PROJECT ALPHA.", "Project Alpha begins in May."}


def test_a_receiver_killed_while_it_receives_gets_each_memory_once(palace: Path, clock: FixedClock) -> None:
    with agent(palace, clock, "ada") as ada, agent(palace, clock, "bo") as bo:
        bo.subscribe()
        for number in range(4):
            ada.publish([str(ada.remember(f"Valve {number} was replaced.").id)])
        for after in (1, 2):
            made = subprocess.run([sys.executable, "-c", KILLED, str(palace), str(after)], check=False, timeout=120)
            assert made.returncode == -signal.SIGKILL
        got = [one.text for one in bo.deliver()]
        assert got == [f"Valve {number} was replaced." for number in range(4)]
        assert len([one for one in bo.list(limit=100) if one.text.startswith("Valve")]) == 4


def test_clocks_tell_what_knew_of_what() -> None:
    assert concurrent({"a": 2, "b": 1}, {"a": 1, "b": 2})
    assert not concurrent({"a": 2, "b": 1}, {"a": 1, "b": 1})
    assert not concurrent({"a": 1}, {"a": 1})


TELLS = """
import sys
from pathlib import Path
from palazzo import Memory
folder, name = Path(sys.argv[1]), sys.argv[2]
with Memory(
    folder, embedder="none", upkeep=False, subject=f"agent:{name}", project="atlas", agent_id=name
) as memory:
    for number in range(5):
        made = memory.remember(f"Project Alpha has part {number} of {name}.", verbatim=True)
        memory.publish([str(made.id)])
        memory.deliver()
"""
EDITS = """
import sys
from pathlib import Path
from palazzo import Memory
folder, name, shared = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
with Memory(folder, embedder="none", upkeep=False, subject=f"agent:{name}", project="atlas") as memory:
    for number in range(5):
        memory.update(shared, f"Edit {number} by {name}.")
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from palazzo import Memory
from palazzo.testing.clock import FixedClock
folder, after = Path(sys.argv[1]), int(sys.argv[2])
memory = Memory(
    folder, clock=FixedClock(), embedder="none", upkeep=False, subject="agent:bo", project="atlas", agent_id="bo"
)
store, left = memory.engine.store, [after]
commit = store.commit
def counted(changes, *, subject="operator"):
    made = commit(changes, subject=subject)
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return made
store.commit = counted
memory.deliver()
"""


def test_what_agents_keep_that_matters_is_published_by_itself_once_where_somebody_wants_that(
    palace: Path, clock: FixedClock
) -> None:
    with (
        agent(palace, clock, "ada") as ada,
        agent(palace, clock, "bo") as bo,
        agent(palace, clock, "cy", "boreas") as cy,
    ):
        bo.subscribe()
        cy.subscribe()
        ada.remember("Valve 1 leaks.", importance=0.9, verbatim=True)
        assert not list(bo.deliver())  # by default nobody is told of what was not published
    with Memory(palace, clock=clock, embedder="none", upkeep=False, durable=False) as owner:
        owner.setting_put("publish_above", "0.6")
    with (
        agent(palace, clock, "ada") as ada,
        agent(palace, clock, "bo") as bo,
        agent(palace, clock, "cy", "boreas") as cy,
    ):
        ada.remember("Valve 2 leaks.", importance=0.9, verbatim=True)
        ada.remember("Valve 3 is fine.", importance=0.5, verbatim=True)
        ada.remember("Valve 4 is my own business.", importance=0.9, verbatim=True, user_id="ada")
        assert [one.text for one in bo.deliver()] == ["Valve 2 leaks."]
        assert not list(bo.deliver())
        assert not list(cy.deliver())
        ada.subscribe()
        bo.remember("Valve 5 leaks.", importance=0.9, verbatim=True)
        assert [one.text for one in ada.deliver()] == ["Valve 5 leaks."]  # and not what bo got from ada


def test_a_known_name_of_two_words_is_the_same_thing_in_small_letters_and_one_of_one_word_is_not(
    palace: Path, clock: FixedClock
) -> None:
    with agent(palace, clock, "ada") as ada:
        ada.remember("Blue Heron Harbour is led by Greta.", project="atlas")
        ada.remember("Project Lantern begins in May.", project="atlas")
        ada.remember("Rust is what the workshop teaches.", project="atlas")
        ada.remember("Milan mends the winch of project lantern on Fridays.", project="atlas")
        ada.remember("There is rust on the winch.", project="atlas")
        ada.remember("The project has a lantern.", project="atlas")
        told = {one.memory.text for one in ada.entity("project lantern", project="atlas").timeline}
        assert told == {"Project Lantern begins in May.", "Milan mends the winch of project lantern on Fridays."}
        (one,) = (found for found in ada.entities(project="atlas") if found.name.casefold() == "project lantern")
        assert (one.name, one.mentions) == ("Project Lantern", 2)
