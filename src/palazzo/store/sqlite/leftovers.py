"""What is left of erased memories outside the tables: the write-ahead log, the backups, traces in raw files.

Backups outside the palace's own folder are not known here. Owns the search for pieces of the erased texts; a piece that
is still found is either said by a memory that was not erased (then it belongs there) or a trace. Invariant: a backup
that could not be cleaned is removed or named, never passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from palazzo.errors import PalazzoError
from palazzo.files import raw_files
from palazzo.model.change import PurgeMemory
from palazzo.store.api import Erasing
from palazzo.store.api.keeping import MOST_PIECES
from palazzo.store.sql import migrations, raw_events
from palazzo.store.sql.apply import Batch, apply
from palazzo.store.sql.erase import erasure, forgetting
from palazzo.store.sql.erase.leftovers import unmark
from palazzo.store.sql.port import Connection
from palazzo.store.sqlite import backup
from palazzo.store.sqlite.connection import Database
from palazzo.text.safety import gate

SEARCHED_BYTES = 4_000_000_000
"""How much is read at most: with large files fewer pieces are looked for (about a second per gigabyte)."""

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore


def empty_log(store: SqliteStore) -> bool:
    """Empties the log and takes the mark away; False while a reader holds an older moment of the palace."""
    if not store.database.truncate_log():
        return False
    store.database.write(unmark)
    return store.database.truncate_log()


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


def _apply(store: SqliteStore, connection: Connection, memories: tuple[UUID, ...], intent: Erasing) -> int:
    known = {UUID(bytes=uuid) for (uuid,) in connection.execute("SELECT uuid FROM memory")}
    wanted = [memory for memory in memories if memory in known]
    now_us = store.clock.now_us()
    if wanted:
        gated = gate.passed([PurgeMemory(memory) for memory in wanted], keyed=store.cipher is not None)
        apply(connection, [Batch(gated, now_us, "operator", store.kinds, store.cipher)])
    if intent.user:
        forgetting.forget_names(connection, intent, now_us)
    if intent.captured is not None:
        raw_events.drop(connection, intent.captured)
    erasure.strike_off_all(connection)  # what stands in the archive is the palace's own affair
    return len(wanted)


def chosen_pieces(folder: Path, pieces: Sequence[bytes]) -> list[bytes]:
    """As many pieces as can be searched for in files of this size, spread evenly over all of them."""
    size = sum(size for _, size in raw_files.files_in(folder))
    most = max(1, min(MOST_PIECES, SEARCHED_BYTES // max(1, size)))
    return [pieces[n * len(pieces) // most] for n in range(most)] if len(pieces) > most else list(pieces)


def search_pieces(folder: Path, pieces: Sequence[bytes]) -> list[tuple[Path, bytes]]:
    """Which pieces are in which files below a folder; the shared memory of a log holds page numbers alone."""
    return [
        (path, piece)
        for path, size in raw_files.files_in(folder)
        if size and not path.name.endswith(raw_files.SHARED_MEMORY)
        for piece in raw_files.holds(path, pieces)
    ]
