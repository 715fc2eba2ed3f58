"""What belongs to the palace rather than to a memory, on SQLite: each noun opens its own moment or transaction.

Owns the joint between the contract (store.api) and the modules of this engine, and the requests that are run once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, TypeVar
from uuid import UUID

import apsw

from palazzo.errors import Conflict, KeyReused, StorageError
from palazzo.files.forks import FileLock
from palazzo.model.capability import View
from palazzo.model.message import Intake
from palazzo.store.api import (
    AuditLine,
    Damaged,
    Erasing,
    Fading,
    Finding,
    GuardRules,
    JobHold,
    JobRow,
    JobState,
    KeyedRequest,
    Progress,
    QueueStep,
    Reading,
    Space,
    Steps,
)  # fmt: skip
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite import backup, care, journal, slips
from palazzo.store.sqlite.belief import reviews
from palazzo.store.sqlite.erase import erasure, leftovers
from palazzo.store.sqlite.guard import audit, guarding
from palazzo.store.sqlite.memory import intakes, lifecycle, records, search
from palazzo.store.sqlite.seal.sealing import opened, sealed
from palazzo.store.sqlite.tables import SqliteTables

ERASURE_LOCK: Final = "erasure.lock"
RUNNING_US: Final = 60_000_000
KEPT_US: Final = 86_400_000_000
SWEPT: Final = 100
P = ParamSpec("P")
R = TypeVar("R")

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore


class _Keeping:
    """Part of a palace."""

    __slots__ = ("_store",)

    def __init__(self, store: SqliteStore) -> None:
        self._store = store


class InOneRead(Generic[P, R]):
    """A method of a noun of the palace: the function that asks the tables, in a read of its own."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[Concatenate[apsw.Connection, P], R]) -> None:
        self.function = function

    def __get__(self, noun: _Keeping, _owner: type) -> Callable[P, R]:
        def ask(*args: P.args, **named: P.kwargs) -> R:
            with noun._store.database.read() as connection:
                return self.function(connection, *args, **named)

        return ask


class SqliteGuarding(_Keeping):
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
    vault_places = InOneRead(guarding.vault_places)
    plan = InOneRead(guarding.plan)
    plans = InOneRead(guarding.plans)
    packet = InOneRead(guarding.packet)
    packets = InOneRead(guarding.packets)
    token_with = InOneRead(guarding.token_with)
    tokens = InOneRead(guarding.tokens)


class SqliteAuditChain(_Keeping):
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


class SqliteKeyedRequests(_Keeping):
    """Requests that carry a key of their own: claimed before they run, answered once, replayed when they come again.

    Owns the table idempotency. Invariants: one request of a subject and key runs at a time; an answer is replayed only
    to the request it was given to; a claim whose process died runs out by itself.
    """

    def claim(self, request: KeyedRequest, now_us: int) -> str | None:
        def job(connection: apsw.Connection) -> str | None:
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


class SqliteSlips(_Keeping):
    """What is kept about the work itself."""

    get = InOneRead(slips.get)
    newest = InOneRead(slips.newest)


class SqliteJournal(_Keeping):
    """The journal below all views."""

    last_seq = InOneRead(journal.last_seq)
    cursor = InOneRead(journal.cursor)
    tail = InOneRead(journal.tail)

    def move_cursor(self, name: str, seq: int, now_us: int) -> None:
        self._store.database.write(lambda connection: journal.move_cursor(connection, name, seq, now_us))


class SqliteAuditQueue(_Keeping):
    """Memories that wait to be looked at again."""

    due = InOneRead(reviews.audits_due)

    def take(self, step: QueueStep, turn: Callable[[str, int, int], int]) -> int:
        return reviews.take_audits(self._store.database, step, turn)


def _jobs(connection: apsw.Connection) -> tuple[JobRow, ...]:
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


