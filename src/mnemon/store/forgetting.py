"""Forgetting a person: what names a user in the palace after their memories are gone.

Owns the last step of forgetting somebody: rows of their scopes, their grants and trails, their name in the journal and
in the audit trail. Their memories were purged before. Invariants: the name is replaced by one word drawn at random, so
that what one person did still reads as one person's; the audit chain verifies afterwards, and its own new line says
from which line on it was written again and which hash it ended with before.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from mnemon.store import audit, fields, selection
from mnemon.store.connection import one

NAMED: tuple[tuple[str, str], ...] = (
    ("event", "subject"), ("revision", "author"), ("turn", "speaker"), ("claim", "author"),
    ("claim_decision", "subject"), ("provenance_node", "author"), ("provenance_node", "label"),
    ("breadcrumb", "subject"), ("memory", "last_session"), ("capability_grant", "granted_by"),
    ("lifted_lock", "lifted_by"), ("operator_plan", "subject"),
)  # fmt: skip
"""Columns that hold the name of somebody who acted."""


def forget_names(connection: apsw.Connection, user: str, pseudonym: str, now_us: int) -> dict[str, int]:
    """Takes a user out of every table; returns how many rows of each were removed or renamed.

    Inside a write transaction, after the user's memories were purged.
    """
    changed: dict[str, int] = {}
    names = (user, f"user:{user}")
    scopes = selection.scopes_of(connection, user)
    for scope in scopes:
        for table, count in _empty_scope(connection, scope).items():
            changed[table] = changed.get(table, 0) + count
    for table in ("capability_grant", "idempotency", "token", "subject_met", "lifted_lock", "in_mind"):
        _count(changed, table, _run(connection, f"DELETE FROM {table} WHERE subject IN (?,?)", names))
    for table, column in NAMED:
        for name in names:
            renamed = _run(connection, f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (pseudonym, name))
            _count(changed, table, renamed)
    _count(changed, "event", _run(connection, "UPDATE event SET detail = NULL WHERE instr(detail, ?)", (user,)))
    plans = "DELETE FROM operator_plan WHERE instr(wanted, ?1) OR instr(prior, ?1)"
    _count(changed, "operator_plan", _run(connection, plans, (user,)))
    _count(changed, "audit", rename_in_audit(connection, names, pseudonym, now_us))
    return {table: count for table, count in changed.items() if count}


def _count(changed: dict[str, int], table: str, count: int) -> None:
    changed[table] = changed.get(table, 0) + count


def _run(connection: apsw.Connection, statement: str, values: Iterable[str | int]) -> int:
    connection.execute(statement, tuple(values))
    return connection.changes()


def _empty_scope(connection: apsw.Connection, scope: int) -> dict[str, int]:
    """Removes what a scope holds beside memories, and the scope itself."""
    changed: dict[str, int] = {}
    for statement in (
        "DELETE FROM relation WHERE subject IN (SELECT id FROM entity WHERE scope = ?)",
        "DELETE FROM alias WHERE scope = ?",
        "DELETE FROM entity WHERE scope = ?",
        "DELETE FROM claim_source WHERE claim IN (SELECT id FROM claim WHERE scope = ?)",
        "DELETE FROM claim_decision WHERE claim IN (SELECT id FROM claim WHERE scope = ?)",
        "DELETE FROM claim WHERE scope = ?",
        "DELETE FROM session WHERE scope = ?",
        "DELETE FROM intake WHERE scope = ?",
        "DELETE FROM signal WHERE scope = ?",
        "DELETE FROM in_mind WHERE scope = ?",
    ):
        table = statement.split()[2]
        _count(changed, table, _run(connection, statement, (scope,)))
    for partition in fields.partitions(scope):
        _run(connection, "DELETE FROM text_scope WHERE scope = ? AND docs = 0", (partition,))
        _run(connection, "DELETE FROM vector_partition WHERE scope = ?", (partition,))
    if one(connection, "SELECT NOT EXISTS (SELECT 1 FROM memory WHERE scope = ?)", (scope,))[0]:
        _count(changed, "scope", _run(connection, "DELETE FROM scope WHERE id = ?", (scope,)))
    return changed


def rename_in_audit(connection: apsw.Connection, names: tuple[str, ...], pseudonym: str, now_us: int) -> int:
    """Replaces a name in the audit trail and chains the lines from there on anew; returns how many lines named it."""
    named = [
        number
        for number, subject, place, detail in connection.execute("SELECT id, subject, place, detail FROM audit")
        if subject in names or any(names[0] in (text or "") for text in (place, detail))
    ]
    if not named:
        return 0
    (ended,) = one(connection, "SELECT hash FROM audit ORDER BY id DESC LIMIT 1")
    for number in named:
        connection.execute(
            """UPDATE audit SET subject = iif(subject IN (?2, ?3), ?4, subject), place = replace(place, ?2, ?4),
               detail_hash = iif(instr(detail, ?2), NULL, detail_hash), detail = iif(instr(detail, ?2), NULL, detail)
               WHERE id = ?1""",
            (number, names[0], names[1], pseudonym),
        )
    audit.chain_again(connection, named[0])
    audit.append(
        connection,
        audit.AuditLine(
            at_us=now_us, subject="operator", action="forget_user",
            detail=f"{len(named)} lines renamed from line {named[0]} on; the chain ended with {ended.hex()}",
        ),
    )  # fmt: skip
    return len(named)
