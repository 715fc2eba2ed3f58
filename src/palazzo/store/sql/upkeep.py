"""Upkeep of the derived indexes and of the log: moves full tails into segments, merges small ones, builds inverted
lists, moves the write-ahead log into the file; and reads ahead what recalls will need while nobody reads.

Owns when that happens and who does it; the index modules own how. Heavy work runs on a read snapshot, then a short
write transaction applies it if the snapshot still holds. Invariants: a lease lets one process at a time do it; losing
the process at any point loses nothing but the work in hand; a query never waits for it.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar
from uuid import uuid4

from palazzo.errors import PalazzoError
from palazzo.model.fork_lock import ForkLock
from palazzo.store.index.tables import Tables
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql.port import Connection, PalaceDatabase
from palazzo.store.sql.tables import SqlTables

T = TypeVar("T")

LEASE_S = 60.0
WAKE_EVERY_CHANGES = 1024
BREATH_S = 0.002
"""Between two steps of reading ahead, and between two looks whether somebody reads."""


def take_lease(connection: Connection, name: str, holder: str, now_us: int, seconds: float) -> bool:
    connection.execute(
        """INSERT INTO lease VALUES (?,?,?) ON CONFLICT (name) DO UPDATE SET
           holder = excluded.holder, until_us = excluded.until_us
           WHERE lease.holder = excluded.holder OR lease.until_us < ?""",
        (name, holder, now_us + int(seconds * 1_000_000), now_us),
    )
    return connection.changes() > 0


def drop_lease(connection: Connection, name: str, holder: str) -> None:
    connection.execute("DELETE FROM lease WHERE name = ? AND holder = ?", (name, holder))


class Upkeep:
    """Runs upkeep by hand (`run`) or in a thread of its own that wakes after every so many changes."""

    def __init__(self, database: PalaceDatabase, ahead: Callable[[], bool], *, enabled: bool) -> None:
        """`ahead` reads a little ahead, unless somebody reads, and says whether there is more."""
        self._database = database
        self._ahead = weakref.WeakMethod(ahead)
        self._ahead_due = False
        self._enabled = enabled
        database.checkpoints_beside = enabled
        self._since = 0
        self._run_due = False
        self.trouble = ""
        """Why the thread could not do what is due, the last time it tried; empty when it could."""
        self._pid = 0
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._lock = ForkLock()
        self._running = (0, threading.Lock())
        """The process, and what one thread of it has at a time: two would make the same lists, one of them in vain."""
        self._holder = uuid4().hex

    def note(self, changes: int) -> None:
        """Counts committed changes and wakes the thread when there may be something to do."""
        self._since += changes
        if not self._enabled or (self._since < WAKE_EVERY_CHANGES and not self._database.log_due):
            return
        if self._since >= WAKE_EVERY_CHANGES:
            self._since = 0
            self._run_due = True
        self._begin()

    def read_on(self) -> None:
        """Lets the thread read ahead between the readings of others."""
        if self._enabled and not (self._ahead_due and self._pid == os.getpid()):
            self._ahead_due = True
            self._begin()

    def _begin(self) -> None:
        with self._lock:
            if self._pid != os.getpid() and not self._stopping.is_set():
                self._start()
        self._wake.set()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._holder = uuid4().hex
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="palazzo-upkeep", daemon=True)
        self._thread.start()
        stop = weakref.WeakMethod(self.stop)
        atexit.register(lambda: (method := stop()) and method())

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait()
            self._wake.clear()
            try:
                self._work()
                self.trouble = ""
            except PalazzoError as error:
                # A full disk, a palace that is busy elsewhere: what is due stays due until the next change wakes us.
                self.trouble = error.message
                self._run_due = True

    def _work(self) -> None:
        if not self._pause() and self._run_due:
            self._run_due = False
            self.run()
        while self._ahead_due and not self._run_due and not self._pause():
            work, self._ahead_due = self._ahead(), False
            self._ahead_due = work is not None and work()
            self._stopping.wait(BREATH_S)

    def _pause(self) -> bool:
        """Between two steps: moves the log into the file if it is due; says whether to stop."""
        if self._enabled and self._database.log_due and not self._stopping.is_set():
            self._database.checkpoint()
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ends the thread after the step in hand."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None and self._pid == os.getpid() and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def run(self) -> int:
        """Does everything that is due and returns how many steps were applied; 0 when another process is at it. What
        another thread has begun is waited for."""
        with self._lock:
            if self._running[0] != os.getpid():
                self._running = (os.getpid(), threading.Lock())
        with self._running[1]:
            return self._run()

    def _run(self) -> int:
        if not self._lease():
            return 0
        steps = 0
        try:
            with self._read() as tables:
                unmerged = text_index.unmerged(tables)
            steps += sum(self._flush_text(partition) for partition in unmerged)
            while not self._pause() and (done := self._pass()):
                steps += done
                if not self._lease():
                    break
        finally:
            self._database.write(lambda connection: drop_lease(connection, "upkeep", self._holder))
        return steps

    @contextmanager
    def _read(self) -> Iterator[Tables]:
        with self._database.read() as connection:
            yield SqlTables(connection)

    def _write(self, job: Callable[[Tables], T]) -> T:
        return self._database.write(lambda connection: job(SqlTables(connection)))

    def _lease(self) -> bool:
        now_us = time.time_ns() // 1000  # a lease is about the machines' clocks, not about the palace's time
        return self._database.write(lambda connection: take_lease(connection, "upkeep", self._holder, now_us, LEASE_S))

    def _pass(self) -> int:
        """One step for everything that is due, in both indexes."""
        with self._read() as tables:
            due_texts = text_index.pending(tables)
            due_vectors = vectors.pending(tables)
        steps = sum(self._flush_text(partition) for partition, _ in due_texts if not self._pause())
        for space, partition, what in due_vectors:
            if self._pause():
                break
            steps += self._vectors(space, partition, what)
        return steps

    def _flush_text(self, partition: int) -> int:
        """Moves a partition's tail into a segment and merges what has become mergeable, one short write at a time."""
        steps = 0
        while not self._pause():
            with self._read() as tables:
                plan = text_index.plan_flush(tables, partition)
            if plan is None or not self._write(partial(text_index.apply_flush, plan=plan)):
                break
            steps += 1
        return steps

    def _vectors(self, space: int, partition: int, what: str) -> int:
        if what == "sweep":
            return int(self._write(vectors.sweep) > 0)
        if what == "lists":
            built = vectors.build_lists(self._read, self._write, space, partition, stopping=self._pause)
            return int(built)
        with self._read() as tables:
            plan = vectors.plan_flush(tables, space, partition)
        return int(plan is not None and self._write(partial(vectors.apply_flush, plan=plan)))
