"""A log that a reader holds: it is told, with its size and what to do, and our own readings do not hold it for long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from palazzo.store.api import Finding
from palazzo.store.sqlite import care, held_locks
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import FILES, make_store, place_memory

READ = """
import sys
from pathlib import Path
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite.connection import open_connection
key = bytes.fromhex(sys.argv[2]) or None
connection = open_connection(Path(sys.argv[1]), OpenOptions(key=key))
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM memory").fetchall()
print("reading", flush=True)
sys.stdin.read()
"""


def wal(store: SqliteStore) -> Finding:
    return next(finding for finding in care.doctor(store) if finding.check == "wal")


def write(store: SqliteStore, megabytes: int) -> None:
    for n in range(megabytes):
        store.commit([place_memory(f"{n} {k} " + "word " * 1000) for k in range(100)])


@pytest.mark.parametrize("engine", FILES)
def test_the_doctor_tells_who_holds_a_long_log_and_empties_it_afterwards(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(care, "LONG_LOG_BYTES", 1 << 20)
    monkeypatch.setattr(care, "LOG_WAIT_S", 0.05)
    with make_store(tmp_path / "p", engine, durable=False) as store:
        write(store, 1)
        key = store.options.file.key
        command = [sys.executable, "-c", READ, str(store.database.path), key.hex() if key else ""]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdin is not None
            assert reader.stdout is not None
            assert reader.stdout.readline() == "reading\n"
            write(store, 3)
            found = wal(store)
            assert found.level == "warning"
            assert "MB, and somebody reads an older moment" in found.detail
            assert "end what has been reading" in found.advice
            if held_locks.LIST.exists():
                assert str(reader.pid) in found.detail
            reader.stdin.close()
        found = wal(store)
        assert (found.level, "was emptied" in found.detail) == ("good", True)
        assert (store.folder / "palace.db-wal").stat().st_size == 0


def test_verify_lets_go_of_its_moment_between_two_checks(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("before")])
        emptied: list[bool] = []

        def told(name: str, done: int, total: int) -> None:
            store.commit([place_memory(f"while {name} is looked at")])
            emptied.append(store.database.truncate_log(0.0))

        assert care.verify(store, told) == []
        assert all(emptied), "the moment of a check that is over keeps the log"
