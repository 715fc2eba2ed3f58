"""The archive with several at it, and with a damaged line in it: nothing erased stays, nothing kept goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from palazzo.archive.seal import bucket
from palazzo.bootstrap import (
    create_engine,
    decrypt_palace,
    load_settings,
    open_engine,
    rebuild_from_archive,
    rotate_palace,
)
from palazzo.engine import Engine
from palazzo.errors import NotPermitted
from palazzo.files.forks import FileLock
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.settings import Settings
from palazzo.store.sqlite import care

from .conftest import files_with

PHRASE = "a lantern for the night ferry"

WORKING = """
import sys
from palazzo.bootstrap import load_settings, open_engine
from palazzo.operations.call import call
from palazzo.operations.caller import Caller

folder, phrase, mine, *ids = sys.argv[1:]
given = {"palace": folder, "embedder": "none", "durable": False, "passphrase": phrase}
with open_engine(load_settings(given)) as engine:
    for number, memory in enumerate(ids):
        call(engine, Caller(), "remember", {"text": f"Kept{mine}n{number} is on the list.", "verbatim": True})
        call(engine, Caller(), "purge", {"memory": memory})
"""

HOLDING = """
import sys, time
from pathlib import Path
from palazzo.files.forks import FileLock
with FileLock(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def told(folder: Path, **given: Any) -> Settings:
    return load_settings({"palace": str(folder), "embedder": "none", "durable": False, **given})


def ask(engine: Engine, name: str, subject: str = "operator", /, **arguments: Any) -> Any:
    return call(engine, Caller(subject=subject), name, arguments)


def test_purges_of_several_processes_leave_nothing_and_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with create_engine(told(folder, passphrase=PHRASE), encrypted=True) as engine:
        ids = [str(ask(engine, "remember", text=f"Gone{n}x has left us.", verbatim=True).id) for n in range(48)]
    shares = [ids[n::4] for n in range(4)]
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKING, str(folder), PHRASE, str(n), *share], stderr=subprocess.PIPE)
        for n, share in enumerate(shares)
    ]
    assert [(worker.communicate()[1].decode(), worker.returncode) for worker in workers] == [("", 0)] * 4
    kept = [f"Kept{who}n{number} is on the list." for who in range(4) for number in range(12)]
    with open_engine(told(folder, passphrase=PHRASE)) as engine:
        assert engine.intake.archive is not None
        read = engine.intake.archive.read()
        assert sorted(letter.text for one in read.calls for letter in one.letters) == sorted(kept)
        assert read.unreadable == ()
        assert care.verify(engine.store) == []


def test_purges_of_several_threads_leave_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with create_engine(told(folder)) as engine:
        ids = [str(ask(engine, "remember", text=f"Gone{n}y has left us.", verbatim=True).id) for n in range(12)]
        failed: list[BaseException] = []

        def purge(some: list[str]) -> None:
            try:
                for memory in some:
                    ask(engine, "purge", memory=memory)
            except BaseException as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=purge, args=(ids[n::3],)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert files_with(folder, *(f"Gone{n}y" for n in range(12))) == []


def test_a_lock_whose_holder_was_killed_is_free(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with FileLock(path).tried() as alone:
        assert not alone
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    with FileLock(path).tried() as alone:
        assert alone


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """An encrypted palace of six memories; one byte of the third line of its archive is another."""
    folder = tmp_path / "palace"
    with create_engine(told(folder, passphrase=PHRASE), encrypted=True) as engine:
        for number in range(6):
            ask(engine, "remember", text=f"Barge {number} carries Umberlin slate.", place="canal", verbatim=True)
    (path,) = (folder / "archive").glob("*.jsonl")
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:40] + (b"A" if lines[2][40:41] != b"A" else b"B") + lines[2][41:]
    path.write_bytes(b"\n".join(lines))
    return folder


def named(folder: Path) -> str:
    (path,) = (folder / "archive").glob("*.jsonl")
    return f"{path.name}, line 3"


