"""Sealing single texts, and turning vectors, with keys of their own: the FieldCipher that stands on `cryptography`.

Owns the format of a sealed text (a version byte, the nonce, AES-256-GCM-SIV over the text bound to its owner) and the
keyed rotation of vectors. Knows nothing of tiers or tables. Invariants: nonces are random, 96 bits, and a repeated one
would show only that two texts are equal; texts sealed alike are equal exactly when their texts are; a turned vector
has the same distances to other turned vectors as before.
"""

from __future__ import annotations

import hmac
import os
from hashlib import sha256, shake_256
from typing import TYPE_CHECKING

from palazzo.errors import WrongKey
from palazzo.model.label import LABEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palazzo.ports import Vectors

_VERSION = b"\x01"
_NONCE_BYTES = 12
_TAG_BYTES = 16


class SealedFields:
    """Seals and turns under two keys of 32 bytes."""

    def __init__(self, fields: bytes, projection: bytes) -> None:
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
