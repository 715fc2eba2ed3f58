"""Group commit: whichever thread finds no leader commits what all threads have queued, as one transaction.

Owns the queue, the leader and what becomes of each job. Knows no engine: how a transaction begins and ends is its own.
Jobs of one sort that say how they are done together (`Joint`) are: eight writes then cost little more than one. Where
one of them fails, all are undone and done again one by one. A leader waits a moment for those who wrote with the
group before and are about to come back, at most a quarter of what that group took and never long. Invariants: a write
is acknowledged only after its transaction has ended; a failing job is undone alone and never takes its neighbours with
it.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from palazzo.errors import PalaceBusy
from palazzo.files import forks
from palazzo.store.sql.port import Connection, EngineError, translate, translated

LONGEST_LULL_S: Final = 0.01
"""So long at most a leader waits for others to come back."""
T = TypeVar("T")
C = TypeVar("C", bound=Connection)


class Joint(Generic[C]):
    """A job that others of its sort may be done together with: `run` takes what each is about, and tells of each.
    Whoever waits while somebody leads makes `ready` meanwhile what the leader will need of it."""

    __slots__ = ("about", "ready", "run")

    def __init__(
        self, run: Callable[[C, list[Any]], list[Any]], about: Any, ready: Callable[[], None] | None = None
    ) -> None:
        self.run = run
        self.about = about
        self.ready = ready

    def __call__(self, connection: C) -> Any:
        return self.run(connection, [self.about])[0]


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
        self._turn = threading.Condition(self._queue_lock)
        self._gathered = threading.Condition(self._queue_lock)
        """Whoever leads is told by this when all it waits for have come; the others sleep on."""
        self._led = False
        self._leading = threading.Lock()
        self._writers = 1
        """Who wrote with the last group or waited for its end."""
        self._took_s = 0.0
        self._here = threading.local()

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

    def await_news(self, wait_s: float) -> bool:  # noqa: ARG002 - what an engine that tells of writes goes by
        """False at once: of what other processes write nobody is told here."""
        return False

    @contextmanager
    def under(self, check: Callable[[C], None] | None) -> Iterator[None]:
        """Until the block ends, every write of this thread begins with this look, which may refuse it; None: none."""
        before = getattr(self._here, "check", None)
        self._here.check = check
        try:
            yield
        finally:
            self._here.check = before

    @forks.inside
    def write(self, job: Callable[[C], T]) -> T:
        """Runs `job` in a durable transaction, together with whatever other threads have queued meanwhile.

        Whichever thread finds no leader leads: it commits the whole queue as one transaction, each job in its own
        savepoint. The others wait and find their outcome.

        Raises: whatever the job raises (its part is undone), or a StorageError.
        """
        self._check_writable()
        check = getattr(self._here, "check", None)
        ticket = Ticket(job if check is None else lambda connection: (check(connection), job(connection))[1])
        with self._turn:
            self._queue.append(ticket)
            if len(self._queue) >= self._writers:
                self._gathered.notify()
            waits = self._led
        if waits and isinstance(job, Joint) and job.ready is not None:
            job.ready()
        with self._turn:
            while self._led and not ticket.done:
                self._turn.wait()
            leads = not ticket.done
            self._led |= leads
        if leads:
            try:
                with self._leading:
                    while not ticket.done:
                        self._lead()
            finally:
                with self._turn:
                    self._led = False
                    self._turn.notify_all()
        if ticket.error is not None:
            raise ticket.error
        return ticket.result  # type: ignore[no-any-return]

    def _lead(self) -> None:
        with self._gathered:
            self._gathered.wait_for(lambda: len(self._queue) >= self._writers, min(self._took_s / 4, LONGEST_LULL_S))
            group, self._queue = self._queue[: self.GROUP_LIMIT], self._queue[self.GROUP_LIMIT :]
        began = monotonic()
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
            self._took_s, self._writers = monotonic() - began, len(group) + len(self._queue)

    def _settle(self, connection: C) -> None:
        """Learns what became of statements that an engine has not asked about yet."""

    def _run_all(self, connection: C, group: list[Ticket[C]]) -> None:
        """Runs the jobs of a group; those that may be done together are."""
        joint = [ticket for ticket in group if isinstance(ticket.job, Joint)]
        if len(joint) > 1 and self._run_joint(connection, joint):
            group = [ticket for ticket in group if not isinstance(ticket.job, Joint)]
        alone = len(group) == 1 and not joint[1:]
        for ticket in group:
            self._run(connection, ticket, alone=alone)

    def _run_joint(self, connection: C, group: list[Ticket[C]]) -> bool:
        """Whether it could be done: otherwise nothing of it is there."""
        connection.execute("SAVEPOINT job")
        return self._joined(connection, group, "RELEASE job", ("ROLLBACK TO job", "RELEASE job"))

    def _joined(self, connection: C, group: list[Ticket[C]], keep: str, undo: tuple[str, ...]) -> bool:
        """Whether the jobs of one sort could be done and kept; what cannot be done together is undone, to be tried one
        by one."""
        try:
            results = group[0].job.run(connection, [ticket.job.about for ticket in group])  # type: ignore[attr-defined]
            connection.execute(keep)
        except Exception:
            if not connection.in_transaction:
                raise
            for statement in undo:
                connection.execute(statement)
            return False
        for ticket, result in zip(group, results, strict=True):
            ticket.result = result
        return True

    def _run(self, connection: C, ticket: Ticket[C], *, alone: bool) -> None:
        """A job's own failure is its own; an engine's failure that ended the transaction is everybody's."""
        if not alone:
            connection.execute("SAVEPOINT job")
        try:
            ticket.result = ticket.job(connection)
            if not alone:
                self._settle(connection)
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
