"""Counts of what a palace holds, for `status` and `doctor`: numbers and names, never content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palazzo.files import raw_files
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite import journal
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.memory import search
from palazzo.store.sqlite.reading import SqliteReading
from palazzo.store.sqlite.tables import SqliteTables

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore


def overview(store: SqliteStore) -> dict[str, Any]:
    """How much of everything there is."""
    with store.database.read() as connection:

        def count(table: str) -> int:
            return int(one(connection, f"SELECT count(*) FROM {table}")[0])

        spaces = [
            {
                "name": s.name, "model": s.model, "dimensions": s.dimensions, "state": s.state,
                "missing": search.count_missing_vectors(connection, s),
            }
            for s in vectors.spaces(SqliteTables(connection))
        ]  # fmt: skip
        return {
            "palace": str(store.folder), "memories": count("memory"), "revisions": count("revision"),
            "places": count("place"), "edges": count("edge"), "entities": count("entity"),
            "events": journal.last_seq(connection), "spaces": spaces,
            "index_tails_due": len(text_index.pending(SqliteTables(connection))),
            "bytes": raw_files.size_of(store.folder, "palace.db"),
        }  # fmt: skip


def within(reading: SqliteReading) -> dict[str, Any]:
    """The same figures as far as one reader may know of them: nothing of what lies outside its view is counted."""
    seen = f"memory m JOIN place p ON p.id = m.place WHERE {reading.where}"

    def count(what: str, source: str, values: int = 1) -> int:
        return int(one(reading.connection, f"SELECT {what} FROM {source}", reading.values * values)[0])

    ends = f"(SELECT m.id FROM {seen})"
    spaces = [
        {"name": s.name, "model": s.model, "dimensions": s.dimensions, "state": s.state, "missing": 0}
        for s in vectors.spaces(reading.tables)
    ]
    return {
        "palace": "", "memories": count("count(*)", seen),
        "revisions": count("count(*)", f"revision WHERE memory IN {ends}"),
        "places": count("count(DISTINCT p.id)", seen),
        "edges": count("count(*)", f"edge WHERE source IN {ends} AND target IN {ends}", 2),
        "entities": count(
            "count(DISTINCT n.entity)", f"mention n JOIN revision v ON v.id = n.revision WHERE v.memory IN {ends}"
        ),
        "events": 0, "spaces": spaces, "index_tails_due": 0, "bytes": 0,
    }  # fmt: skip
