"""A session of PostgreSQL that answers as the shared room asks: the same few methods, the same errors.

Owns transactions, their locks and the errors of the driver. Knows nothing of tables. Invariants: an error of the driver
leaves as one of the port's; a write transaction holds the lock of its palace from its beginning to its end, so journal
numbers have no gap; a session has said which palace and which scopes it may see before it asks anything. Rows to be
written (`executemany`) wait for the next statement whose answer is asked for, and travel with it: a write is few round
trips. What became of them is told then, at the latest with the COMMIT.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import apsw
import psycopg
from psycopg import errors
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult

from palazzo.errors import PalaceBusy, PalazzoError, StorageError
from palazzo.ports import FieldCipher
from palazzo.store.postgres import schema
from palazzo.store.postgres.statements import Table, Translator, parts_of
from palazzo.store.postgres.trips import Bound, Trips, bound
from palazzo.store.postgres.values import asking, sending, sent
from palazzo.store.sql.port import WRITING, Asked, EngineError

LOCK: Final = 0x70616C61
"""The first half of the lock of a palace; the second is its number."""
NEWS: Final = LOCK + 2
"""The first half of the lock that those share who listen for news of a palace."""
_DECLARES: Final = ("CREATE", "ALTER", "DROP")
MOST_WAITING: Final = 256
"""Statements that wait for the next one; more go at once."""
MOST_ROWS: Final = 64
"""Rows that one statement adds."""
MANY_VALUES: Final = 256
"""Values that wait; more leave at once."""
FEW_ROWS: Final = 16
"""So few have a statement of their own number; more are split into powers of two, so that statements stay few."""


def connect(address: str, cipher: FieldCipher | None, *, lock_wait_s: float, durable: bool) -> psycopg.Connection[Any]:
    """A session of the server, before it has said its palace.

    Raises: StorageError when nobody answers.
    """
    settings = {
        "search_path": schema.SCHEMA, "lock_timeout": f"{max(1, int(lock_wait_s * 1000))}ms",
        "synchronous_commit": "on" if durable else "off", "client_encoding": "UTF8", "jit": "off",
        "idle_in_transaction_session_timeout": "0", "standard_conforming_strings": "on",
        "plan_cache_mode": "force_generic_plan",  # the same statements again and again
        "max_parallel_workers_per_gather": "0",  # a process more costs more than what is asked here
    }  # fmt: skip
    told = " ".join(f"-c {name}={value}" for name, value in settings.items() if name != "client_encoding")
    try:
        found: psycopg.Connection[Any] = psycopg.connect(
            address, autocommit=True, options=told, client_encoding="UTF8", prepare_threshold=3, connect_timeout=10,
            cursor_factory=psycopg.RawCursor, application_name="palazzo",
        )  # fmt: skip
    except psycopg.Error as error:
        raise unreachable(error) from error
    asking(found, cipher)
    return found


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
        self._trips = Trips(session)
        self._adding = sending(session)
        self._waiting: list[Bound] = []
        self._left = 0
        """Statements that have left and were not asked about yet."""
        self._changes = 0
        self._number = 0
        self._wrote = False
        self._late: Callable[[], bool] | None = None
        self._savepoints = 0
        self._moment: int | None = None
        """Which moment of the server a reading that has begun sees."""
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
            result = self._asked(self._trips.bound(said.text, bindings))
            if said.changes:
                self._wrote = True
                self._changes = result.command_tuples or 0
            rows = self._trips.rows(result)
        except psycopg.Error as error:
            raise ported(error) from error
        if rows is None:
            return _NOTHING
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
        adds = said.of_rows(1) is not None and said.apart(rows)
        while at < len(rows):
            left = len(rows) - at
            size = 1 if not adds else left if left <= FEW_ROWS else min(MOST_ROWS, 1 << left.bit_length() - 1)
            if adds:
                values = [value for row in rows[at : at + size] for value in row]
                text, told = said.of_rows(size) or said.text, sent(values)
                said_so = (
                    bound(self._adding, text, values)
                    if told is None
                    else Bound(text, told[0], (0,) * len(values), told[1])
                )
                self._waiting.append(said_so)
            else:
                self._waiting.append(self._trips.bound(said.text, rows[at]))
            at += size
        if len(self._waiting) + self._left > MOST_WAITING or not self.in_transaction:
            self.settle()
        elif sum(len(said.values) for said in self._waiting) >= MANY_VALUES:
            self._hasten()

    def _hasten(self) -> None:
        """Lets what waits leave: the server adds these rows while the next ones are made ready."""
        waiting, self._waiting = self._waiting, []
        self._left += len(waiting)
        try:
            self._trips.send(waiting)
        except psycopg.Error as error:
            raise ported(error) from error

    def settle(self) -> None:
        """Sends what waits, and learns what became of it and of what has left before."""
        if self._waiting or self._left:
            try:
                self._asked()
            except psycopg.Error as error:
                raise ported(error) from error

    def _asked(self, *last: Bound) -> PGresult:
        """Sends everything that waits and then this one, in one round trip."""
        if not self._waiting and not self._left:
            return self._trips.ask(last[0])
        waiting, self._waiting, self._left = self._waiting, [], 0
        return self._trips.ask_all([*waiting, *last])[-1]

    def several(self, asked: Sequence[Asked]) -> list[list[Any]]:
        """The rows of several questions, asked in one trip with everything that waits."""
        waiting, self._waiting, self._left = self._waiting, [], 0
        try:
            found = self._trips.ask_all(
                [*waiting, *(self._trips.bound(self.translate(said).text, values) for said, values in asked)]
            )
            told = [one for one in found if one.status == ExecStatus.TUPLES_OK][-len(asked) :]
            return [self._trips.rows(one) or [] for one in told]
        except psycopg.Error as error:
            raise ported(error) from error

    def _begin_writing(self) -> None:
        """Takes the palace, and learns whether anybody listens for news of it: who cannot have that lock knows."""
        told = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK}, {self.translate.palace});"
        self.heard = self.plain(f"{told} SELECT pg_try_advisory_xact_lock({NEWS}, {self.translate.palace})") == b"f"

    def begins(self) -> None:
        """A transaction begins: it has written nothing and has no fence yet."""
        self._trips.tidy()
        self._moment = None
        self._wrote = self.fenced = False
        self.seen = None

    def _simple(self, statement: str, word: str) -> None:
        if word == "BEGIN":
            self.begins()
        if statement == "BEGIN":
            self._moment = hash(self.plain(f"BEGIN ISOLATION LEVEL REPEATABLE READ; {_MOMENT}"))
            return
        if statement == "BEGIN IMMEDIATE":
            self._begin_writing()
            return
        if word == "SAVEPOINT":
            self._waiting.append(Bound(statement))  # travels with what comes after it
            return
        if word == "ROLLBACK":
            if self._unsent(statement):
                return
            self._waiting.clear()  # it came after what is gone back to
            if self._left:
                with suppress(EngineError, PalazzoError):  # so did this, whatever became of it
                    self.settle()
        elif self._waiting or self._left:
            try:
                self._asked(Bound(statement))
            except psycopg.Error as error:
                raise ported(error) from error
            return
        self.plain(statement)

    def _unsent(self, statement: str) -> bool:
        """Whether what is gone back to has not left yet; then nothing that came after it has."""
        name = statement.removeprefix("ROLLBACK TO ")
        for at in reversed(range(len(self._waiting))):
            if self._waiting[at].text == f"SAVEPOINT {name}":
                del self._waiting[at + 1 :]
                return True
        return False

    def plain(self, statement: str) -> bytes | None:
        """Runs statements of PostgreSQL's own, as they stand; the value that the last of them gives, if any."""
        self.settle()
        try:
            result = self._trips.plain(statement)
        except psycopg.Error as error:
            raise ported(error) from error
        return result.get_value(0, 0) if result.ntuples else None

    def later(self, statement: str, values: Sequence[bytes]) -> None:
        """Lets a statement of PostgreSQL's own travel with the next one; its values are written as they stand."""
        self._waiting.append(Bound(statement, values, (0,) * len(values), (Format.TEXT,) * len(values)))

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
        self._waiting.append(self._trips.bound("SELECT set_config('palazzo.scopes', $1, true)", (told,)))

    def changes(self) -> int:
        self.settle()
        return self._changes

    def last_insert_rowid(self) -> int:
        return self._number

    def txn_state(self, schema: str | None = None, /) -> int:  # noqa: ARG002 - the port's word
        return WRITING if self._wrote and self.in_transaction else 0

    def data_version(self, schema: str | None = None, /) -> int:  # noqa: ARG002 - the port's word
        """The moment of the transaction: another one as soon as anybody on the server has written."""
        if self._moment is not None and self.in_transaction:
            return self._moment
        return hash(self.plain(_MOMENT))

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
_MOMENT: Final = "SELECT pg_current_snapshot()::text"
_SIMPLE: Final = frozenset({"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"})
