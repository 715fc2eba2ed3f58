"""What a palace does when the world fails it: full disks, read-only media, forks, closed handles, wrong keys."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.recovery.disk import PowerVFS

from palazzo.errors import (
    CorruptPalace,
    DiskFull,
    MigrationFailed,
    NewerSchema,
    PalaceExists,
    PalaceMissing,
    ReadOnlyPalace,
    StorageError,
    WrongKey,
)  # fmt: skip
from palazzo.model.capability import View
from palazzo.store.sql import journal, migrations
from palazzo.store.sql.memory import memories
from palazzo.store.sql.port import OpenOptions, StoreOptions, one
from palazzo.store.sqlite import backup, care, encryption
from palazzo.store.sqlite.connection import Database
from palazzo.store.sqlite.encryption import convert, is_encrypted
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import TEST_KEY, file_bytes, make_store, options_for, place_memory

VIEW = View()


def count(store: SqliteStore) -> int:
    with store.database.read() as connection:
        return int(one(connection, "SELECT count(*) FROM memory")[0])


def test_on_a_full_disk_writes_fail_with_a_code_reads_go_on_and_nothing_is_lost(tmp_path: Path) -> None:
    disk = PowerVFS(f"full-{tmp_path.name}")
    with make_store(tmp_path / "p", vfs=disk.name) as store:
        kept = place_memory("kept")
        store.commit([kept])
        disk.full = True
        with pytest.raises(DiskFull, match="free some space"):
            store.commit([place_memory(f"lost {n}") for n in range(200)])
        with store.reading(VIEW) as reading:
            assert memories.get(reading, kept.memory_id).text == "kept"
        disk.full = False
        store.commit([place_memory("after")])
        assert count(store) == 2
        assert care.verify(store) == []


def test_a_palace_opened_read_only_reads_and_refuses_writes(tmp_path: Path) -> None:
    change = place_memory("x")
    with make_store(tmp_path / "p") as store:
        store.commit([change])
    with SqliteStore.open(tmp_path / "p", FixedClock(), options_for("sqlite", read_only=True)) as store:
        with store.reading(VIEW) as reading:
            assert memories.get(reading, change.memory_id).text == "x"
        with pytest.raises(ReadOnlyPalace, match="reads go on"):
            store.commit([place_memory("y")])


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder any user may enter, which those of pytest are not: opening theirs would disturb other runs."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.name != "posix", reason="file modes are a POSIX matter")
def test_a_palace_on_a_read_only_medium_can_be_read(public_folder: Path) -> None:
    folder = public_folder / "p"
    with make_store(folder) as store:
        store.commit([place_memory("x")])
    code = f"""
import os, sys
from pathlib import Path
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import options_for, place_memory
from palazzo.errors import ReadOnlyPalace
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
with SqliteStore.open(Path({str(folder)!r}), FixedClock(), options_for("sqlite")) as store:
    with store.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM memory").fetchone() == (1,)
    try:
        store.commit([place_memory("y")])
    except ReadOnlyPalace:
        sys.exit(42)
