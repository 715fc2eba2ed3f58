"""Plain SQLite with FTS5: the least one can do, durable, without vectors. Ranked by its BM25, words joined by OR."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from bench.peers.system import Ask, Item, Opened


class SqlFts5:
    """One FTS5 table with the porter stemmer, WAL, a sync at every commit."""

    keeps = "text"
    version = sqlite3.sqlite_version

    def __init__(self, opened: Opened) -> None:
        self._db = sqlite3.connect(opened.folder / "fts.db", isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS kept USING fts5(id UNINDEXED, text, tokenize='porter')")

    def add(self, items: Sequence[Item]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT INTO kept VALUES (?, ?)", [(item.id, item.said) for item in items])
        self._db.execute("COMMIT")

    def add_one(self, item: Item) -> None:
        self.add([item])

    def settle(self) -> None:
        pass

    def holds(self, items: Sequence[Item]) -> set[str]:
        kept = dict(self._db.execute("SELECT id, text FROM kept").fetchall())
        return {item.id for item in items if kept.get(item.id) == item.said}

    def search(self, ask: Ask, limit: int) -> list[str]:
        words = re.findall(r"\w+", ask.text)
        if not words:
            return []
        wanted = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute("SELECT id FROM kept WHERE kept MATCH ? ORDER BY rank LIMIT ?", (wanted, limit))
        return [row[0] for row in rows]

    def close(self) -> None:
        self._db.close()
