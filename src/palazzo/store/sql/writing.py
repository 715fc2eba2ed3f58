"""A SqlWriting: the state of one job inside a write transaction. Rows are collected per table and inserted in bulk.

Owns numbering (memory, revision, journal), the per-transaction lookup of scopes and places, and the order in which
rows reach the tables. Knows nothing of what changes mean. Invariant: journal numbers are the previous maximum plus
one, so a rolled back transaction leaves no gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import numpy as np

from palazzo.errors import Conflict, NotFound
from palazzo.model.address import Place
from palazzo.model.change import EventKind
from palazzo.model.kinds import KindTable
from palazzo.model.scope import Scope
from palazzo.ports import FieldCipher
from palazzo.store.api import Space
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.spaces import EVERY_SPACE, space_from
from palazzo.store.sql import reading
from palazzo.store.sql.guard import audit
from palazzo.store.sql.journal import event_bytes, journal_digest
from palazzo.store.sql.memory import places
from palazzo.store.sql.port import RETRY, TAKEN, Asked, Clash, Connection, Keys, several
from palazzo.store.sql.tables import SqlTables

Row = tuple[object, ...]
ASKED_AT_ONCE = 64

INSERTS: dict[str, str] = {
    "provenance_node": """INSERT INTO provenance_node(id, uuid, kind, at_us, label, author, metadata, sha256)
        VALUES (?,?,?,?,?,?,?,?)""",
    "memory": """INSERT INTO memory(id, uuid, place, name, kind, scope, tier, pinned, durability, created_us,
        accessed_us, due_us, current) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)""",
    "revision": """INSERT INTO revision(id, memory, number, text, summary, key_fact, label, detail, importance,
        confidence, valence, intensity, author, created_us, valid_from_us, valid_to_us, hash, digest)
        VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
    "tag_move": "INSERT INTO tag_move(memory, tag, seq, revision, from_us) VALUES (?,?,?,?,?)",
    "atom": "INSERT INTO atom VALUES (?,?,?,?,?,?,?,?)",
    "artifact": "INSERT INTO artifact VALUES (?,?,?,?,?,?)",
    "provenance_source": "INSERT OR REPLACE INTO provenance_source VALUES (?,?,?,?,?,?)",
    "mention": "INSERT OR IGNORE INTO mention VALUES (?,?,?)",
    "turn": "INSERT INTO turn VALUES (?,?,?,?,?)",
    "intake": "INSERT INTO intake(uuid, at_us, made_us, scope, digest, fates, pending) VALUES (?,?,?,?,?,?,?)",
    "completed": """UPDATE revision SET text = ?, summary = ?, key_fact = ?, label = ?, detail = ?, importance = ?,
        confidence = ?, valence = ?, intensity = ?, author = ?, created_us = ?, valid_from_us = ?, valid_to_us = ?,
        hash = ?, digest = ? WHERE id = ?""",
    "rescheduled": "UPDATE memory SET due_us = ? WHERE id = ?",
    "event": "INSERT INTO event VALUES (?,?,?,?,?,?,?)",
}


_MAXIMA = """SELECT (SELECT max(id) FROM memory), (SELECT max(id) FROM revision), (SELECT max(seq) FROM event),
    (SELECT value FROM palace WHERE key = 'purged_below'), (SELECT max(id) FROM provenance_node)"""


class Foreseen(NamedTuple):
    """What a job will ask for, as far as that is known before it begins: all of it is asked for at once."""

    scopes: frozenset[Scope] = frozenset()
    places: frozenset[Place] = frozenset()
    nodes: tuple[UUID, ...] = ()
    steady: bool = False
    """Whether spaces and the end of the audit chain stay as they are until the job itself comes to them."""
    spaces: bool = False

    def asked(self) -> list[tuple[str, Asked]]:
        """Numbers of scopes, places and happenings by their unique indexes; then the chain's end and the spaces."""
        found: list[tuple[str, Asked]] = [("maxima", (_MAXIMA, ()))]
        for table, paths in (
            ("scope", tuple(map(str, self.scopes))),
            ("place", tuple(one.path for one in self.places)),
        ):
            said = f"SELECT t.path, t.id FROM carray(?) c JOIN {table} t ON t.path = c.value"
            found += [(table, (said, (Keys(paths),)))] if paths else []
        for at in range(0, len(self.nodes), ASKED_AT_ONCE):
            part = [node.bytes for node in self.nodes[at : at + ASKED_AT_ONCE]]
            part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))  # few statements, prepared once
            said = f"SELECT uuid, id FROM provenance_node WHERE uuid IN ({','.join('?' * len(part))})"
            found.append(("node", (said, tuple(part))))
        if self.steady:
            found += [("line", (audit.LAST, ())), *([("space", (EVERY_SPACE, ()))] if self.spaces else [])]
        return found


@dataclass(slots=True)
class Purged:
    """What a job has purged so far: the numbers by which the last step finds what was left only by it."""

    memories: set[bytes] = field(default_factory=set)
    revisions: set[int] = field(default_factory=set)
    entities: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    sessions: set[int] = field(default_factory=set)
    places: set[int] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    stretches: set[tuple[int, int, int]] = field(default_factory=set)
    """Node, start and end of what they were made from."""


