"""Taking in and explaining from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palazzo.surfaces.cli.commands import main


class Shell:
    """Runs `palazzo --palace FOLDER --json ...` with something on standard input."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, stdin: str = "") -> Result:
        return CliRunner().invoke(main, ["--palace", str(self.folder), "--json", *arguments], input=stdin)

    def json(self, *arguments: str, stdin: str = "") -> dict[str, Any]:
        result = self.run(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return dict(json.loads(result.stdout))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path / "palace")
    made.json("init")
    return made


def test_remember_says_what_became_of_each_sentence_and_explain_says_it_again(shell: Shell) -> None:
    told = shell.json("remember", "My favourite colour is blue.")
    (memory,) = told["memories"]
    assert told["accounts"][0]["fates"][0]["outcome"] == "stored"
    assert shell.json("explain", memory)["accounts"] == told["accounts"]
    changed = shell.json("remember", "My favourite colour is black.")
    assert changed["memories"] == [memory]
    assert changed["accounts"][0]["fates"][0]["outcome"] == "superseded"
    assert len(shell.json("explain", memory)["accounts"]) == 2


def test_remember_reads_standard_input(shell: Shell) -> None:
    assert shell.json("remember", "-", "--place", "work", stdin="Deploys happen on Tuesdays.\n")["memories"]


def test_a_secret_is_refused_with_its_class_and_never_its_value(shell: Shell) -> None:
    result = shell.run("remember", "My card is 4111 1111 1111 1111.")
    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"] == "refused"
    assert "card_number" in result.stderr
    assert "4111" not in result.stderr


def test_observe_reads_json_lines(shell: Shell) -> None:
    lines = [
        {"text": "I moved to Oslo yesterday.", "speaker": "Ann", "at": "2024-05-02T10:00:00Z", "thread": "t"},
        {"text": "Nice!", "speaker": "Ben", "role": "user", "thread": "t"},
    ]
    told = shell.json("observe", stdin="\n".join(map(json.dumps, lines)) + "\n\n")
    assert (told["turns"], told["stored"], told["dropped"]) == (2, 1, 1)


def test_turns_of_several_talks_and_scopes_in_one_stream_go_where_each_belongs(shell: Shell) -> None:
    lines = [
        {"content": "I play the cello.", "thread": "a", "scope": "user:ann"},
        {"text": "I keep bees.", "addressee": "Ann", "thread": "b", "scope": "user:ben"},
        {"text": "I play the cello every day.", "thread": "a", "scope": "user:ann"},
    ]
    assert shell.json("observe", stdin="\n".join(map(json.dumps, lines)))["turns"] == 3
    texts = [memory["text"] for memory in shell.json("list", "--user-id", "ben")["memories"]]
    assert any("bees" in text for text in texts)
    assert not any("cello" in text for text in texts)
    audited = [line["action"] for line in shell.json("audit", "list")["lines"]]
    assert audited.count("observe") == 3


@pytest.mark.parametrize(
    "line",
    ["no json", "[1]", '{"speaker": "Ann"}', '{"text": 1}', '{"text": "x", "role": "king"}',
     '{"text": "x", "at": "soon"}',
     '{"text": "x", "mood": "good"}'],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named(shell: Shell, line: str) -> None:
    result = shell.run("observe", stdin='{"text": "fine"}\n' + line)
    assert result.exit_code == 2
    assert "line 2" in json.loads(result.stderr)["message"]


def test_explain_of_nothing_is_an_error_with_a_code(shell: Shell) -> None:
    assert json.loads(shell.run("explain", "nonsense").stderr)["error"] == "invalid_input"
    unknown = shell.run("explain", "00000000-0000-7000-8000-000000000000")
    assert json.loads(unknown.stderr)["error"] == "not_found"


def test_a_disagreement_is_listed_and_settled(shell: Shell) -> None:
    shell.json("remember", "My name is Anna.")
    shell.json("remember", "My name is Hanna.")
    (open_one,) = shell.json("inbox")["disagreements"]
    assert (open_one["said"], open_one["says"]) == ("My name is Anna.", "My name is Hanna.")
    shell.json("settle", open_one["newer"])
    assert shell.json("inbox")["disagreements"] == []
