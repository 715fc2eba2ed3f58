"""Entities, the ways they are written, where they are mentioned, and relations between them, per scope.

Owns entity, alias, mention and relation. Finding entities in text happened before; here a name is looked up by its
alias key inside the owner scope, so one tenant's entities are never another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import apsw
import numpy as np

from palazzo.model.graph import Entity, EntityKind, MentionDraft, Relation, RelationDraft
from palazzo.model.ids import new_id
from palazzo.model.scope import Scope
from palazzo.ports import FieldCipher
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading, writable
from palazzo.store.sqlite.seal.sealing import alike, forms, opened
from palazzo.store.sqlite.writing import SqliteWriting
from palazzo.text.words.remembered import remembered
from palazzo.text.words.tokens import normalise

SAME = "also_known_as"
"""The relation between two names of one thing."""
OTHERS = 32
"""Rows looked at for the other names of one thing."""

_normalise = remembered(4096)(normalise)


class Speaker(NamedTuple):
    """The revision that names entities: whose scope it is in, and the cipher if it is sealed."""

    scope: int
    revision: int
    cipher: FieldCipher | None


def add_mentions(
    writing: SqliteWriting, speaker: Speaker, mentions: Sequence[MentionDraft], relations: Sequence[RelationDraft]
) -> None:
    """Links a revision to the entities it names and strengthens the relations it states."""
    for mention in mentions:
        entity = _entity_id(writing, speaker, mention)
        text = alike(speaker.cipher, mention.text) if mention.text else None
        writing.rows["mention"].append((entity, speaker.revision, text))
    for relation in relations:
        names = (relation.subject, relation.object)
        ends = [_entity_id(writing, speaker, MentionDraft(name, "other")) for name in names]
        writing.connection.execute(
            """INSERT INTO relation VALUES (?,?,?,1,?,?,?) ON CONFLICT (subject, predicate, object) DO UPDATE SET
               count = count + 1, last_us = max(last_us, excluded.last_us), revision = excluded.revision,
               confidence = max(confidence, excluded.confidence)""",
            (ends[0], relation.predicate, ends[1], writing.now_us, relation.confidence, speaker.revision),
        )


def _entity_id(writing: SqliteWriting, speaker: Speaker, mention: MentionDraft) -> int:
    """The entity an alias names in this scope, made on first use. Uses the primary key of alias.

    A name that only sealed memories know is sealed; the first that is not makes it plain.
    """
    key = _normalise(mention.name)
    known = writing.entities.get((speaker.scope, key))
    if known is None:
        known = (
            _looked_up(writing, speaker.scope, key)
            or _another_writing(writing, speaker, key, mention)
            or _made(writing, speaker, key, mention)
        )
    entity, kind, hidden = known
    if kind == "other" and mention.kind != "other":
        writing.connection.execute("UPDATE entity SET kind = ? WHERE id = ?", (mention.kind, entity))
        kind = mention.kind
    if hidden and speaker.cipher is None:
        write_names(writing, entity, None)
        hidden = False
    writing.entities[speaker.scope, key] = (entity, kind, hidden)
    return entity


def _looked_up(writing: SqliteWriting, scope: int, key: str) -> tuple[int, str, bool] | None:
    stored = forms(writing.cipher, key)
    named = f"a.key IN ({','.join('?' * len(stored))}) AND a.scope = ?"
    execute = writing.connection.execute
    if execute(f"SELECT 1 FROM alias a WHERE {named} LIMIT 1", (*stored, scope)).fetchone() is None:
        return None  # most names are new, and the join costs thirty times as much as this look
    row = execute(
        f"""SELECT coalesce(e.merged_into, e.id), e.kind, typeof(e.name) = 'blob' FROM alias a
            JOIN entity e ON e.id = a.entity WHERE {named} ORDER BY e.id LIMIT 1""",
        (*stored, scope),
    ).fetchone()
    return None if row is None else (int(row[0]), str(row[1]), bool(row[2]))


def _another_writing(
    writing: SqliteWriting, speaker: Speaker, key: str, mention: MentionDraft
) -> tuple[int, str, bool] | None:
    """The entity under the name it is known by; from now on also under this one. What is sealed joins nothing."""
    if not mention.known_as or speaker.cipher is not None:
        return None
    known = _looked_up(writing, speaker.scope, _normalise(mention.known_as))
    if known is None or known[2]:
        return None
    writing.connection.execute("INSERT INTO alias VALUES (?,?,?,?)", (key, speaker.scope, known[0], mention.name))
    return known


def _made(writing: SqliteWriting, speaker: Speaker, key: str, mention: MentionDraft) -> tuple[int, str, bool]:
    cipher = speaker.cipher
    writing.connection.execute(
        "INSERT INTO entity(uuid, scope, name, kind, created_us) VALUES (?,?,?,?,?)",
        (new_id(writing.now_us).bytes, speaker.scope, alike(cipher, mention.name), mention.kind, writing.now_us),
    )
    entity = writing.connection.last_insert_rowid()
    writing.connection.execute(
        "INSERT INTO alias VALUES (?,?,?,?)", (alike(cipher, key), speaker.scope, entity, alike(cipher, mention.name))
    )
    return entity, mention.kind, cipher is not None


def write_names(writing: SqliteWriting, entity: int, cipher: FieldCipher | None) -> None:
    """Writes the names of an entity sealed or, without a cipher, plain."""
    execute = writing.connection.execute
    aliases: list[Any] = execute(
        f"SELECT key, {opened('key')}, scope, {opened('text')} FROM alias WHERE entity = ?", (entity,)
    ).fetchall()
    (name,) = one(writing.connection, f"SELECT {opened('name')} FROM entity WHERE id = ?", (entity,))
    execute("UPDATE entity SET name = ? WHERE id = ?", (alike(cipher, name), entity))
    for stored, key, scope, text in aliases:
        execute("DELETE FROM alias WHERE key = ? AND scope = ? AND entity = ?", (stored, scope, entity))
        execute("INSERT INTO alias VALUES (?,?,?,?)", (alike(cipher, key), scope, entity, alike(cipher, text)))


def without_alias(reading: SqliteReading, scope: Scope, names: Iterable[str]) -> list[str]:
    """Those of the names that no entity of a scope has, in order. Uses the primary key of alias."""
    row = reading.connection.execute("SELECT id FROM scope WHERE path = ?", (str(scope),)).fetchone()
    if row is None:
        return list(names)
    statement = "SELECT 1 FROM alias WHERE key = ? AND scope = ? LIMIT 1"
    return [name for name in names if not reading.connection.execute(statement, (_normalise(name), row[0])).fetchone()]


def beginning_with(
    reading: SqliteReading, scope: Scope, letters: Iterable[str], kind: EntityKind, limit: int = 100
) -> tuple[str, ...]:
    """Names of a scope's entities of one kind that begin with one of the letters. Uses the primary key of alias."""
    found: list[str] = []
    for letter in letters:
        rows = reading.connection.execute(
            """SELECT a.text FROM alias a JOIN entity e ON e.id = a.entity
               WHERE a.key >= ? AND a.key < ? AND a.scope = (SELECT id FROM scope WHERE path = ?)
                 AND e.kind = ? AND e.merged_into IS NULL ORDER BY e.id DESC LIMIT ?""",
            (letter, letter + chr(0x10FFFF), str(scope), kind, limit),
        )
        found += (text for (text,) in rows)
    return tuple(found)


