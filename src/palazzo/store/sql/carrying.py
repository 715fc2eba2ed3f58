"""Every row of a palace, the same on every engine: out in the order of its keys, and in with how far it came.

Owns which tables make up a palace and what two palaces must agree in to be the same. Tables of the indexes are left
out, for they are made again, but for the vectors themselves, which cost a model to make; so is who holds a job. Rows
travel as they are stored: guarded texts sealed, by the key they are sealed with. Invariants: what arrives and the note
of how far it came are one transaction; a digest does not depend on the order of rows, nor, unless it is exact, on the
key that seals. A palace that was made again is compared by what the ids and names outside it know: row numbers, the
journal and the audit chain, how often memories were read, what is in mind, jobs and everything derived are left out; it
is told in counts, never in content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import msgspec

from palazzo.ports import FieldCipher
from palazzo.store.api import CarriedRow, CarryNote
from palazzo.store.sql.keeping import PalaceNoun
from palazzo.store.sql.port import Connection, one
from palazzo.store.sql.rows import TABLES, Column, Shape, blob, number, text
from palazzo.store.sql.seal.sealing import SealedText, opened

if TYPE_CHECKING:
    from palazzo.store.sql.store import SqlStore

NOTE: Final = "carrying"
CHUNK: Final = 2000
_LEFT_OUT: Final = frozenset({"lease", "job"})
_VECTORS: Final[dict[str, Shape]] = {
    "vector_space": Shape(("id",), (
        number("id"), text("name"), text("model"), number("dimensions"), text("metric"), text("state"),
        number("created_us"), number("vectors"),
    )),
    "vector": Shape(("id",), (number("id"), number("scope"), blob("data"))),
}  # fmt: skip
CARRIED: Final[dict[str, Shape]] = {
    **{name: shape for name, shape in TABLES.items() if name not in _LEFT_OUT},
    **_VECTORS,
}
_BY_KEY: Final = {
    "revision": frozenset({"hash", "digest"}), "claim": frozenset({"hash"}), "claim_decision": frozenset({"text_hash"}),
    "vector": frozenset({"data", "scope"}),
}  # fmt: skip
"""Columns whose value depends on the key that seals: hashes of guarded texts, and where and how their vectors stand."""
_ROWS_BY_KEY: Final = frozenset({NOTE, "fields_check"})
"""Rows of `palace` that say where a copy stands, and which key seals."""
_MASK: Final = (1 << 256) - 1


class SqlCarriedMoment:
    """One moment of a palace, row by row."""

    def __init__(self, connection: Connection, cipher: FieldCipher | None, label: str) -> None:
        self._connection = connection
        self._cipher = cipher
        self._label = label

    def counts(self) -> dict[str, int]:
        return {table: int(one(self._connection, f"SELECT count(*) FROM {table}")[0]) for table in CARRIED}

    def mark(self) -> str:
        newest = one(self._connection, "SELECT coalesce(max(seq), 0) FROM event")[0]
        line = self._connection.execute("SELECT hash FROM audit ORDER BY id DESC LIMIT 1").fetchone()
        told = (self._label, newest, bytes(line[0]) if line else b"", sorted(self.counts().items()))
        return blake2b(msgspec.msgpack.encode(told), digest_size=16).hexdigest()

    def rows(self, table: str, after: CarriedRow, limit: int) -> list[CarriedRow]:
        shape = CARRIED[table]
        key = ", ".join(shape.key)
        past = f"WHERE ({key}) > ({', '.join('?' * len(after))})" if after else ""
        names = ", ".join(column.name for column in shape.columns)
        statement = f"SELECT {names} FROM {table} {past} ORDER BY {key} LIMIT ?"
        return [tuple(row) for row in self._connection.execute(statement, (*after, limit))]

    def key_of(self, table: str, row: CarriedRow) -> CarriedRow:
        shape = CARRIED[table]
        return tuple(row[_position(shape, name)] for name in shape.key)

    def digest(self, *, exact: bool, progress: Callable[[str, int, int], None]) -> str:
        counts = self.counts()
        told, done, total = [], 0, sum(counts.values())
        for table, shape in CARRIED.items():
            summed, after = 0, ()
            read = self._reader(table, shape, exact=exact)
            while rows := self.rows(table, after, CHUNK):
                after = self.key_of(table, rows[-1])
                done += len(rows)
                progress("digest", done, total)
                for row in rows:
                    if table != "palace" or row[0] not in _ROWS_BY_KEY:
                        found = blake2b(msgspec.msgpack.encode(read(row)), digest_size=32).digest()
                        summed = (summed + int.from_bytes(found)) & _MASK
            told.append((table, summed.to_bytes(32)))
        return blake2b(msgspec.msgpack.encode(told), digest_size=32).hexdigest()

    def _reader(self, table: str, shape: Shape, *, exact: bool) -> Callable[[CarriedRow], list[Any]]:
        """How a row of a table is read for a digest: texts opened, and without what depends on the key."""
        left_out = frozenset() if exact else _BY_KEY.get(table, frozenset())
        kept = [(n, column) for n, column in enumerate(shape.columns) if column.name not in left_out]
        owners = {column.name: _position(shape, column.owner) for _, column in kept if column.owner}

        def opened(value: Any, column: Column, row: CarriedRow) -> Any:
            if column.owner is None or not isinstance(value, bytes) or self._cipher is None:
                return value
            return self._cipher.open(value, row[owners[column.name]] if column.owner else 0)

        return lambda row: [opened(row[n], column, row) for n, column in kept]


def _stored(shape: Shape, row: CarriedRow) -> list[Any]:
    """A row for an engine that tells a sealed text from other bytes."""
    return [
        SealedText(value) if column.owner is not None and isinstance(value, bytes) else value
        for column, value in zip(shape.columns, row, strict=True)
    ]


def _position(shape: Shape, name: str) -> int:
    return next(n for n, column in enumerate(shape.columns) if column.name == name)


class SqlCarried(PalaceNoun):
    """Every row of a palace."""

    tables = tuple(CARRIED)

    @contextmanager
    def moment(self) -> Iterator[SqlCarriedMoment]:
        with self._store.database.read() as connection:
            identity = one(connection, "SELECT value FROM palace WHERE key = 'id'")[0]
            yield SqlCarriedMoment(connection, self._store.cipher, identity)

    def note(self) -> CarryNote | None:
        with self._store.database.read() as connection:
            found = connection.execute("SELECT value FROM palace WHERE key = ?", (NOTE,)).fetchone()
        return None if found is None else msgspec.msgpack.decode(bytes.fromhex(found[0]), type=CarryNote)

    def begin(self, note: CarryNote) -> None:
        def job(connection: Connection) -> None:
            for table in CARRIED:
                connection.execute(f"DELETE FROM {table}")
            _write(connection, note)

        self._store.database.write(job)

    def take(self, note: CarryNote, rows: Sequence[CarriedRow]) -> None:
        shape = CARRIED[note.table]
        names = ", ".join(column.name for column in shape.columns)
        values = ", ".join("?" * len(shape.columns))
        kept = [_stored(shape, row) for row in rows if note.table != "palace" or row[0] != NOTE]

        def job(connection: Connection) -> None:
            connection.executemany(f"INSERT INTO {note.table} ({names}) VALUES ({values})", kept)
            _write(connection, note)

        self._store.database.write(job)

    def finish(self) -> None:
        self._store.database.write(lambda connection: connection.execute("DELETE FROM palace WHERE key = ?", (NOTE,)))


def _write(connection: Connection, note: CarryNote) -> None:
    connection.execute("DELETE FROM palace WHERE key = ?", (NOTE,))
    connection.execute("INSERT INTO palace (key, value) VALUES (?, ?)", (NOTE, msgspec.msgpack.encode(note).hex()))


_REVISION: Final = "revision r JOIN memory m ON m.id = r.memory"
_SCOPE: Final = "(SELECT path FROM scope WHERE id = {0}.scope)"

TRUTH: Final[dict[str, str]] = {
    "memory": f"""SELECT m.uuid, p.path, m.name, m.kind, {_SCOPE.format("m")}, m.state, m.tier,
        m.deprecated_us, m.pinned, m.durability, m.created_us, c.number
        FROM memory m JOIN place p ON p.id = m.place JOIN revision c ON c.id = m.current""",
    "revision": f"""SELECT m.uuid, r.number, {opened("r.text", "r.id")}, {opened("r.summary", "r.id")},
        {opened("r.key_fact", "r.id")}, {opened("r.label", "r.id")}, {opened("r.detail", "r.id")}, r.importance,
        r.confidence, r.valence, r.intensity, r.author, r.created_us, r.valid_from_us, r.valid_to_us
        FROM {_REVISION}""",
    "tag_move": """SELECT m.uuid, t.tag, r.number, t.from_us, t.until_us FROM tag_move t
        JOIN memory m ON m.id = t.memory JOIN revision r ON r.id = t.revision""",
    "atom": f"""SELECT m.uuid, r.number, a.position, {opened("a.subject")}, {opened("a.predicate")},
        {opened("a.value")}, a.functional, a.negated
        FROM atom a JOIN revision r ON r.id = a.revision JOIN memory m ON m.id = r.memory""",
    "edge": f"""SELECT e.kind, s.uuid, e.source_revision, t.uuid, e.target_revision, e.weight, e.created_us,
        {opened("e.metadata", "e.source")} FROM edge e
        JOIN memory s ON s.id = e.source JOIN memory t ON t.id = e.target""",
    "artifact": """SELECT m.uuid, r.number, a.name, a.uri, a.media_type, a.size, a.sha256 FROM artifact a
        JOIN revision r ON r.id = a.revision JOIN memory m ON m.id = r.memory""",
    "entity": f"""SELECT e.uuid, {_SCOPE.format("e")}, {opened("e.name")}, e.kind,
        (SELECT uuid FROM entity WHERE id = e.merged_into) FROM entity e""",
    "mention": """SELECT e.uuid, m.uuid, r.number FROM mention n JOIN entity e ON e.id = n.entity
        JOIN revision r ON r.id = n.revision JOIN memory m ON m.id = r.memory""",
    "relation": """SELECT s.uuid, x.predicate, o.uuid, x.count, x.confidence FROM relation x
        JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object""",
    "provenance_source": """SELECT m.uuid, r.number, n.uuid, n.kind, x.kind, x.span_start, x.span_end, x.stage
        FROM provenance_source x JOIN provenance_node n ON n.id = x.node JOIN revision r ON r.id = x.revision
        JOIN memory m ON m.id = r.memory""",
    "turn": """SELECT s.thread, s.name, t.position, m.uuid, t.speaker, t.role FROM turn t
        JOIN session s ON s.id = t.session JOIN revision r ON r.id = t.revision JOIN memory m ON m.id = r.memory""",
    "displaced": """SELECT m.uuid, r.number, d.position, b.uuid, s.number, d.by_position FROM displaced d
        JOIN revision r ON r.id = d.revision JOIN memory m ON m.id = r.memory JOIN revision s ON s.id = d.by_revision
        JOIN memory b ON b.id = s.memory""",
    "outcome": "SELECT m.uuid, o.successes, o.failures FROM outcome o JOIN memory m ON m.id = o.memory",
    "claim": f"""SELECT x.uuid, {_SCOPE.format("x")}, {opened("x.text")}, x.kind, x.status, x.author FROM claim x""",
    "correction": "SELECT m.uuid, x.at_us, x.space FROM correction x JOIN memory m ON m.id = x.memory",
    "signal": f"SELECT {_SCOPE.format('x')}, x.family, x.day, x.dimension, x.count FROM signal x",
    "place": "SELECT path, seal FROM place WHERE seal <> 'open'",
    "capability_grant": "SELECT subject, glob, level, start_us, expires_us, granted_by FROM capability_grant",
    "token": "SELECT digest, uuid, subject, label, scope, expires_us, revoked_us FROM token",
    "packet": f"SELECT x.uuid, x.kind, {_SCOPE.format('x')}, x.subject, x.state, x.until_us FROM packet x",
    "slip": f"""SELECT x.uuid, x.kind, {_SCOPE.format("x")}, x.name, x.subject, x.state, {opened("x.told", "x.id")},
        x.version, x.until_us FROM slip x""",
    "snapshot": f"""SELECT x.uuid, p.path, m.uuid, {_SCOPE.format("x")}, x.subject, {opened("x.territory", "x.id")},
        x.captured_us, {opened("x.state", "x.id")} FROM snapshot x JOIN place p ON p.id = x.place
        LEFT JOIN memory m ON m.id = x.memory""",
    "own_kind": "SELECT name, told FROM own_kind",
}
"""Every table that holds truth, as rows that mean the same in any palace."""


def differences(one: SqlStore, other: SqlStore) -> tuple[str, ...]:
    """In which tables the two differ, and by how many rows; empty when they hold the same."""
    told = []
    for table, asked in TRUTH.items():
        here, there = _rows(one, asked), _rows(other, asked)
        if here != there:
            told.append(f"{table}: {(here - there).total()} rows only here, {(there - here).total()} only there")
    return tuple(told)


def _rows(store: SqlStore, asked: str) -> Counter[Any]:
    with store.database.read() as connection:
        return Counter(connection.execute(asked))
