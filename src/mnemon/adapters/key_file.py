"""The key file of an encrypted palace: how its key is obtained, never the key itself.

`key.json` holds the Argon2id parameters and salt, or says that the key is in the system keyring. A conversion writes
`key.json.new` first and renames it after the file is converted, so a crash in between is recognised and finished.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from mnemon.adapters.passphrase_key import PassphraseParameters

NAME = "key.json"
NAMES = (NAME, NAME + ".new")


@dataclass(frozen=True, slots=True)
class KeyFile:
    """Where the key comes from; `parameters` only for a passphrase.

    `previous` is the master key before this one, sealed with this one, while something may still need it.
    """

    source: Literal["passphrase", "keyring"]
    parameters: PassphraseParameters | None = None
    format: int = 1
    previous: str = ""


def read(folder: Path) -> KeyFile | None:
    """The key file of a palace; a `.new` left by an interrupted conversion counts."""
    return read_one(folder, NAME) or read_one(folder, NAME + ".new")


def read_one(folder: Path, name: str) -> KeyFile | None:
    """One of the two files a palace may have, if it is there."""
    path = folder / name
    return msgspec.json.decode(path.read_bytes(), type=KeyFile) if path.exists() else None


def prepare(folder: Path, key_file: KeyFile) -> None:
    """Writes `key.json.new`."""
    write(folder / (NAME + ".new"), key_file)


def write(path: Path, key_file: KeyFile) -> None:
    """Writes a key file, synced, mode 0600."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, msgspec.json.encode(key_file))
        os.fsync(handle)
    finally:
        os.close(handle)


def settle(folder: Path) -> None:
    """Makes the prepared key file the one in force."""
    (folder / (NAME + ".new")).replace(folder / NAME)


def remove(folder: Path) -> None:
    """Forgets how the key was obtained; for a palace that is plain now."""
    for name in (NAME, NAME + ".new"):
        (folder / name).unlink(missing_ok=True)


def copy_beside(folder: Path, target: Path) -> str:
    """Copies the note of how the key is obtained beside a backup; empty when the palace is plain."""
    known = read(folder)
    if known is None:
        return ""
    beside = target.with_name(NAME if target.name == "palace.db" else f"{target.stem}.{NAME}")
    write(beside, known)
    return str(beside)
