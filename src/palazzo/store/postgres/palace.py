"""The PostgresStore: one palace of a server, made and opened; and the schema all palaces of a database share.

Owns the address of a palace (`postgresql://user@host/database?palace=NAME`), the register that gives each name its
number, and how the schema is brought up to date. What the engine cannot do is missing from `features`. Invariants: a
palace appears complete or not at all; a declaration runs once, what it does to rows once for every palace, and both
with their record in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
import psycopg

from palazzo.errors import (
    InvalidInput,
    MigrationFailed,
    PalaceExists,
    PalaceMissing,
    PalazzoError,
    PartUnavailable,
    ReadOnlyPalace,
)
from palazzo.model.capability import View
from palazzo.model.ids import new_id
from palazzo.ports import Clock
from palazzo.store.api import Feature
from palazzo.store.postgres import handing, schema
from palazzo.store.postgres.care import PostgresCare, PostgresErasures
from palazzo.store.postgres.connection import LOCK, PostgresConnection, catalogue, connect, ported
from palazzo.store.postgres.database import PostgresDatabase, palace_number
from palazzo.store.postgres.statements import Table, Translator
from palazzo.store.sql import migrations
from palazzo.store.sql.memory.places import place_id
from palazzo.store.sql.migrations import MIGRATIONS, Migration
from palazzo.store.sql.port import EngineError, StoreOptions
from palazzo.store.sql.reading import NounOf
from palazzo.store.sql.seal import resealing
from palazzo.store.sql.store import SqlStore

USUAL: Final = "main"
"""The name of a palace whose address tells none."""
PARTITIONS: Final = 16
OLDEST: Final = 150_000
"""The first release whose fences do what is needed."""
NOBODY: Final = -1


class Address(msgspec.Struct, frozen=True):
    """Where a palace is: the server and database as the driver takes them, and the palace's name."""

    server: str
    palace: str = USUAL

    @classmethod
    def parse(cls, told: str) -> Address:
        """Raises: InvalidInput."""
        parts = urlsplit(told)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        name = next((value for key, value in asked if key == "palace"), USUAL)
        if not name or len(name) > 100 or not name.replace("-", "").replace("_", "").isalnum():
            raise InvalidInput("a palace's name has letters, digits, - and _", field="palace")
        rest = urlencode([(key, value) for key, value in asked if key != "palace"])
        return cls(urlunsplit(parts._replace(query=rest)), name)

    @property
    def label(self) -> str:
        """The address without anything secret."""
        parts = urlsplit(self.server)
        host = parts.netloc.rpartition("@")[2]
        return f"postgresql://{host}{parts.path}?palace={self.palace}"


class PostgresStore(SqlStore):
    """One palace on PostgreSQL."""

    database: PostgresDatabase

    def __init__(
        self, address: Address, number: int, folder: Path, clock: Clock, options: StoreOptions,
        tables: Mapping[str, Table],
    ) -> None:  # fmt: skip
        self.address = address
        self.database = PostgresDatabase(address.server, number, options.file, tables)
        super().__init__(folder, clock, options)

    @classmethod
    def create(
        cls, address: Address, folder: Path, clock: Clock, options: StoreOptions = StoreOptions(), *,
        partitions: int = PARTITIONS,
    ) -> PostgresStore:  # fmt: skip
        """Makes a palace, and the schema where there is none yet.

        Raises: PalaceExists, PartUnavailable, StorageError.
        """
        _refuse(options)
        session = connect(address.server, options.file.fields, lock_wait_s=options.file.busy_wait_s, durable=True)
        try:
            tables = catalogue(session)
            if handing.TABLE not in tables or migrations.pending(
                PostgresConnection(session, Translator(NOBODY, tables))
            ):
                prepare(address, clock.now_us(), partitions)
                tables = catalogue(session)
            with session.transaction():
                number = _register(session, address, clock, options, tables)
        except psycopg.Error as error:
            raise ported(error) from error
        finally:
            session.close()
        return cls(address, number, folder, clock, options, tables)

    @classmethod
    def open(
        cls, address: Address, folder: Path, clock: Clock, options: StoreOptions = StoreOptions()
    ) -> PostgresStore:
        """Opens a palace, bringing the schema up to date if it is older and this may do so.

        Raises: PalaceMissing, WrongKey, NewerSchema, MigrationFailed, PartUnavailable, StorageError.
        """
        _refuse(options)
        session = connect(address.server, None, lock_wait_s=options.file.busy_wait_s, durable=True)
        try:
            tables = catalogue(session)
            number = palace_number(session, address.palace) if "register" in tables else None
            if number is None:
                raise PalaceMissing(
                    f"there is no palace at {address.label}", hint="make one: `palazzo init` with this address"
                )
            waiting = migrations.pending(PostgresConnection(session, Translator(number, tables)))
        except psycopg.Error as error:
            raise ported(error) from error
        finally:
            session.close()
        if waiting and options.file.read_only:
            raise ReadOnlyPalace("the palace is of an older release", hint="open it once for writing")
        if (waiting or handing.TABLE not in tables) and not options.file.read_only:
            prepare(address, clock.now_us(), PARTITIONS)
            tables = {}  # asked for again
        store = cls(address, number, folder, clock, options, tables)
        try:
            store.recognise()
        except PalazzoError:
            store.close()
            raise
        return store

    @property
    def label(self) -> str:
        return self.address.label

    @property
    def features(self) -> frozenset[Feature]:
        """Encrypting, padding, compacting and searching files are for a file; here the server has them."""
        return frozenset()

    def fence(self, connection: Any, view: View, scopes: Sequence[int]) -> None:
        """Rows of other scopes than those of the readings of this moment are not seen, whatever is asked."""
        if not isinstance(connection, PostgresConnection) or not connection.in_transaction:
            return
        if connection.fenced and connection.seen is None:
            return
        wanted = None if view.all_scopes else (connection.seen or frozenset()) | frozenset(scopes)
        if not connection.fenced or wanted != connection.seen:
            connection.fence(wanted)
            connection.fenced, connection.seen = True, wanted

    @contextmanager
    def unfenced(self, connection: Any) -> Iterator[None]:
        if not isinstance(connection, PostgresConnection) or not connection.fenced or connection.seen is None:
            yield
            return
        connection.fence(None)
        try:
            yield
        finally:
            if connection.usable and not connection.failed:
                connection.fence(connection.seen)

    erasures = NounOf(PostgresErasures)
    care = NounOf(PostgresCare)


