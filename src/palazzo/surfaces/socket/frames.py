"""Frames on a Unix socket: four bytes of length, big-endian, then so many bytes. The same for both ends.

Owns reading and writing; knows nothing of what a frame holds. Invariants: a frame is whole or not there; what a client
claims a frame to be costs no memory before it has come; a frame that has begun comes in time, and a connection between
frames may rest as long as it likes.
"""

from __future__ import annotations

import socket
import struct
import time
from typing import Final

from palazzo.surfaces.daemon.held_bytes import HeldBytes

_LENGTH: Final = struct.Struct(">I")
_CHUNK: Final = 1 << 16  # an answer of ten memories and its length come with one call to the system


class Frames:
    """The frames of one connection. Not for several threads at once."""

    def __init__(
        self, connection: socket.socket, limit: int = (1 << 32) - 1, *, patience_s: float | None = None,
        held: HeldBytes | None = None,
    ) -> None:  # fmt: skip
        self._connection = connection
        self._limit = limit
        self._patience_s = patience_s
        self._count = held
        self._counted = 0
        self._held = b""
        """What was read beyond the last frame."""

    def read(self) -> bytes | None:
        """The next frame; None when the other end has left. The frame before it is no longer counted as held.

        Raises: OSError, a TimeoutError among them when a frame has begun and does not end in time; OverflowError for
        one over the limit; BufferError when it does not fit beside what others send.
        """
        self.let_go()
        found = self._held or self._connection.recv(_CHUNK)
        if not found:
            return None
        until = None if self._patience_s is None else time.monotonic() + self._patience_s
        size, whole = None, bytearray(found)
        try:
            while size is None or len(whole) < size:
                if size is None and len(whole) >= _LENGTH.size:
                    size = _LENGTH.size + self._size(whole)
                    continue
                part = self._more(_CHUNK if size is None else min(size - len(whole), 16 * _CHUNK), until)
                if not part:
                    return None
                whole += part
        finally:
            if until is not None:
                self._connection.settimeout(None)
        self._held = bytes(whole[size:])
        return bytes(whole[_LENGTH.size : size])

    def _size(self, begun: bytearray) -> int:
        (size,) = _LENGTH.unpack_from(begun)
        if size > self._limit:
            raise OverflowError
        return int(size)

    def _more(self, most: int, until: float | None) -> bytes:
        """The next bytes of a frame that has begun, counted."""
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(left)
        part = self._connection.recv(most)
        if self._count is not None:
            if not self._count.take(len(part)):
                raise BufferError
            self._counted += len(part)
        return part

    def let_go(self) -> None:
        """Says that the last frame is no longer held."""
        if self._count is not None and self._counted:
            self._count.give(self._counted)
            self._counted = 0

    def write(self, frame: bytes) -> None:
        """Sends a frame.

        Raises: OSError.
        """
        self._connection.sendall(_LENGTH.pack(len(frame)) + frame)
