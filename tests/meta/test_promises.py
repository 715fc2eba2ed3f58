"""Every promise of the pages has a test: those the tables name are there, in the file the row says, and can run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PROMISING = ("docs/security.md", "docs/storage.md")
NAMED = re.compile(r"`(?:(tests/[\w/]+\.py)|(test_\w+))`")
Functions = dict[str, set[str]]


@pytest.fixture(scope="module")
def functions(root: Path) -> Functions:
    """The tests of each file that run: a function that is always skipped proves nothing."""
    found: Functions = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        found[path.relative_to(root).as_posix()] = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and node.name.startswith("test_")
            and not any("mark.skip(" in ast.unparse(one) for one in node.decorator_list)
        }
    return found


def rows(page: str) -> list[tuple[str, str]]:
    """What the tables of a page promise, each with its column of tests; headings within a table promise nothing."""
    found, within = [], False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
        if len(cells) == 2 and cells[1] == "test":
            within = True
        elif not cells:
            within = False
        elif within and set(line) - set("|-") and not cells[0].startswith("**"):
            found.append((cells[0], cells[-1]))
    return found


def faults(cell: str, functions: Functions) -> list[str]:
    """What is wrong with a column of tests: none named, or one that is not where it is said to be."""
    named = NAMED.findall(cell)
    wrong = [] if named else ["names no test"]
    file = ""
    for path, test in named:
        if path:
            file = path
            wrong += [] if functions.get(path) else [f"{path} has no tests"]
        elif file:
            wrong += [] if test in functions.get(file, ()) else [f"{file} has no {test}"]
        elif not any(test in tests for tests in functions.values()):
            wrong.append(f"no file has {test}")
    return wrong


@pytest.mark.parametrize("page", PROMISING)
def test_every_promise_of_a_page_names_tests_that_are_there(
    page: str, pages: dict[str, str], functions: Functions
) -> None:
    promised = rows(pages[page])
    assert len(promised) > 15, "the check no longer sees the table"
    wrong = [f"{promise}: {fault}" for promise, tests in promised for fault in faults(tests, functions)]
    assert not wrong, "\n".join(wrong)


def test_every_test_a_page_names_anywhere_is_there(pages: dict[str, str], functions: Functions) -> None:
    there = set.union(*functions.values()) | {Path(file).stem for file in functions}
    wrong = [
        f"{page}: {test}"
        for page, text in pages.items()
        if page != "CHANGELOG.md"
        for _, test in NAMED.findall(text)
        if test and test not in there
    ]
    assert not wrong, "\n".join(wrong)


def test_the_check_knows_a_promise_without_its_test() -> None:
    own = {"tests/a/test_one.py": {"test_it_holds"}}
    page = "| promise | test |\n|---|---|\n| **kind** | |\n| it holds | `tests/a/test_one.py`: `test_it_falls` |\n"
    ((promise, tests),) = rows(page)
    assert (promise, faults(tests, own)) == ("it holds", ["tests/a/test_one.py has no test_it_falls"])
    assert faults("somebody looked", own) == ["names no test"]
    assert faults("`tests/a/test_two.py`", own) == ["tests/a/test_two.py has no tests"]
    assert faults("`test_it_holds`", own) == []
