"""The key file of an encrypted palace: how its key is obtained, never the key itself, and what is being done to it.

`key.json` holds the Argon2id parameters and salt, or says that the key is in the system keyring. A key that is about to
come into force has its note in `key.json.new` before anything is locked with it. Invariant: a note is on the disk as a
whole or not at all.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from palazzo.adapters.ciphers import PassphraseParameters
from palazzo.errors import CorruptPalace
from palazzo.files.raw_files import sync_to_disk

NAME = "key.json"
WAITING = NAME + ".new"
NAMES = (NAME, WAITING)

Doing: TypeAlias = Literal["", "encrypt", "rotate", "decrypt"]


class KeyFile(msgspec.Struct, frozen=True):
    """Where the key comes from; `parameters` only for a passphrase.

    `previous` is the master key before this one, sealed with this one, while something may still need it. `doing` is
    the command that is at work on the palace; found afterwards, it is the one that finishes what was interrupted.
    """

    source: Literal["passphrase", "keyring"]
    parameters: PassphraseParameters | None = None
    format: int = 1
    previous: str = ""
    doing: Doing = ""


def read(folder: Path) -> KeyFile | None:
    """The key file of a palace; one that waits to come into force counts."""
    return read_one(folder, NAME) or read_one(folder, WAITING)


def read_one(folder: Path, name: str) -> KeyFile | None:
    """One of the two files a palace may have, if it is there.

    Raises: CorruptPalace.
    """
    path = folder / name
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeyFile) if path.exists() else None
    except msgspec.DecodeError as error:
        raise CorruptPalace(f"{name} cannot be read: {error}", hint=f"put {name} back from a backup") from error


def interrupted(folder: Path) -> Doing:
    """The command that was cut off before its end; empty when none was."""
    settled, waiting = (read_one(folder, name) for name in NAMES)
    if waiting is not None:
        return waiting.doing or ("encrypt" if settled is None else "rotate")
    return "" if settled is None else settled.doing or ("rotate" if settled.previous else "")


def prepare(folder: Path, key_file: KeyFile) -> None:
    """Writes `key.json.new`."""
    write(folder / WAITING, key_file)


def write(path: Path, key_file: KeyFile) -> None:
    """Writes a key file, mode 0600; it is on the disk as a whole when this returns."""
    draft = path.with_name(f".{path.name}.part")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, msgspec.json.encode(key_file))
        os.fsync(handle)
    finally:
        os.close(handle)
    draft.replace(path)
    sync_to_disk(path.parent)


def settle(folder: Path) -> None:
    """Makes the prepared key file the one in force."""
    (folder / WAITING).replace(folder / NAME)
    sync_to_disk(folder)


def remove(folder: Path) -> None:
    """Forgets how the key was obtained; for a palace that is plain now."""
    for name in (WAITING, NAME):
        (folder / name).unlink(missing_ok=True)
    sync_to_disk(folder)


def copy_beside(folder: Path, target: Path) -> str:
    """Copies the note of how the key is obtained beside a backup; empty when the palace is plain."""
    known = read(folder)
    if known is None:
        return ""
    beside = target.with_name(NAME if target.name == "palace.db" else f"{target.stem}.{NAME}")
    write(beside, replace(known, previous="", doing=""))
    return str(beside)
