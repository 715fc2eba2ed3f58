"""What belongs to the palace rather than to a memory, on SQLite: each noun opens its own moment or transaction.

Owns the joint between the contract (store.api) and the modules of this engine, and the requests that are run once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, TypeVar, cast
from uuid import UUID

from palazzo.errors import Conflict, KeyReused
from palazzo.model.capability import View
from palazzo.model.message import Intake
from palazzo.store.api import (
    AuditLine,
    Damaged,
    Erasing,
    Fading,
    GuardRules,
    JobHold,
    JobRow,
    JobState,
    KeyedRequest,
    QueueStep,
    Reading,
    Space,
    Steps,
)  # fmt: skip
from palazzo.store.index.vector import vectors
from palazzo.store.sql import care, journal, raw_events, slips
from palazzo.store.sql.belief import reviews
from palazzo.store.sql.erase import erasure, leftovers
from palazzo.store.sql.guard import audit, guarding
from palazzo.store.sql.memory import intakes, lifecycle, records, search
from palazzo.store.sql.port import Connection
from palazzo.store.sql.seal.sealing import opened, sealed
from palazzo.store.sql.tables import SqlTables

RUNNING_US: Final = 60_000_000
KEPT_US: Final = 86_400_000_000
SWEPT: Final = 100
P = ParamSpec("P")
R = TypeVar("R")

if TYPE_CHECKING:
    from palazzo.store.sql.reading import SqlReading
    from palazzo.store.sql.store import SqlStore


class PalaceNoun:
    """Part of a palace."""

    __slots__ = ("_store",)

    def __init__(self, store: SqlStore) -> None:
        self._store = store


class InOneRead(Generic[P, R]):
    """A method of a noun of the palace: the function that asks the tables, in a read of its own."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[Concatenate[Connection, P], R]) -> None:
        self.function = function

    def __get__(self, noun: PalaceNoun, _owner: type) -> Callable[P, R]:
        def ask(*args: P.args, **named: P.kwargs) -> R:
            with noun._store.database.read() as connection:
                return self.function(connection, *args, **named)

        return ask


class SqlGuarding(PalaceNoun):
    """Who may do what."""

    def version(self) -> int:
        with self._store.database.glance() as connection:
            return guarding.version(connection)

    def rules(self, subject: str) -> GuardRules:
        with self._store.database.read() as connection:
            return GuardRules(
                guarding.version(connection), guarding.policies(connection), guarding.vault_places(connection),
                guarding.grants_standing(connection, subject),
            )  # fmt: skip

    grants_of = InOneRead(guarding.grants_of)
    subjects = InOneRead(guarding.subjects)
    lock_of = InOneRead(guarding.lock_of)
    policies = InOneRead(guarding.policies)
    plan = InOneRead(guarding.plan)
    plans = InOneRead(guarding.plans)
    packet = InOneRead(guarding.packet)
    packets = InOneRead(guarding.packets)
    token_with = InOneRead(guarding.token_with)
    tokens = InOneRead(guarding.tokens)


class SqlAuditChain(PalaceNoun):
    """The hash-chained audit."""

    def append(self, lines: Sequence[AuditLine]) -> None:
        self._store.database.write(lambda connection: audit.append(connection, *lines))

    key = InOneRead(audit.key)

    def make_key(self) -> bytes:
        return self._store.database.write(audit.make_key)

    lines = InOneRead(audit.lines)
    verify = InOneRead(audit.verify)
    head = InOneRead(audit.head)
    hash_of = InOneRead(audit.hash_of)
    renewals = InOneRead(audit.renewals)
    anchor_seed = InOneRead(audit.anchor_seed)

    def make_anchor_seed(self) -> bytes:
        return self._store.database.write(audit.make_anchor_seed)


