"""The engines of the measurements: a palace in a folder, or on a PostgreSQL server that the run starts itself."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palazzo.adapters.system_clock import SystemClock
from palazzo.errors import StorageError
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.postgres import Server

LONGEST_START_S = 60.0
ENGINES = ("sqlite", "postgres")


def on_server(where: str | Path) -> bool:
    return str(where).startswith("postgresql:")


def open_store(where: str | Path, options: StoreOptions = StoreOptions()) -> Any:
    """Opens a palace in a folder or at an address."""
    if not on_server(where):
        return SqliteStore.open(Path(where), SystemClock(), options)
    from palazzo.store.postgres.palace import Address, PostgresStore

    address, folder = Address.parse(str(where)), Path(tempfile.gettempdir())
    until = time.monotonic() + LONGEST_START_S
    while True:
        try:
            return PostgresStore.open(address, folder, SystemClock(), options)
        except StorageError as error:  # it is being started again
            if not server_lost(error) or time.monotonic() > until:
                raise
            time.sleep(0.2)


def create_store(where: str | Path, options: StoreOptions = StoreOptions()) -> Any:
    """Makes a palace in a folder or at an address."""
    if not on_server(where):
        return SqliteStore.create(Path(where), SystemClock(), options)
    from palazzo.store.postgres.palace import Address, PostgresStore

    return PostgresStore.create(Address.parse(str(where)), Path(tempfile.gettempdir()), SystemClock(), options)


def server_lost(error: StorageError) -> bool:
    """Whether a call failed because the server had gone."""
    return "does not answer" in error.message


@contextmanager
def server(engine: str, kept: Path | None = None) -> Iterator[Server | None]:
    """A server that syncs every commit, for as long as the block lasts, in a folder that is `kept` if one is told; None
    for the other engine."""
    if engine != "postgres":
        yield None
        return
    started = Server(durable=True, kept=kept)
    try:
        yield started
    finally:
        started.stop()
