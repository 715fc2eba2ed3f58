"""The keys of one palace: one master key, and from it a key for each purpose.

Owns how a master key is obtained (a passphrase, the system keyring), how a new one is prepared before it is in force,
and that the one before it can be reached until nothing needs it. Knows nothing of what the keys lock. Invariants: the
master key is on no disk in clear; keys of different purposes tell nothing of each other; a key that is replaced stays
in force until the replacement is settled.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from palazzo.adapters import key_file
from palazzo.adapters.ciphers import (
    Purpose,
    SealedFields,
    check_new,
    master_key,
    new_master_key,
    new_parameters,
    subkey,
)
from palazzo.adapters.key_file import Doing, KeyFile
from palazzo.errors import InvalidInput, WrongKey
from palazzo.files.extras import encryption
from palazzo.model.ids import LABEL

Ask = Callable[[str], str]
_PREVIOUS = LABEL + b"/previous/1"
_NONCE_BYTES = 12


class PalaceKeys:
    """A master key in memory, and the keys made from it. `wipe` overwrites it."""

    __slots__ = ("_master",)

    def __init__(self, master: bytes) -> None:
        self._master = bytearray(master)

    def of(self, purpose: Purpose) -> bytes:
        """The key for one purpose.

        Raises: InvalidInput once it was wiped.
        """
        return subkey(bytes(self._master), purpose)

    def cipher(self) -> SealedFields:
        """What seals fields and turns vectors."""
        return SealedFields(self.of("fields"), self.of("projection"))

    def wrap(self, older: PalaceKeys) -> str:
        """Another master key, readable with this one."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        nonce = os.urandom(_NONCE_BYTES)
        return base64.b64encode(
            nonce + AESGCMSIV(self.of("export")).encrypt(nonce, bytes(older._master), _PREVIOUS)
        ).decode()

    def unwrap(self, wrapped: str) -> PalaceKeys:
        """The master key that was wrapped.

        Raises: WrongKey.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        raw = base64.b64decode(wrapped)
        try:
            return PalaceKeys(AESGCMSIV(self.of("export")).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], _PREVIOUS))
        except InvalidTag as error:
            raise WrongKey("the key before this one does not open with it") from error

    def keep(self, folder: Path, name: str = "") -> None:
        """Puts the master key into the system keyring.

        Raises: PartUnavailable.
        """
        from palazzo.adapters.keyring_keeper import KeyringKeeper

        KeyringKeeper().put(_entry(folder, name), bytes(self._master))

    def wipe(self) -> None:
        """Overwrites the master key; copies that the interpreter made are beyond reach."""
        self._master[:] = bytes(len(self._master))
        self._master.clear()


class KeySource(msgspec.Struct, frozen=True, kw_only=True):
    """Where a key may come from: a passphrase, somebody to ask, the keyring (for a new key).

    `other` is a second passphrase to try: the one an interrupted change of keys was to bring into force.
    """

    passphrase: str = ""
    other: str = ""
    ask: Ask | None = None
    keyring: bool = False

    def phrase(self, prompt: str) -> str:
        return self.passphrase or (self.ask(prompt) if self.ask else "")


def _entry(folder: Path, name: str = "") -> str:
    return str(folder.resolve()) + (f"#{name}" if name else "")


class FoundKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key a palace may have; `waiting` says it was prepared and did not come into force, `other` by which phrase."""

    keys: PalaceKeys
    note: KeyFile
    waiting: bool = False
    other: bool = False


def candidates(folder: Path, source: KeySource) -> Iterator[FoundKey]:
    """The keys a palace may have: that in force first, then one whose coming into force was interrupted.

    Raises: WrongKey when there is no way to get one, PartUnavailable.
    """
    with encryption():  # before anybody is asked for a passphrase
        import cryptography as _  # noqa: F401
    notes = [(name, note) for name in key_file.NAMES if (note := key_file.read_one(folder, name)) is not None]
    if not notes:
        raise WrongKey(
            "palace.db reads as no palace: either it has a key and its key.json is missing, or the file is damaged",
            hint="put key.json back beside palace.db; or put the newest whole backup in its place with "
            "`palazzo restore-backup`, which keeps the file that is there",
        )
    phrases: list[str] = []
    for name, note in notes:
        waiting = name == key_file.WAITING
        if note.source == "keyring":
            # A note that is alone may be one whose key did not reach its name in the keyring before a crash.
            entries = ("new",) if waiting else ("",) if len(notes) > 1 else ("", "new")
            for entry, keys in _kept(folder, entries):
                yield FoundKey(keys=keys, note=note, waiting=bool(entry))
            continue
        phrases = phrases or [source.phrase("Passphrase: "), source.other]
        if not phrases[0]:
            raise WrongKey("the palace is encrypted and no passphrase was given")
        if note.parameters is None:
            raise WrongKey("key.json does not say how the key is made", hint="restore it from a backup")
        for phrase in dict.fromkeys(filter(None, phrases)):
            keys, other = PalaceKeys(master_key(phrase, note.parameters)), phrase != phrases[0]
            yield FoundKey(keys=keys, note=note, waiting=waiting, other=other)
    yield from _before(notes, phrases)


