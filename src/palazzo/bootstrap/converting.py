"""Giving a palace a key, another one, or none: which key opens it, and the steps of a conversion in their order.

Owns the order of the steps over what a key locks: the file with its guarded texts, and the archive. Knows neither
settings nor cryptography. Invariants: what is about to be done is noted in the key file before anything is changed and
taken away after the last step; the file changes in one step, and the notes of the keys before and after it are both
there at that moment. So the palace opens after an interruption at any moment, and the same command finishes.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from palazzo.adapters import key_file, palace_keys
from palazzo.adapters.palace_keys import FoundKey, KeySource
from palazzo.adapters.system_clock import SystemClock
from palazzo.archive import FOLDER as ARCHIVE
from palazzo.archive import Archive, Unreadable
from palazzo.errors import CorruptPalace, InvalidInput, PalaceBusy, WrongKey
from palazzo.files import raw_files
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite import encryption
from palazzo.store.sqlite.palace import FILE, SqliteStore

SHORTEST = 512
"""Bytes of the smallest page a database can have."""


class Keyed(msgspec.Struct, frozen=True):
    """A palace to convert: its folder, where its key comes from, and how its file is opened apart from the key."""

    folder: Path
    source: KeySource
    options: OpenOptions

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / FILE

    def opened(self, found: FoundKey | None, *, whole: bool) -> OpenOptions:
        """How to open the file with a key; `whole` says that it locks the file itself."""
        if found is None:
            return self.options
        key = found.keys.of("database") if whole else None
        return dataclasses.replace(self.options, key=key, fields=found.keys.cipher())

    def archive(self, found: FoundKey | None) -> Archive:
        """Its archive, read and written with a key."""
        return archive_of(self.folder, found, durable=self.options.durable)


def archive_of(folder: Path, found: FoundKey | None, *, durable: bool) -> Archive:
    """The archive beside a palace; in one that has a key every line is sealed."""
    if found is None:
        return Archive(folder / ARCHIVE, durable=durable)
    older = found.keys.unwrap(found.note.previous).of("archive") if found.note.previous else None
    return Archive(folder / ARCHIVE, key=found.keys.of("archive"), older=older, durable=durable)


def readable_archive(folder: Path, source: KeySource) -> tuple[Archive, FoundKey | None]:
    """The archive with the key that opens it, whatever has become of the file; no key when no line is sealed.

    Raises: WrongKey when lines are sealed and there is no key for them.
    """
    plain = archive_of(folder, None, durable=True)
    if key_file.read(folder) is None or not plain.unreadable():
        return plain, None
    for found in palace_keys.candidates(folder, source):
        archive = archive_of(folder, found, durable=True)
        if archive.opens():
            return archive, found
    raise WrongKey("the archive does not open with this key")


def may_be_encrypted(path: Path) -> bool:
    """Whether a file, whole or not, is no plain one: of one that is cut off too short nobody can tell."""
    return path.stat().st_size < SHORTEST or encryption.is_encrypted(path)


@contextmanager
def taking_place_of(target: Path, found: FoundKey | None) -> Iterator[tuple[Path, FoundKey | None]]:
    """A folder to make a palace in, which gets its own name when it is made, and its key with its note there.

    What an interrupted making has left is removed first.
    """
    draft = target.with_name(f".{target.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True, mode=0o700)
    if found is not None:
        found = replace(found, note=replace(found.note, previous="", doing=""), waiting=False)
        key_file.write(draft / key_file.NAME, found.note)
        if found.note.source == "keyring":
            found.keys.keep(target)
    yield draft, found
    draft.rename(target)
    raw_files.sync_to_disk(target.parent)


def find_keys(folder: Path, source: KeySource) -> FoundKey | None:
    """The key that the palace has now; None when it has none. One that waits is put into force, if it is the one.

    Raises: WrongKey when it has a key and that cannot be had, StorageError.
    """
    path = folder / FILE
    if path.stat().st_size < SHORTEST:
        raise CorruptPalace(f"{path} is empty or cut off")
    encryption.roll_back(path)
    locked = encryption.is_encrypted(path)
    if not locked and (key_file.read(folder) is None or encryption.sealed_by(path, None) is None):
        return None
    for found in palace_keys.candidates(folder, source):
        if encryption.fits(path, found.keys.of("database") if locked else None, found.keys.cipher()):
            return _in_force(folder, found)
        found.keys.wipe()
    if key_file.interrupted(folder) == "rotate":
        raise WrongKey(
            "the key does not open this palace, whose change of keys was interrupted",
            hint="try the passphrase it had before or the one it was to get, then run `palazzo rotate` again",
        )
    raise WrongKey("this is not a palace file, or the key does not open it")


def _in_force(folder: Path, found: FoundKey) -> FoundKey:
    """A palace whose folder cannot be written is read with the key that waits."""
    try:
        palace_keys.settle(folder, found)
    except OSError:
        return found
    return replace(found, waiting=False)


def _current(palace: Keyed) -> FoundKey | None:
    """The key the palace has now, once its file is as this release makes them: a conversion reads every column.

    Raises: WrongKey when it has a key and that cannot be had, StorageError.
    """
    found = find_keys(palace.folder, palace.source)
    options = palace.opened(found, whole=encryption.is_encrypted(palace.path))
    if encryption.is_older(palace.path, options):
        SqliteStore.open(palace.folder, SystemClock(), StoreOptions(file=options, upkeep=False)).close()
    return found


def encrypt(palace: Keyed, *, fields: bool) -> tuple[Unreadable, ...]:
    """Encrypts file, guarded texts and archive; with `fields` all but the file. Returns what stays in the archive as it
    was, since nobody can read it.

    Raises: InvalidInput when there is nothing to do, WrongKey, PalaceBusy, StorageError.
    """
    found = _current(palace)
    whole = encryption.is_encrypted(palace.path)
    if found is not None and (whole or fields) and not _unfinished(palace, found):
        raise InvalidInput("the palace is already encrypted", field="palace")
    before = found
    if found is None:
        found = palace_keys.prepare(palace.folder, palace.source, "encrypt")
    else:
        palace_keys.intend(palace.folder, found, "encrypt")
    if whole or fields:
        options = palace.opened(found, whole=whole)
        encryption.seal_fields(palace.path, options, found.keys.cipher())
    else:
        _convert(palace, palace.opened(before, whole=False), palace.opened(found, whole=True))
    palace_keys.settle(palace.folder, found)
    return _finish(palace, found)


def _unfinished(palace: Keyed, found: FoundKey) -> bool:
    if key_file.interrupted(palace.folder) or palace.archive(found).plain_lines():
        return True
    whole = encryption.is_encrypted(palace.path)
    return bool(encryption.count_unsealed(palace.path, palace.opened(found, whole=whole)))


def _convert(palace: Keyed, old: OpenOptions, new: OpenOptions) -> None:
    try:
        encryption.convert(palace.path, old, new)
    except (PalaceBusy, WrongKey):
        palace_keys.discard(palace.folder)  # nothing was changed, and the caller is told: there is nothing to finish
        raise


def _finish(palace: Keyed, found: FoundKey) -> tuple[Unreadable, ...]:
    """The steps after the file: the archive, what is left of the old file, and the note that it is done."""
    left = palace.archive(found).convert(found.keys.of("archive"))
    encryption.clear_away(palace.path)
    palace_keys.finish(palace.folder, found)
    found.keys.wipe()
    return left


def rotate(palace: Keyed, fresh: KeySource) -> tuple[Unreadable, ...]:
    """Gives the palace another master key, and with it other keys for the file, the fields and the archive. Returns
    what stays in the archive as it was, since nobody can read it.

    Raises: InvalidInput when it has no key, WrongKey, PalaceBusy, StorageError.
    """
    found = _current(palace)
    if found is None:
        raise InvalidInput("the palace has no key to rotate", field="palace", hint="`palazzo encrypt` gives it one")
    if found.note.previous or found.other:  # the file has its new key already
        return _finish(palace, found)
    whole = encryption.is_encrypted(palace.path)
    kept = found.note.source == "keyring" or fresh.keyring
    newer = palace_keys.prepare(palace.folder, replace(fresh, keyring=kept), "rotate", found.keys)
    _convert(palace, palace.opened(found, whole=whole), palace.opened(newer, whole=whole))
    palace_keys.settle(palace.folder, newer)
    left = _finish(palace, newer)
    found.keys.wipe()
    return left


def decrypt(palace: Keyed) -> tuple[Unreadable, ...]:
    """Turns the palace into a plain one: the archive, then the file with its texts, and last the key. Returns what
    stays in the archive as it was, since nobody can read it.

    Raises: InvalidInput when it is plain already, WrongKey, PalaceBusy, StorageError.
    """
    found = _current(palace)
    if found is not None:
        whole = encryption.is_encrypted(palace.path)
        options = palace.opened(found, whole=whole)
        encryption.check_alone(palace.path, options)
        palace_keys.intend(palace.folder, found, "decrypt")
        left = palace.archive(found).convert(None)
        if whole:
            encryption.convert(palace.path, options, palace.options)
        else:
            encryption.seal_fields(palace.path, options, None)
        found.keys.wipe()
    elif key_file.read(palace.folder) is None:
        raise InvalidInput("the palace is not encrypted", field="palace")
    else:  # the file is plain again, or still: what is left is the archive and the key
        left = readable_archive(palace.folder, palace.source)[0].convert(None)
    encryption.clear_away(palace.path)
    key_file.remove(palace.folder)
    return left
