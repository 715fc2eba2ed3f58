"""Hooks as a client runs them: real processes, always one JSON object and exit code 0, no turn lost or taken twice."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.surfaces.hooks.heard import project_of

HANGS_S = 120
"""After so long a process counts as hanging; nothing is measured."""


def run(folder: Path, event: str, given: Any, *options: str) -> tuple[dict[str, Any], str]:
    """The answer of a hook and what it said on standard error."""
    text = given if isinstance(given, str) else json.dumps(given)
    done = subprocess.run(
        command(folder, event, *options), input=text, capture_output=True, text=True, timeout=HANGS_S, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)), done.stderr


def command(folder: Path, event: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "palazzo", "--palace", str(folder), "hook", event, *options]


ENVIRONMENT = {"PALAZZO_EMBEDDER": "none", "PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.defpath}


def line(role: str, text: Any, **more: Any) -> str:
    return json.dumps({"type": role, "message": {"role": role, "content": text}, **more}) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        memory.remember("In heron we always squash before merging.")
    return tmp_path / "palace"


def turns(folder: Path, cwd: str = "") -> list[str]:
    """The turns that were taken in: of a project, or of no project."""
    scope = {"project": project_of(cwd)} if cwd else {}
    with Memory(folder, embedder="none", upkeep=False) as memory:
        return sorted(one.text for one in memory.list(kinds=["exchange"], limit=1000, **scope))


def test_a_session_starts_with_what_is_known_of_its_project(folder: Path) -> None:
    told, said = run(folder, "session-start", {"cwd": "/src/heron", "source": "startup"}, "--deadline", "60")
    assert told["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "squash before merging" in told["hookSpecificOutput"]["additionalContext"]
    assert said == ""


def test_a_prompt_gets_what_is_known_for_it(folder: Path) -> None:
    asked = {"prompt": "how do we merge in heron?"}
    told, _ = run(folder, "user-prompt-submit", asked, "--deadline", "60", "--budget", "400")
    assert told["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "squash" in told["hookSpecificOutput"]["additionalContext"]


def test_a_stop_takes_in_the_new_turns_once(folder: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    given = {"transcript_path": str(transcript), "session_id": "s1", "cwd": "/src/heron"}
    transcript.write_text(
        line("user", "The staging host is called petrel.", timestamp="2026-05-01T10:00:00Z")
        + line("user", [{"type": "tool_result", "content": "noise"}])
        + line("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted: petrel."}])
        + line("user", "not said by a person", isMeta=True)
        + json.dumps({"type": "summary", "summary": "x"}) + "\n"
        + "not json\n"
        + '{"type": "user", "message": {"role": "user", "content": "half a li'
    )  # fmt: skip
    told, said = run(folder, "stop", given, "--deadline", "60")
    assert told == {}
    assert "1 lines" in said
    first = ["Noted: petrel.", "The staging host is called petrel."]
    assert turns(folder, "/src/heron") == first
    run(folder, "stop", given, "--deadline", "60")
    assert turns(folder, "/src/heron") == first
    assert turns(folder) == []
    with transcript.open("a") as file:
        file.write('ne"}}\n' + line("assistant", "The port is 8443."))
    run(folder, "stop", given, "--deadline", "60")
    assert turns(folder, "/src/heron") == sorted([*first, "half a line", "The port is 8443."])


def test_a_palace_that_is_missing_broken_or_shut_never_stops_the_client(folder: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(line("user", "The kiln is hot."))
    given = {"transcript_path": str(transcript)}
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "palace.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    for palace in (tmp_path / "missing", tmp_path / "broken"):
        for event in ("session-start", "stop", "user-prompt-submit"):
            told, said = run(palace, event, {**given, "prompt": "what?"}, "--deadline", "60")
            assert told == {}
            assert said.startswith(f"palazzo: {event}: ")
    assert not (tmp_path / "missing").exists()
    for wrong in ("", "{", "[]", '"text"'):
        told, _ = run(folder, "stop", wrong, "--deadline", "60")
        assert told == {}


def test_a_client_that_never_closes_its_pipe_is_answered(folder: Path) -> None:
    with subprocess.Popen(
        command(folder, "session-start", "--deadline", "0.2"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=ENVIRONMENT,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert json.loads(process.stdout.read()) == {}
        assert process.wait(HANGS_S) == 0


def test_what_a_locked_palace_delays_is_done_in_the_background(folder: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    said = [f"Round {number} of the trial went to the harbour team." for number in range(30)]
    transcript.write_text("".join(line("user", text) for text in said))
    given = {"transcript_path": str(transcript), "session_id": "s1"}
    other = sqlite3.connect(folder / "palace.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    told, trouble = run(folder, "stop", given, "--deadline", "2")
    other.execute("ROLLBACK")
    other.close()
    assert told == {}
    assert "background" in trouble
    run(folder, "stop", given, "--deadline", "0")  # waits for the one in the background
    assert turns(folder) == sorted(said)


def test_a_huge_transcript_does_not_keep_the_client(folder: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    texts = [f"Crate {number} holds {number * 3} lamps and stands in row {number % 7}." for number in range(400)]
    noise = line("user", [{"type": "tool_result", "content": "x" * 20_000}])
    transcript.write_text("".join(line("user", text) + noise for text in texts) + "y" * (9 << 20) + "\n")
    told, _ = run(folder, "stop", {"transcript_path": str(transcript)}, "--deadline", "1")
    assert told == {}
    run(folder, "stop", {"transcript_path": str(transcript)}, "--deadline", "0")
    assert turns(folder) == sorted(texts)


def test_the_settings_snippet_names_every_hook(folder: Path) -> None:
    done = subprocess.run(
        command(folder, "config", "--prompts"), capture_output=True, text=True, timeout=HANGS_S, env=ENVIRONMENT
    )
    hooks = json.loads(done.stdout)["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}
    assert hooks["Stop"][0]["hooks"][0]["command"].endswith("hook stop")
