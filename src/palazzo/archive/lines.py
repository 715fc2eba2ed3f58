"""The lines of an archive: how one is sealed, how long a sealed one is, and which ones nobody can read.

Owns the seal (AES-GCM-SIV) and the length of what is sealed. Knows no files. Invariants: the length of a sealed line
says only which of few buckets its text falls in; a line that cannot be read is named by its file and number, never by
what it holds.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from typing import Final

from palazzo.model.ids import LABEL

_ABOUT: Final = LABEL + b" archive 1"
_NONCE_BYTES: Final = 12
SHORTEST_BUCKET: Final = 256


@dataclass(frozen=True, slots=True, order=True)
class Unreadable:
    """A line that is torn, damaged or sealed with a key nobody has: it is there, and nobody can say what it holds."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


def bucket(size: int) -> int:
    """The length a text of this size is given before it is sealed: whole buckets, wider for longer texts.

    A quarter is added at most, beyond the shortest bucket.
    """
    step = max(SHORTEST_BUCKET, 1 << max(0, size.bit_length() - 3))
    return max(SHORTEST_BUCKET, -(-size // step) * step)


class Seal:
    """Closes and opens lines with one key."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        self._cipher = AESGCMSIV(key)

    def closed(self, line: bytes) -> bytes:
        """A line sealed; spaces, which mean nothing at the end of JSON, hide how long it was."""
        nonce = os.urandom(_NONCE_BYTES)
        return base64.b64encode(nonce + self._cipher.encrypt(nonce, line.ljust(bucket(len(line))), _ABOUT))

    def opened(self, raw: bytes) -> bytes | None:
        """A line as it was before it was sealed; None when it does not open with this key."""
        from cryptography.exceptions import InvalidTag

        try:
            sealed = base64.b64decode(raw, validate=True)
        except ValueError:
            return None
        if len(sealed) <= _NONCE_BYTES:
            return None
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _ABOUT).rstrip(b" ")
        except InvalidTag:
            return None
