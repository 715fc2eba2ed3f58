"""The indexes know no engine: nothing below store/index sees one, and its statements are in what two of them share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from tests.meta.test_boundaries import SQL, strings
from tests.meta.test_rooms import imported

INDEX = "palazzo.store.index"
ENGINES = frozenset({"apsw", "sqlite3", "psycopg", "palazzo.store.sqlite", "palazzo.store.postgres"})
OURS_ALONE = re.compile(
    r"\?\d"  # numbered placeholders
    r"|\bOR\s+(IGNORE|REPLACE|ABORT|ROLLBACK|FAIL)\b|\bPRAGMA\b|\browid\b|\bcarray\b|\bjson_\w+\(|\bINDEXED\s+BY\b"
    r"|\b(zeroblob|typeof|hex|unhex|ifnull|iif|instr|total|changes|last_insert_rowid|group_concat)\s*\("
    r"|\b(max|min)\s*\([^()]*,"  # of two values
    r"|\bCROSS\s+JOIN\s+\w+(\s+\w+)?\s+ON\b|\bLIMIT\s+-|\bGLOB\b|==|\bx'|\bINSERT\s+INTO\s+\w+\s+VALUES\b",
    re.IGNORECASE,
)


def statements(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of each statement that is not one of the tables' own."""
    for line, text in strings(tree):
        if SQL.search(text) and not text.lstrip().startswith("CREATE"):
            yield line, text


def index_modules(package: dict[str, ast.Module]) -> dict[str, ast.Module]:
    found = {name: tree for name, tree in package.items() if name.startswith(INDEX)}
    assert len(found) > 10, "the indexes have moved: the test would pass over nothing"
    return found


def test_no_engine_is_known_below_the_indexes(package: dict[str, ast.Module]) -> None:
    faults = [
        f"{module}:{line} {name}"
        for module, tree in index_modules(package).items()
        for line, name in imported(tree, module)
        if any(name == engine or name.startswith(f"{engine}.") for engine in ENGINES)
    ]
    assert not faults, faults


def test_statements_of_the_indexes_are_in_what_the_engines_share(package: dict[str, ast.Module]) -> None:
    seen = 0
    faults = []
    for module, tree in index_modules(package).items():
        for line, text in statements(tree):
            seen += 1
            faults += [f"{module}:{line} {found[0]!r}"] if (found := OURS_ALONE.search(text)) else []
    assert not faults, faults
    assert seen > 50


@pytest.mark.parametrize(
    ("statement", "shared"),
    [
        ("SELECT max(id) FROM t WHERE a = ?", True),
        ("INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING RETURNING id", True),
        ("SELECT a FROM t CROSS JOIN u WHERE u.id = t.id", True),
        ("UPDATE t SET a = max(a, ?)", False),
        ("SELECT a FROM t WHERE b = ?1", False),
        ("INSERT OR IGNORE INTO t (a) VALUES (?)", False),
        ("SELECT a FROM t CROSS JOIN u x ON x.id = t.id", False),
        ("DELETE FROM t WHERE rowid = ?", False),
    ],
)
def test_the_pattern_knows_what_only_one_engine_understands(statement: str, *, shared: bool) -> None:
    assert bool(OURS_ALONE.search(statement)) is not shared
