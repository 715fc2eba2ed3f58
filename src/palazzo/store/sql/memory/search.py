"""Searching the derived indexes through a SqlReading: the view's filter and any further one go into the search
itself.

Owns the choice between scoring exactly what a narrow filter keeps and asking the index with a check on each candidate;
which revisions have no vector in a space yet; how much of everything there is. Knows no embedder. Invariant: what the
SqlReading may not see neither comes back nor is counted, whatever the index holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.files import raw_files
from palazzo.model.address import PlaceGlob
from palazzo.store.api import (
    NARROW_ROWS,
    Field,
    Filter,
    Hits,
    Plain,
    Space,
    TextSearch,
    VectorSearch,
)
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql import indexes, journal
from palazzo.store.sql.graph import entities
from palazzo.store.sql.port import Connection, bound, one
from palazzo.store.sql.reading import SqlReading, SQLValue, glob_condition, visible_scopes, writable
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.tables import SqlTables

if TYPE_CHECKING:
    from palazzo.store.sql.store import SqlStore

WALKED = 4_096
"""Memories looked through, newest first, before a list is found by its filter: a millisecond."""
LAST_KEY = 1 << 48
_TEXTS: tuple[Field, ...] = ("turn", "text")


_DETAIL = opened("r.detail", "r.id")


def _condition(reading: SqlReading, wanted: Filter) -> tuple[str, tuple[SQLValue, ...]]:
    parts: list[str] = []
    values: list[SQLValue] = []
    if wanted.glob is not None:
        condition, ends = glob_condition(wanted.glob)
        parts.append(condition)
        values += ends
        if wanted.glob.slice is not None:
            parts.append("r.valid_from_us >= ? AND r.valid_from_us < ?")
            values += wanted.glob.slice.bounds_us()
    if wanted.kinds:
        parts.append(f"m.kind IN ({','.join('?' * len(wanted.kinds))})")
        values += wanted.kinds
    if wanted.author:
        parts.append("r.author = ?")
        values.append(writable(wanted.author))
    if wanted.valid_after_us is not None:
        parts.append("r.valid_from_us >= ?")
        values.append(wanted.valid_after_us)
    if wanted.valid_before_us is not None:
        parts.append("r.valid_from_us < ?")
        values.append(wanted.valid_before_us)
    if wanted.valence is not None:
        parts.append("r.valence BETWEEN ? AND ?")
        values += wanted.valence
    for name in wanted.mentions:
        # Uses the primary key of mention: the few revisions that mention it are found first.
        known = ",".join(map(str, entities.family_of(reading, name))) or "-1"
        parts.append(f"r.id IN (SELECT revision FROM mention WHERE entity IN ({known}))")
    for key, value in wanted.metadata:
        # instr spares nearly all rows the reading of JSON; a sealed detail is opened first.
        parts.append(
            f"""(r.detail IS NOT NULL AND (typeof(r.detail) = 'blob' OR instr(r.detail, ?) > 0) AND EXISTS (
                SELECT 1 FROM json_each({_DETAIL}, '$.metadata') j WHERE j.key = ? AND j.atom = ?
                AND j.type IN ({_json_types(value)})))"""
        )
        values += (_as_stored(key, value), key, value)
    return " AND ".join(parts) or "TRUE", tuple(values)


def _as_stored(key: str, value: Plain) -> str:
    """A stretch that stands in every detail with this value: 4 also begins 4.0; other numbers have other spellings."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        written = str(int(value)) if value == value // 1 and 0 < abs(value) < 1e15 else ""
    else:
        written = msgspec.json.encode(value).decode()
    return f"{msgspec.json.encode(key).decode()}:{written}"


def _json_types(value: Plain) -> str:
    """The JSON types a value may be stored with: true is not 1, and 1 is 1.0."""
    if isinstance(value, bool):
        return "'true'" if value else "'false'"
    return "'text'" if isinstance(value, str) else "'integer', 'real'"


def keys_where(reading: SqlReading, wanted: Filter, limit: int) -> NDArray[np.int64]:
    condition, values = _condition(reading, wanted)
    rows = reading.connection.execute(
        f"SELECT r.id FROM {reading.source} WHERE {reading.where} AND {condition} LIMIT ?",
        (*reading.values, *values, limit),
    )
    return np.sort(np.fromiter((key for (key,) in rows), dtype=np.int64))


