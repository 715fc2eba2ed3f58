"""What every column of every table that holds truth may hold, and how damaged rows are set aside.

Owns the shapes of the tables, by column name, and the walk that names every damaged field. The tables of the indexes
are not here: they are derived, and verify compares them with what they were derived from. Owns how a row is set aside:
a view of the connection's own, in memory, stands before each table that has damaged rows, so no statement needs to
know; a damaged index is set aside as a whole. Writers see the tables themselves, and nothing is written: the row stays
as it is, for a person to restore or purge. Invariants: a sealed column is opened before it is believed; a damaged field
is a value that names table, row and column, never an error; what decides about access is never set aside, for without a
row that denies, more would be allowed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, get_args
from uuid import UUID
from weakref import WeakKeyDictionary

import msgspec

from palazzo.errors import DamagedRow, PalazzoError, WrongKey
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.belief import CLAIM_MODES, RESOLUTIONS, SOURCE_KINDS, ClaimStatus
from palazzo.model.capability import Level, PacketKind, PacketState, PlanState
from palazzo.model.change import EVENT_KINDS
from palazzo.model.fork_lock import ForkLock
from palazzo.model.graph import EDGE_KINDS, ENTITY_KINDS, LINK_KINDS, NODE_KINDS
from palazzo.model.kinds import Durability
from palazzo.model.memory import STATES, TIERS, Detail
from palazzo.model.message import Role
from palazzo.model.raw_event import RAW_KINDS
from palazzo.model.scope import Scope
from palazzo.model.slip import SlipKind
from palazzo.ports import FieldCipher
from palazzo.store.api import SlotSource
from palazzo.store.api.keeping import Damaged
from palazzo.store.sql.indexes import TABLES as TABLES_OF_INDEXES
from palazzo.store.sql.port import Connection
from palazzo.text.words.remembered import remembered

CHUNK = 2000
SEALS = ("open", "sealed", "vault")
"""From the weakest."""
Check = Callable[[Any], bool]


class Column(msgspec.Struct, frozen=True):
    """What a column may hold: the types SQLite may give for it, and a condition on the value.

    `owner` is the column of the number a sealed text was sealed for, "" for none; None when it is never sealed.
    """

    name: str
    types: frozenset[type]
    check: Check | None = None
    owner: str | None = None

    def holds(self, value: Any) -> bool:
        """Whether a value, opened if it was sealed, belongs here."""
        return type(value) in self.types and (value is None or self.check is None or self.check(value))

    def all_hold(self, values: Sequence[Any]) -> bool:
        """The same for many values at once, a good deal faster."""
        if not set(map(type, values)) <= self.types:
            return False
        return self.check is None or all(map(self.check, (value for value in values if value is not None)))


class Shape(msgspec.Struct, frozen=True):
    """The columns of a table, in its order, and those that make up its key."""

    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def numbered(self) -> bool:
        """Whether a row is known by one number."""
        return len(self.key) == 1 and self.column(self.key[0]).types == _INT

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def row(self) -> str:
        """SQL for what a row is called: made of what every stored value can be turned into without being read."""
        return self.key[0] if self.numbered else "||'.'||".join(f"hex({name})" for name in self.key)


_INT, _TEXT, _REAL, _BLOB = (frozenset({one}) for one in (int, str, float, bytes))
_NONE = frozenset({type(None)})


_EARLIEST_US, _LATEST_US = -62_135_596_800_000_000, 253_402_300_799_999_999  # the years 1 to 9999
_TIMES = frozenset(
    {"created_us", "accessed_us", "valid_from_us", "valid_to_us", "deprecated_us", "at_us", "made_us", "captured_us"}
)


def _parses(read: Callable[[Any], object]) -> Check:
    """Whether a reader takes a value."""

    def check(value: Any) -> bool:
        try:
            read(value)
        except (PalazzoError, ValueError, TypeError, OverflowError):
            return False
        return True

    return check


def _json(kind: Any) -> Check:
    return _parses(msgspec.json.Decoder(kind).decode)


def _long(count: int) -> Check:
    return lambda value: len(value) == count


def _segment(text: str) -> bool:
    plain = text.replace("_", "").replace("-", "")
    return bool(text) and text.isascii() and (not plain or plain.isalnum()) and text == text.lower()


def number(name: str, low: int | None = None, high: int | None = None) -> Column:
    if name in _TIMES:
        low, high = _EARLIEST_US, _LATEST_US
    if low is None:
        return Column(name, _INT)
    return Column(name, _INT, lambda value: low <= value and (high is None or value <= high))


def optional(column: Column) -> Column:
    return Column(column.name, column.types | _NONE, column.check, column.owner)


def real(name: str, low: float = -math.inf, high: float = math.inf) -> Column:
    return Column(name, _REAL, lambda value: low <= value <= high and math.isfinite(value))


def text(name: str, check: Check | None = None) -> Column:
    return Column(name, _TEXT, check)


def word(name: str) -> Column:
    return Column(name, _TEXT, bool)


def one_of(name: str, *values: str) -> Column:
    return Column(name, _TEXT, frozenset(values).__contains__)


def blob(name: str, check: Check | None = None) -> Column:
    return Column(name, _BLOB, check)


def sealed(name: str, owner: str = "", check: Check | None = None) -> Column:
    return Column(name, _TEXT, check, owner)


_UUID = _long(16)
_PATH = remembered(4096)(_parses(Place.parse))
_SCOPE = remembered(4096)(_parses(Scope.parse))
_GLOB = remembered(4096)(_parses(PlaceGlob.parse))
_FLAG = (0, 1)

TABLES: dict[str, Shape] = {
    "palace": Shape(("key",), (text("key"), text("value"))),
    "scope": Shape(("id",), (number("id"), text("path", _SCOPE))),
    "place": Shape(("id",), (
        number("id"), text("path", _PATH), optional(number("parent", 1)), one_of("seal", *SEALS),
        number("created_us"),
    )),
    "memory": Shape(("id",), (
        number("id"), blob("uuid", _UUID), number("place", 1), text("name", _segment), text("kind", _segment),
        number("scope", 0), one_of("state", *STATES), one_of("tier", *TIERS), optional(number("deprecated_us")),
        number("pinned", *_FLAG), optional(one_of("durability", *get_args(Durability))), number("created_us"),
        number("accessed_us"), number("sessions", 0), optional(text("last_session")), optional(number("due_us")),
        real("staleness", 0, 1), optional(number("current", 1)),
    )),
    "revision": Shape(("id",), (
        number("id"), number("memory", 1), number("number", 1), sealed("text", "id"), optional(sealed("summary", "id")),
        optional(sealed("key_fact", "id")), optional(sealed("label", "id")),
        optional(sealed("detail", "id", _json(Detail))), real("importance"), real("confidence"), real("valence"),
        real("intensity"), optional(text("author")), number("created_us"), number("valid_from_us"),
        optional(number("valid_to_us")), blob("hash", bool), *map(optional, (blob("digest", bool), blob("looked"))),
    )),
    "tag_move": Shape(("memory", "tag", "seq"), (
        number("memory", 1), word("tag"), number("seq", 1), number("revision", 1), number("from_us"),
        optional(number("until_us")),
    )),
    "atom": Shape(("revision", "position"), (
        number("revision", 1), number("position", 0), sealed("subject"), sealed("predicate"), sealed("value"),
        number("functional", *_FLAG), number("negated", *_FLAG), number("scope", 0),
    )),
    "edge": Shape(("id",), (
        number("id"), one_of("kind", *EDGE_KINDS), number("source", 1), number("source_revision", 0),
        number("target", 1), number("target_revision", 0), real("weight"), number("created_us"),
        optional(sealed("metadata", "source", _json(dict[str, Any]))),
    )),
    "artifact": Shape(("revision", "name"), (
        number("revision", 1), sealed("name"), sealed("uri"), text("media_type"), optional(number("size", 0)),
        optional(text("sha256")),
    )),
    "entity": Shape(("id",), (
        number("id"), blob("uuid", _UUID), number("scope", 0), sealed("name"), one_of("kind", *ENTITY_KINDS),
        number("created_us"), optional(number("merged_into", 1)),
    )),
    "alias": Shape(("key", "scope", "entity"), (
        sealed("key"), number("scope", 0), number("entity", 1), sealed("text"),
    )),
    "mention": Shape(("entity", "revision"), (number("entity", 1), number("revision", 1), optional(sealed("text")))),
    "relation": Shape(("subject", "predicate", "object"), (
        number("subject", 1), word("predicate"), number("object", 1), number("count", 0), number("last_us"),
        real("confidence"), optional(number("revision")),
    )),
    "provenance_node": Shape(("id",), (
        number("id"), blob("uuid", _UUID), one_of("kind", *NODE_KINDS), number("at_us"), text("label"), text("author"),
        optional(text("metadata")), optional(text("sha256")),
    )),
    "provenance_edge": Shape(("source", "kind", "target"), (
        number("source", 1), one_of("kind", *LINK_KINDS), number("target", 1),
    )),
    "provenance_source": Shape(("revision", "node", "kind"), (
        number("revision", 1), number("node", 1), one_of("kind", *LINK_KINDS), optional(number("span_start", 0)),
        optional(number("span_end", 0)), text("stage"),
    )),
    "session": Shape(("id",), (number("id"), number("scope", 0), text("thread"), text("name"), number("began_us"))),
    "turn": Shape(("session", "position"), (
        number("session", 1), number("position", 0), number("revision", 1), text("speaker"),
        one_of("role", *get_args(Role)),
    )),
    "intake": Shape(("id",), (
        number("id"), blob("uuid", _UUID), number("at_us"), number("made_us"), number("scope", 0), blob("digest", bool),
        text("fates", _json(list[list[int | float | str | None]])), optional(text("pending", _json(dict[str, Any]))),
    )),
    "breadcrumb": Shape(("trail", "at_us", "place", "memory", "subject"), (
        text("trail"), number("at_us"), number("place", 1), number("memory", 0), text("subject"),
    )),
    "correction": Shape(("memory", "at_us"), (
        number("memory", 1), number("at_us"), text("space"), blob("context", lambda value: len(value) % 2 == 0),
    )),
    "in_mind": Shape(("scope", "subject", "memory"), (
        number("scope", 0), text("subject"), number("memory", 1), real("activation"), number("touched_us"),
        number("saved_us"), one_of("source", *get_args(SlotSource)),
    )),
    "capability_grant": Shape(("subject", "glob"), (
        word("subject"), text("glob", _GLOB), word("subject_kind"), number("level", min(Level), max(Level)),
        number("start_us"), optional(number("expires_us")), text("granted_by"),
    )),
    "event": Shape(("seq",), (
        number("seq"), number("at_us"), one_of("kind", *EVENT_KINDS), text("subject"), optional(blob("memory", _UUID)),
        optional(number("revision")), optional(text("detail", _json(dict[str, Any]))),
    )),
    "cursor": Shape(("name",), (text("name"), number("seq", 0), number("moved_us"))),
    "idempotency": Shape(("subject", "key"), (
        text("subject"), text("key"), blob("digest"), number("until_us"), optional(sealed("result")),
    )),
    "lease": Shape(("name",), (text("name"), text("holder"), number("until_us"))),
    "own_kind": Shape(("name",), (text("name"), text("told"), number("added_us"), text("subject"))),
    "job": Shape(("name",), (
        text("name"), text("state"), text("holder"), text("subject"), number("began_us"), number("until_us"),
        optional(number("ended_us")), text("step"), number("done", 0), number("total", 0), number("cancelled", 0),
        text("report"),
    )),
    "audit": Shape(("id",), (
        number("id"), number("at_us"), text("subject"), text("action"), text("decision"), optional(text("place")),
        optional(text("capability")), optional(text("query")), optional(number("first_seq")),
        optional(number("last_seq")), optional(text("detail")), optional(blob("detail_hash")), blob("hash", _long(32)),
    )),
    "erasure": Shape(("id",), (
        number("id"), number("begun_us"), text("subject"), one_of("kind", "memories", "user", "everything"),
        text("user"), text("names"), text("pseudonym"), number("mentions"), number("unreadable"), text("captured"),
    )),
    "erasure_memory": Shape(("erasure", "memory"), (number("erasure", 1), blob("memory", _UUID))),
    "erasure_stretch": Shape(("node", "span_start", "span_end"), (
        blob("node"), number("span_start", 0), number("span_end", 0),
    )),
    "displaced": Shape(("revision", "position", "by_revision", "by_position"), (
        number("revision", 1), number("position", -1), number("by_revision", 1), number("by_position", -1),
        number("at_us"),
    )),
    "staleness_audit": Shape(("id",), (
        number("id"), number("memory", 1), number("revision", 1), number("at_us"), real("semantic"), real("temporal"),
        real("behavioral"), real("severity"), text("evidence", _json(Any)),
        optional(one_of("resolution", *RESOLUTIONS)), optional(number("resolved_us")),
    )),
    "freshness": Shape(("memory",), (number("memory"), number("fresh", 0), number("stale", 0), number("next_us"))),
    "outcome": Shape(("memory",), (number("memory"), number("successes", 0), number("failures", 0), number("last_us"))),
    "claim": Shape(("id",), (
        number("id"), blob("uuid", _UUID), number("scope", 0), sealed("text", "id"), word("kind"),
        one_of("status", *get_args(ClaimStatus)), real("recheck_days"), number("created_us"), number("updated_us"),
        optional(number("memory", 1)), text("author"), blob("hash", bool), one_of("tier", *TIERS),
    )),
    "claim_source": Shape(("claim", "position"), (
        number("claim", 1), number("position", 0), one_of("kind", *SOURCE_KINDS), sealed("reference"),
        sealed("excerpt", "claim"),
    )),
    "claim_decision": Shape(("id",), (
        number("id"), blob("uuid", _UUID), number("claim", 1), number("at_us"), text("subject"),
        one_of("status", *get_args(ClaimStatus)), text("source_state"), blob("text_hash"),
    )),
    "signal": Shape(("scope", "family", "day", "dimension"), (number("scope", 0), text("family"), number("day"),
        text("dimension"), number("count", 0))),
    "token": Shape(("digest",), (
        blob("digest"), blob("uuid", _UUID), word("subject"), text("label"), text("scope", _SCOPE),
        number("created_us"), optional(number("expires_us")), optional(number("revoked_us")),
    )),
    "subject_met": Shape(("subject",), (text("subject"), number("first_us"))),
    "lifted_lock": Shape(("subject",), (text("subject"), number("at_us"), text("lifted_by"))),
    "packet": Shape(("uuid",), (
        blob("uuid", _UUID), one_of("kind", *get_args(PacketKind)), number("scope", 0), text("subject"),
        one_of("state", *get_args(PacketState)), text("told", _json(Any)), optional(number("until_us")),
        number("made_us"), number("changed_us"),
    )),
    "slip": Shape(("id",), (
        number("id"), blob("uuid", _UUID), one_of("kind", *get_args(SlipKind)), number("scope", 0), text("name"),
        text("subject"), text("state"), sealed("told", "id"), number("version", 1), optional(number("until_us")),
        number("made_us"), number("changed_us"))),
    "snapshot": Shape(("id",), (
        number("id"), blob("uuid", _UUID), number("place", 1), optional(number("memory", 1)), number("scope", 0),
        text("subject"), sealed("territory", "id"), number("captured_us"), sealed("state", "id"), number("bytes", 0))),
    "raw_event": Shape(("id",), (number("id"), one_of("kind", *RAW_KINDS), word("source"), number("scope", 0),
        text("subject"), sealed("reference", "id"), sealed("metadata", "id"), number("at_us"))),
    "operator_plan": Shape(("uuid",), (
        blob("uuid", _UUID), word("kind"), text("wanted", _json(Any)), text("prior", _json(Any)),
        one_of("state", *get_args(PlanState)), text("subject"), number("made_us"), number("changed_us"),
    )),
}  # fmt: skip


def columns(table: str, names: str) -> tuple[tuple[str, Column], ...]:
    """These columns of a table, each with the table's name, for `require`."""
    return tuple((table, TABLES[table].column(name)) for name in names.split())


