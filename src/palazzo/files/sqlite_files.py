"""Reading SQLite files of other programs: browsers' histories and mem0's. Nobody vouches for them.

Owns the statements over foreign schemas. A file is copied before it is opened, with its log, for browsers hold theirs
locked; the copy is opened for reading only, its schema is not trusted, and views and triggers in place of tables are
refused. Invariant: the original is never opened by SQLite, and nothing in the file can run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

from palazzo.errors import InvalidInput
from palazzo.files import raw_files

_HEAD: Final = b"SQLite format 3\x00"
_BESIDE: Final = ("-wal", "-journal")


def is_sqlite(path: Path) -> bool:
    """Whether a file begins as SQLite's do."""
    if not path.is_file():
        return False
    return raw_files.head(path, len(_HEAD)) == _HEAD


@contextmanager
def opened(path: Path) -> Iterator[apsw.Connection]:
    """A copy of the file, opened for reading.

    Raises: InvalidInput when it is no SQLite file or is damaged.
    """
    with tempfile.TemporaryDirectory(prefix="palazzo-import-") as folder:
        copy = Path(folder, "copy.db")
        try:
            raw_files.copy(path, copy)
            for ending in _BESIDE:
                beside = path.with_name(path.name + ending)
                if beside.is_file() and not beside.is_symlink():
                    raw_files.copy(beside, copy.with_name(copy.name + ending))
        except OSError as error:
            raise InvalidInput(f"{path.name} cannot be read: {error.strerror}", field="source") from error
        try:
            # A log can only be replayed by a writer; the copy is ours, so that harms nothing.
            connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
                connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
                connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
                connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
                connection.pragma("query_only", True)
                connection.pragma("cell_size_check", True)
                connection.set_exec_trace(None)
                yield connection
            finally:
                connection.close()
        except (apsw.SQLError, apsw.NotADBError, apsw.CorruptError, apsw.CantOpenError, apsw.IOError) as error:
            raise InvalidInput(
                f"{path.name} is damaged or not what it seems: {type(error).__name__}", field="source"
            ) from error


def tables(connection: apsw.Connection) -> frozenset[str]:
    """The names of the real tables, in lower case."""
    rows = connection.execute("SELECT lower(name) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    return frozenset(name for (name,) in rows)


def tables_in(path: Path) -> frozenset[str]:
    """The names of the tables of a file.

    Raises: InvalidInput.
    """
    with opened(path) as connection:
        return tables(connection)


def _columns(connection: apsw.Connection, table: str) -> frozenset[str]:
    return frozenset(row[0].lower() for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def require(connection: apsw.Connection, wanted: Sequence[str], what: str) -> None:
    if not frozenset(wanted) <= tables(connection):
        raise InvalidInput(f"no {what}: it lacks the tables {', '.join(wanted)}", field="source")


def chromium_visits(path: Path) -> Iterator[tuple[Any, ...]]:
    """Url, title and time (microseconds since 1601) of every visit of a Chromium history, oldest first.

    Raises: InvalidInput.
    """
    with opened(path) as connection:
        require(connection, ("urls", "visits"), "Chromium history")
        hidden = "u.hidden" if "hidden" in _columns(connection, "urls") else "0"
        # Sub-frames (3 and 4 in the low byte of a transition) are no pages anybody went to.
        core = "v.transition & 255" if "transition" in _columns(connection, "visits") else "0"
        yield from connection.execute(
            f"""SELECT u.url, u.title, v.visit_time FROM visits v JOIN urls u ON u.id = v.url
                WHERE {hidden} = 0 AND {core} NOT IN (3, 4) ORDER BY v.visit_time, v.id"""
        )


def atuin_commands(path: Path) -> Iterator[tuple[Any, ...]]:
    """Command, time (nanoseconds since 1970) and folder of every command of atuin's history, oldest first.

    Raises: InvalidInput.
    """
    with opened(path) as connection:
        require(connection, ("history",), "atuin history")
        deleted = "deleted_at IS NULL" if "deleted_at" in _columns(connection, "history") else "1"
        yield from connection.execute(f"SELECT command, timestamp, cwd FROM history WHERE {deleted} ORDER BY timestamp")


def firefox_visits(path: Path) -> Iterator[tuple[Any, ...]]:
    """Url, title and time (microseconds since 1970) of every visit of a Firefox history, oldest first.

    Raises: InvalidInput.
    """
    with opened(path) as connection:
        require(connection, ("moz_places", "moz_historyvisits"), "Firefox history")
        hidden = "coalesce(p.hidden, 0)" if "hidden" in _columns(connection, "moz_places") else "0"
        # Embedded pages (4) and frames (8) are no pages anybody went to.
        kind = "coalesce(v.visit_type, 1)" if "visit_type" in _columns(connection, "moz_historyvisits") else "1"
        yield from connection.execute(
            f"""SELECT p.url, p.title, v.visit_date FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id
                WHERE {hidden} = 0 AND {kind} NOT IN (4, 8) ORDER BY v.visit_date, v.id"""
        )


def mem0_history(path: Path) -> Iterator[tuple[Any, ...]]:
    """Id, newest text and time of every memory of a mem0 history that was not deleted.

    Raises: InvalidInput.
    """
    with opened(path) as connection:
        require(connection, ("history",), "mem0 history")
        columns = _columns(connection, "history")
        text = "new_memory" if "new_memory" in columns else "new_value"
        times = [name for name in ("updated_at", "created_at", "timestamp") if name in columns]
        if not {"memory_id", text, "event"} <= columns or not times:
            raise InvalidInput("no mem0 history: its table has other columns", field="source")
        when = f"coalesce({', '.join(times)}, '')" if len(times) > 1 else times[0]
        newest: dict[Any, tuple[Any, Any, Any]] = {}
        for memory, said, event, gone, at in connection.execute(
            f"SELECT memory_id, {text}, event, {'is_deleted' if 'is_deleted' in columns else '0'}, {when} FROM history"
            " ORDER BY rowid"
        ):
            if event == "DELETE" or gone == 1:
                newest.pop(memory, None)
            else:
                newest[memory] = (memory, said, at)
        yield from newest.values()
