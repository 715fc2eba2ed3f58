"""What is left in the tables when memories are gone, or everything was burnt; and the mark of an erasure under way.

Owns the decision for each table when everything is burnt: one that is in neither list is one nobody has decided about,
and a test fails. Invariants: what was written while a burning went on is left whole, and of everything before it no
text, name of a place, a person spoken of, a conversation or a habit is in any table; pieces of texts are kept in memory
only and never leave the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from palazzo.model.capability import View
from palazzo.store.api import Erasing, Reading
from palazzo.store.sql import raw_events
from palazzo.store.sql.erase import erasure, forgetting
from palazzo.store.sql.erase.forgetting import Row, empty_scope, rewrite_audit
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sql.port import Connection, one
from palazzo.store.sql.seal.sealing import opened

if TYPE_CHECKING:
    from palazzo.store.sql.store import SqlStore

_PURGED: Final = "goes with the memories"
EMPTIED: Final = {
    **dict.fromkeys(
        (
            "memory", "revision", "tag_move", "atom", "edge", "artifact", "mention", "provenance_source", "turn",
            "correction", "in_mind", "displaced", "staleness_audit", "freshness", "outcome", "text_doc",
            "text_late", "text_segment", "text_posting", "vector", "vector_tail", "vector_block", "vector_code",
            "vector_centroids",
        ),
        _PURGED,
    ),
    **dict.fromkeys(("erasure", "erasure_memory", "erasure_stretch"), "struck off when the burning is complete"),
    "claim_source": "DELETE FROM claim_source WHERE claim IN (SELECT id FROM claim WHERE created_us <= ?1)",
    "claim_decision": "DELETE FROM claim_decision WHERE claim IN (SELECT id FROM claim WHERE created_us <= ?1)",
    "claim": "DELETE FROM claim WHERE created_us <= ?1",
    "signal": "DELETE FROM signal",
    "packet": "DELETE FROM packet WHERE made_us <= ?1",
    "slip": "DELETE FROM slip WHERE made_us <= ?1",
    "snapshot": "DELETE FROM snapshot WHERE captured_us <= ?1",
    "raw_event": "DELETE FROM raw_event WHERE at_us <= ?1",
    "own_kind": "DELETE FROM own_kind",
    "job": "DELETE FROM job",
    "idempotency": "DELETE FROM idempotency WHERE result IS NOT NULL",
    "operator_plan": "DELETE FROM operator_plan WHERE changed_us <= ?1",
    "breadcrumb": "DELETE FROM breadcrumb WHERE at_us <= ?1",
    "intake": "DELETE FROM intake WHERE made_us <= ?1",
    "session": "DELETE FROM session WHERE NOT EXISTS (SELECT 1 FROM turn WHERE session = session.id)",
    "relation": """DELETE FROM relation WHERE NOT EXISTS (SELECT 1 FROM mention WHERE entity = subject)
        OR NOT EXISTS (SELECT 1 FROM mention WHERE entity = object)""",
    "alias": "DELETE FROM alias WHERE NOT EXISTS (SELECT 1 FROM mention WHERE entity = alias.entity)",
    "entity": "DELETE FROM entity WHERE NOT EXISTS (SELECT 1 FROM mention WHERE entity = entity.id)",
    "provenance_edge": """DELETE FROM provenance_edge WHERE NOT EXISTS (
        SELECT 1 FROM provenance_source WHERE node IN (source, target))""",
    "provenance_node": """DELETE FROM provenance_node WHERE NOT EXISTS (
            SELECT 1 FROM provenance_source WHERE node = id)
        AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE id IN (source, target))""",
}  # fmt: skip
"""Tables that have no row of before afterwards, and how: with the memories, or by this statement, in this order."""

KEPT: Final = {
    "palace": "facts about the palace as a whole: its id, counters, policies",
    "migration": "the schema",
    "sqlite_sequence": "the schema",
    "event": "the journal: what happened to which id, when and by whom; its details go",
    "audit": "the chain: who did what, when; places, details and hashes of questions go",
    "place": "the root, and sealed places: a seal is a rule of the operator",
    "scope": "the scope of everybody, which has no name",
    "capability_grant": "rules of the operator; `palazzo revoke` takes them back",
    "token": "rules of the operator; `palazzo token revoke` takes them back",
    "lifted_lock": "rules of the operator",
    "subject_met": "who has called",
    "cursor": "how far readers of the journal have come",
    "lease": "which process does what",
    "vector_space": "settings of the embedder",
    "text_scope": "numbers",
    "vector_partition": "numbers",
}
"""Tables that keep rows, and why."""


def wipe_tables(connection: Connection, now_us: int) -> dict[str, int]:
    """Empties what purged memories leave; returns how many rows of each table went (inside a write transaction)."""
    (began_us,) = one(connection, "SELECT coalesce(max(begun_us), 0) FROM erasure WHERE kind = 'everything'")
    changed: dict[str, int] = {}
    for table, statement in EMPTIED.items():
        if statement.startswith("DELETE"):
            connection.execute(statement, (began_us,) if "?1" in statement else ())
            changed[table] = connection.changes()
    connection.execute("UPDATE event SET detail = NULL WHERE detail IS NOT NULL AND at_us <= ?", (began_us,))
    changed["event"] = connection.changes()
    changed["place"] = _places(connection)
    scopes: list[Any] = connection.execute(
        "SELECT id FROM scope s WHERE path <> '' AND NOT EXISTS (SELECT 1 FROM memory WHERE scope = s.id)"
    ).fetchall()
    for (scope,) in scopes:
        changed["scope"] = changed.get("scope", 0) + empty_scope(connection, scope).get("scope", 0)

    def bare(row: Row) -> Row:
        return row[0], None, None, None

    changed["audit"] = rewrite_audit(connection, bare, ("burn", "emptied"), now_us)
    return {table: count for table, count in changed.items() if count}


def left_in_tables(connection: Connection) -> tuple[str, ...]:
    """What stays when everything was burnt, with the reason: the tables that somebody may look for words in."""
    found = []
    for table in ("event", "audit", "capability_grant", "token", "lifted_lock", "subject_met"):
        (count,) = one(connection, f"SELECT count(*) FROM {table}")
        if count:
            found.append(f"{count} rows of {table}: {KEPT[table]}")
    (sealed,) = one(connection, "SELECT count(*) FROM place WHERE seal <> 'open'")
    return (*found, f"{sealed} sealed places: {KEPT['place']}") if sealed else tuple(found)


def _places(connection: Connection) -> int:
    """Removes open places where nothing stands, from the deepest on."""
    gone = 0
    while True:
        connection.execute(
            """DELETE FROM place WHERE path <> '' AND seal = 'open'
               AND NOT EXISTS (SELECT 1 FROM memory WHERE place = place.id)
               AND NOT EXISTS (SELECT 1 FROM snapshot s WHERE s.place = place.id)
               AND NOT EXISTS (SELECT 1 FROM place below WHERE below.parent = place.id)
               AND NOT EXISTS (SELECT 1 FROM breadcrumb b WHERE b.place = place.id)"""
        )
        if not connection.changes():
            return gone
        gone += connection.changes()


PENDING = "erasure_pending"


def mark(store: SqlStore, together: Callable[[Connection], None]) -> None:
    """Notes that the log holds what was erased, in one transaction with something else."""
    now_us = store.clock.now_us()

    def job(connection: Connection) -> None:
        together(connection)
        connection.execute(
            "INSERT INTO palace VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (PENDING, str(now_us)),
        )

    store.database.write(job)


def record(store: SqlStore, intent: Erasing, view: View, chosen: Callable[[Reading], Iterable[UUID]]) -> None:
    def job(connection: Connection) -> None:
        memories = chosen(PalaceReading.begin(connection, view, store.cipher, store))
        erasure.begin(connection, intent, memories, store.clock.now_us())

    store.database.write(job)


def forget_names(store: SqlStore, intent: Erasing) -> dict[str, int]:
    """Takes the person of an erasure, or what was captured, out of every table; says how many rows of each were removed
    or renamed."""
    now_us, wanted = store.clock.now_us(), intent.captured
    if wanted is None:
        return store.database.write(lambda connection: forgetting.forget_names(connection, intent, now_us))
    gone = store.database.write(lambda connection: raw_events.drop(connection, wanted))
    return {table: count for table, count in gone.items() if count}


def wipe(store: SqlStore) -> dict[str, int]:
    """Empties what is left in the tables when everything was burnt; says how many rows of each went."""
    now_us = store.clock.now_us()
    return store.database.write(lambda connection: wipe_tables(connection, now_us))


def remains(store: SqlStore, intent: Erasing, mentioned: int) -> tuple[str, ...]:
    """What an erasure leaves on purpose, with the reason."""
    with store.database.read() as connection:
        if intent.kind == "everything":
            return left_in_tables(connection)
        return forgetting.remains(connection, intent, mentioned) if intent.kind == "user" else ()


def pending(connection: Connection) -> bool:
    """Whether an erasure waits for the log to be emptied."""
    return connection.execute("SELECT 1 FROM palace WHERE key = ?", (PENDING,)).fetchone() is not None


def unmark(connection: Connection) -> None:
    connection.execute("DELETE FROM palace WHERE key = ?", (PENDING,))


PIECE_BYTES = 24
SHORTEST_PIECE = 8


def pieces_of(connection: Connection, memory_ids: Sequence[UUID]) -> list[bytes]:
    """The beginning, middle and end of every text these memories ever had."""
    found: dict[bytes, None] = {}
    for memory_id in memory_ids:
        rows = connection.execute(
            f"SELECT {opened('r.text', 'r.id')} FROM memory m JOIN revision r ON r.memory = m.id WHERE m.uuid = ?",
            (memory_id.bytes,),
        )
        for (text,) in rows:
            raw = str(text).encode()
            for start in (0, max(0, len(raw) // 2 - PIECE_BYTES // 2), max(0, len(raw) - PIECE_BYTES)):
                piece = raw[start : start + PIECE_BYTES]
                if len(piece) >= SHORTEST_PIECE:
                    found.setdefault(piece)
    return list(found)


def piece_said(connection: Connection, piece: bytes) -> bool:
    """Whether a memory that is there says this: a scan, for the few pieces that were found."""
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = piece.decode(errors="ignore")  # cut inside a letter: what is whole of it decides
    row = connection.execute(
        """SELECT 1 FROM revision WHERE instr(text, ?1) > 0 OR instr(coalesce(summary, ''), ?1) > 0
           OR instr(coalesce(key_fact, ''), ?1) > 0 OR instr(coalesce(detail, ''), ?1) > 0 LIMIT 1""",
        (text,),
    ).fetchone()
    return row is not None
