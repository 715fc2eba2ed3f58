"""Forking while threads use a palace: the child works with connections of its own, and the parent loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from palazzo.errors import StorageError
from palazzo.files import forks
from palazzo.model.capability import View
from palazzo.model.change import AddSpace
from palazzo.store.api import TextSearch, VectorSearch
from palazzo.store.sql.memory import search
from palazzo.store.sqlite import care, held_locks
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import FILES, make_store, place_memory
from palazzo.text.words.tokens import terms

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def closed_connections() -> Iterator[None]:
    """Connections that were closed and are still referred to: a child meets them among those it inherits."""
    closed = [forks.opened(apsw.Connection(":memory:")) for _ in range(20)]
    for connection in closed:
        connection.close()
    yield
    closed.clear()


def child(work: Callable[[], object]) -> str:
    """What a forked child's work came to; one that takes longer than a minute is ended by an alarm."""
    reading, writing = os.pipe()
    number = os.fork()
    if not number:
        signal.alarm(60)
        code = 1
        try:
            try:
                told = str(work())
            except StorageError as error:
                told = f"{error.code}: {error}"
            os.write(writing, told.encode())
            code = 0
        finally:
            os._exit(code)  # a child never goes on with the tests of its parent
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(number, 0)
    assert status == 0, f"the child ended with {status}"
    return told


def texts(store: SqliteStore) -> set[str]:
    with store.database.read() as connection:
        return {text for (text,) in connection.execute("SELECT text FROM revision")}


@pytest.mark.parametrize("engine", FILES)
def test_children_forked_while_threads_write_and_search_write_too_and_nothing_is_lost(
    tmp_path: Path, engine: str
) -> None:
    with make_store(tmp_path / "p", engine, durable=False) as store:
        store.commit([AddSpace("a", "m", 8), place_memory("the first of all")])
        done = threading.Event()
        written: list[str] = []

        def write(name: int) -> None:
            number = 0
            while not done.is_set():
                number += 1
                store.commit([place_memory(f"thread {name} number {number}")])
                written.append(f"thread {name} number {number}")

        def look() -> None:
            while not done.is_set():
                with store.reading(View()) as reading:
                    search.text(store, reading, TextSearch(terms=tuple(terms("first number")), limit=5))
                    search.vector(store, reading, VectorSearch(vector=np.ones(8, np.float32), limit=5))

        threads = [threading.Thread(target=write, args=(n,)) for n in range(3)] + [threading.Thread(target=look)]
        for thread in threads:
            thread.start()
        try:
            for number in range(12):

                def work(number: int = number) -> str:
                    store.commit([place_memory(f"child {number}")])
                    state = held_locks.state(store.database.path)
                    look_once(store)
                    store.close()
                    return state

                assert child(work) in ("held", "unknown")
                written.append(f"child {number}")
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert held_locks.state(store.database.path) != "lost"
        store.commit([place_memory("the last of all")])
        assert texts(store) == {"the first of all", "the last of all", *written}
        assert care.verify(store) == []


def look_once(store: SqliteStore) -> None:
    with store.reading(View()) as reading:
        assert len(search.text(store, reading, TextSearch(terms=tuple(terms("child")), limit=50)).keys)


def test_a_child_keeps_the_log_it_writes_to_when_others_come_and_go(tmp_path: Path) -> None:
    """Without locks of its own the log would be removed under it by the parent, the last to close."""
    store = make_store(tmp_path / "p")
    store.commit([place_memory("before")])
    ready, go = os.pipe(), os.pipe()
    number = os.fork()
    if not number:
        signal.alarm(60)
        code = 1
        try:
            store.commit([place_memory("by the child")])
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            for n in range(10):
                store.commit([place_memory(f"after the parent has gone {n}")])
            code = 0
        finally:
            os._exit(code)
    os.read(ready[0], 1)
    store.close()
    os.write(go[1], b"x")
    assert os.waitpid(number, 0)[1] == 0
    command = [sys.executable, "-c", COUNT, str(tmp_path / "p" / "palace.db")]
    assert json.loads(subprocess.run(command, capture_output=True, check=True).stdout) == 12


COUNT = """
import sys
from pathlib import Path
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite.connection import open_connection
print(open_connection(Path(sys.argv[1]), OpenOptions()).execute("SELECT count(*) FROM memory").fetchall()[0][0])
"""


def test_a_fork_inside_a_reading_leaves_it_to_the_parent(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("before")])
        with store.database.read() as connection:
            assert child(lambda: len(texts(store))) == "1"
            assert connection.execute("SELECT count(*) FROM memory").fetchall() == [(1,)]
        assert care.verify(store) == []


def test_a_child_of_a_fork_inside_a_write_is_told_and_does_not_wait(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        told: list[str] = []
        store.database.write(lambda _: told.append(child(lambda: texts(store))))
        assert "forked while" in told[0]
        assert "spawn" in told[0]
        store.commit([place_memory("the parent goes on")])
        assert care.verify(store) == []


def test_a_child_of_a_fork_that_could_not_wait_any_longer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "LONGEST_WAIT_S", 0.05)
    with make_store(tmp_path / "p") as store:
        inside, done = threading.Event(), threading.Event()

        def read() -> None:
            with store.database.read():
                inside.set()
                done.wait()

        thread = threading.Thread(target=read)
        thread.start()
        inside.wait()
        assert "forked while" in child(lambda: texts(store))
        done.set()
        thread.join()
        assert child(lambda: len(texts(store))) == "0"
