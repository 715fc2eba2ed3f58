"""An erasure that is cut off anywhere is finished by whoever opens the palace next; until then the doctor says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from palazzo.bootstrap import create_engine, load_settings, open_engine, rebuild_from_archive
from palazzo.engine import Engine
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.settings import Settings
from palazzo.store.sql.erase import erasure
from palazzo.store.sqlite import care

from .conftest import files_with

PHRASE = "seven geese over the salt marsh"

DYING = """
import os, signal, sys
from palazzo.bootstrap import load_settings, open_engine
from palazzo.guard.erasure import Erasure, everything_of
from palazzo.store.api import Selection
from palazzo.model.address import PlaceGlob, Place

folder, phrase, event, number, what = sys.argv[1:6]
engine = open_engine(load_settings({"palace": folder, "embedder": "none", "passphrase": phrase or None}))
erasure = engine.erasure
left = int(number)

def die(name, arguments):
    global left
    if name == event and any(str(one).startswith(folder) for one in arguments):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

def purged(done, total):
    if event == "purged" and done >= int(number):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die)
if what == "user":
    erasure.forget_user("Thessaly", "operator", progress=purged)
else:
    glob = PlaceGlob(place=Place.parse("lagoon"), reach="subtree", slice=None)
    erasure.burn(Selection(place=glob), everything_of("operator"), purged)
print("complete")
"""


def told(folder: Path, phrase: str = "") -> Settings:
    return load_settings({"palace": str(folder), "embedder": "none", "passphrase": phrase or None, "durable": False})


def filled(folder: Path, phrase: str = "", user: str = "") -> None:
    with create_engine(told(folder, phrase), encrypted=bool(phrase)) as engine:
        for number in range(260):
            text = f"Heron {number} nests behind the Quandromire sluice."
            ask(engine, "remember", text=text, place="lagoon.birds", verbatim=True, user_id=user or None)
        ask(engine, "remember", text="The ferry office opens at nine.", place="harbour", verbatim=True)
    (written,) = (folder / "archive").glob("*.jsonl")
    lines = written.read_bytes().splitlines(keepends=True)
    for day, some in enumerate((lines[:90], lines[90:180], lines[180:]), 1):  # the last is rewritten, the others go
        written.with_name(f"2026-01-0{day}.jsonl").write_bytes(b"".join(some))
    written.unlink()


def ask(engine: Engine, name: str, /, **arguments: object) -> object:
    given = {key: value for key, value in arguments.items() if value is not None}
    return call(engine, Caller(), name, given)


def killed(folder: Path, event: str, number: int, what: str = "place", phrase: str = "") -> None:
    made = subprocess.run(
        [sys.executable, "-c", DYING, str(folder), phrase, event, str(number), what], capture_output=True, text=True
    )
    assert made.returncode == -signal.SIGKILL, made.stdout + made.stderr


def in_archive(folder: Path, phrase: str, scratch: Path) -> int:
    """How many of the burnt lines a palace made from the archive has."""
    rebuild_from_archive(told(folder, phrase), scratch)
    with open_engine(told(scratch, phrase)) as engine, engine.store.database.read() as connection:
        rows = connection.execute("SELECT count(*) FROM revision WHERE instr(text, 'Quandromire')")
        return int(next(rows)[0])


@pytest.mark.parametrize("phrase", ["", PHRASE], ids=["plain", "encrypted"])
@pytest.mark.parametrize(("event", "number"), [("purged", 100), ("os.remove", 1), ("os.remove", 2), ("os.rename", 1)])
def test_a_burn_that_was_killed_is_finished_when_the_palace_is_opened_again(
    event: str, number: int, phrase: str, tmp_path: Path
) -> None:
    folder = tmp_path / "palace"
    filled(folder, phrase)
    killed(folder, event, number, phrase=phrase)
    with open_engine(told(folder, phrase)) as engine:
        assert [f for f in care.doctor(engine.store) if f.check == "erasure" and f.level != "good"] == []
        with engine.store.database.read() as connection:
            assert erasure.unfinished(connection) == ()
            assert not erasure.owed(connection)
            assert next(connection.execute("SELECT count(*) FROM memory"))[0] == 1
        assert care.verify(engine.store) == []
    if not phrase:
        assert files_with(folder, "Quandromire", "Heron") == []
        assert files_with(folder, "ferry office") != []
    assert in_archive(folder, phrase, tmp_path / "again") == 0


def test_the_doctor_tells_of_an_erasure_that_cannot_be_finished(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    filled(folder)
    killed(folder, "purged", 100)
    with open_engine(told(folder), read_only=True) as engine:
        found = {f.check: f for f in care.doctor(engine.store)}
        assert found["erasure"].level == "bad"
        assert "open" in found["erasure"].advice


def test_a_person_whose_forgetting_was_killed_is_forgotten_at_the_next_opening(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    filled(folder, user="Thessaly")
    killed(folder, "purged", 100, "user")
    with open_engine(told(folder)) as engine:
        assert care.verify(engine.store) == []
    assert files_with(folder, "Quandromire", "Thessaly") == []


def test_an_erasure_takes_up_what_another_left_before_it_begins_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    filled(folder)
    killed(folder, "purged", 200)
    with open_engine(told(folder), read_only=True) as engine, engine.store.database.read() as connection:
        assert len(erasure.unfinished(connection)) == 1
    with open_engine(told(folder)) as engine:
        report = ask(engine, "burn", place="harbour", yes=True)
        assert report.memories == 1  # type: ignore[attr-defined]
    assert files_with(folder, "Quandromire", "ferry office") == []


def test_a_process_that_opens_the_palace_leaves_a_running_erasure_alone(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    filled(folder)
    killed(folder, "purged", 100)
    held = os.open(folder / "erasure.lock", os.O_RDWR)
    try:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX)
        with open_engine(told(folder)) as engine, engine.store.database.read() as connection:
            assert len(erasure.unfinished(connection)) == 1
    finally:
        os.close(held)
    with open_engine(told(folder)) as engine, engine.store.database.read() as connection:
        assert erasure.unfinished(connection) == ()
