"""How a line of the archive is sealed: AES-GCM-SIV with a key of its own, padded to one of few lengths."""

from __future__ import annotations

import base64
import os
from typing import Final

from palazzo.files.extras import encryption
from palazzo.model.ids import LABEL

_ABOUT: Final = LABEL + b" archive 1"
_NONCE_BYTES: Final = 12
SHORTEST_BUCKET: Final = 256


def bucket(size: int) -> int:
    """The length a text of this size is given before it is sealed: whole buckets, wider for longer texts.

    A quarter is added at most, beyond the shortest bucket.
    """
    step = max(SHORTEST_BUCKET, 1 << max(0, size.bit_length() - 3))
    return max(SHORTEST_BUCKET, -(-size // step) * step)


class Seal:
    """Closes and opens lines with one key."""

    def __init__(self, key: bytes) -> None:
        with encryption():
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
