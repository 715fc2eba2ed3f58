"""Every client's hooks, driven by payloads in the form each sends: the work is found again, in its project alone."""

from __future__ import annotations

import ast
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.daemon import daemon

from palazzo import Memory
from palazzo.surfaces.cli.session import Session
from palazzo.surfaces.hooks import heard, thin
from palazzo.surfaces.hooks import run as hooks
from palazzo.surfaces.hooks.command import snippet
from palazzo.surfaces.hooks.heard import CLIENTS, CONTEXT_CHARS, HookEvent, project_of

ROOT = Path(__file__).resolve().parents[2]
PAYLOADS = ROOT / "tests/fixtures/hooks"
PROMPT = "We should print the tide almanac on cream paper. The printer is called Gutenberg-7."
LISTED = "We should print the tide almanac on cream paper."
ANSWER = "I'll print the tide almanac on cream paper tomorrow."


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALAZZO_EMBEDDER", "none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False):
        return tmp_path / "palace"


def transcript_of(client: str, path: Path) -> Path:
    """What was said, in the form the client keeps it."""
    said = [("user", PROMPT), ("assistant", ANSWER), ("user", "Scrap the regatta poster, the sponsor left.")]
    if client == "codex":
        lines = [
            {
                "timestamp": "2026-10-02T08:11:09Z", "type": "response_item",
                "payload": {
                    "type": "message", "role": role,
                    "content": [{"type": "input_text" if role == "user" else "output_text", "text": text}],
                },
            }
            for role, text in (("user", "<environment_context>cwd</environment_context>"), *said)
        ]  # fmt: skip
    else:
        lines = [{"type": role, "message": {"role": role, "content": text}} for role, text in said]
        lines += [
            {"type": "assistant", "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make almanac"}},
                {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "src/almanac/tide.py"}},
            ]}},
            {"type": "user", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "Exit code 2\nno paper", "is_error": True},
            ]}},
        ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def played(folder: Path, client: str, cwd: Path, transcript: Path) -> list[dict[str, Any]]:
    """The answers to a client's events, in order."""
    names = {theirs: ours for ours, theirs in CLIENTS[client].items()}
    answers = []
    for payload in json.loads((PAYLOADS / f"{client}.json").read_text()):
        text = json.dumps(payload)
        for mark, value in (("@TRANSCRIPT", transcript), ("@CWD", cwd), ("@PROMPT", PROMPT), ("@ANSWER", ANSWER)):
            text = text.replace(mark, str(value))
        given = json.loads(text)
        session = Session(str(folder), as_json=True)
        one = HookEvent(names[given["hook_event_name"]], client, given)
        answers.append(hooks.work(session, one, 1500))
    return answers


@pytest.mark.parametrize("client", CLIENTS)
def test_a_clients_day_is_found_again_after_its_compaction_and_in_its_project_alone(
    folder: Path, tmp_path: Path, client: str
) -> None:
    cwd = tmp_path / "almanac"
    cwd.mkdir()
    ending = ".json" if client == "gemini" else ".jsonl"
    transcript = transcript_of(client, tmp_path / f"talk{ending}")
    answers = played(folder, client, cwd, transcript)
    assert answers[2] == answers[3] == {}
    if client != "gemini":  # it does not tell a session that was compacted from one that is resumed
        told = answers[4]["hookSpecificOutput"]
        assert told["hookEventName"] == CLIENTS[client]["session-start"]
        assert "tide almanac" in told["additionalContext"]
        assert len(told["additionalContext"]) <= CONTEXT_CHARS
    with Memory(folder, embedder="none", upkeep=False) as memory:
        project = project_of(str(cwd))
        found = memory.bridge(project, project=project)
        assert "open" in {item.state for item in found.items if "almanac" in item.text}
        assert "Gutenberg-7" in memory.recall("What is the printer called?", project=project)[0].text
        assert not list(memory.recall("What is the printer called?", project="elsewhere-000000"))
        assert found.compactions == 1
        (thread,) = memory.thread_list()
        assert (thread.thread, thread.scope) == (project, f"project:{project}")
        if client == "claude-code":
            assert "cancelled" in {item.state for item in found.items if "regatta" in item.text}
            assert "make almanac -> 2" in found.ran
            assert memory.sessions(project, project=project)[0].how == "prompt_input_exit"