def barges(folder: Path) -> set[str]:
    with open_engine(told(folder, passphrase=PHRASE)) as engine, engine.store.database.read() as connection:
        rows = connection.execute("SELECT text FROM revision")
        return {text.split()[1] for (text,) in rows}


def test_a_damaged_line_is_named_and_keeps_nobody_from_erasing_the_rest(damaged: Path) -> None:
    with open_engine(told(damaged, passphrase=PHRASE)) as engine:
        listed = ask(engine, "list", place="canal").memories
        first = next(m for m in listed if "Barge 0" in m.text)
        report = ask(engine, "burn", memories=[str(first.id)], yes=True)
        assert (report.memories, report.archive_lines, report.unreadable) == (1, 1, (named(damaged),))
        assert not report.done
        assert "unreadable" in report.next
        where = f"{named(damaged)[:-1]}2"  # the line before it has gone
        finding = next(f for f in ask(engine, "doctor").findings if f.check == "archive lines")
        assert (finding.level, where in finding.detail) == ("warning", True)
        ask(engine, "grant", subject="agent:barge", level="forget", place="canal.**")
        with pytest.raises(NotPermitted):
            ask(engine, "burn", "agent:barge", place="canal", unreadable=True, yes=True)
        report = ask(engine, "burn", unreadable=True, yes=True)
        assert (report.archive_lines, report.unreadable, report.done) == (1, (where,), True)
        assert [f for f in ask(engine, "doctor").findings if f.check == "archive lines"] == []


def test_everything_that_is_burnt_takes_damaged_lines_along(damaged: Path) -> None:
    with open_engine(told(damaged, passphrase=PHRASE)) as engine:
        assert ask(engine, "burn", everything=True, yes=True).done
    assert list((damaged / "archive").iterdir()) == []


def test_a_palace_is_made_again_from_an_archive_with_a_damaged_line(damaged: Path, tmp_path: Path) -> None:
    rebuilt = rebuild_from_archive(told(damaged, passphrase=PHRASE), tmp_path / "again")
    assert (rebuilt.messages, rebuilt.torn_lines, rebuilt.unreadable) == (5, 1, (named(damaged),))
    assert barges(tmp_path / "again") == {"0", "1", "2", "3", "4", "5"}, "its commit stands in a line of its own"
    for path in (damaged / "archive").glob("*.changes"):
        path.unlink()
    rebuild_from_archive(told(damaged, passphrase=PHRASE), tmp_path / "told")
    assert barges(tmp_path / "told") == {"0", "1", "3", "4", "5"}


def test_keys_change_and_go_around_a_damaged_line(damaged: Path, tmp_path: Path) -> None:
    (path,) = (damaged / "archive").glob("*.jsonl")
    before = path.read_bytes().split(b"\n")
    rotate_palace(told(damaged, passphrase=PHRASE, new_passphrase="another lantern altogether"))
    after = path.read_bytes().split(b"\n")
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True, False, False, False, True]
    decrypt_palace(told(damaged, passphrase="another lantern altogether"))
    plain = path.read_bytes().split(b"\n")
    assert plain[2] == before[2]
    with open_engine(told(damaged)) as engine:
        finding = next(f for f in ask(engine, "doctor").findings if f.check == "archive lines")
        assert named(damaged) in finding.detail
        ask(engine, "burn", everything=True, yes=True)


def test_the_length_of_a_sealed_line_tells_only_its_bucket(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with create_engine(told(folder, passphrase=PHRASE), encrypted=True) as engine:
        for words in (1, 3, 8, 12):
            ask(engine, "remember", text="Nightjar " * words, verbatim=True, place="a" * words)
    (path,) = (folder / "archive").glob("*.jsonl")
    assert len({len(line) for line in path.read_bytes().splitlines()}) == 1


def test_buckets_grow_and_never_cut(tmp_path: Path) -> None:
    sizes = [bucket(size) for size in range(20_000)]
    assert all(found >= size for size, found in enumerate(sizes))
    assert all(before <= after for before, after in pairwise(sizes))
    assert all(found <= size * 1.26 for size, found in enumerate(sizes) if size > 1024)
    assert len(set(sizes)) < 30
