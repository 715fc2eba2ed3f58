"""The palace on a real session bus: every operation once, who calls by the bus alone, a signal for every event."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("dbus_fast", reason="dbus-fast is not installed: pip install '.[dbus]'")

from tests.surfaces.daemon import PATIENCE_S, Running, as_operator, daemon
from tests.surfaces.dbus.session import Bus, on_a_bus

from palazzo import Memory, __version__
from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.dbus.interfaces import INTERFACES, METHODS, NAME, introspected, signature_of

PALACE = f"{NAME}.Palace"
NOBODY = 65534


@pytest.fixture(scope="module")
def bus() -> Iterator[Bus]:
    with on_a_bus() as made:
        yield made


@pytest.fixture(scope="module")
def running(bus: Bus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("bus") / "palace"
    with daemon(folder, "--dbus", DBUS_SESSION_BUS_ADDRESS=bus.address, PALAZZO_HEARTBEAT_S="3600") as found:
        yield found


def test_every_operation_of_the_registry_is_in_one_interface_with_its_parameters() -> None:
    assert sorted(one.name for one in METHODS.values()) == sorted(one.name for one in OPERATIONS)
    document = ET.fromstring(introspected().partition("?>")[2] or introspected())
    found = {one.get("name"): one for one in document.findall("interface")}
    assert {f"{NAME}.{name}" for name in INTERFACES} <= set(found)
    for (interface, member), operation in METHODS.items():
        (method,) = (one for one in found[interface].findall("method") if one.get("name") == member)
        taken = [one for one in method.findall("arg") if one.get("direction") == "in"]
        assert [one.get("name") for one in taken[:-1]] == [one.name for one in operation.parameters if one.required]
        assert "".join(one.get("type", "") for one in taken) == signature_of(operation)
        assert [one.get("type") for one in method.findall("arg") if one.get("direction") == "out"] == ["s"]
        options = "".join(one.get("value", "") for one in taken[-1].findall("annotation"))
        left = [one.name for one in operation.parameters if not one.required]
        assert [word for word in options.split(", ") if word] == left


def test_what_the_bus_shows_is_the_document(bus: Bus, running: Running) -> None:
    assert bus.call("org.freedesktop.DBus.Introspectable", "Introspect") == introspected()
    assert 'node name="palazzo"' in bus.call("org.freedesktop.DBus.Introspectable", "Introspect", path="/ai")
    asked = ("org.freedesktop.DBus.Properties", "Get", "ss", [f"{NAME}.Admin", "Version"])
    assert bus.call(*asked).value == __version__


def test_a_memory_is_told_found_and_explained_on_the_bus(bus: Bus, running: Running) -> None:
    kept = bus.ask(PALACE, "Remember", "s", ["The crane is blue."], place="work.quay", importance=0.75, tags=["crane"])
    (memory,) = kept["memories"]
    found = bus.ask(PALACE, "Recall", "s", ["Which colour has the crane?"], limit=1)
    assert found["hits"][0]["memory"]["id"] == memory
    assert found["hits"][0]["memory"]["importance"] == 0.75
    assert bus.ask(f"{NAME}.Provenance", "Why", "s", [memory])["memory"]["id"] == memory
    assert bus.ask(f"{NAME}.Admin", "Status")["memories"] >= 1
    turns = json.dumps([{"role": "user", "content": "The winch is old."}])
    assert bus.ask(PALACE, "Observe", "s", [turns], thread="quay")["accounts"]
    assert bus.ask(f"{NAME}.Snapshots", "SnapshotList") == {"snapshots": []}
    assert bus.ask(f"{NAME}.Capabilities", "Grants", subject="agent:cook")["grants"] == []


def test_an_error_has_the_name_of_its_code_and_says_what_to_do(bus: Bus, running: Running) -> None:
    name, told = bus.refused(PALACE, "Get", "s", ["0190b2b4-0000-7000-8000-000000000000"])
    assert name == f"{NAME}.Error.NotFound"
    name, told = bus.refused(PALACE, "Remember", "s", ["x"], colour="red")
    assert (name, "has no parameter 'colour'" in told) == (f"{NAME}.Error.InvalidInput", True)
    name, told = bus.refused(PALACE, "Remember", "s", [" "])
    assert name == f"{NAME}.Error.InvalidInput"
    name, told = bus.refused(PALACE, "Observe", "s", ["no json"])
    assert "turns wants JSON" in told
    name, told = bus.refused(PALACE, "Recall", "", [])
    assert "takes 'sa{sv}'" in told
    assert bus.refused(PALACE, "Nothing", "", [])[0] == "org.freedesktop.DBus.Error.UnknownMethod"


def test_every_event_of_the_journal_is_a_signal_and_tells_no_content(bus: Bus, running: Running) -> None:
    with bus.listening(f"{NAME}.Events", "Changed") as heard:
        as_operator(running.folder, "remember", text="The gull is grey.", place="work.quay", kind="fact", name="gull")
        events = as_operator(running.folder, "events").events
        told = [heard.get(timeout=PATIENCE_S)]
        while told[-1][0] != "memory_placed":
            told.append(heard.get(timeout=PATIENCE_S))
    placed = [json.loads(event) for kind, _, event in told if kind == "memory_placed"]
    assert placed
    assert {one["seq"] for one in placed} <= {str(event.seq) for event in events}
    assert "gull is grey" not in json.dumps(told)


def test_who_calls_is_who_the_bus_says_and_no_argument_says_otherwise(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can make a palace of somebody else")
    folder = tmp_path / "theirs"
    with Memory(folder, embedder="none") as memory:
        memory.remember("The tide is high.", place="work.quay", kind="fact")
    shutil.chown(folder, NOBODY)
    with on_a_bus() as other, daemon(folder, "--dbus", DBUS_SESSION_BUS_ADDRESS=other.address):
        name, told = other.refused(PALACE, "Recall", "s", ["How is the tide?"])
        assert (name, told.startswith("local:0 may not recall")) == (f"{NAME}.Error.NotPermitted", True)
        for given in ({"subject": "operator"}, {"token": "operator"}):
            assert other.refused(PALACE, "Recall", "s", ["How is the tide?"], **given)[0].endswith("InvalidInput")
        as_operator(folder, "grant", subject="local:0", level="read_all", place="work.**")
        assert other.ask(PALACE, "Recall", "s", ["How is the tide?"])["hits"]
        assert other.refused(PALACE, "Remember", "s", ["No."])[0] == f"{NAME}.Error.NotPermitted"


def test_one_daemon_stands_on_a_bus_and_a_second_says_why_it_does_not(
    bus: Bus, running: Running, tmp_path: Path
) -> None:
    told = bus.command("palazzo", "--palace", str(tmp_path / "second"), "serve", "--dbus", "--port", "0")
    assert told.returncode == 2
    assert f"another program has {NAME}" in told.stderr


def test_without_a_bus_the_daemon_says_what_to_do(tmp_path: Path, bus: Bus) -> None:
    told = bus.command(
        "palazzo", "--palace", str(tmp_path / "alone"), "serve", "--dbus", "--port", "0",
        address=f"unix:path={tmp_path / 'nowhere'}",
    )  # fmt: skip
    assert told.returncode == 2
    assert "there is no session bus" in told.stderr


def test_the_examples_of_the_page_do_what_they_say(bus: Bus, running: Running) -> None:
    page = (Path(__file__).parents[3] / "docs" / "dbus.md").read_text("utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 2
    for block in blocks:
        steps = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
        assert steps
        for typed, printed in steps:
            program = shlex.split(typed)[0]
            if shutil.which(program) is None:
                pytest.skip(f"{program} is not installed; scripts/setup.sh installs it as root with apt")
            asked = {"capture_output": True, "text": True, "env": bus.environment, "timeout": PATIENCE_S}
            done = subprocess.run(["sh", "-c", typed], check=False, **asked)
            assert done.returncode == 0, done.stderr
            for words in filter(None, re.split(r"\.\.\.|\n", printed)):
                assert words.strip() in done.stdout, (typed, words, done.stdout)