@pytest.mark.parametrize("kept_by", ["claude-code", "claude-code-tasks", "codex", "gemini", "opencode"])
def test_what_is_on_a_clients_own_list_of_work_stands_as_the_list_says(
    folder: Path, tmp_path: Path, kept_by: str
) -> None:
    client = kept_by.removesuffix("-tasks")
    recorded = json.loads((PAYLOADS / "lists.json").read_text())[kept_by]
    given: dict[str, Any] = {"session_id": "s1", "cwd": str(tmp_path)}
    if client == "opencode":
        given |= {"messages": [{"role": "user", "content": LISTED}], "todos": recorded}
    elif client == "gemini":
        given |= {"transcript_path": str(tmp_path / "talk.json"), "prompt": LISTED, "prompt_response": "Noted."}
        (tmp_path / "talk.json").write_text(json.dumps(recorded))
    else:
        given |= {"transcript_path": str(tmp_path / "talk.jsonl")}
        (tmp_path / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in recorded))
    hooks.work(Session(str(folder), as_json=True), HookEvent("stop", client, given), 1500)
    with Memory(folder, embedder="none", upkeep=False) as memory:
        project = project_of(str(tmp_path))
        found = {item.text: item.state for item in memory.bridge(project, project=project).items}
    assert found == {LISTED: "done", "Grease the harbour crane": "open", "Weigh the old anchor": "cancelled"}


def test_a_list_that_is_no_list_and_an_entry_that_may_not_be_kept_are_left_out(folder: Path, tmp_path: Path) -> None:
    for listed in ("x", [{"content": 3, "status": "pending"}], [{"content": "Dredge", "status": "odd"}], [None]):
        given = {"cwd": str(tmp_path), "messages": [{"role": "user", "content": "Ahoy."}], "todos": listed}
        assert hooks.work(Session(str(folder), as_json=True), HookEvent("stop", "opencode", given), 1500) == {}
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with Memory(folder, embedder="none", upkeep=False) as memory:
        todos = [{"text": f"Use {key} for the push"}, {"text": "Oil the winch"}]
        memory.checkpoint("yard", todos=todos)
        assert [item.text for item in memory.bridge("yard").items] == ["Oil the winch"]


def test_a_folder_of_a_repository_is_its_project_and_two_of_one_name_are_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "quay" / ".git").mkdir(parents=True)
        (tmp_path / name / "quay" / "src").mkdir()
    (tmp_path / "one/quay/.git/HEAD").write_text("ref: refs/heads/low-tide\n")
    inside = project_of(str(tmp_path / "one/quay/src"))
    assert inside == project_of(str(tmp_path / "one/quay"))
    assert inside != project_of(str(tmp_path / "two/quay"))
    assert inside.startswith("quay-")
    assert hooks.branch_of(str(tmp_path / "one/quay/src")) == "low-tide"
    assert hooks.branch_of(str(tmp_path)) == ""


