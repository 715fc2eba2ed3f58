"""Every example of the documentation runs: Python as it stands, commands against a palace of their own.

A page is followed from top to bottom: its Python in one namespace, its commands in one palace. Words in capitals stand
for what a reader has at that point (an id, a file); `STAND_FOR` says how such a reader would find it. What cannot be
run here is listed with the reason.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.first_hour.conftest import ROOT

from palazzo.surfaces.cli.commands import main

PAGES = [
    path
    for path in sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "integrations").glob("*/README.md")])
    if path.name != "cli.md"
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FRAMEWORKS = {
    "langgraph": "langgraph", "langchain": "langchain_core", "openai_agents": "agents", "crewai": "crewai",
    "claude_agent": "claude_agent_sdk", "pydantic_ai": "pydantic_ai", "llama_index": "llama_index",
    "autogen": "autogen_core", "google_adk": "google.adk",
}  # fmt: skip
"""What the modules of palazzo.integrations need, by their names."""
SHELLS = ("", "sh", "bash", "console")
NOT_RUN = {
    "palazzo serve": "runs until it is stopped: tests/surfaces/test_serve.py",
    "palazzo open": "opens a browser: tests/surfaces/web",
    "palazzo mcp": "waits for a client: tests/behaviour/test_mcp.py",
    "palazzo dream-apply": "needs a report that proposes something: tests/mind/test_dream.py",
    "palazzo undo REPORT": "needs a report that did something: tests/mind/test_dream.py",
    "palazzo audit anchor |": "hands a line to another machine",
    "palazzo init --encrypted": "asks for a passphrase: tests/guard",
    "palazzo init --fields": "asks for a passphrase: tests/guard",
    "palazzo encrypt": "asks for a passphrase: tests/guard",
    "palazzo rotate": "asks for a passphrase: tests/guard",
    "palazzo decrypt": "asks for a passphrase: tests/guard",
    "palazzo snapshot restore ID --yes": "opens programs: tests/surfaces",
    "palazzo copy ~/palace ~/sealed": "asks for a passphrase: tests/guard",
    "palazzo --vault": "asks for a passphrase: tests/guard",
    "palazzo import EXPORT.zip": "needs an export: tests/capture",
    "palazzo import diary.txt": "needs the plugin of the example: tests/surfaces/test_plugins.py",
}  # fmt: skip


def blocks(page: Path, *languages: str) -> list[str]:
    return [code for language, code in FENCE.findall(page.read_text("utf-8")) if language in languages]


def installed(code: str) -> bool:
    """Whether the framework that a program is for is installed here."""
    for name in re.findall(r"palazzo\.integrations\.(\w+)", code):
        try:
            if find_spec(FRAMEWORKS[name]) is None:
                return False
        except ModuleNotFoundError:
            return False
    return True


def runnable(code: str) -> str:
    """The program of a page; what is awaited outside of a function is put into one."""
    if not re.search(r"^(async with|await) ", code, re.MULTILINE):
        return code
    inside = code.replace("\n", "\n    ")
    return f"import asyncio\nfrom palazzo import AsyncMemory\nasync def page():\n    {inside}\nasyncio.run(page())"


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PALAZZO_PALACE", str(tmp_path / "palace"))
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=named)
def test_the_python_of_a_page_runs(page: Path, home: Path) -> None:
    names: dict[str, object] = {"__name__": "page"}
    for code in filter(installed, blocks(page, "python")):
        exec(compile(runnable(code), str(page), "exec"), names)


def told(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def first(*arguments: str, under: str, field: str) -> str:
    """The field of the first thing a command lists."""
    found = json.loads(told("--json", *arguments).stdout)
    listed = found if isinstance(found, list) else found[under]
    return str(listed[0][field])


STAND_FOR: dict[str, Callable[[], str]] = {
    "MEMORY": lambda: first("list", under="memories", field="id"),
    "NODE": lambda: first("list", under="memories", field="id"),
    "PLAN": lambda: first("plans", under="plans", field="plan"),
    "SNAPSHOTID": lambda: first("snapshot", "list", under="snapshots", field="id"),
    "IDENTITYPLAN": lambda: first("identity", "plans", under="plans", field="plan"),
    "ID": lambda: first("token", "list", under="tokens", field="id"),
}


def commands(page: Path) -> Iterator[str]:
    """The lines of a page that a reader would type, without what is said beside them."""
    for code in blocks(page, *SHELLS):
        for line in code.replace("\\\n", " ").splitlines():
            typed = re.split(r"\s{2,}|\s+#", line.removeprefix("$ "))[0].strip()
            if "postgresql://" in typed:  # needs a server: tests/surfaces/test_postgres.py
                continue
            if typed.startswith("palazzo ") and not typed.startswith(tuple(NOT_RUN)):
                yield typed


@pytest.mark.parametrize("page", [page for page in PAGES if list(commands(page))], ids=named)
def test_the_commands_of_a_page_run(page: Path, home: Path) -> None:
    lines = list(commands(page))
    if "palazzo init" not in lines:
        told("init")
        told("remember", "Deploys to production happen on Tuesdays.")
    (home / "notes").mkdir()
    (home / "disc").mkdir()
    (home / "notes" / "Mira.md").write_text("---\nrole: pilot\n---\nMira flies on [[Sundays]].\n")
    for line in lines:
        kind = line.split()[1].upper() if line.split()[1] in ("identity", "snapshot") else ""
        given = [STAND_FOR[kind + word]() if kind + word in STAND_FOR else word for word in shlex.split(line)[1:]]
        done = told(*(re.sub(r"^/mnt/\w+", str(home / "disc"), word) for word in given))
        assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
