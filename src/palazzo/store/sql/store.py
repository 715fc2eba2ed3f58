"""What the stores of both engines are: commits batches of changes, opens readings, keeps its derived indexes in step.

Composes the modules of this room; an engine adds how a palace is made, opened and looked after. Callers above know the
contract, and the functions here take a SqlReading. Invariants: a commit is one transaction; there is no reading
without a View.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Self
from uuid import UUID

from msgspec.structs import replace

from palazzo.errors import CorruptPalace, PalazzoError, WrongKey
from palazzo.model.capability import View
from palazzo.model.change import Change, Receipt
from palazzo.model.kinds import Kind, KindTable
from palazzo.model.raw_event import RawEventChange
from palazzo.ports import Clock, FieldCipher
from palazzo.store.api import CommitLog, Look, Presence, Reading, Use
from palazzo.store.index.text.index import TextCache
from palazzo.store.index.vector.vectors import VectorCache
from palazzo.store.sql import indexes, migrations, rows
from palazzo.store.sql.apply import Batch, apply
from palazzo.store.sql.carrying import SqlCarried
from palazzo.store.sql.grouped import Joint
from palazzo.store.sql.hot.columns import Columns
from palazzo.store.sql.keeping import (
    SqlAccounts,
    SqlAuditChain,
    SqlAuditQueue,
    SqlGuarding,
    SqlJobs,
    SqlJournal,
    SqlKeyedRequests,
    SqlLives,
    SqlRawEvents,
    SqlSlips,
    SqlVectorSpaces,
)  # fmt: skip
from palazzo.store.sql.memory import lifecycle
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sql.port import Connection, PalaceDatabase, StoreOptions, one, translated
from palazzo.store.sql.reading import NounOf, Tallies
from palazzo.store.sql.seal import resealing
from palazzo.store.sql.upkeep import Upkeep
from palazzo.text.safety import gate
from palazzo.text.words.remembered import kept_in


class SqlStore:
    """One palace, open. Threads share it; processes each open their own."""

    database: PalaceDatabase

    def __init__(self, folder: Path, clock: Clock, options: StoreOptions) -> None:
        self.folder = folder
        self.clock = clock
        self.options = options
        self.text_cache = TextCache(options.text_cache_mb << 20)
        self.vector_cache = VectorCache(options.vector_cache_mb << 20)
        kept_in(self.text_cache, self)
        kept_in(self.vector_cache, self)
        self.columns = Columns()
        kept_in(self.columns, self)
        self.tallies = Tallies()
        kept_in(self.tallies, self)
        self._here = threading.local()
        self.log: CommitLog | None = None
        """Where every commit is written down beside the palace."""
        self._kinds = KindTable({name: options.kinds.get(name) for name in options.kinds.names}, self._own_kinds)
        self._reading_now: set[object] = set()
        self.upkeep = Upkeep(self.database, self._read_ahead, enabled=options.upkeep and not options.file.read_only)

    def recognise(self) -> None:
        """Raises: CorruptPalace, WrongKey when the palace has sealed fields and the cipher is not theirs."""
        with self.database.read() as connection:
            if not migrations.applied(connection):
                raise CorruptPalace(f"{self.label} is empty")
            known = resealing.check(connection)
        if known is not None and (self.cipher is None or resealing.mark_of(self.cipher) != known):
            raise WrongKey("the palace has sealed texts and this key does not open them")

    @property
    def label(self) -> str:
        return str(self.folder)

    @property
    def id(self) -> UUID:
        with self.database.read() as connection:
            return UUID(one(connection, "SELECT value FROM palace WHERE key = 'id'")[0])

    @property
    def cipher(self) -> FieldCipher | None:
        return self.options.file.fields

    def commit(self, changes: Sequence[Change], *, subject: str = "operator") -> Receipt:
        """Applies changes, as the gate lets them pass, in one durable transaction with their events and audit line.

        Raises: Refused, Conflict, NotFound, InvalidInput, StorageError; then nothing of the batch is there.
        """
        now_us = self.clock.now_us()
        kinds = self._kinds
        gated = gate.passed(changes, keyed=self.cipher is not None, required=self.options.require_sealing)
        lasting = any(not isinstance(change, RawEventChange) for change in gated.changes)  # the rest is kept for days
        noted = self.log.begin(gated.changes, subject, now_us) if self.log is not None and lasting else None
        try:
            batch = Batch(gated, now_us, subject, kinds, self.cipher)
            receipt: Receipt = self.database.write(
                Joint(apply, batch, batch.read) if batch.joins else lambda connection: apply(connection, [batch])[0]
            )
        except PalazzoError:
            if noted is not None:
                noted.failed()
            raise
        self._here.commits = self.commits + 1
        if noted is not None and (trouble := noted.made()):
            receipt = replace(receipt, notes=(*receipt.notes, *trouble))
        self.upkeep.note(len(changes))
        return receipt

    @property
    def commits(self) -> int:
        return getattr(self._here, "commits", 0)

    def fence(self, connection: Connection, view: View, scopes: Sequence[int]) -> None:
        """Tells the engine what the readings of a moment may see; one that has a second fence puts it up."""

    def unfenced(self, _connection: Connection) -> AbstractContextManager[None]:
        """Lifts a second fence for what is kept of the palace as a whole, whose own look is behind the first."""
        return nullcontext()

    @contextmanager
    def reading(self, view: View) -> Iterator[Reading]:
        mine = object()
        self._reading_now.add(mine)
        try:
            with self.database.read() as connection:
                yield PalaceReading.begin(connection, view, self.cipher, self)
        finally:
            self._reading_now.discard(mine)

    def _read_ahead(self) -> bool:
        """Reads a step of the columns, unless somebody reads; whether there is more to read."""
        if self._reading_now:
            return True
        with self.reading(View()) as reading:
            return reading.search.prepare()

    def set_aside(self) -> bool:
        """Looks for damaged rows and indexes and sets them aside; True when there are some that were not before."""
        return self.database.aside.due() and self.look_for_damage()

    def look_for_damage(self) -> bool:
        """Sets aside what is damaged now, and nothing else; True when there is more of it than was known."""
        connection = self.database.connect()
        try:
            with translated():
                found = rows.damage(connection, self.cipher, self.options.kinds.names)
                found += indexes.damaged(connection)
        finally:
            connection.close()
        for kept in (
            self.text_cache,
            self.vector_cache,
            self.columns,
        ):  # they may hold what was read of a damaged index
            kept.forget()
        return self.database.aside.learn(found)

    def keep_mind(self, view: View, held: Sequence[Presence], at_us: int, forgotten_us: int, wait_s: float) -> None:
        self.database.write_within(
            wait_s, lambda connection: lifecycle.keep_in_mind(connection, view, held, at_us, forgotten_us)
        )

    def keep_uses(self, uses: Sequence[Use], looks: Sequence[Look], wait_s: float) -> None:
        def job(connection: Connection) -> None:
            lifecycle.keep_looks(connection, looks)
            lifecycle.keep_uses(connection, uses, self.kinds)

        self.database.write_within(wait_s, job)

    @property
    def kinds(self) -> KindTable:
        return self._kinds

    def _own_kinds(self) -> dict[str, Kind]:
        with self.database.read() as connection:
            return lifecycle.own_kinds(connection)

    @property
    def read_only(self) -> bool:
        return self.options.file.read_only

    @property
    def requires_sealing(self) -> bool:
        return self.options.require_sealing

    @property
    def in_background(self) -> bool:
        return self.options.upkeep

    audit = NounOf(SqlAuditChain)
    requests = NounOf(SqlKeyedRequests)
    jobs = NounOf(SqlJobs)
    queue = NounOf(SqlAuditQueue)
    lives = NounOf(SqlLives)
    accounts = NounOf(SqlAccounts)
    guarding = NounOf(SqlGuarding)
    journal = NounOf(SqlJournal)
    slips = NounOf(SqlSlips)
    raw_events = NounOf(SqlRawEvents)
    spaces = NounOf(SqlVectorSpaces)
    carried = NounOf(SqlCarried)

    def close(self) -> None:
        """Stops upkeep and closes every connection. Safe to call twice."""
        self.upkeep.stop()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