class SqlKeyedRequests(PalaceNoun):
    """Requests that carry a key of their own: claimed before they run, answered once, replayed when they come again.

    Owns the table idempotency. Invariants: one request of a subject and key runs at a time; an answer is replayed only
    to the request it was given to; a claim whose process died runs out by itself.
    """

    def claim(self, request: KeyedRequest, now_us: int) -> str | None:
        def job(connection: Connection) -> str | None:
            # What has run out goes, a bounded number at a time: every claim adds one row at most.
            connection.execute(
                """DELETE FROM idempotency WHERE (subject, key) IN (
                       SELECT subject, key FROM idempotency WHERE until_us <= ? LIMIT ?)""",
                (now_us, SWEPT),
            )
            row = connection.execute(
                f"SELECT digest, {opened('result')} FROM idempotency WHERE subject = ? AND key = ?",
                (request.subject, request.key),
            ).fetchone()
            if row is None:
                connection.execute(
                    "INSERT INTO idempotency VALUES (?,?,?,?,NULL)",
                    (request.subject, request.key, request.digest, now_us + RUNNING_US),
                )
                return None
            known, result = row
            if known != request.digest:
                raise KeyReused("this idempotency key was used for another request")
            if result is None:
                raise Conflict("a request with this idempotency key is still running", hint="wait, then send it again")
            return str(result)

        return self._store.database.write(job)

    def answer(self, request: KeyedRequest, result: str, now_us: int) -> None:
        """Keeps the answer for a day; in a palace with a key it is sealed, for it may quote."""
        kept = (sealed(self._store.cipher, result, 0), now_us + KEPT_US, request.subject, request.key)
        self._execute("UPDATE idempotency SET result = ?, until_us = ? WHERE subject = ? AND key = ?", kept)

    def release(self, request: KeyedRequest) -> None:
        self._execute(
            "DELETE FROM idempotency WHERE subject = ? AND key = ? AND result IS NULL", (request.subject, request.key)
        )

    def _execute(self, statement: str, values: tuple[Any, ...]) -> None:
        self._store.database.write(lambda connection: connection.execute(statement, values))


class SqlSlips(PalaceNoun):
    """What is kept about the work itself."""

    get = InOneRead(slips.get)
    newest = InOneRead(slips.newest)


class SqlRawEvents(PalaceNoun):
    """What was done on the machine, for the palace's own passes."""

    after = InOneRead(raw_events.after)
    tally = InOneRead(raw_events.tally)

    def kept(self) -> bool:
        with self._store.database.glance() as connection:
            return raw_events.kept(connection)


class SqlJournal(PalaceNoun):
    """The journal below all views."""

    last_seq = InOneRead(journal.last_seq)
    cursor = InOneRead(journal.cursor)
    tail = InOneRead(journal.tail)

    def await_news(self, wait_s: float) -> bool:
        return self._store.database.await_news(wait_s)

    def move_cursor(self, name: str, seq: int, now_us: int) -> None:
        self._store.database.write(lambda connection: journal.move_cursor(connection, name, seq, now_us))


class SqlAuditQueue(PalaceNoun):
    """Memories that wait to be looked at again."""

    due = InOneRead(reviews.audits_due)

    def take(self, step: QueueStep, turn: Callable[[str, int, int], int]) -> int:
        return reviews.take_audits(self._store.database, step, turn)


def _jobs(connection: Connection) -> tuple[JobRow, ...]:
    rows: Any = connection.execute(
        """SELECT name, state, subject, began_us, until_us, ended_us, step, done, total, cancelled, report
           FROM job ORDER BY name"""
    )
    return tuple(
        JobRow(
            name=name, state=state, subject=subject, began_us=began, until_us=until, ended_us=ended, step=step,
            done=done, total=total, cancelled=bool(cancelled), report=report,
        )
        for name, state, subject, began, until, ended, step, done, total, cancelled, report in rows
    )  # fmt: skip


class SqlJobs(PalaceNoun):
    """Background work and what came of it.

    Owns the table job. Invariants: a job has one holder at a time; only its holder changes how far it is and how it
    ended; what a holder writes is looked at in the transaction of the write itself, so one that stalled past its time
    changes nothing; a report holds counts and words of our own, never content.
    """

    every = InOneRead(_jobs)

    def begin(self, hold: JobHold, subject: str, at_us: int) -> bool:
        return self._changed(
            """INSERT INTO job VALUES (?1, 'running', ?2, ?3, ?4, ?5, NULL, '', 0, 0, 0, '')
               ON CONFLICT (name) DO UPDATE SET state = 'running', holder = ?2, subject = ?3, began_us = ?4,
                   until_us = ?5, step = '', done = 0, total = 0, cancelled = 0
               WHERE job.state <> 'running' OR job.until_us < ?6""",
            (hold.name, hold.holder, subject, at_us, hold.until_us, hold.now_us),
        )

    @contextmanager
    def held(self, hold: JobHold) -> Iterator[None]:
        def check(connection: Connection) -> None:
            found = connection.execute(
                "SELECT 1 FROM job WHERE name = ? AND holder = ? AND state = 'running'", (hold.name, hold.holder)
            ).fetchone()
            if found is None:
                raise Conflict(
                    f"{hold.name} took longer than its time and another process has it now: nothing more is written",
                    hint="it goes on where this one stopped; there is nothing to do",
                )

        with self._store.database.under(check):
            yield

    def go_on(self, hold: JobHold, step: str, done: int, total: int) -> bool:
        return self._changed(
            """UPDATE job SET until_us = ?, step = ?, done = ?, total = ?
               WHERE name = ? AND holder = ? AND state = 'running' AND cancelled = 0""",
            (hold.until_us, step, done, total, hold.name, hold.holder),
        )

    def end(self, hold: JobHold, state: JobState, report: str, at_us: int) -> None:
        self._changed(
            "UPDATE job SET state = ?, report = ?, ended_us = ? WHERE name = ? AND holder = ? AND state = 'running'",
            (state, report, at_us, hold.name, hold.holder),
        )

    def cancel(self, name: str, now_us: int) -> bool:
        return self._changed(
            "UPDATE job SET cancelled = 1 WHERE name = ? AND state = 'running' AND until_us >= ?", (name, now_us)
        )

    def _changed(self, statement: str, values: tuple[Any, ...]) -> bool:
        def job(connection: Connection) -> bool:
            connection.execute(statement, values)
            return connection.changes() > 0

        with self._store.database.under(None):  # who has a job is asked by each of these itself
            return self._store.database.write(job)


