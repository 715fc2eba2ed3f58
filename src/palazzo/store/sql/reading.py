"""A SqlReading: one read transaction seen through one View. All read functions of the store take it.

Owns the translation of a View into SQL conditions, so that scope, capability, seal, state, deprecation and as-of sit
inside every query; and the small table that gives each scope path a number. Invariant: a SqlReading cannot be made
without a View, and a read function has no other way to the tables.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.errors import StorageError
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.scope import Scope, visible
from palazzo.ports import FieldCipher
from palazzo.store.api import Late
from palazzo.store.sql.port import Connection, bound
from palazzo.store.sql.tables import SqlTables, begin_moment, interrupting
from palazzo.text.safety import gate
from palazzo.text.words.remembered import remembered

if TYPE_CHECKING:
    from palazzo.store.sql.hot.columns import Columns
    from palazzo.store.sql.store import SqlStore


def scope_id(connection: Connection, scope: Scope) -> int:
    """The number of a scope, made on first use (inside a write transaction).

    Raises: Refused when a new one holds a secret.
    """
    path = str(scope)
    found = connection.execute("SELECT id FROM scope WHERE path = ?", (path,)).fetchone()
    if found:
        return int(found[0])
    gate.refuse_scope(scope)
    connection.execute(
        """INSERT INTO scope(id, path) SELECT 1 + max(coalesce((SELECT max(id) FROM scope), 0),
           coalesce((SELECT CAST(value AS INTEGER) FROM palace WHERE key = 'scopes_below'), 0)), ?""",
        (path,),
    )
    return connection.last_insert_rowid()


def remove(connection: Connection, number: int) -> int:
    """Takes a scope out whose partitions of the indexes are gone; returns how many there were of it.

    Its number is never used again: caches of other processes know the partitions by it, and count from their beginning.
    """
    connection.execute("DELETE FROM scope WHERE id = ?", (number,))
    removed = connection.changes()
    connection.execute(
        """INSERT INTO palace VALUES ('scopes_below', ?) ON CONFLICT (key) DO UPDATE SET
           value = CAST(max(CAST(palace.value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT)""",
        (str(number),),
    )
    return removed


def visible_scopes(connection: Connection, view: View) -> tuple[int, ...]:
    """Numbers of the scopes this view shows: the reader's path and its prefixes; more for an orchestrator."""
    if view.all_scopes:
        return tuple(number for (number,) in connection.execute("SELECT id FROM scope"))
    paths = [str(prefix) for prefix in view.scope.prefixes()]
    marks = ",".join("?" * len(paths))
    found = [n for (n,) in connection.execute(f"SELECT id FROM scope WHERE path IN ({marks})", paths)]
    led = view.scope.led if view.orchestrator else None
    if led is not None:
        below = f"{led}/"
        rows = connection.execute(
            "SELECT id, path FROM scope WHERE path >= ? AND path < ?", (below, below + "\U0010ffff")
        )
        found += [
            n for n, path in rows
            if n not in found and visible(view.scope, Scope.parse(path), orchestrator=True)
        ]  # fmt: skip
    return tuple(found)


def _scopes_seen(connection: Connection, view: View) -> tuple[int, ...]:
    """The same, asked once until somebody writes."""
    return SqlTables(connection).held(("scopes", *_scopes_of(view)), lambda: visible_scopes(connection, view))


def _scopes_of(view: View) -> tuple[object, ...]:
    """All of a view that tells which scopes it shows."""
    return view.scope, view.all_scopes, view.orchestrator


SQLValue = str | int | float | bytes | None


def writable(text: str) -> str:
    """Text as the database can take it: lone surrogates, which no stored text has, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def glob_condition(glob: PlaceGlob, column: str = "p.path") -> tuple[str, tuple[SQLValue, ...]]:
    """The condition that a place's path matches a glob; ranges on the path, so its unique index serves it."""
    condition, values = _within(glob, column)
    for out in glob.without:
        taken, more = glob_condition(out, column)
        condition, values = f"({condition} AND NOT {taken})", (*values, *more)
    return condition, values


def _within(glob: PlaceGlob, column: str) -> tuple[str, tuple[SQLValue, ...]]:
    path = glob.place.path
    if glob.reach == "self":
        return f"({column} = ?)", (path,)
    below = path + "." if path else ""
    beyond = path + "/" if path else "\U0010ffff"  # "/" follows "." in code order
    if glob.reach == "subtree":
        if not path:
            return "TRUE", ()
        return f"({column} = ? OR ({column} >= ? AND {column} < ?))", (path, below, beyond)
    return (
        f"({column} >= ? AND {column} < ? AND {column} <> '' AND instr(substr({column}, ?), '.') = 0)",
        (below, beyond, len(below) + 1),
    )


def _any_of(globs: tuple[PlaceGlob, ...]) -> tuple[str, tuple[SQLValue, ...]]:
    if not globs:
        return "FALSE", ()
    parts = [glob_condition(glob) for glob in globs]
    if any(condition == "TRUE" for condition, _ in parts):
        return "TRUE", ()
    return "(" + " OR ".join(c for c, _ in parts) + ")", tuple(v for _, values in parts for v in values)


def _guard(view: View) -> tuple[str, tuple[SQLValue, ...]]:
    """Seal and reach together: open places by reach, sealed ones by sealed reach, the vault by what is unlocked."""
    clauses: list[str] = []
    values: list[SQLValue] = []
    for seal, globs in (("open", view.reach), ("sealed", view.sealed_reach), ("vault", view.unlocked)):
        condition, ends = _any_of(globs)
        if condition != "FALSE":
            clauses.append(f"(p.seal = '{seal}' AND {condition})")
            values.extend(ends)
    return ("(" + " OR ".join(clauses) + ")" if clauses else "FALSE"), tuple(values)


@remembered(256)
def _conditions(view: View, scopes: tuple[int, ...]) -> tuple[str, tuple[SQLValue, ...], str, tuple[SQLValue, ...]]:
    """The conditions over m and their values, then those over p."""
    marks = ",".join(map(str, scopes)) or "-1"
    states = ",".join(f"'{state}'" for state in view.states)
    where = f"m.scope IN ({marks}) AND m.state IN ({states})"
    values: tuple[SQLValue, ...] = ()
    if not view.include_deprecated:
        if view.as_of_us is None:
            where += " AND m.deprecated_us IS NULL"
        else:
            where += " AND (m.deprecated_us IS NULL OR m.deprecated_us > ?)"
            values = (view.as_of_us,)
    if view.as_of_us is not None:  # said also where no revision is joined, as for counts
        where += " AND m.created_us <= ?"
        values = (*values, view.as_of_us)
    return (where, values, *_guard(view))


T = TypeVar("T")


class _NoColumns:
    """Stands for the columns of what is no palace, or of a write: nothing is known."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


_NO_COLUMNS: Any = _NoColumns()


class Tallies:
    """Counts over a whole palace, each with the journal position it was counted at: it holds until the journal grows.

    They name places, kinds and tags, so an erasure empties them. Threads share it.
    """

    MOST: Final = 32

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[int, Any]] = {}

    def of(self, key: Hashable, seq: int, count: Callable[[], T]) -> T:
        """What was counted at this position, or is counted now."""
        kept = self._kept.get(key)
        if kept is not None and kept[0] == seq:
            found: T = kept[1]
            return found
        made = count()
        if len(self._kept) >= self.MOST:
            self._kept.clear()
        self._kept[key] = (seq, made)
        return made

    def forget(self) -> None:
        """Lets go of all of them."""
        self._kept.clear()


@dataclass(frozen=True, slots=True)
class SqlReading:
    """A connection in a read transaction, the view, and the view's conditions over `m` (memory) and `p` (place)."""

    connection: Connection
    view: View
    scopes: tuple[int, ...]
    memory_where: str
    memory_values: tuple[SQLValue, ...]
    place_where: str
    place_values: tuple[SQLValue, ...]
    cipher: FieldCipher | None = None
    store: SqlStore | None = field(default=None, compare=False, repr=False)
    """Whose caches a search may use; None for a copy that is only walked through."""
    position: int = -1
    """The journal position of this moment; -1 inside a write, whose end nobody knows yet."""
    ever: bool = False
    """Whether every revision is seen instead of the current one."""
    narrowed: dict[Any, NDArray[np.int64]] = field(default_factory=dict, compare=False, repr=False)
    """Rows that filters keep, by filter: one recall asks several indexes with the same one, in the same moment."""
    text_parts: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)
    """Parts of the text index that queries of this moment opened, by scope."""
    vector_parts: dict[tuple[int, int], Any] = field(default_factory=dict, compare=False, repr=False)
    """Parts of the vector index that queries of this moment opened, by space and scope."""
    seen: set[int] = field(default_factory=set, compare=False, repr=False)
    """Revisions this reader was found to see as current in this moment: they are not asked about again."""

    @classmethod
    def begin(
        cls,
        connection: Connection,
        view: View,
        cipher: FieldCipher | None = None,
        store: SqlStore | None = None,
    ) -> Self:
        position = begin_moment(connection) if store is not None else -1
        scopes = visible_scopes(connection, view) if position < 0 else _scopes_seen(connection, view)
        if store is not None and position >= 0:
            store.fence(connection, view, scopes)
        return cls(connection, view, scopes, *_conditions(view, scopes), cipher, store, position)

    @property
    def hot(self) -> Columns:
        """The columns of the palace; those of a copy know nothing."""
        return _NO_COLUMNS if self.position < 0 or self.store is None else self.store.columns

    def held(self, name: Hashable, ask: Callable[[], T]) -> T:
        """A small answer that holds for whoever reads this moment, asked once until somebody writes."""
        return self.tables.held(name, ask)

    @property
    def tables(self) -> SqlTables:
        """The tables, as the indexes see them."""
        return SqlTables(self.connection)

    def through_time(self) -> Self:
        seen = replace(self.view, include_deprecated=True)
        return dataclasses.replace(self.through(seen), ever=True)

    def through(self, view: View) -> Self:
        """The same moment through another view; scopes that both see are not asked for again."""
        if _scopes_of(view) != _scopes_of(self.view):
            return type(self).begin(self.connection, view, self.cipher, self.store)
        shown = _conditions(view, self.scopes)
        return type(self)(self.connection, view, self.scopes, *shown, self.cipher, self.store, self.position)

    @property
    def palace(self) -> SqlStore:
        """Whose caches a search uses.

        Raises: StorageError for a copy, which is only walked through.
        """
        if self.store is None:
            raise StorageError("a copy of a palace is not searched")
        return self.store

    def tallied(self, what: Hashable, count: Callable[[], T]) -> T:
        """A count of what this reader sees, counted once for as long as the journal stays where it is."""
        if self.store is None:
            return count()
        rows: Any = self.connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchall()
        seq = int(rows[0][0])
        return self.store.tallies.of((what, self.where, self.values), seq, count)

    def until(self, late: Late) -> AbstractContextManager[None]:
        return interrupting(self.connection, late)

    @property
    def source(self) -> str:
        """FROM clause joining memory m, place p and the revision r that the current tag points (or pointed) to."""
        if self.ever:
            until = "" if self.view.as_of_us is None else f" AND r.created_us <= {int(self.view.as_of_us)}"
            return f"memory m JOIN place p ON p.id = m.place JOIN revision r ON r.memory = m.id{until}"
        if self.is_now:
            # r.memory = m.id follows from the rest; it is said so that a search by r.id finds m without a scan.
            return "memory m JOIN place p ON p.id = m.place JOIN revision r ON r.id = m.current AND r.memory = m.id"
        return (
            f"memory m JOIN place p ON p.id = m.place JOIN tag_move t ON t.memory = m.id AND {self._pointing}"
            " JOIN revision r ON r.id = t.revision AND r.memory = m.id"
        )

    @property
    def is_now(self) -> bool:
        """Whether what holds now is seen, which the memory's own row knows."""
        return self.view.as_of_us is None and self.view.tag == "current"

    @property
    def _pointing(self) -> str:
        """The condition over t (tag_move) that a row is the view's tag at the view's time."""
        if self.view.tag == "initial":  # the tag is implied: the first move of current
            first = "(SELECT min(seq) FROM tag_move WHERE memory = m.id AND tag = 'current')"
            return f"t.tag = 'current' AND t.seq = {first}"
        tag = f"t.tag = CAST(x'{self.view.tag.encode().hex()}' AS TEXT)"  # in digits, so that no text reaches SQL
        if self.view.as_of_us is None:
            return f"{tag} AND t.until_us IS NULL"
        at = int(self.view.as_of_us)
        return f"{tag} AND t.from_us <= {at} AND (t.until_us IS NULL OR t.until_us > {at})"

    @property
    def scope_list(self) -> str:
        """The visible scopes for `IN (...)`: where a table has a scope of its own, other tenants' rows are not read."""
        return ",".join(map(str, self.scopes)) or "-1"

    @property
    def where(self) -> str:
        return f"{self.memory_where} AND {self.place_where}"

    @property
    def values(self) -> tuple[SQLValue, ...]:
        return self.memory_values + self.place_values

    def shown(self, key: str) -> str:
        """Joins that lead from a column of revision keys to memory m and place p of what is current; without revision.

        Uses memory_current, which holds every column the view asks about: no row of memory or revision is read. Through
        time every revision is shown, by its own row.
        """
        if self.ever:
            until = "" if self.view.as_of_us is None else f" AND r.created_us <= {int(self.view.as_of_us)}"
            own = f"JOIN revision r ON r.id = {key}{until} JOIN memory m ON m.id = r.memory"
            return f"{own} JOIN place p ON p.id = m.place"
        if self.is_now:
            return f"JOIN memory m ON m.current = {key} JOIN place p ON p.id = m.place"
        return (
            f"JOIN revision was ON was.id = {key} JOIN memory m ON m.id = was.memory"
            f" JOIN tag_move t ON t.memory = m.id AND t.revision = was.id AND {self._pointing}"
            " JOIN place p ON p.id = m.place"
        )

    def at(self, key: str) -> str:
        """Joins that lead from a column of revision keys to revision r, memory m and place p of what this reader sees.

        Each row is found by its key, so they come in the order of the keys.
        """
        found = f"CROSS JOIN revision r ON r.id = {key}"
        if self.ever:
            until = "" if self.view.as_of_us is None else f" AND r.created_us <= {int(self.view.as_of_us)}"
            return f"{found}{until} CROSS JOIN memory m ON m.id = r.memory CROSS JOIN place p ON p.id = m.place"
        return f"{self.shown(key)} {found}"

    def gate(self, keys: Sequence[int], key: str) -> tuple[str, str, tuple[SQLValue, ...]]:
        """Joins, condition and values that let through those of these keys, in column `key`, that are current here.

        Nothing is joined when each of them was let through before: this is one moment, and the answer is the same.
        """
        hot = None if self.seen.issuperset(keys) else self.hot.allowed(self, np.asarray(keys, np.int64))
        shown = self.seen.issuperset(keys) if hot is None else bool(hot.all())
        return ("", "TRUE", ()) if shown else (self.shown(key), self.where, self.values)

    def allowed(self, revisions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these revisions this reader may see as current: the filter behind every index search."""
        hot = self.hot.allowed(self, revisions)
        if hot is not None:
            return hot
        asked = revisions.tolist()
        fresh = [key for key in asked if key not in self.seen] if self.seen else asked
        if fresh:
            rows: Any = self.connection.execute(
                f"SELECT c.value FROM carray(?) c {self.shown('c.value')} WHERE {self.where}",
                (bound(fresh), *self.values),
            ).fetchall()
            self.seen.update(key for (key,) in rows)
        return np.fromiter(map(self.seen.__contains__, asked), np.bool_, len(asked))


class Noun:
    """Part of a reading."""

    __slots__ = ("_reading",)

    def __init__(self, reading: SqlReading) -> None:
        self._reading = reading


P = ParamSpec("P")
R = TypeVar("R")
Owner = TypeVar("Owner")
N = TypeVar("N")


class Delegated(Generic[P, R]):
    """A method of a noun: the function that asks the tables, given the noun's reading."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[Concatenate[SqlReading, P], R]) -> None:
        self.function = function

    def __get__(self, noun: Noun, _owner: type) -> Callable[P, R]:
        return partial(self.function, noun._reading)


class NounOf(Generic[Owner, N]):
    """A noun of a reading or of a palace, made when it is asked for."""

    __slots__ = ("noun",)

    def __init__(self, noun: Callable[[Owner], N]) -> None:
        self.noun = noun

    def __get__(self, owner: Owner, _type: type) -> N:
        return self.noun(owner)
