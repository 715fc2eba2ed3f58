"""Entities, the ways they are written, where they are mentioned, and relations between them, per scope.

Owns entity, alias, mention and relation. Finding entities in text happened before; here a name is looked up by its
alias key inside the owner scope, so one tenant's entities are never another's. Invariants: a mention stays with the
entity whose name was written, whatever that is merged into, so a merge is undone without a trace; a reader is told of
an entity only what memories it sees say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.model.change import MergeEntities, SplitEntity
from palazzo.model.graph import Entity, EntityKind, MentionDraft, RelationDraft
from palazzo.model.ids import id_made_from
from palazzo.model.scope import Scope
from palazzo.ports import FieldCipher
from palazzo.store.sql.port import Connection, Keys, bound, one
from palazzo.store.sql.reading import SqlReading, writable
from palazzo.store.sql.seal.sealing import alike, forms, opened
from palazzo.store.sql.writing import SqlWriting
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
    writing: SqlWriting, speaker: Speaker, mentions: Sequence[MentionDraft], relations: Sequence[RelationDraft]
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
               count = relation.count + 1, last_us = max(relation.last_us, excluded.last_us),
               revision = excluded.revision,
               confidence = max(relation.confidence, excluded.confidence)""",
            (ends[0], relation.predicate, ends[1], writing.now_us, relation.confidence, speaker.revision),
        )


def _entity_id(writing: SqlWriting, speaker: Speaker, mention: MentionDraft) -> int:
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


def _looked_up(writing: SqlWriting, scope: int, key: str) -> tuple[int, str, bool] | None:
    stored = forms(writing.cipher, key)
    named = f"a.key IN ({','.join('?' * len(stored))}) AND a.scope = ?"
    execute = writing.connection.execute
    if execute(f"SELECT 1 FROM alias a WHERE {named} LIMIT 1", (*stored, scope)).fetchone() is None:
        return None  # most names are new, and the join costs thirty times as much as this look
    row = execute(
        f"""SELECT e.id, e.kind, typeof(e.name) = 'blob' FROM alias a
            JOIN entity e ON e.id = a.entity WHERE {named} ORDER BY e.id LIMIT 1""",
        (*stored, scope),
    ).fetchone()
    return None if row is None else (int(row[0]), str(row[1]), bool(row[2]))


def _another_writing(
    writing: SqlWriting, speaker: Speaker, key: str, mention: MentionDraft
) -> tuple[int, str, bool] | None:
    """The entity under the name it is known by; from now on also under this one. What is sealed joins nothing."""
    if not mention.known_as or speaker.cipher is not None:
        return None
    known = _looked_up(writing, speaker.scope, _normalise(mention.known_as))
    if known is None or known[2]:
        return None
    writing.connection.execute("INSERT INTO alias VALUES (?,?,?,?)", (key, speaker.scope, known[0], mention.name))
    return known


def _identity(writing: SqlWriting, scope: int, key: str) -> bytes:
    """The id of a new entity: the same when its commit is made again, and no hint of a name where there is a key."""
    (path,) = one(writing.connection, "SELECT path FROM scope WHERE id = ?", (scope,))
    seed = f"{path}\n{key}".encode()
    return id_made_from(writing.now_us, seed if writing.cipher is None else writing.cipher.mark(seed)).bytes


def _made(writing: SqlWriting, speaker: Speaker, key: str, mention: MentionDraft) -> tuple[int, str, bool]:
    cipher = speaker.cipher
    writing.connection.execute(
        "INSERT INTO entity(uuid, scope, name, kind, created_us) VALUES (?,?,?,?,?)",
        (
            _identity(writing, speaker.scope, key),
            speaker.scope,
            alike(cipher, mention.name),
            mention.kind,
            writing.now_us,
        ),
    )
    entity = writing.connection.last_insert_rowid()
    writing.connection.execute(
        "INSERT INTO alias VALUES (?,?,?,?)", (alike(cipher, key), speaker.scope, entity, alike(cipher, mention.name))
    )
    return entity, mention.kind, cipher is not None


def write_names(writing: SqlWriting, entity: int, cipher: FieldCipher | None) -> None:
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


