"""Counts of what a palace holds, for `status` and `doctor`: numbers and names, never content."""

from __future__ import annotations

from typing import Any

from mnemon.store import journal, text_index, vectors
from mnemon.store.connection import one
from mnemon.store.store import Store


def overview(store: Store) -> dict[str, Any]:
    """How much of everything there is."""
    with store.database.read() as connection:

        def count(table: str) -> int:
            return int(one(connection, f"SELECT count(*) FROM {table}")[0])

        spaces = [
            {
                "name": s.name, "model": s.model, "dimensions": s.dimensions, "state": s.state,
                "missing": vectors.count_missing(connection, s),
            }
            for s in vectors.spaces(connection)
        ]  # fmt: skip
        return {
            "palace": str(store.folder), "memories": count("memory"), "revisions": count("revision"),
            "places": count("place"), "edges": count("edge"), "entities": count("entity"),
            "events": journal.last_seq(connection), "spaces": spaces,
            "index_tails_due": len(text_index.pending(connection)),
            "bytes": sum(path.stat().st_size for path in store.folder.glob("palace.db*")),
        }  # fmt: skip
