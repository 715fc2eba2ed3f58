"""Beliefs in the tables: the atoms a reader may hold true, what grounds them, and what was given up for what.

Owns the rows of `displaced` and the reads behind the belief base. Knows nothing of logic: it returns atoms with where
they stand. Invariants: held atoms come from the revision a SqliteReading sees as current, so scope, seal,
deprecation and as-of apply to beliefs as to everything else; a displacement names two stands that exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from palazzo.errors import VersionConflict
from palazzo.model.address import PlaceGlob
from palazzo.model.belief import Displace, ExpectHeld, Release, Stand
from palazzo.model.graph import IMPACT_KINDS, MentionDraft
from palazzo.model.memory import Atom, Memory
from palazzo.store.api import MAX_ATOMS, AtomRow, AtomSlot, DisplacedRow
from palazzo.store.sqlite.belief import claims
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading, bound, glob_condition
from palazzo.store.sqlite.seal.sealing import ATOM, opened, pairs
from palazzo.store.sqlite.writing import SqliteWriting

_SAID = f"{opened('a.subject')}, {opened('a.predicate')}, {opened('a.value')}"
_ATOM = f"m.uuid, m.kind, r.id, r.number, a.position, {_SAID}, a.functional, a.negated, r.confidence"


def _row(found: Sequence[object]) -> AtomRow:
    uuid, kind, key, number, position, subject, predicate, value, functional, negated, confidence = found
    atom = Atom(str(subject), str(predicate), str(value), bool(functional), bool(negated))
    return AtomRow(UUID(bytes=uuid), str(kind), int(key), int(number), int(position), atom, float(confidence))  # type: ignore[arg-type,call-overload]


def stated(reading: SqliteReading, slots: Iterable[AtomSlot]) -> list[tuple[str | bytes, str | bytes]]:
    """Those of these slots, as they are stored, that anything was said about in the reader's scopes. Uses atom_slot.

    A look into one index, a twentieth of the join that finds out what of it is held: most slots of a batch are new.
    """
    execute = reading.connection.execute
    statement = f"SELECT 1 FROM atom WHERE subject = ? AND predicate = ? AND scope IN ({reading.scope_list}) LIMIT 1"
    return [slot for slot in pairs(reading.cipher, slots) if execute(statement, slot).fetchone()]


def about(reading: SqliteReading, slots: Iterable[AtomSlot], limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
    """Held atoms of these slots. Uses atom_slot, then the primary keys."""
    found: list[AtomRow] = []
    for subject, predicate in pairs(reading.cipher, slots):
        rows = reading.connection.execute(
            f"""SELECT {_ATOM} FROM atom a JOIN {reading.source}
                WHERE r.id = a.revision AND a.subject = ? AND a.predicate = ? AND a.scope IN ({reading.scope_list})
                  AND {reading.where} LIMIT ?""",
            (subject, predicate, *reading.values, limit),
        )
        found.extend(map(_row, rows))
    return tuple(found)


def stands(reading: SqliteReading, slots: Iterable[AtomSlot]) -> frozenset[tuple[int, int]]:
    """Where something is held about these slots: revision key and position. Uses atom_slot."""
    found: set[tuple[int, int]] = set()
    execute, values = reading.connection.execute, reading.values
    statement = f"""SELECT a.revision, a.position FROM atom a JOIN {reading.source}
        WHERE r.id = a.revision AND a.subject = ? AND a.predicate = ? AND a.scope IN ({reading.scope_list})
          AND {reading.where} LIMIT ?"""
    for subject, predicate in stated(reading, slots):
        found.update(execute(statement, (subject, predicate, *values, MAX_ATOMS)))
    return frozenset(found)


def expect(writing: SqliteWriting, change: ExpectHeld) -> None:
    """Compares what is held about some slots with what a plan was made from.

    Raises: VersionConflict.
    """
    writing.flush()
    if stands(SqliteReading.begin(writing.connection, change.view, writing.cipher), change.slots) != change.stands:
        raise VersionConflict("what is believed about this changed meanwhile", hint="read it again and decide anew")


def every(reading: SqliteReading, limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
    """Every held atom of a reader, oldest revision first: for showing a whole base, never for deciding."""
    rows = reading.connection.execute(
        f"""SELECT {_ATOM} FROM {reading.source} JOIN atom a ON a.revision = r.id
            WHERE {reading.where} ORDER BY r.id, a.position LIMIT ?""",
        (*reading.values, limit),
    )
    return tuple(map(_row, rows))


def of_revisions(reading: SqliteReading, keys: Sequence[int]) -> tuple[AtomRow, ...]:
    """All atoms of visible current revisions, by key."""
    rows = reading.connection.execute(
        f"""SELECT {_ATOM} FROM {reading.source} JOIN atom a ON a.revision = r.id
            WHERE r.id IN (SELECT value FROM carray(?)) AND {reading.where} ORDER BY r.id, a.position""",
        (bound(keys), *reading.values),
    )
    return tuple(map(_row, rows))


def displaced_about(reading: SqliteReading, slots: Iterable[AtomSlot]) -> tuple[DisplacedRow, ...]:
    """Beliefs of these slots that were given up and may return; their memories may be deprecated meanwhile.

    Uses atom_slot and the primary key of displaced. A whole rule is returned with each of its atoms.
    """
    found: dict[tuple[int, int, int, int], DisplacedRow] = {}
    for subject, predicate in pairs(reading.cipher, slots):
        rows = reading.connection.execute(
            f"""SELECT m.uuid, m.kind, r.id, r.number, d.position, {_SAID}, a.functional,
                       a.negated, r.confidence, d.by_revision, d.by_position
                FROM atom s JOIN displaced d ON d.revision = s.revision AND d.position IN (s.position, -1)
                JOIN atom a ON a.revision = d.revision AND a.position = s.position
                JOIN revision r ON r.id = d.revision JOIN memory m ON m.id = r.memory JOIN place p ON p.id = m.place
                WHERE s.subject = ? AND s.predicate = ? AND s.scope IN ({reading.scope_list})
                  AND m.scope IN ({reading.scope_list}) AND m.state IN ('active', 'stale')
                  AND {reading.place_where}""",
            (subject, predicate, *reading.place_values),
        )
        for row in rows:
            found[row[2], row[4], row[11], row[12]] = DisplacedRow(_row(row[:11]), row[11], row[12])
    return tuple(found.values())


def atoms_at(reading: SqliteReading, key: int, position: int) -> tuple[Atom, ...]:
    """The atom at a stand, or all atoms of the revision for position -1."""
    condition = "" if position < 0 else " AND position = ?"
    rows = reading.connection.execute(
        f"""SELECT {ATOM}, functional, negated FROM atom
            WHERE revision = ?{condition} ORDER BY position""",
        (key,) if position < 0 else (key, position),
    )
    return tuple(Atom(s, p, v, bool(f), bool(n)) for s, p, v, f, n in rows)


def mentions_of(reading: SqliteReading, key: int) -> tuple[MentionDraft, ...]:
    """The entities a revision names, ready to be carried to its successor. Uses mention_revision."""
    rows = reading.connection.execute(
        f"""SELECT {opened("e.name")}, e.kind, coalesce({opened("x.text")}, '')
           FROM mention x JOIN entity e ON e.id = x.entity
           WHERE x.revision = ? ORDER BY e.id""",
        (key,),
    )
    return tuple(MentionDraft(name, kind, text) for name, kind, text in rows)


def since(reading: SqliteReading, row: AtomRow) -> int:
    """Since when an atom has stood in its memory without a break: the event time of the first revision of the run."""
    rows = reading.connection.execute(
        f"""SELECT r.number, r.valid_from_us, EXISTS (SELECT 1 FROM atom a WHERE a.revision = r.id
                  AND {opened("a.subject")} = ? AND {opened("a.predicate")} = ? AND {opened("a.value")} = ?
                  AND a.negated = ?)
           FROM revision r WHERE r.memory = (SELECT memory FROM revision WHERE id = ?) AND r.number <= ?
           ORDER BY r.number DESC LIMIT 200""",
        (row.atom.subject, row.atom.predicate, row.atom.value, int(row.atom.negated), row.key, row.number),
    )
    first = 0
    for _, valid_from_us, there in rows:
        if not there:
            break
        first = int(valid_from_us)
    return first


def rivals(reading: SqliteReading, memory: Memory, limit: int) -> tuple[int, ...]:
    """Keys of newer memories that could contradict one: of the same slot anywhere, or below its place with two of its
    entities. Newest first. Uses atom_slot, the primary key of mention and mention_revision.
    """
    since = memory.revision.content.valid_from_us
    since = since if since is not None else memory.revision.created_us
    marks = "r.id <> ? AND r.valid_from_us >= ? AND m.kind <> 'exchange'"
    below, ends = glob_condition(PlaceGlob(memory.place, "subtree"))
    own = (memory.revision.key, since)
    rows = reading.connection.execute(
        f"""SELECT DISTINCT r.id FROM atom o JOIN atom a ON a.subject = o.subject AND a.predicate = o.predicate
                AND a.scope IN ({reading.scope_list})
            JOIN {reading.source} WHERE o.revision = ? AND r.id = a.revision AND {marks} AND {reading.where}
            ORDER BY r.id DESC LIMIT ?""",
        (memory.revision.key, *own, *reading.values, limit),
    )
    found = dict.fromkeys(key for (key,) in rows)
    rows = reading.connection.execute(
        f"""SELECT r.id FROM mention o JOIN mention x ON x.entity = o.entity JOIN {reading.source}
            WHERE o.revision = ? AND r.id = x.revision AND {marks}
              AND {below} AND {reading.where}
            GROUP BY r.id HAVING count(*) >= 2 ORDER BY r.id DESC LIMIT ?""",
        (memory.revision.key, *own, *ends, *reading.values, limit),
    )
    found |= dict.fromkeys(key for (key,) in rows)
    return tuple(found)[:limit]


def evidence(reading: SqliteReading, memory_id: UUID, key: int) -> int:
    """How many sources a revision has: provenance nodes, memories it is derived from, memories that support it."""
    (count,) = one(
        reading.connection,
        """SELECT (SELECT count(DISTINCT node) FROM provenance_source WHERE revision = ?1)
                + (SELECT count(DISTINCT e.target) FROM edge e WHERE e.source = m.id AND e.kind = 'derived_from')
                + (SELECT count(DISTINCT e.source) FROM edge e WHERE e.target = m.id AND e.kind = 'supports')
           FROM memory m WHERE m.uuid = ?2""",
        (key, memory_id.bytes),
    )
    return max(int(count), 1)


def dependents(reading: SqliteReading, memory_id: UUID) -> int:
    """How many memories rest directly on this one. Uses edge_target."""
    marks = ",".join("?" * len(IMPACT_KINDS))
    (count,) = one(
        reading.connection,
        f"""SELECT count(DISTINCT e.source) FROM edge e
            WHERE e.target = (SELECT id FROM memory WHERE uuid = ?) AND e.kind IN ({marks})""",
        (memory_id.bytes, *IMPACT_KINDS),
    )
    return int(count)


def _number(writing: SqliteWriting, stand: Stand) -> int:
    memory, _ = writing.memory(stand.memory_id)
    if stand.revision is None:
        row = one(writing.connection, "SELECT current FROM memory WHERE id = ?", (memory,))
    else:
        row = one(
            writing.connection, "SELECT id FROM revision WHERE memory = ? AND number = ?", (memory, stand.revision)
        )
    return int(row[0])


def displace(writing: SqliteWriting, change: Displace) -> None:
    """Notes what a belief was given up for."""
    writing.flush()
    writing.connection.execute(
        "INSERT OR REPLACE INTO displaced VALUES (?,?,?,?,?)",
        (
            _number(writing, change.belief), change.belief.position, _number(writing, change.by), change.by.position,
            writing.now_us,
        ),
    )  # fmt: skip
    writing.event(
        "belief_displaced", change.belief.memory_id.bytes, change.belief.revision, {"by": str(change.by.memory_id)}
    )


def release(writing: SqliteWriting, change: Release) -> None:
    """Forgets what a belief was given up for."""
    writing.flush()
    writing.connection.execute(
        "DELETE FROM displaced WHERE revision = ? AND position = ?",
        (_number(writing, change.belief), change.belief.position),
    )
    if writing.connection.changes():
        writing.event("belief_released", change.belief.memory_id.bytes, change.belief.revision)


def forget(writing: SqliteWriting, memory: int, revisions: Sequence[int]) -> None:
    """Takes along everything these tables hold about a memory that is being purged."""
    execute = writing.connection.execute
    for revision in revisions:
        execute("DELETE FROM displaced WHERE revision = ?1", (revision,))
        execute("DELETE FROM displaced WHERE by_revision = ?1", (revision,))
    for table in ("staleness_audit", "freshness", "outcome"):
        execute(f"DELETE FROM {table} WHERE memory = ?", (memory,))
    became: list[tuple[int]] = execute("SELECT id FROM claim WHERE memory = ?", (memory,)).fetchall()  # type: ignore[assignment]
    for (claim,) in became:
        claims.remove(writing.connection, claim)
