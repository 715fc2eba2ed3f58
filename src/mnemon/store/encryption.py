"""Turning a palace into an encrypted one and back, in place.

Works on the file alone: nobody else may have it open, because a process that kept writing under the old key would lose
its writes. Invariant: the conversion is one SQLite transaction with a rollback journal; a crash leaves the old file.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw

from mnemon.errors import InvalidInput, PalaceBusy
from mnemon.store.connection import OpenOptions, open_connection, raw_key, translated

PLAIN_HEADER = b"SQLite format 3\x00"


def is_encrypted(path: Path) -> bool:
    """Whether the file does not begin as a plain SQLite file does."""
    with path.open("rb") as handle:
        head = handle.read(len(PLAIN_HEADER))
    return len(head) == len(PLAIN_HEADER) and head != PLAIN_HEADER


def rekey(path: Path, old: bytes | None, new: bytes | None) -> None:
    """Converts the file from one key to another; None stands for plain.

    Raises: WrongKey, PalaceBusy while any process has the palace open, StorageError.
    """
    if old == new:
        raise InvalidInput("the palace already has this key", field="key")
    options = replace(OpenOptions(), key=old, busy_wait_s=5.0)
    with translated():
        connection = open_connection(path, options)
        try:
            _alone(connection)
            connection.pragma("cipher", "chacha20")
            if new is None:
                connection.pragma("rekey", "")
            else:
                connection.pragma("rekey", raw_key(new))
            connection.pragma("journal_mode", "wal")
        finally:
            connection.close()


def _alone(connection: apsw.Connection) -> None:
    """Leaving WAL needs every other connection gone: that is the proof that nobody else has the palace open."""
    try:
        connection.pragma("journal_mode", "delete")
    except apsw.BusyError as error:
        raise PalaceBusy(
            "other processes have this palace open", hint="stop them (mnemon serve, MCP clients) and try again"
        ) from error