def walk(reading: SqlReading, glob: PlaceGlob, wanted: Filter, limit: int) -> NDArray[np.int64]:
    places, ends = _condition(reading, Filter(glob=glob))
    condition, values = _condition(reading, wanted)
    depth = "iif(p.path = '', 0, 1 + length(p.path) - length(replace(p.path, '.', '')))"
    rows = reading.connection.execute(
        f"""SELECT r.id FROM {reading.source} WHERE {places} AND {reading.where} AND {condition}
            ORDER BY {depth}, r.importance DESC, r.id DESC LIMIT ?""",
        (*ends, *reading.values, *values, limit),
    )
    return np.fromiter((key for (key,) in rows), dtype=np.int64)


def newest(reading: SqlReading, wanted: Filter, limit: int, before: int | None = None) -> list[int]:
    """Keys of visible revisions that pass a filter and are older than `before`, newest first, at most `limit`.

    Mostly the page is among the newest few thousand memories, which memory_current gives in order. What is rarer, or of
    another time, is found by its filter and then sorted; a kind alone by the hot columns, where they are read.
    """
    last = LAST_KEY if before is None else before
    if wanted.kinds and wanted == Filter(kinds=wanted.kinds):
        hot = reading.hot.newest(reading, wanted.kinds, last, limit)
        if hot is not None:
            return hot
    found: list[int] = []
    if reading.is_now:
        condition, values = _condition(reading, wanted)
        rows = reading.connection.execute(
            f"SELECT r.id {_newest_source(reading)} WHERE {reading.where} AND {condition} ORDER BY n.key DESC LIMIT ?",
            (last, WALKED, *reading.values, *values, limit),
        )
        found = [int(key) for (key,) in rows]
        if len(found) == limit or _few(reading, last):
            return found
    keys = keys_where(reading, wanted, LAST_KEY)
    return [int(key) for key in keys[: int(np.searchsorted(keys, last))][::-1][:limit]]


def count(reading: SqlReading, wanted: Filter, *, exact: bool) -> int | None:
    if reading.is_now and _few(reading, LAST_KEY):
        condition, values = _condition(reading, wanted)
        (total,) = one(
            reading.connection, f"SELECT count(*) {_newest_source(reading)} WHERE {reading.where} AND {condition}",
            (LAST_KEY, WALKED, *reading.values, *values),
        )  # fmt: skip
        return int(total)
    return len(keys_where(reading, wanted, LAST_KEY)) if exact else None


def _newest_source(reading: SqlReading) -> str:
    return (
        "FROM (SELECT current AS key FROM memory WHERE current < ? ORDER BY current DESC LIMIT ?) n"
        f" {reading.shown('n.key')} JOIN revision r ON r.id = m.current AND r.memory = m.id"
    )


def _few(reading: SqlReading, last: int) -> bool:
    """Whether no more memories than are walked at once are older than `last`."""
    (number,) = one(
        reading.connection, "SELECT count(*) FROM (SELECT 1 FROM memory WHERE current < ? LIMIT ?)", (last, WALKED + 1)
    )
    return int(number) <= WALKED


def _plan(
    reading: SqlReading, wanted: Filter
) -> tuple[NDArray[np.int64] | None, Callable[[NDArray[np.int64]], NDArray[np.bool_]]]:
    """Either the exact rows to score, or a check for candidates."""
    if wanted.empty:
        return None, reading.allowed
    keys = reading.narrowed.get(wanted)
    if keys is None:
        keys = reading.narrowed[wanted] = keys_where(reading, wanted, NARROW_ROWS + 1)
    if len(keys) <= NARROW_ROWS:
        return keys, lambda found: np.ones(len(found), dtype=np.bool_)
    condition, values = _condition(reading, wanted)

    def allowed(found: NDArray[np.int64]) -> NDArray[np.bool_]:
        rows = reading.connection.execute(
            f"""SELECT r.id FROM {reading.source} WHERE r.id IN (SELECT value FROM carray(?))
                AND {reading.where} AND {condition}""",
            (bound(found), *reading.values, *values),
        )
        return np.isin(found, np.fromiter((key for (key,) in rows), dtype=np.int64))

    return None, allowed


