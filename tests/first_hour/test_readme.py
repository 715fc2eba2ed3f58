"""From nothing to "my agent remembers", by the README's own commands on an empty machine."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from scripts import cast
from tests.first_hour.conftest import ROOT, Machine, closure, linked
from tests.first_hour.test_pages import SHELLS, blocks

README = (ROOT / "README.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINES = 90


def block_after(words: str) -> str:
    """The first block of the README after these words."""
    found = FENCE.search(README, README.index(words))
    assert found
    return found[2]


@pytest.fixture
def begun(machine: Machine) -> Machine:
    """The machine after the two lines that install Palazzo."""
    assert "made a palace in" in machine.shell(block_after("For your own environment"))
    return machine


def test_the_readme_fits_two_screens_and_shows_a_session_and_a_page() -> None:
    assert len(README.splitlines()) <= LINES
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert [Path(one).suffix for one in pictures] == [".svg", ".png"]
    assert all((ROOT / one).is_file() for one in pictures)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"^make (\w+)", README, re.MULTILINE)) <= set(targets)


def test_a_new_palace_is_well(begun: Machine) -> None:
    told = json.loads(begun.run("palazzo", "doctor", "--json"))
    assert told["well"]
    assert {finding["level"] for finding in told["findings"]} == {"good"}
    assert "_palazzo_completion" in begun.shell("_PALAZZO_COMPLETE=bash_source palazzo", packages=())


def test_what_needs_an_extra_names_its_package(machine: Machine) -> None:
    machine.run("palazzo", "init")
    needed = {"open": "uvicorn", "serve": "uvicorn", "mcp": "mcp", "init --encrypted --palace sealed": "cryptography"}
    for command, package in needed.items():
        done = subprocess.run(
            ["palazzo", *command.split()], capture_output=True, text=True, cwd=machine.project, timeout=300,
            env=machine.environment(),
        )  # fmt: skip
        assert done.returncode == 2
        assert f"(pip install '{package}>=" in done.stderr
        assert "Traceback" not in done.stderr


def test_an_agent_in_python_remembers(machine: Machine) -> None:
    said = machine.python(block_after("**In Python**"))
    assert "I am allergic to peanuts" in said.partition("What must I not eat?")[0]
    again = machine.python(
        'from palazzo import Memory\nprint(Memory("my-palace").context("what must I not eat?").text)'
    )
    assert "peanuts" in again, "another process knows it too"


def test_an_agent_in_langgraph_remembers(machine: Machine, tmp_path: Path) -> None:
    pytest.importorskip("langgraph", reason="langgraph is not installed: make setup")
    assert "`pip install langgraph`" in README
    beside = linked(tmp_path / "langgraph", closure(["langgraph"]))
    assert "I know: ['I am allergic to peanuts.']" in machine.python(block_after("**In LangGraph**"), str(beside))


def hook(machine: Machine, event: str, **said: Any) -> dict[str, Any]:
    """What Claude Code is told by the hooks in its settings, which it runs in a shell; however busy the machine is."""
    settings = json.loads((machine.home / ".claude" / "settings.json").read_text("utf-8"))
    told: dict[str, Any] = {}
    for entry in settings["hooks"][event]:
        for one in entry["hooks"]:
            given = {"hook_event_name": event, "cwd": str(machine.project), **said}
            told |= json.loads(machine.run("sh", "-c", f"{one['command']} --deadline 60", said=json.dumps(given)))
    return told


def asked_over_mcp(machine: Machine, tool: str, arguments: dict[str, Any]) -> str:
    """What the server in the project's .mcp.json answers, started as Claude Code starts it."""
    entry = json.loads((machine.project / ".mcp.json").read_text("utf-8"))["mcpServers"]["palazzo"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = (
        {"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    )  # fmt: skip
    with subprocess.Popen(
        [entry["command"], *entry["args"]], cwd=machine.project, env=machine.environment("extras"), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
        for line in server.stdout:
            if json.loads(line).get("id") == 2:
                server.stdin.close()
                return line
    raise AssertionError("the server ended without an answer")


def test_claude_code_remembers_from_one_session_to_the_next(begun: Machine, tmp_path: Path) -> None:
    begun.shell(block_after("**In Claude Code**"))
    transcript = tmp_path / "one.jsonl"
    turns = [("user", "I am allergic to peanuts, and we deploy on Tuesdays."), ("assistant", "Noted.")]
    transcript.write_text("".join(
        json.dumps({"type": role, "message": {"role": role, "content": text}}) + "\n" for role, text in turns
    ))  # fmt: skip
    first = {"session_id": "one", "transcript_path": str(transcript)}
    hook(begun, "SessionStart", source="startup", **first)
    hook(begun, "UserPromptSubmit", prompt=turns[0][1], **first)
    hook(begun, "Stop", **first)
    hook(begun, "SessionEnd", reason="exit", **first)
    second = {"session_id": "two", "transcript_path": str(tmp_path / "two.jsonl")}
    hook(begun, "SessionStart", source="startup", **second)
    told = hook(begun, "UserPromptSubmit", prompt="What must I not eat?", **second)
    assert "peanuts" in told["hookSpecificOutput"]["additionalContext"]
    assert "Tuesdays" in asked_over_mcp(begun, "recall", {"cue": "when do we deploy?"})


def test_the_plugin_for_claude_code_says_what_the_settings_say() -> None:
    folder = ROOT / "integrations" / "claude-code"
    assert f"--plugin-dir {folder.relative_to(ROOT)}" in README
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}
    server = json.loads((folder / ".mcp.json").read_text("utf-8"))["mcpServers"]["palazzo"]
    assert "--here" in server["args"]
    assert json.loads((folder / ".claude-plugin" / "plugin.json").read_text("utf-8"))["name"] == "palazzo"


def test_curl_remembers(begun: Machine) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    script = block_after("**Anywhere else**").replace("7777", port)
    script = script.replace("palazzo serve &", f"palazzo serve --port {port} >/dev/null 2>&1 &")
    page = "\n".join(blocks(ROOT / "docs" / "http.md", *SHELLS)).replace("7777", port)
    assert page.count("curl -s") == 3
    page = page.replace("curl -sN", "timeout 30 curl -sN").replace('$TOKEN"\n', '$TOKEN" | head -n 1\n')
    said = begun.shell(f"{script}\necho\nset +o pipefail\n{page}\nkill %1\nwait %1")
    first, second, *of_page = filter(None, said.replace("}{", "}\n{").splitlines())
    assert "memories" in json.loads(first)
    assert "peanuts" in json.loads(second)["text"]
    assert "Deploys to production happen on Tuesdays." in "".join(of_page)


def test_the_session_in_the_picture_is_what_the_commands_print(tmp_path: Path) -> None:
    shown = [unescape(line) for line in re.findall(r"<text[^>]*>([^<]*)</text>", cast.FILE.read_text("utf-8"))]
    now = [line for command, lines in cast.played(tmp_path) for line in (f"$ {command}", *lines)]

    def said(lines: list[str]) -> list[str]:  # ids, and figures in tables, are of the day
        plain = (re.sub(r"[0-9a-f]{8}", "id", line) for line in lines)
        return [line for line in plain if line.startswith(("$", "made", "Kept", "<", "-"))]

    assert said(shown) == said(now), "python -m scripts.cast"
    assert len(said(now)) > len(cast.SESSION)
