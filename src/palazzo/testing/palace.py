"""Short ways to make palaces and memories in tests, shared with plugin authors; and what an exception gives away.

Owns one walk over an exception and everything attached to it, for tests that errors never carry remembered content or
keys. Knows nothing of what is secret: the test does.
"""

from __future__ import annotations

import traceback
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from palazzo.adapters.ciphers import SealedFields
from palazzo.files import raw_files
from palazzo.model.address import Place, slug
from palazzo.model.change import Attachments, PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Store
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock

FILES = ("sqlite", "sqlite-encrypted", "sqlite-sealed")
"""Engines whose palace is a file."""
ENGINES = (*FILES, "postgres", "postgres-sealed")
TEST_KEY = bytes(range(32))


def options_for(engine: str, **file: Any) -> StoreOptions:
    """Options for a named engine; upkeep runs only when a test asks for it."""
    key = TEST_KEY if engine == "sqlite-encrypted" else None
    if engine.endswith("-sealed"):
        file = {"fields": SealedFields(TEST_KEY, TEST_KEY[::-1]), **file}
    return StoreOptions(file=OpenOptions(key=key, **file), upkeep=False)


def make_store(folder: Path, engine: str = "sqlite", clock: FixedClock | None = None, **file: Any) -> SqliteStore:
    """A new, empty palace."""
    return SqliteStore.create(folder, clock or FixedClock(), options_for(engine, **file))


def make_palace(folder: Path, engine: str = "sqlite", clock: FixedClock | None = None) -> Store:
    """A new, empty palace on any engine.

    Raises: NoServer when there is none to make it on.
    """
    if engine in FILES:
        return make_store(folder, engine, clock)
    from palazzo.store.postgres.palace import Address, PostgresStore

    address = Address(server_address(), f"test-{uuid4().hex}")
    return PostgresStore.create(address, folder, clock or FixedClock(), options_for(engine))


@lru_cache(maxsize=1)
def server_address() -> str:
    """The address of this process's own server, its schema made in few partitions: sixteen take ten times as long.

    Raises: NoServer.
    """
    from palazzo.store.postgres.palace import Address, prepare
    from palazzo.testing.postgres import shared_server

    found = shared_server().address
    prepare(Address(found), FixedClock.START_US, partitions=2)
    return found


def file_bytes(folder: Path, beginning: str = "") -> dict[Path, bytes]:
    """What stands in the files below a folder, read so that an open palace keeps its locks; not its shared memory,
    which has no text. `beginning` picks files by how their names begin."""
    return {
        path: raw_files.content(path)
        for path, _ in raw_files.files_in(folder)
        if path.name.startswith(beginning) and not path.name.endswith(raw_files.SHARED_MEMORY)
    }


def place_memory(
    text: str, *, place: str = "work", kind: str = "fact", scope: Scope = GLOBAL, name: str = "",
    attachments: Attachments = Attachments(), **content: Any,
) -> PlaceMemory:  # fmt: skip
    """A change that places a memory with this text, under a name made from it unless one is given."""
    memory_id = new_id(FixedClock.START_US)
    return PlaceMemory(
        memory_id=memory_id, place=Place.parse(place), name=name or f"{slug(text, 30)}-{memory_id.hex[-8:]}",
        kind=kind, scope=scope, content=RevisionDraft(text=text, **content), attachments=attachments,
    )  # fmt: skip


def everything_said(error: BaseException) -> str:
    """Text, arguments, attributes and traceback of an error and of all its causes and contexts, as one string."""
    parts: list[str] = []
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        attributes = {name: getattr(found, name, None) for name in dir(found) if not name.startswith("_")}
        parts += [str(found), repr(found), repr(found.args), repr(attributes)]
        waiting += [found.__cause__, found.__context__]
    return "\n".join([*parts, *traceback.format_exception(error)])