def passing(reading: SqlReading, keys: NDArray[np.int64], wanted: Filter) -> NDArray[np.bool_]:
    condition, values = _condition(reading, wanted)
    rows = reading.connection.execute(
        f"""SELECT r.id FROM {reading.source} WHERE r.id IN (SELECT value FROM carray(?))
            AND {reading.where} AND {condition}""",
        (bound(keys), *reading.values, *values),
    )
    return np.isin(keys, np.fromiter((key for (key,) in rows), dtype=np.int64))


def text(store: SqlStore, reading: SqlReading, search: TextSearch) -> Hits:
    only, allowed = _plan(reading, search.filter)
    query = text_index.TextQuery(
        partitions=tuple(indexes.partition(scope, search.field) for scope in reading.scopes),
        terms=search.terms, limit=search.limit, only=only, weights=search.weights or {}, late=search.late,
    )  # fmt: skip
    found = text_index.search(reading.tables, store.text_cache, query, allowed, reading.text_parts)
    return Hits(found.revisions, found.scores)


def vector(store: SqlStore, reading: SqlReading, search: VectorSearch) -> Hits:
    space = space_named(reading, search.space)
    if space is None:
        return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
    only, allowed = _plan(reading, search.filter)
    asked = [(search.field, search.vector)]
    if reading.cipher is not None and search.field in indexes.HIDDEN:
        asked.append((indexes.HIDDEN[search.field], reading.cipher.turn(search.vector[None, :])[0]))
    found = [
        vectors.search(
            reading.tables,
            store.vector_cache,
            vectors.VectorQuery(
                space=space, partitions=tuple(indexes.partition(scope, field) for scope in reading.scopes),
                vector=turned, limit=search.limit, only=only, scored=search.scored, late=search.late,
            ),
            allowed,
            reading.vector_parts,
        )
        for field, turned in asked
    ]  # fmt: skip
    return _best([Hits(hits.revisions, hits.scores) for hits in found], search.limit)


def space_named(reading: SqlReading, name: str = "") -> Space | None:
    """The space of this name, or the active one for an empty name; asked for once in a moment."""
    return reading.held(("space", name), lambda: vectors.space_named(reading.tables, name))


def _best(found: list[Hits], limit: int) -> Hits:
    if len(found) == 1 or not len(found[1].keys):
        return found[0]
    keys = np.concatenate([hits.keys for hits in found])
    scores = np.concatenate([hits.scores for hits in found])
    order = np.lexsort((-keys, -scores))[:limit]
    return Hits(keys[order], scores[order])


def term_scores(
    store: SqlStore, reading: SqlReading, terms: tuple[str, ...], keys: NDArray[np.int64]
) -> NDArray[np.float32]:
    """What each distinct term (rows, in order) adds to the BM25 of each revision (columns, ascending).

    Turns and statements are scored by one set of statistics.
    """
    scopes = tuple(indexes.partition(scope, field) for scope in reading.scopes for field in _TEXTS)
    query = text_index.TextQuery(partitions=scopes, terms=terms)
    return text_index.term_scores(reading.tables, store.text_cache, query, keys, reading.text_parts)


def holding(store: SqlStore, reading: SqlReading, terms: Sequence[str]) -> frozenset[str]:
    partitions = tuple(indexes.partition(scope, field) for scope in reading.scopes for field in _TEXTS)
    return text_index.holding(reading.tables, store.text_cache, partitions, terms, reading.text_parts)


def similarities(
    reading: SqlReading, space: Space, vector: NDArray[np.float32], keys: NDArray[np.int64],
    scored: Mapping[int, float] = MappingProxyType({}),
) -> NDArray[np.float32]:  # fmt: skip
    """The exact similarity of each of these revisions; those whose vectors are turned are compared with a turned one.

    Raises: InvalidInput.
    """
    parts = [part for (number, _), part in reading.vector_parts.items() if number == space.id]
    scores = vectors.similarities(reading.tables, space, vector, keys, scored, parts)
    if reading.cipher is not None:
        hidden = np.isin(vectors.partitions_of(reading.tables, space, keys) % indexes.WIDTH, _HIDDEN)
        if hidden.any():
            turned = reading.cipher.turn(np.asarray(vector, np.float32)[None, :])[0]
            scores[hidden] = vectors.similarities(reading.tables, space, turned, keys[hidden])
    return scores


