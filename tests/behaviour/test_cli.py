"""The command line as people and programs use it: real processes' worth of arguments, a real palace on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palazzo.bootstrap import create_engine, load_settings
from palazzo.model.message import Message
from palazzo.surfaces.cli.commands import main


class Shell:
    """Runs `palazzo --palace FOLDER --json ...`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(main, ["--palace", str(self.folder), "--json", *arguments], env=environment)

    def json(self, *arguments: str, **environment: str) -> dict[str, Any]:
        result = self.run(*arguments, **environment)
        assert result.exit_code in (0, 1), result.output
        return dict(json.loads(result.stdout))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "palace")


def fill(folder: Path, count: int = 5, **settings: str) -> None:
    with create_engine(
        load_settings({"palace": str(folder), **settings}), encrypted="passphrase" in settings
    ) as engine:
        engine.remember_many([Message(text=f"remembered thing number {n}") for n in range(count)])


def test_init_makes_a_palace_and_says_where(shell: Shell) -> None:
    made = shell.json("init")
    assert made["palace"] == str(shell.folder)
    again = shell.run("init")
    assert again.exit_code == 2
    assert json.loads(again.stderr)["error"] == "palace_exists"


def test_a_missing_palace_is_one_line_with_a_next_step(shell: Shell) -> None:
    result = shell.run("status")
    assert result.exit_code == 2
    assert "palazzo init" in json.loads(result.stderr)["hint"]
    assert result.stdout == ""


def test_status_counts_what_is_there(shell: Shell) -> None:
    fill(shell.folder)
    status = shell.json("status")
    assert (status["memories"], status["events"]) == (5, 6)
    assert status["spaces"][0]["missing"] == 0


def test_doctor_verify_rebuild_and_upkeep_work_from_the_command_line(shell: Shell) -> None:
    fill(shell.folder)
    assert shell.json("doctor")["well"] is True
    assert shell.json("verify") == {"clean": True, "problems": []}
    assert shell.json("rebuild")["clean"] is True
    assert shell.json("upkeep")["filled"] == 0


def test_verify_exits_with_one_and_names_the_damage(shell: Shell) -> None:
    import apsw

    fill(shell.folder)
    connection = apsw.Connection(str(shell.folder / "palace.db"))
    connection.execute("UPDATE audit SET subject = 'mallory' WHERE id = 1")
    connection.close()
    result = shell.run("verify")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["problems"] == [
        "event: row 1 is of another subject than line 1 of the audit trail",
        "audit: line 1 was altered",
    ]


def test_backup_writes_a_palace_that_opens(shell: Shell, tmp_path: Path) -> None:
    fill(shell.folder)
    target = tmp_path / "copy" / "palace.db"
    assert shell.json("backup", str(target))["bytes"] > 0
    assert Shell(tmp_path / "copy").json("status")["memories"] == 5


def test_encrypt_and_decrypt_convert_in_place_and_a_wrong_passphrase_is_refused(shell: Shell) -> None:
    fill(shell.folder)
    secret = {"PALAZZO_PASSPHRASE": "correct horse"}
    assert shell.json("encrypt", **secret)["encrypted"] is True
    assert shell.json("status", **secret)["memories"] == 5
    for wrong in ({}, {"PALAZZO_PASSPHRASE": "battery staple"}):
        refused = shell.run("status", **wrong)
        assert refused.exit_code == 2
        assert json.loads(refused.stderr)["error"] == "wrong_key"
    assert shell.run("encrypt", **secret).exit_code == 2
    assert shell.json("decrypt", **secret)["encrypted"] is False
    assert shell.json("status")["memories"] == 5
    assert not (shell.folder / "key.json").exists()


def test_an_encrypted_palace_is_made_by_init_and_used_with_its_passphrase(shell: Shell) -> None:
    secret = {"PALAZZO_PASSPHRASE": "correct horse"}
    assert shell.json("init", "--encrypted", **secret)["encrypted"] is True
    assert shell.json("verify", **secret)["clean"] is True
    assert b"SQLite" not in (shell.folder / "palace.db").read_bytes()[:16]


def test_people_get_tables_and_words(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(shell.folder)
    monkeypatch.setattr("palazzo.surfaces.cli.commands.Session.__init__", _for_people)
    for command, expected in (
        ("doctor", "integrity"),
        ("verify", "clean"),
        ("status", "memories"),
        ("rebuild", "rebuilt"),
    ):
        result = CliRunner().invoke(main, ["--palace", str(shell.folder), command])
        assert expected in result.stdout


def _for_people(session: Any, palace: str | None, as_json: bool) -> None:
    session.palace, session.as_json, session.json_asked = palace, as_json, as_json


def test_the_doctor_speaks_to_people_also_in_a_pipe(shell: Shell) -> None:
    fill(shell.folder)
    told = CliRunner().invoke(main, ["--palace", str(shell.folder), "doctor"])
    assert told.exit_code == 0
    assert "integrity" in told.stdout
    assert not told.stdout.startswith("{")


def test_the_demo_is_for_people_also_in_a_pipe() -> None:
    shown = CliRunner().invoke(main, ["demo"]).stdout
    assert "now:   My favourite colour is black.\n" in shown
    assert '"scenes"' not in shown


def test_the_demo_plays_every_scene(shell: Shell) -> None:
    scenes = {scene["scene"]: scene["lines"] for scene in shell.json("demo")["scenes"]}
    assert len(scenes) == 13
    text = json.dumps(scenes)
    assert "refused (cycle_refused)" in text
    assert "now:   My favourite colour is black." in text
    assert "as of a moment ago: My favourite colour is blue." in text
    assert "verify: clean" in text
    assert "The user prefers Python. (may have changed: python was 8 of the last 230 language events" in text
    assert "combined 1.00 against 0.70: flagged (undivided it would be 0.40, above 0.35 only)" in text
    assert "mcp:newcomer, remember: refused (not_permitted)" in text
    assert "agent:primary, decide: refused (not_permitted): decide is for the operator alone" in text
    assert "<memory>" in text
    assert "ben finds it: 0" in text


def test_every_command_has_help(shell: Shell) -> None:
    for name, command in main.commands.items():
        assert command.help, name
        assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0