def _refuse(options: StoreOptions) -> None:
    if options.file.key is not None:
        raise PartUnavailable(
            "a palace on PostgreSQL has no file to encrypt",
            part="encryption",
            hint="seal guarded texts (`--fields`), encrypt the server's disk and connect by TLS",
        )


def _register(
    session: psycopg.Connection[Any], address: Address, clock: Clock, options: StoreOptions, tables: Mapping[str, Table]
) -> int:
    row = session.execute(
        "INSERT INTO register(name, made_us) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
        (address.palace, clock.now_us()),
    ).fetchone()
    if row is None:
        raise PalaceExists(f"there already is a palace at {address.label}")
    session.execute(f"SET LOCAL palazzo.palace = '{row[0]}'")
    connection = PostgresConnection(session, Translator(row[0], tables))
    connection.execute("INSERT INTO palace VALUES ('id', ?)", (str(new_id(clock.now_us())),))
    for place in options.places:
        place_id(connection, place, clock.now_us())
    resealing.write_check(connection, options.file.fields)
    return int(row[0])


def prepare(
    address: Address, now_us: int, partitions: int = PARTITIONS, known: Sequence[Migration] = MIGRATIONS
) -> tuple[str, ...]:
    """Makes the schema or brings it up to date; returns the names of the migrations applied.

    Raises: NewerSchema, MigrationFailed, PartUnavailable, StorageError.
    """
    session = connect(address.server, None, lock_wait_s=60, durable=True)
    try:
        if session.info.server_version < OLDEST:
            raise PartUnavailable("PostgreSQL 15 or newer is needed", part="postgresql")
        with session.transaction():
            session.execute(f"SELECT pg_advisory_xact_lock({LOCK}, 0)")
            return _prepared(session, now_us, partitions, known)
    except psycopg.Error as error:
        raise ported(error) from error
    finally:
        session.close()


def _prepared(
    session: psycopg.Connection[Any], now_us: int, partitions: int, known: Sequence[Migration]
) -> tuple[str, ...]:
    connection = PostgresConnection(session, Translator(NOBODY, {}), partitions)
    if "register" not in catalogue(session):
        _begin_schema(session, connection)
    connection.translate = Translator(NOBODY, catalogue(session))
    waiting = migrations.pending(connection, known)
    done = []
    for migration in waiting:
        palaces = [number for (number,) in session.execute("SELECT id FROM register ORDER BY id")] or [NOBODY]
        try:
            for turn, number in enumerate(palaces):
                connection.declares = turn == 0
                session.execute(f"SET LOCAL palazzo.palace = '{number}'")
                connection.translate = Translator(number, catalogue(session))
                migration.apply(connection)
        except EngineError as error:
            raise MigrationFailed(
                f"migration {migration.name} failed: {error}", hint="the palaces are as they were"
            ) from error
        session.execute("INSERT INTO migration VALUES ($1, $2)", (migration.name, now_us))
        done.append(migration.name)
    if handing.TABLE not in catalogue(session):
        handing.declare(connection)
    return tuple(done)


def _begin_schema(session: psycopg.Connection[Any], connection: PostgresConnection) -> None:
    """The schema, the role every session works as, the register, the functions SQLite brings along."""
    for statement in (
        f"CREATE SCHEMA IF NOT EXISTS {schema.SCHEMA}",
        f"""DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{schema.ROLE}')
            THEN CREATE ROLE {schema.ROLE} NOLOGIN; END IF; END $$""",
        f"GRANT {schema.ROLE} TO CURRENT_USER",
        f"GRANT USAGE ON SCHEMA {schema.SCHEMA} TO {schema.ROLE}",
        schema.FUNCTIONS,
        """CREATE TABLE register (
               id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, made_us bigint NOT NULL
           )""",
        "CREATE TABLE migration (name text PRIMARY KEY, applied_us bigint NOT NULL)",
        f"GRANT SELECT ON register, migration, sqlite_schema TO {schema.ROLE}",
    ):
        connection.plain(statement)
    connection.execute("CREATE TABLE numbering (name TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (name))")
    session.execute("SELECT 1")
