"""From a passphrase to a master key, from that to the keys that are used, and single texts and vectors under such keys.

Owns the two derivations and their parameters (Argon2id over the passphrase, HKDF-SHA256 over the master key), the
format of a sealed text (a version byte, the nonce, AES-256-GCM-SIV over the text bound to its owner) and the keyed
rotation of vectors. Knows nothing of where keys or parameters are kept, nor of tiers or tables. Invariants: the same
passphrase and parameters give the same key on every machine and release; keys of different purposes tell nothing of
each other or of the master key; parameters are no secret, but they come from a file that may have been altered, so they
are checked before any memory is taken; nonces are random, 96 bits, and a repeated one would show only that two texts
are equal; texts sealed alike are equal exactly when their texts are; a turned vector has the same distances to other
turned vectors as before.
"""

from __future__ import annotations

import hmac
import os
import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256, shake_256
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from palazzo.errors import InvalidInput, WrongKey
from palazzo.files.extras import encryption
from palazzo.model.ids import LABEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palazzo.ports import Vectors

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
    with encryption():
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


_VERSION = b"\x01"
_NONCE_BYTES = 12
_TAG_BYTES = 16


class SealedFields:
    """Seals and turns under two keys of 32 bytes."""

    def __init__(self, fields: bytes, projection: bytes) -> None:
        with encryption():
            from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        self._cipher = AESGCMSIV(fields)
        self._marking = hmac.digest(fields, LABEL + b"/fields/mark", "sha256")
        self._projection = projection
        self._rotations: dict[int, NDArray[np.float32]] = {}

    def seal(self, text: str, owner: int) -> bytes:
        """The text, readable with the key and as this owner's alone; different every time."""
        return self._sealed(text.encode(), os.urandom(_NONCE_BYTES), owner)

    def seal_alike(self, text: str) -> bytes:
        """The text sealed so that equal texts are equal sealed; for what is looked up by equality."""
        said = text.encode()
        return self._sealed(said, hmac.digest(self._marking, b"nonce" + said, "sha256")[:_NONCE_BYTES], 0)

    def _sealed(self, said: bytes, nonce: bytes, owner: int) -> bytes:
        return _VERSION + nonce + self._cipher.encrypt(nonce, said, _about(owner))

    def open(self, sealed: bytes, owner: int) -> str:
        """The text again. What was decrypted is overwritten; the string that is returned cannot be.

        Raises: WrongKey.
        """
        from cryptography.exceptions import InvalidTag

        room = bytearray(max(0, len(sealed) - 1 - _NONCE_BYTES - _TAG_BYTES))
        try:
            nonce, body = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
            self._cipher.decrypt_into(nonce, body, _about(owner), room)
            return room.decode()
        except (InvalidTag, ValueError) as error:
            raise WrongKey("a sealed text does not open with this key") from error
        finally:
            room[:] = bytes(len(room))

    def mark(self, digest: bytes) -> bytes:
        """A keyed hash in place of a plain one, as long as it."""
        return hmac.digest(self._marking, digest, sha256)[: len(digest)]

    def turn(self, vectors: Vectors) -> Vectors:
        """Vectors (one row each) through the keyed rotation."""
        turned: Vectors = vectors @ self._rotation(vectors.shape[-1])
        return turned

    def turn_back(self, vectors: Vectors) -> Vectors:
        """What `turn` was given."""
        back: Vectors = vectors @ self._rotation(vectors.shape[-1]).T
        return back

    def _rotation(self, dimensions: int) -> NDArray[np.float32]:
        """Kept here and not beside the function, so that it goes with the key it is drawn from."""
        if dimensions not in self._rotations:
            self._rotations[dimensions] = _rotation(self._projection, dimensions)
        return self._rotations[dimensions]


def _about(owner: int) -> bytes:
    return b"%s/field/1/%d" % (LABEL, owner)


def _rotation(key: bytes, dimensions: int) -> NDArray[np.float32]:
    """An orthogonal matrix drawn from the key: the same on every machine and with every numpy.

    Normal numbers by Box and Muller from SHAKE-256, orthogonalised; the signs of the diagonal make the result unique.
    """
    import numpy as np

    count = dimensions * dimensions
    stream = shake_256(LABEL + b"/projection/1" + key + dimensions.to_bytes(4, "big")).digest(16 * count)
    first, second = (np.frombuffer(stream, "<u8").reshape(2, count) >> np.uint64(11)).astype(np.float64) / 2**53
    normal = np.sqrt(-2 * np.log(1 - first)) * np.cos(2 * np.pi * second)
    orthogonal, upper = np.linalg.qr(normal.reshape(dimensions, dimensions))
    found: NDArray[np.float32] = (orthogonal * np.sign(np.diag(upper))).astype(np.float32)
    return found
