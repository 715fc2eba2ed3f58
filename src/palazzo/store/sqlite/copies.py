"""Copies of other palaces' files, read as a whole. Nobody vouches for them.

Owns what is asked of such a file before it is read. Invariant: its grants, tokens and keys are never looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palazzo.errors import InvalidInput
from palazzo.files import sqlite_files
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import View
from palazzo.store.api import Reading
from palazzo.store.sqlite.nouns import PalaceReading
from palazzo.store.sqlite.seal import sealing


@contextmanager
def palace_copy(path: Path) -> Iterator[Reading]:
    """A copy of another palace's file, for reading all of it. Its grants, tokens and keys are never looked at.

    Raises: InvalidInput when it is no palace, or its schema holds what ours does not.
    """
    with sqlite_files.opened(path) as connection:
        sqlite_files.require(connection, ("palace", "memory", "revision", "tag_move", "event"), "palace")
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1").fetchone():
            raise InvalidInput(
                "the palace is refused: its file has views or triggers, which ours never has", field="file"
            )
        sealing.register(connection, None)
        everything = PlaceGlob(ROOT, "subtree")
        view = View(
            all_scopes=True, sealed_reach=(everything,), unlocked=(everything,), include_deprecated=True,
            states=("active", "stale", "archived"),
        )  # fmt: skip
        yield PalaceReading.begin(connection, view)
