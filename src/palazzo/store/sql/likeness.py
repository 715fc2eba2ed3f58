"""Whether two palaces hold the same: their truth row by row, by the ids and names the outside knows.

Leaves out what differs between any two palaces: row numbers, the journal and the audit chain, how often memories were
read, what is in mind, jobs, and everything derived. Invariant: it changes nothing and tells counts, never content.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.store import SqlStore

_REVISION: Final = "revision r JOIN memory m ON m.id = r.memory"
_SCOPE: Final = "(SELECT path FROM scope WHERE id = {0}.scope)"

TRUTH: Final[dict[str, str]] = {
    "memory": f"""SELECT m.uuid, p.path, m.name, m.kind, {_SCOPE.format("m")}, m.state, m.tier,
        m.deprecated_us, m.pinned, m.durability, m.created_us, c.number
        FROM memory m JOIN place p ON p.id = m.place JOIN revision c ON c.id = m.current""",
    "revision": f"""SELECT m.uuid, r.number, {opened("r.text", "r.id")}, {opened("r.summary", "r.id")},
        {opened("r.key_fact", "r.id")}, {opened("r.label", "r.id")}, {opened("r.detail", "r.id")}, r.importance,
        r.confidence, r.valence, r.intensity, r.author, r.created_us, r.valid_from_us, r.valid_to_us
        FROM {_REVISION}""",
    "tag_move": """SELECT m.uuid, t.tag, r.number, t.from_us, t.until_us FROM tag_move t
        JOIN memory m ON m.id = t.memory JOIN revision r ON r.id = t.revision""",
    "atom": f"""SELECT m.uuid, r.number, a.position, {opened("a.subject")}, {opened("a.predicate")},
        {opened("a.value")}, a.functional, a.negated
        FROM atom a JOIN revision r ON r.id = a.revision JOIN memory m ON m.id = r.memory""",
    "edge": f"""SELECT e.kind, s.uuid, e.source_revision, t.uuid, e.target_revision, e.weight, e.created_us,
        {opened("e.metadata", "e.source")} FROM edge e
        JOIN memory s ON s.id = e.source JOIN memory t ON t.id = e.target""",
    "artifact": """SELECT m.uuid, r.number, a.name, a.uri, a.media_type, a.size, a.sha256 FROM artifact a
        JOIN revision r ON r.id = a.revision JOIN memory m ON m.id = r.memory""",
    "entity": f"""SELECT e.uuid, {_SCOPE.format("e")}, {opened("e.name")}, e.kind,
        (SELECT uuid FROM entity WHERE id = e.merged_into) FROM entity e""",
    "mention": """SELECT e.uuid, m.uuid, r.number FROM mention n JOIN entity e ON e.id = n.entity
        JOIN revision r ON r.id = n.revision JOIN memory m ON m.id = r.memory""",
    "relation": """SELECT s.uuid, x.predicate, o.uuid, x.count, x.confidence FROM relation x
        JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object""",
    "provenance_source": """SELECT m.uuid, r.number, n.uuid, n.kind, x.kind, x.span_start, x.span_end, x.stage
        FROM provenance_source x JOIN provenance_node n ON n.id = x.node JOIN revision r ON r.id = x.revision
        JOIN memory m ON m.id = r.memory""",
    "turn": """SELECT s.thread, s.name, t.position, m.uuid, t.speaker, t.role FROM turn t
        JOIN session s ON s.id = t.session JOIN revision r ON r.id = t.revision JOIN memory m ON m.id = r.memory""",
    "displaced": """SELECT m.uuid, r.number, d.position, b.uuid, s.number, d.by_position FROM displaced d
        JOIN revision r ON r.id = d.revision JOIN memory m ON m.id = r.memory JOIN revision s ON s.id = d.by_revision
        JOIN memory b ON b.id = s.memory""",
    "outcome": "SELECT m.uuid, o.successes, o.failures FROM outcome o JOIN memory m ON m.id = o.memory",
    "claim": f"""SELECT x.uuid, {_SCOPE.format("x")}, {opened("x.text")}, x.kind, x.status, x.author FROM claim x""",
    "correction": "SELECT m.uuid, x.at_us, x.space FROM correction x JOIN memory m ON m.id = x.memory",
    "signal": f"SELECT {_SCOPE.format('x')}, x.family, x.day, x.dimension, x.count FROM signal x",
    "place": "SELECT path, seal FROM place WHERE seal <> 'open'",
    "capability_grant": "SELECT subject, glob, level, start_us, expires_us, granted_by FROM capability_grant",
    "token": "SELECT digest, uuid, subject, label, scope, expires_us, revoked_us FROM token",
    "packet": f"SELECT x.uuid, x.kind, {_SCOPE.format('x')}, x.subject, x.state, x.until_us FROM packet x",
    "slip": f"""SELECT x.uuid, x.kind, {_SCOPE.format("x")}, x.name, x.subject, x.state, {opened("x.told", "x.id")},
        x.version, x.until_us FROM slip x""",
    "snapshot": f"""SELECT x.uuid, p.path, m.uuid, {_SCOPE.format("x")}, x.subject, {opened("x.territory", "x.id")},
        x.captured_us, {opened("x.state", "x.id")} FROM snapshot x JOIN place p ON p.id = x.place
        LEFT JOIN memory m ON m.id = x.memory""",
    "own_kind": "SELECT name, told FROM own_kind",
}
"""Every table that holds truth, as rows that mean the same in any palace."""


def differences(one: SqlStore, other: SqlStore) -> tuple[str, ...]:
    """In which tables the two differ, and by how many rows; empty when they hold the same."""
    told = []
    for table, asked in TRUTH.items():
        here, there = _rows(one, asked), _rows(other, asked)
        if here != there:
            told.append(f"{table}: {(here - there).total()} rows only here, {(there - here).total()} only there")
    return tuple(told)


def _rows(store: SqlStore, asked: str) -> Counter[Any]:
    with store.database.read() as connection:
        return Counter(connection.execute(asked))
