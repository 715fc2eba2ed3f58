"""Group commit: whichever thread finds no leader commits what all threads have queued, as one transaction.

Owns the queue, the leader and what becomes of each job. Knows no engine: how a transaction begins and ends is its own.
Invariants: a write is acknowledged only after its transaction has ended; a failing job is undone alone and never takes
its neighbours with it.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from palazzo.errors import PalaceBusy
from palazzo.files import forks
from palazzo.store.sql.port import Connection, EngineError, translate, translated

T = TypeVar("T")
C = TypeVar("C", bound=Connection)


class Ticket(Generic[C]):
    """One queued write and, once done, its outcome."""

    __slots__ = ("done", "error", "job", "result")

    def __init__(self, job: Callable[[C], Any]) -> None:
        self.job = job
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None


class GroupedWrites(ABC, Generic[C]):
    """The writes of one palace in one process. Threads share it."""

    GROUP_LIMIT = 64

    def begin_grouping(self) -> None:
        """With an empty queue; a forked child begins anew."""
        self._queue: list[Ticket[C]] = []
        self._queue_lock = threading.Lock()
        self._leading = threading.Lock()

    @abstractmethod
    def _check_writable(self) -> None:
        """Raises: ReadOnlyPalace, StorageError."""

    @abstractmethod
    def _commit(self, group: list[Ticket[C]]) -> None:
        """Runs the jobs in one transaction and ends it."""

    @abstractmethod
    def _waiting_no_longer(self, wait_s: float, commit: Callable[[], None]) -> None:
        """Commits, waiting no longer than this for other processes."""

    @forks.inside
    def write_within(self, wait_s: float, job: Callable[[C], None]) -> None:
        """Runs `job` like `write`, but waits no longer than about this for threads and processes that write already.

        Raises: whatever the job raises, or a StorageError; PalaceBusy when somebody wrote for longer.
        """
        self._check_writable()
        if not self._leading.acquire(timeout=wait_s):
            raise PalaceBusy("another thread is writing")
        try:
            ticket = Ticket(job)
            with translated():
                self._waiting_no_longer(wait_s, lambda: self._commit([ticket]))
        finally:
            self._leading.release()
        if ticket.error is not None:
            raise ticket.error

    @forks.inside
    def write(self, job: Callable[[C], T]) -> T:
        """Runs `job` in a durable transaction, together with whatever other threads have queued meanwhile.

        Whichever thread finds no leader leads: it commits the whole queue as one transaction, each job in its own
        savepoint. The others wait and find their outcome.

        Raises: whatever the job raises (its part is undone), or a StorageError.
        """
        self._check_writable()
        ticket = Ticket(job)
        with self._queue_lock:
            self._queue.append(ticket)
        with self._leading:
            if not ticket.done:
                self._lead()
        if ticket.error is not None:
            raise ticket.error
        return ticket.result  # type: ignore[no-any-return]

    def _lead(self) -> None:
        with self._queue_lock:
            group, self._queue = self._queue[: self.GROUP_LIMIT], self._queue[self.GROUP_LIMIT :]
        try:
            self._commit(group)
        except EngineError as error:
            for ticket in group:
                ticket.error = ticket.error or translate(error)
        except BaseException as error:
            for ticket in group:
                ticket.error = ticket.error or error
            raise
        finally:
            for ticket in group:
                ticket.done = True

    @staticmethod
    def _run(connection: C, ticket: Ticket[C], *, alone: bool) -> None:
        """A job's own failure is its own; an engine's failure that ended the transaction is everybody's."""
        if not alone:
            connection.execute("SAVEPOINT job")
        try:
            ticket.result = ticket.job(connection)
        except EngineError as error:
            if not connection.in_transaction:
                raise
            ticket.error = translate(error)
        except Exception as error:  # noqa: BLE001 - the job runner: recorded here, raised to the job's own caller
            ticket.error = error
        if not alone:
            if ticket.error is not None:
                connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
