"""What is already known: current, visible memories by their wording and by the slot they fill, and taken addresses.

Owns the exact, indexed lookups that intake makes before it writes. Knows nothing of similarity beyond equality.
Invariant: everything but `taken` passes the reader's filter; `taken` says only that an address is in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from itertools import chain
from typing import Any
from uuid import UUID

import numpy as np

from palazzo.model.address import Place, name_for
from palazzo.model.change import UNREAD
from palazzo.model.graph import Edge, Node
from palazzo.model.ids import id_from
from palazzo.model.kinds import GIVEN, HAPPENED
from palazzo.model.memory import Memory
from palazzo.model.scope import Scope
from palazzo.store.api import NEVER, SETTLING_CURSOR, FirstSource, KnownText, Marks, Noted
from palazzo.store.index.text import index as text_index
from palazzo.store.index.text.index import TextCache
from palazzo.store.sql import indexes
from palazzo.store.sql.belief.beliefs import stated
from palazzo.store.sql.memory.memories import COLUMNS, atoms_of, kinds_of, marks_of, memory_from, place_of, scope_of
from palazzo.store.sql.port import bound
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import opened
from palazzo.text.meaning.kinds import only_asks

CHUNK = 200
ENDS = ("source", "target")
SPARE = 8
FEW_CONFLICTS = 1_024
FEW_SHORTENED = 6
"""Memories in open conflict that are known by number between two writes."""
_GIVEN = f"({', '.join(repr(kind) for kind in sorted(GIVEN))})"
_MARK = re.compile(r"-[0-9a-f]{8}")
"""What a name ends in whose first bearer is forgotten and still holds the address."""


def with_wording(reading: SqlReading, keys: Sequence[bytes]) -> dict[bytes, list[Memory]]:
    """Memories whose current text has one of these wording keys, oldest first. Uses revision_hash."""
    found: dict[bytes, list[Memory]] = {}
    plain = {key: key for key in keys}
    if reading.cipher is not None:
        plain |= {reading.cipher.mark(key): key for key in keys}
    stored = list(plain)
    for start in range(0, len(stored), CHUNK):
        some = stored[start : start + CHUNK]
        marks = ",".join("?" * len(some))
        rows = reading.connection.execute(
            f"""SELECT {COLUMNS} FROM {reading.source}
                WHERE substr(r.hash, 1, 8) IN ({marks}) AND r.hash IN ({marks}) AND {reading.where} ORDER BY r.id""",
            (*(key[:8] for key in some), *some, *reading.values),
        )
        for row in rows:
            found.setdefault(plain[row[28]], []).append(memory_from(row))
    return found


def with_slots(
    reading: SqlReading, slots: Iterable[tuple[str, str]], limit: int = 8
) -> dict[tuple[str, str], list[Memory]]:
    """Memories whose current revision states one of these (subject, predicate), newest first. Uses atom_slot."""
    found: dict[tuple[str, str], list[Memory]] = {}
    statement = f"""SELECT {COLUMNS} FROM (SELECT DISTINCT revision FROM atom
            WHERE subject = ? AND predicate = ? AND scope IN ({reading.scope_list})) a
        JOIN {reading.source} WHERE r.id = a.revision AND {reading.where} ORDER BY r.id DESC LIMIT ?"""
    for slot in slots:
        rows: list[Any] = []
        for stored in stated(reading, [slot]):
            rows += reading.connection.execute(statement, (*stored, *reading.values, limit)).fetchall()
        if rows:
            rows.sort(key=lambda row: -row[13])
            found[slot] = [memory_from(row, (atoms_of(reading.connection, int(row[13])),)) for row in rows[:limit]]
    return found


def nearest(
    reading: SqlReading, cache: TextCache, asked: Sequence[tuple[tuple[str, ...], int]]
) -> list[list[KnownText]]:
    scopes = tuple(indexes.partition(scope) for scope in reading.scopes)
    queries = [text_index.TextQuery(partitions=scopes, terms=terms, limit=limit + SPARE) for terms, limit in asked]
    hits = [found.revisions.tolist() for found in text_index.search_many(reading.tables, cache, queries)]
    # Mostly all of the first may be seen, which is enough: the spare ones are read only for a search that lacks some.
    seen = _rows(reading, {key for found, (_, limit) in zip(hits, asked, strict=True) for key in found[:limit]})
    lacking = {
        key for found, (_, limit) in zip(hits, asked, strict=True)
        if any(key not in seen for key in found[:limit]) for key in found[limit:] if key not in seen
    }  # fmt: skip
    seen |= _rows(reading, lacking)
    chosen = [[key for key in found if key in seen][:limit] for found, (_, limit) in zip(hits, asked, strict=True)]
    once = {key: _candidate(seen[key]) for key in dict.fromkeys(chain.from_iterable(chosen))}
    return [[once[key] for key in found] for found in chosen]


def with_sources(reading: SqlReading, keys: Sequence[int]) -> tuple[dict[int, Memory], dict[int, FirstSource]]:
    """Uses memory_current and the primary keys, that of provenance_source for what each came from."""
    rows = reading.connection.execute(
        f"""SELECT {COLUMNS}, n.kind, n.label, n.at_us, s.stage FROM carray(?) c {reading.at("c.value")}
            LEFT JOIN provenance_source s ON s.revision = r.id LEFT JOIN provenance_node n ON n.id = s.node
            WHERE {reading.where} ORDER BY n.at_us DESC, n.id DESC""",
        (bound(keys), *reading.values),
    )
    found: dict[int, Memory] = {}
    sources: dict[int, FirstSource] = {}
    for *row, kind, label, at_us, stage in rows:
        if row[13] not in found:
            found[row[13]] = memory_from(row)
        if kind is not None:
            sources[row[13]] = FirstSource(kind, label, at_us, stage)
    return found, sources


def noted(reading: SqlReading, keys: Sequence[int], marks: Marks | None = None) -> Noted:
    """Out of the hot columns where they are read, else by reading the texts."""
    hot = reading.hot.seen(reading, keys, lambda rows, seen: rows.noted(seen))
    if hot is not None:
        return hot
    marks = marks or marks_of(reading, keys)
    ending = [key for key, until in zip(marks.keys, marks.valid_to_us, strict=True) if until is not None]
    kinds = kinds_of(reading, ending) if ending else {}
    ends = [
        NEVER if until is None or kinds[key] in HAPPENED else until
        for key, until in zip(marks.keys, marks.valid_to_us, strict=True)
    ]
    return Noted(
        np.array(marks.keys, np.int64), np.array([len(text) for text in marks.texts], np.int32),
        np.array([only_asks(text) for text in marks.texts], np.float32), np.array(marks.importance, np.float64),
        np.array(ends, np.int64),
    )  # fmt: skip


def of(reading: SqlReading, keys: Sequence[int]) -> list[KnownText]:
    rows = _rows(reading, set(keys))
    return [_candidate(rows[key]) for key in keys if key in rows]


def _candidate(row: Any) -> KnownText:
    key, uuid, number, text, key_fact, kind, scope, place, valid_from_us = row
    return KnownText(key, id_from(uuid), number, text, key_fact, kind, scope_of(scope), place_of(place), valid_from_us)


def _rows(reading: SqlReading, keys: Set[int]) -> dict[int, Any]:
    if not keys:
        return {}
    rows = reading.connection.execute(
        f"""SELECT r.id, m.uuid, r.number, {opened("r.text", "r.id")}, {opened("r.key_fact", "r.id")},
                   m.kind, (SELECT path FROM scope WHERE id = m.scope),
                   p.path, r.valid_from_us
            FROM {reading.source} WHERE r.id IN (SELECT value FROM carray(?)) AND {reading.where}
              AND m.kind NOT IN {_GIVEN}""",
        (bound(sorted(keys)), *reading.values),
    )
    return {row[0]: row for row in rows}


def titled(reading: SqlReading, title: str, place: Place | None = None) -> tuple[Memory, ...]:
    """Memories that are called so, in any words or by the name in their address, newest first; at one place if given.

    Uses memory_name: however many places there are, only what bears the name is looked at.
    """
    name = name_for(title)
    at, values = ("AND p.path = ?", (place.path,)) if place is not None else ("", ())
    rows = reading.connection.execute(
        f"""SELECT {COLUMNS} FROM {reading.source}
            WHERE m.id IN (SELECT id FROM memory WHERE name = ? UNION SELECT id FROM memory WHERE name BETWEEN ? AND ?)
            {at} AND {reading.where} ORDER BY m.id DESC LIMIT ?""",
        (name, f"{name}-0", f"{name}-g", *values, *reading.values, CHUNK),
    )
    found = [memory_from(row, (atoms_of(reading.connection, int(row[13])),)) for row in rows]
    return tuple(
        memory for memory in found
        if memory.name == name or (memory.title == title and _MARK.fullmatch(memory.name, len(name)))
    )  # fmt: skip


def shortened(reading: SqlReading, digits: str) -> tuple[Memory, ...]:
    """Memories whose id begins or ends so. The unique index on memory.uuid is read whole: a person named one."""
    rows = reading.connection.execute(
        f"""SELECT {COLUMNS} FROM {reading.source}
            WHERE m.id IN (SELECT id FROM memory WHERE hex(uuid) LIKE ? OR hex(uuid) LIKE ?)
            AND {reading.where} ORDER BY m.id DESC LIMIT ?""",
        (f"{digits.upper()}%", f"%{digits.upper()}", *reading.values, FEW_SHORTENED),
    )
    return tuple(memory_from(row, (atoms_of(reading.connection, int(row[13])),)) for row in rows)


def disputed(reading: SqlReading, keys: Sequence[int], weight: float) -> dict[int, int]:
    """By key of a current revision, that of the newest visible memory it is in open conflict with. Uses edge_target.

    Most palaces have few conflicts: which memories are in one is asked once, by edge_contradicts.
    """

    def in_conflict() -> frozenset[int]:
        rows: Any = reading.connection.execute(
            "SELECT target FROM edge WHERE kind = 'contradicts' ORDER BY id LIMIT ?", (FEW_CONFLICTS + 1,)
        )
        return frozenset(target for (target,) in rows)

    numbers = reading.hot.memories(reading, keys)
    if numbers is not None:
        older = reading.held("in conflict", in_conflict)
        if len(older) <= FEW_CONFLICTS and older.isdisjoint(numbers):
            return {}
    rows = reading.connection.execute(
        f"""SELECT c.value, r.id FROM carray(?) c JOIN memory old ON old.current = c.value
            JOIN edge e ON e.target = old.id AND e.kind = 'contradicts' JOIN {reading.source}
            WHERE m.id = e.source AND e.weight >= ? AND {reading.where} ORDER BY r.id""",
        (bound(keys), weight, *reading.values),
    )
    return {int(older): int(newer) for older, newer in rows}


UNREAD_SINCE = f"""SELECT m.current, v.seq FROM carray(?) c JOIN memory m ON m.current = c.value
    JOIN tag_move t ON t.memory = m.id AND t.tag = 'current' AND t.until_us IS NULL
    JOIN event v ON v.seq = t.seq WHERE CAST(v.detail ->> '$.{UNREAD}' AS TEXT) IN ('1', 'true')"""
"""Those of some current revisions that were left to be read by the pass that settles, and the event that says so.

