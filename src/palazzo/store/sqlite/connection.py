"""Connections to one palace file: opening with the right key and pragmas, one writer with group commit, many readers.

Owns apsw, transactions, waiting for other processes and the translation of SQLite's errors into ours. Knows nothing
of tables. Invariants: every write runs under BEGIN IMMEDIATE and is acknowledged only after COMMIT; a failing job
is undone alone and never takes its neighbours with it; `database is locked` never reaches a caller; connections are
never used on the far side of a fork.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import apsw

from palazzo.errors import ReadOnlyPalace, StorageError
from palazzo.files import forks
from palazzo.store.api.keeping import Damaged
from palazzo.store.sql.grouped import GroupedWrites, Ticket
from palazzo.store.sql.options import OpenOptions
from palazzo.store.sql.port import no_text, one, translate, translated
from palazzo.store.sql.rows import Aside, cover
from palazzo.store.sql.tables import end_moment, keep_moments
from palazzo.store.sqlite.held_locks import Watch, let_go, patient
from palazzo.store.sqlite.seal import padding

T = TypeVar("T")

HIDDEN_TIME = 86_400
"""The second day of 1970: the time of every file of a palace that hides its times."""
CHECKPOINT_PAGES = 4_000
"""So many pages of the log that are not in the file yet, 16 MB, are due to be moved there."""
LONG_LOG_PAGES = 32_000
"""A log of this many, 128 MB, is begun anew even if there is always somebody who reads it."""
LONGEST_LOG_PAGES = 64_000
"""A commit moves so many itself, because nobody else came to do it."""
_ANEW_WAIT_S = 0.2
"""How long readings wait to begin while a long log is begun anew."""
_ANEW_NAP_S = 0.002
_FEW_PAGES = 256  # what writers may wait for: some milliseconds
_WRITER_CACHE_MB = 2
"""The writer reads little, and a larger cache only collects the pages it appends: with 32 MB a daemon that audits reads
grows for as long as it is asked. Bounds of 1 to 32 MB write equally fast, within the noise: 10,000 memories at once
into 100,000, or one by one, plain or encrypted."""


def open_connection(path: Path, options: OpenOptions, *, create: bool = False) -> apsw.Connection:
    """Opens the file, applies the key and pragmas, and proves the key by reading the schema."""
    flags = apsw.SQLITE_OPEN_READONLY if options.read_only else apsw.SQLITE_OPEN_READWRITE
    if create:
        flags |= apsw.SQLITE_OPEN_CREATE
    name = str(path)
    if options.read_only and not os.access(path.parent, os.W_OK):
        name, flags = _unwritable(path), flags | apsw.SQLITE_OPEN_URI
    connection = forks.opened(apsw.Connection(name, flags=flags, vfs=options.vfs, statementcachesize=256))
    connection.set_busy_handler(patient(options.busy_wait_s))
    # Without this SQLite plans some statements anew at every execution, in case another plan suits the bound values.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    if options.key is not None:
        connection.pragma("cipher", "chacha20")
        connection.pragma("key", raw_key(options.key))
    if options.exclusive:
        connection.pragma("locking_mode", "exclusive")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except apsw.Error as error:
        connection.close()
        raise translate(error) from error
    padding.register(connection, options.fields)
    connection.pragma("synchronous", "full" if options.durable else "normal")
    # An encrypted file cannot be mapped; its page cache gets eight times what mapping would have, since a page costs
    # more to read: at 100K memories a recall then costs 6 % more than on a plain file, else 32 %.
    spare = 8 * options.mmap_mb if options.key is not None else 0
    connection.pragma("cache_size", -1024 * (options.cache_mb + spare))
    connection.pragma("mmap_size", options.mmap_mb << 20)
    connection.pragma("temp_store", "memory")
    connection.pragma("journal_size_limit", 64 << 20)
    connection.pragma("secure_delete", "on")  # "fast" leaves freed pages as they were: a purged text lives on in them
    return connection


def raw_key(key: bytes) -> str:
    """A key that is used as it is: Argon2id derived it, the cipher's own derivation would only add 50 ms."""
    return f"raw:{key.hex()}"


def _unwritable(path: Path) -> str:
    """A WAL file needs a writable folder for its shared memory; without a log to read it may be opened as immutable."""
    log = path.with_name(path.name + "-wal")
    immutable = not log.exists() or log.stat().st_size == 0
    return path.resolve().as_uri() + ("?immutable=1" if immutable else "")


