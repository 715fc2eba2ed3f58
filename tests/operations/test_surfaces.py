"""Each surface has each operation it should, with the same parameters."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from palazzo import AsyncMemory, Memory
from palazzo.operations.declared import Operation
from palazzo.operations.methods import method_name
from palazzo.operations.registry import ALIASES, OPERATIONS
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.cli.operations import BY_HAND, asks_here, command_path

each = pytest.mark.parametrize("declared", OPERATIONS, ids=lambda o: o.name)


@each
def test_the_library_has_it(declared: Operation) -> None:
    assert callable(getattr(Memory, method_name(declared)))
    assert callable(getattr(AsyncMemory, method_name(declared)))


def test_the_library_has_the_familiar_names() -> None:
    assert all(callable(getattr(face, alias)) for face in (Memory, AsyncMemory) for alias in ALIASES)


@each
def test_the_command_line_has_it_with_its_parameters(declared: Operation) -> None:
    command: Any = main
    for name in command_path(declared):
        command = command.commands[name]
    assert command.help
    if declared.name in BY_HAND:
        return
    asked = ["yes"] if asks_here(declared) else []
    assert [p.name for p in command.params] == [p.name for p in declared.parameters] + asked
    for parameter, shown in zip(declared.parameters, command.params, strict=False):
        assert shown.required is parameter.required
        assert isinstance(shown, click.Argument) is parameter.required


def test_the_tools_of_models_are_those_meant_for_them() -> None:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")
    from palazzo.surfaces.mcp.protocol import tool, tools

    assert [o.name for o in tools("full")] == [o.name for o in OPERATIONS if o.toolset]
    for declared in tools("full"):
        shown = tool(declared)
        assert list(shown.input_schema["properties"]) == [p.name for p in declared.parameters if not p.of_scope]
        assert shown.annotations is not None
        assert shown.annotations.read_only_hint is not declared.writes


@each
def test_the_pages_tell_of_it(declared: Operation) -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    library, mcp = ((docs / name).read_text("utf-8") for name in ("library.md", "mcp.md"))
    given = ", ".join(p.name for p in declared.parameters if p.required)
    assert f"`{declared.name}({given})`" in library
    if declared.toolset:
        assert f"`{declared.name}`" in mcp


class Shell:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, people: bool = False, stdin: str = "") -> Result:
        shown = [] if people else ["--json"]
        return CliRunner().invoke(
            main, ["--palace", str(self.folder), *shown, *arguments], input=stdin, env={"PALAZZO_EMBEDDER": "none"}
        )

    def json(self, *arguments: str, stdin: str = "") -> dict[str, Any]:
        result = self.run(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return dict(json.loads(result.stdout))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path / "palace")
    made.json("init")
    return made


PORT = "The Heron server listens on port 8080."


def test_the_life_of_a_memory_from_the_command_line(shell: Shell) -> None:
    made = shell.json("remember", PORT, "--place", "work.projects", "--kind", "fact", "--at", "2025-05-01")["memories"][
        0
    ]
    assert shell.json("recall", "Heron port")["hits"][0]["text"] == PORT
    assert shell.json("recall", "Heron port", "--kind", "task", "--kind", "event")["hits"] == []
    assert shell.json("update", made, "-", stdin="The Heron server listens on port 9090.")["memories"] == [made]
    assert [past["revision"] for past in shell.json("history", made)["revisions"]] == [1, 2]
    assert shell.json("get", made)["text"].endswith("9090.")
    assert shell.json("list", "--place", "work.**")["total"] == 1
    assert shell.json("forget", made, "--reason", "gone")["state"] == "deleted"
    assert shell.json("list")["total"] == 0
    assert shell.json("restore", made)["state"] == "active"
    assert shell.json("why", made)["origins"]
    assert shell.json("purge", made, "--yes")["state"] == "purged"


def test_scope_keys_and_many_notes_from_the_command_line(shell: Shell) -> None:
    lines = '{"text": "The lake is deep.", "place": "life.places"}\nMira paints boats.\n'
    assert len(shell.json("remember-many", "-", "--user-id", "anna", stdin=lines)["accounts"]) == 2
    assert shell.json("list", "--user-id", "anna")["total"] == 2
    assert shell.json("list")["total"] == 0
    assert len(shell.json("remember-many", "-", stdin='["The hill is steep."]')["accounts"]) == 1


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("recall", "x", "--limit", "0"), "limit"),
        (("remember", "x", "--importance", "7"), "importance"),
        (("get", "that one"), "its address or its name"),
        (("get", "00000000-0000-7000-8000-000000000000"), "no memory"),
    ],
)
def test_a_fault_is_one_json_line_on_stderr_and_exit_code_two(
    shell: Shell, arguments: tuple[str, ...], field: str
) -> None:
    result = shell.run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert field in json.loads(result.stderr)["message"]


def test_people_get_tables_and_markup_in_a_memory_stays_text(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def for_people(session: Any, palace: str | None, as_json: bool) -> None:
        session.palace, session.as_json = palace, as_json

    monkeypatch.setattr("palazzo.surfaces.cli.commands.Session.__init__", for_people)
    monkeypatch.setenv("COLUMNS", "200")
    made = shell.json("remember", "The [bold]Heron[/bold] server is slow.", "--name", "slow", "--place", "work")[
        "memories"
    ][0]
    other = shell.json("remember", "The lake is deep.", "--name", "lake")["memories"][0]
    for arguments, expected in (
        (("remember", "Mira paints boats."), "Kept"),
        (("recall", "Heron server"), "[bold]Heron[/bold]"),
        (("get", made), "work/slow"),
        (("list",), "3 of 3"),
        (("history", made), "1 (now)"),
        (("why", made), "I hold"),
        (("explain", made), "stored"),
        (("relate", made, other), "related to"),
        (("relate", made, other, "--metadata", '{"because": "both are slow"}'), "related to (because: both are slow)"),
        (("walk", made), "The lake is deep."),
        (("tag", other, "seen"), "tagged seen:"),
        (("untag", other, "seen"), "no longer tagged seen:"),
        (("deprecate", other), "deprecated:"),
        (("undeprecate", other), "believed again:"),
        (("forget", other), "forgotten"),
        (("restore", other), "restored"),
        (("inbox",), "none"),
        (("context", "Heron server"), "tokens"),
        (("reason", "which server is slow?"), "evidence"),
        (("evolution", "Heron server"), "added"),
        (("places",), "work"),
        (("grant", "mcp:desk", "read_public", "--place", "work.**"), "read_public"),
        (("move", made, "work.notes"), "work.notes/slow"),
    ):
        result = shell.run(*arguments, people=True)
        assert result.exit_code == 0, result.output
        assert expected in result.stdout, arguments


def test_what_is_out_of_sight_and_what_was_typed_without_quotes_is_told_with_the_next_step(shell: Any) -> None:
    made = shell.json("remember", "The lake is deep.")["memories"][0]
    shell.run("deprecate", made)
    assert "palazzo undeprecate" in shell.run("get", made).stderr
    shell.run("undeprecate", made)
    shell.run("forget", made)
    assert "palazzo restore" in shell.run("get", made).stderr
    typed = shell.run("places", "life")
    assert typed.exit_code == 2
    assert "--place" in typed.stderr


def test_every_result_of_a_generated_command_has_a_form_for_people() -> None:
    from palazzo.surfaces.cli.tables import RENDER

    assert set(RENDER) <= {o.result for o in OPERATIONS if o.name not in BY_HAND}, "a form nothing is drawn with"


def test_a_result_without_a_form_of_its_own_is_told_field_by_field_without_python() -> None:
    from palazzo.operations.thread.spec import ShownThread, ThreadList
    from palazzo.surfaces.cli.sheet import Sheet, plain

    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    one = ShownThread(
        thread="t1", title="Paint the boat", state="open", scope="", mode="shared", channel="", compactions=0,
        sessions=2, handoff="", began_at=at, changed_at=at,
    )  # fmt: skip
    for found in (one, ThreadList(threads=(one,)), ThreadList(threads=())):
        lines: list[str] = []
        plain(Sheet(200, lines.append), found)
        said = "\n".join(lines)
        assert "Paint the boat" in said or said.strip() == "none"
        assert not re.search(r"datetime|ShownThread|None|\(", said)
