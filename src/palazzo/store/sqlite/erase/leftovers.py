"""What is left when memories are gone: the tables when everything was burnt, the write-ahead log, the backups, traces
in raw files.

Owns the mark that says the log still has to be emptied; the doctor reads it and tries again. Backups outside the
palace's own folder are not known here. Owns the decision for each table when everything is burnt: one that is in
neither list is one nobody has decided about, and a test fails. Owns the search for pieces of the erased texts; a piece
that is still found is either said by a memory that was not erased (then it belongs there) or a trace. Invariants: a
backup that could not be cleaned is removed or named, never passed over; what was written while a burning went on is
left whole, and of everything before it no text, name of a place, a person spoken of, a conversation or a habit is in
any table; pieces are kept in memory only and never leave this room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import apsw

from palazzo.errors import PalazzoError
from palazzo.files import raw_files
from palazzo.model.capability import View
from palazzo.model.change import PurgeMemory
from palazzo.store.api import Erasing, Reading
from palazzo.store.api.keeping import MOST_PIECES
from palazzo.store.sql import migrations
from palazzo.store.sql.apply import apply
from palazzo.store.sql.erase import erasure, forgetting
from palazzo.store.sql.erase.forgetting import Row, empty_scope, rewrite_audit
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sql.port import one
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sqlite import backup
from palazzo.store.sqlite.connection import Database
from palazzo.text.safety import gate

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore

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


def wipe_tables(connection: apsw.Connection, now_us: int) -> dict[str, int]:
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


def left_in_tables(connection: apsw.Connection) -> tuple[str, ...]:
    """What stays when everything was burnt, with the reason: the tables that somebody may look for words in."""
    found = []
    for table in ("event", "audit", "capability_grant", "token", "lifted_lock", "subject_met"):
        (count,) = one(connection, f"SELECT count(*) FROM {table}")
        if count:
            found.append(f"{count} rows of {table}: {KEPT[table]}")
    (sealed,) = one(connection, "SELECT count(*) FROM place WHERE seal <> 'open'")
    return (*found, f"{sealed} sealed places: {KEPT['place']}") if sealed else tuple(found)


def _places(connection: apsw.Connection) -> int:
    """Removes open places where nothing stands, from the deepest on."""
    gone = 0
    while True:
        connection.execute(
            """DELETE FROM place WHERE path <> '' AND seal = 'open'
               AND NOT EXISTS (SELECT 1 FROM memory WHERE place = place.id)
               AND NOT EXISTS (SELECT 1 FROM place below WHERE below.parent = place.id)
               AND NOT EXISTS (SELECT 1 FROM breadcrumb b WHERE b.place = place.id)"""
        )
        if not connection.changes():
            return gone
        gone += connection.changes()


PENDING = "erasure_pending"


def mark(store: SqliteStore, together: Callable[[apsw.Connection], None]) -> None:
    """Notes that the log holds what was erased, in one transaction with something else."""
    now_us = store.clock.now_us()

    def job(connection: apsw.Connection) -> None:
        together(connection)
        connection.execute(
            "INSERT INTO palace VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (PENDING, str(now_us)),
        )

    store.database.write(job)


def record(store: SqliteStore, intent: Erasing, view: View, chosen: Callable[[Reading], Iterable[UUID]]) -> None:
    def job(connection: apsw.Connection) -> None:
        memories = chosen(PalaceReading.begin(connection, view, store.cipher, store))
        erasure.begin(connection, intent, memories, store.clock.now_us())

    store.database.write(job)


def forget_names(store: SqliteStore, intent: Erasing) -> dict[str, int]:
    """Takes the person of an erasure out of every table; says how many rows of each were removed or renamed."""
    now_us = store.clock.now_us()
    return store.database.write(lambda connection: forgetting.forget_names(connection, intent, now_us))


def wipe(store: SqliteStore) -> dict[str, int]:
    """Empties what is left in the tables when everything was burnt; says how many rows of each went."""
    now_us = store.clock.now_us()
    return store.database.write(lambda connection: wipe_tables(connection, now_us))


def remains(store: SqliteStore, intent: Erasing, mentioned: int) -> tuple[str, ...]:
    """What an erasure leaves on purpose, with the reason."""
    with store.database.read() as connection:
        if intent.kind == "everything":
            return left_in_tables(connection)
        return forgetting.remains(connection, intent, mentioned) if intent.kind == "user" else ()


def pending(connection: apsw.Connection) -> bool:
    """Whether an erasure waits for the log to be emptied."""
    return connection.execute("SELECT 1 FROM palace WHERE key = ?", (PENDING,)).fetchone() is not None


def empty_log(store: SqliteStore) -> bool:
    """Empties the log and takes the mark away; False while a reader holds an older moment of the palace."""
    if not store.database.truncate_log():
        return False
    store.database.write(lambda connection: _unmark(connection))
    return store.database.truncate_log()


def _unmark(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM palace WHERE key = ?", (PENDING,))


def erase_from_backups(store: SqliteStore, memories: tuple[UUID, ...], intent: Erasing) -> tuple[tuple[str, str], ...]:
    """Erases the same from every backup in the palace's folder; says of each what was done.

    What a backup that was cut off has left is removed.
    """
    folder = store.folder / backup.FOLDER
    if not folder.is_dir():
        return ()
    with backup.lock_of(store.folder).held():
        for stray in folder.glob("*.part*"):
            raw_files.wipe(stray)
        return tuple((path.name, _erase_from(store, path, memories, intent)) for path in sorted(folder.glob("*.db")))


def _erase_from(store: SqliteStore, path: Path, memories: tuple[UUID, ...], intent: Erasing) -> str:
    if intent.kind == "everything":
        try:
            raw_files.wipe(path)
        except OSError as error:
            return f"kept, erase it yourself: {error.strerror}"
        return "removed: everything was burnt"
    database = Database(path, store.options.file)
    try:
        with database.read() as connection:
            current = not migrations.pending(connection)
        if not current:
            database.close()
            raw_files.wipe(path)
            return "removed: its schema is older, so it could not be rewritten"
        erased = database.write(lambda connection: _apply(store, connection, memories, intent))
        database.compact()
        database.truncate_log()
        return f"rewritten without {erased} memories"
    except PalazzoError as error:
        return f"kept, erase it yourself: {error.message}"
    finally:
        database.close()


def _apply(store: SqliteStore, connection: apsw.Connection, memories: tuple[UUID, ...], intent: Erasing) -> int:
    known = {UUID(bytes=uuid) for (uuid,) in connection.execute("SELECT uuid FROM memory")}
    wanted = [memory for memory in memories if memory in known]
    now_us = store.clock.now_us()
    if wanted:
        apply(
            connection,
            gate.passed([PurgeMemory(memory) for memory in wanted], keyed=store.cipher is not None),
            now_us,
            "operator",
            store.kinds,
            store.cipher,
        )
    if intent.user:
        forgetting.forget_names(connection, intent, now_us)
    erasure.strike_off_all(connection)  # what stands in the archive is the palace's own affair
    return len(wanted)


PIECE_BYTES = 24
SHORTEST_PIECE = 8
SEARCHED_BYTES = 4_000_000_000
"""How much is read at most: with large files fewer pieces are looked for (about a second per gigabyte)."""


def pieces_of(connection: apsw.Connection, memory_ids: Sequence[UUID]) -> list[bytes]:
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


def chosen_pieces(folder: Path, pieces: Sequence[bytes]) -> list[bytes]:
    """As many pieces as can be searched for in files of this size, spread evenly over all of them."""
    size = sum(size for _, size in raw_files.files_in(folder))
    most = max(1, min(MOST_PIECES, SEARCHED_BYTES // max(1, size)))
    return [pieces[n * len(pieces) // most] for n in range(most)] if len(pieces) > most else list(pieces)


def search_pieces(folder: Path, pieces: Sequence[bytes]) -> list[tuple[Path, bytes]]:
    """Which pieces are in which files below a folder; the shared memory of a log holds page numbers alone."""
    return [
        (path, piece)
        for path, size in raw_files.files_in(folder)
        if size and not path.name.endswith(raw_files.SHARED_MEMORY)
        for piece in raw_files.holds(path, pieces)
    ]


def piece_said(connection: apsw.Connection, piece: bytes) -> bool:
    """Whether a memory that is there says this: a scan, for the few pieces that were found."""
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = piece.decode(errors="ignore")  # cut inside a letter: what is whole of it decides
    row = connection.execute(
        """SELECT 1 FROM revision WHERE instr(text, ?1) OR instr(coalesce(summary, ''), ?1)
           OR instr(coalesce(key_fact, ''), ?1) OR instr(coalesce(detail, ''), ?1) LIMIT 1""",
        (text,),
    ).fetchone()
    return row is not None