def test_what_a_hook_could_not_do_stands_on_one_line_in_the_log(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    folder.mkdir()
    (folder / "palace.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    done = subprocess.run(
        [sys.executable, "-m", "palazzo", "--palace", str(folder), "hook", "session-start", "--client", "codex"],
        input="{}", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {}
    (line,) = (folder / "hooks" / "hooks.log").read_text().splitlines()
    assert " codex session-start: " in line


def test_a_running_daemon_answers_a_hook_that_loads_nothing_of_the_palace(tmp_path: Path) -> None:
    cwd = tmp_path / "almanac"
    cwd.mkdir()
    scope = {"project": project_of(str(cwd))}
    script = (
        "import sys; from palazzo.surfaces.hooks.thin import answer_quickly; told = answer_quickly(sys.argv[1:]);"
        " sys.stderr.write(f'{told} {sorted(m for m in sys.modules if m.startswith(\"palazzo\"))}')"
    )
    with daemon(tmp_path / "p") as running:
        with Memory(running.folder, embedder="none") as memory:
            memory.observe(
                [{"role": "user", "content": PROMPT}], thread=scope["project"], session="before", **scope
            )  # fmt: skip
            memory.session_start(scope["project"], session="before", **scope)
            memory.session_end("before", **scope)
        for event, given, wanted in (
            ("session-start", {"source": "startup"}, "tide almanac"),
            ("user-prompt-submit", {"prompt": "What is the printer called?"}, "Gutenberg-7"),
            ("stop", {"messages": [{"role": "user", "content": "The ink is blue."}]}, ""),
        ):
            payload = {"session_id": "s1", "cwd": str(cwd), **given}
            done = subprocess.run(
                [sys.executable, "-c", script, "--palace", str(running.folder), "hook", event, "--deadline", "60"],
                input=json.dumps(payload), capture_output=True, text=True, check=True,
            )  # fmt: skip
            told = json.loads(done.stdout)
            assert done.stderr.startswith("True ")
            assert "palazzo.engine" not in done.stderr
            assert "palazzo.operations" not in done.stderr
            assert wanted in (told["hookSpecificOutput"]["additionalContext"] if wanted else "")
        with Memory(running.folder, embedder="none") as memory:
            assert memory.handoff_read(scope["project"], **scope).state == "consumed"


def test_the_quick_way_loads_nothing_that_takes_long_to_load() -> None:
    light = {"__future__", "_blake2", "json", "os", "select", "socket", "struct", "sys", "time"}
    for module in (heard, thin):
        for statement in ast.parse(Path(module.__file__).read_text("utf-8")).body:
            names = [one.name for one in statement.names] if isinstance(statement, ast.Import) else []
            names += [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []
            assert all(name in light or name.startswith("palazzo.surfaces.hooks.") for name in names)


def test_the_quick_way_leaves_what_it_does_not_know_to_the_command() -> None:
    assert thin.read_options(["hook", "stop"]) is None
    assert thin.read_options(["--palace", "x", "hook", "config"]) is None
    assert thin.read_options(["--palace", "x", "hook", "stop", "--deadline", "0"]) is None
    assert thin.read_options(["--palace", "x", "hook", "stop", "--client", "nobody"]) is None
    known = thin.read_options(["--palace", "x", "hook", "stop", "--client", "codex", "--deadline", "1.5"])
    assert known is not None
    assert (known.event, known.client, known.deadline_s) == ("stop", "codex", 1.5)


def test_the_plugin_for_claude_code_runs_what_the_command_line_has() -> None:
    plugin = ROOT / "integrations/claude-code"
    manifest = json.loads((plugin / ".claude-plugin/plugin.json").read_text())
    assert manifest["name"] == "palazzo"
    assert json.loads((plugin / "hooks/hooks.json").read_text())["hooks"] == snippet(None, prompts=True)["hooks"]
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["palazzo"]
    assert server["args"][0] == "mcp"
    commands = sorted((plugin / "commands").glob("*.md"))
    assert [one.stem for one in commands] == ["plans", "recall", "remember"]
    assert all(one.read_text().startswith("---\ndescription: ") for one in commands)


def test_every_command_line_of_the_plugin_answers_what_the_client_sends_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "palazzo"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m palazzo "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("PALAZZO_PALACE", str(folder))
    lines = json.loads((ROOT / "integrations/claude-code/hooks/hooks.json").read_text())["hooks"]
    sent = {payload["hook_event_name"]: payload for payload in json.loads((PAYLOADS / "claude-code.json").read_text())}
    assert set(lines) == set(sent)
    for event, (entry,) in lines.items():
        payload = json.dumps(sent[event]).replace("@CWD", str(tmp_path)).replace("@TRANSCRIPT", str(tmp_path / "none"))
        (line,) = (one["command"] for one in entry["hooks"])
        done = subprocess.run(line, shell=True, input=payload, capture_output=True, text=True, check=True)
        assert isinstance(json.loads(done.stdout), dict)


@pytest.mark.parametrize("client", ["codex", "gemini"])
def test_a_snippet_names_the_events_as_the_client_does(client: str) -> None:
    named = snippet("/srv/palace", prompts=True, client=client)["hooks"]
    assert set(named) <= set(CLIENTS[client].values())
    assert all(f"--client {client}" in one[0]["hooks"][0]["command"] for one in named.values())


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_plugin_for_opencode_is_javascript_that_node_can_read(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "palazzo", "hook", "config", "--client", "opencode"], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    path = tmp_path / "palazzo.mjs"
    path.write_text(told.stdout)
    subprocess.run(["node", "--check", str(path)], check=True, capture_output=True)
