"""Giving the file of a palace another key, a first one or none, and sealing or opening the guarded texts in it.

Works on the file alone: nobody else may have it open, because a process that kept writing under the old key would lose
its writes. Invariants: the new file is complete and on the disk before it takes the old one's place, in one step, so
that an interruption at any moment leaves one or the other whole; what the old file held is overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import apsw

from palazzo.errors import CorruptPalace, PalaceBusy, WrongKey
from palazzo.files import raw_files
from palazzo.ports import FieldCipher
from palazzo.store.sql import migrations
from palazzo.store.sql.port import OpenOptions, one, translated
from palazzo.store.sql.seal import resealing
from palazzo.store.sqlite import padding
from palazzo.store.sqlite.connection import open_connection, raw_key

WAIT_S = 5.0
"""How long others may take to leave the palace."""

PLAIN_HEADER = b"SQLite format 3\x00"


def is_encrypted(path: Path) -> bool:
    """Whether the file does not begin as a plain SQLite file does."""
    head = raw_files.head(path, len(PLAIN_HEADER))
    return len(head) == len(PLAIN_HEADER) and head != PLAIN_HEADER


@contextmanager
def unmoved(path: Path) -> Iterator[None]:
    """Tells a file that another has taken the place of, while it was being opened, from one that cannot be opened.

    Whoever waits for a conversion has the old file in hand when it ends: wiped, and of no key any more.
    Raises: PalaceBusy.
    """
    before = path.stat()
    try:
        yield
    except (WrongKey, CorruptPalace) as error:
        after = path.stat()
        if (before.st_dev, before.st_ino) == (after.st_dev, after.st_ino):
            raise
        raise PalaceBusy("the palace was given other keys while it was being opened", hint="try again") from error


def fits(path: Path, key: bytes | None, cipher: FieldCipher) -> bool:
    """Whether a key opens the file and a cipher the texts that are sealed in it."""
    try:
        known = sealed_by(path, key)
    except WrongKey:
        return False
    return known is None or known == resealing.mark_of(cipher)


def sealed_by(path: Path, key: bytes | None) -> str | None:
    """The mark of the cipher that sealed texts of the file; None when no text was ever sealed in it.

    Raises: WrongKey, StorageError.
    """
    with translated():
        connection = open_connection(path, OpenOptions(key=key, read_only=not _journal(path).exists()))
        try:
            return resealing.check(connection) if migrations.applied(connection) else None
        finally:
            connection.close()


def roll_back(path: Path) -> None:
    """Lets SQLite undo a conversion in place that was interrupted, as releases before this one made them.

    Their journal is in clear while the file has no readable beginning; one of another kind is left as it is.
    """
    if _journal(path).exists():
        with suppress(WrongKey):
            sealed_by(path, None)


def _journal(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def convert(path: Path, old: OpenOptions, new: OpenOptions) -> None:
    """Writes the palace anew under other keys, guarded texts included; the new file takes the old one's place.

    Until that one step the old file is as it was, under the old keys; afterwards it is overwritten.
    Raises: WrongKey, PalaceBusy while any process has the palace open, StorageError.
    """
    clear_away(path)
    draft, outgoing = _draft(path), _outgoing(path)
    with translated(), _alone(path, old) as source:
        draft.touch(mode=0o600)
        _write_draft(draft, source, (old, new))
        raw_files.sync_to_disk(draft)
        # Frames of the old log would be taken for frames of the new file: the log is empty, and its name goes first.
        path.with_name(path.name + "-wal").unlink(missing_ok=True)
        os.link(path, outgoing)
        raw_files.sync_to_disk(path.parent)
        draft.replace(path)
        raw_files.sync_to_disk(path.parent)
        # Before the lock is given up: whoever waits for it has the old file in hand and must find nothing to write to.
        raw_files.wipe(outgoing)


def check_alone(path: Path, options: OpenOptions) -> None:
    """Refuses when anybody else has the palace open.

    Raises: PalaceBusy, WrongKey, StorageError.
    """
    with translated(), _alone(path, options):
        pass


def clear_away(path: Path) -> None:
    """Removes what an interrupted conversion left: drafts of the new file, and the old one, overwritten."""
    outgoing = _outgoing(path)
    if outgoing.exists():
        if outgoing.samefile(path):
            outgoing.unlink()
        else:
            raw_files.wipe(outgoing)
    for stray in path.parent.glob(f"{_draft(path).name}*"):
        stray.unlink()


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.converted")


def _outgoing(path: Path) -> Path:
    return path.with_name(f".{path.name}.outgoing")


def _write_draft(draft: Path, source: apsw.Connection, options: tuple[OpenOptions, OpenOptions]) -> None:
    """Copies the palace, seals its texts anew and gives the copy its key. Nobody needs the copy after a crash."""
    old, new = options
    copy = open_connection(draft, replace(old, durable=False), create=True)
    try:
        with copy.backup("main", source, "main") as job:
            job.step()
        copy.pragma("journal_mode", "memory")
        copy.execute("BEGIN IMMEDIATE")
        resealing.reseal(copy, resealing.Ciphers(old.fields, new.fields))
        copy.execute("COMMIT")
        if new.key != old.key:
            copy.pragma("cipher", "chacha20")
            copy.pragma("rekey", "" if new.key is None else raw_key(new.key))
        if new.key is not None:
            copy.execute("BEGIN IMMEDIATE")
            padding.pad(copy)
            copy.execute("COMMIT")
        copy.pragma("journal_mode", "wal")
        one(copy, "PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        copy.close()


@contextmanager
def _alone(path: Path, options: OpenOptions) -> Iterator[apsw.Connection]:
    """A connection that holds the whole file while nobody else has it open, with an empty log.

    Every connection in WAL mode keeps a shared lock for as long as it is open, so that the exclusive one is the proof.
    Raises: PalaceBusy, WrongKey.
    """
    try:
        connection = open_connection(path, replace(options, busy_wait_s=WAIT_S, exclusive=True))
    except PalaceBusy as error:
        raise PalaceBusy(
            "other processes have this palace open", hint="stop them (palazzo serve, MCP clients) and try again"
        ) from error
    try:
        # When it closes, the log of this name is that of the new file.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        one(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        yield connection
    finally:
        connection.close()


def seal_fields(path: Path, options: OpenOptions, new: FieldCipher | None) -> int:
    """Seals every guarded text with a cipher, or opens them all, in one transaction; returns how many.

    Raises: WrongKey, PalaceBusy, StorageError.
    """
    with translated():
        connection = open_connection(path, replace(options, busy_wait_s=WAIT_S))
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


def is_older(path: Path, options: OpenOptions) -> bool:
    """Whether a file is of an earlier release.

    Raises: NewerSchema, WrongKey.
    """
    with translated():
        connection = open_connection(path, options)
        try:
            return bool(migrations.pending(connection))
        finally:
            connection.close()


def count_unsealed(path: Path, options: OpenOptions) -> int:
    """How many guarded revisions are in clear."""
    with translated():
        connection = open_connection(path, options)
        try:
            return resealing.unsealed(connection)
        finally:
            connection.close()