def require(selected: Sequence[tuple[str, Column]], row: Sequence[Any]) -> None:
    """Raises: DamagedRow when a row that was read, sealed texts opened, holds what its columns do not hold."""
    for (table, column), value in zip(selected, row, strict=True):
        if type(value) not in column.types:
            raise DamagedRow(f"a stored {table} is damaged: its {column.name} cannot be read")


_PALACE: dict[str, Check] = {
    "id": _parses(UUID),
    "audit_lines": _parses(int),
    "audit_key": _parses(bytes.fromhex),
    "guard_version": _parses(int),
    "purged_below": _parses(int),
    "claim_mode": lambda value: value in CLAIM_MODES,
}
"""What the notes of the palace about itself hold, by their names; others are free text."""


def damage(connection: Connection, cipher: FieldCipher | None, kinds: Sequence[str] = ()) -> list[Damaged]:
    """Every damaged field of every table, table by table.

    With `kinds`, a memory is damaged too that is of another kind, unless that is the palace's own.
    """
    found: list[Damaged] = []
    for table in TABLES:
        found += damage_of(connection, table, cipher)
    unwhole = {(one.row, one.column) for one in found if one.table == "memory"}
    if kinds:
        marks = ",".join("?" * len(kinds))
        rows = connection.execute(
            f"SELECT id FROM main.memory WHERE kind NOT IN ({marks}) AND kind NOT IN (SELECT name FROM main.own_kind)",
            tuple(kinds),
        )
        found += [Damaged("memory", str(row), "kind") for (row,) in rows if (str(row), "kind") not in unwhole]
    return found


