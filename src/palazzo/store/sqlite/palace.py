"""The SqliteStore: one palace in one file, made and opened.

Owns the life of the file: it appears complete or not at all, and is migrated after a backup.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from uuid import uuid4

import apsw
from msgspec.structs import replace

from palazzo.errors import PalaceExists, PalaceMissing, ReadOnlyPalace
from palazzo.model.ids import new_id
from palazzo.ports import Clock
from palazzo.store.api import Feature
from palazzo.store.sql import migrations
from palazzo.store.sql.memory.places import place_id
from palazzo.store.sql.port import StoreOptions, translated
from palazzo.store.sql.reading import NounOf
from palazzo.store.sql.seal import resealing
from palazzo.store.sql.store import SqlStore
from palazzo.store.sqlite import backup
from palazzo.store.sqlite.care import SqliteCare, SqliteErasures
from palazzo.store.sqlite.connection import Database, open_connection

FILE = "palace.db"


class SqliteStore(SqlStore):
    """One palace on SQLite."""

    database: Database

    def __init__(self, folder: Path, clock: Clock, options: StoreOptions) -> None:
        self.database = Database(folder / FILE, options.file)
        super().__init__(folder, clock, options)

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
        store.recognise()
        if options.file.read_only:
            with store.database.read() as connection:
                if migrations.pending(connection):
                    raise ReadOnlyPalace(
                        "the palace is of an older release and cannot be brought up to date where it is",
                        hint="copy its folder to where you may write, and open the copy",
                    )
        else:
            migrations.migrate(
                store.database,
                clock.now_us(),
                lambda name: backup.backup(store.database, folder / backup.FOLDER / name, None),
            )
        return store

    @property
    def features(self) -> frozenset[Feature]:
        """What this engine can do for this palace; bytes of an encrypted file show nothing to look for."""
        always: tuple[Feature, ...] = ("encryption", "padding", "compaction", "backup")
        return frozenset((*always, "traces") if self.options.file.key is None else always)

    erasures = NounOf(SqliteErasures)
    care = NounOf(SqliteCare)
