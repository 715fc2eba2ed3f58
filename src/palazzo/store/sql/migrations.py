"""Migrations: named functions, each applied with its own record in one transaction, in order. The tables the first
one makes are in first_schema.sql.

Owns which schema a palace has and how it gets to this one's. Invariants: a palace with a migration this release does
not know is refused untouched; a backup is made before anything changes; a failing migration leaves the file as it was.

docs/storage.md gives each table and index its reason, and a test keeps the two in step. Rows refer to each other by
small integer keys; the UUIDs that the outside world knows live in one column each. The indexes declare their own
tables. Invariants: every row that speaks of a memory is found by that memory's number or its revisions', so a purge can
take it along; the guard's tables hold no remembered content and no secret in clear.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from palazzo.errors import MigrationFailed, NewerSchema
from palazzo.model.memory import TIERS, RevisionDraft, Tier
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.memory import memories
from palazzo.store.sql.port import Connection, PalaceDatabase, translated
from palazzo.text.safety import gate
from palazzo.text.safety.personal import tier_of


class Migration(msgspec.Struct, frozen=True):
    name: str
    apply: Callable[[Connection], None]


def first_schema() -> str:
    """The statements of the first migration, without those of the indexes, which declare their own tables."""
    return (pkgutil.get_data(__package__, "first_schema.sql") or b"").decode()


def _first_schema(connection: Connection) -> None:
    connection.execute(first_schema())
    for statement in text_index.TABLES + vectors.TABLES:
        connection.execute(statement)


def _erasures(connection: Connection) -> None:
    for statement in erasure.TABLES:
        connection.execute(statement)


def _tiers_by_the_words(connection: Connection) -> None:
    """Gives claims a tier, and everything that was written round the gate the one its words ask for.

    Nothing is sealed here, for there may be no key at hand: the doctor counts it, and `palazzo encrypt` again seals it.
    """
    connection.execute("ALTER TABLE claim ADD COLUMN tier TEXT NOT NULL DEFAULT 'clear'")
    connection.execute("UPDATE idempotency SET result = CAST(result AS TEXT)")
    asked: dict[int, Tier] = {}
    rows: Any = connection.execute(
        """SELECT m.id, r.text, r.summary, r.key_fact, r.detail FROM memory m JOIN revision r ON r.memory = m.id
           WHERE m.tier = 'clear' AND typeof(r.text) = 'text'"""
    )
    for memory, text, summary, key_fact, detail in rows:
        draft = RevisionDraft(
            text=text, summary=summary or "", key_fact=key_fact or "", detail=memories.detail_from(detail)
        )
        if (tier := gate.asked_tier(draft)) != "clear":
            asked[memory] = max(tier, asked.get(memory, tier), key=TIERS.index)
    connection.executemany("UPDATE memory SET tier = ? WHERE id = ?", [(tier, one) for one, tier in asked.items()])
    claims: Any = connection.execute(
        """SELECT c.id, c.text, s.reference, s.excerpt, coalesce(m.tier, 'clear') FROM claim c
           JOIN claim_source s ON s.claim = c.id
           LEFT JOIN memory m ON lower(hex(m.uuid)) = lower(replace(s.reference, '-', ''))"""
    ).fetchall()
    for claim, text, reference, excerpt, tier in claims:
        connection.execute(
            "UPDATE claim SET tier = ?1 WHERE id = ?2 AND (tier = 'clear' OR ?1 = 'confidential')",
            (max(tier, *map(tier_of, (text, reference, excerpt)), key=TIERS.index), claim),
        )


def _revision_digest(connection: Connection) -> None:
    connection.execute("ALTER TABLE revision ADD COLUMN digest BLOB")


def _joined_entities(connection: Connection) -> None:
    """An index over what was merged, and the one word for where somebody works."""
    connection.execute("CREATE INDEX entity_merged ON entity(merged_into) WHERE merged_into IS NOT NULL")
    connection.execute("UPDATE OR REPLACE relation SET predicate = 'works_at' WHERE predicate = 'works_for'")


def _jobs(connection: Connection) -> None:
    connection.execute(
        """CREATE TABLE job (
               name TEXT PRIMARY KEY, state TEXT NOT NULL, holder TEXT NOT NULL, subject TEXT NOT NULL,
               began_us INTEGER NOT NULL, until_us INTEGER NOT NULL, ended_us INTEGER, step TEXT NOT NULL,
               done INTEGER NOT NULL, total INTEGER NOT NULL, cancelled INTEGER NOT NULL, report TEXT NOT NULL
           ) WITHOUT ROWID"""
    )
    # Nothing was swept before this: what is there begins to fade with the newest event, whenever it was told, and what
    # was forgotten counts as forgotten then.
    connection.execute(
        """UPDATE memory SET accessed_us = max(accessed_us, newest.at_us),
               due_us = CASE state WHEN 'deleted' THEN newest.at_us
                        ELSE due_us + max(0, newest.at_us - accessed_us) END
           FROM (SELECT max(at_us) AS at_us FROM event) newest WHERE newest.at_us IS NOT NULL"""
    )


def _own_kinds(connection: Connection) -> None:
    connection.execute(
        """CREATE TABLE own_kind (
               name TEXT PRIMARY KEY, told TEXT NOT NULL, added_us INTEGER NOT NULL, subject TEXT NOT NULL
           ) WITHOUT ROWID"""
    )


def _sources_of_slots(connection: Connection) -> None:
    connection.execute("ALTER TABLE in_mind ADD COLUMN source TEXT NOT NULL DEFAULT 'recall'")


def _told_of_origins(connection: Connection) -> None:
    connection.execute("ALTER TABLE provenance_node ADD COLUMN metadata TEXT")
    connection.execute("ALTER TABLE provenance_node ADD COLUMN sha256 TEXT")


def _packets(connection: Connection) -> None:
    connection.execute(
        """CREATE TABLE packet (
               uuid BLOB PRIMARY KEY, kind TEXT NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id),
               subject TEXT NOT NULL, state TEXT NOT NULL, told TEXT NOT NULL, until_us INTEGER,
               made_us INTEGER NOT NULL, changed_us INTEGER NOT NULL
           ) WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX packet_kind ON packet(kind, changed_us)")