def damage_of(connection: Connection, table: str, cipher: FieldCipher | None) -> list[Damaged]:
    """Every damaged field of one table."""
    shape = TABLES[table]
    found: list[Damaged] = []
    try:
        _look(connection, table, shape, cipher, found)
    except UnicodeDecodeError:
        # A text that is no text ends the statement that meets it, so these are found first, without being read.
        found = list(_unreadable(connection, table, shape))
        _look(connection, table, shape, cipher, found)
    return found


def _unreadable(connection: Connection, table: str, shape: Shape) -> Iterator[Damaged]:
    for column in shape.columns:
        rows = connection.execute(
            f"SELECT {shape.row}, hex({column.name}) FROM main.{table} NOT INDEXED WHERE typeof({column.name}) = 'text'"
        )
        for row, written in rows:
            if not _DECODES(bytes.fromhex(written)):
                yield Damaged(table, str(row), column.name)


_DECODES = _parses(lambda value: value.decode())


def _look(connection: Connection, table: str, shape: Shape, cipher: FieldCipher | None, found: list[Damaged]) -> None:
    names = ", ".join(column.name for column in shape.columns)
    # An index may hold what the table no longer does: it is the table that is looked at.
    rows = connection.execute(
        f"SELECT {shape.row}, {names} FROM main.{table} NOT INDEXED WHERE {without(shape, found)}"
    )
    while chunk := list(islice(rows, CHUNK)):
        calls, *values = zip(*chunk, strict=True)
        for at, column in enumerate(shape.columns):
            held = values[at]
            if column.owner is not None and any(issubclass(kind, bytes) for kind in set(map(type, held))):
                named = [one.name for one in shape.columns]
                owners = values[named.index(column.owner)] if column.owner else (0,) * len(held)
                held = tuple(_opened(cipher, value, owner) for value, owner in zip(held, owners, strict=True))
            if not column.all_hold(held):
                found += [
                    Damaged(table, str(row), column.name) for row, value in zip(calls, held, strict=True)
                    if not column.holds(value)
                ]  # fmt: skip
        if table == "palace":
            found += [
                Damaged(table, str(row), "value") for row, key, value in chunk
                if isinstance(value, str) and key in _PALACE and not _PALACE[key](value)
            ]  # fmt: skip


