"""The page of the mission tells no tales: what it says shows somewhere is there, and the test it names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from palazzo.operations.registry import BY_NAME
from palazzo.surfaces.cli.commands import main as program

PAGE = "docs/mission.md"
SUBJECTS = (
    "Places", "Items", "Lifecycle", "Trails", "Entities and relations", "Provenance", "Belief", "Intake", "Dedup",
    "Events", "Recall", "Context", "Guard", "Who may do what", "Secrets and traces", "Archive", "Spaces", "Jobs",
    "The mind", "What the mind reaches", "Operations", "Dashboard", "Work", "Frameworks", "Scale", "The workspace",
    "What is done on the machine",
)  # fmt: skip
CODE = re.compile(r"`([^`]+)`")
PAGE_LINK = re.compile(r"\[[^\]]+\]\(([\w./-]+\.md)(?:#[\w-]+)?\)")
OTHERWISE = "otherwise"


class Line(NamedTuple):
    subject: str
    what: str
    shown: str
    test: str


def lines_of(page: str) -> Iterator[Line]:
    """The lines of every table, with the heading they stand below."""
    subject = ""
    for line in page.splitlines():
        if line.startswith("## "):
            subject = line[3:].strip()
        elif line.startswith("|") and not line.startswith(("|---", "| what |")):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == 3, f"{subject}: three cells are wanted: {line}"
            yield Line(subject, *cells)


@pytest.fixture(scope="module")
def listed(root: Path) -> tuple[Line, ...]:
    return tuple(lines_of((root / PAGE).read_text("utf-8")))


def fault_in_shown(line: Line, docs: Path) -> str:
    """What is wrong with where a line says that it shows; empty when nothing is."""
    if line.shown.startswith(OTHERWISE):
        return "" if len(line.shown) > len(OTHERWISE) + 20 else "no reason is given"
    named, pages = CODE.findall(line.shown), PAGE_LINK.findall(line.shown)
    if not named and not pages:
        return "nothing shows it"
    for name in named:
        words = name.split()
        known = words[1] in program.commands if words[0] == "palazzo" and len(words) > 1 else words[0] in BY_NAME
        if not known:
            return f"there is no {name}"
    return next((f"there is no page {page}" for page in pages if not (docs / page).exists()), "")


def fault_in_test(line: Line, root: Path) -> str:
    """What is wrong with the tests a line names; empty when nothing is."""
    if line.shown.startswith(OTHERWISE) and line.test in ("", "-"):
        return ""
    named = CODE.findall(line.test)
    if not named:
        return "no test proves it"
    for name in named:
        path, _, function = name.partition("::")
        if not (root / path).is_file():
            return f"there is no {path}"
        tree = ast.parse((root / path).read_text("utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        if function and (not function.startswith("test_") or function not in defined):
            return f"{path} has no {function}"
    return ""


def test_every_subject_of_the_mission_is_on_the_page(listed: tuple[Line, ...]) -> None:
    found = {line.subject for line in listed}
    assert found == set(SUBJECTS), found ^ set(SUBJECTS)


def test_what_the_mission_asks_for_shows_where_the_page_says(listed: tuple[Line, ...], root: Path) -> None:
    faults = [
        f"{line.subject}: {line.what}: {fault}" for line in listed if (fault := fault_in_shown(line, root / "docs"))
    ]
    assert not faults, "\n".join(faults)


def test_every_line_of_the_mission_names_a_test_that_exists(listed: tuple[Line, ...], root: Path) -> None:
    faults = [f"{line.subject}: {line.what}: {fault}" for line in listed if (fault := fault_in_test(line, root))]
    assert not faults, "\n".join(faults)


def test_a_page_that_tells_tales_is_found_out(root: Path) -> None:
    tales = (
        Line("x", "y", "`levitate`", "`tests/meta/test_mission.py::test_nothing`"),
        Line("x", "y", "`palazzo levitate`", "-"),
        Line("x", "y", "[page](nowhere.md)", "`tests/meta/test_nowhere.py`"),
        Line("x", "y", "somewhere", "somehow"),
        Line("x", "y", "otherwise: no", "`tests/meta/nowhere.py`"),
    )
    assert all(fault_in_shown(line, root / "docs") and fault_in_test(line, root) for line in tales)
