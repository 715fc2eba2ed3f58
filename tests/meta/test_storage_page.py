"""docs/storage.md gives every table, column and index of a new palace file its reason, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from palazzo.store.sql.migrations import first_schema
from palazzo.testing.palace import make_store

HEADING = re.compile(r"^### `(\w+)`$")
COLUMN = re.compile(r"^\| `(\w+)` \| (.+) \|$")
INDEX = re.compile(r"^- `(\w+)` on `([\w, ]+)`[^:]*: (.+)$")
SHORTEST_REASON = 12


@dataclass
class Table:
    """A table as a palace file has it, or as the page tells it."""

    reason: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    indexes: dict[str, tuple[str, str]] = field(default_factory=dict)


@pytest.fixture
def real(tmp_path: Path) -> Iterator[dict[str, Table]]:
    """The tables of a palace file that was just made, without SQLite's own."""
    found: dict[str, Table] = {}
    with make_store(tmp_path / "palace") as store, store.database.read() as connection:
        for kind, name, owner in connection.execute(
            "SELECT type, name, tbl_name FROM sqlite_schema ORDER BY type DESC"
        ):
            if name.startswith("sqlite_"):
                continue
            if kind == "table":
                found[name] = Table(columns={row[1]: "" for row in connection.execute(f"PRAGMA table_info({name})")})
            else:
                columns = [row[2] or "expression" for row in connection.execute(f"PRAGMA index_info({name})")]
                found[owner].indexes[name] = (", ".join(columns), "")
        yield found


@pytest.fixture
def told(pages: dict[str, str]) -> dict[str, Table]:
    """The tables as the page tells them."""
    found: dict[str, Table] = {}
    table: Table | None = None
    for line in pages["docs/storage.md"].splitlines():
        if match := HEADING.match(line):
            table = found[match[1]] = Table()
        elif line.startswith("#"):
            table = None
        elif table is not None:
            if match := COLUMN.match(line):
                table.columns[match[1]] = match[2]
            elif match := INDEX.match(line):
                table.indexes[match[1]] = (match[2], match[3])
            elif not table.columns:
                table.reason += line
    return found


def test_every_table_is_told_and_no_other(real: dict[str, Table], told: dict[str, Table]) -> None:
    assert set(told) == set(real)


def test_every_column_is_told_and_no_other(real: dict[str, Table], told: dict[str, Table]) -> None:
    faults = [
        f"{name}: not told {sorted(set(table.columns) - known)}, no longer there {sorted(known - set(table.columns))}"
        for name, table in real.items()
        if set(table.columns) != (known := set(told.get(name, Table()).columns))
    ]
    assert not faults, "\n".join(faults)


def test_every_index_is_told_with_its_columns(real: dict[str, Table], told: dict[str, Table]) -> None:
    for name, table in real.items():
        assert {n: columns for n, (columns, _) in table.indexes.items()} == {
            n: columns for n, (columns, _) in told.get(name, Table()).indexes.items()
        }, name


def test_every_table_and_index_has_a_reason(told: dict[str, Table]) -> None:
    faults = [name for name, table in told.items() if len(table.reason) < SHORTEST_REASON]
    faults += [i for table in told.values() for i, (_, why) in table.indexes.items() if len(why) < SHORTEST_REASON]
    assert not faults, faults


def test_the_dictionary_names_every_table_of_the_truth(pages: dict[str, str]) -> None:
    core = first_schema().partition("-- What is held true.")[0]
    names = re.findall(r"^CREATE TABLE (\w+)", core, re.MULTILINE)
    missing = [name for name in names if f"`{name}`" not in pages["docs/domain.md"]]
    assert names
    assert not missing, missing
