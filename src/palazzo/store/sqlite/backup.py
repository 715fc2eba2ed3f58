"""Online backup: a consistent copy of the palace file while others write, encrypted with the same key; and reading such
copies.

Owns what is asked of a copy before it is read, for nobody vouches for another palace's file. Invariant: its grants,
tokens and keys are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from palazzo.errors import InvalidInput
from palazzo.files import raw_files, sqlite_files
from palazzo.files.forks import FileLock
from palazzo.files.raw_files import make_private
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import View
from palazzo.store.api import Reading
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sql.port import OpenOptions, one, translated
from palazzo.store.sqlite import padding
from palazzo.store.sqlite.connection import Database, open_connection

Progress = Callable[[int, int], None]
PAGES_A_STEP = 2048
FOLDER = "backups"
"""Where a palace keeps copies of itself; an erasure reaches those."""


def backup(
    database: Database, target: Path, progress: Progress | None, before_named: Callable[[], None] | None = None
) -> None:
    """Copies the file as of one moment. The copy appears under its name only when it is complete and synced.

    What belongs beside a copy is put there by `before_named`, so that no copy is ever without it.
    Raises: InvalidInput when the target exists, StorageError.
    """
    if target.exists():
        raise InvalidInput(f"{target} already exists", field="target", hint="name a new file")
    make_private(target.parent)
    if target.parent.resolve() == (database.path.parent / FOLDER).resolve():
        with lock_of(database.path.parent).held():  # an erasure waits for the copy, and then erases from it as well
            _copy_to(database, target, progress, before_named)
    else:
        _copy_to(database, target, progress, before_named)


def write_anew(path: Path, options: OpenOptions) -> None:
    """Writes every page and every index of a file anew, its log included.

    Raises: CorruptPalace, StorageError when a page cannot be read.
    """
    with translated():
        connection = open_connection(path, options)
        try:
            connection.execute("REINDEX")
            one(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("VACUUM")
        finally:
            connection.close()


def copies(palace: Path) -> tuple[str, ...]:
    """The names of the copies in the palace's own folder of them."""
    return tuple(sorted(path.name for path in (palace / FOLDER).glob("*.db")))


def drop(palace: Path, names: Sequence[str]) -> None:
    """Removes copies, with the notes of their keys. An erasure that is about to rewrite them waits, and finds fewer."""
    with lock_of(palace).held():
        for name in names:
            (palace / FOLDER / name).unlink(missing_ok=True)
            (palace / FOLDER / f"{Path(name).stem}.key.json").unlink(missing_ok=True)


def lock_of(palace: Path) -> FileLock:
    """What whoever makes or changes a copy in the palace's own folder of them holds."""
    return FileLock(palace / FOLDER / ".lock")


def _copy_to(
    database: Database, target: Path, progress: Progress | None, before_named: Callable[[], None] | None
) -> None:
    partial = target.with_name(target.name + ".part")
    try:
        _copy(database, partial, progress)
        raw_files.sync_to_disk(partial)
        if before_named is not None:
            before_named()
        partial.rename(target)
        raw_files.sync_to_disk(target.parent)
    finally:
        _clear(partial)


def _clear(partial: Path) -> None:
    """Removes what a copy that was cut off has left, with SQLite's files beside it."""
    for stray in (partial, *(partial.with_name(f"{partial.name}-{end}") for end in ("journal", "wal", "shm"))):
        stray.unlink(missing_ok=True)


def _copy(database: Database, partial: Path, progress: Progress | None) -> None:
    _clear(partial)
    partial.touch(mode=0o600)
    with translated():
        source = database.connect()
        copy = open_connection(partial, replace(database.options, read_only=False), create=True)
        try:
            # Holding a read transaction pins one snapshot, so writers do not make the backup start over.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            with copy.backup("main", source, "main") as job:
                while not job.done:
                    job.step(PAGES_A_STEP)
                    if progress:
                        progress(job.page_count - job.remaining, job.page_count)
        finally:
            if source.in_transaction:
                source.execute("ROLLBACK")
            source.close()
            copy.close()


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
        padding.register(connection, None)
        everything = PlaceGlob(ROOT, "subtree")
        view = View(
            all_scopes=True, sealed_reach=(everything,), unlocked=(everything,), include_deprecated=True,
            states=("active", "stale", "archived"),
        )  # fmt: skip
        yield PalaceReading.begin(connection, view)
