"""What was found about a memory after it was written: staleness audits, freshness, outcomes of use.

Owns the rows of staleness_audit, freshness and outcome. Knows no policy: figures come in finished. Invariant:
an audit is never changed once made, only answered once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import msgspec

from palazzo.errors import Conflict, NotFound
from palazzo.model.belief import Axes, RecordAudit, RecordOutcome, ResolveAudit
from palazzo.store.api import Doubt, Freshness
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading, bound
from palazzo.store.sqlite.seal.sealing import opened
from palazzo.store.sqlite.writing import SqliteWriting


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One look at whether a memory still holds."""

    memory_id: UUID
    at_us: int
    axes: Axes
    severity: float
    evidence: str
    resolution: str | None


def record_audit(writing: SqliteWriting, change: RecordAudit) -> None:
    """Keeps an audit, the memory's staleness and the time of the next look together."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    execute = writing.connection.execute
    execute(
        """INSERT INTO staleness_audit(memory, revision, at_us, semantic, temporal, behavioral, severity, evidence)
           VALUES (?, (SELECT current FROM memory WHERE id = ?1), ?, ?, ?, ?, ?, ?)""",
        (
            memory, writing.now_us, change.axes.semantic, change.axes.temporal, change.axes.behavioral,
            change.severity, change.evidence,
        ),
    )  # fmt: skip
    execute(
        """INSERT INTO freshness(memory, next_us) VALUES (?, ?)
           ON CONFLICT (memory) DO UPDATE SET next_us = excluded.next_us""",
        (memory, change.next_us),
    )
    execute("UPDATE memory SET staleness = ? WHERE id = ?", (change.severity, memory))
    writing.event("staleness_audited", change.memory_id.bytes, None, {"severity": round(change.severity, 4)})


def resolve_audit(writing: SqliteWriting, change: ResolveAudit) -> None:
    """Answers the newest audit of a memory and moves the posterior.

    Raises: NotFound when the memory was never audited, Conflict when the audit is answered.
    """
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    row = writing.connection.execute(
        "SELECT id, resolution FROM staleness_audit WHERE memory = ? ORDER BY at_us DESC, id DESC LIMIT 1", (memory,)
    ).fetchone()
    if row is None:
        raise NotFound(f"memory {change.memory_id} was never audited")
    if row[1] is not None:
        raise Conflict(f"the audit of memory {change.memory_id} is answered already: {row[1]}")
    execute = writing.connection.execute
    execute(
        "UPDATE staleness_audit SET resolution = ?, resolved_us = ? WHERE id = ?",
        (change.resolution, writing.now_us, row[0]),
    )
    fresh = int(change.resolution == "dismiss")
    execute(
        "UPDATE freshness SET fresh = fresh + ?, stale = stale + ?, next_us = ? WHERE memory = ?",
        (fresh, 1 - fresh, change.next_us, memory),
    )
    execute("UPDATE memory SET staleness = 0 WHERE id = ?", (memory,))
    writing.event("staleness_resolved", change.memory_id.bytes, None, {"resolution": change.resolution})


def audits_of(reading: SqliteReading, memory_id: UUID, limit: int = 20) -> tuple[Audit, ...]:
    """Audits of a visible memory, newest first. Uses staleness_audit_memory."""
    rows = reading.connection.execute(
        f"""SELECT a.at_us, a.semantic, a.temporal, a.behavioral, a.severity, a.evidence, a.resolution
            FROM {reading.source} JOIN staleness_audit a ON a.memory = m.id
            WHERE m.uuid = ? AND {reading.where} ORDER BY a.at_us DESC, a.id DESC LIMIT ?""",
        (memory_id.bytes, *reading.values, limit),
    )
    return tuple(
        Audit(
            memory_id=memory_id, at_us=at, axes=Axes(semantic=sem, temporal=tem, behavioral=beh), severity=severity,
            evidence=evidence, resolution=resolution,
        )
        for at, sem, tem, beh, severity, evidence, resolution in rows
    )  # fmt: skip


def doubts(reading: SqliteReading, keys: Sequence[int]) -> dict[int, Doubt]:
    """The audits behind the caveats of flagged memories, by revision key. Uses staleness_audit_memory.

    An audit of another revision says nothing about this one.
    """
    rows = reading.connection.execute(
        f"""SELECT r.id, a.semantic, a.temporal, a.behavioral, a.evidence
            FROM {reading.source} JOIN staleness_audit a ON a.id = (
                SELECT id FROM staleness_audit WHERE memory = m.id ORDER BY at_us DESC, id DESC LIMIT 1)
            WHERE r.id IN (SELECT value FROM carray(?)) AND a.revision = r.id AND a.resolution IS NULL
              AND {reading.where}""",
        (bound(keys), *reading.values),
    )
    found: dict[int, Doubt] = {}
    kept: list[tuple[int, float, float, float, str]] = list(rows)
    for key, semantic, temporal, behavioral, text in kept:
        evidence = msgspec.json.decode(text, type=dict[str, object])
        axes = Axes(semantic=semantic, temporal=temporal, behavioral=behavioral)
        found[key] = Doubt(axes, evidence, _words(reading, str(evidence.get("contradicted_by", ""))))
    return found


def _words(reading: SqliteReading, memory_id: str) -> str:
    if not memory_id:
        return ""
    row = one(
        reading.connection,
        f"""SELECT coalesce({opened("r.key_fact", "r.id")}, {opened("r.text", "r.id")}) FROM {reading.source}
            WHERE m.uuid = ? AND {reading.where}""",
        (UUID(memory_id).bytes, *reading.values),
    )
    return str(row[0]) if row else ""


def last_answer_us(reading: SqliteReading) -> int | None:
    """When somebody last answered an audit of a memory this reader sees; None when nobody ever did."""
    found: tuple[int | None] = one(
        reading.connection,
        f"""SELECT max(a.resolved_us) FROM staleness_audit a JOIN memory m ON m.id = a.memory
            JOIN place p ON p.id = m.place WHERE {reading.where}""",
        reading.values,
    )
    return found[0]


def freshness_of(reading: SqliteReading, memory_id: UUID) -> Freshness:
    """The counts behind a memory's freshness; zeros when nobody ever answered."""
    row = one(
        reading.connection,
        "SELECT fresh, stale, next_us FROM freshness WHERE memory = (SELECT id FROM memory WHERE uuid = ?)",
        (memory_id.bytes,),
    )
    return Freshness(*row) if row else Freshness()


def record_outcome(writing: SqliteWriting, change: RecordOutcome) -> None:
    """Counts one success or failure of relying on a memory."""
    writing.flush()
    memory, _ = writing.memory(change.memory_id)
    good = int(change.success)
    writing.connection.execute(
        """INSERT INTO outcome VALUES (?,?,?,?) ON CONFLICT (memory) DO UPDATE SET
           successes = successes + excluded.successes, failures = failures + excluded.failures,
           last_us = excluded.last_us""",
        (memory, good, 1 - good, writing.now_us),
    )
    writing.event("outcome_recorded", change.memory_id.bytes, None, {"success": change.success})


def outcomes_of(reading: SqliteReading, memory_id: UUID) -> tuple[int, int]:
    """How often relying on a memory went well, and badly."""
    row = one(
        reading.connection,
        "SELECT successes, failures FROM outcome WHERE memory = (SELECT id FROM memory WHERE uuid = ?)",
        (memory_id.bytes,),
    )
    return (int(row[0]), int(row[1])) if row else (0, 0)
