"""A pytest plugin that puts a palace where LangGraph's own tests of its stores expect LangGraph's own stores.

The tests come out of LangGraph's source packages (scripts/outside_suites.py); nothing of them is kept here. Each store
is a palace in a folder of its own, so a test that opens the same file twice opens the same palace.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Self

import langgraph.store.memory
import langgraph.store.sqlite
import langgraph.store.sqlite.aio

from palazzo.integrations.langgraph import PalazzoStore


def _folder() -> str:
    return tempfile.mkdtemp(prefix="palace-")


def _index(index: dict[str, Any] | None) -> dict[str, Any] | None:
    """The fields alone: a palace embeds by itself."""
    return None if index is None else {"fields": index.get("fields") or index.get("text_fields")}


class InMemory(PalazzoStore):
    """Where LangGraph's in-memory store is expected."""

    def __init__(self, *, index: dict[str, Any] | None = None) -> None:
        super().__init__(_folder(), index=_index(index))
        self.index_config = index


class Sqlite(PalazzoStore):
    """Where LangGraph's SQLite store is expected."""

    MIGRATIONS = ("SELECT 1",)

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn: str, *, index: Any = None, ttl: Any = None) -> Iterator[Self]:
        folder = _folder() if conn == ":memory:" else f"{conn}.palace"
        with cls(folder, index=_index(index), ttl=ttl) as store:
            store.index_config = index
            store.embeddings = (index or {}).get("embed")
            yield store
        shutil.rmtree(Path(folder))

    def setup(self) -> None:
        """There is nothing to set up."""


class AsyncSqlite(Sqlite):
    """Where LangGraph's async SQLite store is expected; what that one awaits is awaited here."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn: str, *, index: Any = None, ttl: Any = None) -> AsyncIterator[Self]:
        folder = _folder() if conn == ":memory:" else f"{conn}.palace"
        async with cls(folder, index=_index(index), ttl=ttl) as store:
            store.index_config = index
            store.embeddings = (index or {}).get("embed")
            yield store
        shutil.rmtree(Path(folder))

    async def setup(self) -> None:
        """There is nothing to set up."""

    async def sweep_ttl(self) -> int:
        return PalazzoStore.sweep_ttl(self)

    async def start_ttl_sweeper(self, minutes: float | None = None) -> None:
        PalazzoStore.start_ttl_sweeper(self, minutes)

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        return PalazzoStore.stop_ttl_sweeper(self, timeout)

    def close(self) -> None:
        PalazzoStore.stop_ttl_sweeper(self)
        self._memory.close()

    def _sweep_every(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            PalazzoStore.sweep_ttl(self)


langgraph.store.memory.InMemoryStore = InMemory
langgraph.store.sqlite.SqliteStore = Sqlite
langgraph.store.sqlite.AsyncSqliteStore = langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncSqlite
