"""What a reader is told of entities: which there are, and the profile of one with its relations.

Owns no table. Every figure is counted over memories the reader sees as current, so an entity that only others speak of
is not there, and a relation is told while the memory that stated it is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from msgspec.structs import replace

from palazzo.model.graph import Entity, EntityKind, Profile, Relation
from palazzo.model.scope import Scope
from palazzo.store.sql.graph.entities import (
    SAME,
    aliases_of,
    allowed,
    family_of,
    mentioned_by,
    named,
    names_of,
    root_of,
    roots_named,
)
from palazzo.store.sql.port import bound
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import opened
from palazzo.text.words.tokens import normalise


class _Sighting(NamedTuple):
    """What a reader sees of one entity."""

    entity: int
    uuid: bytes
    name: str
    kind: EntityKind
    scope: str
    merged_into: int | None
    memories: int
    first_us: int
    last_us: int


def _sightings(reading: SqlReading, condition: str, values: Sequence[Any]) -> list[_Sighting]:
    rows = reading.connection.execute(
        f"""SELECT e.id, e.uuid, {opened("e.name")}, e.kind, s.path, e.merged_into, count(DISTINCT m.id),
                   min(m.created_us), max(r.created_us)
            FROM mention x {reading.at("x.revision")} JOIN entity e ON e.id = x.entity
            JOIN scope s ON s.id = e.scope WHERE {reading.where} AND {condition}
            GROUP BY e.id, e.uuid, e.name, e.kind, s.path, e.merged_into""",
        (*reading.values, *values),
    )
    return [_Sighting(*row) for row in rows]


def listed(
    reading: SqlReading, kind: EntityKind | None = None, words: str = "", limit: int = 100
) -> tuple[Entity, ...]:
    """Every mention this reader sees, counted by entity: as much work as there are mentions."""
    met: dict[int, list[_Sighting]] = {}
    for one in _sightings(reading, "TRUE", ()):
        root = one.entity if one.merged_into is None else root_of(reading.connection, one.entity)
        met.setdefault(root, []).append(one)
    found = [_entity(root, parts) for root, parts in met.items()]
    wanted = normalise(words)
    named = [
        (entity, numbers) for entity, numbers in found
        if (kind is None or entity.kind == kind)
        and (not wanted or any(wanted in normalise(name) for name in _all_names(reading, numbers)))
    ]  # fmt: skip
    named.sort(key=lambda one: (-one[0].mentions, one[0].name))
    return tuple(replace(entity, aliases=tuple(_all_names(reading, numbers))) for entity, numbers in named[:limit])


def _entity(root: int, parts: Sequence[_Sighting]) -> tuple[Entity, list[int]]:
    """An entity as its parts show it: under the name of the root where that is seen, else of the most mentioned."""
    ordered = sorted(parts, key=lambda one: (one.entity != root, -one.memories))
    head = ordered[0]
    kind = next((one.kind for one in ordered if one.kind != "other"), head.kind)
    return Entity(
        UUID(bytes=head.uuid), head.name, kind, Scope.parse(head.scope), (), sum(one.memories for one in parts),
        min(one.first_us for one in parts), max(one.last_us for one in parts),
    ), [one.entity for one in ordered]  # fmt: skip


def _all_names(reading: SqlReading, entities: Iterable[int]) -> list[str]:
    return sorted({name for entity in entities for name in aliases_of(reading, entity)})


def profile(reading: SqlReading, name: str, limit: int = 200) -> Profile | None:
    """Uses the primary keys of alias, mention and relation, entity_merged and relation_object."""
    roots = roots_named(reading, name)
    family = family_of(reading, name)
    if not family:
        return None
    parts = _sightings(reading, "x.entity IN (SELECT value FROM carray(?))", (bound(family),))
    ties = _relations_of(reading, family, limit)
    if not parts:
        if not ties:
            return None
        (known, *_) = [one for root in roots for one in named(reading, names_of(reading, root)[0], 1)]
        return Profile(replace(known, mentions=0, aliases=(known.name,)), (), ties, ())
    head, shown = _entity(roots[0], parts)
    head = replace(head, aliases=tuple(_all_names(reading, shown)))
    joined = tuple(
        replace(_entity(one.entity, [one])[0], aliases=aliases_of(reading, one.entity))
        for one in sorted(parts, key=lambda one: one.entity)
        if UUID(bytes=one.uuid) != head.id
    )
    return Profile(head, joined, ties, mentioned_by(reading, family, limit))


def _relations_of(reading: SqlReading, family: Sequence[int], limit: int) -> tuple[Relation, ...]:
    """Relations with an end in a family, newest first, while the memory that stated one last is believed.

    Where that one was purged, a memory that names both ends stands for it.
    """
    columns = (
        f"{opened('s.name')}, x.predicate, {opened('o.name')}, x.count, x.last_us, x.confidence, x.revision, s.id, o.id"
    )
    joins = "JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object"
    found: list[tuple[Relation, int | None, int, int]] = []
    for end, outward in (("subject", True), ("object", False)):
        rows = reading.connection.execute(
            f"""SELECT {columns} FROM carray(?) c JOIN relation x ON x.{end} = c.value {joins}
                ORDER BY x.last_us DESC LIMIT ?""",
            (bound(family), limit),
        )
        found += [
            (Relation(row[0], row[1], row[2], row[3], row[4], row[5], outward), row[6], row[7], row[8]) for row in rows
        ]
    seen = allowed(reading, [revision for _, revision, _, _ in found])
    told = [
        relation
        for (relation, revision, subject, target), visible in zip(found, seen, strict=True)
        if (visible if revision is not None else _both_named(reading, subject, target))
        and not (relation.predicate == SAME and subject in family and target in family)
    ]
    return tuple(sorted(told, key=lambda relation: -relation.last_us)[:limit])


def tied(reading: SqlReading, name: str, predicate: str, limit: int = 8) -> tuple[tuple[str, str], ...]:
    """Uses the primary key of alias, entity_merged and relation_object."""
    family = family_of(reading, name)
    if not family:
        return ()
    return _tied(reading, family, predicate, limit) or _tied(reading.through_time(), family, predicate, limit)


def _tied(reading: SqlReading, family: Sequence[int], predicate: str, limit: int) -> tuple[tuple[str, str], ...]:
    rows = reading.connection.execute(
        f"""SELECT {opened("s.name")}, {opened("r.text", "r.id")}
            FROM carray(?) c CROSS JOIN relation x ON x.object = c.value AND x.predicate = ?
            CROSS JOIN entity s ON s.id = x.subject {reading.at("x.revision")}
            WHERE {reading.where} ORDER BY x.last_us DESC LIMIT ?""",
        (bound(family), predicate, *reading.values, limit),
    )
    return tuple((str(told), str(text)) for told, text in rows)


def _both_named(reading: SqlReading, one: int, other: int) -> bool:
    row = reading.connection.execute(
        f"""SELECT 1 FROM mention x JOIN mention y ON y.revision = x.revision AND y.entity = ?
            JOIN {reading.source} WHERE r.id = x.revision AND x.entity = ? AND {reading.where} LIMIT 1""",
        (other, one, *reading.values),
    ).fetchone()
    return row is not None


LATELY = 2_000
"""Memories that say who is about."""


def writers(reading: SqlReading, limit: int) -> tuple[tuple[str, int], ...]:
    """Uses memory_current: the newest are looked at, however many there are."""
    rows = reading.connection.execute(
        f"""SELECT r.author, count(*) FROM (SELECT current AS key FROM memory ORDER BY current DESC LIMIT ?) n
            {reading.at("n.key")} WHERE r.author IS NOT NULL AND {reading.where}
            GROUP BY r.author ORDER BY 2 DESC, 1 LIMIT ?""",
        (LATELY, *reading.values, limit),
    )
    return tuple((str(author), int(count)) for author, count in rows)
