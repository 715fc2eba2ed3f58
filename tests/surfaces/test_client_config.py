"""`palazzo mcp config`: real files of every client, changed without harm, and left alone when that is not certain."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.mcp.command import CLIENTS

JSON_CLIENTS = [name for name, client in CLIENTS.items() if not client.toml]
CODEX = """\
# my settings
model = "some-model"

[mcp_servers.other]
command = "npx"  # keep this comment
args = ["-y", "other"]

[mcp_servers.palazzo]
command = "old"
args = ["mcp"]

[profiles.deep]
model = "another"
"""


def config(*arguments: str, fails: bool = False) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["--json", "--palace", "p", "mcp", "config", *arguments])
    assert (result.exit_code == 2) is fails, result.output
    told: dict[str, Any] = json.loads(result.stderr if fails else result.stdout)
    return told


@pytest.mark.parametrize("name", CLIENTS)
def test_the_snippet_is_what_is_written_into_an_empty_place(name: str, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file"
    shown = config(name)
    told = config(name, "--file", str(file), "--write")
    assert told["changed"]
    assert file.read_text() == shown["snippet"] == told["snippet"]
    assert "--palace" in shown["snippet"]


@pytest.mark.parametrize("name", JSON_CLIENTS)
def test_what_else_is_in_a_json_file_stays(name: str, tmp_path: Path) -> None:
    key = CLIENTS[name].key
    before = {"theme": "dark ü", key: {"other": {"command": "npx", "env": {"A": "1"}}}, "list": [1, {"x": None}]}
    file = tmp_path / "file.json"
    file.write_text(json.dumps(before, indent="\t", ensure_ascii=False))
    told = config(name, "--file", str(file), "--write", "--toolset", "full")
    after = json.loads(file.read_text())
    entry = after[key].pop("palazzo")
    wanted = ["mcp", "--client", name, *(["--here"] if CLIENTS[name].here else []), "--toolset", "full"]
    assert (entry.get("args") or entry["command"])[-len(wanted) :] == wanted
    assert after == before
    assert "\n\t\t" in file.read_text(), "the file's own indentation is kept"
    assert json.loads(Path(told["copy"]).read_text()) == before


def test_what_else_is_in_a_toml_file_stays_comments_too(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(CODEX)
    told = config("codex", "--file", str(file), "--write")
    before, after = tomllib.loads(CODEX), tomllib.loads(file.read_text())
    assert after["mcp_servers"].pop("palazzo")["args"][-3:] == ["mcp", "--client", "codex"]
    before["mcp_servers"].pop("palazzo")
    assert after == before
    assert "# keep this comment" in file.read_text()
    assert Path(told["copy"]).read_text() == CODEX


@pytest.mark.parametrize("name", CLIENTS)
def test_doing_it_again_changes_nothing_and_makes_no_copy(name: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    config(name, "--file", str(file), "--write")
    once = file.read_bytes()
    told = config(name, "--file", str(file), "--write")
    assert (told["changed"], told["copy"], file.read_bytes()) == (False, "", once)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("vscode", '{\n  // a comment\n  "servers": {}\n}\n'),
        ("cursor", '{"mcpServers": []}'),
        ("claude-code", "[]"),
        ("codex", "not toml ["),
        ("codex", 'mcp_servers = {palazzo = {command = "inline"}}\n'),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    told = config(name, "--file", str(file), "--write", fails=True)
    assert told["error"] == "invalid_input"
    assert file.read_text() == text
    assert list(tmp_path.iterdir()) == [file]


def test_each_client_has_its_own_place() -> None:
    files = {name: config(name)["file"] for name in CLIENTS}
    assert len(set(files.values())) == len(CLIENTS)
    assert files["claude-code"] == ".mcp.json"
    assert files["codex"].endswith(".codex/config.toml")


def test_a_file_of_the_user_names_the_palace_and_one_that_travels_only_if_it_was_asked_for(tmp_path: Path) -> None:
    def shown(name: str) -> str:
        found = CliRunner().invoke(
            main, ["mcp", "config", name, "--json"], env={"PALAZZO_PALACE": str(tmp_path / "mine")}
        )
        return str(json.loads(found.stdout)["snippet"])

    for name, client in CLIENTS.items():
        assert (str(tmp_path / "mine") in shown(name)) is not client.project


def test_that_the_sdk_is_missing_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palazzo.surfaces.mcp.command.find_spec", lambda _: None)
    assert "pip install 'mcp>=" in config("cursor")["missing"]


def hooks_written(file: Path, *arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(main, ["--json", "hook", "config", "--file", str(file), "--write", *arguments])
    assert done.exit_code == 0, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_hooks_are_put_beside_those_of_others_and_only_once(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    other = {"matcher": "Bash", "hooks": [{"type": "command", "command": "notify stop"}]}
    file.write_text(json.dumps({"model": "some", "hooks": {"Stop": [other], "Notification": [other]}}))
    assert hooks_written(file, "--prompts")["changed"]
    after = json.loads(file.read_text())
    assert after["model"] == "some"
    assert after["hooks"]["Notification"] == [other]
    assert after["hooks"]["Stop"][0] == other
    assert after["hooks"]["Stop"][1]["hooks"][0]["command"].endswith("hook stop")
    assert not hooks_written(file, "--prompts")["changed"]
    told = hooks_written(file)  # without a hook for prompts ours goes, and nobody else's
    assert told["copy"]
    assert set(json.loads(file.read_text())["hooks"]) == {
        "Stop",
        "Notification",
        "SessionStart",
        "PreCompact",
        "SessionEnd",
    }


def test_a_plugin_is_written_as_a_file_and_settings_with_comments_are_left(tmp_path: Path) -> None:
    plugin = tmp_path / "plugins" / "palazzo.js"
    assert hooks_written(plugin, "--client", "opencode")["changed"]
    assert "session.idle" in plugin.read_text()
    file = tmp_path / "settings.json"
    file.write_text("{ // mine\n}")
    done = CliRunner().invoke(main, ["hook", "config", "--file", str(file), "--write"])
    assert done.exit_code == 2
    assert "left as it is" in done.stderr
    assert file.read_text() == "{ // mine\n}"
