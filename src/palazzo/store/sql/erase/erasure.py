"""Removing memories physically, with everything that only they left behind, and striking out of turns and documents
what was erased.

Owns the order of the steps: `purge` takes one memory out of every table and index, `tidy` runs once at the end of a job
and takes out what no other memory speaks for (names, relations, accounts of messages, sessions, places). Decides
nothing about who may erase what. Owns the one exception to the rule that a revision never changes: a statement drawn
from a turn must not live on in the turn, so its letters become blocks, and what was derived from the turn's text is
made from what is left or removed. Invariants: afterwards only the memory's id remains, in the journal; SQLite
overwrites what it frees (secure_delete), so the bytes leave the file with the rows; of a struck turn nothing but the
named stretches is altered.

Also owns which memories an erasure takes, and the record of erasures (erasure, erasure_memory, erasure_stretch: ids,
positions and, for a person, the name to forget). Invariants: what the reader may not see is never selected; an erasure
is on record from the transaction in which its memories are chosen until every copy of them is gone, so a process that
ends in between leaves the next one enough to finish.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import msgspec

from palazzo.model.kinds import GIVEN
from palazzo.model.memory import RevisionDraft, Tier
from palazzo.model.raw_event import RawSelection
from palazzo.store.api import Erasing, Selection, Stretches
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql import indexes
from palazzo.store.sql.belief import beliefs, claims
from palazzo.store.sql.graph.entities import write_names
from palazzo.store.sql.memory import memories
from palazzo.store.sql.port import Connection, bound, one
from palazzo.store.sql.reading import SqlReading, SQLValue, glob_condition
from palazzo.store.sql.seal.sealing import opened, renew_digest, sealed
from palazzo.store.sql.writing import SqlWriting

STRUCK = "█"


def strike(writing: SqlWriting) -> None:
    """Strikes the stretches of purged memories out of the turns that still hold them."""
    stretches: dict[int, list[tuple[int, int]]] = {}
    for node, start, end in writing.purged.stretches:
        stretches.setdefault(node, []).append((start, end))
    rows: list[Any] = writing.connection.execute(
        f"""SELECT s.node, s.span_start, s.span_end, r.id, m.scope, {opened("r.text", "r.id")},
                   {opened("r.detail", "r.id")}, iif(typeof(r.text) = 'blob', m.tier, 'clear'), m.kind
            FROM carray(?) c JOIN provenance_source s ON s.node = c.value JOIN revision r ON r.id = s.revision
            JOIN memory m ON m.id = r.memory WHERE m.kind IN (?, ?, ?) AND s.span_start IS NOT NULL""",
        (bound(sorted(stretches)), *sorted(GIVEN)),
    ).fetchall()
    for node, first, last, revision, scope, text, detail, tier, kind in rows:
        left = text
        for start, end in stretches[node]:
            if start < last and first < end:
                left = _struck(left, max(start, first) - first, min(end, last) - first)
        if left != text:
            draft = RevisionDraft(text=left, detail=memories.detail_from(detail))
            _replace(writing, (scope, revision, kind), draft, tier)


def _struck(text: str, start: int, end: int) -> str:
    return text[:start] + STRUCK * (min(end, len(text)) - start) + text[end:]


def _replace(writing: SqlWriting, row: tuple[int, int, str], draft: RevisionDraft, tier: Tier) -> None:
    """The tier is that of a sealed revision; "clear" for one that is not sealed."""
    scope, revision, kind = row
    connection, cipher = writing.connection, writing.cipher if tier != "clear" else None
    rows = [(partition, revision) for partition in indexes.partitions(scope)]
    text_index.remove(writing.tables, rows)
    vectors.remove(writing.tables, rows)
    found = memories.hash_of(draft.text, kind)
    connection.execute(
        """UPDATE revision SET text = ?, summary = NULL, key_fact = NULL, label = NULL, looked = NULL, hash = ?
           WHERE id = ?""",
        (sealed(cipher, draft.text, revision), found if cipher is None else cipher.mark(found), revision),
    )
    renew_digest(connection, revision, cipher)
    terms = indexes.indexed_terms(draft, kind) if cipher is None else indexes.sealed_terms(draft, kind, tier)
    text_index.add(writing.tables, [(indexes.partition(scope, field), revision, words) for field, words in terms])


def purge(writing: SqlWriting, memory_id: UUID) -> None:
    """Removes a memory with every row that hangs on it.

    Raises: NotFound.
    """
    writing.flush()
    memory, scope = writing.memory(memory_id)
    execute = writing.connection.execute
    revisions = [n for (n,) in execute("SELECT id FROM revision WHERE memory = ? ORDER BY id", (memory,))]
    rows = [(partition, revision) for revision in revisions for partition in indexes.partitions(scope)]
    text_index.remove(writing.tables, rows)
    vectors.remove(writing.tables, rows)
    _note(writing, memory, revisions)
    for table in ("atom", "artifact", "mention", "provenance_source", "turn"):
        writing.connection.executemany(f"DELETE FROM {table} WHERE revision = ?", [(r,) for r in revisions])
    execute("DELETE FROM edge WHERE source = ?1 OR target = ?1", (memory,))
    beliefs.forget(writing, memory, revisions)
    execute("DELETE FROM tag_move WHERE memory = ?", (memory,))
    execute("DELETE FROM correction WHERE memory = ?", (memory,))
    execute("DELETE FROM in_mind WHERE memory = ?", (memory,))
    execute("DELETE FROM snapshot WHERE memory = ?", (memory,))
    execute("DELETE FROM breadcrumb WHERE memory > 0 AND memory = ?", (memory,))
    # A kept answer that names a memory goes with it: an address is made from content, and may not outlive it.
    answers = execute(f"SELECT subject, key, {opened('result')} FROM idempotency WHERE result IS NOT NULL").fetchall()
    naming = [(subject, key) for subject, key, result in answers if str(memory_id) in result]
    writing.connection.executemany("DELETE FROM idempotency WHERE subject = ? AND key = ?", naming)
    execute("DELETE FROM revision WHERE memory = ?", (memory,))
    execute("DELETE FROM memory WHERE id = ?", (memory,))
    # Revision numbers are never reused: derived indexes and caches know revisions by them.
    execute(
        """INSERT INTO palace VALUES ('purged_below', ?) ON CONFLICT (key) DO UPDATE SET
           value = CAST(max(CAST(palace.value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT)""",
        (str(writing.next_revision - 1),),
    )
    writing.event("memory_purged", memory_id.bytes)


def _note(writing: SqlWriting, memory: int, revisions: list[int]) -> None:
    """Remembers whom the memory spoke of, where it came from and where it stood, for `tidy`."""
    purged, execute = writing.purged, writing.connection.execute
    uuid, place, path, name, kind = one(
        writing.connection,
        "SELECT m.uuid, m.place, p.path, m.name, m.kind FROM memory m JOIN place p ON p.id = m.place WHERE m.id = ?",
        (memory,),
    )
    purged.memories.add(uuid)
    purged.addresses.add(f"{path}/{name}.{kind}")
    purged.revisions.update(revisions)
    purged.places.add(place)
    for revision in revisions:
        purged.entities.update(n for (n,) in execute("SELECT entity FROM mention WHERE revision = ?", (revision,)))
        rows = execute("SELECT node, span_start, span_end FROM provenance_source WHERE revision = ?", (revision,))
        for node, start, end in rows:
            purged.nodes.add(int(node))
            if start is not None and end is not None:
                purged.stretches.add((int(node), int(start), int(end)))
        purged.sessions.update(n for (n,) in execute("SELECT session FROM turn WHERE revision = ?", (revision,)))


def tidy(writing: SqlWriting) -> None:
    """Takes out what was left only by the memories this job purged."""
    owe(writing)
    strike(writing)
    _relations(writing)
    entities(writing, writing.purged.entities)
    accounts(writing)
    _nodes(writing)
    execute = writing.connection.execute
    for session in writing.purged.sessions:
        execute("DELETE FROM session WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM turn WHERE session = ?1)", (session,))
    places(writing, writing.purged.places)
    purged = writing.purged
    gone = sorted(purged.memories)
    for start in range(0, len(gone), 500):
        some = gone[start : start + 500]
        marks = ",".join("?" * len(some))
        # Reasons are people's own words; the journal keeps what happened to which id.
        execute(f"UPDATE event SET detail = NULL WHERE detail IS NOT NULL AND memory IN ({marks})", some)
    # A claim drawn from a memory says what the memory said.
    drawn = claims.resting_on(writing.connection, {*purged.addresses, *(str(UUID(bytes=uuid)) for uuid in gone)})
    for claim in drawn:
        claims.remove(writing.connection, claim)


def _relations(writing: SqlWriting) -> None:
    """A relation stays while a memory that names both its ends does, or one that was not purged stated it last.

    A scan of relation: it has no index by revision, for nothing else looks that way.
    """
    execute = writing.connection.execute
    purged = writing.purged
    touched = sorted(purged.entities)
    rows: list[Any] = execute(
        """SELECT subject, predicate, object, revision IN (SELECT value FROM carray(?1)) FROM relation
           WHERE revision IN (SELECT value FROM carray(?1))
              OR subject IN (SELECT value FROM carray(?2)) AND object IN (SELECT value FROM carray(?2))""",
        (bound(sorted(purged.revisions)), bound(touched)),
    ).fetchall()
    for subject, predicate, target, stated in rows:
        purged.entities.update((subject, target))
        named = execute(
            """SELECT 1 FROM mention a JOIN mention b ON b.revision = a.revision AND b.entity = ?
               WHERE a.entity = ? LIMIT 1""",
            (target, subject),
        ).fetchone()
        key = (subject, predicate, target)
        if named is not None:
            execute(
                """UPDATE relation SET count = max(1, count - 1), revision = CASE WHEN ? = 1 THEN NULL ELSE revision END
                   WHERE subject = ? AND predicate = ? AND object = ?""",
                (int(bool(stated)), *key),
            )
        elif stated:
            execute("DELETE FROM relation WHERE subject = ? AND predicate = ? AND object = ?", key)


def entities(writing: SqlWriting, numbers: Iterable[int]) -> None:
    """Removes those of these entities that no memory mentions and no relation names any more, with their aliases."""
    for number in sorted(numbers):
        spoken_of = writing.connection.execute(
            """SELECT EXISTS (SELECT 1 FROM mention WHERE entity = ?1)
                   OR EXISTS (SELECT 1 FROM relation WHERE subject = ?1 OR object = ?1)
                   OR EXISTS (SELECT 1 FROM entity WHERE merged_into = ?1)""",
            (number,),
        ).fetchone()
        if spoken_of is not None and spoken_of[0]:
            _seal_again(writing, number)
        else:
            writing.connection.execute("DELETE FROM alias WHERE entity = ?", (number,))
            writing.connection.execute("DELETE FROM entity WHERE id = ?", (number,))
            writing.entities.clear()


def _seal_again(writing: SqlWriting, entity: int) -> None:
    """Seals a name that only sealed memories mention now."""
    if writing.cipher is None:
        return
    (hidden,) = one(
        writing.connection,
        """SELECT EXISTS (SELECT 1 FROM entity WHERE id = ?1 AND typeof(name) = 'text')
              AND EXISTS (SELECT 1 FROM mention WHERE entity = ?1)
              AND NOT EXISTS (SELECT 1 FROM mention x JOIN revision r ON r.id = x.revision
                              WHERE x.entity = ?1 AND typeof(r.text) = 'text')""",
        (entity,),
    )
    if hidden:
        write_names(writing, entity, writing.cipher)


def accounts(writing: SqlWriting) -> None:
    """Takes purged memories out of the accounts of their messages.

    An account that speaks of no other memory goes; one that stays loses its digest, a fingerprint of the whole message.
    """
    execute = writing.connection.execute
    rows: list[Any] = execute(
        """SELECT i.id, i.fates FROM carray(?) c JOIN provenance_node n ON n.id = c.value
           JOIN intake i ON i.uuid = n.uuid""",
        (bound(sorted(writing.purged.nodes)),),
    ).fetchall()
    gone = {uuid.hex() for uuid in writing.purged.memories}
    for number, text in rows:
        fates = [fate for fate in msgspec.json.decode(text) if fate[4] not in gone]
        left = [[None if field in gone else field for field in fate] for fate in fates]
        if any(fate[4] for fate in left):
            execute(
                "UPDATE intake SET fates = ?, digest = randomblob(16) WHERE id = ?",
                (msgspec.json.encode(left).decode(), number),
            )
        else:
            execute("DELETE FROM intake WHERE id = ?", (number,))


def _nodes(writing: SqlWriting) -> None:
    """Removes happenings from which nothing is left, and with each what only stood behind it."""
    execute, waiting = writing.connection.execute, sorted(writing.purged.nodes)
    while waiting:
        node = waiting.pop()
        bears = execute(
            """SELECT 1 FROM provenance_source WHERE node = ?1
               UNION ALL SELECT 1 FROM provenance_edge WHERE target = ?1 LIMIT 1""",
            (node,),
        ).fetchone()
        if bears is None:
            waiting += [target for (target,) in execute("SELECT target FROM provenance_edge WHERE source = ?", (node,))]
            execute("DELETE FROM provenance_edge WHERE source = ?", (node,))
            execute("DELETE FROM provenance_node WHERE id = ?", (node,))


def places(writing: SqlWriting, numbers: Iterable[int]) -> None:
    """Removes open places that are empty now, and their parents as far as they are; a seal is kept: it is a rule."""
    waiting = sorted(numbers)
    while waiting:
        number = waiting.pop()
        row = writing.connection.execute(
            """SELECT parent FROM place WHERE id = ?1 AND seal = 'open' AND path <> ''
               AND NOT EXISTS (SELECT 1 FROM memory WHERE place = ?1)
               AND NOT EXISTS (SELECT 1 FROM snapshot WHERE place = ?1)
               AND NOT EXISTS (SELECT 1 FROM place WHERE parent = ?1)""",
            (number,),
        ).fetchone()
        if row is not None:
            writing.connection.execute("DELETE FROM breadcrumb WHERE place = ?", (number,))
            writing.connection.execute("DELETE FROM place WHERE id = ?", (number,))
            waiting.append(int(row[0]))


WHOLE = (-1, -1)
"""Stands for a source of which no stretch is known."""

TABLES: tuple[str, ...] = (
    """CREATE TABLE erasure (
        id INTEGER PRIMARY KEY, begun_us INTEGER NOT NULL, subject TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('memories', 'user', 'everything')), user TEXT NOT NULL,
        names TEXT NOT NULL, pseudonym TEXT NOT NULL, mentions INTEGER NOT NULL, unreadable INTEGER NOT NULL
    )""",
    """CREATE TABLE erasure_memory (
        erasure INTEGER NOT NULL REFERENCES erasure(id), memory BLOB NOT NULL,
        PRIMARY KEY (erasure, memory)
    ) WITHOUT ROWID""",
    """CREATE TABLE erasure_stretch (
        node BLOB NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
        PRIMARY KEY (node, span_start, span_end)
    ) WITHOUT ROWID""",
)  # fmt: skip


def begin(connection: Connection, intent: Erasing, memories: Iterable[UUID], now_us: int) -> int:
    """Puts an erasure on record with the memories it is to take (inside a write transaction); returns its number."""
    connection.execute(
        """INSERT INTO erasure(begun_us, subject, kind, user, names, pseudonym, mentions, unreadable, captured)
           VALUES (?,?,?,?,?,?,?,?,?)""",
        (
            now_us, intent.subject, intent.kind, intent.user, "\n".join(intent.names), intent.pseudonym,
            intent.mentions, intent.unreadable,
            "" if intent.captured is None else msgspec.json.encode(intent.captured).decode(),
        ),
    )  # fmt: skip
    number = connection.last_insert_rowid()
    connection.executemany(
        "INSERT OR IGNORE INTO erasure_memory VALUES (?,?)", [(number, memory.bytes) for memory in memories]
    )
    return number


def unfinished(connection: Connection) -> tuple[Erasing, ...]:
    """The erasures that are not complete, oldest first; in a file older than these tables there are none."""
    if one(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'erasure'") is None:
        return ()
    rows: list[Any] = connection.execute(
        "SELECT id, kind, subject, user, names, pseudonym, mentions, unreadable, captured FROM erasure ORDER BY id"
    ).fetchall()
    return tuple(
        Erasing(
            number=number, kind=kind, subject=subject, user=user, names=tuple(filter(None, names.split("\n"))),
            pseudonym=pseudonym, mentions=bool(mentions), unreadable=bool(unreadable),
            captured=msgspec.json.decode(captured, type=RawSelection) if captured else None,
        )
        for number, kind, subject, user, names, pseudonym, mentions, unreadable, captured in rows
    )  # fmt: skip


def owed(connection: Connection) -> bool:
    if one(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'erasure_stretch'") is None:
        return False
    return one(connection, "SELECT 1 FROM erasure_stretch LIMIT 1") is not None


def waiting(connection: Connection, number: int, limit: int) -> tuple[UUID, ...]:
    """Memories an erasure has still to purge. Uses the primary key and the unique index on memory.uuid."""
    rows = connection.execute(
        """SELECT e.memory FROM erasure_memory e JOIN memory m ON m.uuid = e.memory
           WHERE e.erasure = ? ORDER BY m.id LIMIT ?""",
        (number, limit),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def taken(connection: Connection, number: int) -> tuple[UUID, ...]:
    rows = connection.execute("SELECT memory FROM erasure_memory WHERE erasure = ?", (number,))
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def owe(writing: SqlWriting) -> None:
    """Notes where the memories this job purged came from, before their provenance goes with them."""
    purged = writing.purged
    known: list[Any] = writing.connection.execute(
        "SELECT id, uuid FROM provenance_node WHERE id IN (SELECT value FROM carray(?))", (bound(sorted(purged.nodes)),)
    ).fetchall()
    nodes = dict(known)
    spans = {node: {WHOLE} for node in purged.nodes - {node for node, _, _ in purged.stretches}}
    for node, start, end in purged.stretches:
        spans.setdefault(node, set()).add((start, end))
    writing.connection.executemany(
        "INSERT OR IGNORE INTO erasure_stretch VALUES (?,?,?)",
        [(nodes[node], *span) for node, found in spans.items() for span in sorted(found)],
    )


def stretches(connection: Connection) -> dict[UUID, Stretches | None]:
    """What purged memories were made from, by happening; None for one that no memory comes from any more.

    Uses the unique index on provenance_node.uuid and provenance_source_node.
    """
    found: dict[UUID, list[tuple[int, int]]] = {}
    rows = connection.execute("SELECT node, span_start, span_end FROM erasure_stretch ORDER BY node, span_start")
    for node, start, end in rows:
        known = found.setdefault(UUID(bytes=node), [])
        if (start, end) != WHOLE:
            known.append((start, end))
    return {node: None if _silent(connection, node) else tuple(spans) for node, spans in found.items()}


def _silent(connection: Connection, node: UUID) -> bool:
    row = one(
        connection,
        "SELECT 1 FROM provenance_node n JOIN provenance_source s ON s.node = n.id WHERE n.uuid = ? LIMIT 1",
        (node.bytes,),
    )
    return row is None


def settle(connection: Connection, nodes: Iterable[UUID]) -> None:
    connection.executemany("DELETE FROM erasure_stretch WHERE node = ?", [(node.bytes,) for node in nodes])


def end(connection: Connection, number: int) -> None:
    """Strikes off an erasure that is complete."""
    connection.execute("DELETE FROM erasure_memory WHERE erasure = ?", (number,))
    connection.execute("DELETE FROM erasure WHERE id = ?", (number,))


def strike_off_all(connection: Connection) -> None:
    """Empties the record: for a copy of the palace that has no archive of its own."""
    for table in ("erasure_stretch", "erasure_memory", "erasure"):
        connection.execute(f"DELETE FROM {table}")


def select_memories(reading: SqlReading, wanted: Selection) -> tuple[UUID, ...]:
    condition, values = _condition(wanted)
    rows = reading.connection.execute(
        f"SELECT m.uuid FROM {reading.source} WHERE {reading.where} AND {condition} ORDER BY m.id",
        (*reading.values, *values),
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


def count_selected(reading: SqlReading, wanted: Selection) -> int:
    condition, values = _condition(wanted)
    rows = reading.connection.execute(
        f"SELECT count(*) FROM {reading.source} WHERE {reading.where} AND {condition}", (*reading.values, *values)
    )
    return int(next(rows)[0])


def _condition(wanted: Selection) -> tuple[str, tuple[SQLValue, ...]]:
    parts: list[str] = []
    values: list[SQLValue] = []
    if wanted.memories:
        parts.append(f"m.uuid IN ({','.join('?' * len(wanted.memories))})")
        values += [memory.bytes for memory in wanted.memories]
    if wanted.place is not None:
        condition, ends = glob_condition(wanted.place)
        parts.append(condition)
        values += ends
        if wanted.place.slice is not None:
            parts.append("r.valid_from_us >= ? AND r.valid_from_us < ?")
            values += wanted.place.slice.bounds_us()
    for column, bound_us in (("m.created_us >= ?", wanted.after_us), ("m.created_us < ?", wanted.before_us)):
        if bound_us is not None:
            parts.append(column)
            values.append(bound_us)
    if wanted.source:
        parts.append(
            """EXISTS (SELECT 1 FROM revision v JOIN provenance_source s ON s.revision = v.id
               JOIN provenance_node n ON n.id = s.node WHERE v.memory = m.id
               AND (n.label = ? OR substr(n.label, 1, ?) = ? OR lower(hex(n.uuid)) = ?))"""
        )
        below = wanted.source + "/"
        values += [wanted.source, len(below), below, wanted.source.replace("-", "").lower()]
    if wanted.subject:
        parts.append(
            """EXISTS (SELECT 1 FROM tag_move t JOIN event v ON v.seq = t.seq
               WHERE t.memory = m.id AND t.tag = 'current' AND v.subject = ?)"""
        )
        values.append(wanted.subject)
    return " AND ".join(parts) or ("TRUE" if wanted.everything else "FALSE"), tuple(values)