class SqliteJobs(_Keeping):
    """Background work and what came of it.

    Owns the table job. Invariants: a job has one holder at a time; only its holder changes how far it is and how it
    ended; a report holds counts and words of our own, never content.
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

    def go_on(self, hold: JobHold, step: str, done: int, total: int) -> bool:
        return self._changed(
            """UPDATE job SET until_us = ?, step = ?, done = ?, total = ?
               WHERE name = ? AND holder = ? AND state = 'running' AND NOT cancelled""",
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
        def job(connection: apsw.Connection) -> bool:
            connection.execute(statement, values)
            return connection.changes() > 0

        return self._store.database.write(job)


class SqliteLives(_Keeping):
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
    tally = InOneRead(lifecycle.tally)
    count_due = InOneRead(lifecycle.count_due)


class SqliteVectorSpaces(_Keeping):
    """Named spaces of vectors."""

    def every(self) -> tuple[Space, ...]:
        with self._store.database.glance() as connection:
            return tuple(vectors.spaces(SqliteTables(connection)))

    def missing(self, name: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        with self._store.database.read() as connection:
            space = vectors.space_named(SqliteTables(connection), name)
            return search.missing_vectors(connection, space, limit, after) if space else []

    def count_missing(self, name: str) -> int:
        with self._store.database.read() as connection:
            space = vectors.space_named(SqliteTables(connection), name)
            return search.count_missing_vectors(connection, space) if space else 0


class SqliteAccounts(_Keeping):
    """Messages that were taken in."""

    def repeated(self, digests: Sequence[bytes], since_us: int, *, unchanged: bool = False) -> dict[bytes, Intake]:
        with self._store.database.glance() as connection:
            return intakes.repeated(connection, digests, since_us, unchanged=unchanged)

    taken_in = InOneRead(intakes.taken_in)


class SqliteCare(_Keeping):
    """Looking after the file."""

    def verify(self, progress: Steps | None = None) -> list[str]:
        return care.verify(self._store, progress)

    def doctor(self) -> list[Finding]:
        return care.doctor(self._store)

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

    def backup(self, target: Path, progress: Progress | None = None, before: Callable[[], None] | None = None) -> None:
        backup.backup(self._store.database, target, progress, before)

    def copies(self) -> tuple[str, ...]:
        return backup.copies(self._store.folder)

    def drop_copies(self, names: Sequence[str]) -> None:
        backup.drop(self._store.folder, names)

    def copied(self, path: Path) -> AbstractContextManager[Reading]:
        return backup.palace_copy(path)


class SqliteErasures(_Keeping):
    """Erasures on record, and what the file still holds of them."""

    @contextmanager
    def alone(self, *, wait: bool = True) -> Iterator[bool]:
        lock = FileLock(self._store.folder / ERASURE_LOCK)
        try:
            with lock.held() if wait else lock.tried() as alone:
                yield wait or bool(alone)
        except OSError as error:
            raise StorageError(f"the palace cannot be locked for an erasure: {error.strerror}") from error

    def record(self, intent: Erasing, view: View, chosen: Callable[[Reading], Iterable[UUID]]) -> None:
        leftovers.record(self._store, intent, view, chosen)

    unfinished = InOneRead(erasure.unfinished)
    owed = InOneRead(erasure.owed)
    taken = InOneRead(erasure.taken)

    def waiting(self, number: int, limit: int) -> tuple[tuple[UUID, ...], list[bytes]]:
        with self._store.database.read() as connection:
            batch = erasure.waiting(connection, number, limit)
            return batch, leftovers.pieces_of(connection, batch)

    stretches = InOneRead(erasure.stretches)

    def settle(self, nodes: Iterable[UUID]) -> None:
        self._store.database.write(lambda connection: erasure.settle(connection, nodes))

    def end(self, number: int) -> None:
        leftovers.mark(self._store, lambda connection: erasure.end(connection, number))

    def forget_names(self, intent: Erasing) -> dict[str, int]:
        return leftovers.forget_names(self._store, intent)

    def wipe(self) -> dict[str, int]:
        return leftovers.wipe(self._store)

    def remains(self, intent: Erasing, mentioned: int) -> tuple[str, ...]:
        return leftovers.remains(self._store, intent, mentioned)

    def erase_from_backups(self, memories: tuple[UUID, ...], intent: Erasing) -> tuple[tuple[str, str], ...]:
        return leftovers.erase_from_backups(self._store, memories, intent)

    def empty_log(self) -> bool:
        return leftovers.empty_log(self._store)

    def traces(self, pieces: Sequence[bytes]) -> tuple[int, tuple[str, ...]]:
        """When a trace is found the file is written anew and searched again."""
        looked = leftovers.chosen_pieces(self._store.folder, pieces)
        left = self._traces(looked)
        if left:
            self._store.database.compact()
            self.empty_log()
            left = self._traces(looked)
        return len(looked), left

    def _traces(self, pieces: list[bytes]) -> tuple[str, ...]:
        folder = self._store.folder
        found = leftovers.search_pieces(folder, pieces)
        with self._store.database.read() as connection:
            lost = {piece for _, piece in found if not leftovers.piece_said(connection, piece)}
        return tuple(sorted({str(path.relative_to(folder)) for path, piece in found if piece in lost}))
