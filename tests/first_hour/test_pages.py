"""Every example of the documentation runs: Python as it stands, commands against a palace of their own.

A page is followed from top to bottom: its Python in one namespace, its commands in one palace. Words in capitals stand
for what a reader has at that point (an id, a file); `STAND_FOR` says how such a reader would find it. What is run by
another test, or cannot be run here, is listed with that test or the reason; a line that is neither fails. A command
that is only named in a sentence must be there and take the options it is named with.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import click
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
    "palazzo dream-apply": "needs a report that proposes something: tests/mind/test_dream.py",
    "palazzo undo REPORT": "needs a report that did something: tests/mind/test_dream.py",
    "palazzo audit anchor |": "hands a line to another machine: tests/guard/test_anchors.py",
    "palazzo snapshot restore ID --yes": "opens programs: tests/operations/test_surfaces.py",
    "palazzo import EXPORT.zip": "needs an export: tests/capture",
    "pip install": "needs the package index: `make try`; tests/first_hour/conftest.py has its extras from the wheel",
    "make ": "what runs this: Makefile",
    "claude ": "a program of others: tests/first_hour/test_readme.py starts what it would start",
    "curl ": "needs the daemon: tests/first_hour/test_readme.py",
    "ask ": "needs the daemon: tests/first_hour/test_readme.py",
    "gdbus ": "needs a session bus: tests/surfaces/dbus/test_bus.py",
    "busctl ": "needs a session bus: tests/surfaces/dbus/test_bus.py",
    "echo 'eval": "changes the shell: tests/capture/test_shells.py",
    "PALAZZO_REDIS=": "needs a Redis: tests/surfaces/test_redis.py",
}  # fmt: skip
"""Lines by how they begin, with the reason and where they are run instead."""
PHRASE = "correct horse battery staple"
ASKING = (
    "palazzo init --encrypted", "palazzo rotate", "palazzo decrypt", "palazzo copy ~/palace ~/sealed --encrypted",
    "palazzo encrypt [--fields]", "palazzo encrypt", "palazzo init --fields",
    'printf %s "$PHRASE" | palazzo vault protect -', 'palazzo --vault recall "where is the spare key"',
)  # fmt: skip
"""Lines that ask for a passphrase, in an order in which one may follow the other; each `init` is of a new palace."""
TYPED = re.compile(
    r"(?:[A-Z_]+=\S+ +)?(?:palazzo|pip|make|curl|claude|gdbus|busctl|echo|printf|ask|python|docker|uv|pipx|npm|node) "
)


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


def lines(page: Path) -> Iterator[str]:
    """The lines of a page that a reader would type, without what is said beside them."""
    for code in blocks(page, *SHELLS):
        for line in code.replace("\\\n", " ").splitlines():
            typed = re.split(r"\s{2,}|\s+#", line.removeprefix("$ "))[0].strip()
            if TYPED.match(typed):
                yield typed


def commands(page: Path) -> Iterator[str]:
    """Those of them that are run here, in the palace of the page."""
    for typed in lines(page):
        if "postgresql://" in typed:  # needs a server: tests/surfaces/test_postgres.py
            continue
        if typed.startswith("palazzo ") and typed not in ASKING and not typed.startswith(tuple(NOT_RUN)):
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


def test_the_lines_that_ask_for_a_passphrase_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PALAZZO_PASSPHRASE", "PALAZZO_NEW_PASSPHRASE"):
        monkeypatch.setenv(name, PHRASE)
    (home / "palace").mkdir()
    for number, line in enumerate(ASKING):
        if "--vault" in line:
            monkeypatch.setenv("PALAZZO_VAULT_PASSPHRASE", PHRASE)
        if " init " in line:
            palace = home / "palace" if number == 0 else home / f"palace-{number}"
            monkeypatch.setenv("PALAZZO_PALACE", str(palace))
        words = shlex.split(line.rpartition("| ")[2].replace("[", "").replace("]", ""))
        done = CliRunner().invoke(main, words[1:], input=PHRASE if words[-1] == "-" else "")
        assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"


EVERY_PAGE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]


def test_every_line_of_a_page_is_run_or_says_where() -> None:
    written = {line for page in EVERY_PAGE for line in lines(page)}
    run = {line for page in PAGES for line in commands(page)} | {line for line in written if "postgresql://" in line}
    run |= {line for line in lines(ROOT / "README.md") if line.startswith("palazzo ")}  # by test_readme.py
    run |= set(ASKING)
    left = [line for line in written - run if not line.startswith(tuple(NOT_RUN))]
    assert not left, "\n".join(left)
    assert not [start for start in NOT_RUN if not any(line.startswith(start) for line in written)], "no longer needed"
    assert set(ASKING) <= written, "no longer needed"
    named = [path for why in NOT_RUN.values() for path in re.findall(r"tests/[\w/]+(?:\.py)?", why)]
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_extra_that_a_page_installs_is_one_of_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {
        extra
        for page in EVERY_PAGE
        for extras in re.findall(r"(?:palazzo|\.)\[([a-z,]+)\]", page.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert {"server", "mcp", "encryption"} <= asked <= project["optional-dependencies"].keys()


def untakable(words: list[str]) -> str:
    """What a command that is named does not have of what it is named with."""
    command: click.Command = main
    passed, options = [command], set()
    for word in words:
        if word in ("|", "&&", ";", ">", ">>", "<", "&"):
            break
        if word.startswith("--"):
            options.add(word.partition("=")[0].strip("[]"))
        elif isinstance(command, click.Group) and word.islower():
            found = command.get_command(click.Context(command), word)
            if found is None and command is main:
                return word
            command = found or command
            passed.append(command)
    takes = {
        name for one in passed for p in one.get_params(click.Context(one)) for name in (*p.opts, *p.secondary_opts)
    }
    return " ".join(sorted(options - takes))


def test_a_command_that_a_sentence_names_takes_what_it_is_named_with() -> None:
    faults = [
        f"{named(page)}: {told}: {fault}"
        for page in EVERY_PAGE
        for told in re.findall(r"`(?:\$ )?(palazzo [^`\n]+)`", page.read_text("utf-8"))
        if (fault := untakable(shlex.split(told)[1:]))
    ]
    assert not faults, "\n".join(faults)
    assert untakable(["recall", "--no-such-option", "x"]) == "--no-such-option"
