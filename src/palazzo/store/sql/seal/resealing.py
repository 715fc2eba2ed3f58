"""Sealing, opening or re-sealing everything guarded that a palace holds, inside one transaction.

Used when a palace gets a key, loses it or changes it. Owns the walk over the tables; which texts are guarded is said by
the tier of their memory. Invariants: afterwards every guarded text is as the new cipher seals it (plain, if there is
none), names are sealed exactly if no plain memory mentions them, and the indexes hold what they should.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from palazzo.model.ids import LABEL
from palazzo.model.memory import RevisionDraft, Tier
from palazzo.ports import FieldCipher
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import guarded_vectors
from palazzo.store.sql import indexes
from palazzo.store.sql.memory import memories
from palazzo.store.sql.port import Connection
from palazzo.store.sql.seal.sealing import ATOM, alike, digests, marked, opened, sealed
from palazzo.store.sql.tables import SqlTables
from palazzo.text.words.tokens import content_hash

CHECK = "fields_check"
_TEXTS = ("text", "summary", "key_fact", "label", "detail")


class Ciphers(msgspec.Struct, frozen=True):
    """The cipher of the connection's `opened`, and the one to write with."""

    old: FieldCipher | None
    new: FieldCipher | None


def reseal(connection: Connection, ciphers: Ciphers) -> int:
    """Rewrites every guarded revision, claim and name; returns how many revisions. The caller's transaction."""
    rows = _revisions(connection, ciphers)
    _claims(connection, ciphers.new)
    _names(connection, ciphers.new)
    _answers(connection, ciphers.new)
    _slips(connection, ciphers.new)
    _snapshots(connection, ciphers.new)
    _raw_events(connection, ciphers.new)
    _links(connection, ciphers.new)
    write_check(connection, ciphers.new)
    return rows


def seal_earlier(connection: Connection, memory: int, revision: int, cipher: FieldCipher) -> None:
    """Seals what a memory said before a revision that made it guarded, or more so. The caller's transaction."""
    _revisions(connection, Ciphers(cipher, cipher), (memory, revision))
    _names(
        connection, cipher,
        "WHERE e.id IN (SELECT x.entity FROM mention x JOIN revision r ON r.id = x.revision WHERE r.memory = ?)",
        (memory,),
    )  # fmt: skip


def _revisions(connection: Connection, ciphers: Ciphers, before: tuple[int, int] | None = None) -> int:
    """Of everything guarded, or of one memory before a revision: those were kept for a weaker tier until now."""
    columns = ", ".join(opened(f"r.{name}", "r.id") for name in _TEXTS)
    rows: list[Any] = connection.execute(
        f"""SELECT r.id, m.kind, m.tier, m.scope, {"0" if before else "typeof(r.text) = 'blob'"}, {columns}
            FROM memory m JOIN revision r ON r.memory = m.id
            WHERE m.tier <> 'clear'{" AND m.id = ? AND r.id < ?" if before else ""}""",
        before or (),
    ).fetchall()
    for revision, kind, tier, scope, was_sealed, *texts in rows:
        ((*_, covered),) = list(digests(connection, "r.id = ?", (revision,)))
        connection.execute(
            f"""UPDATE revision SET {", ".join(f"{name} = ?" for name in _TEXTS)}, looked = NULL, hash = ?,
                digest = iif(digest IS NULL, NULL, ?) WHERE id = ?""",
            (
                *(sealed(ciphers.new, text, revision) for text in texts),
                marked(ciphers.new, memories.hash_of(texts[0], kind)), marked(ciphers.new, covered), revision,
            ),
        )  # fmt: skip
        _atoms(connection, revision, ciphers.new)
        _artifacts(connection, revision, ciphers.new)
        if bool(was_sealed) != (ciphers.new is not None):
            content = RevisionDraft(text=texts[0], detail=memories.detail_from(texts[4]))
            _terms(connection, (scope, revision), (content, kind, tier), ciphers.new)
        if tier == "confidential" or not was_sealed:
            _vectors(connection, (scope, revision, kind), (tier, bool(was_sealed)), ciphers)
    return len(rows)


def unsealed(connection: Connection) -> int:
    """How many guarded texts are in clear: revisions with what hangs on them, and claims with their sources."""
    row: Any = connection.execute(
        """SELECT (SELECT count(*) FROM memory m JOIN revision r ON r.memory = m.id
                   WHERE m.tier <> 'clear' AND (typeof(r.text) <> 'blob'
                     OR EXISTS (SELECT 1 FROM atom a WHERE a.revision = r.id AND typeof(a.value) <> 'blob')
                     OR EXISTS (SELECT 1 FROM artifact a WHERE a.revision = r.id AND typeof(a.uri) <> 'blob')))
                + (SELECT count(*) FROM claim c WHERE c.tier <> 'clear' AND (typeof(c.text) <> 'blob'
                     OR EXISTS (SELECT 1 FROM claim_source s WHERE s.claim = c.id AND s.excerpt <> ''
                                AND typeof(s.excerpt) <> 'blob')))"""
    ).fetchone()
    return int(row[0])