def without_alias(reading: SqlReading, scope: Scope, names: Iterable[str]) -> list[str]:
    """Those of the names that no entity of a scope has, in order. Uses the primary key of alias."""
    row = reading.connection.execute("SELECT id FROM scope WHERE path = ?", (str(scope),)).fetchone()
    if row is None:
        return list(names)
    statement = "SELECT 1 FROM alias WHERE key = ? AND scope = ? LIMIT 1"
    return [name for name in names if not reading.connection.execute(statement, (_normalise(name), row[0])).fetchone()]


def beginning_with(
    reading: SqlReading, scope: Scope, letters: Iterable[str], kind: EntityKind, limit: int = 100
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


def named(reading: SqlReading, name: str, limit: int = 20) -> tuple[Entity, ...]:
    """By the alias key, then up to what each was merged into. Uses the primary keys of alias and entity."""
    roots = roots_named(reading, name)
    rows = reading.connection.execute(
        f"""SELECT e.id, e.uuid, {opened("e.name")}, e.kind, s.path,
                   (SELECT count(*) FROM mention WHERE entity = e.id)
            FROM carray(?) c JOIN entity e ON e.id = c.value JOIN scope s ON s.id = e.scope ORDER BY 6 DESC LIMIT ?""",
        (bound(roots), limit),
    )
    return tuple(
        Entity(UUID(bytes=uuid), entity_name, kind, Scope.parse(scope), aliases_of(reading, number), count)
        for number, uuid, entity_name, kind, scope, count in rows
    )


def roots_named(reading: SqlReading, name: str) -> list[int]:
    """The numbers of what has a name in the scopes of this reader, each as what it was merged into."""
    stored = forms(reading.cipher, writable(normalise(name)))
    rows: Any = reading.connection.execute(
        f"""SELECT e.id, e.merged_into FROM alias a JOIN entity e ON e.id = a.entity
            WHERE a.key IN ({",".join("?" * len(stored))}) AND a.scope IN ({reading.scope_list}) ORDER BY e.id""",
        stored,
    ).fetchall()
    connection = reading.connection
    return list(dict.fromkeys(entity if into is None else root_of(connection, into) for entity, into in rows))


def family_of(reading: SqlReading, name: str) -> list[int]:
    """The numbers of whatever has a name, with all that is taken for the same."""
    roots = roots_named(reading, name)
    same = [root_of(reading.connection, other) for entity in roots for other in same_as(reading, entity)]
    return joined_with(reading.connection, dict.fromkeys((*roots, *same)))


def mentioned_in(reading: SqlReading, key: int) -> tuple[MentionDraft, ...]:
    """Uses mention_revision and the primary key of entity."""
    rows = reading.connection.execute(
        f"""SELECT {opened("e.name")}, e.kind, {opened("x.text")} FROM mention x JOIN entity e ON e.id = x.entity
            WHERE x.revision = ? ORDER BY e.id""",
        (key,),
    )
    return tuple(MentionDraft(name, kind, text or name) for name, kind, text in rows)


def root_of(connection: Connection, entity: int) -> int:
    """What an entity was merged into, and that into; itself where it was not."""
    while True:
        row = connection.execute("SELECT merged_into FROM entity WHERE id = ?", (entity,)).fetchone()
        if row is None or row[0] is None:
            return entity
        entity = int(row[0])


def joined_with(connection: Connection, entities: Iterable[int]) -> list[int]:
    """Entities with all that was merged into them. Uses entity_merged."""
    rows = connection.execute(
        """WITH RECURSIVE part(id) AS (
               SELECT value FROM carray(?) UNION SELECT e.id FROM part JOIN entity e ON e.merged_into = part.id)
           SELECT id FROM part""",
        (bound(list(entities)),),
    )
    return [int(entity) for (entity,) in rows]


def other_names(reading: SqlReading, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By key, the other names of what this reader knows under these keys (normalised names); most have none.

    Names a memory this reader sees said to be the same come first, then other writings of something such a memory
    mentions. Uses the primary keys of alias, entity, mention and relation, alias_entity, entity_merged and
    relation_object.
    """
    if not keys or reading.hot.renamed(reading, _stored(reading, keys)) is False:
        return {}
    # One statement for any number of keys: each other text of it would be planned anew, which takes ten times as long.
    statement = f"""SELECT {opened("a.key")}, a.entity, e.merged_into IS NOT NULL
                           OR EXISTS (SELECT 1 FROM entity o WHERE o.merged_into = e.id)
                    FROM carray(?) c CROSS JOIN alias a ON a.key = c.value CROSS JOIN entity e ON e.id = a.entity
                    WHERE a.scope IN ({reading.scope_list})"""
    known: list[Any] = []
    for stored in zip(*(forms(reading.cipher, writable(key)) for key in keys), strict=True):
        known += reading.connection.execute(statement, (Keys(stored),)).fetchall()
    found: dict[str, tuple[str, ...]] = {}
    for key, entity, merged in known:
        family = joined_with(reading.connection, [root_of(reading.connection, entity)]) if merged else [entity]
        said = [name for one in family for name in _said_to_be(reading, one)]
        names = [name for name in said + _written(reading, family) if _normalise(name) != key]
        if names:
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *names)))
    return found


def _stored(reading: SqlReading, keys: Sequence[str]) -> Iterator[str | bytes]:
    return (stored for key in keys for stored in forms(reading.cipher, writable(key)))


def _said_to_be(reading: SqlReading, entity: int) -> list[str]:
    """Names of what was said to be the same as an entity, while who said so is seen and believed."""
    return [name for other in same_as(reading, entity) for name in names_of(reading, other)]


def same_as(reading: SqlReading, entity: int) -> list[int]:
    ends = " UNION ".join(
        f"""SELECT x.{far} AS entity, x.revision FROM relation x WHERE x.{near} = ? AND x.predicate = '{SAME}'"""
        for near, far in (("subject", "object"), ("object", "subject"))
    )
    rows: Any = reading.connection.execute(f"SELECT * FROM ({ends}) LIMIT ?", (entity, entity, OTHERS)).fetchall()
    seen = allowed(reading, [revision for _, revision in rows])
    return [int(other) for (other, _), told in zip(rows, seen, strict=True) if told]


def allowed(reading: SqlReading, revisions: Sequence[int | None]) -> list[bool]:
    """Whether this reader sees each of these revisions as what is believed."""
    if not revisions:
        return []
    return [bool(one) for one in reading.allowed(np.array([revision or -1 for revision in revisions], np.int64))]


def _written(reading: SqlReading, family: Sequence[int]) -> list[str]:
    """The ways an entity and what was merged into it are written, of each of which a newer memory is seen."""
    by_entity = [(entity, names_of(reading, entity)) for entity in family]
    if sum(len(names) for _, names in by_entity) < 2:
        return []
    found: list[str] = []
    for entity, names in by_entity:
        rows: Any = reading.connection.execute(
            "SELECT revision FROM mention WHERE entity = ? ORDER BY revision DESC LIMIT ?", (entity, OTHERS)
        ).fetchall()
        if any(allowed(reading, [revision for (revision,) in rows])):
            found += names
    return found


def names_of(reading: SqlReading, entity: int) -> list[str]:
    rows = reading.connection.execute(f"SELECT {opened('text')} FROM alias WHERE entity = ? LIMIT ?", (entity, OTHERS))
    return sorted(text for (text,) in rows)


def aliases_of(reading: SqlReading, entity: int) -> tuple[str, ...]:
    rows = reading.connection.execute(f"SELECT {opened('text')} FROM alias WHERE entity = ?", (entity,))
    return tuple(sorted(text for (text,) in rows))


def mentioning(reading: SqlReading, entity: UUID, limit: int = 200) -> tuple[int, ...]:
    """Of each entity the newest, by the primary key of mention."""
    row = reading.connection.execute("SELECT id FROM entity WHERE uuid = ?", (entity.bytes,)).fetchone()
    family = [] if row is None else joined_with(reading.connection, [int(row[0])])
    return mentioned_by(reading, family, limit)


def mentioned_by(reading: SqlReading, family: Sequence[int], limit: int) -> tuple[int, ...]:
    found: set[int] = set()
    for entity in family:
        rows = reading.connection.execute(
            f"""SELECT r.id FROM mention x JOIN {reading.source}
                WHERE r.id = x.revision AND x.entity = ? AND {reading.where} ORDER BY r.id DESC LIMIT ?""",
            (entity, *reading.values, limit),
        )
        found.update(int(key) for (key,) in rows)
    return tuple(sorted(found, reverse=True)[:limit])


def merge(writing: SqlWriting, change: MergeEntities) -> None:
    """Raises: NotFound, InvalidInput for entities of two scopes, Conflict when they are one already."""
    writing.flush()
    (kept, scope), (other, theirs) = (_known(writing.connection, one) for one in (change.kept, change.other))
    if scope != theirs:
        raise InvalidInput("the two belong to different scopes, and each scope has its own entities", field="other")
    kept, other = root_of(writing.connection, kept), root_of(writing.connection, other)
    if kept == other:
        raise Conflict("they are taken for the same already", hint="`palazzo entity` shows what an entity is made of")
    writing.connection.execute("UPDATE entity SET merged_into = ? WHERE id = ?", (kept, other))
    writing.event("entities_merged", None, None, {"kept": str(change.kept), "other": str(change.other)})


def _known(connection: Connection, entity: UUID) -> tuple[int, int]:
    row = connection.execute("SELECT id, scope FROM entity WHERE uuid = ?", (entity.bytes,)).fetchone()
    if row is None:
        raise NotFound("there is no such entity", hint="`palazzo entities` lists them")
    return int(row[0]), int(row[1])


def split(writing: SqlWriting, change: SplitEntity) -> None:
    """A merged entity is itself again; a writing that was taken for one of another's becomes an entity of its own, with
    the mentions and relations that were told in that writing.

    Raises: NotFound, Conflict when the name stands alone already.
    """
    writing.flush()
    writing.entities.clear()
    connection, scope, key = writing.connection, writing.scope(change.scope), _normalise(change.name)
    stored = forms(writing.cipher, key)
    marks = ",".join("?" * len(stored))
    rows: Any = connection.execute(
        f"""SELECT e.id, e.uuid, e.merged_into, (SELECT count(*) FROM alias o WHERE o.entity = e.id)
            FROM alias a JOIN entity e ON e.id = a.entity WHERE a.key IN ({marks}) AND a.scope = ? ORDER BY e.id""",
        (*stored, scope),
    ).fetchall()
    if not rows:
        raise NotFound("nothing has this name here", hint="`palazzo entities` lists them")
    for entity, uuid, merged, names in rows:
        if merged is not None:
            connection.execute("UPDATE entity SET merged_into = NULL WHERE id = ?", (entity,))
        if merged is not None or names > 1:
            apart = uuid if merged is not None else _set_apart(writing, entity, key)
            writing.event("entity_split", None, None, {"entity": str(UUID(bytes=apart))})
            return
    raise Conflict("this name stands alone already", hint="`palazzo entity` shows what an entity is made of")


def _set_apart(writing: SqlWriting, entity: int, key: str) -> bytes:
    connection = writing.connection
    scope, kind, hidden = one(
        connection, "SELECT scope, kind, typeof(name) = 'blob' FROM entity WHERE id = ?", (entity,)
    )
    stored = forms(writing.cipher, key)
    marks = ",".join("?" * len(stored))
    (name,) = one(
        connection, f"SELECT {opened('text')} FROM alias WHERE key IN ({marks}) AND scope = ? AND entity = ?",
        (*stored, scope, entity),
    )  # fmt: skip
    cipher = writing.cipher if hidden else None
    uuid = _identity(writing, scope, f"split {key}")
    connection.execute(
        "INSERT INTO entity(uuid, scope, name, kind, created_us) VALUES (?,?,?,?,?)",
        (uuid, scope, alike(cipher, name), kind, writing.now_us),
    )
    made = connection.last_insert_rowid()
    connection.execute(
        f"UPDATE alias SET entity = ? WHERE key IN ({marks}) AND scope = ? AND entity = ?",
        (made, *stored, scope, entity),
    )
    written: Any = connection.execute(
        f"SELECT revision, {opened('text')} FROM mention WHERE entity = ? AND text IS NOT NULL", (entity,)
    ).fetchall()
    moved = [int(revision) for revision, text in written if _normalise(text) == key]
    connection.execute(
        "UPDATE mention SET entity = ? WHERE entity = ? AND revision IN (SELECT value FROM carray(?))",
        (made, entity, bound(moved)),
    )
    for end, other in (("subject", "object"), ("object", "subject")):
        connection.execute(
            f"""UPDATE relation SET {end} = ?1 WHERE {end} = ?2 AND revision IN (SELECT value FROM carray(?3))
                AND NOT EXISTS (SELECT 1 FROM relation o WHERE o.{end} = ?1 AND o.{other} = relation.{other}
                    AND o.predicate = relation.predicate)""",
            (made, entity, bound(moved)),
        )
    return uuid
