"""From a passphrase to a master key, and from a master key to the keys that are used.

Owns the two derivations and their parameters: Argon2id over the passphrase, HKDF-SHA256 over the master key.
Knows nothing of where keys or parameters are kept. Invariants: the same passphrase and parameters give the
same key on every machine and release; keys of different purposes tell nothing of each other or of the master
key. Parameters are no secret, but they come from a file that may have been altered, so they are checked
before any memory is taken.
"""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from palazzo.errors import InvalidInput
from palazzo.model.label import LABEL

KEY_BYTES = 32
SHORTEST = 8
"""Characters of a new passphrase. Fewer are guessed at any cost of a guess."""
_SALT_BYTES = 16
_HIGHEST_MEMORY_KIB = 4 * 1024 * 1024
_HIGHEST_TIME_COST = 64
_HIGHEST_LANES = 64

Purpose: TypeAlias = Literal["database", "archive", "fields", "export", "projection", "hidden"]
PURPOSES: frozenset[str] = frozenset(get_args(Purpose))


@dataclass(frozen=True, slots=True, kw_only=True)
class PassphraseParameters:
    """What was used to derive a key, to be kept beside what it locks.

    The defaults are the second choice of RFC 9106 (64 MiB, three passes, four lanes): about 0.1 s on one
    core.
    """

    salt: bytes
    memory_kib: int = 65_536
    time_cost: int = 3
    lanes: int = 4
    version: int = 19

    def __post_init__(self) -> None:
        """Refuse values that would be weak, unknown, or meant to exhaust the machine.

        Raises: InvalidInput.
        """
        if not 16 <= len(self.salt) <= 64:
            raise InvalidInput("the salt of a passphrase must be 16 to 64 bytes long", field="salt")
        if not 1 <= self.lanes <= _HIGHEST_LANES:
            raise InvalidInput(f"lanes must be 1 to {_HIGHEST_LANES}", field="lanes")
        if not 8 * self.lanes <= self.memory_kib <= _HIGHEST_MEMORY_KIB:
            raise InvalidInput(f"memory must be {8 * self.lanes} to {_HIGHEST_MEMORY_KIB} KiB", field="memory_kib")
        if not 1 <= self.time_cost <= _HIGHEST_TIME_COST:
            raise InvalidInput(f"time cost must be 1 to {_HIGHEST_TIME_COST}", field="time_cost")
        if self.version != 19:
            raise InvalidInput(f"unknown Argon2 version {self.version}", field="version")


def new_parameters() -> PassphraseParameters:
    """The recommended parameters with a fresh salt."""
    return PassphraseParameters(salt=secrets.token_bytes(_SALT_BYTES))


def check_new(passphrase: str) -> None:
    """Whether a new key may rest on a passphrase; what old keys rest on is not asked.

    Raises: InvalidInput when it is too short to be one.
    """
    if len(unicodedata.normalize("NFC", passphrase).strip()) < SHORTEST:
        raise InvalidInput(
            f"a passphrase has at least {SHORTEST} characters", field="passphrase",
            hint="several words that do not belong together are easy to keep and hard to guess",
        )  # fmt: skip


def master_key(passphrase: str, parameters: PassphraseParameters) -> bytes:
    """The 32-byte master key of a passphrase; slow and memory-hungry on purpose.

    The passphrase is brought to Unicode form NFC first: the same letters typed on another system may be
    composed otherwise.

    Raises: InvalidInput if the passphrase is empty or not valid Unicode.
    """
    from argon2.low_level import Type, hash_secret_raw

    if not passphrase:
        raise InvalidInput("the passphrase is empty", field="passphrase")
    try:
        secret = unicodedata.normalize("NFC", passphrase).encode("utf-8")
    except UnicodeEncodeError:
        secret = b""
    if not secret:
        raise InvalidInput("the passphrase is not valid Unicode", field="passphrase")
    return hash_secret_raw(
        secret,
        parameters.salt,
        time_cost=parameters.time_cost,
        memory_cost=parameters.memory_kib,
        parallelism=parameters.lanes,
        hash_len=KEY_BYTES,
        type=Type.ID,
        version=parameters.version,
    )


def subkey(master: bytes, purpose: Purpose) -> bytes:
    """The 32-byte key for one purpose, by HKDF-SHA256.

    Raises: InvalidInput if the master key is not 32 bytes or the purpose is not one of `PURPOSES`.
    """
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    if len(master) != KEY_BYTES:
        raise InvalidInput(f"a master key has {KEY_BYTES} bytes, this one {len(master)}", field="key")
    if purpose not in PURPOSES:
        raise InvalidInput(
            f"no such purpose {purpose!r}", field="purpose", hint=f"known: {', '.join(sorted(PURPOSES))}"
        )
    label = LABEL + f"/1/{purpose}".encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=label).derive(master)


def new_master_key() -> bytes:
    """A random master key, for palaces whose key is kept in a keyring."""
    return secrets.token_bytes(KEY_BYTES)