class SqlLives(PalaceNoun):
    """How memories fade."""

    def due(self, now_us: int, forgotten_us: int, limit: int) -> tuple[Fading, ...]:
        with self._store.database.read() as connection:
            return lifecycle.due(connection, self._store.kinds, now_us, forgotten_us, limit)

    def fading(self, memory_id: UUID) -> Fading | None:
        with self._store.database.read() as connection:
            return lifecycle.fading(connection, self._store.kinds, memory_id)

    moved_by = InOneRead(journal.moved_by)
    first_us = InOneRead(journal.first_us)
    last_us = InOneRead(journal.last_us)

    def tally(self) -> tuple[tuple[str, str, int], ...]:
        with self._store.reading(View()) as reading:
            known = self._store.columns.tally(cast("SqlReading", reading))
        if known is not None:
            return known
        with self._store.database.read() as connection:
            seq = journal.last_seq(connection)
            return self._store.tallies.of("lives", seq, lambda: lifecycle.tally(connection))

    count_due = InOneRead(lifecycle.count_due)


class SqlVectorSpaces(PalaceNoun):
    """Named spaces of vectors."""

    def every(self) -> tuple[Space, ...]:
        with self._store.database.glance() as connection:
            return tuple(vectors.spaces(SqlTables(connection)))

    def missing(self, name: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        with self._store.database.read() as connection:
            space = vectors.space_named(SqlTables(connection), name)
            return search.missing_vectors(connection, space, limit, after) if space else []

    def count_missing(self, name: str) -> int:
        with self._store.database.read() as connection:
            space = vectors.space_named(SqlTables(connection), name)
            return search.count_missing_vectors(connection, space) if space else 0


class SqlCare(PalaceNoun):
    """Looking after a palace: what every engine answers alike."""

    __slots__ = ()

    def rebuild(self, progress: Steps | None = None) -> None:
        care.rebuild(self._store, progress)

    def upkeep(self) -> int:
        return self._store.upkeep.run()

    def set_aside(self) -> bool:
        return self._store.set_aside()

    def damaged(self) -> tuple[Damaged, ...]:
        return self._store.database.aside.damaged

    def when_set_aside(self, act: Callable[[], None]) -> None:
        self._store.database.aside.then.append(act)

    def overview(self) -> dict[str, Any]:
        return search.overview(self._store)

    def totals(self) -> dict[str, int]:
        return records.totals(self._store.database)


class SqlErasures(PalaceNoun):
    """Erasures on record: what every engine answers alike."""

    __slots__ = ()

    def record(self, intent: Erasing, view: View, chosen: Callable[[Reading], Iterable[UUID]]) -> None:
        leftovers.record(self._store, intent, view, chosen)

    unfinished = InOneRead(erasure.unfinished)
    owed = InOneRead(erasure.owed)
    taken = InOneRead(erasure.taken)
    stretches = InOneRead(erasure.stretches)

    def settle(self, nodes: Iterable[UUID]) -> None:
        self._store.database.write(lambda connection: erasure.settle(connection, nodes))

    def forget_names(self, intent: Erasing) -> dict[str, int]:
        return leftovers.forget_names(self._store, intent)

    def wipe(self) -> dict[str, int]:
        return leftovers.wipe(self._store)

    def remains(self, intent: Erasing, mentioned: int) -> tuple[str, ...]:
        return leftovers.remains(self._store, intent, mentioned)


class SqlAccounts(PalaceNoun):
    """Messages that were taken in."""

    def repeated(self, digests: Sequence[bytes], since_us: int, *, unchanged: bool = False) -> dict[bytes, Intake]:
        with self._store.database.glance() as connection:
            return intakes.repeated(connection, digests, since_us, unchanged=unchanged)

    taken_in = InOneRead(intakes.taken_in)
    backlog = InOneRead(intakes.backlog)
    waiting = InOneRead(intakes.waiting)
