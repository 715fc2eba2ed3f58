"""The command line explains itself: synopsis and examples that can be typed, other names, completion, a small bench."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from palazzo import Memory
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.cli.operations import EXAMPLES, SECTIONS

WANTED = (
    "init", "demo", "remember", "recall", "context", "why", "history", "review", "grant", "export", "import", "forget",
    "doctor", "bench", "observe", "list", "mcp", "serve", "hook", "plugins",
)  # fmt: skip
LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


TEXTS = (
    "The ladder leans on the north wall.", "Plums dry on the upper shelf.", "Nobody locks the greenhouse.",
    "A heron visits the pond at dawn.", "Candles are kept in the blue tin.", "The old bell hangs above the gate.",
    "Rain leaks through the third window.", "Two bicycles share one pump.", "The map of the canal is missing.",
    "Honey is sold at the corner.", "Our cat avoids the cellar.", "The clock runs ten minutes fast.",
)  # fmt: skip


def typed(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("name", WANTED)
def test_every_common_command_has_a_synopsis_and_examples(name: str) -> None:
    told = typed(name, "--help")
    assert told.startswith(f"Usage: main {name}")
    assert "Examples:" in told
    assert all(line in told for line in EXAMPLES[name])


@pytest.mark.parametrize(("name", "line"), LINES)
def test_every_example_can_be_typed(name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talk.jsonl").touch()
    program, *words = shlex.split(line.split(" | ")[-1].split(" <")[0])
    assert program == "palazzo"
    context = main.make_context("palazzo", words)
    command: click.Command = main
    while isinstance(command, click.Group) and (rest := [*context._protected_args, *context.args]):
        named, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, found.make_context(named, rest, parent=context)
    left = list(context.args)
    context.close()
    assert not left


@pytest.mark.parametrize(
    ("other", "name"), [("add", "remember"), ("search", "recall"), ("delete", "forget"), ("get-all", "list")]
)
def test_familiar_names_are_the_same_commands(other: str, name: str) -> None:
    told = typed(other, "--help").split("\n", 1)[1]
    assert told == typed(name, "--help").split("\n", 1)[1]
    assert f"  {other} " not in typed("--help"), "told once, not listed twice"


def test_the_shell_is_offered_completions() -> None:
    asked = {"_MAIN_COMPLETE": "bash_complete", "COMP_WORDS": "main rec", "COMP_CWORD": "1"}
    result = CliRunner().invoke(main, [], env=asked)
    assert "plain,recall" in result.output


def test_bench_measures_the_palace_and_writes_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder="none", upkeep=False) as memory:
        memory.remember_many([{"text": text, "verbatim": True} for text in TEXTS])
        before = memory.status().events
    told = json.loads(typed("--palace", str(tmp_path), "bench", "--cues", "10", "--json"))
    assert (told["memories"], told["cues"]) == (12, 10)
    assert told["found_in_ten"] > 0.5
    assert told["recall_p50_ms"] <= told["recall_p95_ms"] <= told["recall_max_ms"]
    with Memory(tmp_path, embedder="none", upkeep=False) as memory:
        assert memory.status().events == before


def test_a_turn_may_say_content_where_it_says_text(tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text('{"content": "The gate is painted green."}\n{"text": "It was blue before."}\n')
    palace = ("--palace", str(tmp_path / "palace"))
    typed(*palace, "init")
    assert json.loads(typed(*palace, "observe", str(tmp_path / "talk.jsonl"), "--json"))["turns"] == 2


def test_the_front_page_has_every_command_in_one_section() -> None:
    listed = [name for _, names in SECTIONS for name in names.split()]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(main.commands)
    page = CliRunner().invoke(main, ["--help"], terminal_width=100).output
    assert all(f"\n{title}:\n" in page for title, _ in SECTIONS)
    assert all(f"\n  {name}" in page for name in main.commands)
    assert "...\n" not in page.partition("Begin:")[2], "no command is told in half a sentence"


@pytest.mark.parametrize("words", [("--json", "nonsense"), ("nonsense", "--json")])
def test_an_unknown_command_is_told_as_json_where_json_was_asked_for(words: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    told = json.loads(refused.stderr)
    assert (told["error"], "nonsense" in told["message"]) == ("invalid_input", True)


def test_the_version_is_told_as_json_where_json_was_asked_for() -> None:
    plain = CliRunner().invoke(main, ["--version"]).output.split()[-1]
    for words in (("--json", "--version"), ("--version", "--json")):
        assert json.loads(CliRunner().invoke(main, words).output) == {"version": plain}


def test_a_text_is_counted_from_one(tmp_path: Path) -> None:
    refused = CliRunner().invoke(main, ["--palace", str(tmp_path / "p"), "init"])
    assert refused.exit_code == 0
    refused = CliRunner().invoke(main, ["--palace", str(tmp_path / "p"), "--json", "remember-many", '["Tea.", " "]'])
    assert "message 2 is empty" in json.loads(refused.stderr)["message"]
