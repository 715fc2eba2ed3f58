"""What only one room may do: SQL in the store, the environment in bootstrap, printing on a surface."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

SQL = re.compile(
    r"\bSELECT\s.+?\bFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\S+\s+SET\b|\bDELETE\s+FROM\b"
    r"|\b(CREATE|DROP|ALTER)\s+(UNIQUE\s+)?(TABLE|INDEX|VIEW|TRIGGER)\b|\bPRAGMA\s+\w+",
    re.DOTALL,
)
ENVIRONMENT = frozenset({"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"})
FOREIGN_FILES = "palazzo.files.sqlite_files"
"""Reads what other programs keep in SQLite, which is none of the store's tables."""
BROAD = frozenset({"Exception", "BaseException"})
JOB_RUNNERS = frozenset({"palazzo.store.sql.grouped", "palazzo.store.sql.migrations"})
"""Where any failure is recorded and handed to the one who asked; surfaces may too. Shorten it, never lengthen it."""


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every string that is not a docstring; the holes of f-strings read as '?'."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            assert isinstance(first, ast.Expr)
            skipped.add(id(first.value))
        elif isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
            yield (
                node.lineno,
                "".join(
                    part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "?"
                    for part in node.values
                ),
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def environment_reads(tree: ast.AST) -> Iterator[int]:
    """Lines that reach the process environment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found = ast.unparse(node) in {f"os.{name}" for name in ENVIRONMENT}
        elif isinstance(node, ast.ImportFrom):
            found = node.module == "os" and any(alias.name in ENVIRONMENT for alias in node.names)
        else:
            continue
        if found:
            yield node.lineno


def prints(tree: ast.AST) -> Iterator[int]:
    """Lines that call print or write to the standard streams."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call | ast.Attribute):
            continue
        called = isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
        if called or ast.unparse(node) in ("sys.stdout", "sys.stderr"):
            yield node.lineno


def broad_handlers(tree: ast.AST) -> Iterator[int]:
    """Lines of handlers that catch everything and do not end in a bare raise."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        broad = any(kind is None or (isinstance(kind, ast.Name) and kind.id in BROAD) for kind in caught)
        last = node.body[-1]
        if broad and not (isinstance(last, ast.Raise) and last.exc is None):
            yield node.lineno


def test_only_the_store_contains_sql(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line}"
        for module, tree in package.items()
        if not module.startswith("palazzo.store") and module != FOREIGN_FILES
        for line, text in strings(tree)
        if SQL.search(text)
    ]
    assert not faults, faults


@pytest.mark.parametrize(
    ("text", "is_sql"),
    [
        ("SELECT 1 FROM memory", True),
        ("SELECT a,\n b\n FROM x", True),
        ("INSERT OR REPLACE INTO x VALUES (?)", True),
        ("UPDATE memory SET state = ?", True),
        ("DELETE FROM memory", True),
        ("CREATE UNIQUE INDEX i ON t(a)", True),
        ("PRAGMA integrity_check", True),
        ("Select a folder from the list", False),
        ("UPDATE available", False),
    ],
)
def test_the_sql_pattern_knows_statements_from_prose(text: str, *, is_sql: bool) -> None:
    assert bool(SQL.search(text)) is is_sql


def test_sql_is_seen_inside_f_strings_but_not_in_docstrings() -> None:
    tree = ast.parse('"""DELETE FROM x"""\na = f"SELECT {b} FROM {c}"\n')
    assert [bool(SQL.search(text)) for _, text in strings(tree)] == [True]


def test_only_bootstrap_reads_the_environment(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line}"
        for module, tree in package.items()
        if module not in ("palazzo.bootstrap", "palazzo.__main__")  # __main__ tells numpy how many threads to start
        for line in environment_reads(tree)
    ]
    assert not faults, faults
    assert list(environment_reads(package["palazzo.bootstrap"])), "the check no longer sees the one that does"


def test_only_surfaces_print(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line}"
        for module, tree in package.items()
        if not module.startswith("palazzo.surfaces")
        for line in prints(tree)
    ]
    assert not faults, faults
    assert sorted(prints(ast.parse("print(1)\nsys.stdout.write('x')"))) == [1, 2]


def test_only_job_runners_and_surfaces_catch_everything(package: dict[str, ast.Module]) -> None:
    found = {module for module, tree in package.items() if list(broad_handlers(tree))}
    strays = {module for module in found - JOB_RUNNERS if not module.startswith("palazzo.surfaces")}
    assert not strays, f"catch what is meant, or let it pass: {sorted(strays)}"
    assert found >= JOB_RUNNERS, f"no longer needed in JOB_RUNNERS: {sorted(JOB_RUNNERS - found)}"


def test_imports_are_absolute(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{node.lineno}"
        for module, tree in package.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not faults, faults
