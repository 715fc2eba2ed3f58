"""A session of PostgreSQL that answers as the shared room asks: the same few methods, the same errors.

Owns the driver, how values are bound and read (numbers as 64 bits, keys as one array, sealed texts opened here, where
the key is), transactions and their locks. Knows nothing of tables. Invariants: an error of the driver leaves as one of
the port's; a write transaction holds the lock of its palace from its beginning to its end, so journal numbers have no
gap; a session has said which palace and which scopes it may see before it asks anything. Rows to be written
(`executemany`) wait for the next statement whose answer is asked for, and travel with it: a write is few round trips.
What became of them is told then, at the latest with the COMMIT.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import apsw
import numpy as np
import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import BytesBinaryDumper, StrDumperUnknown

from palazzo.errors import PalaceBusy, StorageError
from palazzo.ports import FieldCipher
from palazzo.store.postgres import schema
from palazzo.store.postgres.statements import Table, Translator, parts_of
from palazzo.store.sql.port import WRITING, Keys
from palazzo.store.sql.seal.sealing import SealedText, opener

LOCK: Final = 0x70616C61
"""The first half of the lock of a palace; the second is its number."""
NEWS: Final = LOCK + 2
"""The first half of the lock that those share who listen for news of a palace."""
_DECLARES: Final = ("CREATE", "ALTER", "DROP")
_HEAD: Final = np.dtype([("dims", ">i4"), ("nulls", ">i4"), ("oid", ">u4"), ("size", ">i4"), ("low", ">i4")])
_EACH: Final = np.dtype([("length", ">i4"), ("value", ">i8")])
_INT8, _INT8_ARRAY, _TEXT_ARRAY = 20, 1016, 1009
MOST_WAITING: Final = 256
"""Statements that wait for the next one; more go at once."""
MOST_ROWS: Final = 64
"""Rows that one statement adds."""


class _KeysDumper(Dumper):
    """Numbers or texts as one array."""

    format = Format.BINARY
    oid = _INT8_ARRAY

    def get_key(self, obj: Any, format: Any) -> Any:  # noqa: A002, ARG002 - the driver's word
        return self.cls if isinstance(obj.values, np.ndarray) else (self.cls, str)

    def upgrade(self, obj: Any, format: Any) -> Dumper:  # noqa: A002, ARG002 - the driver's word
        return self if isinstance(obj.values, np.ndarray) else _TextsDumper(self.cls, None)

    def dump(self, obj: Any) -> bytes:
        return _array(obj.values)


class _TextsDumper(Dumper):
    """Texts, sealed or not, as one array in the driver's written form."""

    format = Format.TEXT
    oid = _TEXT_ARRAY

    def dump(self, obj: Any) -> bytes:
        quoted = (_text(value).replace("\\", "\\\\").replace('"', '\\"') for value in obj.values)
        return ("{" + ",".join(f'"{value}"' for value in quoted) + "}").encode()


def _array(values: Any) -> bytes:
    head = np.zeros(1, _HEAD)
    head["dims"], head["oid"], head["size"], head["low"] = 1, _INT8, len(values), 1
    body = np.empty(len(values), _EACH)
    body["length"], body["value"] = 8, values
    return head.tobytes() + body.tobytes()


