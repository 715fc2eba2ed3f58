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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from palazzo.errors import PalaceBusy, PalazzoError
from palazzo.files import forks
from palazzo.store.sql.port import Connection, EngineError, translate, translated

LONGEST_LULL_S: Final = 0.01
"""So long at most a leader waits for others to come back."""
UNFORESEEN_S: Final = 0.05
REFUSED_S: Final = 1.0
"""So long no group follows another once one could not be made ready, or was refused."""
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
    """One queued write and, once done, its outcome. Whoever waits for it is woken by its `turn`: done, or to lead."""

    __slots__ = ("done", "error", "job", "leads", "result", "turn")

    def __init__(self, job: Callable[[C], Any]) -> None:
        self.job = job
        self.done = self.leads = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.turn = threading.Lock()
        self.turn.acquire()

    def wake(self) -> None:
        """Lets go on who waits for it; a lock that is free already has woken somebody."""
        if self.turn.locked():
            self.turn.release()


class GroupedWrites(ABC, Generic[C]):
    """The writes of one palace in one process. Threads share it."""

    GROUP_LIMIT = 64

    def begin_grouping(self) -> None:
        """With an empty queue; a forked child begins anew."""
        self._queue: list[Ticket[C]] = []
        self._under_way: list[Ticket[C]] = []
        """What has left and is not answered yet, where an engine goes on meanwhile."""
        self._queue_lock = threading.Lock()
        self._gathered = threading.Condition(self._queue_lock)
        """Whoever leads is told by this when all it waits for have come."""
        self._awaited = 1
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
        if self._led and isinstance(job, Joint) and job.ready is not None:
            job.ready()
        with self._queue_lock:
            self._queue.append(ticket)
            ticket.leads, self._led = not self._led, True
            if len(self._queue) >= self._awaited:
                self._gathered.notify()
        try:
            if not ticket.leads:
                ticket.turn.acquire()
            if ticket.leads:
                with self._leading:
                    while not ticket.done:
                        self._lead()
        finally:
            self._leave(ticket)
        if ticket.error is not None:
            raise ticket.error
        return ticket.result  # type: ignore[no-any-return]

    def _leave(self, ticket: Ticket[C]) -> None:
        """Who goes lets the next one lead; one that was stopped while it waited takes what it wanted with it."""
        heir = None
        with self._queue_lock:
            if not ticket.done:
                ticket.done = True
                if ticket in self._queue:
                    self._queue.remove(ticket)
            if ticket.leads:
                heir = next((one for one in (*self._under_way, *self._queue) if not one.done), None)
                self._led = heir is not None
            if heir is not None:
                heir.leads = True
                heir.wake()

    def _lead(self) -> None:
        self._write(self._next_group(self._took_s / 4))

    def _write(self, group: list[Ticket[C]]) -> None:
        began = monotonic()
        try:
            self._commit(group)
        except BaseException as error:
            self._failed(group, error)
            if not isinstance(error, EngineError):
                raise
        finally:
            if self._under_way is not group:
                self._took_s = monotonic() - began
                self._end(group)

    def _next_group(self, lull_s: float, *, parts: int = 1) -> list[Ticket[C]]:
        """The next group, once all who wrote lately have come or it is time; of so many parts that take turns one."""
        with self._gathered:
            self._awaited = self._writers - len(self._under_way)
            self._gathered.wait_for(lambda: len(self._queue) >= self._awaited, min(lull_s, LONGEST_LULL_S))
            all_of_them = max(self._writers, len(self._queue) + len(self._under_way))
            most = min(self.GROUP_LIMIT, -(-all_of_them // parts))
            group, self._queue = self._queue[:most], self._queue[most:]
        return group

    def _failed(self, group: list[Ticket[C]], error: BaseException) -> None:
        for ticket in group:
            ticket.error = ticket.error or (translate(error) if isinstance(error, EngineError) else error)

    def _end(self, group: list[Ticket[C]]) -> None:
        """What became of a group is known."""
        with self._queue_lock:
            self._writers = len(group) + len(self._queue) + len(self._under_way)
        for ticket in group:
            ticket.done = True
            ticket.wake()

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
        keep = partial(connection.execute, "RELEASE job")
        return self._joined(connection, group, keep, ("ROLLBACK TO job", "RELEASE job"))

    def _joined(self, connection: C, group: list[Ticket[C]], keep: Callable[[], object], undo: tuple[str, ...]) -> bool:
        """Whether the jobs of one sort could be done and kept; what cannot be done together is undone, to be tried one
        by one."""
        try:
            results = group[0].job.run(connection, [ticket.job.about for ticket in group])  # type: ignore[attr-defined]
            keep()
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


class FollowingWrites(GroupedWrites[C]):
    """Of an engine that goes on by itself: while it writes one group, the next one is made ready here, and leaves as
    soon as that has arrived, before those are told who waited for it. The writers take turns, one half at a time. What
    cannot be made ready because something has to be asked, and what was refused, is written as ever."""

    def begin_grouping(self) -> None:
        super().begin_grouping()
        self._left_s = self._apart_until_s = 0.0
        """When the group under way left, and until when none follows another."""

    @property
    @abstractmethod
    def _overlaps(self) -> bool:
        """Whether groups may follow one another now: `_commit` may leave one under way."""

    @abstractmethod
    def _goes_on(self) -> bool:
        """Whether another group may follow the one under way."""

    @abstractmethod
    def _made_ready(self, run: Callable[[C], T]) -> tuple[T, Any]:
        """What a job gives, and what it writes behind the group under way.

        Raises: Unforeseen; whatever the job raises.
        """

    @abstractmethod
    def _arrive(self) -> None:
        """Waits for the group under way."""

    @property
    @abstractmethod
    def _refused(self) -> bool:
        """Whether nothing is there of a group that did not arrive; else nobody knows."""

    @abstractmethod
    def _depart(self, ready: Any) -> None:
        """Lets what was made ready leave."""

    @abstractmethod
    def _let_go(self) -> None:
        """Nothing is under way any more."""

    def _left(self, group: list[Ticket[C]]) -> None:
        self._under_way, self._left_s = group, monotonic()

    def _lead(self) -> None:
        if not self._under_way:
            self._write(self._next_group(self._took_s / 4, parts=2 if self._overlaps else 1))
            return
        following, ready = self._next_group(self._took_s, parts=2) if self._goes_on() else [], None
        try:
            ready = self._foreseen(following)
        finally:
            self._land(following, ready)

    def _foreseen(self, group: list[Ticket[C]]) -> Any:
        """What a group writes behind the one under way; None where that cannot be said yet."""
        abouts = [ticket.job.about for ticket in group if isinstance(ticket.job, Joint)]
        if not abouts or len(abouts) < len(group):
            return None
        run = group[0].job.run  # type: ignore[attr-defined]
        try:
            results, ready = self._made_ready(lambda connection: run(connection, abouts))
        except Exception:  # noqa: BLE001 - the job runner: whatever it is comes again, to its own caller
            self._apart_until_s = monotonic() + UNFORESEEN_S
            return None
        for ticket, result in zip(group, results, strict=True):
            ticket.result = result
        return ready

    def _land(self, following: Sequence[Ticket[C]] = (), ready: Any = None) -> None:
        """Waits for the group under way. Who follows leaves then; who cannot is queued again, and what was refused."""
        landed, self._under_way, refused = self._under_way, [], False
        try:
            self._arrive()
        except BaseException as error:
            refused, ready = self._refused, None
            if refused:
                self._apart_until_s = monotonic() + REFUSED_S
            else:
                self._failed(landed, error)
            if not isinstance(error, EngineError | PalazzoError):
                raise
        finally:
            self._took_s = monotonic() - self._left_s
            if ready is None:
                with self._queue_lock:
                    self._queue[:0] = [*(landed if refused else ()), *following]
            else:
                self._follow(list(following), ready)
            if not refused:
                self._end(landed)
            if not self._under_way:
                self._let_go()

    def _follow(self, group: list[Ticket[C]], ready: Any) -> None:
        try:
            self._depart(ready)
            self._left(group)
        except BaseException as error:
            self._failed(group, error)
            self._end(group)
            if not isinstance(error, EngineError | PalazzoError):
                raise