def _opened(cipher: FieldCipher | None, value: Any, owner: Any) -> Any:
    """A sealed text as it reads; one that does not open stays the bytes it is, which no text column holds."""
    if not isinstance(value, bytes) or cipher is None or not isinstance(owner, int):
        return value
    try:
        return cipher.open(value, owner)
    except WrongKey:
        return value


def without(shape: Shape, found: Sequence[Damaged]) -> str:
    """The condition that a row is none of these."""
    rows = sorted({one.row for one in found})
    if not rows:
        return "TRUE"
    named = ",".join(rows if shape.numbered else (f"'{row}'" for row in rows))
    return f"{shape.row} NOT IN ({named})"


KEPT = frozenset({"capability_grant", "token", "lifted_lock", "palace", "erasure", "erasure_memory", "erasure_stretch"})
"""Tables whose rows are never set aside: an erasure that nobody sees would never be finished."""
LOOK_AGAIN_S = 60.0
"""How long a look that found nothing new is believed: an error that is no damage costs one look, not many."""


class Aside:
    """The rows of one palace that this process sets aside. Threads share it."""

    def __init__(self) -> None:
        self.damaged: tuple[Damaged, ...] = ()
        self.then: list[Callable[[], None]] = []
        """What is done when other rows are set aside: whoever keeps what was read lets go of it."""
        self._covered: WeakKeyDictionary[Connection, tuple[Damaged, ...]] = WeakKeyDictionary()
        self._lock = ForkLock()
        self._looked_s = -LOOK_AGAIN_S

    def due(self) -> bool:
        """Whether a look for damage may find something that the last one did not."""
        return time.monotonic() - self._looked_s >= LOOK_AGAIN_S

    def learn(self, found: Sequence[Damaged]) -> bool:
        """Takes note of what a look found; True when that is more than was known."""
        with self._lock:
            self._looked_s = time.monotonic()
            fresh = not set(found) <= set(self.damaged)
            if set(found) != set(self.damaged):
                self.damaged = tuple(found)
        for act in self.then:
            act()
        return fresh

    def cover(self, connection: Connection) -> None:
        """Lets a connection that only reads see the tables without what is set aside."""
        if damaged := self.damaged:
            cover(connection, damaged)
            self._covered[connection] = damaged

    def covers(self, connection: Connection) -> bool:
        """Whether a connection sees what is set aside as set aside, and nothing else."""
        return self._covered.get(connection, ()) == self.damaged


def cover(connection: Connection, damaged: Sequence[Damaged]) -> None:
    """Puts a view without the damaged rows before each table that has any, for this connection alone."""
    for index in {one.table for one in damaged} & TABLES_OF_INDEXES.keys():
        for table in TABLES_OF_INDEXES[index]:
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE FALSE")
    for table in {one.table for one in damaged} & TABLES.keys() - KEPT:
        rows = [one for one in damaged if one.table == table]
        connection.execute(
            f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE {without(TABLES[table], rows)}"
        )
