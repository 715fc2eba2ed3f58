"""Entities, the ways they are written, where they are mentioned, and relations between them, per scope.

Owns entity, alias, mention and relation. Finding entities in text happened before; here a name is looked up by its
alias key inside the owner scope, so one tenant's entities are never another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from mnemon.model.entity import Entity, MentionDraft, Relation, RelationDraft
from mnemon.model.ids import new_id
from mnemon.model.scope import Scope
from mnemon.store.reading import Reading
from mnemon.store.writing import Writing
from mnemon.text.tokens import normalise

_normalise = lru_cache(maxsize=4096)(normalise)


def add_mentions(
    writing: Writing, owner: tuple[int, int], mentions: Sequence[MentionDraft], relations: Sequence[RelationDraft]
) -> None:
    """Links a revision to the entities it names and strengthens the relations it states."""
    scope, revision = owner
    for mention in mentions:
        entity = _entity_id(writing, scope, mention)
        writing.rows["mention"].append((entity, revision, mention.text or None))
    for relation in relations:
        ends = [_entity_id(writing, scope, MentionDraft(name, "other")) for name in (relation.subject, relation.object)]
        writing.connection.execute(
            """INSERT INTO relation VALUES (?,?,?,1,?,?,?) ON CONFLICT (subject, predicate, object) DO UPDATE SET
               count = count + 1, last_us = max(last_us, excluded.last_us), revision = excluded.revision,
               confidence = max(confidence, excluded.confidence)""",
            (ends[0], relation.predicate, ends[1], writing.now_us, relation.confidence, revision),
        )


def _entity_id(writing: Writing, scope: int, mention: MentionDraft) -> int:
    """The entity an alias names in this scope, made on first use. Uses the primary key of alias."""
    key = _normalise(mention.name)
    known = writing.entities.get((scope, key))
    if known is None:
        known = _looked_up(writing, scope, key) or _made(writing, scope, key, mention)
    entity, kind = known
    if kind == "other" and mention.kind != "other":
        writing.connection.execute("UPDATE entity SET kind = ? WHERE id = ?", (mention.kind, entity))
        kind = mention.kind
    writing.entities[scope, key] = (entity, kind)
    return entity


def _looked_up(writing: Writing, scope: int, key: str) -> tuple[int, str] | None:
    row = writing.connection.execute(
        """SELECT coalesce(e.merged_into, e.id), e.kind FROM alias a JOIN entity e ON e.id = a.entity
           WHERE a.key = ? AND a.scope = ? ORDER BY e.id LIMIT 1""",
        (key, scope),
    ).fetchone()
    return None if row is None else (int(row[0]), str(row[1]))


def _made(writing: Writing, scope: int, key: str, mention: MentionDraft) -> tuple[int, str]:
    writing.connection.execute(
        "INSERT INTO entity(uuid, scope, name, kind, created_us) VALUES (?,?,?,?,?)",
        (new_id(writing.now_us).bytes, scope, mention.name, mention.kind, writing.now_us),
    )
    entity = writing.connection.last_insert_rowid()
    writing.connection.execute("INSERT INTO alias VALUES (?,?,?,?)", (key, scope, entity, mention.name))
    return entity, mention.kind


def named(reading: Reading, name: str, limit: int = 20) -> tuple[Entity, ...]:
    """The entities this reader sees under a name or alias."""
    marks = ",".join(map(str, reading.scopes)) or "-1"
    rows = reading.connection.execute(
        f"""SELECT e.id, e.uuid, e.name, e.kind, s.path,
                   (SELECT count(*) FROM mention WHERE entity = e.id)
            FROM alias a JOIN entity e ON e.id = a.entity JOIN scope s ON s.id = e.scope
            WHERE a.key = ? AND a.scope IN ({marks}) AND e.merged_into IS NULL ORDER BY 6 DESC LIMIT ?""",
        (normalise(name), limit),
    )
    return tuple(
        Entity(UUID(bytes=uuid), entity_name, kind, Scope.parse(scope), _aliases(reading, number), count)
        for number, uuid, entity_name, kind, scope, count in rows
    )


def _aliases(reading: Reading, entity: int) -> tuple[str, ...]:
    rows = reading.connection.execute("SELECT text FROM alias WHERE entity = ? ORDER BY text", (entity,))
    return tuple(text for (text,) in rows)


def mentioning(reading: Reading, entity: UUID, limit: int = 200) -> tuple[int, ...]:
    """Keys of visible revisions that mention an entity, newest first. Uses the primary key of mention."""
    rows = reading.connection.execute(
        f"""SELECT r.id FROM mention x JOIN {reading.source}
            WHERE r.id = x.revision AND x.entity = (SELECT id FROM entity WHERE uuid = ?) AND {reading.where}
            ORDER BY r.id DESC LIMIT ?""",
        (entity.bytes, *reading.values, limit),
    )
    return tuple(key for (key,) in rows)


def relations(reading: Reading, entity: UUID, limit: int = 200) -> tuple[Relation, ...]:
    """The relations an entity stands in, on either side, as they were stated."""
    marks = ",".join(map(str, reading.scopes)) or "-1"
    columns = "s.name, x.predicate, o.name, x.count, x.last_us, x.confidence"
    joins = "JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object"
    rows = reading.connection.execute(
        f"""WITH e(id) AS (SELECT id FROM entity WHERE uuid = ? AND scope IN ({marks}))
            SELECT {columns} FROM e JOIN relation x ON x.subject = e.id {joins} UNION
            SELECT {columns} FROM e JOIN relation x ON x.object = e.id {joins} ORDER BY 5 DESC LIMIT ?""",
        (entity.bytes, limit),
    )
    return tuple(Relation(*row) for row in rows)


def memories_naming(reading: Reading, name: str, limit: int = 100_000) -> tuple[UUID, ...]:
    """Visible memories that ever mentioned somebody of this name. Uses the primary keys of alias and mention."""
    rows = reading.connection.execute(
        f"""SELECT DISTINCT m.uuid FROM alias a JOIN mention x ON x.entity = a.entity
            JOIN revision v ON v.id = x.revision JOIN {reading.source}
            WHERE m.id = v.memory AND a.key = ? AND {reading.where} LIMIT ?""",
        (normalise(name), *reading.values, limit),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)