def _before(notes: list[tuple[str, KeyFile]], phrases: list[str]) -> Iterator[FoundKey]:
    """The key in force, had from the one that is to replace it: whoever knows only the new passphrase gets in."""
    if len(notes) < 2:
        return
    (_, settled), (_, waiting) = notes
    if waiting.parameters is None or not waiting.previous:
        return
    for phrase in dict.fromkeys(filter(None, phrases)):
        newer = PalaceKeys(master_key(phrase, waiting.parameters))
        try:
            yield FoundKey(keys=newer.unwrap(waiting.previous), note=settled)
        except WrongKey:
            continue


def _kept(folder: Path, entries: tuple[str, ...]) -> Iterator[tuple[str, PalaceKeys]]:
    from palazzo.adapters.keyring_keeper import KeyringKeeper

    found = {entry: key for entry in entries if (key := KeyringKeeper().get(_entry(folder, entry))) is not None}
    if not found:
        raise WrongKey("the system keyring has no key for this palace")
    yield from ((entry, PalaceKeys(key)) for entry, key in found.items())


def prepare(folder: Path, source: KeySource, doing: Doing = "", before: PalaceKeys | None = None) -> FoundKey:
    """A fresh key with its note written as `key.json.new`, with what is to be done; `before` is wrapped into the note.

    Raises: InvalidInput when there is no passphrase or one that is too short, PartUnavailable.
    """
    with encryption():
        import cryptography as _  # noqa: F401
    if source.keyring:
        keys = PalaceKeys(new_master_key())
        keys.keep(folder, "new")
        note = KeyFile("keyring")
    else:
        phrase = source.phrase("New passphrase: ")
        if not phrase:
            raise InvalidInput("an encrypted palace needs a passphrase", field="passphrase", hint="or use the keyring")
        check_new(phrase)
        parameters = new_parameters()
        keys, note = PalaceKeys(master_key(phrase, parameters)), KeyFile("passphrase", parameters)
    note = replace(note, doing=doing, previous=keys.wrap(before) if before is not None else "")
    key_file.prepare(folder, note)
    return FoundKey(keys=keys, note=note, waiting=True)


def settle(folder: Path, found: FoundKey) -> None:
    """Puts a prepared key into force, if it is not yet; the one before it goes.

    Raises: PartUnavailable.
    """
    if not found.waiting:
        return
    if key_file.read_one(folder, key_file.WAITING) is not None:
        key_file.settle(folder)
    if found.note.source == "keyring":
        found.keys.keep(folder)
        _drop_waiting(folder)


def intend(folder: Path, found: FoundKey, doing: Doing) -> None:
    """Notes what is about to be done to a palace whose key is in force."""
    if found.note.doing != doing:
        key_file.write(folder / key_file.NAME, replace(found.note, doing=doing))


def discard(folder: Path) -> None:
    """Forgets a key that was prepared and never came into force.

    Raises: PartUnavailable.
    """
    waiting = key_file.read_one(folder, key_file.WAITING)
    if waiting is not None:
        (folder / key_file.WAITING).unlink()
        if waiting.source == "keyring":
            _drop_waiting(folder)


def _drop_waiting(folder: Path) -> None:
    from palazzo.adapters.keyring_keeper import KeyringKeeper

    KeyringKeeper().delete(_entry(folder, "new"))


def finish(folder: Path, found: FoundKey) -> None:
    """Notes that nothing is left to do, and lets go of the key before: nothing is locked with it any more."""
    discard(folder)
    key_file.write(folder / key_file.NAME, replace(found.note, previous="", doing=""))
