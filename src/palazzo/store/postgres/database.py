"""One palace on a server, open: sessions that read, one that writes, and what keeps them apart.

Owns the sessions of this process, their fences, how a write begins and ends, and the word to other processes that
something was written. Knows nothing of what is stored. Invariants: a session works as a role no fence is lifted for; a
write is acknowledged when the server has made it lasting; others are told after that, in a transaction of its own and
at most once for whatever happened meanwhile; a lost server costs the call under way, never the next one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Final, NamedTuple

import psycopg

from palazzo.errors import ReadOnlyPalace, StorageError
from palazzo.files import forks
from palazzo.store.api.keeping import Damaged
from palazzo.store.postgres import handing, schema
from palazzo.store.postgres.connection import NEWS, PostgresConnection, catalogue, connect, ported
from palazzo.store.postgres.statements import Table, Translator
from palazzo.store.sql.apply import Batch
from palazzo.store.sql.grouped import LONGEST_LULL_S, GroupedWrites, Joint, Ticket
from palazzo.store.sql.indexes import TABLES as TABLES_OF_INDEXES
from palazzo.store.sql.port import EngineError, OpenOptions, no_text, translate
from palazzo.store.sql.rows import KEPT, TABLES, Aside, without
from palazzo.store.sql.tables import end_moment, keep_moments

TELL_EVERY_S: Final = 0.05
"""Who listens is told that something was written at most so often, and looks by itself after a second."""
MOST_IDLE: Final = 8
"""Sessions that stay open between two readings."""
LATELY_S: Final = 1.0
"""Who wrote with others so short a time ago does not look first whether the palace is free. After longer the server may
have dropped the session, which is only to be found out by a look."""
LOOK_EVERY_S: Final = 0.001
"""So often a writer who waits for others looks whether they have come."""


class HandedCommits(NamedTuple):
    """Commits that another process handed over; none where only that process can write them."""

    ticket: bytes
    batches: list[Batch]


def palace_number(session: psycopg.Connection[Any], name: str) -> int | None:
    """The number of a palace in the register."""
    row = session.execute("SELECT id FROM register WHERE name = $1", (name,)).fetchone()
    return None if row is None else int(row[0])


class PostgresDatabase(GroupedWrites[PostgresConnection]):
    """One palace of a server. Threads share it; a forked child opens sessions of its own on first use."""

    checkpoints_beside = False
    log_due = False

    def __init__(self, address: str, palace: int, options: OpenOptions, tables: Mapping[str, Table]) -> None:
        self.address = address
        self.palace = palace
        self.options = options
        self.aside = Aside()
        self._tables: dict[str, Table] = dict(tables)
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._writer: PostgresConnection | None = None
        self._listener: PostgresConnection | None = None
        self._listening = threading.Lock()
        """Who listens has its session alone until then: what closes it meanwhile would free what the driver reads."""
        self._told_s = 0.0
        self._met = 1
        """Processes that wrote together the last time this one did."""
        self._wrote_s = 0.0
        self._readers: list[PostgresConnection] = []
        self._closed = False
        self._translators: dict[tuple[Any, ...], Translator] = {}
        self.begin_grouping()

    def checkpoint(self) -> None:
        """The server sees to its own log."""

    def _translator(self, damaged: tuple[Any, ...] = ()) -> Translator:
        found = self._translators.get(damaged)
        if found is None:
            self._translators.clear()
            found = self._translators[damaged] = Translator(self.palace, self._tables, _conditions(damaged))
        return found

    def connect(self, *, damaged: tuple[Any, ...] = ()) -> PostgresConnection:
        """A session of its own, which sees every row unless some are set aside.

        Raises: StorageError.
        """
        if self._closed:
            raise StorageError("the palace is closed")
        session = connect(
            self.address, self.options.fields, lock_wait_s=self.options.busy_wait_s, durable=self.options.durable
        )
        try:
            session.execute(f"SET ROLE {schema.ROLE}")
            session.execute(f"SET palazzo.palace = '{self.palace}'")
            session.execute("SET palazzo.scopes = 'all'")
            if not self._tables:
                self._tables.update(catalogue(session))
        except psycopg.Error as error:
            session.close()
            raise ported(error) from error
        return PostgresConnection(session, self._translator(damaged))

    def _check_fork(self) -> None:
        if os.getpid() != self._pid:
            self._reset()

    def _check_writable(self) -> None:
        self._check_fork()
        if self._closed:
            raise StorageError("the palace is closed")
        if self.options.read_only:
            raise ReadOnlyPalace("the palace was opened read-only")

    def _opened(self) -> PostgresConnection:
        if self._writer is None or not self._writer.usable:
            self._writer = self.connect()
        return self._writer

    def _waiting_no_longer(self, wait_s: float, commit: Callable[[], None]) -> None:
        writer = self._opened()
        writer.plain(f"SET lock_timeout = {max(1, int(wait_s * 1000))}")
        try:
            commit()
        finally:
            if writer.usable:
                writer.plain(f"SET lock_timeout = {int(self.options.busy_wait_s * 1000)}")

    def _begun(self, begin: Callable[[PostgresConnection], int | None]) -> tuple[PostgresConnection, int | None]:
        """A session that has begun so; one that the server has dropped is opened again."""
        connection = self._opened()
        try:
            return connection, begin(connection)
        except StorageError:
            if connection.usable:
                raise
            connection = self._opened()
            return connection, begin(connection)

    def _commit(self, group: list[Ticket[PostgresConnection]]) -> None:
        """In the transaction of this process, or, where another one has the palace, in that one's."""
        ours = [ticket.job.about for ticket in group if isinstance(ticket.job, Joint)]
        handed = len(ours) == len(group)
        if handed and self._met > 1 and monotonic() - self._wrote_s < LATELY_S:
            connection, waiting = self._opened(), None  # somebody has it, as just now
            connection.begins()
        else:
            connection, waiting = self._begun(handing.begin if handed else handing.begin_alone)
        try:
            if handed and waiting is None:
                body = handing.packed(ours)
                handed = 0 < len(body) <= handing.MOST_BYTES
                if not handed:
                    connection = self._begun(handing.begin_alone)[0]
                elif isinstance(told := handing.hand(connection, body), bytes):
                    self._met, receipts = handing.unpacked_receipts(told, ours)
                    for ticket, receipt in zip(group, receipts, strict=True):
                        ticket.result = receipt
                    return
                else:
                    waiting = told
            others = self._taken(connection, waiting or 0, ours[0]) if handed else []
            if others or len(ours) < len(group) or len(group) == 1:
                self._run_with(connection, group, others)
            elif self._joined(connection, group, "COMMIT", ("ROLLBACK",)):  # a savepoint would be a trip more
                self._tell(connection)
                return
            else:
                connection = self._begun(handing.begin_alone)[0]
                for ticket in group:
                    self._run(connection, ticket, alone=False)
            if not others and all(ticket.error is not None for ticket in group):
                connection.execute("ROLLBACK")
            else:
                connection.execute("COMMIT")
                self._tell(connection)
        except BaseException:
            if connection.usable and connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            self._wrote_s = monotonic()

    def _taken(self, connection: PostgresConnection, waiting: int, beside: Batch) -> list[HandedCommits]:
        """What other processes have handed over. Waits a moment for those who wrote along the last time."""
        until = monotonic() + min(self._took_s / 4, LONGEST_LULL_S)
        while waiting < self._met - 1 and monotonic() < until:
            sleep(LOOK_EVERY_S)
            waiting = handing.waiting(connection)
        rows = handing.take(connection) if waiting else []
        self._met = 1 + len(rows)
        return [HandedCommits(ticket, handing.unpacked(body, beside)) for ticket, body in rows]

    def _run_with(
        self, connection: PostgresConnection, group: list[Ticket[PostgresConnection]], others: list[HandedCommits]
    ) -> None:
        """Runs the jobs and those of others together; where that cannot be done, the others do theirs themselves."""
        if not others:
            self._run_all(connection, group)
            return
        theirs = [[Ticket(Joint(group[0].job.run, one)) for one in taken.batches] for taken in others]  # type: ignore[attr-defined]
        joined = [ticket for tickets in theirs for ticket in tickets]
        done = bool(joined) and self._run_joint(connection, [*group, *joined])
        if not done:
            self._run_all(connection, group)
        handing.answer(connection, [
            (taken.ticket, handing.packed_receipts([one.result for one in tickets], len(others) + 1)
             if done and tickets else None)
            for taken, tickets in zip(others, theirs, strict=True)
        ])  # fmt: skip

    def _tell(self, connection: PostgresConnection) -> None:
        """Wakes those who listen, in a transaction of its own that nothing lasting waits for, and not too often."""
        if connection.heard and monotonic() - self._told_s > TELL_EVERY_S:
            self._told_s = monotonic()
            with suppress(StorageError, EngineError):  # what was written lasts, and who listens looks by himself, too
                connection.plain(f"BEGIN; SET LOCAL synchronous_commit = off; NOTIFY {self._channel}; COMMIT")

    @property
    def _channel(self) -> str:
        return f"palazzo_news_{self.palace}"

    def await_news(self, wait_s: float) -> bool:
        """Waits until somebody may have written, at most so long; one thread at a time."""
        self._check_fork()
        with self._listening:
            try:
                if self._listener is None or not self._listener.usable:
                    self._listener = self.connect()
                    told = f"SELECT pg_advisory_lock_shared({NEWS}, {self.palace}); LISTEN {self._channel}"
                    self._listener.plain(told)
                    return True  # what was written before is seen now
                for _ in self._listener.session.notifies(timeout=wait_s, stop_after=1):
                    pass
            except (psycopg.Error, StorageError, EngineError):
                return False
            finally:
                self._hush()
        return True

    def _hush(self) -> None:
        """Ends the session that listens once the palace is closed; whoever has it does so."""
        if self._closed and self._listener is not None:
            self._listener.close()
            self._listener = None

    def _settle(self, connection: PostgresConnection) -> None:
        connection.settle()

    def cover(self, connection: PostgresConnection, damaged: Sequence[Damaged]) -> None:
        """Lets a session see the tables without these rows."""
        connection.translate = Translator(self.palace, self._tables, _conditions(damaged))

    def read(self) -> ServerReader:
        """A session inside one read transaction: everything read through it is one moment of the palace."""
        return ServerReader(self, together=True)

    def glance(self) -> ServerReader:
        """A session for single statements: each is a moment of its own."""
        return ServerReader(self, together=False)

    def borrow(self) -> PostgresConnection:
        """A session to read through.

        Raises: StorageError when the palace is closed.
        """
        self._check_fork()
        if self._closed:
            raise StorageError("the palace is closed")
        damaged = self.aside.damaged
        with self._queue_lock:
            while self._readers:
                connection = self._readers.pop()
                if connection.usable and connection.translate is self._translators.get(damaged):
                    return connection
                connection.close()
        connection = self.connect(damaged=damaged)
        keep_moments(connection)
        return connection

    def give_back(self, connection: PostgresConnection) -> None:
        """Keeps a session for the next reading."""
        end_moment(connection)
        with self._queue_lock:
            if connection.usable and not self._closed and len(self._readers) < MOST_IDLE:
                self._readers.append(connection)
                return
        connection.close()

    @forks.inside
    def close(self) -> None:
        """Closes every session. Safe to call twice."""
        self._check_fork()
        with self._leading, self._queue_lock:
            self._closed = True
            for connection in self._readers:
                connection.close()
            self._readers.clear()
            if self._writer is not None:
                self._writer.close()
            self._writer = None
        if self._listening.acquire(blocking=False):  # else who listens ends it, within its wait
            try:
                self._hush()
            finally:
                self._listening.release()


