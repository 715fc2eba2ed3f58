"""The audit trail: one line per committed batch, per gated read, per denial, chained by hashes.

Owns the chain. Each line's hash covers the line before it and the hash of its detail, so a removed or altered line
breaks the chain at a place that `verify` names, and a detail can be erased by law without breaking it. The number of
lines is kept apart, so a cut end is found too. Invariant: lines carry ids, names, counts and keyed hashes, never
content.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

import msgspec

from palazzo.store.api import AuditFilter, AuditLine
from palazzo.store.api.keeping import AuditHead
from palazzo.store.sql.port import Connection, one

_CHAINED = "id, at_us, subject, action, decision, place, capability, query, first_seq, last_seq"
LAST = "SELECT id, CAST(hash AS BLOB) FROM audit ORDER BY id DESC LIMIT 1"
_COUNT = "audit_lines"
_KEY = "audit_key"
_ANCHOR_SEED = "audit_anchor_seed"


def append(connection: Connection, *lines: AuditLine, last: Sequence[Any] | None = None) -> None:
    """Adds lines to the chain (inside a write transaction); `last` where what `LAST` gives is known already."""
    rows_before = connection.execute(LAST).fetchall() if last is None else last
    number, previous = rows_before[0] if rows_before else (0, b"")
    rows = []
    for line in lines:
        number += 1
        row = (
            number, line.at_us, line.subject, line.action, line.decision, line.place, line.capability, line.query,
            line.first_seq, line.last_seq,
        )  # fmt: skip
        inner = hashlib.sha256(line.detail.encode()).digest() if line.detail is not None else None
        previous = _hash(previous, row, inner)
        rows.append((*row, line.detail, inner, previous))
    connection.executemany("INSERT INTO audit VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
    connection.executemany(
        "INSERT INTO palace VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [(_COUNT, str(number))],
    )


def _hash(previous: bytes, row: Sequence[object], detail: bytes | None) -> bytes:
    return hashlib.sha256(previous + msgspec.json.encode(row) + (detail or b"")).digest()


def key(connection: Connection) -> bytes | None:
    row = connection.execute("SELECT value FROM palace WHERE key = ?", (_KEY,)).fetchone()
    return bytes.fromhex(row[0]) if row else None


def make_key(connection: Connection) -> bytes:
    """The key, made on first use (inside a write transaction)."""
    connection.execute("INSERT OR IGNORE INTO palace VALUES (?,?)", (_KEY, secrets.token_hex(32)))
    return bytes.fromhex(one(connection, "SELECT value FROM palace WHERE key = ?", (_KEY,))[0])


def head(connection: Connection) -> AuditHead:
    """What the chain ends with."""
    row = connection.execute("SELECT id, hash, at_us FROM audit ORDER BY id DESC LIMIT 1").fetchone()
    return AuditHead(*row) if row else AuditHead()


def hash_of(connection: Connection, line: int) -> bytes | None:
    """The hash of one line; None where there is no such line."""
    row: Any = connection.execute("SELECT hash FROM audit WHERE id = ?", (line,)).fetchone()
    return row[0] if row else None


def renewals(connection: Connection, after: int) -> tuple[int, ...]:
    """The lines after one that say that an erasure made the chain anew."""
    rows: Any = connection.execute(
        "SELECT id FROM audit WHERE id > ? AND action = 'forget_user' AND detail LIKE '%the chain ended with%'",
        (after,),
    )
    return tuple(row[0] for row in rows)


def anchor_seed(connection: Connection) -> bytes | None:
    """The secret that anchors are signed with; None while there is none."""
    row = connection.execute("SELECT value FROM palace WHERE key = ?", (_ANCHOR_SEED,)).fetchone()
    return bytes.fromhex(row[0]) if row else None


def make_anchor_seed(connection: Connection) -> bytes:
    """The secret, made on first use (inside a write transaction)."""
    connection.execute("INSERT OR IGNORE INTO palace VALUES (?,?)", (_ANCHOR_SEED, secrets.token_hex(32)))
    return bytes.fromhex(one(connection, "SELECT value FROM palace WHERE key = ?", (_ANCHOR_SEED,))[0])


def lines(
    connection: Connection, limit: int = 200, wanted: AuditFilter = AuditFilter(), below: int | None = None
) -> tuple[tuple[int, AuditLine], ...]:
    clauses, values = ["TRUE"], list[Any]()
    for column in ("subject", "action", "decision", "place"):
        if value := getattr(wanted, column):
            clauses.append(f"{column} = ?")
            values.append(value)
    for sign, value in ((">=", wanted.after_us), ("<", wanted.before_us)):
        if value is not None:
            clauses.append(f"at_us {sign} ?")
            values.append(value)
    if below is not None:
        clauses.append("id < ?")
        values.append(below)
    rows = connection.execute(
        f"SELECT {_CHAINED}, detail FROM audit WHERE {' AND '.join(clauses)} ORDER BY id DESC LIMIT ?",
        (*values, limit),
    )
    return tuple((row[0], _line(row)) for row in rows)


def _line(row: Any) -> AuditLine:
    return AuditLine(
        at_us=row[1], subject=row[2], action=row[3], decision=row[4], place=row[5], capability=row[6], query=row[7],
        first_seq=row[8], last_seq=row[9], detail=row[10],
    )  # fmt: skip


def verify(connection: Connection) -> list[str]:
    previous, expected = b"", 1
    for row in connection.execute(f"SELECT {_CHAINED}, detail, detail_hash, hash FROM audit ORDER BY id"):
        chained, (detail, inner, found) = row[:-3], row[-3:]
        if row[0] != expected:
            return [f"audit: line {expected} is missing"]
        if _hash(previous, chained, inner) != found:
            return [f"audit: line {row[0]} was altered"]
        if detail is not None and hashlib.sha256(detail.encode()).digest() != inner:
            return [f"audit: line {row[0]} was altered"]
        previous, expected = found, expected + 1
    counted = connection.execute("SELECT value FROM palace WHERE key = ?", (_COUNT,)).fetchone()
    if counted and int(counted[0]) != expected - 1:
        return [f"audit: line {expected} is missing"]
    return []


def chain_again(connection: Connection, first: int) -> None:
    """Makes the hashes from a line on anew, after names in them were replaced; whoever calls adds a line saying so."""
    row = connection.execute("SELECT hash FROM audit WHERE id = ?", (first - 1,)).fetchone()
    previous = row[0] if row else b""
    rows: list[Any] = connection.execute(
        f"SELECT {_CHAINED}, detail_hash FROM audit WHERE id >= ? ORDER BY id", (first,)
    ).fetchall()
    for found in rows:
        previous = _hash(previous, found[:-1], found[-1])
        connection.execute("UPDATE audit SET hash = ? WHERE id = ?", (previous, found[0]))