"""
    (folder / FILE).chmod(0o444)
    folder.chmod(0o555)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    folder.chmod(0o755)
    assert done.returncode == 42, done.stderr


def test_many_threads_share_a_store_and_every_acknowledged_write_is_there(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        acknowledged: list[object] = []

        def work(number: int) -> None:
            for n in range(15):
                change = place_memory(f"thread {number} write {n}")
                store.commit([change])
                acknowledged.append(change.memory_id)
                with store.reading(VIEW) as reading:
                    assert memories.get(reading, change.memory_id)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(acknowledged) == count(store) == 120
        assert care.verify(store) == []


def test_a_failing_job_in_a_group_fails_alone(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("taken", name="taken")])
        outcomes: list[str] = []

        def work(number: int) -> None:
            try:
                store.commit([place_memory(f"n{number}", name="taken" if number % 2 else "")])
                outcomes.append("done")
            except Exception as error:  # noqa: BLE001 - which one is what is tested
                outcomes.append(type(error).__name__)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["Conflict"] * 8 + ["done"] * 8
        assert count(store) == 9
        with store.database.read() as connection:
            assert journal.gaps(connection) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_uses_connections_of_its_own(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("parent")])
        pid = os.fork()
        if pid == 0:
            try:
                store.commit([place_memory("child")])
                os._exit(0 if count(store) == 2 else 1)
            except BaseException:  # noqa: BLE001 - a child must not return into the test runner
                os._exit(2)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        store.commit([place_memory("parent again")])
        assert count(store) == 3
        assert care.verify(store) == []


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = make_store(tmp_path / "p")
    store.close()
    store.close()
    with pytest.raises(StorageError, match="closed"):
        store.commit([place_memory("x")])


def test_opening_nothing_and_creating_twice_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PalaceMissing, match="palazzo init"):
        SqliteStore.open(tmp_path / "none", FixedClock())
    make_store(tmp_path / "p").close()
    with pytest.raises(PalaceExists):
        make_store(tmp_path / "p")


@pytest.mark.parametrize("key", [None, bytes(32)])
def test_a_wrong_or_missing_key_is_one_clear_error(tmp_path: Path, key: bytes | None) -> None:
    make_store(tmp_path / "p", "sqlite-encrypted").close()
    with pytest.raises(WrongKey, match="passphrase"):
        SqliteStore.open(tmp_path / "p", FixedClock(), StoreOptions(file=OpenOptions(key=key)))


def test_an_encrypted_palace_shows_none_of_its_text_in_any_file(tmp_path: Path) -> None:
    with make_store(tmp_path / "p", "sqlite-encrypted") as store:
        store.commit([place_memory("the zeppelin lands at midnight")])
        for data in file_bytes(tmp_path / "p").values():
            assert b"zeppelin" not in data
            assert b"memory_placed" not in data


def test_encrypting_and_decrypting_keep_everything(tmp_path: Path) -> None:
    path = tmp_path / "p" / FILE
    change = place_memory("kept through it all")
    with make_store(tmp_path / "p") as store:
        store.commit([change, *(place_memory(f"m {n}") for n in range(300))])
    for old, new, engine in ((None, TEST_KEY, "sqlite-encrypted"), (TEST_KEY, None, "sqlite")):
        convert(path, OpenOptions(key=old), OpenOptions(key=new))
        assert is_encrypted(path) is (new is not None)
        with SqliteStore.open(tmp_path / "p", FixedClock(), options_for(engine)) as store:
            with store.reading(VIEW) as reading:
                assert memories.get(reading, change.memory_id).text == "kept through it all"
            assert care.verify(store) == []


def test_a_palace_in_use_is_not_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "WAIT_S", 0.2)
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("x")])
        with pytest.raises(StorageError, match="open"):
            convert(tmp_path / "p" / FILE, OpenOptions(), OpenOptions(key=TEST_KEY))
        store.commit([place_memory("y")])
        assert count(store) == 2


@pytest.mark.parametrize("engine", ["sqlite", "sqlite-encrypted"])
def test_a_backup_is_a_palace_of_its_own_as_of_one_moment(tmp_path: Path, engine: str) -> None:
    with make_store(tmp_path / "p", engine) as store:
        store.commit([place_memory(f"m {n}") for n in range(50)])
        steps: list[tuple[int, int]] = []
        target = tmp_path / "copy" / FILE
        backup.backup(store.database, target, lambda done, total: steps.append((done, total)))
        store.commit([place_memory("later")])
        assert steps[-1][0] == steps[-1][1] > 0
        with pytest.raises(Exception, match="exists"):
            backup.backup(store.database, target, None)
    with SqliteStore.open(tmp_path / "copy", FixedClock(), options_for(engine)) as copy:
        assert count(copy) == 50
        assert care.verify(copy) == []


def test_a_damaged_file_is_reported_not_trusted(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory(f"some text {n} " * 20) for n in range(400)])
    path = tmp_path / "p" / FILE
    data = bytearray(path.read_bytes())
    for page in range(20, len(data) // 4096, 3):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(data)
    problems: list[str] = []
    try:
        with SqliteStore.open(tmp_path / "p", FixedClock(), options_for("sqlite")) as store:
            problems += care.verify(store)
    except CorruptPalace as error:
        problems.append(error.hint)
    assert any("backup" in problem or problem.startswith("file:") for problem in problems)


def _add_column(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE palace ADD COLUMN note TEXT")


def _fail_halfway(connection: apsw.Connection) -> None:
    _add_column(connection)
    connection.execute("SELECT * FROM nowhere")


def test_a_migration_and_its_record_are_one_transaction_and_a_backup_is_made_before(tmp_path: Path) -> None:
    make_store(tmp_path / "p").close()
    database = Database(tmp_path / "p" / FILE, OpenOptions())
    made: list[str] = []
    known = (*migrations.MIGRATIONS, migrations.Migration("9999_note", _add_column))
    assert migrations.migrate(database, 5, made.append, known) == ("9999_note",)
    assert len(made) == 1
    assert migrations.migrate(database, 6, made.append, known) == ()
    with database.read() as connection:
        assert migrations.applied(connection)[-1] == "9999_note"
    database.close()
    with pytest.raises(NewerSchema, match="9999_note"):
        SqliteStore.open(tmp_path / "p", FixedClock())


def test_a_failing_migration_leaves_the_palace_as_it_was(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("x")])
        known = (*migrations.MIGRATIONS, migrations.Migration("0009_bad", _fail_halfway))
        with pytest.raises(MigrationFailed, match="as it was"):
            migrations.migrate(store.database, 5, None, known)
        with store.database.read() as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(palace)")]
        assert columns == ["key", "value"]
    with SqliteStore.open(tmp_path / "p", FixedClock()) as store:
        assert count(store) == 1


@pytest.mark.skipif(os.name != "posix", reason="file modes are a POSIX matter")
def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("x")])
        for path in (tmp_path / "p", *(tmp_path / "p").iterdir()):
            assert path.stat().st_mode & 0o077 == 0, path.name


def test_of_many_that_create_a_palace_at_once_one_wins_and_all_can_open_it(tmp_path: Path) -> None:
    outcomes: list[str] = []

    def work() -> None:
        try:
            make_store(tmp_path / "p").close()
            outcomes.append("made")
        except PalaceExists:
            outcomes.append("exists")
        with SqliteStore.open(tmp_path / "p", FixedClock(), options_for("sqlite")) as store:
            store.commit([place_memory("x")])
            assert store.id

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["exists"] * 5 + ["made"]
    assert sorted(path.name for path in (tmp_path / "p").iterdir() if path.name.startswith(".")) == []
