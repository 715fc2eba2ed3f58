"""No test asserts what a clock says: how long something takes depends on the machine, and bench/ measures it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CLOCKS = frozenset({"perf_counter", "process_time", "monotonic", "thread_time", "perf_counter_ns", "microseconds"})


def asserted_clocks(source: str) -> list[int]:
    """The lines of assertions that compare with what a clock says."""
    tree = ast.parse(source)
    return [
        one.lineno
        for one in ast.walk(tree)
        if isinstance(one, ast.Assert)
        for call in ast.walk(one)
        if isinstance(call, ast.Call) and _name(call.func) in CLOCKS
    ]


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


@pytest.mark.parametrize("line", ["assert time.process_time() - began < 3", "assert microseconds(judge) <= 300"])
def test_an_assertion_about_a_clock_is_recognised(line: str) -> None:
    assert asserted_clocks(line) == [1]


def test_no_test_asserts_how_long_something_took(root: Path) -> None:
    faults = {
        path.relative_to(root).as_posix(): lines
        for path in sorted((root / "tests").rglob("*.py"))
        if (lines := asserted_clocks(path.read_text("utf-8")))
    }
    assert not faults