def _claims(connection: Connection, cipher: FieldCipher | None) -> None:
    rows: list[Any] = connection.execute(
        f"SELECT id, {opened('text', 'id')} FROM claim WHERE tier <> 'clear'"
    ).fetchall()
    for claim, text in rows:
        connection.execute(
            "UPDATE claim SET text = ?, hash = ? WHERE id = ?",
            (sealed(cipher, text, claim), marked(cipher, content_hash(text)), claim),
        )
        connection.execute(
            "UPDATE claim_decision SET text_hash = ? WHERE claim = ?", (marked(cipher, content_hash(text)), claim)
        )
        sources: list[Any] = connection.execute(
            f"SELECT position, {opened('reference')}, {opened('excerpt', 'claim')} FROM claim_source WHERE claim = ?",
            (claim,),
        ).fetchall()
        connection.executemany(
            "UPDATE claim_source SET reference = ?, excerpt = ? WHERE claim = ? AND position = ?",
            [(alike(cipher, named), sealed(cipher, said, claim), claim, n) for n, named, said in sources],
        )


def _answers(connection: Connection, cipher: FieldCipher | None) -> None:
    """Answers kept for requests that come again; each may quote what was said."""
    rows: list[Any] = connection.execute(
        f"SELECT subject, key, {opened('result')} FROM idempotency WHERE result IS NOT NULL"
    ).fetchall()
    connection.executemany(
        "UPDATE idempotency SET result = ? WHERE subject = ? AND key = ?",
        [(sealed(cipher, result, 0), subject, key) for subject, key, result in rows],
    )


def _slips(connection: Connection, cipher: FieldCipher | None) -> None:
    """What is kept about the work; each may quote, so where there is a key all of it is sealed."""
    rows: list[Any] = connection.execute(f"SELECT id, {opened('told', 'id')} FROM slip").fetchall()
    connection.executemany(
        "UPDATE slip SET told = ? WHERE id = ?", [(sealed(cipher, told, number), number) for number, told in rows]
    )


def _snapshots(connection: Connection, cipher: FieldCipher | None) -> None:
    """How a workspace was tells what somebody did: where there is a key all of it is sealed."""
    rows: list[Any] = connection.execute(
        f"SELECT id, {opened('territory', 'id')}, {opened('state', 'id')} FROM snapshot"
    ).fetchall()
    connection.executemany(
        "UPDATE snapshot SET territory = ?, state = ? WHERE id = ?",
        [(sealed(cipher, where, number), sealed(cipher, state, number), number) for number, where, state in rows],
    )


def _raw_events(connection: Connection, cipher: FieldCipher | None) -> None:
    """What was done on the machine: each may quote."""
    rows: list[Any] = connection.execute(
        f"SELECT id, {opened('reference', 'id')}, {opened('metadata', 'id')} FROM raw_event"
    ).fetchall()
    connection.executemany(
        "UPDATE raw_event SET reference = ?, metadata = ? WHERE id = ?",
        [(sealed(cipher, told, number), sealed(cipher, beside, number), number) for number, told, beside in rows],
    )


def _links(connection: Connection, cipher: FieldCipher | None) -> None:
    """What is told of links: each may quote either end."""
    rows: list[Any] = connection.execute(
        f"SELECT id, source, {opened('metadata', 'source')} FROM edge WHERE metadata IS NOT NULL"
    ).fetchall()
    connection.executemany(
        "UPDATE edge SET metadata = ? WHERE id = ?",
        [(sealed(cipher, told, source), number) for number, source, told in rows],
    )


def _artifacts(connection: Connection, revision: int, cipher: FieldCipher | None) -> None:
    rows: list[Any] = connection.execute(
        f"SELECT name, {opened('name')}, {opened('uri')} FROM artifact WHERE revision = ?", (revision,)
    ).fetchall()
    connection.executemany(
        "UPDATE artifact SET name = ?, uri = ? WHERE revision = ? AND name = ?",
        [(alike(cipher, name), alike(cipher, uri), revision, stored) for stored, name, uri in rows],
    )