_HIDDEN = [indexes.NUMBERS[field] for field in indexes.HIDDEN.values()]


def missing_vectors(connection: Connection, space: Space, limit: int, after: int = 0) -> list[tuple[int, str]]:
    """The first revisions behind `after` that have no vector in this space, with their texts.

    Pass the last revision of one batch as `after` of the next: from the start, every batch would look at all before it.
    """
    rows: Any = connection.execute(
        f"""SELECT r.id, {opened("r.text", "r.id")} FROM revision r
           WHERE r.id > ?1 AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.id = r.id | ?2)
           ORDER BY r.id LIMIT ?3""",
        (after, vectors.id_range(space.id)[0], limit),
    )
    return list(rows)


def count_missing_vectors(connection: Connection, space: Space) -> int:
    """How many revisions have no vector in this space."""
    (revisions,) = one(connection, "SELECT count(*) FROM revision")
    return max(0, int(revisions) - vectors.space_of(SqlTables(connection), space.id).vectors)


def overview(store: SqlStore) -> dict[str, Any]:
    with store.database.read() as connection:
        seq = journal.last_seq(connection)
        counted = store.tallies.of("overview", seq, lambda: _counts(connection))
        return {
            "palace": str(store.folder), **counted, "events": seq,
            "index_tails_due": len(text_index.pending(SqlTables(connection))),
            "bytes": raw_files.size_of(store.folder, "palace.db"),
        }  # fmt: skip


def _counts(connection: Connection) -> dict[str, Any]:
    def count(table: str) -> int:
        return int(one(connection, f"SELECT count(*) FROM {table}")[0])

    spaces = [
        {
            "name": s.name, "model": s.model, "dimensions": s.dimensions, "state": s.state,
            "missing": count_missing_vectors(connection, s),
        }
        for s in vectors.spaces(SqlTables(connection))
    ]  # fmt: skip
    return {
        "memories": count("memory"),
        "revisions": count("revision"),
        "places": count("place"),
        "edges": count("edge"),
        "entities": count("entity"),
        "spaces": spaces,
    }


def by_scope(reading: SqlReading) -> tuple[tuple[str, int], ...]:
    """Scans memory: whoever asks wants to see the whole palace."""
    rows: Any = reading.connection.execute(
        f"""SELECT s.path, count(*) FROM memory m JOIN place p ON p.id = m.place JOIN scope s ON s.id = m.scope
            WHERE {reading.where} GROUP BY s.path ORDER BY 2 DESC, 1""",
        reading.values,
    )
    return tuple(rows)


def elsewhere(reading: SqlReading) -> bool:
    (count,) = one(reading.connection, "SELECT count(*) FROM scope")
    return int(count) > len(visible_scopes(reading.connection, reading.view))


def within(reading: SqlReading) -> dict[str, Any]:
    seen = f"memory m JOIN place p ON p.id = m.place WHERE {reading.where}"

    def count(what: str, source: str, values: int = 1) -> int:
        return int(one(reading.connection, f"SELECT {what} FROM {source}", reading.values * values)[0])

    ends = f"(SELECT m.id FROM {seen})"
    spaces = [
        {"name": s.name, "model": s.model, "dimensions": s.dimensions, "state": s.state, "missing": 0}
        for s in vectors.spaces(reading.tables)
    ]
    return {
        "palace": "", "memories": count("count(*)", seen),
        "revisions": count("count(*)", f"revision WHERE memory IN {ends}"),
        "places": count("count(DISTINCT p.id)", seen),
        "edges": count("count(*)", f"edge WHERE source IN {ends} AND target IN {ends}", 2),
        "entities": count(
            "count(DISTINCT n.entity)", f"mention n JOIN revision v ON v.id = n.revision WHERE v.memory IN {ends}"
        ),
        "events": 0, "spaces": spaces, "index_tails_due": 0, "bytes": 0,
    }  # fmt: skip