Uses memory_current, the primary key of tag_move and that of event.
"""


def unread(reading: SqlReading, keys: Sequence[int]) -> frozenset[int]:
    """Those of these current revisions that no pass has yet read beside what they may change."""

    def settled() -> int:
        row = reading.connection.execute(f"SELECT seq FROM cursor WHERE name = '{SETTLING_CURSOR}'").fetchone()
        return 0 if row is None else int(row[0])

    so_far = reading.held("settled", settled)
    found = reading.hot.unread(reading, keys, so_far)
    if found is not None:
        return found
    rows: Any = reading.connection.execute(UNREAD_SINCE, (bound(keys),))
    return frozenset(key for key, seq in rows if seq > so_far)


def taken(
    reading: SqlReading, scope: Scope, addresses: Iterable[tuple[Place, str, str]]
) -> set[tuple[Place, str, str]]:
    """Which (place, name, kind) are in use in a scope, by whatever memory. Uses memory_address."""
    execute = reading.connection.execute
    row = execute("SELECT id FROM scope WHERE path = ?", (str(scope),)).fetchone()
    if row is None:
        return set()
    return {
        (place, name, kind)
        for place, name, kind in addresses
        if execute(
            """SELECT 1 FROM memory WHERE place = (SELECT id FROM place WHERE path = ?) AND name = ? AND kind = ?
               AND scope = ?""",
            (place.path, name, kind, row[0]),
        ).fetchone()
    }


def conflicts(reading: SqlReading, limit: int = 100) -> tuple[Edge, ...]:
    """Open disagreements, newest first: contradicts edges whose ends this reader sees. Uses edge_contradicts."""
    ends = (f"EXISTS (SELECT 1 FROM {reading.source} WHERE m.id = e.{end} AND {reading.where})" for end in ENDS)
    rows = reading.connection.execute(
        f"""SELECT (SELECT uuid FROM memory WHERE id = e.source), e.source_revision,
                   (SELECT uuid FROM memory WHERE id = e.target), e.target_revision, e.weight, e.created_us
            FROM main.edge e INDEXED BY edge_contradicts
            WHERE e.kind = 'contradicts' AND e.id IN (SELECT id FROM edge) AND {" AND ".join(ends)}
            ORDER BY e.id DESC LIMIT ?""",
        (*reading.values, *reading.values, limit),
    )
    return tuple(
        Edge(
            "contradicts", Node(UUID(bytes=source), source_revision or None),
            Node(UUID(bytes=target), target_revision or None), weight, created_us,
        )
        for source, source_revision, target, target_revision, weight, created_us in rows
    )  # fmt: skip
