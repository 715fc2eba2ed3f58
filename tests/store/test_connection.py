from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from palazzo.errors import StorageError
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite.connection import Database


@pytest.mark.parametrize("key", [None, b"k" * 32])
def test_a_writer_that_appends_does_not_collect_what_it_wrote(tmp_path: Path, key: bytes | None) -> None:
    database = Database(tmp_path / "file.db", OpenOptions(key=key, durable=False))
    held: list[int] = []

    def append(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO line VALUES (randomblob(100000))")
        held.append(connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0])

    (tmp_path / "file.db").touch()
    database.write(lambda connection: connection.execute("CREATE TABLE line (text BLOB)").fetchall())
    for _ in range(100):
        database.write(append)
    database.close()
    assert max(held) < 3 << 20, "10 MB were written"


@pytest.fixture
def numbers(tmp_path: Path) -> Iterator[Database]:
    """A file with one number in it."""
    (tmp_path / "file.db").touch()
    database = Database(tmp_path / "file.db", OpenOptions(durable=False))
    connection = database.connect()
    connection.pragma("journal_mode", "wal")
    connection.close()
    database.write(lambda connection: connection.execute("CREATE TABLE number (n INTEGER PRIMARY KEY)").fetchall())
    database.write(lambda connection: connection.execute("INSERT INTO number VALUES (1)").fetchall())
    yield database
    database.close()


COUNT = "SELECT count(*) FROM number"


def test_a_reading_stays_at_its_moment_and_a_glance_does_not(numbers: Database) -> None:
    with numbers.read() as reading, numbers.glance() as glance:
        assert (reading.execute(COUNT).get, glance.execute(COUNT).get) == (1, 1)
        numbers.write(lambda writer: writer.execute("INSERT INTO number VALUES (2)").fetchall())
        assert (reading.execute(COUNT).get, glance.execute(COUNT).get) == (1, 2)


@pytest.mark.parametrize("way", ["read", "glance"])
def test_the_errors_of_a_reading_are_ours_and_its_connection_serves_the_next(numbers: Database, way: str) -> None:
    with pytest.raises(StorageError), getattr(numbers, way)() as first:
        first.execute("SELECT nothing FROM nowhere")
    with getattr(numbers, way)() as second:
        assert second is first
        assert second.execute(COUNT).get == 1
    assert not first.in_transaction


@pytest.mark.parametrize("way", ["read", "glance"])
def test_a_closed_file_is_not_read(numbers: Database, way: str) -> None:
    numbers.close()
    with pytest.raises(StorageError), getattr(numbers, way)():
        raise AssertionError("it was read")


def test_a_statement_is_planned_once_whatever_is_bound(numbers: Database) -> None:
    planned: list[int] = []

    def note(action: int, *_: str | None) -> int:
        planned.append(action)
        return apsw.SQLITE_OK

    with numbers.read() as connection:
        connection.authorizer = note
        for n in range(5):
            connection.execute("SELECT max(n) FROM number WHERE n > ? LIMIT ?", (n, 1 + n)).fetchall()
        assert planned.count(apsw.SQLITE_SELECT) == 1
        connection.authorizer = None
