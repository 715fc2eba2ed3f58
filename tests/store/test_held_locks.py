"""The locks of an open palace: no operation drops them, and when something else does, no write is acknowledged."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from palazzo.bootstrap import create_engine, load_settings, open_engine, wants_passphrase
from palazzo.engine import Engine
from palazzo.errors import LocksLost, PalaceBusy, PalazzoError
from palazzo.model.capability import View
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite import backup, care, encryption, held_locks
from palazzo.store.sqlite.encryption import convert, is_encrypted
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import TEST_KEY, make_store, options_for, place_memory

VISIT = """
import sys
from pathlib import Path
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite.connection import open_connection
key = bytes.fromhex(sys.argv[2]) if sys.argv[2] else None
connection = open_connection(Path(sys.argv[1]), OpenOptions(key=key))
print(connection.execute("SELECT count(*) FROM memory").fetchall()[0][0])
connection.close()
"""


def visit(path: Path, key: bytes | None = None) -> int:
    """A process that opens the palace, counts its memories and closes it: the last to close a log removes it."""
    command = [sys.executable, "-c", VISIT, str(path), key.hex() if key else ""]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ask(engine: Engine, name: str, **arguments: object) -> object:
    return call(engine, Caller(), name, arguments)


def _burn(engine: Engine) -> None:
    made = ask(engine, "remember", text="Wilhelmina collects barometers in the attic.", verbatim=True)
    ask(engine, "burn", memories=[str(made.id)], yes=True)  # type: ignore[attr-defined]


def _purge(engine: Engine) -> None:
    made = ask(engine, "remember", text="Wilhelmina collects barometers in the attic.", verbatim=True)
    ask(engine, "purge", memory=str(made.id))  # type: ignore[attr-defined]


def _forget(engine: Engine) -> None:
    engine.store.commit([place_memory("Tove prefers the window seat.", scope=Scope((("user", "tove"),)))])
    ask(engine, "forget_user", user="tove", yes=True)


def _again(engine: Engine) -> None:
    settings = load_settings({"palace": str(engine.store.folder), "passphrase": "a long enough phrase"})
    wants_passphrase(settings)
    is_encrypted(engine.store.folder / FILE)
    open_engine(settings).close()


def _claim(engine: Engine) -> None:
    path = engine.store.folder / FILE
    source = {"kind": "file", "reference": f"file://{path}"}
    made = ask(engine, "propose", text="The attic is dry.", sources=[source])
    ask(engine, "preview", claim=str(made.id))  # type: ignore[attr-defined]


def _import(engine: Engine) -> None:
    for name in (FILE, "palace.db-wal", "palace.db-shm"):
        try:
            ask(engine, "import", file=str(engine.store.folder / name), dry_run=True)
        except PalazzoError:
            continue


CARE: dict[str, Callable[[Engine], object]] = {
    "burn": _burn,
    "purge": _purge,
    "forget_user": _forget,
    "backup": lambda engine: backup.backup(engine.store.database, engine.store.folder / "backups" / "one.db", None),
    "doctor": lambda engine: care.doctor(engine.store),
    "verify": lambda engine: care.verify(engine.store),
    "status": lambda engine: ask(engine, "status"),
    "rebuild": lambda engine: care.rebuild(engine.store),
    "opened again": _again,
    "imported into itself": _import,
    "cited by a claim": _claim,
}


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("name", CARE)
def test_what_is_written_after_any_care_is_there_for_everybody(tmp_path: Path, name: str, encrypted: bool) -> None:
    settings = load_settings({
        "palace": str(tmp_path / "p"), "passphrase": "a long enough phrase" if encrypted else "", "embedder": "none",
        "upkeep": "false",
    })  # fmt: skip
    with create_engine(settings, encrypted=encrypted) as engine:
        store = engine.store
        store.commit([place_memory("before")])
        CARE[name](engine)
        before = visit(store.database.path, store.options.file.key)
        for n in range(20):
            store.commit([place_memory(f"after {n}")])
        assert visit(store.database.path, store.options.file.key) == before + 20
        assert care.verify(store) == []


def test_a_palace_somebody_has_open_is_not_encrypted_after_a_burn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encryption, "WAIT_S", 0.2)
    with create_engine(load_settings({"palace": str(tmp_path / "p"), "embedder": "none"})) as engine:
        _burn(engine)
        script = (
            "import sys; from pathlib import Path;"
            "from palazzo.store.sqlite import encryption; encryption.WAIT_S = 0.2;"
            "from palazzo.store.sql.port import OpenOptions;"
            "from palazzo.store.sqlite.encryption import convert;"
            "convert(Path(sys.argv[1]), OpenOptions(), OpenOptions(key=bytes(range(32))))"
        )
        command = [sys.executable, "-c", script, str(engine.store.database.path)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert "PalaceBusy" in done.stderr
        with pytest.raises(PalaceBusy):
            convert(engine.store.database.path, OpenOptions(), OpenOptions(key=TEST_KEY))
        engine.store.commit([place_memory("still plain")])
        assert visit(engine.store.database.path) == 1


def close_outside(path: Path) -> None:
    """What no part of the product does: it costs the process its locks."""
    path.open("rb").close()


@pytest.mark.skipif(not held_locks.HANDLES.is_dir(), reason="this system does not show locks")
@pytest.mark.parametrize("name", [FILE, "palace.db-shm"])
def test_a_process_that_lost_its_locks_is_told_and_writes_nothing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_locks, "CHECK_EVERY_S", 0.0)
    store = make_store(tmp_path / "p")
    store.commit([place_memory("before")])
    close_outside(store.folder / name)
    assert [f.level for f in care.doctor(store) if f.check == "locks"] == ["bad"]
    with pytest.raises(LocksLost, match="nothing was written"):
        store.commit([place_memory("after")])
    with pytest.raises(LocksLost, match="open it again"):
        store.commit([place_memory("after that")])
    store.close()
    with SqliteStore.open(tmp_path / "p", FixedClock(), options_for("sqlite")) as again:
        again.commit([place_memory("now")])
        assert visit(again.database.path) == 2
        assert care.verify(again) == []


@pytest.mark.parametrize("engine", ["sqlite", "sqlite-encrypted"])
def test_a_write_into_a_log_that_was_removed_is_not_acknowledged(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_locks, "HANDLES", tmp_path / "a system that does not show locks")
    store = make_store(tmp_path / "p", engine)
    store.commit([place_memory("before")])
    for name in (FILE, "palace.db-shm"):
        close_outside(store.folder / name)
    key = store.options.file.key
    assert visit(store.database.path, key) == 1
    with pytest.raises(LocksLost):
        store.commit([place_memory("into nowhere")])
    store.close()
    with SqliteStore.open(tmp_path / "p", FixedClock(), options_for(engine)) as again:
        again.commit([place_memory("now")])
        assert visit(again.database.path, key) == 2
        assert care.verify(again) == []


def test_a_file_that_got_the_number_of_a_deleted_palace_has_lost_nothing(tmp_path: Path) -> None:
    with make_store(tmp_path / "first") as store, store.reading(View()):
        palace = tmp_path / "first" / FILE
        assert held_locks.state(palace) in ("held", "unknown")
        number = palace.stat().st_ino
    palace.rename(tmp_path / "another")  # the same number, by another name, and nobody has it open
    assert (tmp_path / "another").stat().st_ino == number
    assert held_locks.state(tmp_path / "another") == "unknown"
