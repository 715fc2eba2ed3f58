"""Frames on a Unix socket: four bytes of length, big-endian, then so many bytes. The same for both ends.

Owns reading and writing; knows nothing of what a frame holds. Invariants: a frame is whole or not there; what a client
claims a frame to be costs no memory before it has come.
"""

from __future__ import annotations

import socket
import struct
from typing import Final

_LENGTH: Final = struct.Struct(">I")
_CHUNK: Final = 1 << 16  # an answer of ten memories and its length come with one call to the system


class Frames:
    """The frames of one connection. Not for several threads at once."""

    def __init__(self, connection: socket.socket, limit: int = (1 << 32) - 1) -> None:
        self._connection = connection
        self._limit = limit
        self._held = b""
        """What was read beyond the last frame."""

    def read(self) -> bytes | None:
        """The next frame; None when the other end has left or sends more than the limit.

        Raises: OSError.
        """
        found = self._held
        while len(found) < _LENGTH.size:
            part = self._connection.recv(_CHUNK)
            if not part:
                return None
            found = found + part if found else part
        (size,) = _LENGTH.unpack_from(found)
        end = _LENGTH.size + size
        if size > self._limit:
            return None
        if len(found) < end:
            whole = bytearray(found)
            while len(whole) < end:
                part = self._connection.recv(min(end - len(whole), 16 * _CHUNK))
                if not part:
                    return None
                whole += part
            found = bytes(whole)
        self._held = found[end:]
        return found[_LENGTH.size : end]

    def write(self, frame: bytes) -> None:
        """Sends a frame.

        Raises: OSError.
        """
        self._connection.sendall(_LENGTH.pack(len(frame)) + frame)