@dataclass(slots=True)
class SqlWriting:
    """One job's working state; made by `begin`, ended by `flush`."""

    connection: Connection
    now_us: int
    subject: str
    kinds: KindTable
    first_memory: int
    next_memory: int
    first_revision: int
    next_revision: int
    first_seq: int
    next_seq: int
    next_node: int
    cipher: FieldCipher | None = None
    last_line: list[Any] | None = None
    """The last line of the audit chain, where it is known."""
    spaces: dict[str, Space] | None = None
    rows: dict[str, list[Row]] = field(default_factory=lambda: {table: [] for table in INSERTS})
    texts: list[tuple[int, int, list[str]]] = field(default_factory=list)
    vectors: dict[str, list[tuple[int, int, object]]] = field(default_factory=dict)
    sessions: dict[tuple[int, str, str], int] = field(default_factory=dict)
    next_positions: dict[int, int] = field(default_factory=dict)
    nodes: dict[UUID, int | None] = field(default_factory=dict)
    """Happenings that were looked for; None: not there."""
    purged: Purged = field(default_factory=Purged)
    entities: dict[tuple[int, str], tuple[int, str, bool]] = field(default_factory=dict)
    told: blake2b = field(default_factory=journal_digest)
    """The digest of the events so far."""
    pointed_at: set[int] = field(default_factory=set)
    """Memories that edges of this job lead to."""
    _scopes: dict[Scope, int] = field(default_factory=dict)
    _places: dict[Place, int] = field(default_factory=dict)
    _fresh: dict[UUID, tuple[int, int]] = field(default_factory=dict)

    @property
    def tables(self) -> SqlTables:
        """The tables, as the indexes see them."""
        return SqlTables(self.connection)

    @classmethod
    def begin(
        cls, connection: Connection, now_us: int, subject: str, kinds: KindTable, cipher: FieldCipher | None = None,
        wanted: Foreseen = Foreseen(),
    ) -> SqlWriting:  # fmt: skip
        """Reads the maxima, each the last entry of a B-tree, and what is wanted, all at once."""
        asked = wanted.asked()
        answers = several(connection, [one for _, one in asked])
        ((memory, revision, seq, high, node),) = answers[0]
        first, made, free = (seq or 0) + 1, (memory or 0) + 1, max(revision or 0, int(high or 0)) + 1
        begun = cls(
            connection, now_us, subject, kinds, made, made, free, free, first, first, (node or 0) + 1, cipher,
            nodes=dict.fromkeys(wanted.nodes),
        )  # fmt: skip
        scopes, places = {str(one): one for one in wanted.scopes}, {one.path: one for one in wanted.places}
        for (name, _), rows in zip(asked[1:], answers[1:], strict=True):
            if name == "scope":
                begun._scopes = {scopes[path]: number for path, number in rows}
            elif name == "place":
                begun._places = {places[path]: number for path, number in rows}
            elif name == "node":
                begun.nodes.update({UUID(bytes=bytes(uuid)): number for uuid, number in rows})
            elif name == "line":
                begun.last_line = rows
            else:
                begun.spaces = {space.name: space for space in map(space_from, rows)}
        return begun

    def turn(self, now_us: int, subject: str) -> None:
        """Goes on to the next batch of this job: its events are by somebody else and told apart."""
        self.now_us, self.subject = now_us, subject
        self.first_seq, self.told = self.next_seq, journal_digest()

    def event(
        self, kind: EventKind, memory: bytes | None = None, revision: int | None = None,
        detail: Mapping[str, object] | None = None,
    ) -> int:  # fmt: skip
        """Adds the next journal event and returns its number."""
        seq = self.next_seq
        self.next_seq += 1
        text = msgspec.json.encode(detail).decode() if detail else None
        self.rows["event"].append((seq, self.now_us, kind, self.subject, memory, revision, text))
        self.told.update(event_bytes((seq, self.now_us, kind, memory, revision)))
        return seq

    def scope(self, scope: Scope) -> int:
        found = self._scopes.get(scope)
        if found is None:
            found = self._scopes[scope] = reading.scope_id(self.connection, scope)
        return found

    def place(self, place: Place) -> int:
        found = self._places.get(place)
        if found is None:
            found = self._places[place] = places.place_id(self.connection, place, self.now_us)
        return found

    def remember(self, memory_id: UUID, memory: int, scope: int) -> None:
        """Notes a memory made in this job, so that later changes of the batch find it before it is flushed."""
        self._fresh[memory_id] = (memory, scope)

    def memory(self, memory_id: UUID) -> tuple[int, int]:
        """Row number and scope number of a memory.

        Raises: NotFound.
        """
        if memory_id in self._fresh:
            return self._fresh[memory_id]
        row = self.connection.execute("SELECT id, scope FROM memory WHERE uuid = ?", (memory_id.bytes,)).fetchone()
        if row is None:
            raise NotFound(f"no memory {memory_id}")
        self._fresh[memory_id] = row
        return int(row[0]), int(row[1])

    def flush(self) -> None:
        """Inserts everything collected so far, one statement per table.

        Raises: Conflict when an address is taken.
        """
        for table, statement in INSERTS.items():
            if rows := self.rows[table]:
                try:
                    self.connection.executemany(statement, rows)
                except Clash as error:
                    raise Conflict(TAKEN.get(table, f"a row of {table} is already there"), hint=RETRY) from error
                rows.clear()
        self._flush_indexes()

    def _flush_indexes(self) -> None:
        if self.texts:
            text_index.add(self.tables, self.texts, fresh=self._fresh_all(self.texts))
            self.texts.clear()
        if self.vectors:
            spaces = self.spaces or {space.name: space for space in vectors.spaces(self.tables)}
            for name, entries in self.vectors.items():
                if name not in spaces:
                    raise NotFound(f"no vector space {name!r}")
                matrix = np.asarray([vector for _, _, vector in entries], dtype=np.float32)
                keys = [(partition, revision) for partition, revision, _ in entries]
                vectors.add(self.tables, spaces[name], keys, matrix, fresh=self._fresh_all(entries))
            self.vectors.clear()

    def _fresh_all(self, rows: Sequence[tuple[int, int, object]]) -> bool:
        """Whether all of these are of revisions that this job has made."""
        return all(revision >= self.first_revision for _, revision, _ in rows)
