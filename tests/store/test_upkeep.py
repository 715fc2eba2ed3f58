from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import numpy as np
import pytest
from msgspec.structs import replace

from palazzo.model.capability import View
from palazzo.model.change import AddSpace, Attachments
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import flush as vector_flush
from palazzo.store.index.vector import vectors
from palazzo.store.sql import care as sql_care
from palazzo.store.sql import upkeep
from palazzo.store.sql.hot.columns import BEFORE
from palazzo.store.sql.tables import SqlTables
from palazzo.store.sqlite import care, connection
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for, place_memory


def segments(store: SqliteStore) -> int:
    with store.database.read() as reader:
        return sum(state.segments for state in text_index.state(SqlTables(reader)))


def fill(store: SqliteStore, rounds: int) -> None:
    for n in range(rounds):
        store.commit([place_memory(f"round {n} number {k}") for k in range(text_index.FLUSH_ROWS)])


def test_tails_become_segments_and_segments_merge(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        for _ in range(5):
            fill(store, 1)
            assert store.upkeep.run() >= 1
        assert segments(store) == 2
        assert store.upkeep.run() == 0


def test_merges_that_an_interrupted_pass_left_are_made_up_for(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        for _ in range(4):
            fill(store, 1)
            with store.database.read() as reader:
                plan = text_index.plan_flush(SqlTables(reader), text_index.pending(SqlTables(reader))[0][0])
            assert plan is not None
            store.database.write(lambda writer, plan=plan: text_index.apply_flush(SqlTables(writer), plan))  # type: ignore[misc]
        assert segments(store) == 4
        assert store.upkeep.run() == 1
        assert segments(store) == 1


def test_upkeep_that_is_asked_for_waits_for_the_one_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make_store(tmp_path / "p") as store:
        fill(store, 1)
        begun, go_on, at_once = threading.Event(), threading.Event(), []
        flush = store.upkeep._flush_text

        def slow(partition: int) -> int:
            at_once.append(threading.current_thread().name)
            begun.set()
            assert go_on.wait(60)
            return flush(partition)

        monkeypatch.setattr(store.upkeep, "_flush_text", slow)
        first = threading.Thread(target=store.upkeep.run, name="first")
        second = threading.Thread(target=store.upkeep.run, name="second")
        first.start()
        assert begun.wait(60)
        second.start()
        assert set(at_once) == {"first"}
        go_on.set()
        first.join()
        second.join()
        assert "second" not in at_once  # there was nothing left to do
        assert segments(store) == 1


def test_only_one_holder_has_the_lease_until_it_expires(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:

        def take(holder: str, now_us: int) -> bool:
            return store.database.write(lambda c: upkeep.take_lease(c, "upkeep", holder, now_us, 60))

        assert take("a", 0)
        assert take("a", 1)
        assert not take("b", 59_000_000)
        assert take("b", 61_000_002)


def test_the_thread_flushes_after_enough_changes_and_stops_with_the_store(tmp_path: Path) -> None:
    options = options_for("sqlite")
    make_store(tmp_path / "p").close()
    with SqliteStore.open(tmp_path / "p", FixedClock(), type(options)(file=options.file, upkeep=True)) as store:
        fill(store, 1)
        thread = store.upkeep._thread
        assert thread is not None
    assert not thread.is_alive()


def test_commits_leave_a_long_log_to_upkeep_which_moves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CHECKPOINT_PAGES", 40)
    options = options_for("sqlite")
    make_store(tmp_path / "p").close()
    with SqliteStore.open(tmp_path / "p", FixedClock(), type(options)(file=options.file, upkeep=True)) as store:
        database = store.database
        while not database.log_due:
            database.write(lambda c: store_note(c, database.log_pages))
        moved = database.log_pages
        store.commit([place_memory("wakes the thread")])
        store.upkeep.stop()
        database.checkpoint()
        store.commit([place_memory("starts the log again")])
        assert 0 < database.log_pages < moved


def test_without_upkeep_a_commit_moves_the_log_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CHECKPOINT_PAGES", 40)
    with make_store(tmp_path / "p") as store:
        longest = 0
        for n in range(60):
            store.commit([place_memory(f"number {n} of sixty")])
            longest = max(longest, store.database.log_pages)
        assert 40 <= longest < 120


def test_a_log_that_somebody_always_reads_is_begun_anew_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CHECKPOINT_PAGES", 40)
    monkeypatch.setattr(connection, "LONG_LOG_PAGES", 160)
    monkeypatch.setattr(connection, "_ANEW_WAIT_S", 60.0)
    with make_store(tmp_path / "p") as store, a_reader_at_any_time(store.database) as readers:
        database, longest = store.database, 0
        database.checkpoints_beside, database._anew_at = True, 160
        for n in range(600):
            database.write(lambda c, n=n: store_note(c, n))  # type: ignore[misc]
            longest = max(longest, database.log_pages)
            if database.log_due:
                database.checkpoint()
        assert len(readers) > 2
        assert 160 <= longest < 400


@contextmanager
def a_reader_at_any_time(database: connection.Database) -> Iterator[list[int]]:
    """Two threads that read in turn, each until the other has begun or for some milliseconds; the list counts them."""
    begun: list[int] = []
    turn, done = threading.Condition(), False

    def read() -> None:
        while not done:
            with database.read() as reader, turn:
                reader.execute("SELECT count(*) FROM palace").fetchone()
                begun.append(mine := len(begun))
                turn.notify_all()
                turn.wait_for(lambda: done or len(begun) > mine + 1, timeout=0.02)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield begun
    finally:
        with turn:
            done = True
            turn.notify_all()
        for thread in threads:
            thread.join()


def test_a_build_of_lists_ends_when_the_store_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_flush, "LISTS_AT", 64)
    with make_store(tmp_path / "p") as store:
        store.commit([AddSpace("s", "m", 8)])
        vectors_of = np.random.default_rng(1).normal(size=(vector_blocks.FLUSH_AT, 8)).astype(np.float32)
        store.commit(
            [place_memory(f"text {n}", attachments=Attachments(vectors={"s": v})) for n, v in enumerate(vectors_of)]
        )
        store.upkeep._vectors(1, 8, "flush")
        with store.database.read() as reader:
            assert (1, 8, "lists") in vectors.pending(SqlTables(reader))
        store.upkeep.stop()
        assert store.upkeep._vectors(1, 8, "lists") == 0
        with store.database.read() as reader:
            assert vector_blocks.partition_row(SqlTables(reader), 1, 8).generation == 0


def store_note(writer: apsw.Connection, number: int) -> None:
    writer.execute("INSERT OR REPLACE INTO palace VALUES (?, ?)", (f"note {number}", "x" * 3000))


def until(happened: Callable[[], bool]) -> None:
    """Waits for a thread, a minute at most."""
    never = threading.Event()
    for _ in range(6_000):
        if happened():
            return
        never.wait(0.01)
    raise AssertionError("it did not happen")


def test_the_upkeep_thread_outlives_a_palace_that_was_busy_for_too_long(tmp_path: Path) -> None:
    make_store(tmp_path / "p").close()
    options = options_for("sqlite", busy_wait_s=0.05)
    with SqliteStore.open(tmp_path / "p", FixedClock(), replace(options, upkeep=True)) as store:
        store.commit([place_memory(f"number {k}") for k in range(text_index.FLUSH_ROWS - 1)])
        blocker = store.database.connect()
        blocker.execute("BEGIN IMMEDIATE")
        store.upkeep.note(upkeep.WAKE_EVERY_CHANGES)
        until(lambda: bool(store.upkeep.trouble))
        assert "upkeep could not go on" in {f.check: f.detail for f in care.doctor(store)}["indexes"]
        blocker.execute("ROLLBACK")
        blocker.close()
        store.commit([place_memory(f"one more {k}") for k in range(upkeep.WAKE_EVERY_CHANGES)])
        until(lambda: segments(store) == 1)
        until(lambda: not store.upkeep.trouble)


def test_the_thread_reads_columns_ahead_between_readings_and_never_beside_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palazzo.store.sql.hot.rows.BLOCK", 8)
    make_store(tmp_path / "p").close()
    with SqliteStore.open(tmp_path / "p", FixedClock(), replace(options_for("sqlite"), upkeep=True)) as store:
        store.commit([place_memory(f"jar {number}") for number in range(50)])
        with store.reading(View()):
            for _ in range(BEFORE + 1):
                with store.reading(View()) as reading:
                    assert reading.search.prepare()
            begun = store.columns.nbytes
            assert store._read_ahead()
            assert store.columns.nbytes == begun
            assert not store.columns._complete
        until(lambda: store.columns._complete)


def test_a_rebuild_brings_nothing_back_that_was_erased_after_it_had_looked(tmp_path: Path) -> None:
    with make_store(tmp_path / "palace") as store:
        store.commit([place_memory("the heron stands in the reeds")])
        writer = store.database.connect()
        try:
            ((partition, revision),) = writer.execute("SELECT scope, revision FROM text_doc").fetchall()
            sql_care.put_right(writer, [(partition, revision, ["heron"]), (partition, revision + 1, ["otter"])])
            assert writer.execute("SELECT scope, revision FROM text_doc").fetchall() == [(partition, revision)]
        finally:
            writer.close()
        store.care.rebuild()
        assert store.care.verify() == []
