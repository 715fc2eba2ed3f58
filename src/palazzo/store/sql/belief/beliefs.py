"""Beliefs in the tables: the atoms a reader may hold true, what grounds them, what was given up for what, and trust.

Owns the rows of `displaced` and the reads behind the belief base and behind trust in many memories at once; the formula
of trust is the model's, and since ranking asks for a page of hits, everything is fetched in two statements. Knows
nothing of logic: it returns atoms with where they stand. Invariants: held atoms come from the revision a SqlReading
sees as current, so scope, seal, deprecation and as-of apply to beliefs as to everything else; a displacement names two
stands that exist; a conclusion is never trusted more than its weakest visible ground, ten links away at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from palazzo.errors import VersionConflict
from palazzo.model.address import PlaceGlob
from palazzo.model.belief import (
    IMPORTED_AT_MOST,
    Displace,
    Evidence,
    ExpectHeld,
    Release,
    Stand,
    Standing,
    accuracy,
    said_by_person,
)
from palazzo.model.graph import IMPACT_KINDS, MentionDraft
from palazzo.model.kinds import GIVEN
from palazzo.model.memory import Atom, Memory
from palazzo.store.api import MAX_ATOMS, AtomRow, AtomSlot, DisplacedRow
from palazzo.store.index.tables import EVERY
from palazzo.store.sql.belief import claims
from palazzo.store.sql.port import bound, one
from palazzo.store.sql.reading import SqlReading, SQLValue, glob_condition
from palazzo.store.sql.seal.sealing import ATOM, forms, opened, pairs
from palazzo.store.sql.writing import SqlWriting
from palazzo.text.words.remembered import remembered

_SAID = f"{opened('a.subject')}, {opened('a.predicate')}, {opened('a.value')}"
_ATOM = f"m.uuid, m.kind, r.id, r.number, a.position, {_SAID}, a.functional, a.negated, r.confidence"


def _row(found: Sequence[object]) -> AtomRow:
    uuid, kind, key, number, position, subject, predicate, value, functional, negated, confidence = found
    atom = Atom(str(subject), str(predicate), str(value), bool(functional), bool(negated))
    return AtomRow(UUID(bytes=uuid), str(kind), int(key), int(number), int(position), atom, float(confidence))  # type: ignore[arg-type,call-overload]


def stated(reading: SqlReading, slots: Iterable[AtomSlot]) -> list[tuple[str | bytes, str | bytes]]:
    """Those of these slots, as they are stored, that anything was said about in the reader's scopes. Uses atom_slot.

    A look into one index, a twentieth of the join that finds out what of it is held: most slots of a batch are new.
    """
    execute = reading.connection.execute
    statement = f"SELECT 1 FROM atom WHERE subject = ? AND predicate = ? AND scope IN ({reading.scope_list}) LIMIT 1"
    return [slot for slot in pairs(reading.cipher, slots) if execute(statement, slot).fetchone()]


def about(reading: SqlReading, slots: Iterable[AtomSlot], limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
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


def stands(reading: SqlReading, slots: Iterable[AtomSlot]) -> frozenset[tuple[int, int]]:
    """Where something is held about these slots: revision key and position. Uses atom_slot."""
    found: set[tuple[int, int]] = set()
    execute, values = reading.connection.execute, reading.values
    statement = f"""SELECT a.revision, a.position FROM atom a JOIN {reading.source}
        WHERE r.id = a.revision AND a.subject = ? AND a.predicate = ? AND a.scope IN ({reading.scope_list})
          AND {reading.where} LIMIT ?"""
    for subject, predicate in stated(reading, slots):
        found.update(execute(statement, (subject, predicate, *values, MAX_ATOMS)))
    return frozenset(found)


def expect(writing: SqlWriting, change: ExpectHeld) -> None:
    """Compares what is held about some slots with what a plan was made from.

    Raises: VersionConflict.
    """
    writing.flush()
    if stands(SqlReading.begin(writing.connection, change.view, writing.cipher), change.slots) != change.stands:
        raise VersionConflict("what is believed about this changed meanwhile", hint="read it again and decide anew")


def every(reading: SqlReading, limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
    rows = reading.connection.execute(
        f"""SELECT {_ATOM} FROM {reading.source} JOIN atom a ON a.revision = r.id
            WHERE {reading.where} ORDER BY r.id, a.position LIMIT ?""",
        (*reading.values, limit),
    )
    return tuple(map(_row, rows))


def facts(
    reading: SqlReading, glob: PlaceGlob | None = None, about: str = "", attribute: str = "", limit: int = MAX_ATOMS
) -> tuple[AtomRow, ...]:
    """Scans the atoms of what the reader sees: words may stand anywhere in them. Uses the primary key of atom."""
    where, values = ("TRUE", ()) if glob is None else glob_condition(glob)
    asked: list[SQLValue] = []
    if about:
        # A sealed atom is opened after it was read, so its words are looked for then.
        said = "a.subject || '\n' || a.value"
        where += f" AND (typeof(a.value) = 'blob' OR instr(lower({said}), ?) > 0 OR instr({said}, ?) > 0)"
        asked += [about.lower(), about]
    if attribute:
        marks = ",".join("?" * len(spelt := forms(reading.cipher, attribute)))
        where += f" AND a.predicate IN ({marks})"
        asked += spelt
    rows = reading.connection.execute(
        f"""SELECT {_ATOM} FROM {reading.source} JOIN atom a ON a.revision = r.id
            WHERE {reading.where} AND {where} ORDER BY r.id, a.position LIMIT ?""",
        (*reading.values, *values, *asked, EVERY if about and reading.cipher is not None else limit),
    )
    found = map(_row, rows)
    if about and reading.cipher is not None:
        return tuple(islice((row for row in found if _says(row, about)), limit))
    return tuple(found)


def _says(row: AtomRow, words: str) -> bool:
    said = f"{row.atom.subject}\n{row.atom.value}"
    return words.lower() in said.lower() or words in said


def of_revisions(reading: SqlReading, keys: Sequence[int]) -> tuple[AtomRow, ...]:
    rows = reading.connection.execute(
        f"""SELECT {_ATOM} FROM {reading.source} JOIN atom a ON a.revision = r.id
            WHERE r.id IN (SELECT value FROM carray(?)) AND {reading.where} ORDER BY r.id, a.position""",
        (bound(keys), *reading.values),
    )
    return tuple(map(_row, rows))


def displaced_about(reading: SqlReading, slots: Iterable[AtomSlot]) -> tuple[DisplacedRow, ...]:
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


def atoms_at(reading: SqlReading, key: int, position: int) -> tuple[Atom, ...]:
    condition = "" if position < 0 else " AND position = ?"
    rows = reading.connection.execute(
        f"""SELECT {ATOM}, functional, negated FROM atom
            WHERE revision = ?{condition} ORDER BY position""",
        (key,) if position < 0 else (key, position),
    )
    return tuple(Atom(s, p, v, bool(f), bool(n)) for s, p, v, f, n in rows)


def mentions_of(reading: SqlReading, key: int) -> tuple[MentionDraft, ...]:
    """The entities a revision names, ready to be carried to its successor. Uses mention_revision."""
    rows = reading.connection.execute(
        f"""SELECT {opened("e.name")}, e.kind, coalesce({opened("x.text")}, '')
           FROM mention x JOIN entity e ON e.id = x.entity
           WHERE x.revision = ? ORDER BY e.id""",
        (key,),
    )
    return tuple(MentionDraft(name, kind, text) for name, kind, text in rows)


def since(reading: SqlReading, row: AtomRow) -> int:
    """Since when an atom has stood in its memory without a break: the event time of the first revision of the run."""
    said = (row.atom.subject, row.atom.predicate, row.atom.value)
    spelt = [forms(reading.cipher, word) for word in said]
    marks = [",".join("?" * len(words)) for words in spelt]
    rows = reading.connection.execute(
        f"""SELECT r.number, r.valid_from_us, EXISTS (SELECT 1 FROM atom a WHERE a.revision = r.id
                  AND a.subject IN ({marks[0]}) AND a.predicate IN ({marks[1]}) AND a.value IN ({marks[2]})
                  AND a.negated = ?)
           FROM revision r WHERE r.memory = (SELECT memory FROM revision WHERE id = ?) AND r.number <= ?
           ORDER BY r.number DESC LIMIT 200""",
        (*(word for words in spelt for word in words), int(row.atom.negated), row.key, row.number),
    )
    first = 0
    for _, valid_from_us, there in rows:
        if not there:
            break
        first = int(valid_from_us)
    return first


def rivals(reading: SqlReading, memory: Memory, limit: int) -> tuple[int, ...]:
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


def evidence(reading: SqlReading, memory_id: UUID, key: int) -> int:
    (count,) = one(
        reading.connection,
        """SELECT (SELECT count(DISTINCT node) FROM provenance_source WHERE revision = ?1 AND stage <> 'claimed')
                + (SELECT count(DISTINCT e.target) FROM edge e WHERE e.source = m.id AND e.kind = 'derived_from')
                + (SELECT count(DISTINCT e.source) FROM edge e WHERE e.target = m.id AND e.kind = 'supports')
           FROM memory m WHERE m.uuid = ?2""",
        (key, memory_id.bytes),
    )
    return max(int(count), 1)


def dependents(reading: SqlReading, memory_id: UUID) -> int:
    """How many memories rest directly on this one. Uses edge_target."""
    marks = ",".join("?" * len(IMPACT_KINDS))
    (count,) = one(
        reading.connection,
        f"""SELECT count(DISTINCT e.source) FROM edge e
            WHERE e.target = (SELECT id FROM memory WHERE uuid = ?) AND e.kind IN ({marks})""",
        (memory_id.bytes, *IMPACT_KINDS),
    )
    return int(count)


def _number(writing: SqlWriting, stand: Stand) -> int:
    memory, _ = writing.memory(stand.memory_id)
    if stand.revision is None:
        row = one(writing.connection, "SELECT current FROM memory WHERE id = ?", (memory,))
    else:
        row = one(
            writing.connection, "SELECT id FROM revision WHERE memory = ? AND number = ?", (memory, stand.revision)
        )
    return int(row[0])


def displace(writing: SqlWriting, change: Displace) -> None:
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


def release(writing: SqlWriting, change: Release) -> None:
    """Forgets what a belief was given up for."""
    writing.flush()
    writing.connection.execute(
        "DELETE FROM displaced WHERE revision = ? AND position = ?",
        (_number(writing, change.belief), change.belief.position),
    )
    if writing.connection.changes():
        writing.event("belief_released", change.belief.memory_id.bytes, change.belief.revision)


def forget(writing: SqlWriting, memory: int, revisions: Sequence[int]) -> None:
    """Takes along everything these tables hold about a memory that is being purged."""
    execute = writing.connection.execute
    for revision in revisions:
        execute("DELETE FROM displaced WHERE revision = ?1", (revision,))
        execute("DELETE FROM displaced WHERE by_revision = ?1", (revision,))
    for table in ("staleness_audit", "freshness", "outcome"):
        execute(f"DELETE FROM {table} WHERE memory = ?", (memory,))
    became: list[tuple[int]] = execute("SELECT id FROM claim WHERE memory = ?", (memory,)).fetchall()
    for (claim,) in became:
        claims.remove(writing.connection, claim)


DEPTH = 10
MOST_GROUNDS = 5_000
_LINEAGE = "('derived_from', 'depends_on', 'inferred_from', 'created_from')"
GROUNDS = "('derived_from', 'depends_on', 'inferred_from', 'created_from', 'supersedes')"


class OwnEvidence(NamedTuple):
    """What there is about one memory itself: how likely it is right, whether it rests on others."""

    accuracy: float
    rests: bool


def trust_standings(reading: SqlReading, keys: Sequence[int]) -> dict[int, Standing]:
    weakest, owns = _weakest(reading, keys)
    rows = reading.connection.execute(
        "SELECT m.id, m.uuid FROM carray(?) c JOIN memory m ON m.id = c.value",
        (bound([node for _, node in weakest.values()]),),
    )
    ids = {number: UUID(bytes=uuid) for number, uuid in rows}
    return {
        key: Standing(owns[start].accuracy, owns[node].accuracy, ids[node]) for key, (start, node) in weakest.items()
    }


def trust_figures(reading: SqlReading, keys: Sequence[int]) -> dict[int, float]:
    found, resting = reading.hot.trusts(reading, keys) or ({}, keys)
    if resting:
        weakest, owns = _weakest(reading, resting)
        found |= {key: owns[node].accuracy for key, (_, node) in weakest.items()}
    return found


def _weakest(reading: SqlReading, keys: Sequence[int]) -> tuple[dict[int, tuple[int, int]], dict[int, OwnEvidence]]:
    """For each revision its memory and the weakest thing that rests on, and what is known of each, by number.

    A verbatim turn is a record of what was said, not a ground that could be wrong, so it is not counted.
    """
    joins, where, values = reading.gate(keys, "c.value")
    rows: list[Any] = reading.connection.execute(
        f"""SELECT {_COLUMNS} FROM carray(?) c {joins} CROSS JOIN revision r ON r.id = c.value {_OUTCOME}
            WHERE {where}""",
        (bound(keys), *values),
    ).fetchall()
    found = {row[1]: (row[0], row[0]) for row in rows}
    owns = own_evidence(reading, rows)
    if any(own.rests for own in owns.values()):
        lines = _lines(reading, keys)
        owns |= _further(reading, {node for _, node, _ in lines} - owns.keys())
        for start, node, depth in sorted(lines, key=lambda line: line[2]):
            if depth and node in owns and start in found and owns[node].accuracy < owns[found[start][1]].accuracy:
                found[start] = (found[start][0], node)
    return found, owns


def _lines(reading: SqlReading, keys: Sequence[int]) -> list[tuple[int, int, int]]:
    """Key, memory and distance of every ground of these revisions, themselves included. Uses edge_source."""
    rows = reading.connection.execute(
        f"""WITH RECURSIVE line(start, node, depth) AS (
                SELECT c.value, m.id, 0 FROM carray(?) c {reading.shown("c.value")} WHERE {reading.where}
                UNION
                SELECT line.start, e.target, line.depth + 1 FROM line
                JOIN edge e ON e.source = line.node AND e.kind IN {_LINEAGE}
                JOIN memory g ON g.id = e.target AND g.kind <> 'exchange' WHERE line.depth < ?
            ) SELECT start, node, min(depth) FROM line GROUP BY start, node LIMIT ?""",
        (bound(keys), *reading.values, DEPTH, MOST_GROUNDS),
    )
    return [(int(start), int(node), int(depth)) for start, node, depth in rows]


_COLUMNS = "r.memory, r.id, r.author, coalesce(o.successes, 0), coalesce(o.failures, 0)"
_OUTCOME = "LEFT JOIN outcome o ON o.memory = r.memory"


def _further(reading: SqlReading, numbers: Set[int]) -> dict[int, OwnEvidence]:
    """What there is about the visible ones among these memories."""
    rows: list[Any] = reading.connection.execute(
        f"""SELECT {_COLUMNS} FROM {reading.source} {_OUTCOME}
            WHERE m.id IN (SELECT value FROM carray(?)) AND {reading.where}""",
        (bound(sorted(numbers)), *reading.values),
    ).fetchall()
    return own_evidence(reading, rows)


def own_evidence(reading: SqlReading, rows: Sequence[Any]) -> dict[int, OwnEvidence]:
    """What there is about the memories of these rows of _COLUMNS, from one statement for each sort of evidence."""
    nodes, speakers = _told(reading, [row[1] for row in rows])
    grounds, replacing, resting = _linked(reading, [row[0] for row in rows])
    found: dict[int, OwnEvidence] = {}
    for number, key, author, successes, failures in rows:
        names = (author or "", *sorted(speakers.get(key, ())))
        sources = max(len(nodes.get(key, ())) + grounds.get(number, 0), 1)
        figure = _figure(sources, names, number in replacing, successes, failures)
        found[number] = OwnEvidence(_at_most(author, figure), number in resting)
    return found


def _at_most(author: str | None, figure: float) -> float:
    """Memories of one file can vouch for each other without end; none of it is worth more than the file."""
    return min(figure, IMPORTED_AT_MOST) if (author or "").startswith("import:") else figure


def of_author(author: str | None) -> float:
    """The accuracy of what somebody wrote of which nothing else tells."""
    return _at_most(author, _figure(1, (author or "",), False, 0, 0))


def told_further(reading: SqlReading, keys: Sequence[int]) -> set[int]:
    """Those of these revisions behind which there is more than one happening, or one in which somebody spoke."""
    rows: Any = reading.connection.execute(
        """SELECT s.revision FROM carray(?) c JOIN provenance_source s ON s.revision = c.value
           JOIN provenance_node n ON n.id = s.node WHERE s.stage <> 'claimed'
           GROUP BY s.revision HAVING count(*) > 1 OR max(n.author) <> ''""",
        (bound(keys),),
    )
    return {key for (key,) in rows}


@remembered(4096)
def _figure(sources: int, names: tuple[str, ...], replaced: bool, successes: int, failures: int) -> float:
    """The accuracy behind evidence of which there are few sorts, and many memories of each."""
    return accuracy(
        Evidence(
            sources=sources, said_by_person=said_by_person(names), replaced_contradiction=replaced,
            successes=successes, failures=failures,
        )
    )  # fmt: skip


def _told(reading: SqlReading, keys: Sequence[int]) -> tuple[dict[int, set[int]], dict[int, set[str]]]:
    """The happenings behind these revisions, and who spoke in them. Uses the primary key of provenance_source."""
    nodes: dict[int, set[int]] = {}
    speakers: dict[int, set[str]] = {}
    for key, node, kind, author in reading.connection.execute(
        """SELECT s.revision, s.node, n.kind, n.author FROM carray(?) c JOIN provenance_source s ON s.revision = c.value
           JOIN provenance_node n ON n.id = s.node WHERE s.stage <> 'claimed'""",
        (bound(keys),),
    ):
        nodes.setdefault(key, set()).add(node)
        if author is not None and kind in ("conversation", "message"):
            speakers.setdefault(key, set()).add(author)
    return nodes, speakers


def _linked(reading: SqlReading, numbers: Sequence[int]) -> tuple[Counter[int], set[int], set[int]]:
    """How many memories each of these was drawn from or is supported by, which of them replaced another, and which rest
    on any that is no turn.

    Uses edge_source and edge_target.
    """
    rows: list[Any] = reading.connection.execute(
        f"""SELECT DISTINCT e.source, e.kind, e.target, g.kind FROM carray(?) c
            JOIN edge e ON e.source = c.value AND e.kind IN {GROUNDS} JOIN memory g ON g.id = e.target
            UNION ALL SELECT DISTINCT e.target, e.kind, e.source, '' FROM carray(?) c
            JOIN edge e ON e.target = c.value AND e.kind = 'supports'""",
        (bound(numbers), bound(numbers)),
    ).fetchall()
    counts = Counter(number for number, kind, _, _ in rows if kind in ("derived_from", "supports"))
    replacing = {number for number, kind, _, _ in rows if kind == "supersedes"}
    resting = {number for number, kind, _, of in rows if kind not in ("supersedes", "supports") and of not in GIVEN}
    return counts, replacing, resting