def _names(connection: Connection) -> None:
    connection.execute("CREATE INDEX memory_name ON memory(name)")


def _slips(connection: Connection) -> None:
    connection.execute(
        """CREATE TABLE slip (
               id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
               scope INTEGER NOT NULL REFERENCES scope(id), name TEXT NOT NULL, subject TEXT NOT NULL,
               state TEXT NOT NULL, told NOT NULL, version INTEGER NOT NULL, until_us INTEGER,
               made_us INTEGER NOT NULL, changed_us INTEGER NOT NULL, UNIQUE (kind, scope, name)
           )"""
    )
    connection.execute("CREATE INDEX slip_newest ON slip(kind, changed_us)")


def _snapshots(connection: Connection) -> None:
    connection.execute(
        """CREATE TABLE snapshot (
               id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, place INTEGER NOT NULL REFERENCES place(id),
               memory INTEGER REFERENCES memory(id), scope INTEGER NOT NULL REFERENCES scope(id),
               subject TEXT NOT NULL, territory NOT NULL, captured_us INTEGER NOT NULL, state NOT NULL,
               bytes INTEGER NOT NULL
           )"""
    )
    connection.execute("CREATE INDEX snapshot_place ON snapshot(place, captured_us)")
    connection.execute("CREATE INDEX snapshot_memory ON snapshot(memory) WHERE memory IS NOT NULL")