def _conditions(damaged: Iterable[Any]) -> dict[str, str]:
    """For each table with damaged rows what the others fulfil; an index is set aside as a whole."""
    tables = {one.table for one in damaged}
    found = {table: "FALSE" for index in tables & TABLES_OF_INDEXES.keys() for table in TABLES_OF_INDEXES[index]}
    for table in tables & TABLES.keys() - KEPT:
        found[table] = without(TABLES[table], [one for one in damaged if one.table == table])
    return found


class ServerReader:
    """The context of a reading: a borrowed session, in a transaction if its statements belong `together`."""

    __slots__ = ("_connection", "_database", "_together")

    def __init__(self, database: PostgresDatabase, *, together: bool) -> None:
        self._database = database
        self._together = together

    def __enter__(self) -> PostgresConnection:
        forks.enter()
        try:
            connection = self._database.borrow()
            if self._together:
                try:
                    connection.execute("BEGIN")
                except StorageError:
                    if connection.usable:
                        raise
                    connection = self._database.borrow()
                    connection.execute("BEGIN")
        except BaseException as error:
            forks.leave()
            if isinstance(error, EngineError):
                raise translate(error) from error
            raise
        self._connection = connection
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        try:
            if connection.usable and connection.in_transaction:
                connection.execute("ROLLBACK")
            self._database.give_back(connection)
        except EngineError as fault:
            raise translate(fault) from fault
        finally:
            forks.leave()
        if isinstance(error, EngineError):
            raise translate(error) from error
        if isinstance(error, UnicodeDecodeError):
            raise no_text() from error
