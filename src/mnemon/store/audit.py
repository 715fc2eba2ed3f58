"""The audit trail: one line per committed call (and, from the guard, per gated read and denial), hash-chained.

Invariant: each line's hash covers the line before it, so a removed or altered line breaks the chain at a place that
`verify` names. Lines carry ids, names and counts, never content.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import apsw
import msgspec

_COLUMNS = "id, at_us, subject, action, decision, place, detail, first_seq, last_seq"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    at_us: int
    subject: str
    action: str
    decision: str = "allowed"
    place: str | None = None
    detail: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None


def append(connection: apsw.Connection, line: AuditLine) -> None:
    """Adds a line to the chain (inside a write transaction)."""
    last = connection.execute("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1").fetchone()
    number, previous = (last[0] + 1, last[1]) if last else (1, b"")
    row = (
        number, line.at_us, line.subject, line.action, line.decision, line.place, line.detail, line.first_seq,
        line.last_seq,
    )  # fmt: skip
    connection.execute("INSERT INTO audit VALUES (?,?,?,?,?,?,?,?,?,?)", (*row, _hash(previous, row)))


def _hash(previous: bytes, row: tuple[object, ...]) -> bytes:
    return hashlib.sha256(previous + msgspec.json.encode(row)).digest()


def lines(connection: apsw.Connection, limit: int = 200) -> tuple[tuple[int, AuditLine], ...]:
    """The newest lines with their numbers, newest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM audit ORDER BY id DESC LIMIT ?", (limit,))
    return tuple(
        (row[0], AuditLine(
            at_us=row[1], subject=row[2], action=row[3], decision=row[4], place=row[5], detail=row[6],
            first_seq=row[7], last_seq=row[8],
        ))
        for row in rows
    )  # fmt: skip


def verify(connection: apsw.Connection) -> list[str]:
    """Re-derives the chain and names the first line that does not fit; empty when all do."""
    previous, expected = b"", 1
    for row in connection.execute(f"SELECT {_COLUMNS}, hash FROM audit ORDER BY id"):
        if row[0] != expected:
            return [f"audit: line {expected} is missing"]
        if _hash(previous, row[:-1]) != row[-1]:
            return [f"audit: line {row[0]} was altered"]
        previous, expected = row[-1], expected + 1
    return []