def named(reading: SqliteReading, name: str, limit: int = 20) -> tuple[Entity, ...]:
    marks = ",".join(map(str, reading.scopes)) or "-1"
    stored = forms(reading.cipher, normalise(name))
    rows = reading.connection.execute(
        f"""SELECT e.id, e.uuid, {opened("e.name")}, e.kind, s.path,
                   (SELECT count(*) FROM mention WHERE entity = e.id)
            FROM alias a JOIN entity e ON e.id = a.entity JOIN scope s ON s.id = e.scope
            WHERE a.key IN ({",".join("?" * len(stored))}) AND a.scope IN ({marks}) AND e.merged_into IS NULL
            ORDER BY 6 DESC LIMIT ?""",
        (*stored, limit),
    )
    return tuple(
        Entity(UUID(bytes=uuid), entity_name, kind, Scope.parse(scope), _aliases(reading, number), count)
        for number, uuid, entity_name, kind, scope, count in rows
    )


def other_names(reading: SqliteReading, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By key, the other names of what this reader knows under these keys (normalised names); most have none.

    Names a memory this reader sees said to be the same come first, then other writings of something such a memory
    mentions. Uses the primary keys of alias, mention and relation, alias_entity and relation_object.
    """
    if not keys:
        return {}
    # One statement for any number of keys: each other text of it would be planned anew, which takes ten times as long.
    statement = f"""SELECT {opened("a.key")}, a.entity FROM carray(?) c CROSS JOIN alias a ON a.key = c.value
                    WHERE a.scope IN ({reading.scope_list})"""
    known: list[Any] = []
    for stored in zip(*(forms(reading.cipher, writable(key)) for key in keys), strict=True):
        known += reading.connection.execute(statement, (apsw.carray(stored),)).fetchall()
    found: dict[str, tuple[str, ...]] = {}
    for key, entity in known:
        names = [name for name in _said_to_be(reading, entity) + _written(reading, entity) if _normalise(name) != key]
        if names:
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *names)))
    return found


def _said_to_be(reading: SqliteReading, entity: int) -> list[str]:
    """Names of what was said to be the same as an entity, while who said so is seen and believed."""
    ends = " UNION ".join(
        f"""SELECT x.{far} AS entity, x.revision FROM relation x WHERE x.{near} = ? AND x.predicate = '{SAME}'"""
        for near, far in (("subject", "object"), ("object", "subject"))
    )
    rows: Any = reading.connection.execute(f"SELECT * FROM ({ends}) LIMIT ?", (entity, entity, OTHERS)).fetchall()
    seen = reading.allowed(np.array([revision or -1 for _, revision in rows], np.int64)) if rows else ()
    return [name for (other, _), told in zip(rows, seen, strict=True) if told for name in _names(reading, other)]


def _written(reading: SqliteReading, entity: int) -> list[str]:
    """The ways an entity is written, if one of the newest memories that mention it is seen."""
    names = _names(reading, entity)
    if len(names) < 2:
        return []
    rows: Any = reading.connection.execute(
        "SELECT revision FROM mention WHERE entity = ? ORDER BY revision DESC LIMIT ?", (entity, OTHERS)
    ).fetchall()
    seen = reading.allowed(np.array([revision for (revision,) in rows], np.int64)) if rows else np.empty(0, np.bool_)
    return names if seen.any() else []


def _names(reading: SqliteReading, entity: int) -> list[str]:
    rows = reading.connection.execute(f"SELECT {opened('text')} FROM alias WHERE entity = ? LIMIT ?", (entity, OTHERS))
    return sorted(text for (text,) in rows)


def _aliases(reading: SqliteReading, entity: int) -> tuple[str, ...]:
    rows = reading.connection.execute(f"SELECT {opened('text')} FROM alias WHERE entity = ?", (entity,))
    return tuple(sorted(text for (text,) in rows))


def mentioning(reading: SqliteReading, entity: UUID, limit: int = 200) -> tuple[int, ...]:
    """Keys of visible revisions that mention an entity, newest first. Uses the primary key of mention."""
    rows = reading.connection.execute(
        f"""SELECT r.id FROM mention x JOIN {reading.source}
            WHERE r.id = x.revision AND x.entity = (SELECT id FROM entity WHERE uuid = ?) AND {reading.where}
            ORDER BY r.id DESC LIMIT ?""",
        (entity.bytes, *reading.values, limit),
    )
    return tuple(key for (key,) in rows)


def relations(reading: SqliteReading, entity: UUID, limit: int = 200) -> tuple[Relation, ...]:
    """The relations an entity stands in, on either side, as they were stated."""
    marks = ",".join(map(str, reading.scopes)) or "-1"
    columns = f"{opened('s.name')}, x.predicate, {opened('o.name')}, x.count, x.last_us, x.confidence"
    joins = "JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object"
    rows = reading.connection.execute(
        f"""WITH e(id) AS (SELECT id FROM entity WHERE uuid = ? AND scope IN ({marks}))
            SELECT {columns} FROM e JOIN relation x ON x.subject = e.id {joins} UNION
            SELECT {columns} FROM e JOIN relation x ON x.object = e.id {joins} ORDER BY 5 DESC LIMIT ?""",
        (entity.bytes, limit),
    )
    return tuple(Relation(*row) for row in rows)