class Database(GroupedWrites[apsw.Connection]):
    """One palace file, open. Threads share it; a forked child opens its own connections on first use."""

    def __init__(self, path: Path, options: OpenOptions) -> None:
        self.path = path
        self.options = options
        self.aside = Aside()
        self.checkpoints_beside = False
        """Whether somebody calls `checkpoint` when `log_due` says so, and commits need not do it."""
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._writer: apsw.Connection | None = None
        self._watch = Watch(self.path)
        self._readers: list[apsw.Connection] = []
        self.begin_grouping()
        self._closed = False
        self.log_pages = 0
        """Pages in the log when this process last committed."""
        self._moved_pages = 0
        """How many of them are in the file: while a reader needs the log it is not begun anew, only added to."""
        self._anew_at = LONG_LOG_PAGES
        self._readings_begin = threading.Event()
        self._readings_begin.set()

    def _check_fork(self) -> None:
        if os.getpid() != self._pid:
            self._reset()  # its connections were closed when the child began, or cannot be used

    def _waiting_no_longer(self, wait_s: float, commit: Callable[[], None]) -> None:
        writer = self._opened()
        writer.set_busy_handler(patient(wait_s))
        try:
            commit()
        finally:
            writer.set_busy_handler(patient(self.options.busy_wait_s))

    def _check_writable(self) -> None:
        self._check_fork()
        if self._closed:
            raise StorageError("the palace is closed")
        self._watch.usable()
        if self.options.read_only:
            raise ReadOnlyPalace("the palace was opened read-only")

    def _opened(self) -> apsw.Connection:
        """The connection that writes."""
        if self._writer is None:
            self._writer = open_connection(self.path, self.options)
            self._writer.pragma("cache_size", -1024 * min(self.options.cache_mb, _WRITER_CACHE_MB))
            self._writer.set_wal_hook(self._committed)
            self._watch = Watch(self.path)
        return self._writer

    def _commit(self, group: list[Ticket[apsw.Connection]]) -> None:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._watch.begun()
            self._run_all(connection, group)
            if all(ticket.error is not None for ticket in group):
                connection.execute("ROLLBACK")
            else:
                if self.options.key is not None:
                    padding.pad(connection)
                connection.execute("COMMIT")
                self._watch.committed()
                self._hide_times()
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _hide_times(self) -> None:
        """Sets the times of the files to one and the same moment, if asked to: they tell when somebody was active."""
        if self.options.hide_times:
            for path in (self.path, self.path.with_name(self.path.name + "-wal")):
                with suppress(FileNotFoundError):
                    os.utime(path, (HIDDEN_TIME, HIDDEN_TIME))

    def _committed(self, connection: apsw.Connection, name: str, pages: int) -> int:
        """Called by SQLite after each commit: notes how long the log is, and moves it when nobody else does."""
        if pages <= self._moved_pages:  # begun anew
            self._moved_pages, self._anew_at = 0, LONG_LOG_PAGES
        self.log_pages = pages
        if pages - self._moved_pages >= (LONGEST_LOG_PAGES if self.checkpoints_beside else CHECKPOINT_PAGES):
            # The commit is safe in the log: one that cannot be moved now, on a full disk or because another process is
            # at it, is moved after a later commit.
            with suppress(apsw.Error):
                _, self._moved_pages = connection.wal_checkpoint(name, apsw.SQLITE_CHECKPOINT_PASSIVE)
        return apsw.SQLITE_OK

    @property
    def log_due(self) -> bool:
        """Whether the log should be moved into the file."""
        return self.log_pages - self._moved_pages >= CHECKPOINT_PAGES

    def checkpoint(self) -> None:
        """Moves the log into the file beside the writers; they wait only for the few pages that came in meanwhile.

        With everything moved, the next commit starts the log from its beginning again, unless a reader still needs it.
        """
        self._watch.usable()
        with translated():
            connection = open_connection(self.path, self.options)
            try:
                for _ in range(8):
                    _, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                    if self.log_pages - moved <= _FEW_PAGES:
                        break
                with self._leading:
                    _, self._moved_pages = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                if self.log_pages >= self._anew_at:
                    self._begin_log_anew(connection)
            except apsw.BusyError:
                self._moved_pages = self.log_pages  # another process is moving it
            finally:
                connection.close()
        self._hide_times()

    def _begin_log_anew(self, connection: apsw.Connection) -> None:
        """Lets no reading begin until those under way have ended and the log with them; gives up if one takes long."""
        connection.set_busy_handler(None)
        until = time.monotonic() + _ANEW_WAIT_S
        self._readings_begin.clear()
        try:
            while time.monotonic() < until:
                with self._leading, suppress(apsw.BusyError):
                    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
                    return
                time.sleep(_ANEW_NAP_S)
            self._anew_at = 2 * self.log_pages
        finally:
            self._readings_begin.set()

    def read(self) -> Reader:
        """A connection inside one read transaction: everything read through it is one moment of the palace."""
        if not self._readings_begin.is_set():
            self._readings_begin.wait(_ANEW_WAIT_S)
        return Reader(self, together=True)

    def glance(self) -> Reader:
        """A connection for one statement whose rows are fetched at once: each statement is a moment of its own."""
        return Reader(self, together=False)

    def borrow(self) -> apsw.Connection:
        """A connection to read through, for `Reader`.

        Raises: StorageError when the palace is closed.
        """
        self._check_fork()
        if self._closed:
            raise StorageError("the palace is closed")
        self._watch.usable()
        with self._queue_lock:
            while self._readers:
                if self.aside.covers(connection := self._readers.pop()):
                    return connection
                let_go(connection, self._watch)
        connection = open_connection(self.path, self.options)
        keep_moments(connection)
        self.aside.cover(connection)
        if not self.options.read_only:
            connection.pragma("query_only", True)
        return connection

    def cover(self, connection: apsw.Connection, damaged: Sequence[Damaged]) -> None:
        """Puts a view without the damaged rows before each table that has any, for this connection alone."""
        cover(connection, damaged)

    def give_back(self, connection: apsw.Connection) -> None:
        """Keeps the connection for the next reading, unless an unfinished statement still holds its old moment."""
        end_moment(connection)
        fresh = connection.txn_state("main") == apsw.SQLITE_TXN_NONE
        with self._queue_lock:
            if fresh and not self._closed and len(self._readers) < 16:
                self._readers.append(connection)
                return
        let_go(connection, self._watch)

    def connect(self) -> apsw.Connection:
        """A further connection for long care work (backup, vacuum); the caller closes it."""
        with translated():
            return open_connection(self.path, self.options)

    def truncate_log(self, wait_s: float = 2.0) -> bool:
        """Moves every page of the write-ahead log into the file and empties the log; False while a reader holds it."""
        with translated():
            connection = open_connection(self.path, replace(self.options, busy_wait_s=wait_s))
            try:
                busy, _, _ = one(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
                return not busy
            finally:
                connection.close()

    def compact(self) -> None:
        """Writes the whole file anew, so that nothing is in it but what is stored."""
        with translated():
            connection = open_connection(self.path, self.options)
            try:
                connection.execute("VACUUM")
                if self.options.key is not None:
                    connection.execute("BEGIN IMMEDIATE")
                    padding.pad(connection)
                    connection.execute("COMMIT")
            finally:
                connection.close()

    @forks.inside
    def close(self) -> None:
        """Closes every connection. Safe to call twice."""
        self._check_fork()
        with self._leading, self._queue_lock:
            if self._closed:
                return
            self._closed = True
            for connection in self._readers:
                let_go(connection, self._watch)
            self._readers.clear()
            if self._writer is not None:
                let_go(self._writer, self._watch)
                self._writer = None
                self._hide_times()


class Reader:
    """The context of a reading: a borrowed connection, in a transaction if its statements belong `together`.

    A class and no generator, for every call opens several of them.
    """

    __slots__ = ("_connection", "_database", "_together")

    def __init__(self, database: Database, *, together: bool) -> None:
        self._database = database
        self._together = together

    def __enter__(self) -> apsw.Connection:
        forks.enter()
        try:
            connection = self._connection = self._database.borrow()
            if self._together:
                connection.execute("BEGIN")
        except BaseException as error:
            forks.leave()
            if isinstance(error, apsw.Error):
                raise translate(error) from error
            raise
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._database.give_back(connection)
        except apsw.ConnectionClosedError:
            pass  # a fork inside the reading: the child has closed it
        except apsw.Error as fault:
            raise translate(fault) from fault
        finally:
            forks.leave()
        if isinstance(error, apsw.Error):
            raise translate(error) from error
        if isinstance(error, UnicodeDecodeError):
            raise no_text() from error
