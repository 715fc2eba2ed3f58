"""What an erasure has to see to outside the tables: the write-ahead log and the backups in the palace's own folder.

Owns the mark that says the log still has to be emptied; the doctor reads it and tries again. Backups anywhere else are
not known here. Invariant: a backup that could not be cleaned is removed or named, never passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import apsw

from palazzo.errors import PalazzoError
from palazzo.files import raw_files
from palazzo.model.capability import View
from palazzo.model.change import PurgeMemory
from palazzo.store.api import Erasing, Reading
from palazzo.store.sqlite import backup, migrations
from palazzo.store.sqlite.apply import apply
from palazzo.store.sqlite.connection import Database
from palazzo.store.sqlite.erase import erasures, forgetting, wiping
from palazzo.store.sqlite.nouns import PalaceReading
from palazzo.text.safety import gate

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore

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
    """Puts an erasure on record with the memories that are chosen, in one transaction."""

    def job(connection: apsw.Connection) -> None:
        memories = chosen(PalaceReading.begin(connection, view, store.cipher, store))
        erasures.begin(connection, intent, memories, store.clock.now_us())

    store.database.write(job)


def forget_names(store: SqliteStore, intent: Erasing) -> dict[str, int]:
    """Takes the person of an erasure out of every table; says how many rows of each were removed or renamed."""
    now_us = store.clock.now_us()
    return store.database.write(lambda connection: forgetting.forget_names(connection, intent, now_us))


def wipe(store: SqliteStore) -> dict[str, int]:
    """Empties what is left in the tables when everything was burnt; says how many rows of each went."""
    now_us = store.clock.now_us()
    return store.database.write(lambda connection: wiping.wipe(connection, now_us))


def remains(store: SqliteStore, intent: Erasing, mentioned: int) -> tuple[str, ...]:
    """What an erasure leaves on purpose, with the reason."""
    with store.database.read() as connection:
        if intent.kind == "everything":
            return wiping.remains(connection)
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
            store.options.kinds,
            store.cipher,
        )
    if intent.user:
        forgetting.forget_names(connection, intent, now_us)
    erasures.strike_off_all(connection)  # what stands in the archive is the palace's own affair
    return len(wanted)