def _atoms(connection: Connection, revision: int, cipher: FieldCipher | None) -> None:
    rows: list[Any] = connection.execute(
        f"SELECT position, {ATOM} FROM atom WHERE revision = ?", (revision,)
    ).fetchall()
    for position, *said in rows:
        connection.execute(
            "UPDATE atom SET subject = ?, predicate = ?, value = ? WHERE revision = ? AND position = ?",
            (*(alike(cipher, word) for word in said), revision, position),
        )


def _terms(
    connection: Connection, row: tuple[int, int], content: tuple[RevisionDraft, str, Any],
    cipher: FieldCipher | None,
) -> None:  # fmt: skip
    scope, revision = row
    draft, kind, tier = content
    found = indexes.indexed_terms(draft, kind) if cipher is None else indexes.sealed_terms(draft, kind, tier)
    tables = SqlTables(connection)
    text_index.remove(tables, [(partition, revision) for partition in indexes.partitions(scope)])
    text_index.add(tables, [(indexes.partition(scope, field), revision, words) for field, words in found])


def _vectors(connection: Connection, row: tuple[int, int, str], guarded: tuple[Tier, bool], ciphers: Ciphers) -> None:
    """Makes a guarded memory's vectors coarse, or turns them back with the old key and anew with the new one."""
    scope, revision, kind = row
    tier, was_sealed = guarded
    tables = SqlTables(connection)
    for space in vectors.spaces(tables):
        found, rows = vectors.vectors_of(tables, space, np.array([revision], np.int64))
        if not len(found) or space.state == "retired":
            continue
        turned = tier == "confidential" and was_sealed and ciphers.old is not None
        plain = ciphers.old.turn_back(rows) if turned and ciphers.old is not None else rows
        field = indexes.vector_field(kind, tier, sealed=ciphers.new is not None)
        kept = guarded_vectors(ciphers.new, tier, plain)
        vectors.add(tables, space, [(indexes.partition(scope, field), revision)], kept)


def _names(
    connection: Connection, cipher: FieldCipher | None, condition: str = "", values: tuple[int, ...] = ()
) -> None:
    """Names are sealed when no plain memory mentions the entity and no relation a plain one stated names it."""
    said: list[Any] = connection.execute(
        f"""SELECT x.entity, x.revision, {opened("x.text")} FROM mention x JOIN revision r ON r.id = x.revision
            JOIN memory m ON m.id = r.memory WHERE m.tier <> 'clear' AND x.text IS NOT NULL"""
    ).fetchall()
    connection.executemany(
        "UPDATE mention SET text = ? WHERE entity = ? AND revision = ?",
        [(alike(cipher, text), entity, revision) for entity, revision, text in said],
    )
    known: list[Any] = connection.execute(
        f"""SELECT e.id, {opened("e.name")}, EXISTS (
                SELECT 1 FROM mention x JOIN revision r ON r.id = x.revision JOIN memory m ON m.id = r.memory
                WHERE x.entity = e.id AND m.tier = 'clear')
              OR NOT EXISTS (SELECT 1 FROM mention WHERE entity = e.id) AND NOT EXISTS (
                SELECT 1 FROM relation l JOIN revision r ON r.id = l.revision JOIN memory m ON m.id = r.memory
                WHERE (l.subject = e.id OR l.object = e.id) AND m.tier <> 'clear')
            FROM entity e {condition}""",
        values,
    ).fetchall()
    for entity, name, plain in known:
        chosen = None if plain else cipher
        connection.execute("UPDATE entity SET name = ? WHERE id = ?", (alike(chosen, name), entity))
        aliases: list[Any] = connection.execute(
            f"SELECT key, {opened('key')}, scope, {opened('text')} FROM alias WHERE entity = ?", (entity,)
        ).fetchall()
        connection.execute("DELETE FROM alias WHERE entity = ?", (entity,))
        connection.executemany(
            "INSERT INTO alias VALUES (?,?,?,?)",
            [(alike(chosen, key), scope, entity, alike(chosen, text)) for _, key, scope, text in aliases],
        )


def write_check(connection: Connection, cipher: FieldCipher | None) -> None:
    """Notes by which a key is recognised; takes the note away when there is none."""
    connection.execute("DELETE FROM palace WHERE key = ?", (CHECK,))
    if cipher is not None:
        connection.execute("INSERT INTO palace VALUES (?,?)", (CHECK, mark_of(cipher)))


def check(connection: Connection) -> str | None:
    """The note by which the key of sealed fields is recognised; None when no field was ever sealed."""
    row: Any = connection.execute("SELECT value FROM palace WHERE key = ?", (CHECK,)).fetchone()
    return str(row[0]) if row else None


def mark_of(cipher: FieldCipher) -> str:
    """What the note must say for this cipher."""
    return cipher.mark(LABEL + b" fields").hex()
