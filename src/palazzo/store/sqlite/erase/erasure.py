"""Removing memories physically, with everything that only they left behind, and striking out of turns and documents
what was erased.

Owns the order of the steps: `purge` takes one memory out of every table and index, `tidy` runs once at the end of a job
and takes out what no other memory speaks for (names, relations, accounts of messages, sessions, places). Decides
nothing about who may erase what. Owns the one exception to the rule that a revision never changes: a statement drawn
from a turn must not live on in the turn, so its letters become blocks, and what was derived from the turn's text is
made from what is left or removed. Invariants: afterwards only the memory's id remains, in the journal; SQLite
overwrites what it frees (secure_delete), so the bytes leave the file with the rows; of a struck turn nothing but the
named stretches is altered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import msgspec

from palazzo.model.kinds import GIVEN
from palazzo.model.memory import RevisionDraft, Tier
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite import digests, idempotency, indexes
from palazzo.store.sqlite.belief import beliefs, claims
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.erase import erasures
from palazzo.store.sqlite.graph.entities import write_names
from palazzo.store.sqlite.memory import memories
from palazzo.store.sqlite.reading import bound
from palazzo.store.sqlite.seal.sealing import opened, sealed
from palazzo.store.sqlite.writing import SqliteWriting

STRUCK = "█"


def strike(writing: SqliteWriting) -> None:
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


def _replace(writing: SqliteWriting, row: tuple[int, int, str], draft: RevisionDraft, tier: Tier) -> None:
    """The tier is that of a sealed revision; "clear" for one that is not sealed."""
    scope, revision, kind = row
    connection, cipher = writing.connection, writing.cipher if tier != "clear" else None
    rows = [(partition, revision) for partition in indexes.partitions(scope)]
    text_index.remove(writing.tables, rows)
    vectors.remove(writing.tables, rows)
    found = memories.hash_of(draft.text, kind)
    connection.execute(
        "UPDATE revision SET text = ?, summary = NULL, key_fact = NULL, label = NULL, hash = ? WHERE id = ?",
        (sealed(cipher, draft.text, revision), found if cipher is None else cipher.mark(found), revision),
    )
    digests.renew(connection, revision, cipher)
    terms = indexes.indexed_terms(draft, kind) if cipher is None else indexes.sealed_terms(draft, kind, tier)
    text_index.add(writing.tables, [(indexes.partition(scope, field), revision, words) for field, words in terms])


def purge(writing: SqliteWriting, memory_id: UUID) -> None:
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
    execute("DELETE FROM breadcrumb WHERE memory > 0 AND memory = ?", (memory,))
    idempotency.forget(writing.connection, memory_id)
    execute("DELETE FROM revision WHERE memory = ?", (memory,))
    execute("DELETE FROM memory WHERE id = ?", (memory,))
    # Revision numbers are never reused: derived indexes and caches know revisions by them.
    execute(
        """INSERT INTO palace VALUES ('purged_below', ?) ON CONFLICT (key) DO UPDATE SET
           value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))""",
        (str(writing.next_revision - 1),),
    )
    writing.event("memory_purged", memory_id.bytes)


def _note(writing: SqliteWriting, memory: int, revisions: list[int]) -> None:
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


def tidy(writing: SqliteWriting) -> None:
    """Takes out what was left only by the memories this job purged."""
    erasures.owe(writing)
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


def _relations(writing: SqliteWriting) -> None:
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
                """UPDATE relation SET count = max(1, count - 1), revision = iif(?, NULL, revision)
                   WHERE subject = ? AND predicate = ? AND object = ?""",
                (stated, *key),
            )
        elif stated:
            execute("DELETE FROM relation WHERE subject = ? AND predicate = ? AND object = ?", key)


def entities(writing: SqliteWriting, numbers: Iterable[int]) -> None:
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


def _seal_again(writing: SqliteWriting, entity: int) -> None:
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


def accounts(writing: SqliteWriting) -> None:
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


def _nodes(writing: SqliteWriting) -> None:
    for node in sorted(writing.purged.nodes):
        writing.connection.execute(
            """DELETE FROM provenance_node WHERE id = ? AND NOT EXISTS (SELECT 1 FROM provenance_source WHERE node = id)
               AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE source = provenance_node.id)
               AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE target = provenance_node.id)""",
            (node,),
        )


def places(writing: SqliteWriting, numbers: Iterable[int]) -> None:
    """Removes open places that are empty now, and their parents as far as they are; a seal is kept: it is a rule."""
    waiting = sorted(numbers)
    while waiting:
        number = waiting.pop()
        row = writing.connection.execute(
            """SELECT parent FROM place WHERE id = ?1 AND seal = 'open' AND path <> ''
               AND NOT EXISTS (SELECT 1 FROM memory WHERE place = ?1)
               AND NOT EXISTS (SELECT 1 FROM place WHERE parent = ?1)""",
            (number,),
        ).fetchone()
        if row is not None:
            writing.connection.execute("DELETE FROM breadcrumb WHERE place = ?", (number,))
            writing.connection.execute("DELETE FROM place WHERE id = ?", (number,))
            waiting.append(int(row[0]))
