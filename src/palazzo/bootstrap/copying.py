"""`palazzo copy`: a palace somewhere else, whole and compared.

Owns the two ends: how each is opened, which key the copy has, and what stands beside the rows (archive, identity files,
settings). Invariants: the source is only read; a folder appears under its name when the copy is complete; a copy of a
palace with a key has the same key; nothing guarded is in clear on the disk of a copy that is to be encrypted.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from palazzo.adapters import key_file, palace_keys
from palazzo.adapters.palace_keys import FoundKey, KeySource
from palazzo.adapters.system_clock import SystemClock
from palazzo.archive import FOLDER as ARCHIVE
from palazzo.bootstrap.converting import archive_of, find_keys
from palazzo.bootstrap.servers import folder_for, on_server
from palazzo.errors import InvalidInput, PalaceExists, PalaceMissing, PalazzoError
from palazzo.files import raw_files
from palazzo.files.forks import FileLock
from palazzo.porting.carry import Copied, Progress, carry, compare
from palazzo.store.api import CarriedMoment
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sql.store import SqlStore
from palazzo.store.sqlite.encryption import is_encrypted, seal_fields, sealed_by
from palazzo.store.sqlite.palace import FILE, SqliteStore

LEFT: Final = ("backups", "serve.lock", "serve.sock", "erasure.lock", "hooks")
"""What a copy does without: copies, locks and sockets of the palace it comes from."""
Options = Callable[[FoundKey | None, bool, bool], StoreOptions]
"""How a store is opened: with a key, one that locks the whole file, for reading only."""


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """Where a copy comes from and goes to: folders, or addresses of palaces on a server."""

    source: str
    target: str
    keys: KeySource
    new_keys: KeySource
    encrypted: bool
    durable: bool

    @property
    def source_folder(self) -> Path:
        """Where the palace is, or what this machine has of one on a server."""
        return _folder(self.source)

    @property
    def file_is_encrypted(self) -> bool:
        return not on_server(self.source) and is_encrypted(self.source_folder / FILE)


def _folder(palace: str) -> Path:
    return folder_for(palace) if on_server(palace) else Path(palace).expanduser()


def copy(ends: Ends, options: Options, progress: Progress) -> Copied:
    """Copies a palace into a new folder, or to a server; run again after an interruption it goes on.

    Raises: PalaceMissing, PalaceExists, InvalidInput, WrongKey, Conflict when the copy differs, StorageError.
    """
    target = _folder(ends.target)
    if not on_server(ends.target):
        if (target / FILE).exists():
            raise PalaceExists(f"there already is a palace in {target}", hint="name a new folder")
        if target.exists() and any(target.iterdir()):
            raise InvalidInput(f"{target} is not empty", field="target", hint="name a new folder")
    draft = target.with_name(f".{target.name}.copying")
    lock = target.with_name(f"{draft.name}.lock")
    raw_files.make_private(lock.parent)
    found = _key_of_source(ends)
    with FileLock(lock).held(), _source(ends, options, found) as source, source.carried.moment() as moment:
        work = Work(moment, options, progress)
        if on_server(ends.target):
            made = _on_server(ends, target, work, found)
        else:
            made = _filled(ends, draft, work, found)
            if target.exists():
                target.rmdir()
            draft.rename(target)
            raw_files.sync_to_disk(target.parent)
        lock.unlink()
    return made


def _key_of_source(ends: Ends) -> FoundKey | None:
    folder = ends.source_folder
    if not on_server(ends.source):
        if not (folder / FILE).exists():
            raise PalaceMissing(f"there is no palace in {folder}")
        return find_keys(folder, ends.keys)
    return None if key_file.read(folder) is None else next(iter(palace_keys.candidates(folder, ends.keys)), None)


def _source(ends: Ends, options: Options, found: FoundKey | None) -> SqlStore:
    opened = options(found, ends.file_is_encrypted, True)
    if not on_server(ends.source):
        return SqliteStore.open(ends.source_folder, SystemClock(), opened)
    from palazzo.store.postgres.palace import Address, PostgresStore

    return PostgresStore.open(Address.parse(ends.source), ends.source_folder, SystemClock(), opened)


def _on_server(ends: Ends, folder: Path, work: Work, found: FoundKey | None) -> Copied:
    """Copies to a server: the palace there says by a note that it is not complete until it is."""
    from palazzo.store.postgres.palace import Address, PostgresStore

    if ends.encrypted and found is None:
        raise InvalidInput(
            "a palace on a server is copied with the key it has", field="encrypted",
            hint="`palazzo encrypt --fields` on the source gives it one",
        )  # fmt: skip
    address, opened = Address.parse(ends.target), work.options(found, False, False)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if found is not None:
        key_file.write(folder / key_file.NAME, replace(found.note, previous="", doing=""))
    try:
        target = PostgresStore.open(address, folder, SystemClock(), opened)
    except PalaceMissing:
        target = PostgresStore.create(address, folder, SystemClock(), opened)
    else:
        if target.carried.note() is None:
            target.close()
            raise PalaceExists(f"there already is a palace at {address.label}", hint="name another with ?palace=NAME")
    with target:
        resumed = carry(work.moment, target, work.progress)
        _beside(ends, folder, found, fresh=False)
        digest = compare(work.moment, target, work.progress, exact=True)
        target.carried.finish()
    return _told(work.moment, resumed=resumed, digest=digest)


def _told(moment: CarriedMoment, *, resumed: bool, digest: str) -> Copied:
    counts = moment.counts()
    return Copied(rows=sum(counts.values()), memories=counts["memory"], resumed=resumed, digest=digest)


class Work(NamedTuple):
    """What is copied, how stores are opened, and who is told how far it is."""

    moment: CarriedMoment
    options: Options
    progress: Progress


def _filled(ends: Ends, draft: Path, work: Work, found: FoundKey | None) -> Copied:
    """Makes the copy in a folder of its own; one that an interruption left unusable is begun anew."""
    try:
        made, whole = _begun(ends, draft, work, found)
    except (PalazzoError, OSError):
        shutil.rmtree(draft, ignore_errors=True)
        made, whole = _begun(ends, draft, work, found)
    fresh = made is not None and found is None
    opened = work.options(made, whole, False)
    bare = _unsealed(opened) if fresh else opened
    resumed = True
    if made is None or not fresh or sealed_by(draft / FILE, made.keys.of("database")) is None:
        with SqliteStore.open(draft, SystemClock(), bare) as target:
            resumed = carry(work.moment, target, work.progress)
        if fresh and made is not None:
            seal_fields(draft / FILE, bare.file, made.keys.cipher())
    _beside(ends, draft, made, fresh=fresh)
    with SqliteStore.open(draft, SystemClock(), opened) as target:
        digest = compare(work.moment, target, work.progress, exact=not fresh)
        target.carried.finish()
    if made is not None and made.note.source == "keyring":
        made.keys.keep(_folder(ends.target))
    return _told(work.moment, resumed=resumed, digest=digest)


def _begun(ends: Ends, draft: Path, work: Work, found: FoundKey | None) -> tuple[FoundKey | None, bool]:
    """An empty palace to copy into, or the one of an earlier try; its key, and whether that locks the whole file."""
    draft.mkdir(parents=True, exist_ok=True, mode=0o700)
    made, whole = _key_of_copy(ends, draft, found)
    opened = work.options(made, whole, False)
    bare = _unsealed(opened) if found is None else opened
    if (draft / FILE).exists():
        sealed = made is not None and found is None and sealed_by(draft / FILE, made.keys.of("database")) is not None
        SqliteStore.open(draft, SystemClock(), opened if sealed else bare).close()
    else:
        SqliteStore.create(draft, SystemClock(), bare).close()
    if made is not None and found is None:
        palace_keys.settle(draft, made)
    return made, whole


def _key_of_copy(ends: Ends, draft: Path, found: FoundKey | None) -> tuple[FoundKey | None, bool]:
    """The key of the copy: that of the source, or a new one; and whether it locks the whole file."""
    if found is not None:
        plain = replace(found, note=replace(found.note, previous="", doing=""), waiting=False)
        key_file.write(draft / key_file.NAME, plain.note)
        return plain, ends.encrypted or ends.file_is_encrypted
    if not ends.encrypted:
        return None, False
    if (draft / FILE).exists():
        return find_keys(draft, ends.new_keys), True
    return palace_keys.prepare(draft, ends.new_keys), True


def _unsealed(options: StoreOptions) -> StoreOptions:
    """While rows arrive that no key has sealed, the copy's own key locks the file and not yet the texts in it."""
    return replace(options, file=dataclasses.replace(options.file, fields=None))


def _beside(ends: Ends, draft: Path, made: FoundKey | None, *, fresh: bool) -> None:
    """Copies what stands beside the palace file; with a new key its archive is sealed."""
    for path, _ in raw_files.files_in(ends.source_folder):
        named = path.relative_to(ends.source_folder)
        if named.parts[0] in LEFT or named.name.startswith((FILE, f".{FILE}")) or named.name.startswith(key_file.NAME):
            continue
        (draft / named).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        raw_files.put(draft / named, raw_files.content(path))
    if fresh and made is not None and (draft / ARCHIVE).is_dir():
        archive_of(draft, made, durable=ends.durable).convert(made.keys.of("archive"))
    for folder in {draft, *(path.parent for path, _ in raw_files.files_in(draft))}:
        raw_files.sync_to_disk(folder)