def _raw_events(connection: Connection) -> None:
    connection.execute(
        """CREATE TABLE raw_event (
               id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, source TEXT NOT NULL,
               scope INTEGER NOT NULL REFERENCES scope(id), subject TEXT NOT NULL, reference NOT NULL,
               metadata NOT NULL, at_us INTEGER NOT NULL
           )"""
    )
    connection.execute("CREATE INDEX raw_event_at ON raw_event(at_us)")
    connection.execute("CREATE INDEX raw_event_source ON raw_event(source, at_us)")
    connection.execute("ALTER TABLE erasure ADD COLUMN captured TEXT NOT NULL DEFAULT ''")


def _told_of_links(connection: Connection) -> None:
    connection.execute("ALTER TABLE edge ADD COLUMN metadata")


def _pending_messages(connection: Connection) -> None:
    connection.execute("ALTER TABLE intake ADD COLUMN pending TEXT")
    connection.execute("CREATE INDEX intake_pending ON intake(id) WHERE pending IS NOT NULL")


def _looked_at(connection: Connection) -> None:
    connection.execute("ALTER TABLE revision ADD COLUMN looked BLOB")


MIGRATIONS: tuple[Migration, ...] = (
    Migration("0001_first_schema", _first_schema),
    Migration("0002_erasures", _erasures),
    Migration("0003_tiers_by_the_words", _tiers_by_the_words),
    Migration("0004_revision_digest", _revision_digest),
    Migration("0005_joined_entities", _joined_entities),
    Migration("0006_jobs", _jobs),
    Migration("0007_own_kinds", _own_kinds),
    Migration("0008_sources_of_slots", _sources_of_slots),
    Migration("0009_told_of_origins", _told_of_origins),
    Migration("0010_packets", _packets),
    Migration("0011_names", _names),
    Migration("0012_slips", _slips),
    Migration("0013_snapshots", _snapshots),
    Migration("0014_raw_events", _raw_events),
    Migration("0015_told_of_links", _told_of_links),
    Migration("0016_pending_messages", _pending_messages),
    Migration("0017_looked_at", _looked_at),
)

_RECORD = "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_us INTEGER NOT NULL) WITHOUT ROWID"


def applied(connection: Connection) -> tuple[str, ...]:
    """Names of the migrations this file has, in order; empty for a new file."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").fetchone()
    if not found:
        return ()
    return tuple(name for (name,) in connection.execute("SELECT name FROM migration ORDER BY name"))


def pending(connection: Connection, known: Sequence[Migration] = MIGRATIONS) -> tuple[Migration, ...]:
    """What would be applied.

    Raises: NewerSchema when the file has a migration that is not known here.
    """
    names = applied(connection)
    unknown = sorted(set(names) - {migration.name for migration in known})
    if unknown:
        raise NewerSchema(f"this palace has migrations this release does not know: {', '.join(unknown)}")
    return tuple(migration for migration in known if migration.name not in names)


def migrate(
    database: PalaceDatabase, now_us: int, backup: Callable[[str], None] | None = None,
    known: Sequence[Migration] = MIGRATIONS,
) -> tuple[str, ...]:  # fmt: skip
    """Brings the file to this release's schema and returns the names applied. Several processes may call it at once.

    Raises: NewerSchema, MigrationFailed.
    """
    with database.read() as connection:
        waiting = pending(connection, known)
        old = bool(applied(connection))
    if not waiting:
        return ()
    if old and backup is not None:
        backup(f"before-{waiting[-1].name}-{now_us}.db")
    done: list[str] = []
    for migration in waiting:

        def job(connection: Connection, migration: Migration = migration) -> None:
            connection.execute(_RECORD)
            if migration.name in applied(connection):
                return
            with translated():
                migration.apply(connection)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.name, now_us))
            done.append(migration.name)

        try:
            database.write(job)
        except Exception as error:
            raise MigrationFailed(
                f"migration {migration.name} failed: {error}", hint="the palace is as it was; see backups/ beside it"
            ) from error
    return tuple(done)
