"""What work leaves behind is found by the next run, and a restart stops when it should."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, NotFound
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.surfaces.daemon.units import command_words, install, unit_for


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as made:
        yield made


def test_a_finding_of_a_recurring_task_is_found_in_a_chat_and_an_empty_run_leaves_nothing(memory: Memory) -> None:
    kept = memory.capture_task(
        "night watch",
        "The east pump of the dry dock draws twice the usual current since Sunday.",
        recurring=True,
        tools=2,
    )
    assert len(kept.memories) == 2
    assert "twice the usual current" in memory.recall("What is wrong with the east pump?")[0].text
    assert memory.capture_task("night watch", "Nothing to report.", recurring=True).skipped
    memory.capture_task(
        "night watch", "The west pump of the dry dock leaks oil since Sunday.", recurring=True, agent_id="cron"
    )
    chat = memory.session_start("lounge", mode="chat", agent_id="primary")
    assert chat.channel == "talk"
    for reader in ({}, {"channel": chat.channel, "agent_id": "primary"}):
        assert "leaks oil" in memory.context("What is wrong with the west pump?", **reader).text


def test_a_second_run_of_a_flow_finds_what_the_first_one_left(memory: Memory) -> None:
    for node, output in (
        ("weigh", "The crates of the Halcyon weigh forty tonnes together when the timber is wet."),
        ("berth", "Berth four has room for the Halcyon only between the tides, so it loads at noon."),
        ("crew", "The crew of the Halcyon wants the gangway on the port side because of the crane."),
    ):
        assert memory.capture_flow_node("loading", node, output).scope == "project:flow%3Aloading"
    memory.capture_flow("loading", ["weigh", "berth", "crew"], failed="crew")
    found = memory.recall("What do we know of the Halcyon?", project="flow:loading")
    assert len([hit for hit in found if "Halcyon" in hit.text]) >= 3
    assert not list(memory.recall("What do we know of the Halcyon?"))
    (made,) = memory.list(kinds=["procedure"], project="flow:loading")
    assert "weigh -> berth -> crew" in made.text
    assert "Failed at: crew" in made.text
    memory.capture_flow("loading", ["weigh", "berth", "crew"])
    assert len(memory.list(kinds=["procedure"], project="flow:loading")) == 1


def test_the_next_run_of_a_flow_reads_what_its_nodes_gave_whatever_it_is_asked(memory: Memory) -> None:
    outputs = {
        "weigh": "The crates of the Halcyon weigh forty tonnes together when the timber is wet.",
        "berth": "Berth four has room for the Halcyon only between the tides, so it loads at noon.",
        "crew": "The crew of the Halcyon wants the gangway on the port side because of the crane.",
    }
    for node, output in outputs.items():
        memory.capture_flow_node("loading", node, output, agent_id="first")
    memory.capture_flow("loading", list(outputs), agent_id="first")
    memory.capture_flow_node("mending", "sew", "The mainsail of the Petrel wants four metres of new cloth at its foot.")
    for asked in ("Load the next ship [flow: loading]", "Load the next ship", "Run all of it for the Petrel."):
        for reader in ({}, {"agent_id": "second"}):
            made = memory.context(asked, purpose="flow", project="flow:loading", **reader)
            assert sum(output in made.text for output in outputs.values()) >= 3
            assert "mainsail" not in made.text
    for number in range(8):
        memory.capture_flow_node(
            "loading", "tally", f"The tally of load {number} has {number + 20} crates on the quay by noon."
        )
    told = memory.context("Load the next ship", purpose="flow", project="flow:loading").text
    assert told.count("The tally of load") >= 5
    assert "Halcyon" not in memory.context("Load the next ship", purpose="flow", project="flow:mending").text


def test_what_one_worker_found_another_one_of_the_project_recalls(memory: Memory) -> None:
    made = memory.capture_round(
        "The mooring rings on pier two are rusted through.", tool_results=["ok"], project="harbour", agent_id="first"
    )
    assert made.scope == "project:harbour"
    asked = "How are the mooring rings?"
    for reader in ({"agent_id": "second"}, {"agent_id": "first"}, {}):
        assert "rusted" in memory.recall(asked, project="harbour", **reader)[0].text
    assert memory.get(str(made.memories[0]), project="harbour").author == "agent:first"
    for elsewhere in ({"project": "elsewhere", "agent_id": "second"}, {"project": "elsewhere"}, {}):
        assert not list(memory.recall(asked, **elsewhere))


def test_what_a_squad_and_a_user_were_found_out_for_stays_theirs(memory: Memory) -> None:
    told = "The mooring rings on pier two are rusted through."
    made = memory.capture_round(told, project="harbour", squad="divers", agent_id="first", user_id="ada")
    assert made.scope == "project:harbour/squad:divers/user:ada"
    asked = "How are the mooring rings?"
    assert list(memory.recall(asked, project="harbour", squad="divers", user_id="ada"))
    assert not list(memory.recall(asked, project="harbour", squad="divers"))
    assert not list(memory.recall(asked, project="harbour", user_id="ada"))


def test_workers_who_may_not_choose_a_scope_share_in_their_project_and_never_with_everybody(memory: Memory) -> None:
    for name in ("first", "second"):
        memory.grant(f"agent:{name}", "write")

    def capture(name: str, scope: Scope, operation: str, **asked: str) -> str:
        caller = Caller(subject=f"agent:{name}", scope=scope, chooses_scope=False)
        return str(call(memory.engine, caller, operation, asked).scope)

    told = "The mooring rings on pier two are rusted through."
    own = Scope.of(project="harbour", agent="first")
    assert capture("first", own, "capture_round", facts=told) == "project:harbour"
    assert (
        memory.recall("How are the mooring rings?", project="harbour", agent_id="second")[0].memory.author
        == "agent:first"
    )
    alone = Scope.of(agent="first")
    assert capture("first", alone, "capture_task", task="watch", result=told) == "agent:first"


def test_findings_keep_their_source_and_support_each_other(memory: Memory) -> None:
    made = memory.capture_research(
        "silt at the bar",
        [
            {"text": "The bar silts up by nine centimetres a year.", "url": "https://tides.example/a",
             "confidence": 0.8},
            {"text": "Soundings of May show seven to ten centimetres.", "confidence": 0.6, "supports": 1},
        ],
    )  # fmt: skip
    first, second = made.memories
    assert memory.get(str(first)).metadata == {"query": "silt at the bar", "url": "https://tides.example/a"}
    assert [step.memory.id for step in memory.walk(str(second))] == [first]


def test_what_a_skill_learnt_is_its_own(memory: Memory) -> None:
    memory.capture_skill("knots", "A bowline slips on wet nylon.", agent_id="bosun")
    asked = "What slips on wet nylon?"
    assert "bowline" in memory.recall(asked, agent_id="bosun", channel="skill:knots")[0].text
    assert not list(memory.recall(asked, agent_id="bosun", channel="skill:splices"))


def test_a_restart_asks_twice_whether_it_is_there_and_not_a_third_time(memory: Memory) -> None:
    memory.restart_begin("key-1", "Go on with the survey.", budget=2)
    assert memory.restart_step("key-1", "reach", failure="refused").state == "reaching"
    assert memory.restart_step("key-1", "reach", failure="timeout").state == "stopped"
    with pytest.raises(Conflict):
        memory.restart_step("key-1", "reach")


def test_a_wrong_key_writes_nothing_and_the_right_one_gets_the_continuation(memory: Memory) -> None:
    memory.restart_begin("key-1", "Go on with the survey.", budget=1)
    assert memory.restart_step("key-1", "reach").continuation == ""
    before = memory.engine.journal_end()
    with pytest.raises(Conflict):
        memory.restart_step("key-1", "identify", found="key-2")
    assert memory.engine.journal_end() == before
    assert memory.restart_step("key-1", "identify", found="key-1").continuation == "Go on with the survey."
    assert memory.restart_step("key-1", "continue").state == "done"
    with pytest.raises(Conflict):
        memory.restart_step("key-1", "continue")
    with pytest.raises(NotFound):
        memory.restart_state("key-9")


def test_the_same_failure_twice_stops_a_restart(memory: Memory) -> None:
    memory.restart_begin("key-1", "Go on.", budget=5)
    memory.restart_step("key-1", "reach")
    memory.restart_step("key-1", "identify", found="key-1")
    assert memory.restart_step("key-1", "continue", failure="crash").state == "continuing"
    stopped = memory.restart_step("key-1", "continue", failure="crash")
    assert (stopped.state, stopped.why) == ("stopped", "crash twice")


def test_a_unit_restarts_slowly_and_not_for_ever_and_a_foreign_file_is_left_alone(tmp_path: Path) -> None:
    words = ["/opt/py thon", "-m", "palazzo", "--palace", "/srv/100%", "serve"]
    unit = unit_for(words, "linux", tmp_path)
    install(unit)
    install(unit)
    read = ConfigParser(interpolation=None)
    read.read_string(unit.path.read_text())
    assert read["Service"]["ExecStart"] == '"/opt/py thon" -m palazzo --palace "/srv/100%%" serve'
    assert read["Service"]["Restart"] == "on-failure"
    burst, within = (int(read["Unit"][name]) for name in ("StartLimitBurst", "StartLimitIntervalSec"))
    pause = int(read["Service"]["RestartSec"])
    assert pause >= 5  # slowly
    assert 0 < burst * pause < within  # a daemon that ends at once comes to the limit, and is left alone then
    agent = unit_for(words, "darwin", tmp_path)
    told = plistlib.loads(agent.text.encode())
    assert told["ProgramArguments"] == words
    assert told["ThrottleInterval"] == 10
    unit.path.write_text("[Unit]\nDescription=another\n")
    with pytest.raises(Conflict):
        install(unit)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
def test_systemd_takes_every_line_of_the_unit(tmp_path: Path) -> None:
    unit = unit_for(command_words(str(tmp_path / "pa lace 100%"), ["--port", "7777"]), "linux", tmp_path)
    install(unit)

    def complaints() -> list[str]:
        looked = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(unit.path)], capture_output=True, text=True, check=False
        )
        return [line for line in looked.stderr.splitlines() if unit.path.name in line]

    assert not complaints()
    unit.path.write_text(unit.text.replace("RestartSec=", "RestartSec=soon "))
    assert complaints()
