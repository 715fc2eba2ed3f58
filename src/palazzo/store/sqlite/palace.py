"""The SqliteStore: one palace, open. Commits batches of changes, opens readings, keeps its derived indexes in step.

Composes the modules of this room; callers above know this class and the functions that take a SqliteReading.
Invariants: a commit is one transaction; there is no reading without a View.
"""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import apsw
import msgspec
from msgspec.structs import replace

from palazzo.errors import CorruptPalace, PalaceExists, PalaceMissing, PalazzoError, ReadOnlyPalace, WrongKey
from palazzo.model.address import Place
from palazzo.model.capability import View
from palazzo.model.change import Change, Receipt
from palazzo.model.ids import new_id
from palazzo.model.kinds import KINDS, Kind, KindTable
from palazzo.ports import Clock, FieldCipher
from palazzo.store.api import CommitLog, Feature, Presence, Reading, Use
from palazzo.store.index.text.index import TextCache
from palazzo.store.index.vector.vectors import VectorCache
from palazzo.store.sqlite import backup, indexes, migrations, rows
from palazzo.store.sqlite.apply import apply
from palazzo.store.sqlite.connection import Database, OpenOptions, one, open_connection, translated
from palazzo.store.sqlite.hot.columns import Columns
from palazzo.store.sqlite.keeping import (
    SqliteAccounts,
    SqliteAuditChain,
    SqliteAuditQueue,
    SqliteCare,
    SqliteErasures,
    SqliteGuarding,
    SqliteJobs,
    SqliteJournal,
    SqliteKeyedRequests,
    SqliteLives,
    SqliteSlips,
    SqliteVectorSpaces,
)  # fmt: skip
from palazzo.store.sqlite.memory import lifecycle
from palazzo.store.sqlite.memory.places import place_id
from palazzo.store.sqlite.nouns import PalaceReading
from palazzo.store.sqlite.reading import NounOf, Tallies
from palazzo.store.sqlite.seal import resealing
from palazzo.store.sqlite.upkeep import Upkeep
from palazzo.text.safety import gate
from palazzo.text.words.remembered import kept_in

FILE = "palace.db"


class StoreOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a store works on its file; see settings.py for what each is for."""

    file: OpenOptions = OpenOptions()
    kinds: KindTable = KindTable(KINDS)
    upkeep: bool = True
    text_cache_mb: int = 64
    vector_cache_mb: int = 96
    places: tuple[Place, ...] = ()
    """The places a new palace has from the beginning."""
    require_sealing: bool = False
    """Whether guarded text is refused while there is no key to seal it with."""


class SqliteStore:
    """One palace on SQLite. Threads share it; processes each open their own."""

    def __init__(self, folder: Path, clock: Clock, options: StoreOptions) -> None:
        self.folder = folder
        self.clock = clock
        self.options = options
        self.database = Database(folder / FILE, options.file)
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
        self.upkeep = Upkeep(self.database, enabled=options.upkeep and not options.file.read_only)

    @classmethod
    def create(cls, folder: Path, clock: Clock, options: StoreOptions = StoreOptions()) -> SqliteStore:
        """Makes a palace: its folder (mode 0700), its file (0600), its schema.

        Raises: PalaceExists.
        """
        path = folder / FILE
        if path.exists():
            raise PalaceExists(f"there already is a palace in {folder}")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = folder / f".{FILE}.{uuid4().hex}"
        try:
            cls._make(draft, clock, options)
            os.link(draft, path)  # appears complete or not at all, and never over one that is there
        except FileExistsError as error:
            raise PalaceExists(f"there already is a palace in {folder}") from error
        finally:
            draft.unlink(missing_ok=True)
        return cls(folder, clock, options)

    @staticmethod
    def _make(path: Path, clock: Clock, options: StoreOptions) -> None:
        """A complete, empty palace file, closed."""
        path.touch(mode=0o600)
        with translated():
            connection = open_connection(path, options.file, create=True)
            connection.pragma("journal_mode", "wal")
            connection.close()
        database = Database(path, options.file)
        migrations.migrate(database, clock.now_us())
        identity = str(new_id(clock.now_us()))

        def job(connection: apsw.Connection) -> None:
            connection.execute("INSERT INTO palace VALUES ('id', ?)", (identity,))
            for place in options.places:
                place_id(connection, place, clock.now_us())

        database.write(job)
        database.write(lambda connection: resealing.write_check(connection, options.file.fields))
        database.close()

    @classmethod
    def open(cls, folder: Path, clock: Clock, options: StoreOptions = StoreOptions()) -> SqliteStore:
        """Opens a palace, migrating it (after a backup) if it is older; where nothing can be written, for reading only.

        Raises: PalaceMissing, WrongKey, NewerSchema, MigrationFailed, ReadOnlyPalace when it is older and cannot be
        migrated.
        """
        path = folder / FILE
        if not path.exists():
            raise PalaceMissing(f"there is no palace in {folder}")
        if not options.file.read_only and not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
            options = replace(options, file=dataclasses.replace(options.file, read_only=True))
        store = cls(folder, clock, options)
        store._recognise()
        if options.file.read_only:
            with store.database.read() as connection:
                if migrations.pending(connection):
                    raise ReadOnlyPalace(
                        "the palace is of an older release and cannot be brought up to date where it is",
                        hint="copy its folder to where you may write, and open the copy",
                    )
        else:
            migrations.migrate(
                store.database, clock.now_us(), lambda target: backup.backup(store.database, target, None)
            )
        return store

    def _recognise(self) -> None:
        """Raises: CorruptPalace, WrongKey when the palace has sealed fields and the cipher is not theirs."""
        with self.database.read() as connection:
            if not migrations.applied(connection):
                raise CorruptPalace(f"{self.database.path} is empty")
            known = resealing.check(connection)
        if known is not None and (self.cipher is None or resealing.mark_of(self.cipher) != known):
            raise WrongKey("the palace has sealed texts and this key does not open them")

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
        noted = None if self.log is None else self.log.begin(gated.changes, subject, now_us)
        try:
            receipt = self.database.write(
                lambda connection: apply(connection, gated, now_us, subject, kinds, self.cipher)
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

    @contextmanager
    def reading(self, view: View) -> Iterator[Reading]:
        with self.database.read() as connection:
            yield PalaceReading.begin(connection, view, self.cipher, self)

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

    def keep_uses(self, uses: Sequence[Use], wait_s: float) -> None:
        self.database.write_within(wait_s, lambda connection: lifecycle.keep_uses(connection, uses, self.kinds))

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

    @property
    def label(self) -> str:
        return str(self.folder)

    @property
    def features(self) -> frozenset[Feature]:
        """What this engine can do for this palace; bytes of an encrypted file show nothing to look for."""
        always: tuple[Feature, ...] = ("encryption", "padding", "compaction")
        return frozenset((*always, "traces") if self.options.file.key is None else always)

    audit = NounOf(SqliteAuditChain)
    requests = NounOf(SqliteKeyedRequests)
    jobs = NounOf(SqliteJobs)
    queue = NounOf(SqliteAuditQueue)
    lives = NounOf(SqliteLives)
    erasures = NounOf(SqliteErasures)
    accounts = NounOf(SqliteAccounts)
    guarding = NounOf(SqliteGuarding)
    journal = NounOf(SqliteJournal)
    slips = NounOf(SqliteSlips)
    spaces = NounOf(SqliteVectorSpaces)
    care = NounOf(SqliteCare)

    def close(self) -> None:
        """Stops upkeep and closes every connection. Safe to call twice."""
        self.upkeep.stop()
        self.database.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