def _text(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return "\x01" + b64encode(value).decode()
    return "\x03" + value if value.startswith(_SIGNS) else value


class _SealedDumper(Dumper):
    """A sealed text, as the text that stands for it."""

    format = Format.TEXT
    oid = 0

    def dump(self, obj: Any) -> bytes:
        return _text(obj).encode()


_SIGNS: Final = ("\x01", "\x02", "\x03")
"""With what a sealed text begins, an opened one, and a plain one that happens to begin with one of these."""


class _PlainDumper(StrDumperUnknown):
    """A text, told apart from what stands for a sealed one."""

    def dump(self, obj: str) -> Any:
        return super().dump("\x03" + obj if obj.startswith(_SIGNS) else obj)


class _NumberLoader(Loader):
    """Sums and averages, which PostgreSQL gives as decimals."""

    format = Format.TEXT

    def load(self, data: Buffer) -> int | float:
        said = bytes(data).decode()
        return float(said) if "." in said else int(said)


def _opening(cipher: FieldCipher | None) -> type[Loader]:
    """How texts are read: a sealed one as its bytes, or opened where the statement asked for that."""
    read = opener(cipher)

    class TextLoader(Loader):
        format = Format.BINARY

        def load(self, data: Buffer) -> str | bytes:
            said = bytes(data)
            if said[:1] == b"\x01":
                return SealedText(b64decode(said[1:]))
            if said[:1] == b"\x02":
                owner, _, body = said[1:].partition(b":")
                return read(b64decode(body), int(owner))
            return (said[1:] if said[:1] == b"\x03" else said).decode()

    return TextLoader


def connect(address: str, cipher: FieldCipher | None, *, lock_wait_s: float, durable: bool) -> psycopg.Connection[Any]:
    """A session of the server, before it has said its palace.

    Raises: StorageError when nobody answers.
    """
    settings = {
        "search_path": schema.SCHEMA, "lock_timeout": f"{max(1, int(lock_wait_s * 1000))}ms",
        "synchronous_commit": "on" if durable else "off", "client_encoding": "UTF8", "jit": "off",
        "idle_in_transaction_session_timeout": "0", "standard_conforming_strings": "on",
    }  # fmt: skip
    told = " ".join(f"-c {name}={value}" for name, value in settings.items() if name != "client_encoding")
    try:
        found: psycopg.Connection[Any] = psycopg.connect(
            address, autocommit=True, options=told, client_encoding="UTF8", prepare_threshold=3, connect_timeout=10,
            cursor_factory=psycopg.RawCursor, application_name="palazzo",
        )  # fmt: skip
    except psycopg.Error as error:
        raise unreachable(error) from error
    found.prepared_max = 2_000
    adapters = found.adapters
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(bool, _BoolDumper)
    adapters.register_dumper(str, _PlainDumper)
    adapters.register_dumper(bytes, BytesBinaryDumper)
    adapters.register_dumper(SealedText, _SealedDumper)
    adapters.register_dumper(Keys, _KeysDumper)
    adapters.register_loader("text", _opening(cipher))
    adapters.register_loader("numeric", _NumberLoader)
    return found


class _WordDumper(Dumper):
    """A number as its digits, of the type of the column it goes to."""

    def dump(self, obj: Any) -> bytes:
        return repr(obj if isinstance(obj, float) else int(obj)).encode()


class _BytesDumper(BytesBinaryDumper):
    """Bytes, of the type of the column they go to."""

    oid = 0


def sending(session: psycopg.Connection[Any]) -> psycopg.Cursor[Any]:
    """A cursor that adds rows: no value says a type, so the same statement is prepared once, whatever is missing."""
    found = session.cursor(binary=True)
    for kind in (int, bool, float):
        found.adapters.register_dumper(kind, _WordDumper)
    found.adapters.register_dumper(bytes, _BytesDumper)
    return found


class _BoolDumper(Int8BinaryDumper):
    """Yes and no as the numbers the tables hold."""

    def dump(self, obj: Any) -> Any:
        return super().dump(int(obj))


def unreachable(error: psycopg.Error) -> StorageError:
    """What a server that does not answer means to a caller; never with what the address holds."""
    return StorageError(
        f"the PostgreSQL server does not answer ({type(error).__name__})",
        hint="see whether it runs and whether the address, the name and the password are right",
    )


def ported(error: psycopg.Error) -> Exception:
    """The error of the port that says the same; texts of the server may quote rows, so none is passed on."""
    told = error.diag.message_primary or type(error).__name__
    if isinstance(error, errors.IntegrityConstraintViolation | errors.UniqueViolation | psycopg.IntegrityError):
        table = error.diag.table_name or ""
        return apsw.ConstraintError(type(error).__name__, re.sub(r"_\d+$", "", table))  # without its partition
    if isinstance(error, errors.QueryCanceled):
        return apsw.InterruptError("stopped")
    if isinstance(error, errors.LockNotAvailable | errors.DeadlockDetected):
        return PalaceBusy("another process kept the palace locked for too long")
    if isinstance(error, errors.DiskFull):
        return apsw.FullError("the disk of the server is full")
    if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
        return apsw.PermissionsError(told)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return unreachable(error)
    return apsw.SQLError(f"{type(error).__name__}: {told}")


class Fetched:
    """The rows of a statement, all of them at hand."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def __next__(self) -> Any:
        return next(self._rows)

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)


_CATALOGUE: Final = """
SELECT c.relname, a.attname, coalesce(i.indisprimary, false), coalesce(pg_get_expr(d.adbin, d.adrelid), '')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)
WHERE n.nspname = 'palazzo' AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND a.attnum > 0
AND NOT a.attisdropped ORDER BY c.relname, a.attnum"""


def catalogue(session: psycopg.Connection[Any]) -> dict[str, Table]:
    """The tables of the schema as they are declared now."""
    columns: dict[str, list[tuple[str, bool, str]]] = {}
    for table, column, keyed, default in session.execute(_CATALOGUE):
        columns.setdefault(table, []).append((column, keyed, default))
    found = {}
    for table, told in columns.items():
        names = tuple(name for name, _, _ in told if name != "palace")
        key = tuple(name for name, keyed, _ in told if keyed and name != "palace")
        numbered = any("_number(" in default for _, _, default in told)
        found[table] = Table(names, key, numbered, table in schema.SHARED)
    return found


class PostgresConnection:
    """One session, for one palace."""

    def __init__(self, session: psycopg.Connection[Any], translator: Translator, partitions: int = 0) -> None:
        self.session = session
        self.translate = translator
        self._partitions = partitions
        self._cursor = session.cursor(binary=True)
        self._sender = session.cursor(binary=True)
        self._adder = sending(session)
        self._waiting: list[tuple[psycopg.Cursor[Any], str, Any]] = []
        self._aborted = False
        """Whether a round trip of several statements failed and nobody has gone back behind it."""
        self._gone_back = 0
        self._changes = 0
        self._number = 0
        self._wrote = False
        self._late: Callable[[], bool] | None = None
        self._savepoints = 0
        self.declares = True
        """Whether declarations are carried out; a migration says them once for every palace."""
        self.seen: frozenset[int] | None = None
        """The scopes this transaction may see so far; None for all."""
        self.fenced = False
        """Whether this transaction has said so."""
        self.heard = False
        """Whether somebody listened when the last write began."""

    @property
    def in_transaction(self) -> bool:
        return self.session.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)

    def execute(self, statements: str, bindings: Any = None, /) -> Fetched:
        word = statements.split(None, 1)[0]
        if word in _SIMPLE:
            self._simple(statements, word)
            return _NOTHING
        if word in _DECLARES or word == "--":
            return self._declare(statements)
        if self._late is not None and self._late():
            raise apsw.InterruptError("stopped")
        said = self.translate(statements)
        try:
            if self._waiting:
                self._send(said.text, bindings)
            else:
                self._cursor.execute(said.text, bindings)
            if said.changes:
                self._wrote = True
                self._changes = self._cursor.rowcount
            if self._cursor.description is None:
                return _NOTHING
            rows = self._cursor.fetchall()
        except psycopg.Error as error:
            raise ported(error) from error
        if said.numbers:
            if rows:
                self._number = rows[-1][0]
            return _NOTHING
        return Fetched(rows)

    def executemany(self, statements: str, sequenceofbindings: Iterable[Any], /) -> None:
        rows = list(sequenceofbindings)
        if not rows:
            return
        self._wrote = True
        said, at = self.translate(statements), 0
        adds = said.of_rows(1) is not None
        while at < len(rows):
            size = min(MOST_ROWS, 1 << (len(rows) - at).bit_length() - 1) if adds else 1
            if adds:
                values = [value for row in rows[at : at + size] for value in row]
                self._waiting.append((self._adder, said.of_rows(size) or said.text, values))
            else:
                self._waiting.append((self._sender, said.text, rows[at]))
            at += size
        if len(self._waiting) > MOST_WAITING or not self.in_transaction:
            self.settle()

    def settle(self) -> None:
        """Sends what waits, and learns what became of it."""
        if self._waiting:
            try:
                self._send()
            except psycopg.Error as error:
                raise ported(error) from error

    def _send(self, text: str = "", bindings: Any = None) -> None:
        """Everything that waits and then this one, in one round trip."""
        waiting, self._waiting = self._waiting, []
        self._aborted = True
        with self.session.pipeline():
            for cursor, before, values in waiting:
                cursor.execute(before, values)
            if text:
                self._cursor.execute(text, bindings)
        self._aborted = False

    def _begin_writing(self) -> None:
        """Takes the palace, and learns whether anybody listens for news of it: who cannot have that lock knows."""
        told = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK}, {self.translate.palace});"
        self.heard = self.plain(f"{told} SELECT pg_try_advisory_xact_lock({NEWS}, {self.translate.palace})") == b"f"

    def begins(self) -> None:
        """A transaction begins: it has written nothing and has no fence yet."""
        self._wrote = self.fenced = False
        self.seen = None

    def _simple(self, statement: str, word: str) -> None:
        if word == "BEGIN":
            self.begins()
        if statement == "BEGIN":
            statement = "BEGIN ISOLATION LEVEL REPEATABLE READ"
        elif statement == "BEGIN IMMEDIATE":
            self._begin_writing()
            return
        if word == "ROLLBACK":
            self._waiting.clear()  # it came after what is gone back to
            if self._aborted and not self.session.closed:
                self._go_back(statement)
                return
        elif word == "COMMIT" and self._waiting:
            try:
                self._send(statement)
            except psycopg.Error as error:
                raise ported(error) from error
            return
        self.plain(statement)

    def _go_back(self, statement: str) -> None:
        """Through the driver, which forgets thereby what it took for prepared in a round trip that was cut short; of a
        statement that it has seen before it would not ask what became of it, so each is told apart."""
        self._aborted = False
        self._gone_back += 1
        try:
            self._sender.execute(f"{statement} /* {self._gone_back} */", prepare=False)
        except psycopg.Error as error:
            raise ported(error) from error

    def plain(self, statement: str) -> bytes | None:
        """Runs statements of PostgreSQL's own, as they stand; the value that the last of them gives, if any."""
        self.settle()
        try:
            result = self.session.pgconn.exec_(statement.encode())
        except psycopg.Error as error:
            raise ported(error) from error
        if self.session.closed:
            raise unreachable(psycopg.OperationalError())
        if result.status in _FAILED:
            raise ported(psycopg.errors.error_from_result(result))
        return result.get_value(0, 0) if result.ntuples else None

    def _declare(self, statements: str) -> Fetched:
        if self.declares:
            for part in parts_of(statements):
                for said in schema.declared(part, self._partitions):
                    self.plain(said)
            self.translate = Translator(self.translate.palace, catalogue(self.session))
        return _NOTHING

    def fence(self, scopes: frozenset[int] | None) -> None:
        """Until this transaction ends, rows of other scopes are not seen."""
        told = "all" if scopes is None else "{" + ",".join(map(str, sorted(scopes))) + "}"
        self.plain(f"SET LOCAL palazzo.scopes = '{told}'")

    def changes(self) -> int:
        self.settle()
        return self._changes

    def last_insert_rowid(self) -> int:
        return self._number

    def txn_state(self, schema: str | None = None, /) -> int:  # noqa: ARG002 - the port's word
        return WRITING if self._wrote and self.in_transaction else 0

    def data_version(self, schema: str | None = None, /) -> int:  # noqa: ARG002 - the port's word
        """The moment of the transaction: another one as soon as anybody on the server has written."""
        self.settle()
        row = self._cursor.execute("SELECT pg_current_snapshot()::text").fetchone()
        return hash(row)

    def set_progress_handler(self, callable: Callable[[], bool] | None, nsteps: int = 100, /) -> None:  # noqa: A002, ARG002 - the driver's word
        self._late = callable

    def __enter__(self) -> PostgresConnection:
        self._savepoints += 1
        self.plain(f"SAVEPOINT part_{self._savepoints}")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        name = f"part_{self._savepoints}"
        self._savepoints -= 1
        if self.session.closed:
            return
        if kind is not None:
            self.execute(f"ROLLBACK TO {name}")
        else:
            try:
                self.settle()
            except BaseException:
                self.execute(f"ROLLBACK TO {name}")
                self.plain(f"RELEASE {name}")
                raise
        self.plain(f"RELEASE {name}")

    @property
    def failed(self) -> bool:
        """Whether the transaction can only be ended."""
        return bool(self.session.info.transaction_status == TransactionStatus.INERROR)

    @property
    def usable(self) -> bool:
        return not self.session.closed and not self.session.broken

    def close(self, force: bool = False, /) -> None:  # noqa: ARG002 - the port's word
        self.session.close()


_NOTHING: Final = Fetched(())
_SIMPLE: Final = frozenset({"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"})
_FAILED: Final = frozenset({psycopg.pq.ExecStatus.FATAL_ERROR, psycopg.pq.ExecStatus.BAD_RESPONSE})
