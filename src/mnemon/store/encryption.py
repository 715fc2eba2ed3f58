"""Turning a palace into an encrypted one and back, in place, and giving it other keys.

Works on the file alone: nobody else may have it open, because a process that kept writing under the old key would lose
its writes. Invariant: the conversion is one SQLite transaction with a rollback journal; a crash leaves the old file.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw

from mnemon.errors import InvalidInput, PalaceBusy, WrongKey
from mnemon.ports import FieldCipher
from mnemon.store import migrations, padding, raw_files, resealing
from mnemon.store.connection import OpenOptions, one, open_connection, raw_key, translated

PLAIN_HEADER = b"SQLite format 3\x00"


def is_encrypted(path: Path) -> bool:
    """Whether the file does not begin as a plain SQLite file does."""
    head = raw_files.head(path, len(PLAIN_HEADER))
    return len(head) == len(PLAIN_HEADER) and head != PLAIN_HEADER


def fits(path: Path, key: bytes | None, cipher: FieldCipher) -> bool:
    """Whether a key opens the file and a cipher the texts that are sealed in it."""
    try:
        connection = open_connection(path, OpenOptions(key=key, read_only=True))
    except WrongKey:
        return False
    try:
        known = resealing.check(connection) if migrations.applied(connection) else None
        return known is None or known == resealing.mark_of(cipher)
    finally:
        connection.close()


def rotate(path: Path, options: tuple[OpenOptions, OpenOptions]) -> None:
    """Writes the palace anew under other keys, fields included; the new file takes the old one's place in one step.

    Until then the old file is as it was, under the old keys. Raises: WrongKey, PalaceBusy, StorageError.
    """
    old, new = options
    draft = path.with_name(f".{path.name}.rotated")
    for stray in path.parent.glob(f"{draft.name}*"):
        stray.unlink()
    with translated():
        source = open_connection(path, replace(old, busy_wait_s=5.0))
        _alone(source)
        writer = open_connection(path, replace(old, busy_wait_s=5.0))
        try:
            writer.execute("BEGIN IMMEDIATE")  # nobody writes from here on, and a backup may not come from a writer
            source.execute("BEGIN")
            draft.touch(mode=0o600)
            # The copy opens what is sealed with the old cipher and is written with the new one.
            copy = open_connection(draft, replace(new, fields=old.fields), create=True)
            try:
                with copy.backup("main", source, "main") as job:
                    job.step()
                copy.execute("BEGIN IMMEDIATE")
                resealing.reseal(copy, resealing.Ciphers(old.fields, new.fields))
                if new.key is not None:
                    padding.pad(copy)
                copy.execute("COMMIT")
                copy.pragma("journal_mode", "wal")
                one(copy, "PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                copy.close()
            raw_files.sync_to_disk(draft)
            draft.replace(path)
            raw_files.sync_to_disk(path.parent)
        finally:
            writer.close()
            if source.in_transaction:
                source.execute("ROLLBACK")
            if draft.exists():
                source.pragma("journal_mode", "wal")
            source.close()


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


def seal_fields(path: Path, options: OpenOptions, new: FieldCipher | None) -> int:
    """Seals every guarded text with a cipher, or opens them all, in one transaction; returns how many.

    Raises: WrongKey, PalaceBusy, StorageError.
    """
    with translated():
        connection = open_connection(path, replace(options, busy_wait_s=5.0))
        try:
            connection.execute("BEGIN IMMEDIATE")
            count = resealing.reseal(connection, resealing.Ciphers(options.fields, new))
            if options.key is not None:
                padding.pad(connection)
            connection.execute("COMMIT")
            one(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
            return count
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.close()


def count_unsealed(path: Path, options: OpenOptions) -> int:
    """How many guarded revisions are in clear."""
    with translated():
        connection = open_connection(path, options)
        try:
            return resealing.unsealed(connection)
        finally:
            connection.close()
