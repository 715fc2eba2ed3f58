from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from mnemon.store.connection import Database, OpenOptions


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
